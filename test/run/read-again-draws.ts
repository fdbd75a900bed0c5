import { stringify } from 'csv-stringify/sync'
import type { SourceOptionsInput } from '../../src/source/options.js'
import type { SeverityOverrides } from '../../src/domain/rule/verdict.js'
import { type Chance, seedChance } from '../support/chance.js'
import { collectionFile, type Debit } from '../support/collections.js'
import { germanIban } from '../support/export.js'
import { creditorIdentifierOf } from '../support/sample-values.js'
import { rowsOf, workbookBytes } from '../support/workbook.js'

/** An export, what reads it at first and what reads it then, drawn from a number. */

export const FORMATS = ['csv', 'xlsx', 'pain.008', 'joined'] as const
type Format = (typeof FORMATS)[number]
const WAYS = ['no file', 'the same file', 'another file'] as const

/** What a configuration says, the second files that it names, and the settings beside it. */
export interface Said {
  readonly reading: SourceOptionsInput
  readonly rules: SeverityOverrides
  readonly zone: string
  readonly newCreditorIdentifier: string | null
  readonly seconds: Readonly<Record<string, string>>
}

export interface Draw {
  readonly key: Key
  readonly format: Format
  readonly way: (typeof WAYS)[number]
  readonly files: readonly [export_: DrawnFile, other: DrawnFile]
  readonly first: Said
  readonly then: Said
  readonly limit: number
}
interface DrawnFile {
  readonly name: string
  readonly bytes: string | Uint8Array
}

const CREDITORS = [creditorIdentifierOf('DE', '09999999999'), creditorIdentifierOf('DE', '01234567890')]
const constant = (which: 0 | 1) => CREDITORS[which] ?? ''

type Values = Record<string, string>
const two = (number: number): string => String(number).padStart(2, '0')

function recordOf(chance: Chance, n: number): Values {
  const [day, month, year] = [chance.between(1, 12), chance.between(1, 12), chance.between(2015, 2024)]
  // The first one tells how the dates of the column are written.
  const first = n % 100 === 1 ? 25 : day
  return {
    Kunde: String(n + 100),
    Debtor: String(chance.happens(0.1) ? 501 : n + 400),
    Old: `K-${n}`,
    Member: `MEM-${n}-Q`,
    iban: germanIban(n),
    IBAN2: germanIban(n + 2_000),
    mandatdatum: `${two(first)}.${two(month)}.${year}`,
    Datum: `${two(day)}/${two(month)}/${year}`,
    Stamp: `${year}-${two(month)}-${two(day)} ${chance.pick(['23:30:00', '10:00:00', '12:00:00'])}`,
    Creditor: chance.happens(0.5) ? constant(0) : '',
    mandatid: `J-${n}-x`,
    mandatversion: '1',
    austritt: chance.happens(0.1) ? '2024-01-01' : '',
    Ref: `X-00${n * 37}-abc`,
    Status: chance.weigh({ A: 12, X: 5, old: 2, active: 4 }),
    Kind: chance.weigh({ new: 12, old: 4, 1: 4, '-': 1 }),
    Seq: chance.weigh({ RCUR: 12, W: 3, OOFF: 1 }),
    Scheme: chance.weigh({ CORE: 12, Z: 3, B2B: 1 }),
    Last: `${chance.pick(['2026', '2025', '2025', '2025', '2022'])}-0${chance.between(1, 4)}-11`,
  }
}

/** Some records repeat another one, or share its customer, its account or its reference. */
function recordsOf(chance: Chance, from: number): Values[] {
  const records: Values[] = []
  for (let n = from; n < from + chance.between(6, 14); n += 1) {
    const own = recordOf(chance, n)
    const other = records.length === 0 ? own : chance.pick(records)
    const shares = chance.weigh({ nothing: 16, all: 1, Kunde: 1, iban: 1, Ref: 1, but: 1 })
    if (shares === 'nothing') records.push(own)
    else if (shares === 'all') records.push({ ...other })
    else if (shares === 'but')
      records.push({ ...other, Status: own['Status'] ?? '', Kind: own['Kind'] ?? '' })
    else records.push({ ...own, [shares]: other[shares] ?? '' })
  }
  return records
}

const asCsv = (rows: readonly Values[]): string => stringify([...rows], { header: true, delimiter: ';' })
const asXlsx = (rows: readonly Values[]): Uint8Array =>
  workbookBytes({
    sheets: { Mandate: rowsOf([Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))]) },
  })
const asCollections = (chance: Chance, rows: readonly Values[]): string =>
  collectionFile(
    rows.map((row, n): Debit => ({
      reference: row['Ref'] ?? '',
      iban: row['iban'] ?? '',
      signed: (row['Stamp'] ?? '').slice(0, 10),
      day: chance.pick(['2026-02-05', '2026-03-05']),
      sequence: chance.pick(['RCUR', 'RCUR', 'RCUR', 'OOFF']),
      scheme: 'CORE',
      name: n % 3 === 0 ? 'Erika Alt' : 'Max Neu',
    })),
  )

/** Everything about a configuration that a correction may change; each draw takes one value of each. */
const CHOICES = {
  customer: ['Kunde', 'Debtor', { column: 'Kunde', transform: ['trim'] }, ['Nummer', 'Kunde']],
  iban: ['iban', 'IBAN2', 5],
  date: [
    { column: 'Datum', format: 'dd/mm/yyyy' },
    { column: 'Datum', format: 'mm/dd/yyyy' },
    { column: 'mandatdatum', format: 'dd.mm.yyyy' },
    { column: 'Stamp' },
  ],
  constant: [
    { column: 'Creditor', constant: constant(0) },
    { column: 'Creditor', constant: constant(1) },
    { constant: constant(1) },
  ],
  reference: [
    'Ref',
    'mandatid',
    { column: 'Ref', transform: [{ stripPrefix: 'X-' }] },
    { column: 'Ref', transform: [{ stripPrefix: 'X-' }, 'stripZeros'] },
    { column: 'mandatid', transform: [{ padLeft: { length: 12, with: '0' } }] },
    { template: '{Member}-M1' },
    { template: 'R{Member}' },
  ],
  status: ['none', 'Status'],
  last: ['none', 'Last'],
  words: [
    { status: { active: ['A', 'X'], notActive: ['old'] } },
    { status: { active: ['A'], notActive: ['X', 'old'] } },
    { status: { active: ['A', 'old'] } },
    {},
  ],
  furtherWords: [
    {},
    { sequence: { recurrent: ['W'] }, scheme: { core: ['Z'] } },
    { sequence: { oneOff: ['W'] }, scheme: { b2b: ['Z'] } },
  ],
  exclude: [
    [],
    [{ column: 'Kind', equals: ['old'], reason: 'over' }],
    [{ column: 'Kind', equals: ['old', 'new'], reason: 'over' }],
    [{ column: 'Kind', equals: ['1'], reason: 'over' }],
    [{ column: 'Kind', except: ['new', 'old'], reason: 'over' }],
    [{ column: 'Kind', equals: ['old'], olderVersion: true, reason: 'over' }],
    [{ column: 'austritt', filled: true, reason: 'left' }],
  ],
  rules: [
    {},
    { CUSTOMER_MULTIPLE_MANDATES: 'error' },
    { IBAN_SHARED: 'error' },
    { MANDATE_NEAR_DUPLICATE: 'error' },
    { CONFLICT_MANDATE: 'warning' },
    { DORMANCY_UNKNOWN: 'error' },
    { UMR_CHARSET: 'warning' },
    { CI_SAME_AS_NEW: 'error' },
  ],
  crosswalk: ['none', 'customer_no', 'debtor_no'],
  lines: ['all', 'some', 'others'],
  secondKey: [false, true],
  join: ['iban', 'other', 'customer', 'status'],
  accounts: ['all', 'some', 'others'],
  profile: ['none', 'jverein'],
  dates: ['none', 'utc', 'written'],
  zone: ['Europe/Berlin', 'UTC'],
  creditorIdentifier: [null, constant(1), constant(0)],
  ignored: [true, false],
} as const satisfies Record<string, readonly unknown[]>
export type Key = keyof typeof CHOICES
export const KEYS = Object.keys(CHOICES) as readonly Key[]
const KEYS_OF: Readonly<Record<Format, readonly Key[]>> = (() => {
  const all = Object.keys(CHOICES) as Key[]
  const plain = all.filter((key) => key !== 'join' && key !== 'accounts')
  return {
    csv: plain,
    xlsx: plain,
    joined: all.filter((key) => !['crosswalk', 'lines', 'secondKey', 'customer'].includes(key)),
    'pain.008': 'reference exclude rules crosswalk lines furtherWords creditorIdentifier last'.split(
      ' ',
    ) as Key[],
  }
})()
type Chosen = { readonly [Name in Key]: (typeof CHOICES)[Name][number] }

const HELPERS = 'Kunde Debtor Old Status Kind Seq Scheme Last austritt IBAN2 iban Stamp Datum'.split(' ')

function saidBy(
  chosen: Chosen,
  records: readonly Values[],
  { key, format, isAuto }: Pick<Draw, 'key' | 'format'> & { readonly isAuto: boolean },
): Said {
  const { crosswalk, lines, secondKey, customer, join, accounts, status, last } = chosen
  const others = { rules: chosen.rules, zone: chosen.zone, newCreditorIdentifier: chosen.creditorIdentifier }
  const some = (which: 'all' | 'some' | 'others', at: number): boolean => which !== 'some' || at % 2 === 0
  const shift = (which: 'all' | 'some' | 'others'): number => (which === 'others' ? 3_000 : 0)
  const isPain = format === 'pain.008'
  const table = records
    .map((record, at) => ({ record, at }))
    .filter(
      ({ record, at }) => some(lines, at) && records.findIndex(({ Old }) => Old === record['Old']) === at,
    )
    .map(({ record }) => ({
      old_no: isPain ? record['Ref'] : record['Old'],
      iban_end: (record['iban'] ?? '').slice(-4),
      debtor_no: String(Number(record['Kunde']) + 5_000),
      customer_no: String(Number(record['Kunde']) + shift(lines)),
    }))
    .filter(({ old_no }, at, all) => all.findIndex((other) => other.old_no === old_no) === at)
  const hasCrosswalk = isPain || (format !== 'joined' && crosswalk !== 'none')
  const second = {
    file: 'crosswalk.csv',
    from: isPain ? 'unique_mandate_reference' : 'Old',
    key: 'old_no',
    customer_no: crosswalk === 'none' ? 'customer_no' : crosswalk,
    ...(secondKey && !isPain ? { secondKey: { column: 'iban_end', ibanEnd: true as const } } : {}),
  }
  const seconds = hasCrosswalk ? { 'crosswalk.csv': stringify(table, { header: true }) } : {}
  if (isPain) {
    const [reference, column] = [chosen.reference, 'unique_mandate_reference']
    const transform =
      typeof reference === 'object' && 'transform' in reference ? [...reference.transform] : null
    const exclude = chosen.exclude.map((rule) => ({ ...rule, column: 'debtor_name' }))
    return {
      ...others,
      seconds,
      reading: {
        columns: {
          ...(transform === null ? {} : { unique_mandate_reference: { column, transform } }),
          ...(last === 'none' ? { last_collection_date: 'none' } : {}),
        },
        crosswalk: second,
        exclude: exclude.map((rule) =>
          'filled' in rule
            ? rule
            : 'except' in rule
              ? { ...rule, except: ['Erika Alt'] }
              : { ...rule, equals: ['Erika Alt'] },
        ),
        words: chosen.furtherWords,
      } as SourceOptionsInput,
    }
  }
  const joined = records
    .filter(
      (record, at) => some(accounts, at) && records.findIndex(({ Old }) => Old === record['Old']) === at,
    )
    .map((record, at) => ({
      old_no: record['Old'],
      account: germanIban(7_000 + Number(record['Kunde']) + shift(accounts) / 10),
      other: germanIban(8_000 + Number(record['Kunde'])),
      state: at % 3 === 0 ? 'X' : 'A',
    }))
  const isJoined = format === 'joined'
  const take =
    join === 'status'
      ? { status: 'state' }
      : join === 'customer'
        ? { iban: 'account' }
        : { iban: join === 'iban' ? 'account' : 'other' }
  const reading = {
    profile: chosen.profile,
    source: {
      ...(chosen.dates === 'none' ? {} : { dates: chosen.dates }),
      ignoreColumns: HELPERS.filter(
        (name) => name !== (key === 'profile' ? 'austritt' : chosen.ignored ? '' : 'Kind'),
      ),
    },
    columns: {
      ...(hasCrosswalk ? {} : { customer_no: isJoined ? 'Kunde' : customer }),
      ...(isJoined && join !== 'status' ? {} : { iban: chosen.iban }),
      signed_date: isAuto ? { column: 'mandatdatum', format: 'auto' } : chosen.date,
      sepa_creditor_identifier: chosen.constant,
      unique_mandate_reference: chosen.reference,
      ...(isJoined && join === 'status' ? {} : { status }),
      last_collection_date: last,
      sequence: 'Seq',
      scheme: 'Scheme',
    },
    exclude: chosen.exclude,
    words: { ...chosen.words, ...chosen.furtherWords },
    ...(hasCrosswalk ? { crosswalk: second } : {}),
    ...(isJoined ? { join: [{ file: 'joined.csv', on: { Old: 'old_no' }, take }] } : {}),
  } as unknown as SourceOptionsInput
  return {
    ...others,
    reading,
    seconds: { ...seconds, ...(isJoined ? { 'joined.csv': stringify(joined, { header: true }) } : {}) },
  }
}

/** @param only the key that is corrected; drawn where it is left out */
export function drawOf(seed: number, only?: Key): Draw {
  const chance = seedChance(seed)
  const formats = FORMATS.filter((format) => only === undefined || KEYS_OF[format].includes(only))
  const format = chance.pick(formats)
  const key = only ?? chance.pick(KEYS_OF[format])
  const records = recordsOf(chance, 1)
  const others = recordsOf(chance, 201)
  const chosen = Object.fromEntries(
    Object.entries(CHOICES).map(([name, values]: [string, readonly unknown[]]) => [
      name,
      chance.happens(0.8) ? values[0] : chance.pick(values),
    ]),
  ) as unknown as Chosen
  const values: readonly unknown[] = CHOICES[key]
  const usual = ((): Chosen => {
    // What has an effect only beside something else gets it.
    const more: Partial<Record<Key, unknown>> =
      {
        words: { status: 'Status' },
        lines: { crosswalk: 'customer_no' },
        secondKey: { crosswalk: 'customer_no' },
        creditorIdentifier: { rules: { CI_SAME_AS_NEW: 'error' } },
        profile: { profile: 'jverein', exclude: [], ignored: true },
        zone: { dates: 'utc', date: { column: 'Stamp' } },
        dates: { date: { column: 'Stamp' } },
        accounts: { join: 'iban' },
      }[key as string] ?? {}
    return { ...chosen, ...more } as Chosen
  })()
  const changed = { ...usual, [key]: chance.pick(values.filter((value) => value !== usual[key])) }
  const isAuto = !['date', 'dates', 'zone'].includes(key) && chance.happens(0.3)
  const all = [...records, ...others]
  const suffix = format === 'xlsx' ? 'xlsx' : format === 'pain.008' ? 'xml' : 'csv'
  const bytes = (rows: readonly Values[]): string | Uint8Array =>
    format === 'xlsx' ? asXlsx(rows) : format === 'pain.008' ? asCollections(chance, rows) : asCsv(rows)
  return {
    key,
    format,
    way: chance.pick(WAYS),
    files: [
      { name: `export.${suffix}`, bytes: bytes(records) },
      { name: `other.${suffix}`, bytes: bytes(others) },
    ],
    first: saidBy(usual, all, { key, format, isAuto }),
    then: saidBy(changed, all, { key, format, isAuto }),
    limit: chance.between(1, 3),
  }
}
