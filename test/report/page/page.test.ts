import { describe, expect, it } from 'vitest'
import { NO_CUT_OVER } from '../../../src/domain/row/cut-over.js'
import type { RunTerms } from '../../../src/domain/row/choice.js'
import type { ReportFacts } from '../../../src/report/facts/facts.js'
import { PACK_NAMES, TO_DO_FILES } from '../../../src/report/pack/pack.js'
import { proofText } from '../../../src/report/page/annex.js'
import { settingLines, settingText, ENGLISH, textsIn } from '../../../src/report/text/texts.js'
import { hostOf, rehearsalText, renderPage } from '../../../src/report/page/page.js'
import { LANGUAGES } from '../../../src/report/pack/pack-folder.js'
import {
  approvalOf,
  asText,
  attemptOf,
  ATTEMPTS,
  decisionOf,
  factsOf,
  IBAN,
  keptSource,
  MAILED,
  many,
  plannedOf,
  registeredRow,
  rowOf,
  runOf,
  sourceOf,
  textOf,
  verifiedRow,
  type LedgerValue,
} from '../ledger-value.js'

/** As somebody else may write it into the ledger. */
const HOSTILE_TERMS = { '<u>': '<script>', outcomes: { '<u>': '<script>' } } as RunTerms
const HOSTILE = `<script>alert("x")</script>\u001B[31mred\u202E ${IBAN} '"&`

const pageOf = async (value: LedgerValue, change: Partial<ReportFacts> = {}): Promise<string> =>
  renderPage({ ...(await factsOf(value)), ...change })

/** The page as a reader sees it. */
const shown = async (...of: Parameters<typeof pageOf>): Promise<string> => asText(textOf(await pageOf(...of)))

const inDoubt = { hint: 'probably_registered', status: 200, reason: 'The answer was cut off' } as const
const IN_DOUBT = {
  rows: [
    registeredRow(1),
    rowOf(2, { state: 'in_doubt', lastAttempt: attemptOf({ ...inDoubt, answer: '{"status":"OK"' }) }),
    rowOf(3, { state: 'refused', lastAttempt: attemptOf({ status: 422 }) }),
    rowOf(4),
  ],
}
const DONE = { rows: [registeredRow(1)] }

/** These words, one behind the other. */
const expectInOrder = (text: string, words: readonly string[]): void => {
  const places = words.map((part) => text.indexOf(part))
  expect(words.filter((_, at) => places[at] === -1)).toEqual([])
  expect([...places].sort((a, b) => a - b)).toEqual(places)
}

describe('the page', () => {
  it('opens with the verdict and the open points, the doubts first', async () => {
    expectInOrder(await shown(IN_DOUBT), [
      'Balanced, open points: 3 4 records in 1 export: 4 mandates. Each record is in exactly one state.',
      'In doubt (may or may not be registered): 1',
      'Ready and not registered yet, run again to continue: 1',
      'Refused by the service: 1',
    ])
  })

  it('shows totals that add up before the eyes of the reader, and warns where they do not', async () => {
    expect(await shown(IN_DOUBT)).toMatch(/Registered 1 25\.0 % .*Sum of all states 4 Records read 4 /)
    const lost = { ...IN_DOUBT, sources: [sourceOf({ records: 5 })] }
    expectInOrder(await shown(lost), ['The control totals do NOT balance', 'Do not sign', 'Difference 1'])
    expect(await shown(DONE)).toContain('Balanced, nothing is open')
    expect(await shown({})).toContain('Balanced: no record was read yet')
  })

  it('lists a row in doubt with its evidence and since when it is open, which is true whenever the page is read', async () => {
    const text = await shown(IN_DOUBT)
    expectInOrder(text, [
      'Row: 2, Customer: 1002 probably registered open since 15 June 2026 10:00:00',
      'The answer was cut off',
      'Answer HTTP 200',
      'Last request b1c9d5f0-0000-4000-8000-000000000001',
      'Answer {"status":"OK"',
    ])
  })

  it('shows nothing of a hostile text but its letters', async () => {
    const said = { reason: HOSTILE, message: HOSTILE, serviceCode: HOSTILE, field: HOSTILE, answer: HOSTILE }
    const lastAttempt = attemptOf({ status: 500, ...said, errorCode: '<b>' })
    const reading = { words: { '<i>': { column: '<script>' } } }
    const named = { source: '<script>', originalMandateReference: '<script>' }
    const value = {
      rows: [
        rowOf(1, { state: 'in_doubt', lastAttempt, ...named }),
        rowOf(2, { state: 'refused', lastAttempt }),
      ],
      sources: [sourceOf({ records: 2, name: HOSTILE.replace(IBAN, ''), reading })],
      decisions: [decisionOf({ by: '<script>', reason: HOSTILE, evidence: '<script>' })],
      runs: [runOf({ stoppedBy: HOSTILE, settings: HOSTILE_TERMS })],
    }
    const refusal = { status: 422, serviceCode: HOSTILE, field: HOSTILE, message: HOSTILE, count: 1 }
    const change = { refusalCounts: [refusal] }
    const page = await pageOf(value, change)
    expect(page).not.toMatch(/<script|<b>|<i>|<u>/)
    expect(page).not.toMatch(/[\u001B\u202E]/)
    expect(page).not.toContain(IBAN)
    expect(await shown(value, change)).toContain('<script>alert("x")</script>red DE…3000 \'"&')
  })

  it('needs no network and no script', async () => {
    const page = await pageOf(IN_DOUBT)
    expect(page).not.toMatch(/<(?:script|link|img|iframe|object|embed|base|form)\b/)
    expect(page).not.toMatch(/\bon\w+=|javascript:|@import|url\((?!#)/)
    const known: readonly string[] = [...PACK_NAMES, ...TO_DO_FILES]
    for (const [, target = ''] of page.matchAll(/(?:href|src)="([^"]*)"/g))
      if (target.startsWith('#')) expect(page).toContain(`id="${target.slice(1)}"`)
      else expect(known).toContain(target)
  })

  it('can be read by a screen reader: language, one main heading, headings in order, named drawings, table headers', async () => {
    const page = await pageOf({ ...IN_DOUBT, runs: [runOf()], decisions: [decisionOf()] })
    expect(page).toMatch(/^<!doctype html>\s*<html lang="en">/)
    const levels = [...page.matchAll(/<h([1-6])/g)].map((match) => Number(match[1]))
    expect(levels.filter((level) => level === 1)).toEqual([1])
    levels.slice(1).forEach((level, index) => expect(level - levels[index]!).toBeLessThanOrEqual(1))
    for (const [drawing] of page.matchAll(/<svg[^>]*>/g))
      expect(drawing).toMatch(/aria-hidden="true"|role="img"/)
    for (const [, ids] of page.matchAll(/aria-labelledby="([^"]*)"/g))
      for (const id of ids!.split(' ')) expect(page).toContain(`id="${id}"`)
    for (const [table] of page.matchAll(/<table[^>]*>.*?<\/table>/gs))
      expect(table).toMatch(/<th scope="(?:col|row)"/)
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map((match) => match[1])
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('highlights settings that change what an answer or a rule means', async () => {
    const changed = { outcomes: { 503: 'turned_away' }, rules: { IBAN_NATIONAL_CHECK: 'off' } } as const
    const usual = runOf({ settings: { concurrency: 8, outcomes: {}, rules: {} } })
    const runs = [usual, runOf({ id: 2, settings: changed })]
    const text = await shown({ ...IN_DOUBT, runs })
    expect(text).toContain('settings changed Runs that read answers or rules differently from the default: 1')
    expect(text).toContain('settings changed 503: turned_away IBAN_NATIONAL_CHECK: warning → off')
    expect(text).toContain('concurrency: 8')
  })

  it('caps its lists and says where the rest is', async () => {
    const rows = many(51, (id) => rowOf(id, { state: 'in_doubt', lastAttempt: attemptOf() }))
    const value = { rows, decisions: many(51, (id) => decisionOf({ id })) }
    expect((await pageOf(value)).match(/class="case"/g)).toHaveLength(50)
    for (const file of ['to-do/in-doubt.csv', 'decisions.csv'])
      expect(await shown(value)).toContain(`Shown: 50 of 51. All are in ${file}.`)
  })

  it.each([
    [{ proposals: 2 }, 'Read back as absent for long enough: 2.'],
    [{ changedWhileReading: true }, 'The migration ledger changed while this report was written'],
  ])('says where %j, and not otherwise', async (change, words) => {
    expect(await shown(IN_DOUBT, change)).toContain(words)
    expect(await shown(IN_DOUBT)).not.toContain(words.slice(0, 34))
  })

  it('draws every state that has rows, however few they are', async () => {
    const totals = { ...(await factsOf(IN_DOUBT)).totals, read: 1_000_003, registered: 1_000_000 }
    const page = await pageOf(IN_DOUBT, { totals })
    const bar = /aria-labelledby="state-bar-title.*?<\/defs>(.*?)<\/svg>/s.exec(page)?.[1] ?? ''
    const widths = [...bar.matchAll(/ width="([\d.]+)"/g)].map((match) => Number(match[1]))
    expect(widths).toHaveLength(4)
    expect(Math.min(...widths)).toBeGreaterThanOrEqual(5)
    expect(widths.reduce((sum, width) => sum + width, 0)).toBeCloseTo(700, 0)
  })

  it('counts every outcome of a run', async () => {
    const page = await shown({ runs: [runOf({ attempts: ATTEMPTS })] })
    const requests = /exit:? \d+\. ([^.]*)\./i.exec(page)?.[1] ?? ''
    expect(Object.values(ATTEMPTS).filter((count) => !requests.includes(String(count)))).toEqual([])
  })

  it('carries ledger and page number where it is printed', async () => {
    const page = await pageOf(DONE)
    expect(page).toContain('"Migration ledger 7f3b7c1e, as of 15 June 2026 12:00:00 (UTC)"')
    expect(page).toContain('"Page " counter(page) " of " counter(pages)')
  })

  it('says of a run without an end that it was killed, once a later one is there or somebody found it so', async () => {
    const endless = runOf({ endedAt: null })
    const ended = (...runs: ReturnType<typeof runOf>[]) => shown({ ...DONE, runs })
    expect(await ended(endless, runOf({ id: 2 }))).toContain('Killed: it ended without a word.')
    expect(await ended({ ...endless, stoppedBy: 'ended_without_notice' })).toContain('Killed:')
    expect(await ended(endless)).toContain('Going on, or ended without a word.')
  })
})

describe('settings as text', () => {
  it('are one line each, names as words, parts in brackets, what is not set or switched off left out', () => {
    const reading = {
      delimiter: { delimiter: '\t', by: 'header line' },
      headerLine: 1,
      columns: { signed_date: 'Mandatsdatum' },
      crosswalk: null,
      transforms: {},
      exclude: [{ column: 'Status', equals: ['gekündigt', 'inaktiv'] }],
      freshConnections: false,
      stopAtCanaryDoubt: true,
    }
    expect(settingLines(Object.entries(reading))).toEqual([
      'delimiter (delimiter: "<U+0009>", by: header line)',
      'header line: 1',
      'columns (signed_date: Mandatsdatum)',
      'exclude (column: Status, equals (gekündigt, inaktiv))',
      'stop where the very first row gets no answer: yes',
    ])
  })

  it('show a number, a truth value and hostile text as what they are', () => {
    expect(settingLines([['sheet', undefined]])).toEqual([])
    expect([8, true, 'a\u202Eb', ''].map(settingText)).toEqual(['8', 'yes', '"a<U+202E>b"', '""'])
  })
})

describe('plans and approvals', () => {
  const plan = plannedOf()
  const [approval] = plan.approvals as [ReturnType<typeof approvalOf>]

  it('say who planned, who approved and which runs went under it', async () => {
    const attempts = { ...runOf().attempts, registered: 1 }
    const runs = [runOf({ attempts, settings: { plan: plan.digest } }), runOf({ id: 2, attempts })]
    expectInOrder(await shown({ plans: [plan], runs }), [
      'Runs that sent rows under no plan: 2.',
      `${plan.digest.slice(0, 12)} 15 June 2026 08:00:00, Ada (ada) 3`,
      `15 June 2026 09:00:00, Grace (ada); Expires: 18 June 2026 09:00:00; proven for this key`,
    ])
  })

  it('say on the first page how many rows left under which of them, and how many under none', async () => {
    const approvals = [approval, approvalOf({ id: 2, approvedBy: 'Linus', ...MAILED })]
    const sentByApproval = [null, 1, 2].map((id, at) => ({ approval: id, rows: [364, 9, 5][at]! }))
    const firstOf = async (...of: Parameters<typeof shown>): Promise<string> =>
      (await shown(...of)).split('Prepared')[0] ?? ''
    const first = await firstOf({ plans: [{ ...plan, approvals }] }, { sentByApproval })
    expectInOrder(first, [
      `Approved by Grace, 15 June 2026 09:00; Rows: 9; proven for this key, never for this person: ${approval.key!}`,
      'Approved by Linus, 15 June 2026 09:00; Rows: 5; recorded, not proven: mail of DE…3000',
      'Sent under no approval Rows: 364',
    ])
    const full = many(5, (id) => ({ approval: id, rows: 1 }))
    const plans = [{ ...plan, approvals: many(5, (id) => ({ ...approval, id })) }]
    expect(await firstOf({ plans }, { sentByApproval: full })).toMatch(/Approved by others \(2\)/)
  })
})

const DUTCH = registeredRow(2, { originalCreditorIdentifier: 'NL97ZZZ123456780001' })
const VALUE: LedgerValue = {
  rows: [registeredRow(1), DUTCH, rowOf(3, { state: 'refused' }), rowOf(4)],
  runs: [runOf(), runOf({ id: 2, startedAs: 'olga' }), runOf({ id: 3, startedAs: null })],
  decisions: [decisionOf(), decisionOf({ id: 2, rowId: 2, by: 'B. <b>Second</b>' })],
}

describe('the cover', () => {
  /** What stands before the annex. */
  const coverOf = async (change: Partial<ReportFacts> = {}, value = VALUE): Promise<string> =>
    textOf((await pageOf(value, change)).split('class="annex"')[0] ?? '')

  it('has the verdict, five figures that add up, and signature lines', async () => {
    const cover = await coverOf()
    expect(cover).toContain('Balanced, open points: 2')
    const figures = 'Mandates 4 100.0 % Registered 2 50.0 % In doubt 0 0.0 % Refused 1 25.0 % Not sent 1 '
    expect(cover).toContain(figures)
    for (const role of ['Prepared by', 'Checked by', 'Approved by'])
      expect(cover).toContain(`${role} Name, function Date, signature`)
    // What was made from the ledger is behind it.
    for (const words of ['Control totals', 'User at the service', 'Hash totals'])
      expect(cover).not.toContain(words)
  })

  it('counts what was written off for itself, since a request of it may have left', async () => {
    const rows = [rowOf(1, { state: 'written_off' }), rowOf(2, { state: 'ready' })]
    const cover = await coverOf({}, { rows })
    expect(cover).toContain('Refused 0 0.0 % Written off 1 50.0 % Not sent 1 50.0 %')
    expect(cover).toContain(`Not sent Reason Mandates Ready ${ENGLISH.say('meaning.ready')} 1`)
    expect(cover.match(/Written off/g)).toHaveLength(1)
  })

  it('says from whom to whom, who ran and who decided', async () => {
    const cover = await coverOf()
    const creditors = 'from DE98ZZZ09999999999 (1), NL97ZZZ123456780001 (1) and go to SE97ZZZ5560000001 (2)'
    expect(cover).toContain(creditors)
    expect(cover).toContain('Run by nora, olga, Runs: 3, 15 June 2026 10:00 – 15 June 2026 10:03')
    expect(cover).toContain('A. Reviewer (1), B. &lt;b&gt;Second&lt;/b&gt; (1)')
  })

  it('counts the resends that were forced', async () => {
    const forced = { decision: 'resend', evidence: 'forced, 3 minutes after the attempt' }
    const decisions = many(3, (id) => decisionOf({ id, ...(id === 1 ? {} : forced) }))
    expect(await coverOf({}, { ...VALUE, decisions })).toContain('within 15 minutes of the attempt: 2')
    expect(await coverOf()).not.toContain('forced')
  })

  it('stays short, however many creditors and people there are', async () => {
    const counts = { values: many(40, (n) => ({ value: `value-${n}`, count: 2 })), others: 5 }
    const cover = await coverOf({ creditors: { previous: counts, assigned: counts }, resolvedBy: counts })
    expect(cover.match(/value-4 \(2\), others \(77\)/g)).toHaveLength(3)
    expect(cover).not.toContain('value-5')
  })

  const told = { company: 'Example <AG>', from: 'Old Pay' }
  const ofMarch = { source: null, names: 'march.csv', read: { records: 4, customerNoSum: '4010' } }

  it.each([
    [null, 'former provider were supplied, so the 4 records were not compared with anything.', 0],
    [{ records: 4, customerNoSum: null }, '(march.csv, Records read: 4) agree with the records read (4).', 0],
    [{ records: 4, customerNoSum: '4010' }, ' read: 4, Sum of customer_no: 4010) agree with', 0],
    [{ records: 5, customerNoSum: null }, 'Records read: 5) DIFFER from the records read (4).', 1],
    [{ records: 4, customerNoSum: '4011' }, 'Sum of customer_no: 4011) DIFFER from', 1],
  ])('compares the records with %j', async (expected, sentence, unexpected) => {
    const given = expected === null ? [] : [{ ...ofMarch, ...expected }]
    const cover = await coverOf({ told, expected: given, open: { ...NO_CUT_OVER, unexpected } })
    const names = 'Example &lt;AG&gt;, former provider: Old Pay; to billing.example'
    for (const words of [sentence, `open points: ${2 + unexpected}`, names, 'and the open points above'])
      expect(cover).toContain(words)
    expect(await coverOf({}, { ...DONE, runs: [runOf()] })).not.toContain('open points')
  })

  it('says why rows were not sent, each reason with its count, and how many others there are', async () => {
    const rules = ['IBAN_CHECKSUM', 'IBAN_CHECKSUM', 'IBAN_MASKED', 'B', 'C', 'D']
    const rows = rules.map((rule, at) => rowOf(at + 1, { state: 'invalid', rule }))
    const waiting = [7, 8].map((id) => rowOf(id, { state: 'ready' }))
    const text = await coverOf({}, { rows: [...rows, ...waiting] })
    const [invalid, ready] = ['A value is missing or wrong.', ENGLISH.say('meaning.ready')]
    expect(text).toContain(`Ready ${ready} 2 Invalid The IBAN has a typing error. IBAN_CHECKSUM 2`)
    // Of a state without a rule, and of a rule of another version, what the state means.
    expect(text).toContain(`2 Invalid ${invalid} B 1 Invalid ${invalid} C 1 others (2) 2`)
  })

  it('counts corrections', async () => {
    expect(await coverOf({ corrections: { total: 3, first: [] } })).toContain('Corrected rows: 3')
  })

  it.each(LANGUAGES)('shows times in the zone of the campaign, as %s writes a date', async (language) => {
    const page = textOf(await renderPage(await factsOf(VALUE), textsIn(language, 'Europe/Stockholm')))
    const SLASHES = '15/06/2026'
    const south = { fr: SLASHES, it: SLASHES, es: SLASHES }
    const written = { en: '15 June 2026', de: '15.06.2026', sv: '2026-06-15', ...south }
    expect(page).toContain(`${written[language]} 14:00:00 (Europe/Stockholm)`)
    expect(textsIn(language, 'Nowhere/Land').moment('2026-06-15T12:00:00.000Z')).toMatch(/12:00:00 \(UTC\)$/)
  })
})

describe('a rehearsal', () => {
  async function sentTo(baseUrl: string | null, testHost?: string): Promise<ReportFacts> {
    const runs = [runOf({ settings: testHost === undefined ? {} : { testHost } })]
    const facts = await factsOf({ ...VALUE, runs })
    return { ...facts, campaign: { ...facts.campaign, baseUrl } }
  }

  it.each([
    ['http://127.0.0.1:4000/', undefined, 'on this computer'],
    ['http://localhost/', undefined, 'on this computer'],
    ['https://test.example/', 'test.example', 'test.example to be a test environment'],
    ['https://test.example:8443/', 'test.example:8443', 'test.example:8443 to be a test environment'],
  ])('is what went to %s, declared as %s', async (baseUrl, testHost, words) => {
    const facts = await sentTo(baseUrl, testHost)
    expect(rehearsalText(facts, ENGLISH)).toContain(words)
    const page = await renderPage(facts)
    expect(textOf(page)).toContain('REHEARSAL')
    expect(page).toContain('@top-center { content: "REHEARSAL"')
  })

  it('is none once a run sent without that declaration, whatever an earlier one said', async () => {
    const facts = await sentTo('https://billing.example/', 'billing.example')
    const [declared] = facts.runs as [ReturnType<typeof runOf>]
    const sent = runOf({ id: 2 })
    const attempts = { ...sent.attempts, registered: 0 }
    const isOne = (...runs: ReportFacts['runs']): boolean =>
      rehearsalText({ ...facts, runs }, ENGLISH) !== null
    expect(isOne(declared, sent)).toBe(false)
    expect(isOne(declared, { ...sent, attempts })).toBe(true)
    expect(isOne({ ...declared, attempts })).toBe(false)
  })

  it.each([
    ['https://billing.example/', 'test.example', 'billing.example'],
    ['https://127.0.0.1.example/', undefined, '127.0.0.1.example'],
    [null, undefined, 'no service yet'],
  ])('is not what went to %s, declared as %s', async (baseUrl, testHost, host) => {
    const facts = await sentTo(baseUrl, testHost)
    expect([rehearsalText(facts, ENGLISH), hostOf(facts, ENGLISH)]).toEqual([null, host])
    expect(await renderPage(facts)).not.toContain('REHEARSAL')
  })
})

describe('the proof at the service', () => {
  const registered = (count: number, change: LedgerValue = {}) =>
    factsOf({ rows: many(count, registeredRow), ...change })
  const absent = { verdict: 'absent', sources: [] } as const

  it('names what is contradicted before every other open point, with what may be cancelled', async () => {
    const sources = [keptSource('ps-3', { reference: 'NEW-3' }), keptSource('<ps>', { reference: 'X' })]
    const facts = await registered(4, {
      rows: [...many(3, registeredRow), rowOf(4, { state: 'refused' })],
      verified: [
        verifiedRow(1, { verdict: 'unreadable', why: `said ${IBAN}`, sources: [] }),
        verifiedRow(2, absent),
        verifiedRow(3, { verdict: 'twice', sources, cancellable: ['<ps>'] }),
      ],
    })
    const html = await renderPage(facts)
    expect(html).not.toContain('<ps>')
    expect(html).not.toContain(IBAN)
    expectInOrder(textOf(html), [
      'Balanced, open points: 2',
      'Registered, but missing, twice or different at the service: 2',
      'Refused by the service: 1',
      'Proof at the service Proven at the service: 0 of 3 registered mandates; missing: 1; twice: 1; unreadable: 1;',
      'missing 1002',
      'twice 1003',
      'a person may cancel &lt;ps&gt;.',
      'unreadable 1001',
      'In doubt: 0',
    ])
  })

  it('names what could not be compared as not proven, which is no open point of a service without a read-back', async () => {
    const verified = [verifiedRow(1, { verdict: 'unreadable', why: 'The service answered 404', sources: [] })]
    const page = textOf(await renderPage(await registered(1, { verified })))
    expect(page).toContain('Balanced, nothing is open')
    expect(page).toContain('It could not be compared, so it is not proven: The service answered 404.')
    const proof = /Proven at the service: 0 of 1 registered mandates; unreadable: 1; not asked: 0\./g
    expect(page.match(proof)).toHaveLength(2)
  })

  it.each<[number, LedgerValue, string]>([
    [3, { sample: 1 }, '; not asked: 2. What was asked last is a sample, drawn at random: 1.'],
    [3, {}, '; not asked: 2.'],
    [1, { sample: 1 }, '; not asked: 0.'],
  ])('says of %i rows that %j was asked, and only while somebody was not', async (count, sample, end) => {
    const facts = await registered(count, { verified: [verifiedRow(1)], ...sample })
    expect(proofText(facts, ENGLISH).slice(-end.length)).toBe(end)
  })
})
