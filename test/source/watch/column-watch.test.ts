import { describe, expect, it } from 'vitest'
import { inspectSource, draftConfiguration } from '../../../src/source/guess/inspect.js'
import type { SourceSummary } from '../../../src/domain/rule/verdict.js'
import {
  accountOf,
  AS_OF,
  CHECK,
  exportOf,
  fileOf,
  optionsOf,
  readAll,
  refusal,
} from '../../support/sources.js'
import { draftOf, fileRules, kindsIn, readText, refused } from '../reading.js'
import { csv, OWN } from '../../support/columns.js'
import { germanIban } from '../../support/export.js'

const HEADER = 'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference'
const row = (customer: number, ...more: readonly string[]): string =>
  [customer, accountOf(customer), '2024-03-01', 'DE98ZZZ09999999999', `M-${customer}`, ...more].join(',')
/** An export with one more column; one row for each of its cells. */
const withColumn = (name: string, cells: readonly string[]): string =>
  `${[`${HEADER},${name}`, ...cells.map((cell, index) => row(index + 1, cell))].join('\n')}\n`

const SILENT = [
  ['Toestand', 'status', ['Actief', 'Beëindigd', 'Actief']],
  ['Lage', 'status', ['laufend', 'Gekündigt zum 31.12.2025', 'Gekündigt zum 30.06.2025']],
  ['Etat', 'status', ['Suspended', 'Active']],
  ['Stan', 'status', ['aktywny', 'wygasly']],
  ['Mandatsart', 'sequence', ['wiederkehrend', 'einmalig']],
  ['Kennzeichen', 'sequence', ['RCUR', 'OOFF']],
  ['Rodzaj', 'sequence', ['cykliczny', 'jednorazowy']],
  ['Verfahren', 'scheme', ['SEPA-Basislastschrift', 'SEPA-Firmenlastschrift']],
  ['all recurring', 'sequence', ['RCUR', 'FRST']],
] as const

const END_NAMES =
  'Ende, Vertragsende, Datum bis, until, Mitglied bis, Storniert am, Löschdatum, Loeschdatum, Sperrdatum, Inaktiv seit, Abmeldung, verstorben am, Kuendigung zum, Ausscheidedatum, deceased on, Closed, Contract end, blocked_at, archived_on, Fin, Date de fin, Décès, Clôturé le, Radiation, jusqu’au, Slut, Avslutad, Giltig till, t.o.m., Spärrad, Avliden, Einde, Geldig tot, Uitgeschreven, Overleden, Ophør, Udmeldt, Slettet, Opphørt, Fecha fin, hasta, Fallecimiento, Data fine, Cessazione, Deceduto, Koniec, Data zakończenia, Zgon, Konec platnosti, Päättynyt, Irtisanottu, Data fim, Óbito, Ausgetreten am, Sterbetag, Stilllegung, Archiviert, Abgang, Abgangsdatum, left_on, date_end, stopped, churned_at'.split(
    ', ',
  )

describe('a column that says which mandates stay behind', () => {
  it.each(SILENT)('%s refuses the file as %s until somebody decides: %j', async (name, field, cells) => {
    const text = withColumn(name, cells)
    const error = await refusal(readText(text))
    expect(error).toMatchObject({ rule: 'FILE_COLUMN_UNDECIDED', exitCode: 7 })
    expect(error.message).toContain(`Column "${name}" looks like ${field}`)
    expect(error.message).toContain(`columns: { ${field}: none }, or --ignore-column "${name}"`)
    expect(error.message).toContain('nothing was sent')

    const sendable = cells.map(() => 'sendable')
    expect(await kindsIn(text, `columns: { ${field}: none }`)).toEqual(sendable)
    expect(await kindsIn(text, `source: { ignoreColumns: ["${name.toUpperCase()}"] }`)).toEqual(sendable)
    const { records } = await readText(text, `columns: { ${field}: "${name}" }`)
    const kept = records.filter(({ verdict }) => verdict.kind === 'excluded').length
    expect(kept).toBe(name === 'all recurring' ? 0 : name === 'Lage' ? 2 : 1)
  })

  it('refuses a file of ours, too, for lines that name no row and so are new mandates', async () => {
    const ours = (...lines: readonly string[]): string =>
      [`${HEADER},Toestand,migration_row,migration_state`, ...lines, ''].join('\n')
    const error = await refusal(readText(ours(row(1, 'Actief', '1', 'ready'), row(2, 'Opgezegd', '', ''))))
    expect(error).toMatchObject({ rule: 'FILE_COLUMN_UNDECIDED', exitCode: 7 })
    // What its rows were was decided when they came in.
    const numbered = ours(row(1, 'Actief', '1', 'ready'), row(2, 'Opgezegd', '2', 'ready'))
    expect(await kindsIn(numbered, '')).toEqual(['sendable', 'sendable'])
  })

  it.each([
    ...['Kündigungsdatum', 'Einddatum', 'Date de résiliation', 'cancelled_at'].map(
      (name) => [name, ['', '31.12.2025', '-'], ''] as const,
    ),
    ...END_NAMES.map((name) => [name, ['31.12.9999', '31.12.2025', '-'], ''] as const),
    ['Gekündigt', ['nein', 'ja', 'nein'], 'ja'],
    ['Aktiv', ['true', 'false', 'true'], 'false'],
    ['is_active', ['1', '0', '1'], '0'],
    ['Einmalig', ['', 'x', ''], 'x'],
    ['B2B', ['no', 'yes', 'no'], 'yes'],
  ] as const)(
    'a column "%s" that answers yes or no, or has the day of the end, counts too',
    async (name, cells, back) => {
      const text = withColumn(name, cells)
      const how = back === '' ? 'filled: true' : `equals: ["${back}"]`
      await refused(readText(text), 'FILE_COLUMN_UNDECIDED', `exclude: [{ column: "${name}", ${how}`)
      const draft = await draftOf(fileOf(text))
      expect(await kindsIn(text, draft)).toEqual(['sendable', 'excluded', 'sendable'])
    },
  )

  it('a column in which each mandate has an end, passed or still to come, is asked about', async () => {
    const text = withColumn('Vertragsende', ['31.12.2035', '31.12.2025', '31.12.2036'])
    expect((await refusal(readText(text))).message).toContain(
      'looks like status: with a date that has passed 1 will not be migrated. Export without those rows; to leave it out',
    )
    const draft = await draftOf(fileOf(text))
    expect(draft).toMatch(/# ignoreColumns: \[Vertragsende\] .*# EDIT: .*\n.*better export without/)
    expect((await refusal(readText(text, draft))).rule).toBe('FILE_COLUMN_UNDECIDED')
  })

  it('a column of ends that are years away says nothing', async () => {
    expect(await kindsIn(withColumn('Einddatum', ['', '31.12.2035', '']), '')).toHaveLength(3)
  })

  it('a column with the last collection counts too, by its name and its dates', async () => {
    const text = withColumn('Datum laatste incasso', ['13.05.2022', '01.05.2026'])
    const error = await refusal(readText(text))
    expect(error.message).toContain('{ column: "Datum laatste incasso", format: dd.mm.yyyy }')
    expect(await kindsIn(text, 'columns: { last_collection_date: none }')).toEqual(['sendable', 'sendable'])
    for (const name of ['Erste Lastschrift', 'last_modified', 'Nachname'])
      expect((await readText(withColumn(name, ['13.05.2022', '01.05.2026']))).records).toHaveLength(2)
  })

  it.each([
    ...'Spende, Absender, Kalender, gender, Prénom, Datum, Update, Definition, total, Wochenende'
      .split(', ')
      .map((name): [string, string[]] => [name, ['', '13.05.2022', '01.05.2026']]),
    ['Familienstand', ['single', 'married', 'married', 'widowed']],
    ['Anrede', ['Herr', 'Frau', 'Firma']],
    ['Newsletter', ['ja', 'nein']],
    ['Prüfung', ['ok', 'ok', 'ok']],
    ['Name', ['Letzte', 'Müller', 'Closed']],
    ['Bemerkung', ['ruft an', 'Kündigungsschutz gewünscht', 'Anna Storno <storno@example.com>']],
    ['Firma', ['Closed GmbH', 'Fermes du Nord', 'Müller (Eltern)', 'Suspension Bridges Ltd']],
    ['Hinweis', ['gültig bis auf Widerruf, ab 3', 'gültig bis auf Widerruf, ab 7']],
    ['Aktiv', ['ja', 'ja']],
    ['empty', ['', '']],
    ['many', Array.from({ length: 40 }, (_, index) => (index === 7 ? 'OOFF' : `word ${index}`))],
  ])('leaves a column %s alone: %j', async (name, cells) => {
    expect((await readText(withColumn(name, cells))).records).toHaveLength(cells.length)
  })

  it.each<[string, string[], string]>([
    ['Name', ['Abel', 'gelöscht Falk', 'Quast (verstorben)'], 'gelöscht 1, verstorben 1'],
    ['Naam', ['De Vries', 'Jansen - OPGEZEGD per 1-1-2025', 'Bakker'], 'opgezegd 1'],
    ['Titulaire', ['Dubois', 'LEFEVRE DECEDE', 'Petit (Mme résiliée)'], 'decede 1, résiliée 1'],
    ['Nome', ['Rossi', 'Bianchi *non attivo*', 'Conti'], 'non attivo 1'],
    ['Customer', ['Smith', 'Jones [deactivated]', 'Brown †'], 'deactivated 1, † 1'],
    ['Bemerkung', ['ruft an', 'gekündigt im Sportverein', ''], 'gekündigt 1'],
    ['Namn', Array.from({ length: 900 }, (_, n) => `Person ${n}${n === 850 ? ' UPPSAGD' : ''}`), 'uppsagd 1'],
  ])('%s with a remark that a mandate ended is asked about: %j', async (name, cells, shows) => {
    const text = withColumn(name, cells)
    // That no column is the status says nothing of it.
    for (const yaml of ['', 'columns: { status: none }']) {
      const told = `of ${cells.length} rows (${shows})`
      const { message } = await refused(readText(text, yaml), 'FILE_COLUMN_UNDECIDED', told)
      expect(message).not.toMatch(/Falk|Jansen|LEFEVRE/)
    }
    const draft = await draftOf(fileOf(text))
    expect(draft).toContain(`# ignoreColumns: [${name}]`)
    const looked = draft.replace('# ignoreColumns', 'ignoreColumns')
    expect(await kindsIn(text, looked)).toHaveLength(cells.length)
    const ended = cells.filter((cell) => new RegExp(shows.split(' ')[0] ?? '', 'i').test(cell))
    const exclude = `exclude: [{ column: ${name}, equals: ${JSON.stringify(ended)}, reason: ended }]`
    expect(await kindsIn(text, exclude)).toContain('excluded')
  })

  it('is decided by an exclude rule, a mapped field, and for our own result files', async () => {
    const text = withColumn('Toestand', ['Actief', 'Beëindigd per 1-1-2025'])
    const exclude = 'exclude: [{ column: Toestand, equals: [beeindigd], reason: ended }]'
    expect(await kindsIn(text, exclude)).toEqual(['sendable', 'excluded'])
    const result = text
      .replace('customer_no', 'migration_row,migration_state,customer_no')
      .replace('\n1,', '\n1,invalid,1,')
      .replace('\n2,', '\n2,invalid,2,')
    expect(await kindsIn(result, '')).toEqual(['sendable', 'sendable'])
  })

  it('may be called none, when its position says so', async () => {
    const text = withColumn('none', ['active', 'ended'])
    expect(await kindsIn(text, 'columns: { status: { column: none } }')).toEqual(['sendable', 'excluded'])
  })

  it('is not mapped by its usual name when it is ignored, or the field is called none', async () => {
    const text = withColumn('status', ['active', 'ended'])
    expect(await kindsIn(text, '')).toEqual(['sendable', 'excluded'])
    expect(await kindsIn(text, 'columns: { status: none }')).toEqual(['sendable', 'sendable'])
    expect(await kindsIn(text, 'source: { ignoreColumns: [status] }')).toEqual(['sendable', 'sendable'])
  })
})

describe('what was understood', () => {
  it('is told with counts, and so are the words that were not', async () => {
    const cells = ['aktiv', 'beendet', 'beendet', 'offen', 'offen', 'schlafend', '']
    const { summary } = await readText(withColumn('status', cells))
    expect(summary.reading['words']).toEqual({
      status: {
        column: 'status',
        staysBehind: '2 ended will not be migrated',
        keptBack: { beendet: 2 },
        goes: { aktiv: 1 },
        notUnderstood: { offen: 2, schlafend: 1 },
        empty: 1,
      },
    })
    const teaching = 'words: { status: { notActive: [offen], active: [schlafend] } }'
    const taught = await readText(withColumn('status', cells), teaching)
    expect(taught.records.filter(({ verdict }) => verdict.kind === 'excluded')).toHaveLength(4)
    expect(JSON.stringify(taught.summary.reading['words'])).not.toContain('notUnderstood')
  })

  it('is mapped by init, which says what stays behind and excludes the rest by a live rule', async () => {
    const rows = [
      ['laufend', 'wiederkehrend', 'aktiv'],
      ['Gekündigt zum 31.12.2025', 'wiederkehrend', 'aktiv'],
      ['Gekündigt zum 30.06.2025', 'wiederkehrend', 'aktiv'],
      ['laufend', 'einmalig', 'aktiv'],
      ['laufend', 'wiederkehrend', 'gesperrt seit 2024'],
    ].map((cells, at) => row(at + 1, ...cells))
    const text = `${[`${HEADER},Lage,Mandatsart,Kunde`, ...rows].join('\n')}\n`
    const inspection = await inspectSource(fileOf(text), { today: AS_OF })
    expect(inspection.staysBehind).toBe('at least 2 ended, 1 one-off will not be migrated')
    const draft = draftConfiguration(inspection)
    expect(draft).toMatch(/^ {2}status: Lage {3}# by its values; Gekündigt 2 will not be migrated; /m)
    expect(draft).toMatch(/^ {2}sequence: Mandatsart {3}#/m)
    expect(draft).toMatch(/^ {2}- \{ column: Kunde, equals: \["gesperrt"\], reason: ended/m)
    expect(draft).not.toContain('EDIT:')
    expect(optionsOf(draft).exclude).toHaveLength(1)
    expect(await kindsIn(text, draft)).toEqual(['sendable', 'excluded', 'excluded', 'excluded', 'excluded'])
  })

  it('asks for every word that it does not know', async () => {
    const lines = [`${HEADER},status,sequence`, row(1, 'offen', 'RCUR'), row(2, 'aktiv', 'weekly')]
    const draft = draftConfiguration(await inspectSource(fileOf(`${lines.join('\n')}\n`), { today: AS_OF }))
    for (const word of ['offen', 'weekly'])
      expect(draft).toMatch(new RegExp(`# EDIT: sort in under words: .*not understood: ${word} 1`))
  })
})

const undecidedIn = ({ findings }: Pick<SourceSummary, 'findings'>) =>
  findings.filter(({ rule }) => rule === 'FILE_COLUMN_UNDECIDED')
const many = (cells: readonly string[], rows: number): string[] =>
  Array.from({ length: rows }, (_, index) => cells[index % cells.length] ?? '')

describe('a column that may be a status is never passed over', () => {
  const czech = withColumn('Stav', many(['platí', 'platí', 'skončeno'], 21))

  it('refuses the file by name and values, where no column is used as status', async () => {
    const told = /Column "Stav" may say which mandates are active.*platí 14, skončeno 7/s
    const { message } = await refused(readText(czech), 'FILE_COLUMN_UNDECIDED', told)
    expect(message).toContain('columns: { status: none }')
  })

  it('columns.status: none answers for all such columns, once; a status in use only lists them', async () => {
    const text = czech
      .replace(/$/m, ',Tarif')
      .replaceAll(/^(\d.*)$/gm, (line) => `${line},${line.startsWith('1') ? 'A' : 'B'}`)
    await refused(readText(text), 'FILE_COLUMN_UNDECIDED', /"Stav".*"Tarif"/s)
    expect(undecidedIn((await readText(text, 'columns: { status: none }')).summary)).toEqual([])
    const using = 'columns: { status: Stav }\nwords: { status: { active: [platí], notActive: [skončeno] } }'
    const used = await readText(text, using)
    expect(used.records.filter(({ verdict }) => verdict.kind === 'excluded')).toHaveLength(7)
    expect(undecidedIn(used.summary)).toEqual([])
    expect(used.summary.reading.mayBeStatus).toEqual(['Tarif: A 11, B 10'])
  })

  it.each([
    ['Löschkennzeichen', 'L'],
    ['Sperre', 'J'],
    ['Rücklastschrift', 'MD01'],
    ['Inaktiv', 'ja'],
    ['deleted', '1'],
    ['Spärr', 'A'],
    ['Bloqué', 'B'],
  ])('asks about a column "%s" with "%s" beside the one that is used as status, too', async (name, word) => {
    const flags = many(['', '', word], 21)
    const cells = flags.map((flag) => `aktiv,${flag}`)
    const text = withColumn(`status,${name}`, cells)
    for (const yaml of ['', 'columns: { status: status }']) {
      const error = await refused(readText(text, yaml), 'FILE_COLUMN_UNDECIDED', `Column "${name}"`)
      expect(error.message).toContain(`exclude: [{ column: "${name}"`)
      expect(error.message).toContain(`to leave it out of account: --ignore-column "${name}"`)
      expect(error.message).not.toContain('status: none')
      const ignored = await readText(text, `${yaml}\nsource: { ignoreColumns: ["${name}"] }`)
      expect(undecidedIn(ignored.summary)).toEqual([])
    }
    expect(undecidedIn((await readText(text, 'columns: { status: none }')).summary)).toEqual([])
    const draft = await draftOf(fileOf(text))
    expect(draft).toMatch(
      new RegExp(
        `- \\{ column: ${name}, equals: .* reason: ended|ignoreColumns: \\[${name}\\] .*EDIT: .*\n  # +${name}: `,
      ),
    )
  })

  it('asks about a second column of known words where a person decided about the first', async () => {
    const text = withColumn('status,Kunde', ['aktiv,aktiv', 'aktiv,gekündigt'])
    const error = await refusal(readText(text, 'columns: { status: status }'))
    expect(error.message).toContain('exclude: [{ column: "Kunde", equals: ["gekündigt"]')
    expect(await kindsIn(text, 'columns: { status: none }')).toEqual(['sendable', 'sendable'])
  })

  it('counts an empty cell as a value: only the ended ones may be marked', async () => {
    await refused(readText(withColumn('Kód', many(['', '', 'Z'], 30))), 'FILE_COLUMN_UNDECIDED')
  })

  it.each([
    ['20 rows', 'Stav', many(['platí', 'skončeno'], 20)],
    ['one value', 'Stav', many(['platí'], 40)],
    ['13 values', 'Stav', many('ax bx cx dx ex fx gx hx ix jx kx lx mx'.split(' '), 40)],
    ['a country by its heading', 'Debtor country', many(['North', 'South'], 40)],
    ['a country by its values', 'Herkunft', many(['DE', 'AT', 'CH'], 40)],
    ['a language', 'customer.language', many(['x', 'y'], 40)],
    ['a language by its values', 'Text', many(['de', 'fr', 'de-CH'], 40)],
    ['a currency', 'Art', many(['EUR', 'CHF'], 40)],
    ['a salutation', 'Ansprache', many(['Herr', 'Frau'], 40)],
    ['a frequency', 'Zahlung', many(['monatlich', 'jährlich'], 40)],
  ])('asks nothing of %s', async (_, name, cells) =>
    expect(undecidedIn((await readText(withColumn(name, cells))).summary)).toEqual([]),
  )

  it('takes yes and no for answers, not for Slovenia and Norway', async () => {
    await refused(readText(withColumn('Kód', many(['SI', 'NO'], 40))), 'FILE_COLUMN_UNDECIDED')
  })
})

describe('a word that is not understood', () => {
  const KNOWN = { status: 'activo', sequence: 'RCUR', scheme: 'CORE' }
  it.each(Object.entries({ status: 'Pte. aviso', sequence: 'SEQ9', scheme: 'INST' }))(
    'in a column used as %s leaves the row to a person',
    async (field, word) => {
      const known = KNOWN[field as keyof typeof KNOWN]
      const { records } = await readText(withColumn(field, [known, word]))
      expect(records.map(({ verdict }) => verdict.kind)).toEqual(['sendable', 'conflict'])
      expect(records[1]?.findings).toMatchObject([{ severity: 'error', value: word }])
    },
  )

  it('of which a column holds nothing else refuses the file, in check too', async () => {
    const text = withColumn('status', ['1', '4', '', '5'])
    for (const check of [CHECK, { ...CHECK, undecided: 'tell' } as const]) {
      const told = 'Column "status" is used as status and holds 1 1, 4 1, 5 1'
      const { message } = await refused(readText(text, '', check), 'FILE_WORDS_UNKNOWN', told)
      expect(message).toContain('columns: { status: none }')
    }
    const taught = await kindsIn(text, 'words: { status: { active: ["1"] } }')
    expect(taught).toEqual(many(['sendable', 'conflict'], 4))
    expect(await kindsIn(text, 'columns: { status: none }')).toEqual(many(['sendable'], 4))
  })

  it.each([
    ['above its group', ['aktiv', '', '', 'gekündigt', '']],
    ['of half the rows, in Dutch', ['Actief', '', 'Opgezegd', '']],
    ['of those that live alone', ['active', '', '', '', 'active']],
  ])('a status that stands in few rows is asked about: %s', async (_, cells) => {
    const text = withColumn('status', cells)
    const empty = cells.filter((cell) => cell === '').length
    const told = `is used as status and is empty in ${empty} of ${cells.length} rows`
    await refused(readText(text), 'FILE_COLUMN_UNDECIDED', told)
    const ended = cells.filter((cell) => /^(?:gek|Opg)/.test(cell))
    const yaml = `columns: { status: none }\nexclude: [{ column: status, equals: ${JSON.stringify([...ended, 'ended'])}, reason: ended }]`
    const kinds = await kindsIn(text, yaml)
    expect(kinds).toEqual(cells.map((cell) => (ended.includes(cell) ? 'excluded' : 'sendable')))
  })

  it('a status that marks the ended alone, or is empty in few rows, asks nothing', async () => {
    for (const cells of [
      ['', '', 'gekündigt', '', ''],
      ['aktiv', '', 'aktiv', 'gekündigt', ''],
    ])
      expect(undecidedIn((await readText(withColumn('status', cells))).summary)).toEqual([])
  })

  it('no column without a word refuses anything', async () => {
    expect(await kindsIn(withColumn('status', ['', '']), '')).toEqual(['sendable', 'sendable'])
  })
})

describe('a file that ends within its last row', () => {
  const cut = `${HEADER}\n${row(1)}\n${row(2)}`

  it('leaves that row to a person where its last cell counts, and says so of the file', async () => {
    const { records, summary } = await readText(cut)
    expect(records.map(({ verdict }) => verdict.kind)).toEqual(['sendable', 'conflict'])
    expect(records[1]?.findings).toMatchObject([{ rule: 'ROW_MAY_BE_CUT' }])
    expect(summary.findings).toMatchObject([{ rule: 'FILE_MAY_BE_CUT', severity: 'warning' }])
  })

  it.each([
    ['a line end', `${cut}\r\n`, ''],
    ['a column behind it that nothing uses', withColumn('name', ['x', 'y']).trimEnd(), ''],
    ['a line of totals', `${HEADER}\n${row(1)}\n${row(2)}\nSumme;;;2`.replaceAll(';', ','), ''],
    ['a footer that is left out', `${cut}\nEnd of file`, 'source: { skipFooterLines: 1 }'],
  ])('with %s nothing is cut', async (_, text, yaml) => {
    const { records, summary } = await readText(text, yaml)
    expect(records.map(({ verdict }) => verdict.kind)).toEqual(['sendable', 'sendable'])
    expect(summary.findings.filter(({ rule }) => rule === 'FILE_MAY_BE_CUT')).toEqual([])
  })

  it('counts the column of an exclude rule, too', async () => {
    const text = withColumn('Ende', ['', 'gek']).trimEnd()
    const yaml = 'exclude: [{ column: Ende, equals: [gekündigt], reason: ended }]'
    expect(await kindsIn(text, yaml)).toEqual(['sendable', 'conflict'])
  })
})

describe('what only the whole file shows', () => {
  const [NAMES = '', ...ROWS] = exportOf(12).trimEnd().split('\n')
  const file = (...lines: readonly string[]): string => `${lines.join('\n')}\n`
  /** As our own file of faulty rows has them. */
  const ours = (rows: readonly string[]): string =>
    file(`${NAMES},migration_row,migration_state`, ...rows.map((line, at) => `${line},${at + 1},invalid`))

  it('is told of an export, and not of our own file of faulty rows, but for damage of the decoding', async () => {
    const same = ROWS.map((line) => line.replace('2024-03-01', '1901-01-01').replace('Person', 'MÃ¼ller'))
    expect(await fileRules(file(NAMES, ...same))).toContain('FILE_DATE_DOMINANT')
    const told = await fileRules(ours(same))
    expect(told).not.toContain('FILE_DATE_DOMINANT')
    expect(told).toContain('FILE_MOJIBAKE')
  })

  it.each([
    ['of a totals line is compared with the records, without that line', 'Anzahl,12,,,,'],
    ['of a line that became a faulty row as well', 'Anzahl Mandate: 12 am,x,,,,'],
  ])('a count %s', async (_, line) => {
    expect((await readText(file(NAMES, ...ROWS, line))).records.length).toBeLessThan(14)
    const other = readText(file(NAMES, ...ROWS, line.replace('12', '14')))
    expect(await refusal(other)).toMatchObject({ rule: 'FILE_COUNT_MISMATCH' })
  })
})

describe('one account for different customers', () => {
  const file =
    (rows: number, account: (n: number) => number, customer = (n: number) => n): (() => string) =>
    () =>
      csv(rows, [
        ['customer_no', (n) => `${customer(n)}`],
        ['IBAN', (n) => germanIban(account(n))],
        ...OWN.slice(2),
      ])
  const shared = (share: number) => (n: number) => (n <= share ? 1 : n)
  it.each([
    ['3 of 20 rows', file(20, shared(3)), true],
    ['2 of 20', file(20, shared(2)), false],
    ['all of 19', file(19, () => 1), false],
    ['all of 500', file(500, () => 1), true],
    ['40 of 300, the last ones', file(300, (n) => (n > 260 ? 1 : n)), true],
    ['30 of 300, scattered', file(300, (n) => (n % 10 === 0 ? 10 : n)), false],
    ['60 of 300, of one customer', file(300, shared(60), (n) => (n <= 60 ? 1 : n)), false],
    ['400 of 3,000, the last ones', file(3000, (n) => (n > 2600 ? 1 : n)), true],
  ])('%s: %s', async (_, made, isTold) => {
    const path = made()
    if (!isTold) {
      const { summary } = await readAll(path)
      expect(summary.findings.map(({ rule }) => rule)).not.toContain('FILE_ACCOUNT_DOMINANT')
      return
    }
    const error = await refused(readAll(path), 'FILE_ACCOUNT_DOMINANT')
    expect(error.message).not.toContain(germanIban(1))
    const looked = await readAll(path, undefined, { ...CHECK, undecided: 'tell' })
    const told = { rule: 'FILE_ACCOUNT_DOMINANT', severity: 'error' }
    expect(looked.summary.findings).toContainEqual(expect.objectContaining(told))
    const lowered = { ...CHECK, severities: { FILE_ACCOUNT_DOMINANT: 'warning' } } as const
    const { summary } = await readAll(path, undefined, lowered)
    expect(summary.findings.map(({ rule }) => rule)).toContain('FILE_ACCOUNT_DOMINANT')
  })
})

describe('a second account in few rows', () => {
  const made = (): string =>
    csv(30, [...OWN, ['abw. Zahler IBAN', (n) => (n % 15 === 0 ? germanIban(n + 500) : '')]])
  const named = 'columns: { customer_no: customer_no, iban: IBAN }'

  it('is that of another payer, whichever column is the account of the others', async () => {
    const path = made()
    const told = /2 different accounts in 2 rows, as other payers have.*filled: true/s
    for (const yaml of ['', named])
      await refused(readAll(path, optionsOf(yaml)), 'FILE_COLUMN_UNDECIDED', told)
    const kept = `exclude: [{ column: abw. Zahler IBAN, filled: true, reason: another payer }]`
    const { records } = await readAll(path, optionsOf(kept))
    const left = records.filter(({ verdict }) => verdict.kind === 'excluded')
    expect(left.map(({ record }) => record)).toEqual([15, 30])
    const ignoring = optionsOf('source: { ignoreColumns: [abw. Zahler IBAN] }')
    expect((await readAll(path, ignoring)).records).toHaveLength(30)
  })

  it('stands in the one list of init, beside the account of all', async () => {
    const draft = await draftOf(made())
    expect(draft).toContain('\n  iban: IBAN ')
    expect(draft).toContain('# ignoreColumns: [abw. Zahler IBAN]')
  })
})
