import { expect, it } from 'vitest'
import { placeForAll } from '../support/place.js'

const SEED = Number(process.env['REHEARSAL_SEED'] ?? 7)
const ROWS = 150
const { start, sandbox, held, json, edit, rows } = placeForAll({
  rows: ROWS,
  sandbox: { chaos: 0.05, seed: SEED, latencyMs: 5 },
})

/** What a person does with in-doubt.csv and the service's own list beside it; the references to send again. */
function fillIn(): string[] {
  const there = new Map(
    sandbox()
      .mandates()
      .map((mandate) => [String(mandate.customer_no), mandate]),
  )
  edit(
    'in-doubt.csv',
    (row) => {
      const found = there.get(row['customer_no'] ?? '')
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
  const resent = rows('decided.csv').filter((row) => row['migration_decision'] === 'resend')
  return resent.map((row) => row['unique_mandate_reference'] ?? '')
}

it(`a rehearsal with chaos and a kill ends with every mandate held once (seed ${SEED})`, async () => {
  const killed = start('run', 'export.csv', '--max-in-doubt', '1000')
  while (held().length < 40) await new Promise((resolve) => setImmediate(resolve))
  killed.child.kill('SIGKILL')
  expect((await killed.ended).signal).toBe('SIGKILL')

  let status = 4
  for (let round = 0; status !== 0 && round < 20; round += 1) {
    status = (await json('run', '--max-in-doubt', '1000')).exitCode
    if (status !== 4) continue
    await json('report')
    const again = fillIn().flatMap((reference) => ['--yes-resend', reference])
    const resolved = await json('resolve', '--from', 'decided.csv', '--by', 'ops', ...again)
    expect(resolved.errors).toEqual([])
  }
  expect(status).toBe(0)
  expect(held()).toHaveLength(ROWS)
  expect(new Set(held()).size).toBe(ROWS)
}, 120_000)
