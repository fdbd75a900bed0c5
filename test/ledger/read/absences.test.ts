import { describe, expect, it } from 'vitest'
import type { VerdictKind } from '../../../src/domain/proof/evidence.js'
import type { HeardAnswer, Ledger } from '../../../src/ledger/ledger.js'
import { admit, inDoubt, open, registered, send, SETTINGS, stoppedClock } from '../campaign-setup.js'
import { listed } from '../heard-answer.js'
import { look } from '../ledger-views.js'
import { absences, type DoubtedAbsence } from '../../../src/ledger/read/read-proofs.js'

const HOUR = 60 * 60_000
const DAY = 24 * HOUR

const TERMS = {
  scope: 'all',
  sample: null,
  version: '0.1.0',
  host: 'bench',
  pid: 4711,
  settings: { concurrency: 8, rate: null },
} as const

type Clock = ReturnType<typeof stoppedClock>

interface Campaign {
  readonly ledger: Ledger
  readonly clock: Clock
}

/** Customers 1001 and up, one row each with its number: two in doubt, one registered, the rest ready. */
async function campaign(rows: number): Promise<Campaign> {
  const clock = stoppedClock()
  const ledger = open({ clock })
  ledger.startRun(SETTINGS)
  admit(
    ledger,
    Array.from({ length: rows }, (_, index) => ({ customerNo: 1001 + index, reference: `M-${1 + index}` })),
  )
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
  const { id } = ledger.readBacks.start(TERMS)
  ledger.readBacks.record(
    id,
    Object.entries(answers).map(([row, verdict]): HeardAnswer => {
      const rowId = Number(row)
      const proofs = [{ rowId, attempts, evidence: { verdict, why: null, sources: [] } }]
      return { ...listed(1000 + rowId, proofs), askedAt: at, answeredAt: at }
    }),
  )
  ledger.readBacks.end(id, null)
}

const absencesOf = ({ ledger }: Campaign): readonly DoubtedAbsence[] =>
  look(ledger.file, (reader) => [...absences(reader, DAY)])
const kindsOf = (campaign: Campaign): readonly (readonly [number, string])[] =>
  absencesOf(campaign).map(({ rowId, absence }) => [rowId, absence.kind])

describe('rows in doubt that are absent', () => {
  it('are those that were asked about, beside what the same run has shown', async () => {
    const played = await campaign(4)
    expect(absencesOf(played)).toEqual([])
    const { clock } = played
    const first = new Date(clock.now()).toISOString()
    hear(played, { 1: 'absent', 3: 'proven' })
    clock.advance(DAY)
    hear(played, { 2: 'absent', 3: 'proven' })
    const last = new Date(clock.now()).toISOString()
    hear(played, { 1: 'absent', 3: 'proven' })
    expect(absencesOf(played)).toEqual([
      {
        rowId: 1,
        absence: { kind: 'resend', firstAskedAt: first, lastAskedAt: last, questions: 2, present: 1 },
      },
      { rowId: 2, absence: expect.objectContaining({ kind: 'asked_once' }) as unknown },
    ])
    expect(absencesOf(played)).toEqual(absencesOf(played))
  })

  it('26.1 take a registered row of their run that the same read-back showed, not one of any other', async () => {
    const played = await campaign(4)
    const { clock } = played
    hear(played, { 1: 'absent', 2: 'proven' }) // which is in doubt itself
    hear(played, { 3: 'proven' })
    clock.advance(DAY)
    hear(played, { 1: 'absent', 3: 'twice' })
    hear(played, { 3: 'proven' })
    expect(kindsOf(played)[0]).toEqual([1, 'nothing_present'])
    hear(played, { 1: 'absent', 3: 'proven' })
    expect(kindsOf(played)[0]).toEqual([1, 'asked_once'])
    clock.advance(2 * HOUR)
    hear(played, { 1: 'absent', 3: 'proven' })
    expect(kindsOf(played)[0]).toEqual([1, 'resend'])
  })

  it.each(['proven', 'twice', 'unreadable', 'other'] as const)(
    '26.1 are never proposed once any read-back showed them: %s',
    async (verdict) => {
      const played = await campaign(4)
      const { clock } = played
      hear(played, { 1: verdict, 3: 'proven' })
      hear(played, { 1: 'absent', 3: 'proven' })
      clock.advance(2 * DAY)
      hear(played, { 1: 'absent', 3: 'proven' })
      expect(kindsOf(played)).toEqual([[1, 'shown_before']])
    },
  )

  it('are asked about anew after another request, and after their own request alone', async () => {
    const played = await campaign(3)
    const { ledger, clock } = played
    hear(played, { 1: 'absent', 3: 'proven' })
    clock.advance(DAY)
    hear(played, { 1: 'absent', 3: 'proven' })
    expect(kindsOf(played)).toEqual([[1, 'resend']])

    const decision = { decision: 'resend', by: 'Ada', reason: 'absent', assigned: null } as const
    ledger.resolve([{ ...decision, rowId: 1, evidence: null, attempt: 1 }], { dryRun: false })
    expect(kindsOf(played)).toEqual([])
    ledger.startRun(SETTINGS)
    const attempt = await ledger.begin(ledger.ready(0, 1)[0] ?? expect.fail('a row is ready'))
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
    hear(played, { 1: 'absent', 3: 'proven' }, 2) // sent by another run
    expect(kindsOf(played)).toEqual([[1, 'nothing_present']])
  })

  it('26.1 take any registered row where a decision put them in doubt: no run of the ledger sent them', async () => {
    const played = await campaign(4)
    const { ledger, clock } = played
    ledger.startRun(SETTINGS)
    ledger.claims.doubt([4], { decision: 'another_ledger', by: 'Ada', reason: 'the disk is lost' })
    clock.advance(1)
    const { id } = ledger.readBacks.start({ ...TERMS, scope: 'in_doubt' })
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
    const ledger = open({ clock })
    ledger.startRun(SETTINGS)
    admit(
      ledger,
      Array.from({ length: rows }, (_, index) => ({ customerNo: 1001 + index, reference: `M-${1 + index}` })),
    )
    for (const row of ledger.ready(0, rows)) await ledger.settle(await ledger.begin(row), inDoubt())
    clock.advance(1)
    const asked = Array.from({ length: rows }, (_, index) => index + 1).filter((id) => id % 3 !== 0)
    hear({ ledger, clock }, Object.fromEntries(asked.map((id) => [id, id === 7 ? 'proven' : 'absent'])))
    const found = absencesOf({ ledger, clock })
    expect(found.map(({ rowId }) => rowId)).toEqual(asked)
    expect(found.filter(({ absence }) => absence.kind === 'something').map(({ rowId }) => rowId)).toEqual([7])
  })
})
