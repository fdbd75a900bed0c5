import { describe, expect, it } from 'vitest'
import { draftConfiguration, inspectSource } from '../../../src/source/guess/inspect.js'
import { csv, OWN, STATUS, xlsx, type Column } from '../../support/columns.js'
import { germanIban } from '../../support/export.js'
import { AS_OF, CHECK, optionsOf, readAll } from '../../support/sources.js'

/** Names of the columns that `check` asks about, with what it says. */
async function askedAbout(path: string, yaml = ''): Promise<Record<string, string>> {
  const { summary } = await readAll(path, optionsOf(yaml), { ...CHECK, undecided: 'tell' })
  const asked = summary.findings.filter(({ rule }) => rule === 'FILE_COLUMN_UNDECIDED')
  return Object.fromEntries(asked.map(({ value, message }) => [value, message]))
}
const inspected = (path: string) => inspectSource(path, { today: AS_OF })
const draftOf = async (path: string): Promise<string> => draftConfiguration(await inspected(path))

/** The one look that settles a file: nothing on the list counts. */
const settled = (draft: string): string => draft.replace('  # ignoreColumns:', '  ignoreColumns:')

const first = (rows: number, text: string, others: string) => (n: number) => (n <= rows ? text : others)
/** Asked about by shape, in a file of so many rows beside a status column. */
const MARKS: readonly (readonly [kind: string, rows: number, column: Column])[] = [
  ['a date in few rows', 4, ['Mandatsaufhebungsdatum', first(1, '01.02.2026', '')]],
  ['a Polish one', 4, ['Data odwołania', first(1, '2026-02-01', '')]],
  ['a Czech one with zeros for none', 30, ['Platnost do', first(4, '31.12.2025', '00.00.0000')]],
  ['a French one with the last day there is', 30, ['DT_FIN_VALIDITE', first(9, '31/12/2025', '31/12/9999')]],
  ['of SAP, digits only', 30, ['VAL_TO_DATE', first(2, '20251231', '99991231')]],
  ['with a day far off', 1200, ['Bd', first(2, '31.12.2025', '31.12.2099')]],
  ['to come', 30, ['Ruhend ab', first(2, '31.12.2026', '')]],
  ['an end in every row', 5, ['Kündigungsdatum', () => '31.03.2026']],
  ['a French end in every row', 30, ['Date de résiliation', (n) => `${10 + (n % 9)}/03/2026`]],
  ['an English end in every row', 1, ['cancelled_at', () => '2026-03-31T10:00:00Z']],
  [
    'behind 400 that have none',
    450,
    ['Rev.-Datum', (n) => (n > 400 ? `${10 + (n % 9)}.0${1 + (n % 5)}.2025` : '00.00.0000')],
  ],
  [
    'dates in several formats',
    60,
    ['Bd', (n) => (n > 15 ? '' : ([`2025-03-${9 + n}`, `${9 + n}/03/2025`, `${9 + n}.03.25`][n % 3] ?? ''))],
  ],
  ['a level', 60, ['Mahnstufe', (n) => (n <= 3 ? `${n}` : '0')]],
  ['0 and 1', 24, ['disable', first(1, '1', '0')]],
  ['yes and no', 20, ['Einzug', first(2, 'nein', 'ja')]],
  ['1.0 and 0.0', 20, ['opted_out', first(1, '1.0', '0.0')]],
  ['a letter', 60, ['LOEVM', first(1, 'X', '')]],
  ['two marks that differ', 60, ['Vermerk', (n) => ['L', 'S'][n - 1] ?? '']],
  ['a letter that means a gender elsewhere', 60, ['kz', first(3, 'D', '')]],
  ['another way to pay', 240, ['Paiement', first(12, 'virement', 'prélèvement')]],
  ['an end still to come for most, in Italian', 6, ['Scadenza', first(2, '30.06.2025', '30.06.2031')]],
  ['in Dutch', 30, ['T/m', first(4, '31-12-2025', '31-12-2049')]],
  ['in Lithuanian, behind 400 others', 450, ['Galioja iki', (n) => (n > 449 ? '2025-12-31' : '2030-12-31')]],
  ['dates in most rows, in Slovene', 30, ['Izst.', first(18, '02.06.2025', '')]],
  ['dates in most rows, in Hungarian', 60, ['Kilépett', first(50, '2025.06.02', '')]],
  ['a block into the future', 25, ['Lastschriftsperre bis', first(3, '31.12.2027', '')]],
  ['a block in English', 6, ['Paused until', first(1, '2027-12-31', '')]],
  ['a block in French', 25, ['Bloqué jusqu’au', first(3, '31/12/2027', '')]],
  ['a block for all', 5, ['Ruht bis', () => '31.12.2027']],
  ['a deletion in more than a tenth', 25, ['LöKz', first(3, '1', '0')]],
  ['a debit in few rows', 12, ['Bankeinzug', first(5, 'nein', 'ja')]],
  ['a debit in Dutch', 40, ['Automatische incasso', first(15, 'N', 'J')]],
  ['another way to pay in a third', 30, ['Zahlungsart', first(9, 'Rechnung', 'Lastschrift')]],
  ['another way to pay in Spanish', 30, ['Forma de pago', first(9, 'transferencia', 'recibo')]],
  ['a lock in few rows', 12, ['Sperre', first(2, 'X', '')]],
  ['a mark behind 1,200 others', 1201, ['Opposition', (n) => (n === 1201 ? 'oui' : '')]],
]

/** A status of which not every row has the same. */
const TELLING: Column = ['Status', first(1, 'pausiert', 'aktiv')]
/** Nothing is asked about them. */
const HARMLESS: readonly (readonly [why: string, rows: number, column: Column])[] = [
  ['empty', 60, ['Aufhebungsdatum', () => '']],
  ['one value in every row', 60, ['disable', () => '0']],
  ['few values', 60, ['disable', first(7, '1', '0')]],
  ['few values', 19, ['disable', first(1, '1', '0')]],
  ['dates', 60, ['Geburtsdatum', (n) => (n % 2 === 0 ? '' : '01.02.1980')]],
  ['dates', 60, ['Erfasst', (n) => (n % 2 === 0 ? '2024-05-17' : `${10 + (n % 9)}.02.1980`)]],
  ['dates', 60, ['Vertragsbeginn', (n) => `01.0${1 + (n % 9)}.2019`]],
  ['dates', 60, ['Naissance', first(50, '01/02/2001', '')]],
  ['dates', 19, ['Probetraining', first(12, '02.06.2025', '')]],
  ['a preference by its name', 60, ['Newsletter', first(1, 'ja', 'nein')]],
  ['an amount by its name', 60, ['BTW-plichtig', first(1, 'N', 'J')]],
  ['a term of payment by its name', 60, ['Zahlungsziel', first(20, '14 Tage', '30 Tage')]],
  ['few values', 60, ['Geworben von', (n) => (n % 3 === 0 ? '1' : '')]],
  ['ends still to come', 60, ['Gültig bis', first(3, '31.12.2035', '')]],
  ['countries', 60, ['Herkunft', first(2, 'AT', 'DE')]],
  ['languages', 60, ['Korrespondenz', first(2, 'Französisch', 'Deutsch')]],
  ['genders', 60, ['MW', first(2, 'w', 'm')]],
  ['amounts', 60, ['Soll', first(2, '30,00', '60,00 EUR')]],
  ['numbers', 60, ['Konto FiBu', first(2, '4410', '4400')]],
  ['e-mail addresses', 60, ['Vertreter', first(2, 'a@example.com', 'b@example.com')]],
  ['BICs', 60, ['Kreditinst.', first(2, 'COBADEFFXXX', 'GENODEF1M01')]],
  ['an address by its name', 60, ['Wohnort', first(2, 'Neudorf', 'Altheim')]],
  ['a name by its name', 60, ['customer.company_name', first(2, 'Muster GmbH', '')]],
  ['hardly varies, as an account of the creditor', 60, ['Auftragskonto', () => germanIban(999)]],
  ['creditor identifiers', 60, ['GID alt', first(20, 'DE98ZZZ09999999999', 'FR72ZZZ123456')]],
  ['nearly all values differ', 60, ['Notiz', (n) => `Akte Nr. ${n}/A`]],
]

describe.each([
  ['CSV', csv],
  ['XLSX', xlsx],
])('the fate of a column of a %s file', (_, fileWith) => {
  it.each(MARKS)('is to be decided: %s (%i rows)', async (__, rows, column) => {
    const [name] = column
    const path = fileWith(rows, [...OWN, STATUS, column])
    const asked = await askedAbout(path)
    expect(Object.keys(asked)).toEqual([name])
    expect(asked[name]).toContain(`--ignore-column ${JSON.stringify(name)}`)
    await expect(readAll(path)).rejects.toMatchObject({ rule: 'FILE_COLUMN_UNDECIDED', exitCode: 7 })
    const { columns } = await inspected(path)
    expect(columns.find((one) => one.name === name)?.fate).toMatchObject({ kind: 'undecided' })
  })

  it.each(HARMLESS)('is harmless: %s (%i rows)', async (why, rows, column) => {
    const path = fileWith(rows, [...OWN, TELLING, column])
    expect(await askedAbout(path)).toEqual({})
    const { columns } = await inspected(path)
    expect(columns.find(({ name }) => name === column[0])?.fate).toMatchObject({ kind: 'harmless', why })
    const { summary } = await readAll(path)
    const told = [...(summary.reading.notUsed ?? []), ...(summary.reading.mayBeStatus ?? [])]
    expect(told).toEqual([expect.stringMatching(`^${column[0]}: `)])
  })
})

describe('one answer for all columns to be decided', () => {
  const columns: readonly Column[] = [
    ...OWN,
    STATUS,
    ['disable', first(1, '1', '0')],
    ['Aufgehoben am', first(2, '01.02.2026', '')],
    ['Kündigung zum', () => '31.03.2026'],
  ]

  it('is drafted with the words and counts of each, asks until a person looked, and settles the file then', async () => {
    const path = csv(30, columns)
    const draft = await draftOf(path)
    expect(draft).toMatch(/^ {2}# ignoreColumns: \[disable, Aufgehoben am, Kündigung zum\] {3}# EDIT: /m)
    expect(draft).toMatch(/^ {2}# {3}disable: 1 1, 0 29\n {2}# {3}Aufgehoben am: .*a date in 2 of 30 rows$/m)
    expect(draft.match(/EDIT:/g)).toHaveLength(1)
    expect(Object.keys(await askedAbout(path, draft))).toHaveLength(3)
    expect(await askedAbout(path, settled(draft))).toEqual({})
    const { records } = await readAll(path, optionsOf(settled(draft)))
    expect(records.every(({ verdict }) => verdict.kind === 'sendable')).toBe(true)
  })

  it('is given by status: none too, where no column is used as status', async () => {
    const path = csv(
      30,
      columns.filter(([name]) => name !== 'Status'),
    )
    expect(Object.keys(await askedAbout(path))).toHaveLength(3)
    expect(await askedAbout(path, 'columns: { status: none }')).toEqual({})
  })

  it('is not asked where an exclude rule looks at the column', async () => {
    const path = csv(30, [...OWN, ['Aufgehoben am', first(2, '01.02.2026', '31.12.9999')]])
    const [asked = ''] = Object.values(await askedAbout(path))
    expect(asked).toContain('exclude: [{ column: "Aufgehoben am", filled: true, reason: … }]')
    const { records } = await readAll(
      path,
      optionsOf('exclude: [{ column: Aufgehoben am, filled: true, reason: revoked }]'),
    )
    expect(records.filter(({ verdict }) => verdict.kind === 'excluded')).toHaveLength(2)
  })
})

describe('two columns of accounts', () => {
  const [customer, , ...rest] = OWN
  const own: Column = ['IBAN Auftragskonto', () => germanIban(999_999)]
  const debtor: Column = ['IBAN Zahlungsbeteiligter', germanIban]

  it.each([
    ['before', [customer, own, debtor, ...rest]],
    ['behind', [customer, debtor, own, ...rest]],
    ['with the usual name, of the creditor', [customer, ['IBAN', own[1]], debtor, ...rest]],
  ] as const)('that of the creditor is never the debtor’s: %s', async (_, columns) => {
    for (const rows of [2, 12, 60]) {
      const draft = await draftOf(csv(rows, columns))
      expect(draft).toMatch(/^ {2}iban: IBAN Zahlungsbeteiligter {3}# by its values/m)
      expect(draft).not.toContain('EDIT:')
    }
  })

  it('a constant one that check would map by its usual name is asked about', async () => {
    const path = csv(12, [customer, ['IBAN', own[1]], debtor, ...rest])
    expect(Object.keys(await askedAbout(path))).toEqual(['IBAN Zahlungsbeteiligter'])
    expect(await askedAbout(path, 'columns: { iban: IBAN Zahlungsbeteiligter }')).toEqual({})
  })

  it('two that vary are asked about, and mapped by nobody but a person', async () => {
    const other: Column = ['Konto neu', (n) => germanIban(n + 5000)]
    const unnamed = await draftOf(csv(12, [customer, debtor, other, ...rest]))
    expect(unnamed).toMatch(/^ {2}# iban: .*EDIT: "IBAN Zahlungsbeteiligter" and "Konto neu" hold accounts/m)
    const path = csv(12, [...OWN, other])
    const draft = await draftOf(path)
    expect(draft).toMatch(/^ {2}# iban: IBAN {3}# EDIT: "Konto neu" may be the debtor's, too/m)
    expect(draft).toMatch(/^ {2}# ignoreColumns: \[Konto neu\] /m)
    expect(Object.keys(await askedAbout(path, draft))).toEqual(['Konto neu'])
    expect(await askedAbout(path, settled(draft))).toEqual({})
    expect(await askedAbout(path, 'columns: { iban: IBAN }')).toEqual({})
    expect(await askedAbout(path, 'columns: { iban: Konto neu }')).toEqual({})
  })
})

describe('a list beside the table', () => {
  const [, ...others] = OWN
  it.each([
    ['with a word of an end', 25, 'Gekündigt', (n: number) => `${553_100 + n}`, [10, 14, 23]],
    ['whose numbers could be dates, in French', 12, 'Partis', (n: number) => `0102${10 + n}`, [9, 4]],
    ['with letters, in Spanish', 40, 'Bajas de socios', (n: number) => `C-${100 + n}`, [7, 31, 32, 38]],
    ['longer than a sample', 900, 'Former', (n: number) => `K${1000 + n}`, [7, 31, 832, 838, 840, 899]],
  ])('is none of the words of its rows: %s', async (_, rows, name, customer, listed) => {
    const list: Column = [name, (n) => (n > listed.length ? '' : customer(listed[n - 1] ?? 0))]
    for (const path of [csv, xlsx].map((fileWith) =>
      fileWith(rows, [['customer_no', customer], ...others, ['Ort', () => 'Neudorf'], list]),
    )) {
      const [asked = ''] = Object.values(await askedAbout(path))
      expect(asked).toMatch(/holds \d numbers of customers of other rows, as a list beside the table does/)
      const draft = await draftOf(path)
      expect(draft).not.toMatch(/^exclude:/m)
      expect(draft).toMatch(/ignoreColumns: \[.*EDIT: .*\n.*\d numbers of customers/)
    }
  })

  it('is none where most rows have one, or its numbers are no customers', async () => {
    const customer: Column = ['customer_no', (n) => `${553_100 + n}`]
    for (const other of [
      ['Hauptmitglied', (n: number) => `${553_100 + n - (n % 3)}`],
      ['Zähler', (n: number) => (n > 9 ? '' : `${77_100 + n}`)],
    ] as const)
      expect(await askedAbout(csv(60, [customer, ...others, TELLING, [...other]]))).toEqual({})
  })
})

describe('a draft', () => {
  it.each([
    ['signed_date', 'Mandatsdatum', 'März 2024'],
    ['iban', 'IBAN', '532013000'],
    ['sepa_creditor_identifier', 'Gläubiger-ID', '4711'],
  ])('marks %s where no value of "%s" can be read, such as %s', async (field, name, cell) => {
    const columns = OWN.map((column): Column => (column[0] === name ? [name, () => cell] : column))
    const draft = await draftOf(csv(4, columns))
    expect(draft).toMatch(new RegExp(`^ {2}${field}: .*# EDIT: its values cannot be read as ${field};`, 'm'))
    expect(() => optionsOf(draft)).not.toThrow()
  })

  it.each([
    ['Art der nächsten Lastschrift', 'one last collection is due', 'where it is to be made'],
    ['Volgende incasso', 'one last collection is due', 'where it is to be made'],
    ['Prochain prélèvement', 'one last collection is due', 'where it is to be made'],
    ['Lastschriftart', 'marked as final', 'was the last collection made'],
  ])('tells the next collection from the last: %s', async (name, reason, doubt) => {
    const kind: Column = ['Sequenz', () => 'RCUR']
    const draft = await draftOf(csv(9, [...OWN, kind, [name, first(2, 'FNAL', 'RCUR')]]))
    expect(draft).toMatch(new RegExp(`equals: \\["FNAL"\\], reason: ${reason} } {3}# EDIT: .*${doubt}`))
  })

  it('takes no column of few dates for the day of signing', async () => {
    const columns = OWN.filter(([name]) => name !== 'Mandatsdatum')
    const draft = await draftOf(csv(9, [...columns, ['Aufgehoben', first(2, '01.02.2026', '')]]))
    expect(draft).toMatch(/^ {2}# signed_date:/m)
  })
})
