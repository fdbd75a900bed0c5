import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { SourceError, UsageError } from '../../src/errors.js'
import { migrate } from '../../src/migrate/migrate.js'
import type { MigrateOptions, MigrationEvent } from '../../src/migrate/options.js'
import { writeReport } from '../../src/report/pack/pack.js'
import type { SandboxOptions } from '../../src/sandbox/settings.js'
import { drawCustomers } from '../domain/who/drawn-names.js'
import { germanIban } from '../support/export.js'
import { placeWith, type Place } from './place.js'
import { planned } from './planned.js'

const HEADER = 'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,payer_name'
const line = (no: number, account: number, name: string): string =>
  `${no},${germanIban(account)},2024-03-01,DE98ZZZ09999999999,M-${account},"${name}"`

interface Customer {
  readonly no: number
  /** As the service has it, and as the export has it. */
  readonly name: string
  readonly payer: string
}

const drawn = (count: number, seed = 53): Customer[] =>
  drawCustomers(seed, count).map(({ name, same }, at) => ({ no: 1_001 + at, name, payer: same }))
/** As the service has them. */
const spelt = (customers: readonly Customer[]) => customers.map((one) => ({ ...one, payer: one.name }))
const exportOf = (customers: readonly { no: number; payer: string }[]): string =>
  [HEADER, ...customers.map(({ no, payer }, at) => line(no, at + 1, payer)), ''].join('\n')

/** A further file. */
function listOf(place: Place, ...lines: readonly string[]): string {
  writeFileSync(place.at('more.csv'), [...lines, ''].join('\n'))
  return place.at('more.csv')
}

async function setUp(customers: readonly Customer[], text: string, options: SandboxOptions = {}) {
  const known = customers.map(({ no, name }) => ({ customer_no: no, name }))
  const { asked, ...scene } = await placeWith(1, { customers: known, ...options })
  writeFileSync(scene.place.at('export.csv'), text)
  const send = (more: Partial<MigrateOptions> = {}) => migrate(asked({ who: true, ...more }))
  const refused = (more: Partial<MigrateOptions> = {}): Promise<Error> =>
    send(more).then(
      () => new Error('it was sent'),
      (error: unknown) => error as Error,
    )
  const askedFor = () => scene.sandbox.requests().received.customer
  return { ...scene, asked, send, refused, askedFor }
}

describe('customers who are those of the export', () => {
  it('are sent: 3 % spelt otherwise, some moved or married; each was asked once, also over several rows', async () => {
    const customers = drawn(400)
    const twice = [...customers, ...customers.slice(0, 5)]
    const { send, askedFor, place, sandbox } = await setUp(customers, exportOf(twice))
    const end = await send()
    const { conflict, registered } = end.totals
    expect(registered + conflict).toBe(405)
    expect(conflict).toBeLessThanOrEqual(4)
    expect(sandbox.mandates()).toHaveLength(registered)
    expect(askedFor()).toBe(400)
    expect(place.look((reader) => reader.who())).toMatchObject({ asked: 400, unknown: 0, unreadable: 0 })
    expect(place.look((reader) => reader.readBacks())).toEqual([])
  })

  it('are not asked about again: what agreed stays so', async () => {
    const customers = spelt(drawn(8))
    const { send, askedFor } = await setUp(customers, exportOf(customers))
    expect((await send({ limit: 3 })).totals).toMatchObject({ registered: 3, ready: 5 })
    expect((await send()).totals).toMatchObject({ registered: 8 })
    expect(askedFor()).toBe(8)
  })
})

describe('a file that debits strangers', () => {
  const customers = drawn(60, 7)
  const shifted = customers.map((one, at) => ({ ...one, no: customers[(at + 1) % 60]!.no }))
  const swapped = customers.map((one) => ({ ...one, no: one.no + 500_000 }))

  it.each([
    ['a crosswalk that is shifted by a line', shifted],
    ['another column in the place of customer_no', swapped],
  ])('%s is refused before anything is sent, with three masked examples', async (_, rows) => {
    const { refused, place, posts } = await setUp(customers, exportOf(rows))
    const error = await refused()
    expect(error).toBeInstanceOf(SourceError)
    expect(error).toMatchObject({ rule: 'FILE_CUSTOMERS_DIFFER', exitCode: 7 })
    expect(error.message).toMatch(
      /for \d+ of 60 rows \(\d+: the service [^;]+; [^;]+; [^;)]+\)\. Usually a crosswalk/,
    )
    for (const { name, payer } of customers)
      for (const text of [name, payer].filter((each) => each.length > 3))
        expect(error.message).not.toContain(text)
    expect(posts()).toBe(0)
    expect(place.look((reader) => reader.totals().read)).toBe(0)
  })

  it('is refused by a run that does not ask, too, once it was asked about; and passes with its customers', async () => {
    const { refused, send, askedFor, place, posts } = await setUp(customers, exportOf(shifted))
    await refused()
    const again = await refused({ who: false })
    expect(again).toMatchObject({ rule: 'FILE_CUSTOMERS_DIFFER' })
    expect(posts()).toBe(0)
    writeFileSync(place.at('export.csv'), exportOf(customers))
    expect((await send()).totals.registered).toBeGreaterThan(57)
    expect(askedFor()).toBeGreaterThanOrEqual(120)
  })

  it('goes on where a person says so: the rows that differ are held all the same', async () => {
    const { send, posts } = await setUp(customers, exportOf(shifted))
    const { totals } = await send({ rules: { FILE_CUSTOMERS_DIFFER: 'warning' } })
    expect(totals.conflict).toBeGreaterThan(55)
    expect(posts()).toBe(totals.registered)
  })
})

describe('a part of a file that debits strangers', () => {
  const customers = spelt(drawn(12, 7))
  const fromTheFourth = customers.map((one, at) =>
    at < 3 ? one : { ...one, no: customers[(at + 1) % 12]!.no },
  )

  it.each([{ limit: 3 }, { limit: 3, spread: true }])(
    'a pilot of three does not hide the other nine: %o asks about all, and the file is refused',
    async (pilot) => {
      const { refused, askedFor, posts } = await setUp(customers, exportOf(fromTheFourth))
      const error = await refused(pilot)
      expect(error).toMatchObject({ rule: 'FILE_CUSTOMERS_DIFFER' })
      expect(error.message).toContain('for 9 of 12 rows')
      expect([askedFor(), posts()]).toEqual([11, 0])
    },
  )

  it('nor does the plan of a pilot, which is not recorded', async () => {
    const { asked, askedFor, place } = await setUp(customers, exportOf(fromTheFourth))
    const planning = planned(place, asked({ who: true, limit: 3 }))
    await expect(planning).rejects.toThrow('for 9 of 12 rows')
    expect([askedFor(), place.look((reader) => reader.plans())]).toEqual([11, []])
  })

  it('a choice is asked about alone, and the others by the run that would send them, also where it does not say so', async () => {
    const { send, refused, askedFor, posts } = await setUp(customers, exportOf(fromTheFourth))
    const only = [{ column: 'customer_no', values: customers.slice(0, 3).map(({ no }) => String(no)) }]
    expect((await send({ only, limit: 1 })).totals).toMatchObject({ registered: 1, conflict: 1, ready: 10 })
    expect(askedFor()).toBe(3)
    const again = await refused({ who: undefined, files: [] })
    expect(again).toMatchObject({ rule: 'FILE_CUSTOMERS_DIFFER' })
    expect(posts()).toBe(1)
  })
})

describe('a ledger whose customers were asked about', () => {
  const customers = spelt(drawn(20, 29))
  const [known, others] = [customers.slice(0, 10), customers.slice(10)]
  const withStranger = others.map((one, at) => (at === 4 ? { ...one, payer: 'Xaver Quendelmoor' } : one))
  const lines = withStranger.map(({ no, payer }, at) => line(no, 11 + at, payer))

  it('asks in later runs too, which hold who differs; only a clear no ends that', async () => {
    const { asked, send, askedFor, place, posts } = await setUp(customers, exportOf(known))
    await send()
    const again = await send({ who: undefined, files: [listOf(place, HEADER, ...lines)] })
    expect(again.totals).toMatchObject({ registered: 19, conflict: 1 })
    expect([askedFor(), posts()]).toEqual([20, 19])
    const files = [listOf(place, HEADER, line(999_999, 30, 'Xaver Quendelmoor'))]
    await planned(place, asked({ files }))
    expect((await send({ who: false, files })).totals).toMatchObject({ registered: 20 })
    expect(askedFor()).toBe(20)
  })

  it('another ledger does not ask', async () => {
    const { send, askedFor } = await setUp(customers, exportOf(customers))
    expect((await send({ who: undefined })).totals).toMatchObject({ registered: 20 })
    expect(askedFor()).toBe(0)
  })
})

describe('two rows that name one customer', () => {
  const customers = spelt(drawn(12, 7))
  it.each([
    ['behind', 2, 3],
    ['before', 3, 2],
  ])('are counted as differing while one is held, also %s the one that agrees', async (_, row, of) => {
    const rows = customers.map((one, at) => (at === row ? { ...one, no: customers[of]!.no } : one))
    const { send, place } = await setUp(customers, exportOf(rows))
    expect((await send({ limit: 1 })).totals).toMatchObject({ registered: 1, conflict: 1, ready: 10 })
    const counted = { asked: 11, agrees: 10, differs: 1, unknown: 0 }
    expect(place.look((reader) => reader.who())).toMatchObject(counted)
    // The same customer agrees once more, later.
    const files = [listOf(place, HEADER, line(customers[of]!.no, 40, `Dr ${customers[of]!.name}`))]
    expect((await send({ files })).totals).toMatchObject({ registered: 12, conflict: 1 })
    expect(place.look((reader) => reader.who())).toMatchObject(counted)
  })

  it('a customer of a file that was refused counts as the corrected file has it', async () => {
    const shifted = customers.map((one, at) => ({ ...one, no: customers[(at + 1) % 12]!.no }))
    const { send, refused, place } = await setUp(customers, exportOf(shifted))
    await refused()
    expect(place.look((reader) => reader.who())).toMatchObject({ asked: 12, differs: 12 })
    writeFileSync(place.at('export.csv'), exportOf(customers))
    await send()
    expect(place.look((reader) => reader.who())).toMatchObject({ asked: 12, agrees: 12, differs: 0 })
  })
})

describe('single customers who differ or are unknown', () => {
  const customers = spelt(drawn(60, 11))
  const rows = customers.map((one, at) =>
    at === 4 ? { ...one, payer: 'Xaver Quendelmoor' } : at === 9 ? { ...one, no: 999_999 } : one,
  )

  it('are held for a person by their rules, and the others are sent', async () => {
    const { send, place } = await setUp(customers, exportOf(rows))
    expect((await send()).totals).toMatchObject({ registered: 58, conflict: 2 })
    const held = place.look((reader) => reader.rows(['conflict'], 0, 10))
    expect(held.map(({ id, rule }) => [id, rule])).toEqual([
      [5, 'CUSTOMER_NAME_DIFFERS'],
      [10, 'CUSTOMER_UNKNOWN'],
    ])
    const counted = { asked: 60, agrees: 58, differs: 1, unknown: 1, no_name: 0, unreadable: 0 }
    expect(place.look((reader) => reader.who())).toEqual(counted)
  })

  it('go where a person writes "send", for good', async () => {
    const { send, place } = await setUp(customers, exportOf(rows))
    await send()
    const [five, ten] = [rows[4]!, rows[9]!]
    const sent = [
      `5,conflict,send,${line(five.no, 5, five.payer)}`,
      `10,conflict,send,${line(ten.no, 10, ten.payer)}`,
    ]
    const files = [listOf(place, `migration_row,migration_state,migration_decision,${HEADER}`, ...sent)]
    expect((await send({ files })).totals).toMatchObject({ registered: 60, conflict: 0 })
  })

  it('are told and sent where their rules are warnings, and not even told where they are off', async () => {
    const { send, place } = await setUp(customers, exportOf(rows))
    const rules = { CUSTOMER_NAME_DIFFERS: 'warning', CUSTOMER_UNKNOWN: 'off' } as const
    expect((await send({ rules })).totals).toMatchObject({ registered: 60 })
    const told = place
      .look((reader) => reader.problemCounts())
      .filter(({ rule }) => rule.startsWith('CUSTOMER'))
    expect(told).toMatchObject([{ rule: 'CUSTOMER_NAME_DIFFERS', severity: 'warning', count: 1 }])
  })

  it('are corrected by another number, which is asked about', async () => {
    const { send, place, askedFor } = await setUp(customers, exportOf(rows))
    await send()
    const corrected = `10,conflict,${line(customers[9]!.no, 10, rows[9]!.payer)}`
    const files = [listOf(place, `migration_row,migration_state,${HEADER}`, corrected)]
    expect((await send({ files })).totals).toMatchObject({ registered: 59, conflict: 1 })
    expect(askedFor()).toBe(61)
  })
})

it('an export that names nobody holds nothing, also beside a column without a name', async () => {
  const customers = drawn(20, 31)
  const lines = exportOf(customers).trimEnd().split('\n')
  const unnamed = lines.map(
    (text, at) => `${at === 0 ? '' : at},${text.replace(/,("[^"]*"|payer_name)$/, '')}`,
  )
  const { send, place } = await setUp(customers, [...unnamed, ''].join('\n'))
  expect((await send()).totals).toMatchObject({ registered: 20 })
  expect(place.look((reader) => reader.who())).toMatchObject({ asked: 20, no_name: 20 })
})

describe('an answer that is none', () => {
  const of = (...customer_no: number[]) => ({ operation: 'customer', match: { customer_no } }) as const
  const customers = spelt(drawn(20, 3))
  it('of single customers holds nothing, and is counted', async () => {
    const { send, place } = await setUp(customers, exportOf(customers), {
      faults: [
        { ...of(1_003, 1_004), fault: { kind: 'refuse', status: 405, code: 'NO' } },
        { ...of(1_006), fault: { kind: 'delay', for_ms: 20 } },
        { ...of(1_007), times: 1, fault: { kind: 'cut' } },
        { ...of(1_008), times: 1, fault: { kind: 'nonsense', answer: 'html' } },
      ],
    })
    expect((await send()).totals).toMatchObject({ registered: 20 })
    expect(place.look((reader) => reader.who())).toMatchObject({ asked: 20, agrees: 18, unreadable: 2 })
  })

  it('ends the run where the credentials may not ask, with nothing sent', async () => {
    const { refused, posts } = await setUp(customers, exportOf(customers), {
      faults: [{ operation: 'customer', fault: { kind: 'refuse', status: 403, code: 'PERMISSION_DENIED' } }],
    })
    expect(await refused()).toMatchObject({ kind: 'credentials', exitCode: 6 })
    expect(posts()).toBe(0)
  })

  it('is not asked for of a stream', async () => {
    const { refused } = await setUp(customers, exportOf(customers))
    const stream = { name: 'stdin', open: () => [] } as never
    expect(await refused({ files: [stream] })).toBeInstanceOf(UsageError)
  })
})

it('an asking that is broken off goes on with those who were not asked, as often as it takes, and sends nothing before', async () => {
  const customers = spelt(drawn(400, 5))
  const { refused, send, askedFor, posts } = await setUp(customers, exportOf(customers))
  let broken = 0
  for (; broken < 3; broken += 1) {
    const stop = new AbortController()
    const watch = (event: MigrationEvent): void => {
      if (event.kind === 'asking_who' && event.asked >= 100) stop.abort()
    }
    expect(await refused({ watch, signal: stop.signal })).toMatchObject({ kind: 'signal', exitCode: 130 })
  }
  expect(posts()).toBe(0)
  expect((await send()).totals.registered).toBe(400)
  expect(askedFor()).toBe(400)
})

it('names of the service are on no disk; those of the export among the cells of rows that wait alone', async () => {
  const customers = drawn(60, 23).map((one, at) => ({
    ...one,
    name: `Wodanswald${at} Serviceborn${at}`,
    payer: at === 3 ? 'Exportia Heldmoor' : `Serviceborn${at} Exportkind${at}`,
  }))
  const { send, place } = await setUp(customers, exportOf(customers))
  const events: MigrationEvent[] = []
  await send({ watch: (event) => void events.push(event) })
  await writeReport(place.at('campaign.db'), { out: place.at('pack') })
  const files = readdirSync(place.at('.'), { recursive: true, encoding: 'utf8' })
    .map((name) => place.at(name))
    .filter((path) => statSync(path).isFile() && !path.endsWith('export.csv'))
  expect(files.length).toBeGreaterThan(8)
  const holding = (name: string): string[] =>
    files.filter((path) => readFileSync(path).includes(name)).map((path) => basename(path))
  expect(holding('Wodanswald')).toEqual([])
  expect(JSON.stringify(events)).not.toContain('Wodanswald')
  // Registered rows hold no cells any more; the row that waits does, and the list in which it is corrected.
  expect(holding('Exportkind')).toEqual([])
  expect(holding('Exportia').sort()).toEqual(['campaign.db', 'corrections.csv'])
  const workbook = files.find((path) => path.endsWith('to-do.xlsx')) ?? ''
  const sheets = Object.values(unzipSync(readFileSync(workbook))).map((part) => strFromU8(part))
  expect(sheets.some((part) => part.includes('Exportia Heldmoor'))).toBe(true)
  expect(sheets.join()).not.toContain('Wodanswald')
  for (const path of [...files.filter((each) => /to-do[/]|[.]db$/.test(each)), workbook])
    expect(statSync(path).mode & 0o777, path).toBe(0o600)
})
