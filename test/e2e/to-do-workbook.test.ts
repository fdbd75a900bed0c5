import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { germanIban, validExport, validLine } from '../support/export.js'
import { placeForEach } from '../support/place.js'
import { openWork } from '../support/work.js'

const { path, write, held, mandateOf, json, program, totals, rows } = placeForEach({
  sandbox: {
    faults: [
      { match: { customer_no: 7 }, times: 1, fault: { kind: 'refuse', status: 422 } },
      { match: { customer_no: 17 }, times: 1, fault: { kind: 'refuse', status: 422 } },
      { match: { customer_no: 8 }, times: 1, fault: { kind: 'reset', applied: true } },
      { match: { customer_no: 9 }, times: 1, fault: { kind: 'reset', applied: false } },
    ],
  },
})
const NEVER = '2024-02-30'
const TO_DO = 'sepa-migrate-report/to-do/to-do.xlsx'
const opened = () => openWork(path('to-do.xlsx'))

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

const LEFT = { migration_decision: 'written-off', migration_reason: 'left' }
/** The same words beside both rows in doubt. */
const closeDoubts = (work: ReturnType<typeof openWork>): void =>
  [0, 1].forEach((nth) => work.type('In doubt', nth, LEFT))

const mend = (work = opened()) => {
  work.type('Corrections', 0, { signed_date: '2024-03-15', migration_reason: 'the customer called' })
  work.type('Corrections', 1, { signed_date: '2024-03-16' })
  work.type('Refused', 0, { iban: germanIban(4707) })
  return work
}

describe('check beside the campaign', () => {
  const decide = (...decisions: readonly Record<string, string>[]): void => {
    const work = mend()
    decisions.forEach((decision, line) => work.type('In doubt', line, decision))
    work.save()
  }
  const checked = () => json('check', TO_DO, '--ledger', 'sepa-migrate.db')

  it.each<[string, Record<string, string>, Record<string, string>]>([
    ['a word and a reason', { migration_decision: 'resent' }, { migration_decision: 'written-off' }],
    ['a resend right after its request', LEFT, { ...LEFT, migration_decision: 'resend' }],
  ])('names faults of decisions as run does: %s', async (_, first, second) => {
    decide(first, second)
    const { exitCode, errors } = await checked()
    expect(exitCode).toBe(2)
    expect(await json('run', TO_DO)).toMatchObject({ exitCode, errors })
  })

  it('counts decisions, and its totals are those behind them', async () => {
    decide(LEFT, LEFT)
    const { stdout } = await program('check', TO_DO, '--ledger', 'sepa-migrate.db')
    expect(stdout).toContain('Decisions, which a run records: 2 written-off\n')
    const before = await checked()
    expect(before.totals).toMatchObject({ inDoubt: 0, writtenOff: 2, ready: 3 })
    expect(totals()).toMatchObject({ inDoubt: 2, writtenOff: 0 })
    const { ready = 0, registered = 0, ...others } = before.totals
    const behind = { ...others, ready: 0, registered: registered + ready }
    expect((await json('run', TO_DO)).totals).toEqual(behind)
  })
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

it('names the rows whose lines changed nothing, and not those that were decided', async () => {
  const work = opened()
  work.type('Corrections', 0, { unique_mandate_reference: '123' })
  work.type('Corrections', 1, LEFT)
  work.type('Refused', 0, { unique_mandate_reference: 'mandate-7', migration_decision: 'send' })
  work.save(path('back.xlsx'))
  const { stdout } = await program('run', 'back.xlsx')
  expect(stdout).toContain('1 decision recorded.')
  expect(stdout).toContain('2 of 3 lines in "back.xlsx" changed no value: rows 1, 7. Zeros in front')
  expect(stdout).toContain('"send" lets a refused row go only where run --retry-refused would leave it')
  expect(totals()).toMatchObject({ invalid: 1, refused: 1, writtenOff: 1, registered: 4 })
})

it('takes corrections of both sheets, registers each row once, and returned twice nothing new', async () => {
  mend().save()
  const copy = readFileSync(path('to-do.xlsx'))
  const checked = await program('check', '--ledger', 'sepa-migrate.db', TO_DO)
  expect(checked.stdout).toMatch(/3 rows were corrected[^]*the customer called/)
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

it('resolve takes its decisions, names the run that takes the rest, and neither is a fault for the other', async () => {
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
  writeFileSync(path('approved.yaml'), 'approval: required\n')
  const looked = await json(...resolve, '--dry-run', '--config', path('approved.yaml'))
  expect(looked.warnings).toEqual([expect.stringMatching(/ does not take: sepa-migrate plan /)])
  const decided = await json(...resolve)
  expect(decided.warnings).toEqual([
    `In "${TO_DO}" the sheet Corrections has 2 corrections and the sheet Refused has 1 correction that this command does not take: sepa-migrate run ${TO_DO}`,
  ])
  expect(decided.totals).toMatchObject({ registered: 5, ready: 1, inDoubt: 0 })
  expect(existsSync(path('to-do.xlsx'))).toBe(true)
  const told = await json('run', TO_DO)
  expect(told).toMatchObject({ exitCode: 0, totals: { read: 9, registered: 9 }, warnings: [] })
  expect(held().sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(readdirSync(dirname(path('to-do.xlsx')))).not.toContain('to-do.xlsx')
  expect(rows('decisions.csv').map(({ reason }) => reason)).toContain('the customer called')
})

it('rows that stand under other marks are not taken, and every fault of the file refuses all of it', async () => {
  const work = mend()
  const [one, two] = work.rows('In doubt')
  work.type('In doubt', 0, { migration_row: two?.['migration_row'] ?? '', migration_decision: 'resend' })
  work.type('In doubt', 1, { migration_row: one?.['migration_row'] ?? '' })
  work.type('Refused', 0, { migration_decision: 'sent' })
  work.save(path('torn.xlsx'))
  const before = [totals(), held().length]
  for (const words of [['resolve', '--from'], ['run']]) {
    const { errors, exitCode } = await json(...words, 'torn.xlsx')
    expect(exitCode).toBe(2)
    expect(errors[0]?.message).toMatch(/^"torn.xlsx" has \d+ faults: sheet In doubt/)
    const lines = errors[0]?.faults ?? []
    for (const fault of [
      'sheet In doubt, cell I3: row 9 has "9", the line has "8" (customer 9, reference MANDATE-9)',
      'sheet In doubt, cell P3: there is no reason: say how you know',
      'sheet Refused, cell I3: "sent" is not a decision of this list; it takes send, written-off',
    ])
      expect(lines.join()).toContain(fault)
    expect([totals(), held().length]).toEqual(before)
  }
})

it('is told as a list where its marks are gone', async () => {
  const work = opened()
  const cells = work.rows('Corrections').map((row) => Object.values(row).slice(0, -6))
  const lines = [work.headings('Corrections').slice(0, -6), ...cells]
  write(
    'copied.csv',
    lines.map((line) => line.map((cell) => `"${cell.replaceAll('"', '""')}"`).join()).join('\n'),
  )
  const told = await json('run', 'copied.csv')
  expect(told).toMatchObject({ exitCode: 7 })
  expect(told.errors[0]?.message).toContain('a list of this program without its column migration_row')
})

it.each([
  ['totals beneath a sheet', (work: ReturnType<typeof opened>) => work.add('Corrections', 'Total', '2')],
  ['the first row of a sheet deleted', (work: ReturnType<typeof opened>) => work.behead('Corrections')],
  ['the first row of the last sheet deleted', (work: ReturnType<typeof opened>) => work.behead('Refused')],
])('is read with %s', async (_, spoil) => {
  const work = mend()
  spoil(work)
  work.save(path('spoilt.xlsx'))
  const { exitCode, totals: all } = await json('run', 'spoilt.xlsx')
  expect(exitCode).toBe(4)
  expect(all).toMatchObject({ read: 9, invalid: 0, registered: 7, refused: 0, inDoubt: 2 })
})

it('what the configuration says of the export does not hold for it, and a purge finds it', async () => {
  write('own.yaml', 'source: { sheet: Mandates, skipLines: 2, skipFooterLines: 1, hidden: skip }\n')
  const kept = 'sepa-migrate-report/to-do/to-do (Berta).xlsx'
  const work = mend()
  closeDoubts(work)
  work.save(path(kept))
  const told = await json('run', kept, '--config', 'own.yaml')
  expect(told.totals).toMatchObject({ registered: 7, writtenOff: 2 })
  const purged = await program('purge', '--remove-files', '--yes')
  expect(purged.stderr).toBe('')
  const left = readdirSync(path('sepa-migrate-report/to-do'), { recursive: true })
  expect(left.filter((name) => /\.(?:csv|xlsx)$/.test(String(name)))).toEqual([])
})

it('takes decisions beside a reference that was corrected on another sheet', async () => {
  const work = opened()
  work.type('Corrections', 1, { unique_mandate_reference: 'MANDATE-2B', signed_date: '2024-03-16' })
  closeDoubts(work)
  work.save()
  const decided = await json('resolve', '--from', TO_DO)
  expect(decided.errors).toEqual([])
  expect(decided.totals).toMatchObject({ writtenOff: 2 })
  expect((await json('run', TO_DO)).totals).toMatchObject({ registered: 5, writtenOff: 2 })
})

it('one run takes decisions and corrections, and nothing where any of it is refused', async () => {
  const work = mend()
  const decide = (...decisions: readonly string[]): void =>
    decisions.forEach((word, nth) => work.type('In doubt', nth, { ...LEFT, migration_decision: word }))
  decide('refused', 'resend')
  work.save()
  const before = [totals(), held().length]
  const early = await json('run', TO_DO)
  for (const text of ['called refused yet', 'sent again yet', '(sheet In doubt, cell O3)', 'cell O4)'])
    expect(early.errors[0]?.message).toContain(text)
  decide('written-off', 'Written off')
  work.save()
  const refused = await json('run', TO_DO, '--only', 'Nothing=1')
  expect(refused.errors[0]?.message).toContain('no file has a column "Nothing"')
  expect([totals(), held().length]).toEqual(before)
  const told = await json('run', TO_DO)
  expect(told).toMatchObject({ totals: { registered: 7, writtenOff: 2 } })
  const recorded = rows('decisions.csv').map(({ decision }) => decision)
  expect(recorded).toEqual(['written_off', 'written_off', 'corrected', 'corrected', 'corrected'])
  expect(existsSync(path('to-do.xlsx'))).toBe(false)
})

it('of last week, it says nothing of what was decided or replaced since', async () => {
  const work = opened()
  closeDoubts(work)
  work.type('Corrections', 0, LEFT)
  work.save(path('week.xlsx'))
  mend().save(path('mended.xlsx'))
  expect((await json('run', 'mended.xlsx')).totals).toMatchObject({ registered: 7 })
  for (const expected of Array.from({ length: 2 }, () => ({ totals: { registered: 7, writtenOff: 2 } })))
    expect(await json('run', 'week.xlsx')).toMatchObject({ errors: [], ...expected })
})

describe('a fault of the crosswalk', () => {
  const WITH = ['--config', 'crossed.yaml', '--ledger', 'crossed.db', '--out', 'crossed']
  const LIST = 'crossed/to-do/to-do.xlsx'
  const opened = () => openWork(path(LIST))
  const crosswalk = (...lines: readonly string[]): void =>
    write('customers.csv', ['old_no,customer_no', ...lines, ''].join('\n'))

  /** K5 is in no line of it. */
  beforeEach(async () => {
    const lines = [4, 5].map((n) => validLine(n).replace(/^\d+/, `K${n}`))
    write('crossed.csv', [validExport(0).trimEnd().replace('customer_no', 'Old'), ...lines, ''].join('\n'))
    crosswalk('K4,2004')
    write('crossed.yaml', 'crosswalk: { file: customers.csv, from: Old, key: old_no }\n')
    expect((await json('run', 'crossed.csv', ...WITH)).totals).toMatchObject({ registered: 1, invalid: 1 })
  })

  it('is mended in the line, which wins over the crosswalk and stays with what is corrected later', async () => {
    const work = opened()
    expect(work.headings('Corrections')).toContain('Customer number (over the crosswalk)')
    expect(work.xml('Corrections')).toMatch(/<c s="7"[^>]*><is><t[^>]*>K5<.*?<c s="7"\/>/)
    // The service refuses whatever comes first for customer 17.
    work.type('Corrections', 0, { migration_customer_no: '17' })
    work.save()
    expect((await json('run', LIST, ...WITH)).totals).toMatchObject({ registered: 1, refused: 1 })
    // A crosswalk of later says nothing of a row that a person decided about.
    crosswalk('K4,2004', 'K5,9999')
    const later = opened()
    expect(later.rows('Refused')[0]).toMatchObject({ migration_customer_no: '17', Old: 'K5' })
    later.type('Refused', 0, { iban: germanIban(4705) })
    later.save()
    expect((await json('run', LIST, ...WITH)).totals).toMatchObject({ registered: 2, refused: 0 })
    expect(held().slice(-2)).toEqual([2004, 17])
    expect(rows('crossed/decisions.csv').map(({ evidence }) => evidence)[0]).toContain('customer_no')
  })

  it('is not typed over one that nobody doubted, unless somebody says so', async () => {
    // K6 is in the crosswalk, and its account is wrong.
    crosswalk('K4,2004', 'K6,2006')
    const line = validLine(6)
      .replace(/^\d+/, 'K6')
      .replace(/DE\d\d/, 'DE00')
    write('more.csv', [validExport(0).trimEnd().replace('customer_no', 'Old'), line, ''].join('\n'))
    await json('run', 'more.csv', ...WITH)
    const work = opened()
    const at = work.rows('Corrections').findIndex(({ Old }) => Old === 'K6')
    work.type('Corrections', at, { migration_customer_no: '18', iban: germanIban(6) })
    work.save()
    expect((await json('run', LIST, ...WITH)).totals).toMatchObject({ registered: 1, conflict: 1 })
    const later = opened()
    const again = later.rows('Corrections').findIndex(({ Old }) => Old === 'K6')
    later.type('Corrections', again, { migration_decision: 'send' })
    later.save()
    await json('run', LIST, ...WITH)
    expect(held().at(-1)).toBe(18)
  })

  it.each(['K-five', '0', ' '])('a number that cannot be one is not sent: %s', async (typed) => {
    const work = opened()
    work.type('Corrections', 0, { migration_customer_no: typed })
    work.save()
    expect((await json('run', LIST, ...WITH)).totals).toMatchObject({ registered: 1, invalid: 1 })
    expect(held().at(-1)).toBe(2004)
    if (typed === ' ') return
    const column = String.fromCharCode(
      'A'.charCodeAt(0) + work.headings('Corrections').indexOf('Customer number (over the crosswalk)'),
    )
    const told = rows('crossed/problems.csv').find(
      ({ source, rule }) => source === 'to-do.xlsx' && rule?.startsWith('CUST'),
    )
    expect(told?.['message']).toContain(`It is cell ${column}3.`)
  })
})

it('of last week, it closes nothing in silence whose correction waits to be sent', async () => {
  const work = opened()
  work.type('Corrections', 1, LEFT)
  work.save(path('week.xlsx'))
  mend().save(path('mended.xlsx'))
  await json('run', 'mended.xlsx', '--limit', '1')
  const before = totals()
  expect(before).toMatchObject({ ready: 2 })
  const told = await json('run', 'week.xlsx')
  expect(told.errors[0]?.message).toContain('Row 2 is superseded')
  expect(totals()).toEqual(before)
})
