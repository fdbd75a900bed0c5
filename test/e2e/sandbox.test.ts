import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { placeForEach } from '../support/place.js'
import { start } from '../support/program.js'

const { folder, ends, write } = placeForEach()

/** What it says of itself at the start. */
async function told(
  env: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<{ url: string; username: string; password?: string }> {
  const { child, ended } = start(['sandbox', '--port', '0', '--json', ...args], { cwd: folder(), env })
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string]
  return JSON.parse(line) as { url: string; username: string; password?: string }
}

const statusOf = async (url: string, credentials: string): Promise<number> =>
  (await fetch(url, { headers: { authorization: `Basic ${btoa(credentials)}` } })).status

it('the sandbox as a command makes up a password, prints it once at the start, and takes no other', async () => {
  const [one, two] = await Promise.all([told({}), told({})])
  expect(one.username).toBe('sandbox')
  expect(one.password).toMatch(/^[\w-]{20}$/)
  expect(two.password).not.toBe(one.password)
  expect(await statusOf(`${one.url}/_sandbox/mandates`, `sandbox:${one.password ?? ''}`)).toBe(200)
  expect(await statusOf(`${one.url}/_sandbox/mandates`, 'sandbox:sandbox')).toBe(401)
})

it('takes credentials of the environment, prints no such password, and behaves as it is told', async () => {
  const env = { SEPA_MIGRATE_USERNAME: 'ops', SEPA_MIGRATE_PASSWORD: 'of-my-own-choice' }
  const flags = ['--username', 'other', '--read-back', 'off']
  const { url, username, password } = await told(env, ...flags)
  expect([username, password]).toEqual(['other', undefined])
  expect(await statusOf(`${url}/_sandbox/mandates`, 'other:of-my-own-choice')).toBe(200)
  const list = `${url}/api/v2/payment_source?customer_no=7`
  expect(await statusOf(list, 'other:of-my-own-choice')).toBe(404)
  const { stderr } = await ends(2, 'sandbox', '--port', '0', '--duplicate', 'maybe')
  expect(stderr).toContain('Cannot read --duplicate: "maybe" is not one of refuse, conflict, register')
})

it('knows the customers of a file and nobody else, also a hundred thousand', async () => {
  const name = 'A customer whose name is as long as names are'
  const known = Array.from({ length: 100_000 }, (_, at) => ({ customer_no: at + 1, name }))
  write('customers.json', JSON.stringify(known))
  const { url, password = '' } = await told({}, '--customers', 'customers.json')
  const asked = (no: number): Promise<number> =>
    statusOf(`${url}/api/v2/customer/${no}`, `sandbox:${password}`)
  expect([await asked(1), await asked(100_000), await asked(100_001)]).toEqual([200, 200, 404])
})
