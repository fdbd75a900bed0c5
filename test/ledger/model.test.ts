import fc from 'fast-check'
import { expect, it } from 'vitest'
import { EDGES, type RowState, isBalanced, type Totals } from '../../src/domain/row/row-state.js'
import type { Attempt, Decision } from '../../src/ledger/ledger.js'
import type { Ledger } from '../../src/ledger/file/writer.js'
import {
  admit,
  freshFile,
  inDoubt,
  notSent,
  open,
  refused,
  registered,
  SETTINGS,
  stoppedClock,
  turnedAway,
  decide,
} from './campaign-setup.js'
import { byHand, look, rowsOf } from './ledger-views.js'

/** The ledger as it should be, kept in an array: written with no SQL and no counting. */
interface ModelRow {
  readonly mandate: number
  readonly content: number
  readonly verdict: 'sendable' | 'invalid'
  state: RowState
  attempt: Attempt | null
  /** The command that it came in with. */
  readonly at: number
}

interface Model {
  readonly rows: ModelRow[]
  /** How often each mandate may have been applied, and how often a person allowed one more. */
  readonly delivered: Map<number, number>
  readonly allowed: Map<number, number>
  /** Mandates whose refused row may have arrived. */
  readonly arrived: Set<number>
  /** When a person last decided to resend one, counted in commands. */
  readonly resent: Map<number, number>
}

type Newcomer = Pick<ModelRow, 'mandate' | 'content' | 'verdict'>

const PROTECTED: readonly RowState[] = ['sending', 'registered', 'in_doubt', 'written_off']
const isLive = (row: ModelRow): boolean => [...PROTECTED, 'ready', 'refused'].includes(row.state)

function admitToModel(model: Model, newcomers: readonly Newcomer[], isNewer: boolean, at: number): void {
  const added = newcomers.map((newcomer): ModelRow => {
    const state = newcomer.verdict === 'sendable' ? 'ready' : 'invalid'
    return { ...newcomer, state, attempt: null, at }
  })
  for (const mandate of new Set(newcomers.map((newcomer) => newcomer.mandate))) {
    const old = model.rows.filter((row) => row.mandate === mandate)
    const hasArrived = model.arrived.has(mandate)
    settleMandate(
      old,
      added.filter((row) => row.mandate === mandate),
      { isNewer, hasArrived },
    )
  }
  model.rows.push(...added)
}

interface Terms {
  readonly isNewer: boolean
  readonly hasArrived: boolean
}

/** What an export says of one mandate, beside what came in before. */
function settleMandate(old: readonly ModelRow[], added: readonly ModelRow[], terms: Terms): void {
  const sendable = added.filter(({ verdict }) => verdict === 'sendable')
  const speaking = old.filter(({ state }) => state !== 'duplicate' && state !== 'superseded')
  const live = speaking.find((row) => isLive(row) && row.state !== 'written_off') ?? speaking.find(isLive)
  const isSaid = (row: ModelRow): boolean =>
    speaking.some(({ verdict, content }) => verdict === row.verdict && content === row.content)
  const agree = sendable.every(({ content }) => content === sendable[0]?.content)
  const isOneKind = sendable.length === 0 || (sendable.length === added.length && agree)
  const own = (): void => {
    for (const row of isOneKind ? sendable.slice(1) : sendable)
      row.state = isOneKind ? 'duplicate' : 'conflict'
  }
  const wait = (): void => {
    for (const row of sendable) row.state = 'conflict'
    if (live?.state === 'ready') live.state = 'conflict'
  }
  const replace = (): void => {
    own()
    for (const row of old) if (EDGES[row.state].superseded !== undefined) row.state = 'superseded'
  }
  if (speaking.length === 0) own()
  else if (added.every(isSaid)) for (const row of added) row.state = 'duplicate'
  else if (live !== undefined && ['sending', 'registered', 'in_doubt'].includes(live.state))
    for (const row of added) row.state = isSaid(row) ? 'duplicate' : 'conflict'
  else if (live?.state === 'written_off' || (live?.state === 'refused' && terms.hasArrived)) wait()
  else if (speaking.every(({ state }) => state === 'invalid')) {
    const isRead = sendable.length > 0 ? isOneKind : added.every(({ verdict }) => verdict === 'invalid')
    const differs = added.some((one) => speaking.some(({ content }) => content !== one.content))
    if (isRead && !terms.isNewer && differs) wait()
    else replace()
  } else if (sendable.length > 0 && terms.isNewer) replace()
  else wait()
}

const OUTCOMES = {
  registered: (n: number) => registered(`NEW-${n}`),
  refused: () => refused(),
  turned_away: () => turnedAway(),
  not_sent: () => notSent(),
  in_doubt: () => inDoubt(),
} as const

type Step =
  | { readonly kind: 'admit'; readonly newcomers: readonly Newcomer[]; readonly isNewer: boolean }
  | { readonly kind: 'begin'; readonly count: number }
  | { readonly kind: 'settle'; readonly pick: number; readonly outcome: keyof typeof OUTCOMES }
  | { readonly kind: 'resolve'; readonly pick: number; readonly decision: Exclude<Decision, 'done'> }
  | { readonly kind: 'retry' }
  | { readonly kind: 'restart' }

const newcomer = fc.record({
  mandate: fc.integer({ min: 1, max: 4 }),
  content: fc.integer({ min: 1, max: 2 }),
  verdict: fc.constantFrom('sendable', 'sendable', 'sendable', 'invalid'),
})
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: fc.record({
      kind: fc.constant('admit'),
      newcomers: fc.array(newcomer, { maxLength: 5 }),
      isNewer: fc.boolean(),
    }),
    weight: 3,
  },
  { arbitrary: fc.record({ kind: fc.constant('begin'), count: fc.integer({ min: 1, max: 3 }) }), weight: 4 },
  {
    arbitrary: fc.record({
      kind: fc.constant('settle'),
      pick: fc.nat(9),
      outcome: fc.constantFrom(...(Object.keys(OUTCOMES) as (keyof typeof OUTCOMES)[])),
    }),
    weight: 5,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('resolve'),
      pick: fc.nat(9),
      decision: fc.constantFrom('registered', 'refused', 'resend', 'written_off'),
    }),
    weight: 2,
  },
  { arbitrary: fc.constant({ kind: 'retry' }), weight: 1 },
  { arbitrary: fc.constant({ kind: 'restart' }), weight: 1 },
)

const QUARTER_MS = 15 * 60 * 1_000

const pickOf = (rows: readonly ModelRow[], state: RowState, pick: number): ModelRow | undefined => {
  const fitting = rows.filter((row) => row.state === state)
  return fitting[pick % Math.max(1, fitting.length)]
}

const addTo = (counts: Map<number, number>, mandate: number): void =>
  void counts.set(mandate, (counts.get(mandate) ?? 0) + 1)

async function play(steps: readonly Step[]): Promise<void> {
  const model: Model = {
    rows: [],
    ...{ delivered: new Map(), allowed: new Map(), arrived: new Set(), resent: new Map() },
  }
  let commands = 0
  const clock = stoppedClock()
  const file = freshFile()
  let ledger: Ledger = open({ file, clock })
  ledger.startRun(SETTINGS)
  let assigned = 0
  const idOf = (row: ModelRow): number => model.rows.indexOf(row) + 1

  const PLAY: {
    readonly [Kind in Step['kind']]: (step: Extract<Step, { kind: Kind }>) => Promise<void> | void
  } = {
    admit: ({ newcomers, isNewer }) => {
      admit(
        ledger,
        newcomers.map(({ mandate, content, verdict }) => ({
          reference: `M-${mandate}`,
          customerNo: mandate,
          signedDate: `2020-01-0${content}`,
          verdict,
        })),
        { isNewer },
      )
      admitToModel(model, newcomers, isNewer, commands)
    },
    begin: async ({ count }) => {
      const ready = ledger.ready(0, count)
      const attempts = await Promise.all(ready.map((row) => ledger.begin(row)))
      for (const attempt of attempts) {
        if ('because' in attempt) throw new Error(attempt.because)
        const row = model.rows[attempt.rowId - 1]!
        expect(row.state).toBe('ready')
        Object.assign(row, { state: 'sending', attempt })
      }
    },
    settle: async ({ pick, outcome }) => {
      const row = pickOf(model.rows, 'sending', pick)
      if (row?.attempt == null) return
      await ledger.settle(row.attempt, OUTCOMES[outcome]((assigned += 1)))
      row.state = outcome === 'turned_away' || outcome === 'not_sent' ? 'ready' : outcome
      if (outcome === 'registered' || outcome === 'in_doubt') addTo(model.delivered, row.mandate)
    },
    resolve: ({ pick, decision }) => {
      const row = pickOf(model.rows, 'in_doubt', pick)
      if (row === undefined) return
      const aheadMs = decision === 'refused' ? QUARTER_MS : 0 // and then right again, so that the row waits
      clock.advance(aheadMs)
      const identity = { creditorIdentifier: 'SE97', mandateReference: `NEW-${(assigned += 1)}` }
      const assignedNow = decision === 'registered' ? identity : null
      const report = decide(ledger, idOf(row), decision, { assigned: assignedNow, force: true })
      clock.advance(-aheadMs)
      expect(report.isApplied).toBe(true)
      row.state = decision === 'resend' ? 'ready' : decision
      if (decision === 'resend') model.resent.set(row.mandate, commands)
      if (decision === 'resend' || decision === 'refused') model.arrived.add(row.mandate)
      if (decision === 'resend' || decision === 'refused') addTo(model.allowed, row.mandate)
    },
    retry: () => {
      const isContradicted = (row: ModelRow): boolean =>
        model.rows.some(
          ({ mandate, state, at }) =>
            mandate === row.mandate &&
            (state === 'conflict' || state === 'invalid') &&
            at > (model.resent.get(mandate) ?? -1),
        )
      const rows = model.rows.filter((row) => row.state === 'refused' && !isContradicted(row))
      expect(ledger.retryRefused('Ada')).toBe(rows.length)
      for (const row of rows) row.state = 'ready'
    },
    restart: () => {
      ledger.close()
      ledger = open({ file, clock })
      const open_ = model.rows.filter(({ state }) => state === 'sending')
      expect(ledger.recovered).toBe(open_.length)
      for (const row of open_) {
        row.state = 'in_doubt'
        addTo(model.delivered, row.mandate)
      }
      ledger.startRun(SETTINGS)
    },
  }

  for (const each of steps) {
    clock.advance(1_000)
    commands += 1
    await (PLAY[each.kind] as (step: Step) => Promise<void> | void)(each)
    check(file, ledger.totals(), model)
  }
  expect(byHand(file, (db) => db.pragma('integrity_check', { simple: true }))).toBe('ok')
  expect(byHand(file, (db) => db.pragma('foreign_key_check'))).toEqual([])
  ledger.close()
}

function check(file: string, totals: Totals, model: Model): void {
  const rows = rowsOf(file)
  expect(rows.map(({ state }) => state)).toEqual(model.rows.map(({ state }) => state))
  expect(isBalanced(totals)).toBe(true)
  expect(totals.read).toBe(model.rows.length)
  expect(look(file, (reader) => reader.totals())).toEqual(totals)
  for (const mandate of new Set(model.rows.map((row) => row.mandate))) {
    expect(model.rows.filter((row) => row.mandate === mandate && isLive(row)).length).toBeLessThanOrEqual(1)
    // I1 (ledger/README.md#invariants): a mandate is applied at most once, and once more for each resend.
    const most = 1 + (model.allowed.get(mandate) ?? 0)
    expect(model.delivered.get(mandate) ?? 0).toBeLessThanOrEqual(most)
  }
  const accounts = byHand(file, (db) =>
    db.prepare(`select count(*) as n from row join private on row_id = id where state = 'registered'`).get(),
  )
  expect(accounts).toEqual({ n: 0 }) // I5
  const superseded = rows.filter(({ supersededBy }) => supersededBy !== null)
  for (const row of superseded) expect(row.supersededBy).toBeGreaterThan(row.id)
}

it('does what its model does, whatever happens in whatever order', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), play), {
    seed: 20_260_615,
    numRuns: 30,
  })
}, 300_000)
