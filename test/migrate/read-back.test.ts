import { describe, expect, it } from 'vitest'
import { UsageError } from '../../src/errors.js'
import type { Scope } from '../../src/ledger/schema/schema.js'
import { migrate } from '../../src/migrate/migrate.js'
import { readBack, type ReadBackEvent } from '../../src/migrate/ask.js'
import { placeWith } from './place.js'
import type { SandboxOptions } from '../../src/sandbox/settings.js'

const ROWS = 30

/** A campaign of thirty rows that was sent to a sandbox. What an asking proves: test/e2e/verify.test.ts. */
async function campaign(options: SandboxOptions = {}) {
  const { place, asked } = await placeWith(ROWS, options)
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
  return { read, look: place.look, events, ledger, service }
}

describe('readBack', () => {
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
    const { stop } = await read('registered', { service: { ...service, password: 'wrong' } })
    expect(stop?.kind).toBe('credentials')
    const other = { ...service, baseUrl: 'http://127.0.0.1:9/other' }
    await expect(read('registered', { service: other })).rejects.toMatchObject({ kind: 'ledger' })
    await expect(read('registered', { ledger: `${ledger}.none` })).rejects.toThrow(UsageError)
    expect(look((reader) => reader.proofCounts())).toEqual([])
  })
})
