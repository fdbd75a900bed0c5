import { describe, expect, it } from 'vitest'
import { renderPlanPage } from '../../../src/report/plan/plan-sections.js'
import { planOf } from '../../ledger/plan/plan-document.js'
import { textOf } from '../ledger-value.js'

describe('the page of a plan', () => {
  it('says what a run would do, in one page without script or network', async () => {
    const plan = planOf({ limit: 2 })
    const page = await renderPlanPage(plan, null)
    const text = textOf(page)
    expect(text).toContain('To send: 2 rows at most, of 3')
    expect(text).toContain('1 row invalid: The IBAN has a typing error. (IBAN_CHECKSUM)')
    expect(text).toContain(
      '2 warnings: One account pays for several customers. Usual for families and several contracts. (IBAN_SHARED)',
    )
    expect(text).toContain('Non-default settings rate: 5')
    expect(text).toContain(plan.digest)
    expect(text).toContain('This page is a picture for people and proves nothing')
    expect(page).toContain(`default-src 'none'`)
    expect(page).not.toMatch(/<script|src=|href="?http/)
  })

  it('sets the totals beside those of the last plan', async () => {
    const now = planOf({ settings: { proxy: null } })
    const text = textOf(await renderPlanPage(now, planOf({ version: '0.0.9' })))
    expect(text).toContain('proxy: none')
    expect(text).toMatch(/records read: \d+, in the last plan \d+/)
    expect(textOf(await renderPlanPage(now, null))).not.toContain('in the last plan')
  })

  it('runs nothing that others wrote', async () => {
    const sources = [{ name: '<script>1</script>.csv', sha256: 'a', bytes: 1, records: 1 }]
    const page = await renderPlanPage(planOf({ plannedBy: '<img src=x onerror=alert(1)>', sources }), null)
    expect(page).not.toMatch(/<img|<script/)
  })
})
