import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { filesBelow } from '../support/folder.js'
import { mandate } from '../support/export.js'
import { nextOf, placeOfTest } from '../support/place.js'

const SURNAME = 'Wodanswald'
/** Letters in which no two numbers are alike. */
const letters = (n: number): string =>
  Array.from({ length: 6 }, (_, at) => String.fromCharCode(97 + ((n * 7 ** (at + 1) + at * n) % 26))).join('')
const surname = (n: number): string => `${SURNAME}${letters(n)}`

/** Customers who are those of the export, or the next ones. */
async function open(rows: number, shift = 0) {
  const numbers = Array.from({ length: rows }, (_, n) => n)
  const customers = numbers.map((n) => ({ customer_no: 1_000 + n, name: `${surname(n)} Serviceborn` }))
  const place = await placeOfTest({ sandbox: { latencyMs: 2, customers }, ownState: true })
  const customerOf = (n: number): string => String(1_000 + ((n + shift) % rows))
  const told = (n: number) => ({ customer_no: customerOf(n), payer_name: `${surname(n)}, Exportkind` })
  place.save(
    'export.csv',
    numbers.map((n) => mandate(n, told(n))),
  )
  return place
}

it('check, plan and run refuse a shifted crosswalk with masked names, and send nothing', async () => {
  const { program, sandbox } = await open(40, 1)
  for (const argv of [
    ['check', 'export.csv', '--who'],
    ['plan', 'export.csv', '--who'],
    ['run', 'export.csv', '--who', '--log-file', 'log.jsonl'],
    ['run', 'export.csv'],
    ['run', 'export.csv', '--json'],
  ]) {
    const ended = await program(...argv)
    expect([ended.status, argv], ended.stderr).toEqual([7, argv])
    expect(ended.stdout + ended.stderr).toMatch(/for (?:3\d|40) of 40 rows/)
    expect(ended.stdout + ended.stderr).not.toContain(SURNAME)
    if (argv.includes('--who'))
      expect(ended.stdout + ended.stderr).toMatch(/\d+: the service says W… S…, the export W… E…/)
  }
  expect(sandbox().mandates()).toEqual([])
})

it('each next command goes on asking: whoever a check or a pilot held is not sent by it', async () => {
  const { program, pasteNext, edit, read, held } = await open(12)
  edit('export.csv', (row) => (row['customer_no'] === '1005' ? { ...row, customer_no: '1006' } : row))
  const checked = await program('check', 'export.csv', '--who')
  const counted = 'The service was asked who 11 customers are: 10 agree, 1 differ, 0 unknown.'
  expect([checked.status, checked.stdout]).toEqual([3, expect.stringContaining(counted)])
  expect(nextOf(checked)).toBe('sepa-migrate run export.csv --who --limit 10')
  const pilot = await pasteNext(checked)
  expect(pilot.stdout).toContain(counted)
  expect(nextOf(pilot)).toBe('sepa-migrate run --who')
  const ran = await program('run')
  expect([ran.status, held().length], ran.stderr).toEqual([3, 11])
  expect(held().filter((no) => no === 1_006)).toHaveLength(1)
  expect(nextOf(ran)).toBe('sepa-migrate run sepa-migrate-report/to-do/to-do.xlsx')
  expect(ran.stdout).toContain(counted)
  expect(read('report.html')).toContain('The service was asked about 11 customers: 10 agree, 1 differ')
})

it('a plan that asked goes by the lines that plan and approve print', async () => {
  const { program, ends, pasteNext, held } = await open(12)
  const planned = await program('plan', 'export.csv', '--who', '--to', 'plan.json')
  const line = 'sepa-migrate run export.csv --who --plan plan.json'
  expect([planned.status, planned.stdout]).toEqual([0, expect.stringContaining(line)])
  const approved = await ends(0, 'approve', 'plan.json', '--yes', '--by', 'bea', '--reference', 'CAB-1')
  expect(nextOf(approved)).toMatch(/ --plan plan\.json .* --who\b/)
  const ran = await pasteNext(approved)
  expect([ran.status, held().length], ran.stderr).toEqual([0, 12])
})

it('the customers of the export are told, sent, and named nowhere; the configuration asks for good', async () => {
  const { ends, folder, path, read, write, sandbox } = await open(40)
  expect((await ends(0, 'check', 'export.csv', '--who')).stdout).toContain('40 agree, 0 differ, 0 unknown.')
  write('sepa-migrate.yaml', 'service: { customers: true }\n')
  await ends(0, 'plan', 'export.csv', '--to', 'plan.json')
  await ends(0, 'run', 'export.csv', '--log-file', 'log.jsonl')
  expect(sandbox().requests().received).toMatchObject({ customer: 80, migrate: 40 })
  const files = filesBelow(folder()).filter((name) => name !== 'export.csv')
  expect(files).toContain('log.jsonl')
  expect(files.filter((name) => readFileSync(path(name)).includes(SURNAME))).toEqual([])
  expect(read('report.html')).toContain('asked about 40 customers: 40 agree, 0 differ')
})

it('killed at any moment while it asks, it goes on, and each of whom it is known is asked once', async () => {
  const { ends, sandbox, start } = await open(800)
  let kills = 0
  for (; kills < 4; kills += 1) {
    const before = sandbox().requests().received.customer
    const running = start('run', 'export.csv', '--who', '--concurrency', '8')
    while (sandbox().requests().received.customer < before + 40 + 60 * kills) await sleep(2)
    running.child.kill('SIGKILL')
    await running.ended
  }
  expect(sandbox().mandates()).toEqual([])
  await ends(0, 'run', 'export.csv', '--who', '--concurrency', '8')
  expect(sandbox().mandates()).toHaveLength(800)
  // What a kill took were answers of the last second, a hundred at most, and the requests under way.
  expect(sandbox().requests().received.customer).toBeLessThanOrEqual(800 + kills * 110)
})
