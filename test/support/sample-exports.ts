import iconv from 'iconv-lite'
import {
  COUNTRIES,
  CREDITOR,
  creditorIdentifierOf,
  csvLine,
  FIRST_NAMES,
  grouped,
  ibanOf,
  inventIban,
  LAST_NAMES,
  seeded,
  WESTERN,
} from './sample-values.js'

type Row = Record<string, string>

const CRLF = '\r\n'

const linesOf = (columns: readonly string[], rows: readonly Row[], delimiter: string): string[] =>
  rows.map((row) => csvLine([...columns.map((column) => row[column]!)], delimiter))

const dotted = (date: string): string => date.split('-').reverse().join('.')
const slashed = (date: string): string => date.split('-').reverse().join('/')

const GERMAN_COLUMNS = [
  'Mitgliedsnummer',
  'Nachname',
  'Vorname',
  'Kontoinhaber',
  'IBAN',
  'BIC',
  'Mandatsreferenz',
  'Mandatsdatum',
  'Letzte Lastschrift',
  'Status',
  'Bemerkung',
]

/** A club's export: Windows-1252, a preamble and a footer, no customer number, so it comes with a crosswalk. */
export function makeGerman(): [string, Buffer][] {
  const random = seeded(49)
  const names = { first: FIRST_NAMES.filter(WESTERN), last: LAST_NAMES.filter(WESTERN) }
  const spell = [
    (iban: string) => iban,
    (iban: string) => grouped(iban),
    (iban: string) => grouped(iban, '\u00a0'),
    (iban: string) => `IBAN: ${grouped(iban)}`,
    (iban: string) => iban.toLowerCase(),
  ]
  const members = Array.from({ length: 60 }, (_, index) => {
    const [first, last] = [random.pick(names.first), random.pick(names.last)]
    return {
      iban: inventIban(random, ['DE', 'DE', 'DE', 'AT', 'NL'][index % 5]!),
      customerNo: `${810_001 + index}`,
      row: {
        Mitgliedsnummer: `${index + 1}`.padStart(5, '0'),
        Nachname: last,
        Vorname: first,
        Kontoinhaber: `${last}, ${first}`,
        IBAN: '',
        BIC: '',
        Mandatsreferenz: `TSV-${2014 + (index % 11)}-${`${index + 1}`.padStart(4, '0')}`,
        Mandatsdatum: dotted(random.date(2014, 2024)),
        'Letzte Lastschrift': dotted(`2026-0${1 + (index % 5)}-01`),
        Status: 'aktiv',
        Bemerkung: index % 7 === 3 ? 'Familienbeitrag;\nbitte "Einzug Quartal"' : '',
      },
    }
  })
  members.forEach((member, index) => {
    member.row['IBAN'] = spell[index % spell.length]!(member.iban)
  })
  const plant = (index: number, cells: Row): void => {
    Object.assign(members[index]!.row, cells)
  }
  plant(9, { IBAN: 'DE89 **** **** **** **30 00' })
  plant(14, { IBAN: 'DE88370400440532013000' })
  plant(19, { Mandatsdatum: '31.02.2020' })
  plant(24, { Mandatsreferenz: 'TSV–2015–0025' })
  plant(29, { Status: 'gekündigt' })
  plant(34, { Mandatsdatum: '01.04.2015', 'Letzte Lastschrift': '01.10.2022' })
  plant(39, { Mitgliedsnummer: '90001' })
  const lines = linesOf(
    GERMAN_COLUMNS,
    members.map(({ row }) => row),
    ';',
  )
  lines[44] = `${lines[44]!};Zusatz`
  const preamble = [
    'Mitgliederverwaltung TSV Musterstadt;Export Lastschriftmandate',
    `Erstellt am 15.05.2026;Gläubiger-ID ${CREDITOR}`,
    '',
  ]
  const text = [...preamble, GERMAN_COLUMNS.join(';'), ...lines, '', 'Summe Mandate: 60', ''].join(CRLF)
  const crosswalk = members.map(({ iban, customerNo }, index) => [
    `${index + 1}`.padStart(5, '0'),
    customerNo,
    iban.slice(-4),
  ])
  crosswalk[9]![2] = '3000'
  crosswalk[14]![2] = '3000'
  // Planted: a shifted account, a key with two customers, a repeated line, a member who is not in the export.
  crosswalk[49]![2] = members[50]!.iban.slice(-4)
  crosswalk.push(['00055', '819999', ''], [...crosswalk[3]!], ['00777', '810777', '1234'])
  const crosswalkLines = [['member_id', 'customer_no', 'iban_end'], ...crosswalk].map((cells) =>
    csvLine(cells),
  )
  return [
    ['german-messy.csv', iconv.encode(text, 'windows-1252')],
    ['german-customers.csv', Buffer.from(`${crosswalkLines.join('\n')}\n`)],
    ['german.yaml', Buffer.from(GERMAN_CONFIGURATION)],
  ]
}

const GERMAN_CONFIGURATION = `# How german-messy.csv is read.
source: { encoding: windows-1252, delimiter: ";", skipLines: 3, skipFooterLines: 2 }
columns:
  iban: IBAN
  signed_date: { column: Mandatsdatum, format: dd.mm.yyyy }
  sepa_creditor_identifier: { constant: ${CREDITOR} }
  unique_mandate_reference: Mandatsreferenz
  last_collection_date: { column: Letzte Lastschrift, format: dd.mm.yyyy }
  status: Status
crosswalk:
  file: german-customers.csv
  from: Mitgliedsnummer
  key: member_id
  customer_no: customer_no
  secondKey: { column: iban_end, ibanEnd: true }
`

const FRENCH_COLUMNS = [
  'Référence client',
  'Titulaire',
  'IBAN',
  'BIC',
  'RUM',
  'DATE_SIGNATURE_MANDAT',
  'ICS',
  'Dernier prélèvement',
  'Situation',
]

/** An export with day-first slashes, a byte order mark and a customer number behind a prefix. */
export function makeFrench(): [string, Buffer][] {
  const random = seeded(33)
  const creditor = creditorIdentifierOf('FR', '654321')
  const rows = Array.from({ length: 40 }, (_, index): Row => ({
    'Référence client': `C-${720_001 + index}`,
    Titulaire: `${random.pick(LAST_NAMES)} ${random.pick(FIRST_NAMES)}`,
    IBAN: grouped(inventIban(random, ['FR', 'FR', 'FR', 'BE', 'LU'][index % 5]!)),
    BIC: '',
    RUM: `RUM${random.digits(4)}-${`${index + 1}`.padStart(6, '0')}`,
    DATE_SIGNATURE_MANDAT: slashed(random.date(2015, 2024)),
    ICS: creditor,
    'Dernier prélèvement': slashed(`2026-0${1 + (index % 5)}-10`),
    Situation: 'en cours',
  }))
  const plant = (index: number, cells: Row): void => {
    Object.assign(rows[index]!, cells)
  }
  plant(7, { IBAN: ibanOf('TN', '10006035183598478831') })
  plant(12, { ICS: creditorIdentifierOf('FR', '54321') })
  plant(17, { DATE_SIGNATURE_MANDAT: '31/04/2021' })
  plant(22, { RUM: 'RUM n°22' })
  plant(27, { Situation: 'résilié' })
  const lines = linesOf(FRENCH_COLUMNS, rows, ';')
  lines.push(lines[3]!)
  return [
    ['french.csv', Buffer.from(`\ufeff${[FRENCH_COLUMNS.join(';'), ...lines].join(CRLF)}${CRLF}`)],
    ['french.yaml', Buffer.from(FRENCH_CONFIGURATION)],
  ]
}

const FRENCH_CONFIGURATION = `# How french.csv is read.
source: { encoding: utf-8, delimiter: ";" }
columns:
  customer_no: { column: Référence client, transform: [stripPrefix: C-] }
  iban: IBAN
  signed_date: { column: DATE_SIGNATURE_MANDAT, format: dd/mm/yyyy }
  sepa_creditor_identifier: ICS
  unique_mandate_reference: RUM
  last_collection_date: { column: Dernier prélèvement, format: dd/mm/yyyy }
exclude:
  - { column: Situation, equals: [résilié, suspendu], reason: cancelled at the previous creditor }
`

/** What a spreadsheet does to an export that was opened and saved. Service names, so no configuration is needed. */
export function makeExcelDamaged(): Buffer {
  const random = seeded(97)
  const columns = [
    'customer_no',
    'iban',
    'signed_date',
    'sepa_creditor_identifier',
    'unique_mandate_reference',
  ]
  const rows = Array.from({ length: 20 }, (_, index): Row => ({
    customer_no: `${730_001 + index}`,
    iban: inventIban(random, COUNTRIES[index % COUNTRIES.length]!),
    signed_date: random.date(2015, 2024),
    sepa_creditor_identifier: CREDITOR,
    unique_mandate_reference: `XL-${`${index + 1}`.padStart(4, '0')}`,
  }))
  const lines = linesOf(columns, rows, ';')
  const damage = (index: number, cells: Row): void => {
    const row = { ...rows[index]!, ...cells }
    lines[index] = columns.map((column) => row[column]!).join(';')
  }
  damage(1, { iban: '3,704E+17' })
  damage(3, { unique_mandate_reference: '1,23457E+17' })
  damage(5, { unique_mandate_reference: '="00012345"' })
  damage(6, { iban: `'${rows[6]!['iban']!}` })
  damage(7, { unique_mandate_reference: '12.03.2021' })
  damage(9, { signed_date: '44958' })
  damage(11, { sepa_creditor_identifier: creditorIdentifierOf('AT', '1234567890') })
  damage(13, { unique_mandate_reference: '1234567890123450000' })
  damage(15, { unique_mandate_reference: '#NAME?' })
  damage(17, { customer_no: '7,30018E+05' })
  damage(18, { iban: '#N/A' })
  // A spreadsheet keeps the empty columns behind the last one, and lines of separators only.
  const all = ['sep=;', columns.join(';'), ...lines.slice(0, 10), ';;;;', ...lines.slice(10), ';;;;']
  return Buffer.from(`\ufeff${all.join(CRLF)}${CRLF}`)
}

/** "Unicode text" of a spreadsheet: UTF-16 with a byte order mark, separated by tabs. */
export function makeUtf16(): Buffer {
  const random = seeded(16)
  const columns = [
    'customer_no',
    'account holder',
    'debtor iban',
    'mandate reference',
    'date of signature',
    'creditor identifier',
  ]
  const rows = Array.from({ length: 25 }, (_, index): Row => ({
    customer_no: `${740_001 + index}`,
    'account holder': `${random.pick(FIRST_NAMES)} ${random.pick(LAST_NAMES)}`,
    'debtor iban': inventIban(random, COUNTRIES[index % COUNTRIES.length]!),
    'mandate reference': `U16-${`${index + 1}`.padStart(4, '0')}`,
    'date of signature': random.date(2015, 2024),
    'creditor identifier': CREDITOR,
  }))
  const lines = [columns.join('\t'), ...linesOf(columns, rows, '\t')]
  return Buffer.from(`\ufeff${lines.join(CRLF)}${CRLF}`, 'utf16le')
}
