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
    expect(text).toContain('This is the first plan of this ledger')
    expect(text).toContain(plan.digest)
    expect(text).toContain('This page is a picture for people and proves nothing')
    expect(page).toContain(`default-src 'none'`)
    expect(page).not.toMatch(/<script|src=|href="?http/)
  })

  it('stands beside the last plan: what was added, is gone, changed', async () => {
    const sources = [{ name: 'old.csv', sha256: '1', bytes: 1, records: 1 }]
    const last = planOf({ sources, version: '0.0.9' })
    const settings = { concurrency: 8, rate: 9, proxy: null }
    const now = planOf({ rows: { count: 5, digest: 'x' }, settings })
    const text = textOf(await renderPlanPage(now, last))
    expect(text).toMatch(/source missing: .*old\.csv.* was planned and is not here/)
    expect(text).toMatch(/source added: .*export\.csv/)
    expect(text).toContain('rows changed: 3 rows (')
    expect(text).toContain('setting changed: rate from 5 to 9')
    expect(text).toContain('proxy: none')
    expect(text).toContain('version changed: planned with 0.0.9, this is 0.1.0')
    expect(text).toContain('in the last plan')
    expect(textOf(await renderPlanPage(now, now))).toContain('Nothing changed since')
  })

  it('runs nothing that others wrote', async () => {
    const sources = [{ name: '<script>1</script>.csv', sha256: 'a', bytes: 1, records: 1 }]
    const page = await renderPlanPage(planOf({ plannedBy: '<img src=x onerror=alert(1)>', sources }), null)
    expect(page).not.toMatch(/<img|<script/)
  })
})
