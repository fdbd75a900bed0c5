import { describe, expect, it } from 'vitest'
import { EDGES } from '../../../src/domain/row/row-state.js'
import type { ReportFacts } from '../../../src/report/facts/facts.js'
import { PACK_NAMES, TO_DO_FILES } from '../../../src/report/pack/pack.js'
import { renderPage } from '../../../src/report/page/page.js'
import { planOf } from '../../ledger/plan/plan-document.js'
import { factsOf } from '../facts-value.js'
import {
  attemptOf,
  decisionOf,
  IBAN,
  NO_RECORDS,
  registeredRow,
  rowOf,
  runOf,
  sourceOf,
  type LedgerValue,
} from '../ledger-value.js'
import type { RunTerms } from '../../../src/domain/row/choice.js'

/** As somebody else may write it into the ledger. */
const HOSTILE_TERMS = { '<u>': '<script>', outcomes: { '<u>': '<script>' } } as RunTerms

/** How the exchanges of a run ended, each with a count of its own; an outcome that is not shown would be missed. */
const ATTEMPTS = Object.fromEntries(
  [...Object.keys(EDGES.sending), 'open'].map((outcome, index) => [outcome, 41 + index]),
) as ReturnType<typeof runOf>['attempts']

const HOSTILE = `<script>alert("x")</script>\u001B[31mred\u202E ${IBAN} '"&`

/** The page as a reader sees it: without tags, entities decoded, blanks folded. */
const shown = (page: string): string =>
  page
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')

const pageOf = async (value: LedgerValue, change: Partial<ReportFacts> = {}): Promise<string> =>
  renderPage({ ...(await factsOf(value)), ...change })

const IN_DOUBT: LedgerValue = {
  ...NO_RECORDS,
  sources: [sourceOf({ records: 4 })],
  rows: [
    registeredRow(1),
    rowOf(2, {
      state: 'in_doubt',
      attempts: 1,
      lastAttempt: attemptOf({
        outcome: 'in_doubt',
        hint: 'probably_registered',
        status: 200,
        reason: 'The answer was cut off',
        answer: '{"status":"OK"',
      }),
    }),
    rowOf(3, { state: 'refused', attempts: 1, lastAttempt: attemptOf({ outcome: 'refused', status: 422 }) }),
    rowOf(4),
  ],
}

describe('the page', () => {
  it('opens with the verdict and the open points, the doubts first', async () => {
    const text = shown(await pageOf(IN_DOUBT))

    expect(text).toContain(
      'Balanced, open points: 3 Records read: 4, from sources: 1. Each record is in exactly one state.',
    )
    const points = [
      'In doubt, registered or not, nobody knows yet: 1',
      'Refused by the service: 1',
      'Ready and not registered yet, run again to continue: 1',
    ].map((point) => text.indexOf(point))
    expect(points.every((at) => at > 0)).toBe(true)
    expect([...points].sort((a, b) => a - b)).toEqual(points)
  })

  it('shows totals that add up before the eyes of the reader', async () => {
    expect(shown(await pageOf(IN_DOUBT))).toMatch(
      /Registered 1 25\.0 % registered\.csv .*Sum of all states 4 Records read 4 Difference 0/,
    )
  })

  it('warns where the totals do not balance, and shows by how much', async () => {
    const text = shown(await pageOf({ ...IN_DOUBT, rows: IN_DOUBT.rows.slice(1) }))

    expect(text).toContain('The control totals do NOT balance')
    expect(text).toContain('Do not sign')
    expect(text).toContain('Difference 1')
  })

  it('says that nothing is open when nothing is', async () => {
    const done = { ...NO_RECORDS, sources: [sourceOf({ records: 1 })], rows: [registeredRow(1)] }

    expect(shown(await pageOf(done))).toContain('Balanced, nothing is open')
    expect(shown(await pageOf(NO_RECORDS))).toContain('Balanced: no record was read yet')
  })

  it('lists a row in doubt with its evidence and since when it is open, which is true whenever the page is read', async () => {
    const text = shown(await pageOf(IN_DOUBT))

    expect(text).toContain('Row: 2, Customer: 1002 probably registered open since 15 June 2026 10:00:00')
    expect(text).toContain('The answer was cut off')
    expect(text).toContain('Answer HTTP 200')
    expect(text).toContain('Answer {"status":"OK"')
    expect(text).toContain('Last request b1c9d5f0-0000-4000-8000-000000000001')
  })

  it('shows nothing of a hostile text but its letters', async () => {
    const lastAttempt = attemptOf({
      outcome: 'in_doubt',
      status: 500,
      reason: HOSTILE,
      message: HOSTILE,
      serviceCode: HOSTILE,
      field: HOSTILE,
      answer: HOSTILE,
      errorCode: '<b>',
    })
    const page = await pageOf(
      {
        sources: [
          sourceOf({
            records: 2,
            name: HOSTILE.replace(IBAN, ''),
            reading: { words: { '<i>': { column: '<script>' } } },
          }),
        ],
        rows: [
          rowOf(1, {
            state: 'in_doubt',
            lastAttempt,
            source: '<script>',
            originalMandateReference: '<script>',
          }),
          rowOf(2, { state: 'refused', lastAttempt }),
        ],
        problems: [],
        decisions: [decisionOf({ by: '<script>', reason: HOSTILE, evidence: '<script>' })],
        runs: [runOf({ stoppedBy: HOSTILE, settings: HOSTILE_TERMS })],
        shown: [],
      },
      { refusalCounts: [{ status: 422, serviceCode: HOSTILE, field: HOSTILE, message: HOSTILE, count: 1 }] },
    )

    expect(page).not.toMatch(/<script|<b>|<i>|<u>/)
    expect(page).not.toMatch(/[\u001B\u202E]/)
    expect(page).not.toContain(IBAN)
    expect(shown(page)).toContain('<script>alert("x")</script>red DE…3000 \'"&')
  })

  it('needs no network and no script', async () => {
    const page = await pageOf(IN_DOUBT)

    expect(page).not.toMatch(/<(?:script|link|img|iframe|object|embed|base|form)\b/)
    expect(page).not.toMatch(/\bon\w+=|javascript:|@import|url\((?!#)/)
    expect([...page.matchAll(/(?:href|src)="([^"]*)"/g)].map((match) => match[1])).toSatisfy(
      (targets: string[]) =>
        targets.every(
          (target) =>
            target.startsWith('#') || [...PACK_NAMES, ...TO_DO_FILES].some((name) => name === target),
        ),
    )
    for (const target of page.matchAll(/href="#([^"]*)"/g)) expect(page).toContain(`id="${target[1]!}"`)
  })

  it('can be read by a screen reader: language, one main heading, headings in order, named drawings, table headers', async () => {
    const page = await pageOf({ ...IN_DOUBT, runs: [runOf()], decisions: [decisionOf()] })

    expect(page).toMatch(/^<!doctype html>\s*<html lang="en">/)
    const levels = [...page.matchAll(/<h([1-6])/g)].map((match) => Number(match[1]))
    expect(levels.filter((level) => level === 1)).toEqual([1])
    levels.slice(1).forEach((level, index) => expect(level - levels[index]!).toBeLessThanOrEqual(1))
    for (const [drawing] of page.matchAll(/<svg[^>]*>/g))
      expect(drawing).toMatch(/aria-hidden="true"|role="img"/)
    for (const [, ids] of page.matchAll(/aria-labelledby="([^"]*)"/g)) {
      for (const id of ids!.split(' ')) expect(page).toContain(`id="${id}"`)
    }
    for (const [table] of page.matchAll(/<table[^>]*>.*?<\/table>/gs))
      expect(table).toMatch(/<th scope="(?:col|row)"/)
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map((match) => match[1])
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('highlights settings that change what an answer or a rule means', async () => {
    const runs = [
      runOf({ settings: { concurrency: 8, outcomes: {}, rules: {} } }),
      runOf({ id: 2, settings: { outcomes: { 503: 'turned_away' }, rules: { IBAN_NATIONAL_CHECK: 'off' } } }),
    ]

    const text = shown(await pageOf({ ...IN_DOUBT, runs }))

    expect(text).toContain('settings changed Runs that read answers or rules differently from the default: 1')
    expect(text).toContain('settings changed 503: turned_away IBAN_NATIONAL_CHECK: warning → off')
    expect(text).toContain('concurrency: 8')
  })

  it('caps its lists and says where the rest is', async () => {
    const rows = Array.from({ length: 51 }, (_, index) =>
      rowOf(index + 1, { state: 'in_doubt', lastAttempt: attemptOf({ outcome: 'in_doubt' }) }),
    )

    const decisions = Array.from({ length: 51 }, (_, index) => decisionOf({ id: index + 1 }))

    const page = await pageOf({ ...NO_RECORDS, sources: [sourceOf({ records: 51 })], rows, decisions })

    expect(page.match(/class="case"/g)).toHaveLength(50)
    expect(shown(page)).toContain('Shown: 50 of 51. All are in to-do/in-doubt.csv.')
    expect(shown(page)).toContain('Shown: 50 of 51. All are in decisions.csv.')
  })

  it('says how many rows are proposed to be sent again', async () => {
    const told = 'to-do/in-doubt.csv proposes resend with the evidence, for a person to decide'
    expect(shown(await pageOf(IN_DOUBT, { proposals: 1 }))).toContain(
      'Read back as absent for long enough: 1.',
    )
    expect(shown(await pageOf(IN_DOUBT, { proposals: 2 }))).toContain(told)
    expect(shown(await pageOf(IN_DOUBT))).not.toContain('proposes')
  })

  it('says when a run was going on', async () => {
    expect(shown(await pageOf(IN_DOUBT, { changedWhileReading: true }))).toContain(
      'The migration ledger changed while this report was written',
    )
    expect(shown(await pageOf(IN_DOUBT))).not.toContain(
      'The migration ledger changed while this report was written',
    )
  })

  it('tells what registered does not mean', async () => {
    expect(shown(await pageOf(IN_DOUBT))).toContain(
      'It is not final. A mandate has moved only when its first payment is initiated with it.',
    )
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

  it('11.6 counts every outcome of a run', async () => {
    const page = shown(await pageOf({ ...NO_RECORDS, runs: [runOf({ attempts: ATTEMPTS })] }))
    const requests = /exit:? \d+\. ([^.]*)\./i.exec(page)?.[1] ?? ''
    expect(Object.values(ATTEMPTS).filter((count) => !requests.includes(String(count)))).toEqual([])
  })
})

describe('plans and approvals', () => {
  const approval = {
    id: 1,
    approvedAt: '2026-06-15T09:00:00.000Z',
    approvedBy: 'Grace',
    recordedAs: 'ada',
    expiresAt: '2026-06-18T09:00:00.000Z',
    reference: null,
    signature: 'x',
    key: 'ab'.repeat(32),
  }
  const document = planOf()
  const { digest, plannedAt, plannedBy, plannedAs } = document
  const plan = {
    id: 1,
    digest,
    plannedAt,
    plannedBy,
    plannedAs,
    lastDecision: 0,
    document,
    text: '',
    approvals: [approval],
  }
  const sent = { ...runOf().attempts, registered: 1 }

  it('say who planned, who approved and which runs went under it', async () => {
    const runs = [
      runOf({ id: 1, attempts: sent, settings: { plan: digest } }),
      runOf({ id: 2, attempts: sent }),
    ]
    const text = shown(await pageOf({ ...NO_RECORDS, plans: [plan], runs }))
    expect(text).toContain('Runs that sent rows under no plan: 2.')
    expect(text).toContain(`${digest.slice(0, 12)} 15 June 2026 08:00:00, Ada (ada) 3`)
    expect(text).toContain(
      `15 June 2026 09:00:00, Grace (ada); Expires: 18 June 2026 09:00:00; proven for this key, never for this person: ${approval.key}`,
    )
  })

  it('say on the first page how many rows left under which of them, and how many under none', async () => {
    const mail = {
      ...approval,
      id: 2,
      approvedBy: 'Linus',
      key: null,
      signature: null,
      reference: `mail of ${IBAN}`,
    }
    const sentByApproval = [
      { approval: null, rows: 364 },
      { approval: 1, rows: 9 },
      { approval: 2, rows: 5 },
    ]
    const value = { ...NO_RECORDS, plans: [{ ...plan, approvals: [approval, mail] }], sentByApproval }
    const [first = ''] = shown(await pageOf(value)).split('Prepared')
    expect(first).toContain(
      `Approved by Grace, 15 June 2026 09:00; Rows: 9; proven for this key, never for this person: ${approval.key}`,
    )
    expect(first).toContain(
      'Approved by Linus, 15 June 2026 09:00; Rows: 5; recorded, not proven: mail of DE…3000',
    )
    expect(first).toContain('Sent under no approval Rows: 364')
    const many = [1, 2, 3, 4, 5].map((id) => ({ ...approval, id }))
    const full = await pageOf({
      ...value,
      plans: [{ ...plan, approvals: many }],
      sentByApproval: many.map(({ id }) => ({ approval: id, rows: 1 })),
    })
    expect(shown(full).split('Prepared')[0]).toMatch(/Approved by others \(2\)/)
  })

  it('are no section where nobody planned', async () => {
    expect(await pageOf(NO_RECORDS)).not.toContain('id="plans"')
  })
})
