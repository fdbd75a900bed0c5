import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterEach, describe, expect, it } from 'vitest'
import { placeForEach } from '../support/place.js'
import { start, type Started } from '../support/program.js'

const { folder, program } = placeForEach()
const running: Started[] = []

afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGTERM')
    await ended
  }
})

/** What it says of itself at the start. */
async function told(
  env: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<{ url: string; username: string; password?: string }> {
  const started = start(['sandbox', '--port', '0', '--json', ...args], { cwd: folder(), env })
  running.push(started)
  const [line] = (await once(createInterface({ input: started.child.stdout! }), 'line')) as [string]
  return JSON.parse(line) as { url: string; username: string; password?: string }
}

const status = async (url: string, credentials: string): Promise<number> =>
  (
    await fetch(`${url}/_sandbox/mandates`, {
      headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
    })
  ).status

describe('9.2.5 the sandbox as a command', () => {
  it('makes up a password, prints it once at the start, and takes no other', async () => {
    const [one, two] = [await told({}), await told({})]
    expect(one.username).toBe('sandbox')
    expect(one.password).toMatch(/^[\w-]{20}$/)
    expect(two.password).not.toBe(one.password)
    expect(await status(one.url, `sandbox:${one.password ?? ''}`)).toBe(200)
    expect(await status(one.url, 'sandbox:sandbox')).toBe(401)
  })

  it('takes user name and password from the environment, and does not print that password', async () => {
    const env = { SEPA_MIGRATE_USERNAME: 'ops', SEPA_MIGRATE_PASSWORD: 'of-my-own-choice' }
    const { url, username, password } = await told(env)
    expect([username, password]).toEqual(['ops', undefined])
    expect(await status(url, 'ops:of-my-own-choice')).toBe(200)
    const flagged = await told(env, '--username', 'other')
    expect(flagged.username).toBe('other')
  })

  it('answers for payment sources and for a mandate that comes twice, as it is told', async () => {
    const env = { SEPA_MIGRATE_USERNAME: 'ops', SEPA_MIGRATE_PASSWORD: 'of-my-own-choice' }
    const authorization = `Basic ${btoa('ops:of-my-own-choice')}`
    const play = async (...args: string[]): Promise<number[]> => {
      const { url } = await told(env, ...args)
      const migrate = (): Promise<Response> =>
        fetch(`${url}/api/v2/sepa_dd_mandate/migrate`, {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body: JSON.stringify({
            customer_no: 7,
            iban: 'DE89370400440532013000',
            signed_date: '2020-02-29',
            amendment: { sepa_creditor_identifier: 'DE98ZZZ09999999999', unique_mandate_reference: 'OLD-7' },
          }),
        })
      const list = (): Promise<Response> =>
        fetch(`${url}/api/v2/payment_source?customer_no=7`, { headers: { authorization } })
      return [(await migrate()).status, (await migrate()).status, (await list()).status]
    }
    expect(await play()).toEqual([200, 400, 200])
    expect(await play('--duplicate', 'conflict', '--read-back-lag', '3600')).toEqual([200, 409, 204])
    expect(await play('--duplicate', 'register', '--read-back', 'off')).toEqual([200, 200, 404])
  })

  it('refuses a word that it does not know', async () => {
    const { status: code, stderr } = await program('sandbox', '--port', '0', '--duplicate', 'maybe')
    expect(code).toBe(2)
    expect(stderr).toContain('Cannot read --duplicate: "maybe" is not one of refuse, conflict, register')
  })
})
