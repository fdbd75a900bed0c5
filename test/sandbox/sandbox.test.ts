import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../../src/errors.js'
import { startSandbox } from '../../src/sandbox/sandbox.js'
import { migrate, start } from './exchange.js'

describe('startSandbox', () => {
  it('listens on a free loopback port with the default credentials', async () => {
    const sandbox = await start()
    expect(sandbox.url).toBe(`http://127.0.0.1:${sandbox.port}`)
    expect(sandbox.username).toBe('sandbox')
    expect((await migrate(sandbox)).status).toBe(200)
  })

  it('draws a seed unless it is given one, and repeats references with it', async () => {
    const drawn = [await startSandbox(), await startSandbox()]
    expect(drawn[0]?.seed).not.toBe(drawn[1]?.seed)
    await Promise.all(drawn.map((sandbox) => sandbox.close()))
    const [one, two] = [await start({ seed: 7 }), await start({ seed: 7 })]
    await migrate(one)
    await migrate(two)
    expect(two.mandates()[0]?.unique_mandate_reference).toBe(one.mandates()[0]?.unique_mandate_reference)
  })

  it('closes once, and may be asked again', async () => {
    const sandbox = await startSandbox()
    await Promise.all([sandbox.close(), sandbox.close()])
    await sandbox.close()
    await expect(migrate(sandbox)).rejects.toThrow('ECONNREFUSED')
  })

  it('says that a port is in use', async () => {
    const occupant = createServer().listen(0, '127.0.0.1')
    await once(occupant, 'listening')
    const { port } = occupant.address() as AddressInfo
    const told = `Cannot listen on 127.0.0.1:${port}: the port is in use`
    await expect(startSandbox({ port })).rejects.toThrow(told)
    occupant.close()
  })
})

describe('the options', () => {
  it.each([
    [{ port: 70_000 }, 'port'],
    [{ port: 1.5 }, 'port'],
    [{ latencyMs: -1 }, 'latencyMs'],
    [{ chaos: 1.5 }, 'chaos'],
    [{ chaos: Number.NaN }, 'chaos'],
    [{ seed: 0.5 }, 'seed'],
    [{ username: 'a:b' }, 'username'],
    [{ username: '' }, 'username'],
    [{ password: '' }, 'password'],
    [{ dataFile: '' }, 'dataFile'],
    [{ choices: { cancelledSources: 'maybe' } }, 'choices.cancelledSources'],
    [{ faults: [{ times: 0, fault: { kind: 'reset' } }] }, 'rule 1, times'],
    [{ faults: [{ mach: {}, fault: { kind: 'reset' } }] }, /rule 1: .*"mach"/],
    [{ customers: {} }, 'customers: must be a JSON list of customers'],
    [{ customers: [{ customer_no: 0, name: 'A' }] }, 'customers.0.customer_no'],
    [{ customers: [{ customer_no: 1 }] }, 'customers.0.name'],
    [{ customers: [{ customer_no: 1, name: 'A', iban: 'x' }] }, 'iban'],
    // What would do nothing.
    [{ limt: 3 }, /^startSandbox has no option "limt"/],
    [{ latency: 3 }, /"latency"; the nearest is "latencyMs"/],
    [{ choices: { repeatMandate: 'refuse' } }, /choices has no option "repeatMandate"; .* "repeatedMandate"/],
  ])('%j is refused by name', async (options, name) => {
    const refusal = startSandbox(options as object)
    await expect(refusal).rejects.toThrow(UsageError)
    await expect(refusal).rejects.toThrow(name)
  })

  it('may be given as undefined, which is the same as left out', async () => {
    const names = 'host port username password dataFile latencyMs chaos faults choices log now'.split(' ')
    const sandbox = await start(Object.fromEntries(names.map((name) => [name, undefined])))
    expect(sandbox.username).toBe('sandbox')
  })

  it('make up a password that nobody can guess, on every host', async () => {
    const password = undefined
    const [one, two] = [await start({ password }), await start({ host: '0.0.0.0', password })]
    expect(one.password).toMatch(/^[\w-]{20}$/)
    expect(two.password).not.toBe(one.password)
    for (const sandbox of [one, two])
      expect((await migrate(sandbox, {}, { credentials: `sandbox:${sandbox.password}` })).status).toBe(200)
    expect((await migrate(one)).status).toBe(401)
  })
})
