import { expect, it } from 'vitest'
import { collectionFile } from '../support/collections.js'
import { germanIban } from '../support/export.js'
import { placeForEach } from '../support/place.js'
import { rowsOf, workbookBytes } from '../support/workbook.js'

const EACH = 30
/** In the order in which they are sent: the first four groups before the last export comes. */
const GROUPS = [
  ...(['unchanged', 'changed_after_registration', 'ended_after_registration', 'in_doubt_changed'] as const),
  ...(['changed_before_sending', 'gone_unsent', 'dormant', 'new'] as const),
]
const DOUBTS = Array.from({ length: EACH }, (_, at) => 3 * EACH + at + 1)

const { write, json, held } = placeForEach({
  sandbox: { faults: [{ match: { customer_no: DOUBTS }, fault: { kind: 'reset', applied: true } }] },
})

interface Mandate {
  readonly customer: number
  readonly iban: string
  readonly signed: string
  readonly reference: string
  readonly last: string
  readonly hasEnded: boolean
}

const mandateOf = (customer: number): Mandate => ({
  customer,
  iban: germanIban(customer),
  signed: `2020-0${1 + (customer % 9)}-1${customer % 10}`,
  reference: `M-${customer}`,
  last: GROUPS[Math.floor((customer - 1) / EACH)] === 'dormant' ? '2023-07-15' : '2026-01-05',
  hasEnded: false,
})
const all = GROUPS.flatMap((group, nth) =>
  Array.from({ length: EACH }, (_, at) => ({ group, half: at % 2, ...mandateOf(nth * EACH + at + 1) })),
)
const FIRST: readonly Mandate[] = all.filter(({ group }) => group !== 'new')
const LAST: readonly Mandate[] = all.flatMap(({ group, half, ...mandate }) => {
  if (group.includes('changed') && group !== 'unchanged')
    return [{ ...mandate, iban: germanIban(mandate.customer + 5_000) }]
  if (group !== 'ended_after_registration' && group !== 'gone_unsent') return [mandate]
  return half === 0 ? [] : [{ ...mandate, hasEnded: true }]
})

const CREDITOR = 'DE98ZZZ09999999999'
const cellsOf = ({ customer, iban, signed, reference, last, hasEnded }: Mandate): string[] => [
  ...[String(customer), iban, signed, CREDITOR, reference, last, hasEnded ? 'cancelled' : 'active'],
]
const HEADER = [
  ...['customer_no', 'iban', 'signed_date', 'sepa_creditor_identifier', 'unique_mandate_reference'],
  ...['last_collection_date', 'Status'],
]
const table = (delimiter: string, header: readonly string[], mandates: readonly Mandate[]): string =>
  [header, ...mandates.map(cellsOf)].map((cells) => `${cells.join(delimiter)}\n`).join('')

const GERMAN = ['Kundennr', 'Konto', 'Unterschrift', 'Gläubiger', 'Mandat', 'Zuletzt', 'Zustand']
const FIELDS = [...HEADER.slice(0, -1), 'status']

/** How the former system writes its mandates, and what a configuration says of it. */
const FORMATS: Readonly<
  Record<string, { file: string; yaml?: string; bytes: (mandates: readonly Mandate[]) => string | Buffer }>
> = {
  'the names of the service': { file: 'csv', bytes: (mandates) => table(',', HEADER, mandates) },
  'Latin-1 with semicolons, by a configuration': {
    file: 'csv',
    yaml: `columns: { ${FIELDS.map((field, at) => `${field}: ${GERMAN[at] ?? ''}`).join(', ')} }\n`,
    bytes: (mandates) => Buffer.from(table(';', GERMAN, mandates), 'latin1'),
  },
  'UTF-16 with tabs': {
    file: 'txt',
    bytes: (mandates) => Buffer.from(`\uFEFF${table('\t', HEADER, mandates)}`, 'utf16le'),
  },
  'Odoo, by its profile': {
    file: 'csv',
    bytes: (mandates) =>
      table(
        ',',
        [
          ...['customer_no', 'Bank Account', 'Date of Signature of the Mandate', 'sepa_creditor_identifier'],
          ...['Unique Mandate Reference', 'Date of the Last Debit', 'Status'],
        ],
        mandates,
      )
        .replaceAll(',active\n', ',Valid\n')
        .replaceAll(',cancelled\n', ',Cancelled\n'),
  },
  'a workbook': {
    file: 'xlsx',
    bytes: (mandates) =>
      Buffer.from(workbookBytes({ sheets: { Mandates: rowsOf([HEADER, ...mandates.map(cellsOf)]) } })),
  },
  'a collection file': {
    file: 'xml',
    yaml: 'crosswalk: { file: customers.csv, from: unique_mandate_reference, key: reference, customer_no: customer_no }\n',
    bytes: (mandates) =>
      collectionFile(
        mandates.map(({ reference, iban, signed, last, hasEnded }) => ({
          ...{ reference, iban, signed, creditor: CREDITOR, day: last, sequence: hasEnded ? 'FNAL' : 'RCUR' },
        })),
      ),
  },
}

it.each(Object.entries(FORMATS))(
  'so many of each class are told as such in %s, and counts are equal on both sides',
  async (_, { file, yaml, bytes }) => {
    const [before, after] = [`export.${file}`, `final.${file}`]
    write(before, bytes(FIRST))
    write(after, bytes(LAST))
    write(
      'customers.csv',
      `reference,customer_no\n${all.map((one) => `${one.reference},${one.customer}\n`).join('')}`,
    )
    if (yaml !== undefined) write('sepa-migrate.yaml', yaml)
    const first = [
      '--as-of',
      '2026-03-01',
      '--limit',
      `${4 * EACH}`,
      '--max-in-doubt',
      `${EACH}`,
      '--no-report',
    ]
    expect((await json('run', before, ...first)).totals).toMatchObject({
      ...{ read: 7 * EACH, registered: 3 * EACH, inDoubt: EACH, ready: 3 * EACH },
    })
    expect(held()).toHaveLength(4 * EACH)

    const compared = await json('compare', after, '--as-of', '2026-08-01')
    expect(compared).toMatchObject({
      classes: Object.fromEntries(GROUPS.map((group) => [group, EACH])),
      mandates: { ledger: FIRST.length, final: LAST.length },
      totals: { registered: 3 * EACH, inDoubt: EACH, ready: 3 * EACH },
      cutOver: { open: 5 * EACH, held: 3 * EACH, untaken: 2 * EACH },
    })
    expect(held()).toHaveLength(4 * EACH)
  },
  120_000,
)
