import { describe, expect, it } from 'vitest'
import type { Evidence, KeptSource, VerdictKind } from '../../../src/domain/proof/evidence.js'
import type { HeardAnswer, Ledger } from '../../../src/ledger/ledger.js'
import { openLedgerReader } from '../../../src/ledger/read/open-reader.js'
import type { LedgerReader } from '../../../src/ledger/read/reader.js'
import type { Scope } from '../../../src/ledger/schema/schema.js'
import { admit, inDoubt, open, registered, send, SETTINGS, stoppedClock } from '../campaign-setup.js'
import { listed } from '../heard-answer.js'

const REGISTERED_AT = '2026-06-15T10:00:00.000Z'
const BEFORE = '2026-06-15T09:00:00.000Z'
const AFTER = '2026-06-15T11:00:00.000Z'

const source = (id: string, reference: string): KeptSource => ({
  id,
  reference,
  status: 'PENDING',
  accountMasked: 'DE…3000',
  signedDate: '2020-01-31',
})

/** Rows 1 to 4 of customers 1001 to 1004 registered as NEW-1 to NEW-4, row 5 in doubt, row 6 of 1001 ready. */
async function campaign(): Promise<Ledger> {
  const ledger = open({ clock: stoppedClock(REGISTERED_AT) })
  ledger.startRun(SETTINGS)
  admit(
    ledger,
    [1, 2, 3, 4, 5, 1].map((n, index) => ({ customerNo: 1000 + n, reference: `M-${index}` })),
  )
  for (const n of [1, 2, 3, 4]) await send(ledger, registered(`NEW-${n}`))
  await send(ledger, inDoubt())
  return ledger
}

const evidenceOf = (verdict: VerdictKind, sources: readonly KeptSource[] = []): Evidence => ({
  verdict,
  why: verdict === 'other' ? 'differs' : null,
  sources,
})

interface Answered {
  readonly row: number
  readonly verdict: VerdictKind
  readonly sources?: readonly KeptSource[]
  readonly askedAt?: string
  readonly attempts?: number
}

const heard = ({ row, verdict, sources = [], askedAt = AFTER, attempts = 1 }: Answered): HeardAnswer => ({
  ...listed(1000 + row, [{ rowId: row, attempts, evidence: evidenceOf(verdict, sources) }]),
  askedAt,
  answeredAt: askedAt.replace(':00.', ':01.'),
})

function readBack(
  ledger: Ledger,
  answers: readonly Answered[],
  scope: Scope = 'registered',
  sample?: number,
) {
  const settings = { concurrency: 8, rate: null }
  const given = { scope, sample: sample ?? null, version: '0', host: 'bench', pid: 1, settings }
  const { id } = ledger.readBacks.start(given)
  ledger.readBacks.record(id, answers.map(heard))
  ledger.readBacks.end(id, null)
  return id
}

function look<Value>({ file }: Ledger, of: (reader: LedgerReader) => Value): Value {
  const reader = openLedgerReader(file)
  try {
    return of(reader)
  } finally {
    reader.close()
  }
}

const countsOf = (ledger: Ledger, id?: number): Record<string, number> =>
  look(ledger, (reader) =>
    Object.fromEntries(reader.verificationCounts(id).map(({ verdict, count }) => [verdict, count])),
  )

describe('what was read back of registered rows', () => {
  it('is nothing where nobody asked, and where others were asked about alone', async () => {
    const ledger = await campaign()
    expect(countsOf(ledger)).toEqual({})
    readBack(ledger, [{ row: 5, verdict: 'proven' }], 'in_doubt')
    expect(countsOf(ledger)).toEqual({})
    expect(look(ledger, (reader) => reader.verifiedRows('proven', 0, 10))).toEqual([])
    expect(look(ledger, (reader) => reader.latestSample())).toBeNull()
  })

  it('is the latest about each row, with the times of these answers, of all or of one read-back', async () => {
    const ledger = await campaign()
    const first = readBack(ledger, [
      { row: 1, verdict: 'absent' },
      { row: 2, verdict: 'proven' },
    ])
    const second = readBack(ledger, [
      { row: 1, verdict: 'proven', askedAt: '2026-06-15T12:00:00.000Z' },
      { row: 3, verdict: 'other' },
    ])
    expect(look(ledger, (reader) => reader.verificationCounts())).toEqual([
      {
        verdict: 'other',
        count: 1,
        firstAt: '2026-06-15T11:00:01.000Z',
        lastAt: '2026-06-15T11:00:01.000Z',
      },
      {
        verdict: 'proven',
        count: 2,
        firstAt: '2026-06-15T11:00:01.000Z',
        lastAt: '2026-06-15T12:00:01.000Z',
      },
    ])
    expect(countsOf(ledger, first)).toEqual({ proven: 1 })
    expect(countsOf(ledger, second)).toEqual({ proven: 1, other: 1 })
  })

  it('27.7 counts each payment source of these answers once, by its status as it was shown', async () => {
    const ledger = await campaign()
    expect(look(ledger, (reader) => reader.sourceStatuses())).toEqual([])
    const [one, two] = [source('a', 'NEW-1'), { ...source('b', 'X'), status: 'Active since May' }]
    readBack(ledger, [{ row: 2, verdict: 'proven', sources: [source('gone', 'NEW-2')] }])
    readBack(ledger, [
      { row: 1, verdict: 'twice', sources: [one, two] },
      { row: 2, verdict: 'other', sources: [two, { ...source('c', 'Y'), status: null }] },
      { row: 3, verdict: 'other', sources: [{ ...two, id: null }] },
      { row: 4, verdict: 'absent' },
      { row: 5, verdict: 'proven', sources: [source('d', 'Z')] },
    ])
    expect(look(ledger, (reader) => reader.sourceStatuses())).toEqual([
      { status: 'Active since May', sources: 2 },
      { status: null, sources: 1 },
      { status: 'PENDING', sources: 1 },
    ])
  })

  it.each<[VerdictKind, Partial<Answered>, number]>([
    ['absent', { askedAt: BEFORE }, 0], // looked for before it was sent
    ['other', { askedAt: BEFORE }, 0],
    ['unreadable', { askedAt: BEFORE }, 0],
    ['absent', { askedAt: REGISTERED_AT }, 0],
    ['absent', { askedAt: AFTER }, 1],
    ['proven', { askedAt: BEFORE }, 1], // a doubt that was settled by it
    ['twice', { askedAt: BEFORE }, 1],
    ['proven', { attempts: 0 }, 0], // of an earlier request, or none
    ['absent', { attempts: 0 }, 0],
  ])('counts %s with %o %i times', async (verdict, change, times) => {
    const ledger = await campaign()
    readBack(ledger, [{ row: 2, verdict, ...change }])
    expect(countsOf(ledger)).toEqual(times === 0 ? {} : { [verdict]: times })
    expect(look(ledger, (reader) => reader.verifiedRows(verdict, 0, 10))).toHaveLength(times)
  })

  it('never falls back to an older answer where the latest does not count', async () => {
    const ledger = await campaign()
    readBack(ledger, [{ row: 1, verdict: 'proven' }])
    readBack(ledger, [{ row: 1, verdict: 'absent', askedAt: BEFORE }])
    expect(countsOf(ledger)).toEqual({})
  })

  it('is given page by page for each verdict', async () => {
    const ledger = await campaign()
    readBack(
      ledger,
      [4, 2, 1, 3].map((row) => ({ row, verdict: row === 3 ? ('absent' as const) : ('proven' as const) })),
    )
    look(ledger, (reader) => {
      const idsBehind = (after: number) => reader.verifiedRows('proven', after, 2).map(({ id }) => id)
      expect([idsBehind(0), idsBehind(2), idsBehind(4)]).toEqual([[1, 2], [4], []])
      expect(reader.verifiedRows('absent', 0, 2)).toEqual([
        {
          id: 3,
          customerNo: 1003,
          ibanMasked: 'DE…3000',
          signedDate: '2020-01-31',
          assignedCreditorIdentifier: 'SE97ZZZ5560000001',
          assignedMandateReference: 'NEW-3',
          verdict: 'absent',
          why: null,
          answeredAt: '2026-06-15T11:00:01.000Z',
          sources: [],
          cancellable: [],
        },
      ])
    })
  })

  it('names what may be cancelled of a mandate that is there twice, never what another row has or may have', async () => {
    const ledger = await campaign()
    const sources = [source('a', 'NEW-1'), source('b', 'new-2'), source('c', 'ELSE')]
    readBack(ledger, [
      { row: 1, verdict: 'twice', sources },
      { row: 2, verdict: 'other', sources },
    ])
    look(ledger, (reader) => {
      expect(reader.verifiedRows('twice', 0, 10)).toMatchObject([{ id: 1, sources, cancellable: ['c'] }])
      expect(reader.verifiedRows('other', 0, 10)).toMatchObject([{ id: 2, sources, cancellable: [] }])
    })
    await send(ledger, inDoubt())
    look(ledger, (reader) => expect(reader.verifiedRows('twice', 0, 10)[0]?.cancellable).toEqual([]))
  })

  it('knows the sample of the latest read-back of registered rows', async () => {
    const ledger = await campaign()
    const sampleOf = (): number | null => look(ledger, (reader) => reader.latestSample())
    readBack(ledger, [{ row: 1, verdict: 'proven' }], 'registered', 1)
    expect(sampleOf()).toBe(1)
    readBack(ledger, [{ row: 5, verdict: 'proven' }], 'in_doubt')
    readBack(ledger, [], 'registered') // nobody was asked
    expect(sampleOf()).toBe(1)
    readBack(ledger, [{ row: 2, verdict: 'proven' }], 'all')
    expect(sampleOf()).toBeNull()
  })
})
