import { describe, expect, it } from 'vitest'
import { inspectSource } from '../../../src/source/guess/inspect.js'
import { csv, OWN, STATUS, xlsx, type Column } from '../../support/columns.js'
import { WORDS } from '../../../src/domain/value/words.js'
import { kindByAnswers, kindByWords } from '../../../src/source/guess/fate.js'
import { germanIban } from '../../support/export.js'
import { AS_OF, optionsOf, readAll } from '../../support/sources.js'
import { askedAbout, draftOf } from '../reading.js'

const inspected = (path: string) => inspectSource(path, { today: AS_OF })

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
  ['of Navision, with its first day', 30, ['Austritt', first(1, '31.01.2025', '01.01.1753')]],
  ['of .NET, with its first day', 4, ['Gültig bis', first(1, '31.01.2025 00:00:00', '01.01.0001 00:00:00')]],
  ['of Access, with its first day', 30, ['Date de résiliation', first(3, '31/01/2025', '30/12/1899')]],
  ['ISO, with the first day of SQL Server', 30, ['cancelled_at', first(2, '2025-01-31', '1753-01-01')]],
  ['of Unix', 30, ['Opgezegd per', first(2, '31-01-2025', '01-01-1970')]],
  ['a first day behind 400 with an earlier one', 450, ['Bd', (n) => (n < 3 ? '31.12.2025' : '01.01.1900')]],
  ['with a day far off', 1200, ['Bd', first(2, '31.12.2025', '31.12.2099')]],
  ['to come', 30, ['Ruhend ab', first(2, '31.12.2026', '')]],
  ['ends of the next year', 40, ['Kündigung zum', first(5, '31.12.2026', '')]],
  ['seconds of Unix', 300, ['cancelled_at', (n) => (n > 12 ? '' : `${1761086413 + n}`)]],
  ['milliseconds beside zeros', 300, ['deleted', (n) => (n > 40 ? '0' : `${1761086413000 + n}`)]],
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
  ...['Zahlungsstopp', 'Opposition', 'Stop payment', 'Betaalstop', 'Oposición'].map(
    (name) => [`a block in a small file: ${name}`, 4, [name, first(1, 'x', '')]] as const,
  ),
  ['two marks that differ', 60, ['Vermerk', (n) => ['L', 'S'][n - 1] ?? '']],
  ['a letter that means a gender elsewhere', 60, ['kz', first(3, 'D', '')]],
  ['another way to pay', 240, ['Paiement', first(12, 'virement', 'prélèvement')]],
  ['an end still to come for most, in Italian', 6, ['Scadenza', first(2, '30.06.2025', '30.06.2031')]],
  ['in Dutch', 30, ['T/m', first(4, '31-12-2025', '31-12-2049')]],
  ['in Lithuanian, behind 400 others', 450, ['Galioja iki', (n) => (n > 449 ? '2025-12-31' : '2030-12-31')]],
  ['dates in most rows, in Slovene', 30, ['Izst.', first(18, '02.06.2025', '')]],
  ['dates in most rows, in Hungarian', 60, ['Kilépett', first(50, '2025.06.02', '')]],
  ['dates as in Hungary, in one row', 6, ['Visszavonás dátuma', first(1, '2026.02.01.', '')]],
  ['dates with blanks as in Hungary', 30, ['Vége', first(2, '2026. 02. 01.', '')]],
  ['a year alone', 6, ['Gültig bis', first(1, '2025', '')]],
  ['days that a spreadsheet counts', 30, ['DTE_Y', first(2, '46054', '')]],
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
  ['a mark of activity in most rows', 12, ['Mandat aktiv', first(10, 'x', '')]],
  ['its number', 30, ['Aktiv', first(22, '1', '')]],
  ['its sign', 12, ['gültig', first(10, '✓', '')]],
  ['its word, in English', 1200, ['enabled', first(1199, 'true', '')]],
  ['in French, by any letter', 6, ['mandat_actif', first(5, 'A', '')]],
  ['in Dutch, with the verb', 30, ['Is machtiging nog geldig?', first(22, 'J', '')]],
  ['in Polish', 12, ['Upoważnienie SEPA aktywne', first(10, 'TAK', '')]],
  ['in Italian, behind the mandate', 12, ['attivo_mandato', first(10, 'S', '')]],
  ['the absence of an end', 30, ['Inaktiv', first(22, 'nein', '')]],
  ['a mark behind 1,200 others', 1201, ['Opposition', (n) => (n === 1201 ? 'oui' : '')]],
]

/** A status of which not every row has the same. */
const TELLING: Column = ['Status', first(1, 'pausiert', 'aktiv')]
/** Nothing is asked about them. */
const HARMLESS: readonly (readonly [why: string, rows: number, column: Column])[] = [
  ['empty', 60, ['Aufhebungsdatum', () => '']],
  ['few values', 60, ['Newsletter aktiv', first(50, 'x', '')]],
  ['one value in every row', 60, ['Mandat aktiv', () => 'x']],
  ['few values', 60, ['Basis', first(50, 'Tarif', '')]],
  ['numbers', 60, ['Gültig bis', first(1, '01.01.0001', '30.12.1899')]],
  ['numbers', 60, ['Lotus', () => '01.01.1753']],
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
  ['ends far ahead', 60, ['Gültig bis', first(3, '31.12.2035', '')]],
  ['ends far ahead', 60, ['Vertragsende', () => '31.12.2026']],
  ['countries', 60, ['Herkunft', first(2, 'AT', 'DE')]],
  ['languages', 60, ['Korrespondenz', first(2, 'fr-FR', 'de')]],
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

describe.each(Object.entries({ CSV: csv, XLSX: xlsx }))(
  'the fate of a column of a %s file',
  (_, fileWith) => {
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
  },
)

it.each([
  ['Mandat aktiv', 'x'],
  ['Aktiv', 'aktiv'],
  ['Lastschrift gültig', '1'],
  ['isActive', 'Y'],
  ['Mandat voimassa', '✓'],
])(
  'a mark in most rows under a heading of activity is asked about beside a used status: %s %s',
  async (name, mark) => {
    const path = csv(30, [...OWN, TELLING, [name, first(22, mark, '')]])
    for (const yaml of ['', 'columns: { status: Status }'])
      expect(Object.keys(await askedAbout(path, yaml))).toEqual([name])
  },
)

it('an end named in few rows under a heading of activity says what has ended', () => {
  expect(kindByAnswers('Aktiv', counts({ inaktiv: 2 }), WORDS, 10)).toBeNull()
  expect(kindByAnswers('Aktiv', counts({ '-': 2 }), WORDS, 10)).toBeNull()
  const ended = kindByAnswers('Gekündigt', counts({ ja: 2 }), WORDS, 10)
  expect(ended?.staysBehind).toMatchObject([{ word: 'ja' }])
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

  it('keeps back the rows without a mark of activity as it says', async () => {
    const path = csv(12, [...OWN, ['Mandat aktiv', first(10, 'x', '')]])
    const rule = 'exclude: [{ column: "Mandat aktiv", except: ["x"], reason: … }]'
    const [asked = ''] = Object.values(await askedAbout(path))
    expect(asked).toContain(`looks like status: empty 2 will not be migrated; x 10 go. To use it: ${rule}`)
    expect(await draftOf(path)).toMatch(/column: Mandat aktiv, except: \["x"\], reason: ended/)
    const { records } = await readAll(path, optionsOf(rule.replace('…', 'ended')))
    const kinds = records.map(({ verdict }) => verdict.kind).slice(8)
    expect(kinds.join()).toBe('sendable,sendable,excluded,excluded')
  })

  it('asks about the rows without a mark where the column is used as status, too', async () => {
    const path = csv(12, [...OWN, ['Mandat aktiv', first(10, 'x', '')]])
    const yaml = 'columns: { status: Mandat aktiv }\nwords: { status: { active: [x] } }'
    const [asked = ''] = Object.values(await askedAbout(path, yaml))
    expect(asked).toContain('is used as status and is empty in 2 of 12 rows, beside x 10.')
    expect(asked).toContain('If it means ended: columns: { status: none }, and exclude: [{ column:')
  })

  it('is given by status: none too, where no column is used as status', async () => {
    const others = columns.filter(([name]) => name !== 'Status')
    const path = csv(30, others)
    expect(Object.keys(await askedAbout(path))).toHaveLength(3)
    expect(await askedAbout(path, 'columns: { status: none }')).toEqual({})
  })

  it('is not asked where an exclude rule looks at the column', async () => {
    const path = csv(30, [...OWN, ['Aufgehoben am', first(2, '01.02.2026', '31.12.9999')]])
    const [asked = ''] = Object.values(await askedAbout(path))
    expect(asked).toContain('exclude: [{ column: "Aufgehoben am", filled: true, reason: … }]')
    const exclude = 'exclude: [{ column: Aufgehoben am, filled: true, reason: revoked }]'
    const { records } = await readAll(path, optionsOf(exclude))
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
    expect(unnamed).toMatch(/^ {2}# iban: .*EDIT: which column holds it\?/m)
    const path = csv(12, [...OWN, other])
    const draft = await draftOf(path)
    expect(draft).toMatch(/^ {2}# iban: IBAN {3}# EDIT: "Konto neu" may be it, too/m)
    expect(draft).not.toMatch(/^ {2}# ignoreColumns:/m)
    expect(Object.keys(await askedAbout(path, draft))).toEqual(['Konto neu'])
    expect(await askedAbout(path, draft.replace('  # iban:', '  iban:'))).toEqual({})
    expect(await askedAbout(path, 'columns: { iban: IBAN }')).toEqual({})
    expect(await askedAbout(path, 'columns: { iban: Konto neu }')).toEqual({})
  })
})

describe('two columns for one field', () => {
  const german = (n: number): string => `1${n % 10}.0${(n % 9) + 1}.2024`
  const other = (n: number): string => `2024-04-1${n % 10}`
  const CREDITOR = (): string => 'DE98ZZZ09999999999'
  const SECOND: readonly (readonly [field: string, first: Column, other: Column])[] = [
    ['unique_mandate_reference', ['Mandat-ID', (n) => `${8000 + n}`], ['Mandatsreferenz', (n) => `M-${n}`]],
    ['unique_mandate_reference', ['RUM', (n) => `R${n}`], ['Référence mandat', (n) => `M-${n}`]],
    ['signed_date', ['Erstelldatum', german], ['Unterschriftsdatum', (n) => german(n + 1)]],
    ['signed_date', ['Mandatsdatum', german], ['Unterschrieben am', (n) => german(n + 1)]],
    ['signed_date', ['Mandatsdatum', (n) => `2024-03-1${n % 10}`], ['Data podpisania', other]],
    ['signed_date', ['Ondertekend op', german], ['signed_at', other]],
    ['signed_date', ['signed_date', german], ['Signerat', (n) => `24031${n % 10}`]],
    ['sepa_creditor_identifier', ['Gläubiger-ID', CREDITOR], ['AG Gläubiger-ID', () => 'FR72ZZZ123456']],
  ]

  it.each(SECOND)('for %s is never settled by position: %s', async (field, one, other) => {
    const without = { unique_mandate_reference: 4, signed_date: 2, sepa_creditor_identifier: 3 }[field]
    const rest = OWN.filter((_, at) => at !== without)
    for (const [left, right] of [
      [one, other],
      [other, one],
    ] as const) {
      const path = csv(25, [...rest, left, right])
      const draft = await draftOf(path)
      const may = new RegExp(`^ {2}# ${field}: .*EDIT: "(?:${one[0]}|${other[0]})" may be it, too`, 'm')
      expect(draft).toMatch(may)
      expect(draft).not.toMatch(new RegExp(`^ {2}${field}:`, 'm'))
      // What nobody looked at is asked by check, or cannot be read.
      const asked = await readAll(path, optionsOf(draft)).catch((error: unknown) => error)
      const rule = /^FILE_(?:COLUMN_UNDECIDED|HEADER_AMBIGUOUS)$/
      expect(asked).toHaveProperty('rule', expect.stringMatching(rule))
      expect(await askedAbout(path, draft.replace(`  # ${field}:`, `  ${field}:`))).toEqual({})
    }
  })

  it('is no question where the other one does not fit', async () => {
    const others: readonly Column[] = [
      ['Mandat', () => 'ja'],
      ['Unterschriftsdatum', () => ''],
      ['Unterschrieben in', () => 'Neudorf'],
    ]
    const draft = await draftOf(csv(25, [...others, ...OWN]))
    expect(draft).not.toContain('EDIT:')
    expect(draft).toMatch(/^ {2}unique_mandate_reference: Mandatsreferenz /m)
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

/** The columns of a mandate, one of them replaced. */
const replacing = (name: string, column: Column): readonly Column[] =>
  OWN.map((one) => (one[0] === name ? column : one))

describe('a draft', () => {
  it.each([
    ['yymmdd', (n: number) => `2${n % 5}0${(n % 9) + 1}1${n % 10}`, 'ddmmyy', 'yymmdd'],
    ['two orders with slashes', (n: number) => `0${(n % 9) + 1}/0${(n % 7) + 1}/21`, 'dd/mm/yy', 'mm/dd/yy'],
    ['three orders', (n: number) => `0${(n % 9) + 1}-0${(n % 7) + 1}-21`, 'dd-mm-yy', 'mm-dd-yy, yy-mm-dd'],
    ['months first', (n: number) => `0${(n % 9) + 1}/0${(n % 7) + 1}/2021`, 'dd/mm/yyyy', 'mm/dd/yyyy'],
    [
      'yymmdd with one damaged value',
      (n: number) => (n === 7 ? '999999' : `2${n % 5}0${(n % 9) + 1}1${n % 10}`),
      'ddmmyy',
      'yymmdd',
    ],
  ])('leaves a date that fits several formats to a person: %s', async (_, cell, format, others) => {
    const draft = await draftOf(csv(25, replacing('Mandatsdatum', ['Mandatsdatum', cell])))
    expect(draft).toContain(
      `  # signed_date: { column: Mandatsdatum, format: ${format} }   # EDIT: ${others} would fit too; remove the first "#"`,
    )
  })

  it.each([
    ['dd/mm/yy', (n: number) => `${12 + n}/0${(n % 7) + 1}/21`],
    ['mm/dd/yy', (n: number) => `0${(n % 7) + 1}/${12 + n}/21`],
    ['mm.dd.yyyy', (n: number) => `0${(n % 7) + 1}.${12 + n}.2021`],
    ['yy-mm-dd', (n: number) => `98-0${(n % 7) + 1}-${10 + n}`],
    ['dd.mm.yyyy', (n: number) => `0${(n % 9) + 1}.0${(n % 7) + 1}.2021`],
  ])('names the one format that fits: %s', async (format, cell) => {
    const draft = await draftOf(csv(15, replacing('Mandatsdatum', ['Mandatsdatum', cell])))
    expect(draft).toContain(`  signed_date: { column: Mandatsdatum, format: ${format} }   # by its name`)
  })

  it.each([
    [true, ['Geburtsdatum', 'Erfasst', 'Date d’entrée', 'Fecha de alta', 'd']],
    [false, ['Mandat vom', 'Unterschrift', 'Podpisano']],
    [false, ['Machtiging afgegeven', 'Data della firma del cliente']],
  ] as const)('asks %s whether the one column of dates is the day of signing: %j', async (isAsked, names) => {
    for (const name of names) {
      const path = csv(25, replacing('Mandatsdatum', [name, OWN[2][1]]))
      const draft = await draftOf(path)
      const drafted = [name, `"${name}`].some((as) => draft.includes(`  # signed_date: { column: ${as}`))
      expect(drafted).toBe(isAsked)
      const read = readAll(path, optionsOf(draft))
      if (isAsked) await expect(read).rejects.toHaveProperty('rule', 'FILE_HEADER_MISSING')
      else await read
    }
  })

  it.each(['Letzte Lastschrift', 'Dernier prélèvement', 'Laatste incasso', 'Ultimo addebito', 'last_debit'])(
    'takes "%s" for the last collection',
    async (name) => {
      const draft = await draftOf(csv(25, [...OWN, [name, (n) => `${10 + (n % 9)}.10.2025`]]))
      const line = `^ {2}last_collection_date: { column: ${name}, format: dd.mm.yyyy }`
      expect(draft).toMatch(new RegExp(line, 'm'))
    },
  )

  it.each([
    ...['Letzter Zählerstand', 'Letzte Rechnung', 'Dernière facture', 'Ultima lettura'],
    ...['Laatste bezoek', 'last order'],
  ])('asks whether "%s" is the last collection', async (name) => {
    const path = csv(25, [...OWN, [name, (n) => `${10 + (n % 9)}.10.2025`]])
    const draft = await draftOf(path)
    expect(draft).toMatch(new RegExp(`^ {2}# last_collection_date: { column: ${name}, .*EDIT:`, 'm'))
    expect(Object.keys(await askedAbout(path, draft))).toEqual([name])
    expect(await askedAbout(path, 'columns: { last_collection_date: none }')).toEqual({})
  })

  const CUSTOMERS: readonly (readonly [customer: string | null, others: readonly string[]])[] = [
    [null, ['Kundennr alt', 'Kundennr neu']],
    ['customers.metadata.customer_no', ['mandates.id', 'mandates.links.creditor_no']],
    ['contact_id', ['id']],
    ['"Customer No."', ['ID', 'Entry']],
    ['Mitgliedsnummer', ['Lfd', 'Beleg']],
    ['mandates.customer_id', ['mandates.id']],
    [null, ['id', 'Konto FiBu']],
    [null, ['customers.id', 'customers.metadata.customer_no']],
  ]
  it.each(CUSTOMERS)('proposes the customer number %s before %j', async (customer, others) => {
    const names = [...others, ...(customer === null ? [] : [customer.replaceAll('"', '')])]
    const keys = names.map((name, at): Column => [name, (n) => `${at + 1}${1000 + n}`])
    const draft = await draftOf(csv(25, [...keys, ...OWN.slice(1)]))
    expect(draft).toContain(`  # customer_no: { column: ${customer ?? '"…"'}, `)
    const candidates = customer === null ? others : []
    expect(draft.match(/It may be/g) ?? []).toHaveLength(candidates.length)
    for (const name of candidates) expect(draft).toMatch(new RegExp(`# It may be ${name} \\(`))
    expect(draft).not.toMatch(/customer_no.*mandates\.(?:id|links)|may be mandates/)
  })

  it('knows customers with several mandates each', async () => {
    const customer: Column = ['Kunde', (n) => `${5000 + Math.floor(n / 2)}`]
    const draft = await draftOf(csv(25, [['Beleg', (n) => `${n + 70}`], customer, ...OWN.slice(1)]))
    expect(draft).toContain('  # customer_no: { column: Kunde, ')
  })

  it.each([
    ['signed_date', 'Mandatsdatum', 'März 2024'],
    ['iban', 'IBAN', '532013000'],
    ['sepa_creditor_identifier', 'Gläubiger-ID', '4711'],
  ])('marks %s where no value of "%s" can be read, such as %s', async (field, name, cell) => {
    const draft = await draftOf(csv(4, replacing(name, [name, () => cell])))
    expect(draft).toMatch(new RegExp(`^ {2}${field}: .*# EDIT: its values cannot be read as ${field};`, 'm'))
    expect(() => optionsOf(draft)).not.toThrow()
  })

  it('leaves to a person whether a final collection was made', async () => {
    const kind: Column = ['Sequenz', () => 'RCUR']
    const draft = await draftOf(csv(9, [...OWN, kind, ['Lastschriftart', first(2, 'FNAL', 'RCUR')]]))
    expect(draft).toMatch(/"FNAL"\], reason: marked as final } {3}# EDIT: was the last collection made/)
  })

  it('takes no column of few dates for the day of signing', async () => {
    const columns = OWN.filter(([name]) => name !== 'Mandatsdatum')
    const draft = await draftOf(csv(9, [...columns, ['Aufgehoben', first(2, '01.02.2026', '')]]))
    expect(draft).toMatch(/^ {2}# signed_date:/m)
  })
})

const counts = (words: Readonly<Record<string, number>>) => new Map(Object.entries(words))
const byWords = (words: Readonly<Record<string, number>>) => kindByWords(counts(words), WORDS)
const byAnswers = (name: string, words: Readonly<Record<string, number>>) =>
  kindByAnswers(name, counts(words), WORDS)

describe('a column by its words', () => {
  it('one word that keeps a mandate back is enough among any number that nobody knows', () => {
    expect(byWords({ gekündigt: 1, hocus: 900, pocus: 900 })).toMatchObject({
      field: 'status',
      form: 'words',
      staysBehind: [{ word: 'gekündigt', count: 1, rule: 'STATUS_NOT_ACTIVE' }],
      unknown: [{ word: 'hocus' }, { word: 'pocus', count: 900 }],
    })
  })

  it('words of other columns count where half of it is understood, good words alone where most is', () => {
    expect(byWords({ single: 5, married: 6 })).toBeNull()
    expect(byWords({ single: 5, married: 5 })).toMatchObject({ field: 'sequence' })
    expect(byWords({ RCUR: 8, zzz: 2 })).toMatchObject({ field: 'sequence', staysBehind: [] })
    expect(byWords({ RCUR: 7, zzz: 3 })).toBeNull()
  })

  it('of two kinds the one that understands more wins', () => {
    expect(byWords({ B2B: 3, CORE: 50, gekündigt: 1 })?.field).toBe('scheme')
  })
})

it('a column that says yes or no is none where one cell is no answer, or no row stays behind', () => {
  expect(byAnswers('Gekündigt', { ja: 2, nein: 8, vielleicht: 1 })).toBeNull()
  expect(byAnswers('Gekündigt', { nein: 8 })).toBeNull()
  expect(byAnswers('Newsletter', { ja: 2, nein: 8 })).toBeNull()
})
