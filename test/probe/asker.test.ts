import { describe, expect, it, onTestFinished } from 'vitest'
import { startAsking, type AskerParts } from '../../src/probe/asker.js'
import { connectReader, connectTo, checkService } from '../../src/service/checked-service.js'
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.js'
import type { SandboxOptions } from '../../src/sandbox/settings.js'
import { next } from './outcomes.js'

/** An asker of a sandbox whose waits are noted and take no time. */
async function asking(options: SandboxOptions) {
  const sandbox = await startSandbox({ seed: 1, ...options })
  return { sandbox, ...askerOf(sandbox.url, sandbox) }
}

function askerOf(baseUrl: string, sandbox: Sandbox | null = null) {
  const machine = { version: '0', clock: { now: () => Date.now(), monotonic: () => performance.now() } }
  const service = checkService({ baseUrl, timeoutMs: 5_000 }, {})
  const credentials = { username: 'sandbox', password: 'sandbox' }
  const [client, reader] = [
    connectTo(service, credentials, machine),
    connectReader(service, credentials, machine),
  ]
  onTestFinished(async () => {
    await Promise.all([client.close(), reader.close()])
    await sandbox?.close()
  })
  const waits: number[] = []
  const stop = new AbortController()
  const ids: string[] = []
  const parts: AskerParts = {
    client,
    reader,
    clock: machine.clock,
    after: (delayMs, wake) => {
      waits.push(delayMs)
      const timer = setImmediate(wake)
      return () => clearImmediate(timer)
    },
    signal: stop.signal,
    giveUp: new AbortController().signal,
    newRequestId: () => {
      ids.push(`id-${ids.length + 1}`)
      return `id-${ids.length}`
    },
  }
  return { asker: startAsking(parts), parts, waits, stop, ids }
}

const throttle = (retry_after: number | null, times: number) =>
  [{ operation: 'any', times, fault: { kind: 'throttle', retry_after } }] as const

describe('a mandate', () => {
  it('that was turned away is sent again, each time later and as the service asks', async () => {
    const { asker, sandbox, waits, ids } = await asking({ faults: throttle(3, 3) })
    expect(await asker.post(next(1))).toMatchObject({ kind: 'registered' })
    expect(waits).toEqual([3_000, 3_000, 4_000])
    expect(sandbox.mandates().map(({ request_id: id }) => id)).toEqual(['id-4'])
    expect([asker.throttledPosts(), new Set(ids).size]).toEqual([3, 4])
  })

  it('that is turned away for ever is given up', async () => {
    const { asker, waits } = await asking({ faults: throttle(null, 100) })
    expect(await asker.post(next(1))).toMatchObject({ kind: 'turned_away' })
    expect([waits, asker.ended()]).toEqual([[1_000, 2_000, 4_000, 8_000], null])
  })

  it('is not waited for where the service asks for more than a minute', async () => {
    const { asker, waits } = await asking({ faults: throttle(61, 1) })
    expect(await asker.post(next(1))).toMatchObject({ kind: 'turned_away' })
    expect(waits).toEqual([])
  })

  it.each([
    { kind: 'reset', applied: true },
    { kind: 'reset', applied: false },
    { kind: 'server_error', status: 503 },
    { kind: 'refuse', status: 409 },
    { kind: 'cut' },
  ] as const)('in doubt by %o is never sent again', async (fault) => {
    const { asker, sandbox, ids } = await asking({ faults: [{ operation: 'migrate', fault }] })
    expect(await asker.post(next(1))).toMatchObject({ kind: 'in_doubt' })
    expect([ids.length, sandbox.requests().received.migrate]).toEqual([1, 1])
  })

  it('for nobody who listens ends everything', async () => {
    const { asker, waits } = askerOf('http://127.0.0.1:9')
    expect(await asker.post(next(1))).toMatchObject({ kind: 'not_sent' })
    expect([asker.ended(), waits.length]).toEqual(['no_connection', 4])
    expect(await asker.post(next(1))).toBe(null)
    expect(await asker.list(1)).toBe(null)
  })

  it.each([
    [{ kind: 'refuse', status: 401 }, 'credentials'],
    [{ kind: 'refuse', status: 403 }, 'credentials'],
    [{ kind: 'answer', status: 307, headers: { location: '/elsewhere' } }, 'redirect'],
    [{ kind: 'nonsense', answer: 'wrong_echo' }, 'echo_mismatch'],
  ] as const)('answered %o ends everything', async (fault, ended) => {
    const { asker } = await asking({ faults: [{ operation: 'migrate', fault }] })
    await asker.post(next(1))
    expect(asker.ended()).toBe(ended)
    expect(await asker.post(next(1))).toBe(null)
  })
})

describe('a read', () => {
  it('is asked again while that may help, and not otherwise', async () => {
    const lost = await asking({ faults: [{ operation: 'read_back', times: 2, fault: { kind: 'reset' } }] })
    expect(await lost.asker.list(1)).toMatchObject({ kind: 'listed' })
    expect(lost.waits).toEqual([1_000, 2_000])
    const off = await asking({ readBack: 'off' })
    expect(await off.asker.list(1)).toMatchObject({ kind: 'not_read', cause: 'missing' })
    expect([off.waits, off.asker.ended()]).toEqual([[], null])
    const once = await asking({ faults: throttle(1, 100) })
    expect(await once.asker.listOnce(1)).toMatchObject({ cause: 'not_now', status: 429 })
    expect(once.waits).toEqual([])
  })

  it('that is forbidden ends nothing: it says no more of the credentials than that they may not read', async () => {
    const refuse = (status: number) =>
      asking({ faults: [{ operation: 'read_back', fault: { kind: 'refuse', status } }] })
    const forbidden = await refuse(403)
    expect(await forbidden.asker.list(1)).toMatchObject({ cause: 'refused', status: 403 })
    expect(forbidden.asker.ended()).toBe(null)
    const wrong = await refuse(401)
    await wrong.asker.list(1)
    expect(wrong.asker.ended()).toBe('credentials')
  })
})

describe('a signal', () => {
  it('ends a wait at once, and nothing further is asked', async () => {
    const { parts, sandbox } = await asking({})
    const stop = new AbortController()
    let [isTaken, isBegun] = [false, false]
    const after = (): (() => void) => {
      isBegun = true
      return () => void (isTaken = true)
    }
    const asker = startAsking({ ...parts, after, signal: stop.signal })
    const pausing = asker.pause(3_600_000)
    stop.abort()
    await pausing
    expect([isBegun, isTaken, asker.ended()]).toEqual([true, true, 'signal'])
    expect(await asker.post(next(1))).toBe(null)
    expect(await asker.list(1)).toBe(null)
    await asker.pause(1)
    expect(sandbox.requests().received).toMatchObject({ migrate: 0, read_back: 0 })
  })

  it('keeps a mandate that was turned away from being sent again', async () => {
    const { asker, stop, sandbox } = await asking({
      faults: throttle(1, 100),
      log: (line) => (line.startsWith('fault') ? stopped() : undefined),
    })
    function stopped(): void {
      stop.abort()
    }
    expect(await asker.post(next(1))).toMatchObject({ kind: 'turned_away' })
    expect([asker.ended(), sandbox.requests().received.migrate]).toEqual(['signal', 1])
  })
})
