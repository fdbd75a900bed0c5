import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { stringify } from 'csv-stringify/sync'
import Papa from 'papaparse'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  CREDENTIALS,
  inReport,
  makeFolder,
  runProgram,
  SAMPLES,
  start,
  type Ended,
  type Started,
} from '../support/program.js'

const SEED = process.env['REHEARSAL_SEED'] ?? '7'
const ROWS = 240

interface Held {
  readonly customer_no: number
  readonly sepa_creditor_identifier: string
  readonly unique_mandate_reference: string
}

let place: ReturnType<typeof makeFolder>
let sandbox: Started
let url: string

beforeEach(async () => {
  place = makeFolder()
  sandbox = start(['sandbox', '--port', '0', '--chaos', '0.05', '--seed', SEED, '--latency', '5'], {
    cwd: place.folder,
    env: CREDENTIALS,
  })
  url = await firstUrl(sandbox)
})
afterEach(async () => {
  sandbox.child.kill('SIGTERM')
  await sandbox.ended
  place.remove()
})

async function firstUrl({ child }: Started): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const [found] = /http:\/\/\S+/.exec(line) ?? []
    if (found !== undefined) return found
  }
  throw new Error('The sandbox did not say where it is')
}

const options = () => ({ cwd: place.folder, env: { ...CREDENTIALS, SEPA_MIGRATE_BASE_URL: url } })
const program = (...args: string[]): Promise<Ended> => runProgram([...args, '--json'], options())
const RUN = ['run', join(SAMPLES, 'clean.csv'), '--max-in-doubt', '1000']

async function heldMandates(): Promise<Held[]> {
  const response = await fetch(`${url}/_sandbox/mandates`, {
    headers: { authorization: `Basic ${Buffer.from('sandbox:sandbox').toString('base64')}` },
  })
  return (await response.json()) as Held[]
}

/** What a person does with in-doubt.csv and the service's own list beside it. */
async function fillIn(): Promise<string[]> {
  const held = new Map((await heldMandates()).map((mandate) => [String(mandate.customer_no), mandate]))
  const text = readFileSync(join(place.folder, inReport('in-doubt.csv')), 'utf8')
  const { data } = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true })
  const decided = data.map((row) => {
    const found = held.get(row['customer_no'] ?? '')
    return {
      ...row,
      migration_decision: found === undefined ? 'resend' : 'registered',
      migration_reason: found === undefined ? 'the service does not hold it' : 'the service holds it',
      migration_assigned_creditor_identifier: found?.sepa_creditor_identifier ?? '',
      migration_assigned_mandate_reference: found?.unique_mandate_reference ?? '',
    }
  })
  writeFileSync(join(place.folder, 'decided.csv'), stringify(decided, { header: true, quoted: true }))
  return decided.flatMap((row) =>
    row.migration_decision === 'resend'
      ? [(row as Record<string, string>)['unique_mandate_reference'] ?? '']
      : [],
  )
}

it(`a rehearsal with chaos and a kill ends with every mandate held once (seed ${SEED})`, async () => {
  const killed = start(RUN, options())
  const lines = createInterface({ input: killed.child.stderr! })
  await once(lines, 'line')
  while ((await heldMandates()).length < 40);
  killed.child.kill('SIGKILL')
  expect((await killed.ended).signal).toBe('SIGKILL')

  let status = (await program(...RUN)).status
  for (let round = 0; status !== 0 && round < 20; round += 1) {
    if (status === 4) {
      await program('report')
      const again = (await fillIn()).flatMap((reference) => ['--yes-resend', reference])
      const resolved = await program('resolve', '--from', 'decided.csv', '--by', 'ops', ...again)
      expect(JSON.parse(resolved.stdout)).toMatchObject({ errors: [] })
    }
    status = (await program('run', '--max-in-doubt', '1000')).status
  }
  expect(status).toBe(0)

  const held = await heldMandates()
  const customers = held.map(({ customer_no }) => customer_no)
  expect(customers).toHaveLength(ROWS)
  expect(new Set(customers).size).toBe(ROWS)
}, 240_000)
