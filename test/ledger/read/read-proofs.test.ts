import { describe, expect, it } from 'vitest'
import type { ReadBackEvidence, KeptSource, VerdictKind } from '../../../src/domain/proof/match-sources.js'
import type { HeardAnswer } from '../../../src/ledger/ledger.js'
import type { Ledger } from '../../../src/ledger/file/writer.js'
import { absences } from '../../../src/ledger/read/read-proofs.js'
import {
  decide,
  played,
  readyRow,
  runningAt,
  send,
  SETTINGS,
  stoppedClock,
  begin,
  compareWith,
} from '../campaign-setup.js'
import { inDoubt, registered } from '../outcomes.js'
import { mandates, OTHER_IBAN, type Values } from '../records.js'
import { listed, readBack, startReadBack } from '../heard-answer.js'

const HOUR = 60 * 60_000
const DAY = 24 * HOUR
const NOW = '2026-06-15T10:00:00.000Z'
const BEFORE = '2026-06-15T09:00:00.000Z'
const AFTER = '2026-06-15T11:00:00.000Z'

interface Answered {
  readonly row: number
  readonly verdict: VerdictKind
  readonly sources?: readonly KeptSource[]
  readonly askedAt?: string
  readonly answeredAt?: string
  readonly attempts?: number
  readonly why?: null
}

/** What was heard of a row, whose customer has its number. */
function heard({ row, verdict, sources = [], askedAt = AFTER, ...given }: Answered): HeardAnswer {
  const { answeredAt = askedAt.replace(':00.', ':01.'), attempts = 1 } = given
  const { why = verdict === 'other' ? 'differs' : null } = given
  const evidence: ReadBackEvidence = { verdict, why, sources }
  return { ...listed(1000 + row, [{ rowId: row, attempts, evidence }]), askedAt, answeredAt }
}

interface Campaign {
  readonly ledger: Ledger
  readonly clock: ReturnType<typeof stoppedClock>
}

/** Customers 1001 and up, one row each with its number: two in doubt, one registered, the rest ready. */
async function doubts(rows: number): Promise<Campaign> {
  const clock = stoppedClock()
  const ledger = runningAt(clock, mandates(rows, 1001))
  for (const outcome of [inDoubt(), inDoubt(), registered('NEW-3')]) await send(ledger, outcome)
  clock.advance(1)
  return { ledger, clock }
}

function hear(
  { ledger, clock }: Campaign,
  answers: Readonly<Record<number, VerdictKind>>,
  attempts = 1,
): void {
  const at = new Date(clock.now()).toISOString()
  readBack(
    ledger,
    Object.entries(answers).map(([row, verdict]) =>
      heard({ row: Number(row), verdict, attempts, askedAt: at, answeredAt: at, why: null }),
    ),
  )
}

const absencesOf = ({ ledger }: Campaign) => [...absences(ledger.view, DAY)]
const kindsOf = (campaign: Campaign) =>
  absencesOf(campaign).map(({ rowId, absence }) => [rowId, absence.kind] as const)

describe('rows in doubt that are absent', () => {
  it('are those that were asked about, beside what the same read-back has shown', async () => {
    const played = await doubts(4)
    expect(absencesOf(played)).toEqual([])
    const { clock } = played
    const first = new Date(clock.now()).toISOString()
    hear(played, { 1: 'absent', 3: 'proven' })
    clock.advance(DAY)
    hear(played, { 2: 'absent', 3: 'proven' })
    const last = new Date(clock.now()).toISOString()
    hear(played, { 1: 'absent', 3: 'proven' })
    const series = { firstAskedAt: first, lastAskedAt: last, questions: 2 }
    const resend = { kind: 'resend', ...series, present: 1, begunFor: 'this' }
    expect(absencesOf(played)).toEqual([
      { rowId: 1, absence: resend },
      { rowId: 2, absence: expect.objectContaining({ kind: 'too_early' }) as unknown },
    ])
  })

  it('take a registered row of any run that the same read-back showed, and none of another read-back', async () => {
    const played = await doubts(4)
    const { clock } = played
    hear(played, { 1: 'absent', 2: 'proven' }) // which is in doubt itself
    hear(played, { 3: 'proven' })
    clock.advance(DAY)
    hear(played, { 1: 'absent', 3: 'twice' })
    hear(played, { 3: 'proven' })
    expect(kindsOf(played)[0]).toEqual([1, 'nothing_present'])
    hear(played, { 1: 'absent', 3: 'proven' })
    expect(kindsOf(played)[0]).toEqual([1, 'too_early'])
    clock.advance(2 * HOUR)
    hear(played, { 1: 'absent', 3: 'proven' })
    expect(kindsOf(played)[0]).toEqual([1, 'resend'])
  })

  it('take one of a later run, where their own registered none', async () => {
    const clock = stoppedClock()
    const ledger = runningAt(clock, mandates(2, 1001))
    await send(ledger, inDoubt())
    ledger.startRun(SETTINGS)
    await send(ledger, registered('NEW-2'))
    expect(startReadBack(ledger, 'in_doubt')).toMatchObject({ customers: 2 })
    for (const advance of [DAY, DAY]) {
      clock.advance(advance)
      hear({ ledger, clock }, { 1: 'absent', 2: 'proven' })
    }
    expect(kindsOf({ ledger, clock })).toEqual([[1, 'resend']])
  })

  it.each(['proven', 'twice', 'unreadable', 'other'] as const)(
    'are never proposed once any read-back showed them: %s',
    async (verdict) => {
      const played = await doubts(4)
      hear(played, { 1: verdict, 3: 'proven' })
      hear(played, { 1: 'absent', 3: 'proven' })
      played.clock.advance(2 * DAY)
      hear(played, { 1: 'absent', 3: 'proven' })
      expect(kindsOf(played)).toEqual([[1, 'shown_before']])
    },
  )

  it('are asked about anew after another request, and after their own request alone', async () => {
    const played = await doubts(3)
    const { ledger, clock } = played
    hear(played, { 1: 'absent', 3: 'proven' })
    clock.advance(DAY)
    hear(played, { 1: 'absent', 3: 'proven' })
    expect(kindsOf(played)).toEqual([[1, 'resend']])

    decide(ledger, 1, 'resend', { attempt: 1 })
    expect(kindsOf(played)).toEqual([])
    ledger.startRun(SETTINGS)
    const attempt = await begin(ledger, readyRow(ledger))
    hear(played, { 1: 'absent' }, 2) // before its request left
    await ledger.settle(attempt, inDoubt())
    expect(kindsOf(played)).toEqual([[1, 'not_asked']])
    hear(played, { 1: 'absent' }, 2) // with the same time as its end
    clock.advance(1)
    hear(played, { 1: 'absent' }, 1) // about the request before, by a clock that was ahead
    expect(kindsOf(played)).toEqual([[1, 'not_asked']])
    clock.advance(2 * DAY)
    hear(played, { 1: 'absent' }, 2)
    clock.advance(2 * HOUR)
    hear(played, { 1: 'absent' }, 2)
    expect(kindsOf(played)).toEqual([[1, 'nothing_present']])
    hear(played, { 1: 'absent', 3: 'proven' }, 2) // sent by another run
    expect(kindsOf(played)).toEqual([[1, 'too_early']])
  })

  it('are not proposed where a lost ledger began them for somebody else, and say so where nobody knows', async () => {
    const played = await doubts(5)
    const { ledger, clock } = played
    ledger.startRun(SETTINGS)
    const given = { by: 'Ada', reason: 'the disk is lost' }
    ledger.claims.doubt([4], { decision: 'another_ledger', ...given }, [4, 5])
    ledger.claims.doubt([5], { decision: 'all_in_doubt', ...given })
    clock.advance(1)
    for (let asked = 0; asked < 3; asked += 1) {
      clock.advance(DAY)
      hear(played, { 4: 'absent', 5: 'absent', 3: 'proven' })
    }
    expect(absencesOf(played)).toMatchObject([
      { rowId: 4, absence: { kind: 'begun_otherwise' } },
      { rowId: 5, absence: { kind: 'resend', begunFor: 'unknown' } },
    ])
  })

  it('take any registered row where a decision put them in doubt: no run of the ledger sent them', async () => {
    const played = await doubts(4)
    const { ledger, clock } = played
    ledger.startRun(SETTINGS)
    ledger.claims.doubt([4], { decision: 'another_ledger', by: 'Ada', reason: 'the disk is lost' })
    clock.advance(1)
    const { id } = startReadBack(ledger, 'in_doubt')
    expect(ledger.readBacks.next(10).toSorted()).toEqual([1001, 1002, 1003, 1004])
    ledger.readBacks.end(id, null)
    hear(played, { 4: 'absent', 3: 'proven' })
    clock.advance(DAY)
    hear(played, { 4: 'absent' })
    expect(kindsOf(played)).toEqual([[4, 'too_early']])
    hear(played, { 4: 'absent', 3: 'proven' })
    expect(kindsOf(played)).toEqual([[4, 'resend']])
  })

  it('come page by page', async () => {
    const rows = 1_203
    const clock = stoppedClock()
    const ledger = runningAt(clock, mandates(rows, 1001))
    for (const row of ledger.ready(0, rows)) await ledger.settle(await begin(ledger, row), inDoubt())
    clock.advance(1)
    const asked = Array.from({ length: rows }, (_, index) => index + 1).filter((id) => id % 3 !== 0)
    hear({ ledger, clock }, Object.fromEntries(asked.map((id) => [id, id === 7 ? 'proven' : 'absent'])))
    const found = absencesOf({ ledger, clock })
    expect(found.map(({ rowId }) => rowId)).toEqual(asked)
    expect(found.filter(({ absence }) => absence.kind === 'something').map(({ rowId }) => rowId)).toEqual([7])
  })
})

const source = (id: string, reference: string): KeptSource => ({
  ...{ id, reference, status: 'PENDING', accountMasked: 'DE…3000', signedDate: '2020-01-31' },
})

/** Rows 1 to 4 of customers 1001 to 1004 registered as NEW-1 to NEW-4, row 5 in doubt, row 6 of 1001 ready. */
const campaign = (): Promise<Ledger> =>
  played(
    [...mandates(5, 1001), { customerNo: 1001, reference: 'M-6' }],
    ...[1, 2, 3, 4].map((n) => registered(`NEW-${n}`)),
    inDoubt(),
  )

const read = (
  ledger: Ledger,
  answers: readonly Answered[],
  ...how: ['registered' | 'in_doubt' | 'all', number?] | []
) => readBack(ledger, answers.map(heard), how[0] ?? 'registered', how[1] ?? null)

const countsOf = (ledger: Ledger, id?: number): Record<string, number> =>
  Object.fromEntries(ledger.view.verificationCounts(id).map(({ verdict, count }) => [verdict, count]))

describe('what was read back of registered rows', () => {
  it('is nothing where nobody asked, and where others were asked about alone', async () => {
    const ledger = await campaign()
    expect(countsOf(ledger)).toEqual({})
    read(ledger, [{ row: 5, verdict: 'proven' }], 'in_doubt')
    expect(countsOf(ledger)).toEqual({})
    expect(ledger.view.verifiedRows('proven', 0, 10)).toEqual([])
    expect(ledger.view.latestSample()).toBeNull()
  })

  it('is the latest about each row, with the times of these answers, of all or of one read-back', async () => {
    const ledger = await campaign()
    const first = read(ledger, [
      { row: 1, verdict: 'absent' },
      { row: 2, verdict: 'proven' },
    ])
    const second = read(ledger, [
      { row: 1, verdict: 'proven', askedAt: '2026-06-15T12:00:00.000Z' },
      { row: 3, verdict: 'other' },
    ])
    const [at, later] = ['2026-06-15T11:00:01.000Z', '2026-06-15T12:00:01.000Z']
    expect(ledger.view.verificationCounts()).toEqual([
      { verdict: 'other', count: 1, firstAt: at, lastAt: at },
      { verdict: 'proven', count: 2, firstAt: at, lastAt: later },
    ])
    expect(countsOf(ledger, first)).toEqual({ proven: 1 })
    expect(countsOf(ledger, second)).toEqual({ proven: 1, other: 1 })
    read(ledger, [{ row: 3, verdict: 'absent', askedAt: BEFORE }]) // which does not count, nor any before it
    expect(countsOf(ledger)).toEqual({ proven: 2 })
  })

  it('counts each payment source of these answers once, by its status as it was shown', async () => {
    const ledger = await campaign()
    expect(ledger.view.sourceStatuses()).toEqual([])
    const [one, two] = [source('a', 'NEW-1'), { ...source('b', 'X'), status: 'Active since May' }]
    read(ledger, [{ row: 2, verdict: 'proven', sources: [source('gone', 'NEW-2')] }])
    read(ledger, [
      { row: 1, verdict: 'twice', sources: [one, two] },
      { row: 2, verdict: 'other', sources: [two, { ...source('c', 'Y'), status: null }] },
      { row: 3, verdict: 'other', sources: [{ ...two, id: null }] },
      { row: 4, verdict: 'absent' },
      { row: 5, verdict: 'proven', sources: [source('d', 'Z')] },
    ])
    expect(ledger.view.sourceStatuses()).toEqual([
      { status: 'Active since May', sources: 2 },
      { status: null, sources: 1 },
      { status: 'PENDING', sources: 1 },
    ])
  })

  it.each<[VerdictKind, Partial<Answered>, number]>([
    ['absent', { askedAt: BEFORE }, 0], // looked for before it was sent
    ['other', { askedAt: BEFORE }, 0],
    ['unreadable', { askedAt: BEFORE }, 0],
    ['absent', { askedAt: NOW }, 0],
    ['absent', { askedAt: AFTER }, 1],
    ['proven', { askedAt: BEFORE }, 1], // a doubt that was settled by it
    ['twice', { askedAt: BEFORE }, 1],
    ['proven', { attempts: 0 }, 0], // of an earlier request, or none
    ['absent', { attempts: 0 }, 0],
  ])('counts %s with %o %i times', async (verdict, change, times) => {
    const ledger = await campaign()
    read(ledger, [{ row: 2, verdict, ...change }])
    expect(countsOf(ledger)).toEqual(times === 0 ? {} : { [verdict]: times })
    expect(ledger.view.verifiedRows(verdict, 0, 10)).toHaveLength(times)
  })

  it('is given page by page for each verdict', async () => {
    const ledger = await campaign()
    read(
      ledger,
      [4, 2, 1, 3].map((row) => ({ row, verdict: row === 3 ? ('absent' as const) : ('proven' as const) })),
    )
    const idsBehind = (after: number) => ledger.view.verifiedRows('proven', after, 2).map(({ id }) => id)
    expect([idsBehind(0), idsBehind(2), idsBehind(4)]).toEqual([[1, 2], [4], []])
    expect(ledger.view.verifiedRows('absent', 0, 2)).toEqual([
      {
        ...{ id: 3, customerNo: 1003, ibanMasked: 'DE…3000', signedDate: '2020-01-31', verdict: 'absent' },
        ...{ assignedCreditorIdentifier: 'SE97ZZZ5560000001', assignedMandateReference: 'NEW-3' },
        ...{ why: null, answeredAt: '2026-06-15T11:00:01.000Z', sources: [], cancellable: [] },
      },
    ])
  })

  it('names what may be cancelled of a mandate that is there twice, never what another row has or may have', async () => {
    const ledger = await campaign()
    const sources = [source('a', 'NEW-1'), source('b', 'new-2'), source('c', 'ELSE')]
    read(ledger, [
      { row: 1, verdict: 'twice', sources },
      { row: 2, verdict: 'other', sources },
    ])
    const shown = (verdict: VerdictKind) => ledger.view.verifiedRows(verdict, 0, 10)
    expect(shown('twice')).toMatchObject([{ id: 1, sources, cancellable: ['c'] }])
    expect(shown('other')).toMatchObject([{ id: 2, sources, cancellable: [] }])
    await send(ledger, inDoubt())
    expect(shown('twice')[0]?.cancellable).toEqual([])
  })

  it('knows the sample of the latest read-back of registered rows', async () => {
    const ledger = await campaign()
    read(ledger, [{ row: 1, verdict: 'proven' }], 'registered', 1)
    expect(ledger.view.latestSample()).toBe(1)
    read(ledger, [{ row: 5, verdict: 'proven' }], 'in_doubt')
    read(ledger, [], 'registered') // nobody was asked
    expect(ledger.view.latestSample()).toBe(1)
    read(ledger, [{ row: 2, verdict: 'proven' }], 'all')
    expect(ledger.view.latestSample()).toBeNull()
  })
})

describe('a registered row that somebody had cancelled or changed at the service', () => {
  const IN_FINAL = {
    ended: { verdict: 'excluded' },
    account: { iban: OTHER_IBAN },
    customer: { customerNo: 2001 },
    date: { signedDate: '2020-02-01' },
    unclear: { verdict: 'invalid' },
  } as const satisfies Record<string, Values>

  /** Row 1 is so in the last export, and its line is done. */
  async function done(change: keyof typeof IN_FINAL): Promise<Ledger> {
    const ledger = await campaign()
    const [first = {}, ...others] = mandates(5, 1001)
    compareWith(ledger, [{ ...first, ...IN_FINAL[change] }, ...others])
    expect(decide(ledger, 1, 'done', { isOfCutOver: true }).isApplied).toBe(true)
    return ledger
  }

  const asSent = source('a', 'NEW-1')
  const cancelled = { ...asSent, status: ' cancelled' }
  const ofOther = { ...asSent, reference: 'new-2' }
  const anew = { ...asSent, id: 'b', reference: 'X', accountMasked: 'NL…4300' }
  type Shown = Pick<Answered, 'verdict' | 'sources' | 'askedAt'> & { readonly why?: string | null }
  const dated = (signedDate: string): Shown => ({
    ...{ verdict: 'other', why: 'other_date', sources: [{ ...asSent, signedDate }] },
  })
  it.each<[keyof typeof IN_FINAL, Shown, expected: string, why?: string]>([
    ['ended', { verdict: 'proven', sources: [asSent] }, 'other', 'not_ended'],
    ['ended', { verdict: 'twice', sources: [asSent, anew] }, 'other', 'not_ended'],
    ['ended', { verdict: 'other', why: 'ended', sources: [cancelled] }, 'decided', 'ended'],
    ['ended', { verdict: 'other', sources: [anew, ofOther] }, 'decided', 'differs'],
    ['ended', { verdict: 'other', sources: [{ ...asSent, reference: 'X' }] }, 'other', 'differs'],
    ['ended', dated('2021-01-01'), 'other', 'other_date'],
    ['ended', { verdict: 'absent' }, 'decided'],
    ['ended', { verdict: 'unreadable' }, 'unreadable'],
    ['account', { verdict: 'proven', sources: [asSent] }, 'other', 'not_changed'],
    ['account', { verdict: 'other', sources: [anew] }, 'decided', 'differs'],
    ['account', { verdict: 'other', why: 'ended', sources: [cancelled] }, 'decided', 'ended'],
    ['account', { verdict: 'absent' }, 'absent'],
    ['date', dated('2020-02-01'), 'decided', 'other_date'],
    ['date', { verdict: 'proven', sources: [asSent] }, 'other', 'not_changed'],
    ['customer', { verdict: 'absent' }, 'decided'],
    ['customer', { verdict: 'proven', sources: [asSent] }, 'other', 'not_changed'],
    ['unclear', { verdict: 'proven', sources: [asSent] }, 'proven'],
    ['unclear', { verdict: 'other', sources: [anew] }, 'decided', 'differs'],
    ['ended', { verdict: 'proven', sources: [asSent], askedAt: BEFORE }, 'not asked'],
    ['unclear', { verdict: 'proven', sources: [asSent], askedAt: BEFORE }, 'proven'],
  ])('%s, and the service shows %j: %s', async (change, shown, expected, why) => {
    const ledger = await done(change)
    read(ledger, [{ row: 1, ...shown } as Answered, { row: 2, verdict: 'other', sources: [anew] }])
    const { other = 0, ...counts } = countsOf(ledger)
    const others = { other: other - 1, ...counts } // row 2 is as it was
    expect(Object.fromEntries(Object.entries(others).filter(([, count]) => count > 0))).toEqual(
      expected === 'not asked' ? {} : { [expected]: 1 },
    )
    if (expected === 'not asked') return
    const [row] = ledger.view.verifiedRows(expected as 'decided', 0, 10)
    expect(row).toMatchObject({ id: 1, verdict: expected, why: why ?? null })
  })

  it.each<Shown>([
    { verdict: 'other', why: 'ended', sources: [cancelled] },
    { verdict: 'other', sources: [anew] },
    { verdict: 'absent' },
  ])('is right as the service shows it, where a person says so: %j', async (shown) => {
    const ledger = await campaign()
    const isDone = (row: number): boolean => decide(ledger, row, 'done').isApplied
    expect(isDone(1)).toBe(false)
    read(ledger, [{ row: 1, ...shown } as Answered, { row: 2, verdict: 'proven', sources: [] }])
    expect([isDone(1), isDone(2), isDone(1)]).toEqual([true, false, false])
    expect(countsOf(ledger)).toMatchObject({ decided: 1 })
    expect(ledger.view.openCutOver().open).toBe(0)
    expect(ledger.view.closedLines()).toMatchObject([{ decision: 'done', count: 1 }])
  })

  it.each<keyof typeof IN_FINAL>(['account', 'ended'])(
    'is ordered once more where it is as it was sent, until an export says that it is so: %s',
    async (change) => {
      const ledger = await done(change)
      const proven = { verdict: 'proven', sources: [asSent] } as const
      read(ledger, [{ row: 1, ...proven }])
      expect(countsOf(ledger)).toEqual({ other: 1 })
      const listed = change === 'ended' ? 'ended_after_registration' : 'changed_after_registration'
      for (const _ of [1, 2]) {
        expect(decide(ledger, 1, 'done').isApplied).toBe(true)
        expect(countsOf(ledger)).toEqual({ other: 1 })
        expect(ledger.view.closedLines()).toContainEqual({ listed, decision: 'done', by: 'Ada', count: 1 })
      }
      compareWith(ledger, mandates(5, 1001))
      expect(decide(ledger, 1, 'done', { isOfCutOver: true }).isApplied).toBe(true)
      expect(countsOf(ledger)).toEqual({ proven: 1 })
    },
  )
})
