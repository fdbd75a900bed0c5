import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { startSandbox } from '../../src/sandbox/sandbox.js'
import { germanIban } from '../support/export.js'
import { freshFolder } from '../support/folder.js'
import { runProgram, start } from '../support/program.js'

const HEADER = 'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,payer_name'
const SURNAME = 'Wodanswald'
/** Letters in which no two numbers are alike. */
const letters = (n: number): string =>
  Array.from({ length: 6 }, (_, at) => String.fromCharCode(97 + ((n * 7 ** (at + 1) + at * n) % 26))).join('')
const surname = (n: number): string => `${SURNAME}${letters(n)}`

/** Customers who are those of the export, or the next ones. */
async function open(rows: number, shift = 0) {
  const folder = freshFolder('who-')
  const no = (n: number): number => 1_000 + n
  const sandbox = await startSandbox({
    username: 'test',
    password: 'of the test',
    latencyMs: 2,
    customers: Array.from({ length: rows }, (_, n) => ({
      customer_no: no(n),
      name: `${surname(n)} Serviceborn`,
    })),
  })
  onTestFinished(() => sandbox.close())
  const lines = Array.from(
    { length: rows },
    (_, n) =>
      `${no((n + shift) % rows)},${germanIban(n)},2024-03-${String((n % 28) + 1).padStart(2, '0')},DE98ZZZ09999999999,M-${n},"${surname(n)}, Exportkind"`,
  )
  writeFileSync(join(folder, 'export.csv'), [HEADER, ...lines, ''].join('\n'), { mode: 0o600 })
  const env = {
    SEPA_MIGRATE_BASE_URL: sandbox.url,
    SEPA_MIGRATE_USERNAME: 'test',
    SEPA_MIGRATE_PASSWORD: 'of the test',
    XDG_STATE_HOME: join(folder, 'state'),
  }
  const at = { cwd: folder, env }
  return { folder, sandbox, at, program: (...argv: string[]) => runProgram(argv, at) }
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
  expect(sandbox.mandates()).toEqual([])
})

/** What the last line of a command says to type. */
const nextOf = (stdout: string): string[] =>
  (/Next: sepa-migrate (.*)\n$/.exec(stdout)?.[1] ?? 'no next line').split(' ')

it('a pilot of three does not hide that the others are strangers', async () => {
  const { program, folder, sandbox } = await open(12, 1)
  const path = join(folder, 'export.csv')
  // The first three have their own numbers, the crosswalk slips behind them.
  const lines = readFileSync(path, 'utf8').split('\n')
  const slipped = lines.map((line, at) => (at > 0 && at < 4 ? line.replace(/^\d+/, `${999 + at}`) : line))
  writeFileSync(path, slipped.join('\n'))
  for (const name of ['run', 'plan', 'check']) {
    const ended = await program(name, 'export.csv', '--who', ...(name === 'check' ? [] : ['--limit', '3']))
    expect([name, ended.status], ended.stderr).toEqual([name, 7])
    expect(ended.stderr).toContain('for 9 of 12 rows')
  }
  expect(sandbox.mandates()).toEqual([])
})

it('each next command goes on asking: whoever a check or a pilot held is not sent by it', async () => {
  const { program, folder, sandbox } = await open(12)
  const path = join(folder, 'export.csv')
  const lines = readFileSync(path, 'utf8').split('\n')
  writeFileSync(path, lines.map((line) => line.replace(/^1005,/, '1006,')).join('\n'))
  const checked = await program('check', 'export.csv', '--who')
  const counted = 'The service was asked who 11 customers are: 10 agree, 1 differ, 0 unknown.'
  expect([checked.status, checked.stdout]).toEqual([3, expect.stringContaining(counted)])
  expect(nextOf(checked.stdout)).toEqual(['run', 'export.csv', '--who', '--limit', '10'])
  const pilot = await program(...nextOf(checked.stdout))
  expect(pilot.stdout).toContain(counted)
  expect(nextOf(pilot.stdout)).toEqual(['run', '--who'])
  const ran = await program('run')
  expect([ran.status, sandbox.mandates().length], ran.stderr).toEqual([3, 11])
  expect(sandbox.mandates().filter(({ customer_no: no }) => no === 1_006)).toHaveLength(1)
  expect(nextOf(ran.stdout)).toEqual(['run', 'sepa-migrate-report/to-do/to-do.xlsx'])
  expect(ran.stdout).toContain(counted)
  const page = readFileSync(join(folder, 'sepa-migrate-report', 'report.html'), 'utf8')
  expect(page).toContain('The service was asked about 11 customers: 10 agree, 1 differ')
})

it('a plan that asked goes by the lines that plan and approve print', async () => {
  const { program, sandbox } = await open(12)
  const planned = await program('plan', 'export.csv', '--who', '--to', 'plan.json')
  const line = 'sepa-migrate run export.csv --who --plan plan.json'
  expect([planned.status, planned.stdout]).toEqual([0, expect.stringContaining(line)])
  const approved = await program('approve', 'plan.json', '--yes', '--by', 'bea', '--reference', 'CAB-1')
  expect(approved.status, approved.stderr).toBe(0)
  expect(nextOf(approved.stdout)).toContain('--who')
  const ran = await program(...nextOf(approved.stdout))
  expect([ran.status, sandbox.mandates().length], ran.stderr).toEqual([0, 12])
})

it('the customers of the export are told, sent, and named nowhere; the configuration asks for good', async () => {
  const { program, folder, sandbox } = await open(40)
  const checked = await program('check', 'export.csv', '--who')
  expect([checked.status, checked.stdout]).toEqual([
    0,
    expect.stringContaining('The service was asked who 40 customers are: 40 agree, 0 differ, 0 unknown.'),
  ])
  writeFileSync(join(folder, 'sepa-migrate.yaml'), 'service: { customers: true }\n', { mode: 0o600 })
  const planned = await program('plan', 'export.csv', '--to', 'plan.json')
  expect(planned.status, planned.stderr).toBe(0)
  const ran = await program('run', 'export.csv', '--log-file', 'log.jsonl')
  expect(ran.status, ran.stderr).toBe(0)
  expect(sandbox.requests().received).toMatchObject({ customer: 80, migrate: 40 })
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name !== 'export.csv' && statSync(join(folder, name)).isFile(),
  )
  expect(files).toContain('log.jsonl')
  expect(files.filter((name) => readFileSync(join(folder, name)).includes(SURNAME))).toEqual([])
  const page = readFileSync(join(folder, 'sepa-migrate-report', 'report.html'), 'utf8')
  expect(page).toContain(
    'The service was asked about 40 customers: 40 agree, 0 differ, 0 unknown, 0 without a name, 0 unreadable.',
  )
})

it('killed at any moment while it asks, it goes on, and each of whom it is known is asked once', async () => {
  const { at, program, sandbox } = await open(1_500)
  let kills = 0
  for (; kills < 6; kills += 1) {
    const before = sandbox.requests().received.customer
    const running = start(['run', 'export.csv', '--who', '--concurrency', '8'], at)
    while (sandbox.requests().received.customer < before + 40 + 60 * kills) await sleep(2)
    running.child.kill('SIGKILL')
    await running.ended
  }
  expect(sandbox.mandates()).toEqual([])
  const ended = await program('run', 'export.csv', '--who', '--concurrency', '8')
  expect(ended.status, ended.stderr).toBe(0)
  expect(sandbox.mandates()).toHaveLength(1_500)
  // What a kill took were answers of the last second, a hundred at most, and the requests under way.
  expect(sandbox.requests().received.customer).toBeLessThanOrEqual(1_500 + kills * 110)
})
