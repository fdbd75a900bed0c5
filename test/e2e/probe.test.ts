import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTerminal } from '../support/terminal.js'
import { CREDENTIALS, makeFolder, runProgram, start, type Started } from '../support/program.js'

let place: ReturnType<typeof makeFolder>
const running: Started[] = []

beforeEach(() => {
  place = makeFolder()
})
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGTERM')
    await ended
  }
  place.remove()
})

/** A sandbox as people start it; gives its address. */
async function sandbox(...args: string[]): Promise<string> {
  const started = start(['sandbox', '--port', '0', '--json', ...args], {
    cwd: place.folder,
    env: CREDENTIALS,
  })
  running.push(started)
  const [line] = (await once(createInterface({ input: started.child.stdout! }), 'line')) as [string]
  return (JSON.parse(line) as { url: string }).url
}

const argvOf = (url: string, ...more: string[]): string[] => [
  'probe',
  '--base-url',
  url,
  '--customer',
  '1001',
  ...more,
]
const options = () => ({ cwd: place.folder, env: CREDENTIALS })

async function heldAt(url: string): Promise<string[]> {
  const { SEPA_MIGRATE_USERNAME, SEPA_MIGRATE_PASSWORD } = CREDENTIALS
  const authorization = `Basic ${btoa(`${SEPA_MIGRATE_USERNAME}:${SEPA_MIGRATE_PASSWORD}`)}`
  const answer = await fetch(`${url}/_sandbox/mandates`, { headers: { authorization } })
  const mandates = (await answer.json()) as { unique_mandate_reference: string }[]
  return mandates.map((mandate) => mandate.unique_mandate_reference)
}

describe('probe, as a user types it', () => {
  it('tells what a late sandbox does that answers a conflict, proposes it, and names what it left there', async () => {
    const url = await sandbox('--duplicate', 'conflict', '--read-back-lag', '1')
    const { status, stdout, stderr } = await runProgram(argvOf(url, '--to', 'proposal.yaml'), options())
    expect([status, stderr.match(/^(Error|Warning)/m)]).toEqual([0, null])
    expect(stdout).toContain('the same mandate twice: the service answered a conflict (409, CONFLICT')
    expect(stdout).toMatch(/a new mandate shows: not yet after \d s, and after \d s at the latest/)
    expect(readFileSync(join(place.folder, 'proposal.yaml'), 'utf8')).toMatch(
      /^service:\n {2}#.*\n {2}readBack: true\noutcomes:\n(?: {2}#.*\n)+ {2}'409': in_doubt$/m,
    )
    const held = await heldAt(url)
    expect(held).toHaveLength(3)
    for (const reference of held) expect(stdout).toContain(`assigned ${reference}, id ps-`)
  })

  it.each([
    [['--duplicate', 'refuse'], 'exists', 'one', 'available'],
    [['--duplicate', 'register'], 'second_mandate', 'two', 'available'],
    [['--duplicate', 'conflict', '--read-back', 'off'], 'conflict', 'not_known', 'missing'],
  ])('finds out %j', async (choice, duplicate, held, readBack) => {
    const argv = argvOf(await sandbox(...choice), '--json', '--wait', '2')
    const { status, stdout } = await runProgram(argv, options())
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      findings: { duplicate: { finding: duplicate, held }, readBack: { finding: readBack } },
    })
  })

  it('ends at Ctrl-C after the answer that is under way, and names what was registered', async () => {
    const url = await sandbox('--latency', '200')
    const { child, ended } = start(argvOf(url), options())
    for await (const line of createInterface({ input: child.stderr! }))
      if (line.startsWith('Sending PROBE-')) break
    child.kill('SIGINT')
    const { status, stdout } = await ended
    expect(status).toBe(130)
    const held = await heldAt(url)
    expect(held).toHaveLength(1)
    expect(stdout).toContain(`registered, assigned ${held[0]!}`)
  })

  it('shows a plan and has the host name typed; another one sends nothing', async () => {
    const session = openTerminal(argvOf('https://mistyped.example', '--customer', '1002'), {
      cwd: place.folder,
      columns: 120,
      env: { ...CREDENTIALS, XDG_STATE_HOME: join(place.folder, 'state') },
    })
    await session.shows('Type the host name "mistyped.example" to send')
    const plan = (await session.screen()).join('\n')
    expect(plan).toContain('Target: https://mistyped.example, which must be a test environment')
    expect(plan).toContain('Customers: 1001, 1002, and 2147483647 as an unknown one')
    expect(plan).toContain('To send: 7 requests for made-up mandates')
    session.type('test.example\r')
    expect(await session.ended).toBe(2)
    const end = (await session.screen()).join('\n')
    expect(end).toContain('The host name was not confirmed, so nothing was sent')
    expect(end).not.toContain('Reading what customer')
  })
})
