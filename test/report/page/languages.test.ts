import { beforeAll, describe, expect, it } from 'vitest'
import { ROW_STATES } from '../../../src/domain/row/row-state.js'
import { totalsOf } from '../../../src/domain/row/totals.js'
import type { ReportFacts } from '../../../src/report/facts/facts.js'
import { renderPage } from '../../../src/report/page/page.js'
import { en } from '../../../src/report/text/en.js'
import { type Language, LANGUAGES, textsOf } from '../../../src/report/text/language.js'
import { planOf } from '../../ledger/plan/plan-document.js'
import { factsOf } from '../facts-value.js'
import {
  attemptOf,
  decisionOf,
  keptSource,
  NO_RECORDS,
  registeredRow,
  rowOf,
  runOf,
  sourceOf,
  verifiedRow,
  type LedgerValue,
} from '../ledger-value.js'
import { type Leaf, leavesOf } from '../text/leaves.js'

const doubtful = attemptOf({ outcome: 'in_doubt', hint: 'may_exist', reason: 'R', answer: 'A'.repeat(700) })
const { resubmitted: _, ...TWO_READY } = totalsOf(2, new Map([['ready', 2]]))
const approval = {
  id: 1,
  approvedAt: '2026-06-15T09:00:00.000Z',
  approvedBy: 'Grace',
  approvedAs: 'grace',
  reason: 'x',
  isSamePerson: true,
  expiresAt: '2026-06-18T09:00:00.000Z',
  evidence: null,
}
const { digest, ...document } = planOf()
const plan = {
  ...document,
  id: 1,
  digest,
  lastDecision: 0,
  document: planOf(),
  text: '',
  approvals: [approval],
}
const sent = { registered: 1_234, refused: 2, in_doubt: 3, turned_away: 4, not_sent: 5, open: 6 }

const nameless = { ...keptSource('a', { reference: 'NEW-102' }), id: null }

/** Something of everything that a page can show. */
const FULL: LedgerValue = {
  ...NO_RECORDS,
  sources: [sourceOf({ records: 60, resubmitted: 1, reading: { resultFile: true, headerLine: 1 } })],
  rows: [
    ...[...ROW_STATES, ...ROW_STATES].map((state, at) =>
      state === 'registered'
        ? registeredRow(at + 1, { latestFirstDebit: '2027-01-01' })
        : rowOf(at + 1, { state, lastAttempt: state === 'in_doubt' ? doubtful : null }),
    ),
    rowOf(30, { state: 'in_doubt', lastAttempt: attemptOf({ outcome: 'in_doubt', started: false }) }),
    rowOf(31, {
      state: 'in_doubt',
      customerNo: null,
      lastAttempt: attemptOf({ outcome: 'in_doubt', hint: 'probably_registered', message: 'M' }),
      formerDoubt: { rowId: 30, startedAt: '2026-06-15T10:00:00.000Z', requestId: 'q', started: null },
    }),
    rowOf(32, { corrects: 1, countedIn: null, state: 'conflict' }),
    ...Array.from({ length: 60 }, (__, at) => rowOf(at + 40, { state: 'in_doubt', lastAttempt: doubtful })),
  ],
  decisions: Array.from({ length: 60 }, (__, at) =>
    decisionOf({
      id: at + 1,
      rowId: 3,
      decision: ['written_off', 'resend', 'retry_refused'][at % 3] ?? '',
      by: `P${at}`,
    }),
  ),
  runs: [
    runOf({ endedAt: null, attempts: sent, settings: { maxDurationMs: 5, rules: { UMR_SPACE: 'off' } } }),
    runOf({ id: 2, settings: { outcomes: { 503: 'turned_away' }, stopAtCanaryDoubt: true, plan: digest } }),
    runOf({ id: 3, exitCode: null, attempts: sent }),
    runOf({ id: 4, endedAt: null }),
    runOf({ id: 5, stoppedBy: 'signal' }),
  ],
  plans: [plan, { ...plan, id: 2, digest: 'e'.repeat(64), approvals: [] }],
  waves: {
    totals: totalsOf(2, new Map([['ready', 2]])),
    waves: [
      { name: 'W', position: 1, isHeld: true, filter: { country: ['AT'] }, totals: TWO_READY },
      { name: 'V', position: null, isHeld: false, filter: {}, totals: TWO_READY },
    ],
  },
  verified: [
    verifiedRow(8),
    verifiedRow(101, { verdict: 'absent', sources: [] }),
    verifiedRow(102, { verdict: 'twice', cancellable: ['b'], sources: [nameless] }),
    verifiedRow(103, { verdict: 'twice', sources: [keptSource('a'), keptSource('b')] }),
    verifiedRow(104, { verdict: 'other' }),
    verifiedRow(105, { verdict: 'other', why: 'ended' }),
    verifiedRow(106, { verdict: 'other', why: 'ambiguous' }),
    verifiedRow(107, { verdict: 'other', sources: [] }),
    verifiedRow(108, { verdict: 'unreadable' }),
  ],
  sample: 7,
}

const notice = {
  madeAt: '2026-06-15T09:00:00.000Z',
  madeBy: 'N',
  madeAs: null,
  version: '0.1.0',
  firstDebit: '2026-07-01',
  file: 'n.csv',
  sha256: 'f'.repeat(64),
  bytes: 12,
  rows: 1_234,
}

/** What a value of a ledger cannot give. */
const MORE: Partial<ReportFacts> = {
  changedWhileReading: true,
  proposals: 2,
  notices: [notice],
  problemCounts: (Object.keys(en.rules) as (keyof typeof en.rules)[]).map((rule, at) => ({
    rule,
    severity: at % 2 === 0 ? ('error' as const) : ('warning' as const),
    count: 1_000 + at,
  })),
  refusalCounts: Array.from({ length: 30 }, (__, at) => ({
    status: at === 0 ? null : 422,
    serviceCode: null,
    field: at === 1 ? 'iban' : null,
    message: null,
    count: at + 1,
  })),
}

/** The page as a reader sees it: without tags and style, blanks folded but for those that group digits. */
const shown = (page: string): string =>
  page
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/[ \t\r\n]+/g, ' ')

/** Pages that show everything, nothing, something that does not add up, and where nothing is open. */
async function pagesIn(language: Language): Promise<string[]> {
  const texts = await textsOf(language)
  const render = async (value: LedgerValue, more: Partial<ReportFacts> = {}): Promise<string> =>
    renderPage({ ...(await factsOf(value, texts)), ...more }, texts)
  const done = { ...NO_RECORDS, sources: [sourceOf({ records: 1 })], rows: [registeredRow(1)] }
  const declared = runOf({ settings: { testHost: 'billing.example' } })
  const full = await factsOf(FULL, texts)
  const { totals, verification } = full
  const sampled = verification === null ? null : { ...verification, notAsked: 5 }
  const empty = await factsOf(NO_RECORDS, texts)
  const rehearsed = { ...empty.campaign, baseUrl: 'http://127.0.0.1:4000', purgedAt: notice.madeAt }
  return [
    await render(FULL, MORE),
    await render(FULL, {
      ...MORE,
      balanced: true,
      notTaken: 2,
      totals: { ...totals, read: 1_234_567, resubmitted: 3, ready: 9 },
      verification: sampled,
    }),
    await render(done, { plans: [plan, ...Array<typeof plan>(60).fill(plan)] }),
    await render(NO_RECORDS, { campaign: rehearsed }),
    await render(NO_RECORDS, { campaign: { ...rehearsed, baseUrl: null } }),
    await render({
      ...done,
      runs: [declared, { ...declared, id: 2, endedAt: null }],
    }),
  ]
}

const texts = new Map<Language, string[]>()
const pages = new Map<Language, string[]>()

beforeAll(async () => {
  for (const language of LANGUAGES) {
    pages.set(language, await pagesIn(language))
    texts.set(language, (pages.get(language) ?? []).map(shown))
  }
})

/** The parts of an English text that no value stands in. */
function fragmentsOf({ value }: Leaf): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'function') return []
  const say = value as (...values: string[]) => { toString: () => string }
  // As text each stands for itself; as a number it is none, and many.
  try {
    return say(...Array<string>(value.length).fill('\u0001'))
      .toString()
      .split('\u0001')
  } catch {
    return []
  }
}

const longFragments = (leaf: Leaf): string[] =>
  fragmentsOf(leaf)
    .map((text) => text.replace(/\s+/g, ' ').trim())
    .filter((text) => text.length > 12)

const ENGLISH = leavesOf(en).map((leaf) => ({ path: leaf.path, fragments: longFragments(leaf) }))

/** As far as it stands on it. */
const englishOn = (text: string): string[] =>
  ENGLISH.flatMap(({ fragments }) => fragments.filter((fragment) => text.includes(fragment)))

/** What other pages and the lists of the workbook show (`explanation.test.ts`, `workbook.test.ts`). */
const ELSEWHERE = /^(?:rules\..*\.remedy|explanation\..*|workbook\..*|stillNotSent|duration)$/

/** Every figure, as digits. */
const figuresOn = (text: string): string[] =>
  [...text.replace(/(?<=\d)[.,\u00A0\u202F](?=\d{3}(?!\d))/g, '').matchAll(/(?<!\p{L})\d+(?!\p{L})/gu)]
    .map(([digits]) => digits)
    .sort()

describe('the English pages', () => {
  it('show every text that is for a page, or the others could not be looked at', () => {
    const all = (texts.get('en') ?? []).join(' ')
    const missed = ENGLISH.filter(
      ({ path, fragments }) => !ELSEWHERE.test(path) && fragments.some((text) => !all.includes(text)),
    )
    expect(missed).toEqual([])
  })
})

describe.each(LANGUAGES.filter((language) => language !== 'en'))('the page in %s', (language) => {
  it('says so to a browser', () => {
    for (const page of pages.get(language) ?? []) expect(page).toContain(`<html lang="${language}">`)
  })

  it('holds no English text', () => {
    for (const text of texts.get(language) ?? []) expect(englishOn(text)).toEqual([])
  })

  it('holds the figures of the English one', () => {
    const english = texts.get('en') ?? []
    const other = texts.get(language) ?? []
    expect(other.map(figuresOn)).toEqual(english.map(figuresOn))
  })
})
