import { describe, expect, it } from 'vitest'
import { renderPlanPage } from '../../../src/report/plan/plan-sections.js'
import { planOf } from '../../ledger/plan/plan-document.js'
import { textOf } from '../ledger-value.js'

describe('the page of a plan', () => {
  it('says what a run would do, in one page without script or network', async () => {
    const plan = planOf({ limit: 2 })
    const page = await renderPlanPage(plan)
    const text = textOf(page)
    expect(text).toContain('To send: 2 rows at most, of 3')
    expect(text).toContain('1 row invalid: The IBAN has a typing error. (IBAN_CHECKSUM)')
    expect(text).toContain('2 warnings: One account pays for several customers.')
    expect(text).toContain('Non-default settings rate: 5')
    expect(text).toContain(plan.digest)
    expect(text).toContain('This page is a picture for people and proves nothing')
    expect(page).toContain(`default-src 'none'`)
    expect(page).not.toMatch(/<script|src=|href="?http/)
  })

  it('shows every record that was read, and a setting that holds nothing', async () => {
    const text = textOf(await renderPlanPage(planOf({ settings: { proxy: null } })))
    expect(text).toContain('proxy: none')
    expect(text).toMatch(/records read: \d/)
  })

  it('runs nothing that others wrote', async () => {
    const sources = [{ name: '<script>1</script>.csv', sha256: 'a', bytes: 1, records: 1 }]
    const page = await renderPlanPage(planOf({ plannedBy: '<img src=x onerror=alert(1)>', sources }))
    expect(page).not.toMatch(/<img|<script/)
  })
})
