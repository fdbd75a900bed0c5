import { describe, expect, it } from 'vitest'
import { totalsOf } from '../../../src/domain/row/row-state.js'
import {
  addRow,
  type Entries,
  hashTotalsOf,
  noSums,
  tallyValues,
  walkVerification,
} from '../../../src/report/facts/facts.js'
import {
  attemptOf,
  decisionOf,
  factsOf,
  many,
  problemOf,
  readerOf,
  registeredRow,
  rowOf,
  sourceOf,
  verifiedRow,
  type LedgerValue,
} from '../ledger-value.js'

/** A list that hands on what it takes. */
const handing = <Name extends keyof Entries>(
  add: (entry: Entries[Name]) => void,
  drain = () => Promise.resolve(),
) => ({ add, drain })

describe('one walk over the ledger', () => {
  it('leaves the rows of a source that a run admits meanwhile for the next report', async () => {
    const sources = [sourceOf({ records: 1 })]
    const facts = await factsOf({ rows: [rowOf(1), rowOf(2, { sourceId: 2, countedIn: 2 })], sources })
    expect(facts.totals).toMatchObject({ read: 1, ready: 1 })
    expect(facts.balanced).toBe(true)
  })

  it('a correction counts in the source of the row it corrects', async () => {
    const sources = [sourceOf({ records: 1 }), sourceOf({ id: 2, records: 1, resubmitted: 1 })]
    const replaced = rowOf(1, { state: 'superseded', supersededBy: 2, countedIn: null })
    const rows = [replaced, rowOf(2, { sourceId: 2, corrects: 1, countedIn: 1 })]
    const facts = await factsOf({ rows, sources })
    expect(facts.totals).toMatchObject({ read: 1, resubmitted: 1, ready: 1, superseded: 0 })
    expect(facts.sources.map(({ totals }) => totals.ready)).toEqual([1, 0])
    expect(facts.balanced).toBe(true)
  })

  it('is not balanced where one source lost a row and another has one too many', async () => {
    const sources = [sourceOf({ records: 2 }), sourceOf({ id: 2, records: 0 })]
    const facts = await factsOf({ rows: [rowOf(1), rowOf(2, { sourceId: 2, countedIn: 2 })], sources })
    expect(facts.totals).toMatchObject({ read: 2, ready: 2 })
    expect(facts.balanced).toBe(false)
  })

  it('keeps no cell of a row in doubt, and of many the first 50', async () => {
    const lastAttempt = attemptOf({ answer: '{"status":"maybe"}' })
    const rows = many(60, (id) => rowOf(id, { state: 'in_doubt', lastAttempt }))
    const { parts, inDoubt } = await factsOf({ rows })
    expect(inDoubt.first[0]?.row).toMatchObject({ cells: null, lastAttempt })
    const { total, first } = inDoubt
    expect([parts.inDoubt, total, first.length, first.at(-1)?.row.id]).toEqual([60, 60, 50, 50])
  })

  it('explains a row by the latest decision on it; a repeated refusal explains nothing', async () => {
    const decisions = [
      decisionOf({ attemptId: null, reason: 'the first' }),
      decisionOf({ id: 2, attemptId: null, reason: 'the second' }),
      decisionOf({ id: 3, attemptId: null, decision: 'retry_refused', reason: 'run --retry-refused' }),
    ]
    const messages: string[] = []
    const closed = handing<'closed'>(({ explanation }) => void messages.push(explanation.message))
    const value = { rows: [rowOf(1, { state: 'written_off' })], decisions }
    const facts = await factsOf(value, { files: [{ closed }] })
    expect(messages).toEqual([expect.stringContaining('the second')])
    expect(facts.decisions.total).toBe(3)
  })

  it('hands every row and problem to the files, page by page', async () => {
    const rows = many(3_000, (id) => (id % 7 === 4 ? rowOf(id, { state: 'refused' }) : registeredRow(id)))
    const seen: unknown[] = []
    const take = (entry: unknown): void => void seen.push(entry)
    const sizes = new Set<number>()
    const drain = () => Promise.resolve(void sizes.add(seen.length))
    const problems = [problemOf(), problemOf({ id: 2 })]
    const list = handing(take, drain)
    await factsOf({ rows, problems }, { files: [{ registered: list, refused: list, problems: list }] })
    expect(new Set(seen).size).toBe(3_002)
    expect(sizes.size).toBeGreaterThan(2)
  })

  it('hands each row in doubt over with what was shown of it, and counts the proposals', async () => {
    const SENT = '2026-06-15T10:00:00.000Z'
    const asked = { firstAskedAt: SENT, firstAnsweredAt: SENT, lastAskedAt: '2026-06-16T12:00:00.000Z' }
    const nothing = { kind: 'nothing', ...asked, questions: 2, present: 3 } as const
    const doubt = { wasEverShown: false, begunFor: 'this', sentAt: SENT } as const
    const states = ['ready', 'in_doubt', 'sending', 'in_doubt', 'in_doubt', 'refused', 'in_doubt'] as const
    const value: LedgerValue = {
      rows: states.map((state, at) => rowOf(at + 1, { state })),
      shown: [
        { rowId: 2, ...doubt, shown: nothing },
        { rowId: 4, ...doubt, shown: { kind: 'something', verdict: 'other' } },
        { rowId: 6, ...doubt, shown: nothing }, // decided while the report was written
        { rowId: 7, ...doubt, shown: { ...nothing, present: 0 } },
      ],
    }
    const handed: unknown[] = []
    const list = handing<'inDoubt'>(({ absence }) => void handed.push(absence?.kind ?? null))
    const facts = await factsOf(value, { files: [{ notSent: list, inDoubt: list, refused: list }] })
    expect(handed).toEqual([null, 'resend', null, 'something', null, null, 'nothing_present'])
    expect(facts.proposals).toBe(1)
    expect((await factsOf(value, { absentAfterMs: 48 * 60 * 60_000 })).proposals).toBe(0)
  })

  it('ends at once when it is told to', async () => {
    const ended = factsOf({ rows: [rowOf(1)] }, { signal: AbortSignal.abort() })
    await expect(ended).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('the walk over what was read back', () => {
  async function walkBack(value: LedgerValue, signal?: AbortSignal) {
    const handed: number[] = []
    const drained: number[] = []
    const drain = () => Promise.resolve(void drained.push(handed.length))
    const verified = handing<'verified'>(({ id }) => void handed.push(id), drain)
    const totals = totalsOf(10, new Map([['registered', 10]]))
    const terms = { files: [{ verified }], signal }
    const facts = await walkVerification(readerOf(value), totals, terms)
    return { facts, handed, drained }
  }

  it('hands over what is missing, twice, different and unreadable before what is proven', async () => {
    const verdicts = ['proven', 'unreadable', 'other', 'twice', 'absent', 'proven', 'absent'] as const
    const verified = verdicts.map((verdict, at) => verifiedRow(at + 1, { verdict }))
    const { facts, handed } = await walkBack({ verified, sample: 7 })
    expect(handed).toEqual([5, 7, 4, 3, 2, 1, 6])
    expect(facts).toMatchObject({ registered: 10, missing: 2, proven: 2, notAsked: 3, sample: 7 })
    expect(facts?.unproven.total).toBe(5)
    expect(facts?.unproven.first.map(({ id }) => id)).toEqual([5, 7, 4, 3, 2])
  })

  it('drains after every page, and ends where it is told to', async () => {
    const verified = many(600, verifiedRow)
    expect((await walkBack({ verified })).drained).toEqual([250, 500, 600])
    await expect(walkBack({ verified }, AbortSignal.abort())).rejects.toThrow('abort')
  })
})

it('values are counted, the most frequent first; so many different ones are kept, the others counted together', () => {
  const tallied = (most: number, texts: string) => {
    const tally = tallyValues(most)
    for (const value of texts) tally.add(value)
    const { values, others } = tally.result()
    return [...values.map(({ value, count }) => `${value}${count}`), others]
  }
  expect(tallied(10, 'bacc')).toEqual(['c2', 'a1', 'b1', 0])
  expect(tallied(2, 'abcda')).toEqual(['a2', 'b1', 2])
})

describe('hash totals', () => {
  const sumOf = (rows: readonly ReturnType<typeof rowOf>[]) => {
    const sums = noSums()
    for (const row of rows) addRow(sums, row)
    return sums
  }
  const hashesOf = (...rows: ReturnType<typeof rowOf>[]) => hashTotalsOf(sumOf(rows))

  it('of parts, in any order, add up to that of the whole', () => {
    const rows = many(60, registeredRow)
    const parts = [rows.slice(21), rows.slice(0, 20), [], rows.slice(20, 21)].map(sumOf)
    expect(hashTotalsOf(...parts)).toEqual(hashesOf(...rows))
  })

  it('show a row that is there twice in place of another', () => {
    const [whole, doubled] = [hashesOf(rowOf(1), rowOf(2)), hashesOf(rowOf(2), rowOf(2))]
    expect(doubled.rows).toBe(whole.rows)
    expect(doubled.customerNoSum).not.toBe(whole.customerNoSum)
  })

  it('count rows whose values cannot be read as rows, and nowhere else', () => {
    const none = { customerNoRows: 0, customerNoSum: '0' }
    expect(hashesOf(rowOf(1, { customerNo: null }))).toMatchObject({ rows: 1, ...none })
  })

  it('stay exact for more customers than a number of JavaScript holds', () => {
    const large = rowOf(1, { customerNo: Number.MAX_SAFE_INTEGER })
    expect(hashesOf(large, large, large).customerNoSum).toBe('27021597764222973')
  })
})
