import { describe, expect, it } from 'vitest'
import type { ReportFacts } from '../../../src/report/facts/facts.js'
import { renderPage, hostOf, rehearsalText } from '../../../src/report/page/page.js'
import { ENGLISH } from '../../../src/report/text/texts.js'
import { factsOf } from '../facts-value.js'
import { decisionOf, NO_RECORDS, registeredRow, rowOf, runOf, sourceOf } from '../ledger-value.js'

const VALUE = {
  ...NO_RECORDS,
  sources: [sourceOf({ records: 4 })],
  rows: [
    registeredRow(1),
    registeredRow(2, { originalCreditorIdentifier: 'NL97ZZZ123456780001' }),
    rowOf(3, { state: 'refused' }),
    rowOf(4),
  ],
  runs: [runOf(), runOf({ id: 2, startedAs: 'olga' }), runOf({ id: 3, startedAs: null })],
  decisions: [decisionOf(), decisionOf({ id: 2, rowId: 2, by: 'B. <b>Second</b>' })],
}

const textOf = (page: string): string =>
  page
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')

/** What stands before the annex. */
const coverOf = async (change: Partial<ReportFacts> = {}): Promise<string> =>
  textOf((await renderPage({ ...(await factsOf(VALUE)), ...change })).split('class="annex"')[0] ?? '')

async function sentTo(baseUrl: string | null, testHost?: string): Promise<ReportFacts> {
  const facts = await factsOf({
    ...VALUE,
    runs: [runOf({ settings: testHost === undefined ? {} : { testHost } })],
  })
  return { ...facts, campaign: { ...facts.campaign, baseUrl } }
}

describe('the cover', () => {
  it('has the verdict, five figures that add up, and signature lines', async () => {
    const cover = await coverOf()
    expect(cover).toContain('Balanced, open points: 2')
    expect(cover).toContain(
      'Records read 4 100.0 % Registered 2 50.0 % In doubt 0 0.0 % Refused 1 25.0 % Not sent 1 25.0 %',
    )
    for (const role of ['Prepared by', 'Checked by', 'Approved by'])
      expect(cover).toContain(`${role} Name, function Date, signature`)
  })

  it('says from whom to whom, who ran and who decided', async () => {
    const cover = await coverOf()
    expect(cover).toContain(
      'Registered mandates come from DE98ZZZ09999999999 (1), NL97ZZZ123456780001 (1) and go to SE97ZZZ5560000001 (2)',
    )
    expect(cover).toContain('Run by nora, olga, Runs: 3, 2026-06-15 10:00 – 2026-06-15 10:03')
    expect(cover).toContain('A. Reviewer (1), B. &lt;b&gt;Second&lt;/b&gt; (1)')
  })

  it('26.2 counts the resends that were forced', async () => {
    const forced = (id: number) =>
      decisionOf({ id, decision: 'resend', evidence: 'forced, 3 minutes after the attempt' })
    const facts = await factsOf({ ...VALUE, decisions: [decisionOf(), forced(2), forced(3)] })
    expect(await coverOf(facts)).toContain('resends forced within 15 minutes of the attempt: 2')
    expect(await coverOf()).not.toContain('forced')
  })

  it('stays short, however many creditors and people there are', async () => {
    const many = Array.from({ length: 40 }, (_, n) => ({ value: `value-${n}`, count: 2 }))
    const counts = { values: many, others: 5 }
    const cover = await coverOf({ creditors: { previous: counts, assigned: counts }, resolvedBy: counts })
    expect(cover.match(/value-3 \(2\), others \(77\)/g)).toHaveLength(3)
    expect(cover).not.toContain('value-4')
  })

  it('shows what was made from the ledger behind it', async () => {
    const cover = await coverOf()
    for (const words of ['Control totals', 'User at the service', 'Hash totals'])
      expect(cover).not.toContain(words)
  })
})

describe('a rehearsal', () => {
  it.each([
    ['http://127.0.0.1:4000/', undefined, 'on this computer'],
    ['http://[::1]:4000/', undefined, 'on this computer'],
    ['http://localhost/', undefined, 'on this computer'],
    ['https://test.example/', 'test.example', 'test.example to be a test environment'],
    ['https://test.example:8443/', 'test.example:8443', 'to be a test environment'],
  ])('is what went to %s, declared as %s', async (baseUrl, testHost, words) => {
    const facts = await sentTo(baseUrl, testHost)
    expect(rehearsalText(facts, ENGLISH)).toContain(words)
    const page = await renderPage(facts)
    expect(textOf(page)).toContain('REHEARSAL')
    expect(page).toContain('@top-center { content: "REHEARSAL"')
  })

  it('is none once a run sent without that declaration, whatever an earlier one said', async () => {
    const facts = await sentTo('https://billing.example/', 'billing.example')
    const [declared] = facts.runs
    const sent = runOf({ id: 2 })
    expect(rehearsalText({ ...facts, runs: [...facts.runs, sent] }, ENGLISH)).toBeNull()
    const idle = runOf({ id: 2, attempts: { ...sent.attempts, registered: 0 } })
    expect(rehearsalText({ ...facts, runs: [...facts.runs, idle] }, ENGLISH)).not.toBeNull()
    expect(
      rehearsalText(
        { ...facts, runs: declared === undefined ? [] : [{ ...declared, attempts: idle.attempts }] },
        ENGLISH,
      ),
    ).toBeNull()
  })

  it.each([
    ['https://billing.example/', undefined],
    ['https://billing.example/', 'test.example'],
    ['https://127.0.0.1.example/', undefined],
    [null, undefined],
  ])('is not what went to %s, declared as %s', async (baseUrl, testHost) => {
    const facts = await sentTo(baseUrl, testHost)
    expect(rehearsalText(facts, ENGLISH)).toBeNull()
    expect(await renderPage(facts)).not.toContain('REHEARSAL')
  })

  it('names the host, or says that there is none', async () => {
    expect(hostOf(await sentTo('https://billing.example/x'), ENGLISH)).toBe('billing.example')
    expect(hostOf(await sentTo(null), ENGLISH)).toBe('no service yet')
  })
})

describe('a printed page', () => {
  it('carries ledger and page number', async () => {
    const page = await renderPage(await factsOf(VALUE))
    expect(page).toContain('@bottom-left { content: "Ledger 7f3b7c1e, as of 2026-06-15 12:00:00 UTC"')
    expect(page).toContain('"Page " counter(page) " of " counter(pages)')
  })
})

describe('a run without an end', () => {
  const runs = (...changes: Parameters<typeof runOf>[0][]) =>
    changes.map((change, at) => runOf({ ...change, id: at + 1 }))

  it.each([
    [
      'was killed, once a later one is there',
      runs({ endedAt: null }, {}),
      'Killed: it ended without a word.',
    ],
    [
      'was killed, once somebody found it so',
      runs({ endedAt: null, stoppedBy: 'ended_without_notice' }),
      'Killed:',
    ],
    ['may be going on', runs({ endedAt: null }), 'Going on, or ended without a word.'],
  ])('%s', async (_, given, words) => {
    expect(textOf(await renderPage(await factsOf({ ...VALUE, runs: given })))).toContain(words)
  })
})
