import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { placeForEach } from '../support/place.js'
import { SAMPLES, start, type Started } from '../support/program.js'

const SEED = process.env['REHEARSAL_SEED'] ?? '7'
const ROWS = 240

interface Held {
  readonly customer_no: number
  readonly sepa_creditor_identifier: string
  readonly unique_mandate_reference: string
}

const place = placeForEach()
let sandbox: Started
let url: string

beforeEach(async () => {
  sandbox = place.start('sandbox', '--port', '0', '--chaos', '0.05', '--seed', SEED, '--latency', '5')
  url = await firstUrl(sandbox)
})
afterEach(async () => {
  sandbox.child.kill('SIGTERM')
  await sandbox.ended
})

async function firstUrl({ child }: Started): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const [found] = /http:\/\/\S+/.exec(line) ?? []
    if (found !== undefined) return found
  }
  throw new Error('The sandbox did not say where it is')
}

const program = (...args: string[]) => place.json(...args, '--base-url', url)
const RUN = ['run', join(SAMPLES, 'clean.csv'), '--max-in-doubt', '1000']

async function heldMandates(): Promise<Held[]> {
  const response = await fetch(`${url}/_sandbox/mandates`, {
    headers: { authorization: `Basic ${btoa('sandbox:sandbox')}` },
  })
  return (await response.json()) as Held[]
}

/** What a person does with in-doubt.csv and the service's own list beside it; the references to send again. */
async function fillIn(): Promise<string[]> {
  const held = new Map((await heldMandates()).map((mandate) => [String(mandate.customer_no), mandate]))
  place.edit(
    'in-doubt.csv',
    (row) => {
      const found = held.get(row['customer_no'] ?? '')
      return {
        ...row,
        migration_decision: found === undefined ? 'resend' : 'registered',
        migration_reason: found === undefined ? 'the service does not hold it' : 'the service holds it',
        migration_assigned_creditor_identifier: found?.sepa_creditor_identifier ?? '',
        migration_assigned_mandate_reference: found?.unique_mandate_reference ?? '',
      }
    },
    'decided.csv',
  )
  const resent = place.rows('decided.csv').filter((row) => row['migration_decision'] === 'resend')
  return resent.map((row) => row['unique_mandate_reference'] ?? '')
}

it(`a rehearsal with chaos and a kill ends with every mandate held once (seed ${SEED})`, async () => {
  const killed = start([...RUN, '--base-url', url], { cwd: place.folder(), env: place.env() })
  const lines = createInterface({ input: killed.child.stderr! })
  await once(lines, 'line')
  while ((await heldMandates()).length < 40);
  killed.child.kill('SIGKILL')
  expect((await killed.ended).signal).toBe('SIGKILL')

  let status = (await program(...RUN)).exitCode
  for (let round = 0; status !== 0 && round < 20; round += 1) {
    if (status === 4) {
      await place.program('report')
      const again = (await fillIn()).flatMap((reference) => ['--yes-resend', reference])
      const resolved = await place.json('resolve', '--from', 'decided.csv', '--by', 'ops', ...again)
      expect(resolved.errors).toEqual([])
    }
    status = (await program('run', '--max-in-doubt', '1000')).exitCode
  }
  expect(status).toBe(0)

  const held = await heldMandates()
  const customers = held.map(({ customer_no }) => customer_no)
  expect(customers).toHaveLength(ROWS)
  expect(new Set(customers).size).toBe(ROWS)
}, 240_000)
