import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Iban, LocalDate, Mandate } from '../../src/domain/mandate/mandate.js'
import { openLedger } from '../../src/ledger/file/open-ledger.js'
import { migrate, connectService } from '../../src/migrate/migrate.js'
import type { MigrateOptions, Migration, MigrationEvent } from '../../src/migrate/options.js'
import type { Sandbox } from '../../src/sandbox/sandbox.js'
import type { SandboxOptions } from '../../src/sandbox/settings.js'
import { germanIban, validExport } from '../support/export.js'
import { listed } from '../ledger/heard-answer.js'
import { mandateOf as mandateNo } from '../run/mandate-samples.js'
import { readyRow } from '../ledger/campaign-setup.js'
import { cancelSource, sourceIds } from '../support/place.js'
import { placeWith, type Place } from './place.js'

const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1)

/** The n-th mandate of `validExport`, under another reference. */
const mandateOf = (n: number, change: Partial<Mandate> = {}): Mandate => ({
  ...mandateNo(n),
  signedDate: `2024-03-${String((n % 28) + 1).padStart(2, '0')}` as LocalDate,
  ...change,
})

/** What somebody did before, without any ledger. */
async function byHand(sandbox: Sandbox, place: Place, mandates: readonly Mandate[]): Promise<void> {
  const client = connectService(place.asked(sandbox.url).service, place.machine())
  for (const [n, mandate] of mandates.entries())
    expect((await client.migrateMandate(mandate, { requestId: `by-hand-${n}` })).kind).toBe('registered')
  await client.close()
}

/** Refuses nothing by itself, so that a second mandate would show. */
const REGISTERS: SandboxOptions = { choices: { repeatedMandate: 'register' } }

async function setUp(rows: number | string, options: SandboxOptions = {}) {
  const { asked, ...scene } = await placeWith(Number(rows) || 1, { ...REGISTERS, ...options })
  if (typeof rows === 'string') writeFileSync(scene.place.at('export.csv'), rows)
  const send = (more: Partial<MigrateOptions> = {}): Promise<Migration> =>
    migrate(asked({ checkBeforeSend: true, ...more }))
  return { ...scene, send }
}

const heldBy = (sandbox: Sandbox): number[] =>
  sandbox
    .mandates()
    .map((each) => each.customer_no)
    .sort((a, b) => a - b)

/** Customers of rows in doubt; nothing of these rows has left. */
const heldBack = (place: Place): (number | null)[] =>
  place.look((reader) =>
    reader.rows(['in_doubt'], 0, 1_000).map((row) => {
      expect(row.lastAttempt).toMatchObject({ started: false, hint: 'may_exist', status: null })
      return row.customerNo
    }),
  )

describe('a campaign that somebody began by hand', () => {
  it('posts what the service does not hold, and holds the rest back: none is there twice', async () => {
    const { place, sandbox, send } = await setUp(60)
    const begun = upTo(60).filter((n) => n % 2 === 0)
    const mandates = begun.map((n) => mandateOf(n))
    await byHand(sandbox, place, mandates)
    const end = await send()
    expect(end).toMatchObject({
      exitCode: 4,
      stop: null, // ten in doubt would have ended any other run
      totals: { registered: 30, inDoubt: 30, ready: 0 },
      askedFirst: { asked: 60, heldBack: 30, unread: 0 },
    })
    expect(heldBy(sandbox)).toEqual(upTo(60))
    expect(heldBack(place)).toEqual(begun)
    place.look((reader) => {
      const [row] = reader.rows(['in_doubt'], 0, 1)
      expect(row?.lastAttempt?.reason).toMatch(
        /^The service already holds this mandate, so it was not sent: payment source ps-\S+, reference \S+, PENDING$/,
      )
      // The question is kept of all, its evidence of what was held back alone.
      expect(reader.readBacks()).toMatchObject([
        { scope: 'ready', sample: null, stoppedBy: null, questions: 60, unanswered: 0 },
      ])
      expect(reader.readBacks()[0]?.endedAt).not.toBeNull()
      expect(reader.proofCounts()).toMatchObject([{ state: 'in_doubt', verdict: 'proven', count: 30 }])
      expect(reader.proofs('in_doubt', 0, 1)[0]?.attempts).toBe(row?.attempts)
      expect(reader.campaign().asksFirst).toBe(true)
      expect(reader.runs()[0]?.settings.checkBeforeSend).toBe(true)
    })
  })

  it('sends where another account is there; holds back what was cancelled, or has another date', async () => {
    const { place, sandbox, send } = await setUp(3)
    const elsewhere = germanIban(77) as Iban
    await byHand(sandbox, place, [
      mandateOf(1, { iban: elsewhere }),
      mandateOf(2, { signedDate: '2020-01-01' as LocalDate }),
      mandateOf(3),
    ])
    const there = { sandbox: () => sandbox }
    const [id] = await sourceIds(there, 3)
    await cancelSource(there, id)
    const end = await send()
    expect(end.totals).toMatchObject({ registered: 1, inDoubt: 2 })
    expect(heldBack(place)).toEqual([2, 3])
    expect(place.look((reader) => reader.proofs('in_doubt', 0, 2))).toMatchObject([
      { verdict: 'other', why: 'other_date' },
      { verdict: 'other', why: 'ended' },
    ])
  })
})

describe('rows of one customer', () => {
  const twins = (count: number): string => {
    const [header = '', row = ''] = validExport(1).split('\n')
    return [header, ...upTo(count).map((n) => row.replace('MANDATE-1', `MANDATE-${n}`)), ''].join('\n')
  }

  it('with the same account and date wait for each other, so that none is taken for the other', async () => {
    const { sandbox, send } = await setUp(twins(12))
    const end = await send()
    expect(end).toMatchObject({ exitCode: 0, totals: { registered: 12 }, askedFirst: { heldBack: 0 } })
    expect(sandbox.mandates()).toHaveLength(12)
  })

  it('are all held back where one of them is there and nothing tells which', async () => {
    const { place, sandbox, send } = await setUp(twins(3))
    await byHand(sandbox, place, [mandateOf(1)])
    expect(await send()).toMatchObject({ exitCode: 4, totals: { inDoubt: 3 }, askedFirst: { heldBack: 3 } })
    expect(place.look((reader) => reader.proofs('in_doubt', 0, 9))).toMatchObject(
      upTo(3).map(() => ({ verdict: 'other', why: 'ambiguous' })),
    )
    expect(sandbox.mandates()).toHaveLength(1)
  })
})

describe('a question that brings nothing', () => {
  it.each([
    ['429 with Retry-After', { kind: 'throttle', status: 429, retry_after: 1 }],
    ['500', { kind: 'server_error', status: 500, applied: false }],
    ['a reset', { kind: 'reset', applied: false }],
    ['an answer that breaks off', { kind: 'cut', applied: true, framing: 'content_length' }],
    ['something else than a list', { kind: 'nonsense', applied: true, answer: 'html' }],
  ] as const)('%s: the row waits and is asked about again', async (_, fault) => {
    const { place, sandbox, send } = await setUp(6, {
      faults: [{ operation: 'read_back', match: { customer_no: [2, 3, 5] }, times: 3, fault }],
    })
    await byHand(sandbox, place, [mandateOf(2), mandateOf(4)])
    const end = await send()
    expect(end).toMatchObject({
      stop: null,
      totals: { registered: 4, inDoubt: 2, ready: 0 },
      askedFirst: { heldBack: 2, unread: 0 },
    })
    expect(heldBy(sandbox)).toEqual(upTo(6))
    expect(heldBack(place)).toEqual([2, 4])
  })

  it('stops the run where the service has no read-back: nothing was sent', async () => {
    const { place, sandbox, send } = await setUp(9, { readBack: 'off' })
    const end = await send()
    expect(end).toMatchObject({
      exitCode: 5,
      stop: { kind: 'no_read_back' },
      totals: { ready: 9, inDoubt: 0 },
    })
    expect(end.stop?.why).toContain('as if it had no read-back')
    expect(end.stop?.next).toContain('Nothing was sent for these rows')
    expect(end.askedFirst?.unread).toBe(3)
    expect(sandbox.requests().received.migrate).toBe(0)
    expect(heldBack(place)).toEqual([])
  })

  it('stops the run where ten in a row cannot be read', async () => {
    const fault = { kind: 'nonsense', applied: true, answer: 'html' } as const
    const { posts, send } = await setUp(30, { faults: [{ operation: 'read_back', match: {}, fault }] })
    const end = await send()
    expect(end).toMatchObject({ exitCode: 5, stop: { kind: 'unanswered' }, totals: { ready: 30 } })
    expect(posts()).toBe(0)
  })

  it('leaves nothing in doubt when it is given up, and sends nothing once the run is told to end', async () => {
    const { place, sandbox, send } = await setUp(5, {
      faults: [{ operation: 'read_back', match: { customer_no: 1 }, times: 1, fault: { kind: 'hang' } }],
    })
    const [stop, giveUp] = [new AbortController(), new AbortController()]
    const watch = ({ kind }: MigrationEvent): void => {
      if (kind !== 'intent') return
      stop.abort()
      const waiting = setInterval(() => {
        if (sandbox.requests().received.read_back === 0) return
        clearInterval(waiting)
        giveUp.abort()
      }, 5)
    }
    const end = await send({ watch, signal: stop.signal, giveUp: giveUp.signal })
    expect(end).toMatchObject({ stop: { kind: 'signal' }, totals: { ready: 5, inDoubt: 0 } })
    const [attempt] = place.look((reader) => reader.attempts(1))
    expect(attempt).toMatchObject({ outcome: 'not_sent', started: false })
    const interrupted = new AbortController()
    const interrupt = ({ kind }: MigrationEvent): void =>
      kind === 'intent' ? interrupted.abort() : undefined
    const told = await send({ watch: interrupt, signal: interrupted.signal })
    expect(told.totals).toMatchObject({ ready: 5 })
    expect(sandbox.requests().received.migrate).toBe(0)
  })
})

describe('beside the rest of a run', () => {
  it('keeps a limit of requests a second for questions and mandates together', async () => {
    const { place, sandbox, send } = await setUp(12)
    const service = { ...place.asked(sandbox.url).service, rate: 40 }
    const began = performance.now()
    expect((await send({ service })).totals.registered).toBe(12)
    const seconds = (performance.now() - began) / 1_000
    const { received } = sandbox.requests()
    expect(received.migrate + received.read_back).toBe(24)
    expect(24 / seconds).toBeLessThan(60)
    expect(place.look((reader) => reader.runs())[0]?.settings.rate).toBe(40)
  })

  it('a process that dies between question and request leaves the row in doubt, and nobody asked about it since', async () => {
    const { place, sandbox, send } = await setUp(2)
    await send({ limit: 1 })
    const dying = openLedger({ file: place.at('campaign.db'), clock: { now: () => 0, monotonic: () => 0 } })
    dying.startRun({ version: '0', host: 'h', pid: 1, asOf: '2026-06-15', zone: 'UTC', settings: {} })
    const id = dying.readBacks.startBeforeSending({ version: '0', host: 'h', pid: 1, settings: {} })
    await dying.begin(readyRow(dying))
    dying.readBacks.record(id, [listed(2)])
    dying.close()
    const end = await send({ files: [] })
    expect(end).toMatchObject({ exitCode: 4, totals: { registered: 1, inDoubt: 1 } })
    expect(place.look((reader) => reader.proofs('in_doubt', 0, 9))).toEqual([])
    expect(heldBy(sandbox)).toEqual([1])
  })

  it('an asking that was broken off so is not gone on with by a read-back', async () => {
    const { place, send } = await setUp(3)
    await send({ limit: 1 })
    const ledger = openLedger({ file: place.at('campaign.db'), clock: { now: Date.now, monotonic: () => 0 } })
    const terms = { version: '0', host: 'h', pid: 1, settings: {} }
    ledger.readBacks.startBeforeSending(terms)
    const start = ledger.readBacks.start({ ...terms, scope: 'ready', sample: null })
    ledger.close()
    expect(start).toMatchObject({ isContinued: false, customers: 2 })
  })
})
