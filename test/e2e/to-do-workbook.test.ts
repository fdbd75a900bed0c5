import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { germanIban, validExport, validLine } from '../support/export.js'
import { placeForEach } from '../support/place.js'
import { openWork } from '../support/work.js'

const { path, folder, write, held, sandbox, json, program, totals, rows } = placeForEach({
  sandbox: {
    faults: [
      { match: { customer_no: 7 }, times: 1, fault: { kind: 'refuse', status: 422 } },
      { match: { customer_no: 8 }, times: 1, fault: { kind: 'reset', applied: true } },
      { match: { customer_no: 9 }, times: 1, fault: { kind: 'reset', applied: false } },
    ],
  },
})
const NEVER = '2024-02-30'
const TO_DO = 'sepa-migrate-report/to-do/to-do.xlsx'
const opened = () => openWork(path('to-do.xlsx'))
const mandateOf = (customer: number) =>
  sandbox()
    .mandates()
    .find(({ customer_no }) => customer_no === customer)

/** Rows 1 and 2 have an impossible date, 7 is refused, 8 and 9 are in doubt; 8 is held there. */
beforeEach(async () => {
  const lines = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => {
    const line = n < 3 ? validLine(n).replace(/2024-03-\d\d/, NEVER) : validLine(n)
    return `${n === 1 ? line.replace('MANDATE-1', '00123') : line};a "note", & more`.replace(/;/, ',')
  })
  const quoted = lines.map((line) => line.replace(/,a "note".*$/, ',"=a ""note"", & <more>"'))
  write('export.csv', `${validExport(0).trimEnd()},Remark\n${quoted.join('\n')}\n`)
  expect((await json('run', 'export.csv')).totals).toMatchObject({ invalid: 2, refused: 1, inDoubt: 2 })
})

const mend = (work = opened()) => {
  work.type('Corrections', 0, { signed_date: '2024-03-15', migration_reason: 'the customer called' })
  work.type('Corrections', 1, { signed_date: '2024-03-16' })
  work.type('Refused', 0, { iban: germanIban(4707) })
  return work
}

it('says what is wrong first, and is the same twice', async () => {
  const work = opened()
  expect(work.names).toEqual(['In doubt', 'Corrections', 'Refused'])
  const header = work.header('Corrections')
  expect(header.slice(0, 3)).toEqual(['migration_message', 'migration_remedy', 'customer_no'])
  expect(header.at(-1)).toBe('migration_attempt')
  const [first] = work.rows('Corrections')
  expect(first).toMatchObject({
    ...{ unique_mandate_reference: '00123', signed_date: NEVER, iban: germanIban(1) },
    ...{ Remark: '=a "note", & <more>', migration_row: '1', migration_state: 'invalid' },
  })
  expect(first?.['migration_message']).toContain('The signature date is not a date')
  const before = readFileSync(path('to-do.xlsx'))
  await program('report')
  expect(readFileSync(path('to-do.xlsx')).equals(before)).toBe(true)
})

it('given back as it is, sorted or filtered, it changes nothing', async () => {
  const work = opened()
  for (const sheet of work.names)
    work.change(sheet, (all) =>
      all.reverse().map((row, at) => (at === 0 ? row.replace('<row', '<row hidden="1"') : row)),
    )
  work.save(path('back.xlsx'))
  const before = { totals: totals(), held: held().length }
  const told = await json('run', 'back.xlsx')
  expect(told).toMatchObject({ totals: { ...before.totals, resubmitted: 3 }, warnings: [] })
  expect(held()).toHaveLength(before.held)
})

it('names the rows whose lines changed nothing, and says how a refused one is sent again', async () => {
  const work = opened()
  work.type('Corrections', 0, { unique_mandate_reference: '123' })
  work.type('Corrections', 1, { signed_date: '2024-03-16' })
  work.type('Refused', 0, { unique_mandate_reference: 'mandate-7', migration_decision: 'send' })
  work.save(path('back.xlsx'))
  const { stdout } = await program('run', 'back.xlsx')
  expect(stdout).toContain('2 of 3 lines in "back.xlsx" changed nothing: rows 1, 7. Zeros in front')
  expect(stdout).toContain('"send" lets a refused row go only where run --retry-refused would leave it')
  expect(totals()).toMatchObject({ invalid: 1, refused: 1, registered: 5 })
})

it('takes corrections of both sheets, registers each row once, and returned twice nothing new', async () => {
  mend().save()
  const copy = readFileSync(path('to-do.xlsx'))
  const checked = await program('check', '--ledger', 'sepa-migrate.db', TO_DO)
  expect(checked.stdout).toContain('3 rows were corrected')
  expect(checked.stdout).toContain('the customer called')
  const told = await json('run', TO_DO)
  expect(told.totals).toMatchObject({ read: 9, registered: 7, inDoubt: 2, invalid: 0, refused: 0 })
  expect(held().sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  expect(mandateOf(1)?.amendment.unique_mandate_reference).toBe('00123')
  expect(mandateOf(7)?.iban).toBe(germanIban(4707))
  expect(existsSync(join(dirname(path('to-do.xlsx')), 'done', 'to-do.xlsx'))).toBe(true)
  expect(opened().names).toEqual(['In doubt'])

  for (const bytes of [copy, saved(copy)]) {
    writeFileSync(path('again.xlsx'), bytes, { mode: 0o600 })
    expect((await json('run', 'again.xlsx')).totals).toMatchObject({ registered: 7, inDoubt: 2 })
    expect(held()).toHaveLength(8)
  }
})

/** The same saved again: other bytes. */
function saved(bytes: Buffer): Buffer {
  writeFileSync(path('saved.xlsx'), bytes)
  const work = openWork(path('saved.xlsx'))
  work.change('Refused', (all) => [...all, ''])
  work.save()
  return readFileSync(path('saved.xlsx'))
}

it('takes decisions of the sheet In doubt; either command tells about the other part and leaves the file there', async () => {
  const work = mend()
  const found = mandateOf(8)
  work.type('In doubt', 0, {
    ...{ migration_decision: 'registered', migration_reason: 'the service holds it' },
    migration_assigned_creditor_identifier: found?.sepa_creditor_identifier ?? '',
    migration_assigned_mandate_reference: found?.unique_mandate_reference ?? '',
  })
  work.type('In doubt', 1, { migration_decision: 'resend', migration_reason: 'it does not' })
  work.save()
  const resolve = ['resolve', '--from', TO_DO, '--yes-resend', 'MANDATE-9', '--by', 'ops']
  const decided = await json(...resolve)
  expect(decided.warnings).toEqual([
    `In "${TO_DO}" the sheet Corrections has 2 corrections and the sheet Refused has 1 correction that this command does not take: sepa-migrate run ${TO_DO}`,
  ])
  expect(decided.totals).toMatchObject({ registered: 5, ready: 1, inDoubt: 0 })
  expect(existsSync(path('to-do.xlsx'))).toBe(true)
  expect((await json(...resolve)).exitCode).toBe(2)
  const told = await json('run', TO_DO)
  expect(told).toMatchObject({ exitCode: 0, totals: { read: 9, registered: 9 }, warnings: [] })
  expect(held().sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(readdirSync(dirname(path('to-do.xlsx')))).not.toContain('to-do.xlsx')
  expect(rows('decisions.csv').map(({ reason }) => reason)).toContain('the customer called')
})

it('a run tells of decisions that it does not take, and the new lists lie beside', async () => {
  const work = mend()
  for (const nth of [0, 1])
    work.type('In doubt', nth, { migration_decision: 'written-off', migration_reason: 'left' })
  work.save()
  const told = await json('run', TO_DO)
  expect(told.warnings[0]).toContain('Somebody works in the lists')
  expect(told.warnings[1]).toBe(
    `In "${TO_DO}" the sheet In doubt has 2 decisions that this command does not take: sepa-migrate resolve --from ${TO_DO}`,
  )
  expect(told.totals).toMatchObject({ registered: 7, inDoubt: 2 })
  await json('resolve', '--from', TO_DO)
  expect(totals()).toMatchObject({ registered: 7, writtenOff: 2 })
  expect(existsSync(join(folder(), 'sepa-migrate-report/to-do/done/to-do.xlsx'))).toBe(true)
})

it('rows that stand under other marks are not taken, and decisions of them refuse the file', async () => {
  const work = mend()
  const [one, two] = work.rows('In doubt')
  work.type('In doubt', 0, { migration_row: two?.['migration_row'] ?? '', migration_decision: 'resend' })
  work.type('In doubt', 1, { migration_row: one?.['migration_row'] ?? '' })
  const [first, second] = work.rows('Corrections')
  work.type('Corrections', 0, { migration_row: second?.['migration_row'] ?? '' })
  work.type('Corrections', 1, { migration_row: first?.['migration_row'] ?? '' })
  work.save(path('torn.xlsx'))
  const refused = await json('resolve', '--from', 'torn.xlsx')
  expect(refused.errors[0]?.message).toContain('sheet In doubt, line 2')
  expect(totals()).toMatchObject({ inDoubt: 2 })
  await json('run', 'torn.xlsx')
  for (const { customer_no, amendment } of sandbox().mandates())
    expect(amendment.unique_mandate_reference).toBe(customer_no === 1 ? '00123' : `MANDATE-${customer_no}`)
})

it('what the configuration says of the export does not hold for it, and a purge finds it', async () => {
  write('own.yaml', 'source: { sheet: Mandates, skipLines: 2, skipFooterLines: 1, hidden: skip }\n')
  const kept = 'sepa-migrate-report/to-do/to-do (Berta).xlsx'
  const work = mend()
  for (const nth of [0, 1])
    work.type('In doubt', nth, { migration_decision: 'written-off', migration_reason: 'left' })
  work.save(path(kept))
  const told = await json('run', kept, '--config', 'own.yaml')
  expect(told.totals).toMatchObject({ registered: 7, inDoubt: 2 })
  await json('resolve', '--from', kept)
  const purged = await program('purge', '--remove-files', '--yes')
  expect(purged.stderr).toBe('')
  expect(existsSync(path('sepa-migrate-report/to-do'))).toBe(false)
  expect(readdirSync(path('sepa-migrate-report')).filter((name) => name.startsWith('to-do'))).toEqual([])
})

it('takes decisions beside a reference that was corrected on another sheet', async () => {
  const work = opened()
  work.type('Corrections', 1, { unique_mandate_reference: 'MANDATE-2B', signed_date: '2024-03-16' })
  for (const nth of [0, 1])
    work.type('In doubt', nth, { migration_decision: 'written-off', migration_reason: 'left' })
  work.save()
  const decided = await json('resolve', '--from', TO_DO)
  expect(decided.errors).toEqual([])
  expect(decided.totals).toMatchObject({ writtenOff: 2 })
  expect((await json('run', TO_DO)).totals).toMatchObject({ registered: 5, writtenOff: 2 })
})

it('with --all one run takes decisions and corrections, and nothing where any of it is refused', async () => {
  const work = mend()
  const decide = (...decisions: readonly string[]): void =>
    decisions.forEach((migration_decision, nth) =>
      work.type('In doubt', nth, { migration_decision, migration_reason: 'left' }),
    )
  decide('written-off', 'resend')
  work.save()
  const before = [totals(), held().length]
  const early = await json('run', TO_DO, '--all')
  expect(early.errors[0]?.message).toContain(
    'left less than 15 minutes ago and may still arrive; nothing was',
  )
  decide('written-off', 'written-off')
  work.save()
  const refused = await json('run', TO_DO, '--all', '--only', 'Nothing=1')
  expect(refused.errors[0]?.message).toContain('no file has a column "Nothing"')
  expect([totals(), held().length]).toEqual(before)
  const told = await json('run', TO_DO, '--all')
  expect(told).toMatchObject({ totals: { registered: 7, writtenOff: 2 } })
  const recorded = rows('decisions.csv').map(({ decision }) => decision)
  expect(recorded).toEqual(['written_off', 'written_off', 'corrected', 'corrected', 'corrected'])
  expect(existsSync(path('to-do.xlsx'))).toBe(false)
  expect((await json('run', '--all')).exitCode).toBe(2)
})
