import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openLedgerReader } from '../../src/ledger/read/open-reader.js'
import { validExport } from '../support/export.js'
import { CREDENTIALS, makeFolder, start } from '../support/program.js'

const ROWS = 5_000
const KILLS = 20
const CONCURRENCY = 16
const SEED = Number(process.env['KILL_SEED'] ?? 20_261_120)

/** A service that registers everything and counts every request it receives, per customer. */
interface CountingServer {
  readonly baseUrl: string
  readonly received: ReadonlyMap<number, number>
  /** Resolves when so many requests were received in all. */
  readonly whenReceived: (count: number) => Promise<void>
  readonly close: () => Promise<void>
}

async function startCounting(): Promise<CountingServer> {
  const received = new Map<number, number>()
  let total = 0
  let waiting: { count: number; resolve: () => void }[] = []
  const server: Server = createServer((request, response) => {
    void readJson(request).then((body) => {
      total += 1
      received.set(body.customer_no, (received.get(body.customer_no) ?? 0) + 1)
      const { amendment: _amendment, ...echo } = body
      const assigned = {
        sepa_creditor_identifier: 'DE84ZZZ09876543210',
        unique_mandate_reference: `NEW${total}`,
      }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ status: 'OK', data: { ...echo, ...assigned } }))
      for (const { resolve } of waiting.filter(({ count }) => count <= total)) resolve()
      waiting = waiting.filter(({ count }) => count > total)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    whenReceived: (count) =>
      count <= total ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve })),
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

interface Migration {
  readonly customer_no: number
  readonly iban: string
  readonly signed_date: string
  readonly amendment: unknown
}

async function readJson(request: IncomingMessage): Promise<Migration> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return JSON.parse(Buffer.concat(parts).toString()) as Migration
}

/** mulberry32: small, seeded, the same everywhere. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

let place: ReturnType<typeof makeFolder>
let server: CountingServer

beforeEach(async () => {
  place = makeFolder()
  server = await startCounting()
})
afterEach(async () => {
  await server.close()
  place.remove()
})

it(`34: survives ${KILLS} kills in ${ROWS} rows: nothing is lost and nothing is posted twice (seed ${SEED})`, async () => {
  const random = randomOf(SEED)
  const ledger = join(place.folder, 'sepa-migrate.db')
  writeFileSync(join(place.folder, 'export.csv'), validExport(ROWS))
  const run = () =>
    start(
      [
        'run',
        'export.csv',
        '--base-url',
        server.baseUrl,
        '--concurrency',
        `${CONCURRENCY}`,
        '--quiet',
        '--no-report',
        '--max-in-doubt',
        '100000',
      ],
      { cwd: place.folder, env: CREDENTIALS },
    )
  let doubts = 0
  let seen = 0

  /** Balanced after every start; at most as many new doubts as there were slots. */
  function judge(): void {
    const reader = openLedgerReader(ledger)
    const totals = reader.totals()
    reader.close()
    const { read, ...states } = totals
    expect(Object.values(states).reduce((sum, count) => sum + count, 0)).toBe(read)
    expect(read).toBe(ROWS)
    expect(totals.inDoubt + totals.sending - doubts).toBeLessThanOrEqual(CONCURRENCY)
    doubts = totals.inDoubt + totals.sending
  }

  for (let kill = 0; kill < KILLS; kill += 1) {
    const { child, ended } = run()
    await server.whenReceived(seen + 1 + Math.floor(random() * 230))
    child.kill('SIGKILL')
    expect((await ended).signal).toBe('SIGKILL')
    seen = [...server.received.values()].reduce((sum, count) => sum + count, 0)
    judge()
  }
  const { status } = await run().ended
  judge()
  expect(status).toBe(doubts > 0 ? 4 : 0)

  const twice = [...server.received].filter(([, count]) => count > 1)
  expect(twice).toEqual([])
  const reader = openLedgerReader(ledger)
  const registered = reader.rows(['registered'], 0, ROWS)
  const inDoubt = reader.rows(['in_doubt'], 0, ROWS)
  reader.close()
  expect(registered.length + inDoubt.length).toBe(ROWS)
  for (const { customerNo } of registered) expect(server.received.get(customerNo ?? 0)).toBe(1)
}, 240_000)
