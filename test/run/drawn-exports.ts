import Papa from 'papaparse'
import { creditorIdentifierOf, ibanOf, seeded, type Seeded } from '../support/sample-values.js'
import { IBAN_EXAMPLES } from '../domain/iban-examples.js'

/** Exports of all kinds, drawn from a number: clean, faulty, repeated, contradicting. */
export interface DrawnExports {
  readonly files: readonly { readonly name: string; readonly bytes: Buffer }[]
  /** The configuration, as JSON, which is YAML too. */
  readonly configuration: Readonly<Record<string, unknown>>
}

const FIELDS = ['customer_no', 'iban', 'signed_date', 'sepa_creditor_identifier', 'unique_mandate_reference']
const MORE = 'status|sequence|scheme|last_collection_date|Land|Bemerkung|Kündigung zum|Letzter Einzug'.split(
  '|',
)

const RULES =
  `CUSTOMER_MULTIPLE_MANDATES MANDATE_NEAR_DUPLICATE IBAN_SHARED CONFLICT_MANDATE DUPLICATE_MANDATE
  UMR_SPACE UMR_CHARSET UMR_LOOKS_LIKE_DATE UMR_PLACEHOLDER UMR_PRECISION UMR_SLASH
  IBAN_CHECKSUM IBAN_NON_EEA IBAN_MASKED CI_CHECKSUM CI_LENGTH_UNCONFIRMED CI_LENGTH
  DATE_PRE_SEPA DATE_LEGACY_DEFAULT DATE_FUTURE STATUS_UNKNOWN CUST_LEADING_ZERO DORMANCY_UNKNOWN
  FILE_CI_MIXED FILE_MOJIBAKE FILE_DATE_DOMINANT FILE_UMR_EQUALS_CUSTOMER FILE_TOTALS_LINE FILE_ENCODING_ASSUMED`.split(
    /\s+/,
  )

const CREDITORS = [
  creditorIdentifierOf('DE', '09999999999'),
  creditorIdentifierOf('DE', '09999999999', 'ABC'),
  creditorIdentifierOf('DE', '01234567890'),
  creditorIdentifierOf('NO', '123456789'),
  creditorIdentifierOf('SE', '5561234567'),
  creditorIdentifierOf('GB', 'SDDBARC000000'),
]

/** Of a hundred cells, how many are faulty; how many rows repeat another. */
interface Temper {
  readonly faults: number
  readonly repeats: number
  readonly pool: number
  readonly creditors: readonly string[]
  readonly dateOf: (text: string) => string
}

const NATURES: readonly Pick<Temper, 'faults' | 'repeats' | 'pool'>[] = [
  { faults: 0, repeats: 0, pool: 1_000_000 },
  { faults: 1, repeats: 1, pool: 100_000 },
  { faults: 3, repeats: 10, pool: 400 },
  { faults: 0, repeats: 60, pool: 60 },
  { faults: 0, repeats: 50, pool: 100_000 },
  { faults: 2, repeats: 40, pool: 5_000 },
  { faults: 25, repeats: 10, pool: 200 },
]

const often = (chance: Seeded, percent: number): boolean => chance.below(100) < percent

const FAULTS: Readonly<Record<string, readonly string[]>> = {
  customer_no: '|007|1e5|9007199254740993| 12|abc|123456789012345|1234567890123456|0|-5'.split('|'),
  iban: '|DE00370400440532013000|de89370400440532013000|DE89 3704 0044 0532 0130 00|NL91XXXX0417164300'.split(
    '|',
  ),
  signed_date: '|2009-11-01|1999-05-05|2031-01-01|2024-02-30|01.02.2024|2024-03-05T23:00:00Z'.split('|'),
  sepa_creditor_identifier:
    '|DE98ZZZ0999999999|de98zzz09999999999|DE97ZZZ09999999999|XX98ZZZ09999999999'.split('|'),
  unique_mandate_reference: '|N/A|NONE|12-12-2020|SEPT-2020|1234567890000000000|a/b|/a|MÜLLER|X'.split('|'),
}
const BLANK_REFERENCES = ['MND 17', 'MND17', 'mnd17', 'M ND17', "'MND17", '1E-10', 'IBAN-5', 'MND-17 ']
const WORDS: Readonly<Record<string, readonly string[]>> = {
  status: ['active', 'active', 'active', 'Active', 'cancelled', 'odd', ''],
  sequence: ['RCUR', 'RCUR', 'RCUR', 'OOFF', ''],
  scheme: ['CORE', 'CORE', 'CORE', 'B2B', ''],
  last_collection_date: ['2026-01-05', '2025-11-30', '', '2020-01-01', '-', '1900-01-01', 'soon'],
  Land: ['DE', 'AT', 'NL', ''],
  Bemerkung: ['', 'Ärger', 'a "quoted" word', 'zwei\nZeilen', 'FÃ¼nf', 'tab\u0007', 'Total', '=1+1', 'ß€'],
  'Kündigung zum': ['', '', '', '', '2025-12-31', 'ja'],
  'Letzter Einzug': ['', '2026-01-05', '2025-12-01'],
}

const IBANS = Object.values(IBAN_EXAMPLES)

function required(chance: Seeded, temper: Temper): string[] {
  const n = chance.below(temper.pool) + 1
  const account = ibanOf('DE', `37040044${String(chance.below(temper.pool)).padStart(10, '0')}`)
  const nl = ibanOf('NL', `ABNA${String(chance.below(1_000_000)).padStart(10, '0')}`)
  const reference = [
    `MND-${n}`,
    `MND-${1_000_000 + n}`,
    `${n}`,
    `m${n}x`,
    `R${n}`,
    chance.pick(BLANK_REFERENCES),
  ]
  const isPlain = often(chance, 95)
  return [
    `${100 + chance.below(temper.pool)}`,
    isPlain ? account : chance.pick([nl, ...IBANS]),
    temper.dateOf(chance.date(2010, 2025)),
    often(chance, 97) ? temper.creditors[0]! : chance.pick(temper.creditors),
    isPlain ? reference[chance.below(2)]! : chance.pick(reference),
  ]
}

/** @param former rows of files before it, which it may repeat too */
function rowsOf(
  chance: Seeded,
  count: number,
  more: readonly string[],
  temper: Temper,
  former: readonly string[][],
): string[][] {
  const rows: string[][] = []
  for (let n = 0; n < count; n += 1) {
    const at = chance.below(Math.max(1, former.length + rows.length))
    const earlier = former[at] ?? rows[at - former.length]
    if (earlier !== undefined && often(chance, temper.repeats)) {
      const copy = [...earlier]
      const at = chance.below(FIELDS.length)
      if (often(chance, temper.pool > 1_000 ? 10 : 40)) copy[at] = required(chance, temper)[at]!
      if (often(chance, 2)) copy[at] = required(chance, temper)[chance.below(FIELDS.length)]!
      rows.push(copy)
      continue
    }
    const cells = required(chance, temper).map((cell, at) =>
      often(chance, temper.faults) ? chance.pick(FAULTS[FIELDS[at]!]!) : cell,
    )
    const words = more.map((name) =>
      often(chance, 97 - temper.faults) ? WORDS[name]![0]! : chance.pick(WORDS[name]!),
    )
    rows.push([...cells, ...words])
  }
  return rows
}

function textOf(chance: Seeded, header: readonly string[], rows: readonly string[][]): Buffer {
  const delimiter = chance.pick([',', ';', '\t', '|'])
  const order = header.map((_, index) => index).sort(() => chance.below(3) - 1)
  const blank = delimiter.repeat(order.length - 1)
  const lines = [header, ...rows].flatMap((cells, at) => {
    const line = Papa.unparse([order.map((index) => cells[index] ?? '')], { delimiter })
    // Now and then one that is no row.
    return at > 0 && often(chance, 1)
      ? [chance.pick(['', '  ', blank, 'a', `${delimiter}${delimiter}x`]), line]
      : [line]
  })
  if (often(chance, 15)) lines.push(`Summe${blank}${rows.length}`)
  if (often(chance, 10)) lines.push(`Total ${rows.length}${blank}`, blank)
  return Buffer.from(lines.join('\n') + (often(chance, 80) ? '\n' : ''))
}

/** @param sizes of the files, in rows */
export function drawExports(seed: number, sizes: readonly number[] = [3, 30, 200]): DrawnExports {
  const chance = seeded(seed)
  const isDotted = often(chance, 25)
  const temper: Temper = {
    ...chance.pick(NATURES),
    creditors: [chance.pick(CREDITORS), ...CREDITORS],
    dateOf: (text) => (isDotted ? text.split('-').reverse().join('.') : text),
  }
  const more = often(chance, 50) ? [] : MORE.filter(() => often(chance, 40))
  const fields = often(chance, 10) ? FIELDS.filter((name) => name !== 'sepa_creditor_identifier') : FIELDS
  const former: string[][] = []
  const files = Array.from({ length: chance.pick([1, 1, 2, 3]) }, (_, index) => {
    const header = [...FIELDS, ...more]
    const rows = rowsOf(chance, chance.pick(sizes), more, temper, former)
    former.push(...rows)
    const isKept = (name: string): boolean => fields.includes(name) || more.includes(name)
    const keep = <Value>(values: readonly Value[]): Value[] => values.filter((_, at) => isKept(header[at]!))
    const bytes = textOf(
      chance,
      keep(header),
      rows.map((row) => keep(row)),
    )
    return { name: `export-${index}.csv`, bytes }
  })
  if (files.length > 1 && often(chance, 15)) files.push({ ...files[0]!, name: 'again.csv' })
  const severities = RULES.filter(() => often(chance, 15)).map((rule) => [
    rule,
    chance.pick(['off', 'warning', 'error']),
  ])
  return {
    files,
    configuration: {
      rules: Object.fromEntries(severities) as unknown,
      columns: {
        ...(isDotted ? { signed_date: { column: 'signed_date', format: 'dd.mm.yyyy' } } : {}),
        ...(fields === FIELDS && often(chance, 85)
          ? {}
          : { sepa_creditor_identifier: constantOf(fields, temper) }),
      },
      ...(often(chance, 20) ? { words: { status: { active: ['odd'] } } } : {}),
      ...(often(chance, 10) ? { service: { creditorIdentifier: CREDITORS[1] } } : {}),
    },
  }
}

const constantOf = (fields: readonly string[], { creditors }: Temper) => ({
  ...(fields === FIELDS ? { column: 'sepa_creditor_identifier' } : {}),
  constant: creditors[0],
})
