import { describe, expect, it } from 'vitest'
import { UsageError } from '../../src/errors.js'
import type { Scope } from '../../src/ledger/schema/schema.js'
import { migrate } from '../../src/migrate/migrate.js'
import { readBack, type ReadBackEvent } from '../../src/migrate/read-back.js'
import { placeWith } from './place.js'
import type { SandboxOptions } from '../../src/sandbox/settings.js'

const ROWS = 30

/** A campaign of thirty rows that was sent to a sandbox. */
async function campaign(options: SandboxOptions = {}) {
  const { place, sandbox, asked } = await placeWith(ROWS, options)
  const { service: given, ledger, machine } = asked()
  const service = { ...given, timeoutMs: 2_000 }
  await migrate(asked({ service, maxInDoubt: ROWS }))
  const events: ReadBackEvent[] = []
  const read = (scope: Scope, change: Partial<Parameters<typeof readBack>[0]> = {}) =>
    readBack({
      service,
      ledger,
      scope,
      sample: null,
      signal: new AbortController().signal,
      giveUp: new AbortController().signal,
      watch: (event) => events.push(event),
      machine,
      ...change,
    })
  return { sandbox, read, look: place.look, events, ledger, service }
}

describe('readBack', () => {
  it('proves every registered row at the service, and changes no state', async () => {
    const { read, look } = await campaign()
    const before = look((reader) => reader.totals())
    expect(await read('registered')).toMatchObject({
      customers: ROWS,
      asked: ROWS,
      unanswered: 0,
      stop: null,
    })
    expect(look((reader) => reader.totals())).toEqual(before)
    expect(look((reader) => reader.proofCounts())).toMatchObject([
      { state: 'registered', verdict: 'proven', count: ROWS },
    ])
  })

  it('tells rows in doubt that the service holds from those that it does not', async () => {
    const { sandbox, read, look } = await campaign({
      faults: [
        { operation: 'migrate', match: { customer_no: 3 }, fault: { kind: 'reset', applied: true } },
        { operation: 'migrate', match: { customer_no: 7 }, fault: { kind: 'reset', applied: false } },
      ],
    })
    const held = new Set(sandbox.mandates().map((each) => each.customer_no))
    const doubts = look((reader) => reader.rows(['in_doubt'], 0, ROWS))
    expect(doubts.map(({ customerNo }) => customerNo)).toEqual([3, 7])
    expect([held.has(3), held.has(7)]).toEqual([true, false])
    // Three registered rows are asked about as well, to vouch that this is the right place.
    expect(await read('in_doubt')).toMatchObject({ asked: doubts.length + 3, stop: null })
    for (const { id, customerNo } of doubts)
      expect(look((reader) => reader.proofsOfRow(id)).map(({ verdict }) => verdict)).toEqual([
        held.has(customerNo ?? 0) ? 'proven' : 'absent',
      ])
  })

  it('stops at a service that has no read-back, and goes on later', async () => {
    const { read, look, events } = await campaign({ readBack: 'off' })
    const end = await read('registered')
    expect(end.stop?.kind).toBe('no_read_back')
    expect(events.filter(({ kind }) => kind === 'stop')).toHaveLength(1)
    expect(look((reader) => reader.readBacks())).toMatchObject([{ endedAt: null, stoppedBy: 'no_read_back' }])
    expect(await read('registered')).toMatchObject({ isContinued: true, customers: ROWS })
  })

  it('records nothing once it was told to stop, and goes on with whom it did not ask', async () => {
    const { read, look } = await campaign()
    const controller = new AbortController()
    let answers = 0
    const end = await read('registered', {
      signal: controller.signal,
      watch: ({ kind }) => {
        if (kind === 'answer' && (answers += 1) === 5) controller.abort()
      },
    })
    expect(end.stop?.kind).toBe('signal')
    expect(end.asked).toBe(answers)
    expect(end.asked).toBeLessThan(ROWS)
    const rest = await read('registered')
    expect(rest).toMatchObject({ isContinued: true, id: end.id, asked: ROWS - end.asked, stop: null })
    expect(look((reader) => reader.readBacks())).toMatchObject([{ questions: ROWS, stoppedBy: null }])
  })

  it('refuses wrong credentials, another service and a ledger that was sent nowhere', async () => {
    const { read, service, ledger, look } = await campaign()
    expect((await read('registered', { service: { ...service, password: 'wrong' } })).stop?.kind).toBe(
      'credentials',
    )
    await expect(
      read('registered', { service: { ...service, baseUrl: 'http://127.0.0.1:9/other' } }),
    ).rejects.toMatchObject({ kind: 'ledger' })
    await expect(read('registered', { ledger: `${ledger}.none` })).rejects.toThrow(UsageError)
    expect(look((reader) => reader.proofCounts())).toEqual([])
  })
})
