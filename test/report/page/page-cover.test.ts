import { describe, expect, it } from 'vitest'
import type { ReportFacts } from '../../../src/report/facts/facts.js'
import { renderPage, hostOf, rehearsalText } from '../../../src/report/page/page.js'
import { ENGLISH, textsIn } from '../../../src/report/text/texts.js'
import { LANGUAGES } from '../../../src/report/text/language.js'
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
    expect(cover).toContain('Run by nora, olga, Runs: 3, 15 June 2026 10:00 – 15 June 2026 10:03')
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
    expect(page).toContain(
      '@bottom-left { content: "Migration ledger 7f3b7c1e, as of 15 June 2026 12:00:00 (UTC)"',
    )
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

describe('29.4 the cover', () => {
  const told = { company: 'Example <AG>', from: 'Old Pay', expected: { records: 4, customerNoSum: '4010' } }

  it('names the company and the former provider', async () => {
    expect(await coverOf({ told })).toContain(
      'Example &lt;AG&gt;, former provider: Old Pay; to billing.example',
    )
  })

  it.each([
    [null, 'Nothing was given to compare the records read (4) with.', 'open points: 2'],
    [{ records: 4, customerNoSum: null }, '(Records read: 4) agree with the records read (4).', 'points: 2'],
    [told.expected, '(Records read: 4, Sum of customer_no: 4010) agree with', 'open points: 2'],
    [{ records: 5, customerNoSum: null }, '(Records read: 5) DIFFER from the records read (4).', 'points: 3'],
    [{ records: 4, customerNoSum: '4011' }, 'Sum of customer_no: 4011) DIFFER from', 'open points: 3'],
  ])('compares the records with %j', async (expected, sentence, verdict) => {
    const cover = await coverOf({ told: { ...told, expected } })
    expect(cover).toContain(sentence)
    expect(cover).toContain(verdict)
  })

  it('speaks of open points only where some are open', async () => {
    expect(await coverOf()).toContain('and the open points above')
    const rows = [registeredRow(1)]
    const facts = await factsOf({ ...NO_RECORDS, sources: [sourceOf({ records: 1 })], rows, runs: [runOf()] })
    const [cover = ''] = textOf(await renderPage(facts)).split('Annex')
    expect(cover).toContain('nothing is open')
    expect(cover).not.toContain('open points')
  })

  it('says why rows were not sent, each reason with its count, and how many others there are', async () => {
    const rules = ['IBAN_CHECKSUM', 'IBAN_CHECKSUM', 'SIGNED_IN_FUTURE', 'A', 'B', 'C'] as const
    const rows = rules.map((rule, at) => rowOf(at + 1, { state: 'invalid', rule }))
    const facts = await factsOf({ ...NO_RECORDS, sources: [sourceOf({ records: 6 })], rows })
    const text = textOf(await renderPage(facts))
    expect(text).toContain('Not sent Rule Rows Invalid IBAN_CHECKSUM 2 Invalid A 1 Invalid B 1 Invalid C 1')
    expect(text).toContain('others (1) 1')
  })

  it('names the settings that differ between runs, and counts corrections', async () => {
    const runs = [runOf({ settings: { limit: 5, rate: 2 } }), runOf({ id: 2, settings: { rate: 2 } })]
    const corrections = { total: 3, first: [] }
    const cover = await coverOf({ runs, corrections })
    expect(cover).toContain('Settings that differ between runs limit')
    expect(cover).not.toContain('rate')
    expect(cover).toContain('Corrected rows: 3')
  })

  it.each(LANGUAGES)('shows times in the zone of the campaign, as %s writes a date', async (language) => {
    const page = textOf(await renderPage(await factsOf(VALUE), textsIn(language, 'Europe/Stockholm')))
    const written = { en: '15 June 2026', de: '15.06.2026', fr: '15/06/2026', sv: '2026-06-15' }
    expect(page).toContain(`${written[language]} 14:00:00 (Europe/Stockholm)`)
    expect(textsIn(language, 'Nowhere/Land').moment('2026-06-15T12:00:00.000Z')).toMatch(/12:00:00 \(UTC\)$/)
  })
})
