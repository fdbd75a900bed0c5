import { describe, expect, it } from 'vitest'
import { totalsOf } from '../../../src/domain/row/totals.js'
import type { WaveRecords } from '../../../src/domain/wave/wave.js'
import { renderSummary } from '../../../src/report/files/summary.js'
import { renderPage } from '../../../src/report/page/page.js'
import { factsOf } from '../facts-value.js'
import { NO_RECORDS, rowOf, sourceOf } from '../ledger-value.js'

const { resubmitted: _, ...ONE_READY } = totalsOf(1, new Map([['ready', 1]]))
const { resubmitted: __, ...NOTHING } = totalsOf(0, new Map())

const WAVES: WaveRecords = {
  totals: totalsOf(1, new Map([['ready', 1]])),
  waves: [
    {
      name: '<b>south</b>',
      position: 1,
      isHeld: true,
      filter: { country: ['AT'], number: 7 },
      totals: ONE_READY,
    },
    { name: 'old', position: null, isHeld: false, filter: {}, totals: NOTHING },
    { name: 'rest', position: null, isHeld: false, filter: null, totals: NOTHING },
  ],
}

const LEDGER = { ...NO_RECORDS, sources: [sourceOf({ records: 1 })], rows: [rowOf(1)] }

describe('the waves on the page', () => {
  it('stand with their totals and what they take, and what is held is said', async () => {
    const page = await renderPage(await factsOf({ ...LEDGER, waves: WAVES }))
    const section = /<section id="waves">[\s\S]*?<\/section>/.exec(page)?.[0] ?? ''
    expect(section).toContain('&lt;b&gt;south&lt;/b&gt; (held)')
    expect(section).toContain('old (of an earlier run)')
    expect(section).toContain('1 ready row is held.')
    expect(section).toContain('country (AT); number: 7')
    expect(section).not.toContain('<strong>NO</strong>')
    expect(page).toContain('1 row is held: ready, and not sent before somebody releases their wave.')
    expect(page).not.toContain('run again to continue')
  })

  it('are left out of a campaign without any', async () => {
    expect(await renderPage(await factsOf(LEDGER))).not.toContain('id="waves"')
  })

  it('that do not add up make the report say that it does not balance', async () => {
    const lost = { ...WAVES, waves: WAVES.waves.slice(1) }
    const facts = await factsOf({ ...LEDGER, waves: lost })
    expect(facts.balanced).toBe(false)
    const page = await renderPage(facts)
    expect(page).toContain('The control totals do NOT balance')
  })
})

describe('the waves in summary.json', () => {
  it('have name, place, filter and totals', async () => {
    const summary = JSON.parse(renderSummary(await factsOf({ ...LEDGER, waves: WAVES }))) as {
      waves: unknown
    }
    expect(summary.waves).toMatchObject([
      {
        name: '<b>south</b>',
        position: 1,
        held: true,
        filter: { country: ['AT'] },
        balanced: true,
        totals: { ready: 1 },
      },
      { name: 'old' },
      { name: 'rest', filter: null },
    ])
    const without = JSON.parse(renderSummary(await factsOf(LEDGER))) as { waves: unknown }
    expect(without.waves).toBeNull()
  })
})
