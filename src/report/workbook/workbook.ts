import * as tables from '../files/lists.js'
import { CUT_OVER_CLASSES } from '../../domain/row/cut-over.js'
import { CUSTOMER_COLUMN, DECISION_WORDS, HEADINGS } from '../../domain/row/list-columns.js'
import { TOTAL_OF_STATE } from '../../domain/row/row-state.js'
import type { RowRecord } from '../../ledger/read/reader.js'
import {
  type CutOverLine,
  type NamedRow,
  type OpenRow,
  PLACE_OF_PART,
  REPORT_ORDER,
  TO_DO_WORKBOOK,
} from '../facts/facts.js'
import type { OpenLists, ReportFacts } from '../facts/row-walk.js'
import type { OriginalColumns } from '../files/cells.js'
import { maskedText } from '../../domain/text/accounts.js'
import type { Column, ListColumns } from '../files/lists.js'
import type { PackFile, PackFolder, ScratchFile } from '../pack/pack-folder.js'
import { DISTINCT, hashTotalLines, proofText } from '../page/annex.js'
import { comparedText, mandateFigures, rehearsalText } from '../page/page.js'
import { ENGLISH, type TextKey, type Texts } from '../text/texts.js'
import {
  type CellValue,
  freeSheet,
  LARGEST_ARCHIVE,
  LIST_FRAME,
  oneCell,
  openArchive,
  rowWriter,
  type SheetColumn,
  sheetPath,
  STYLES,
  workbookParts,
  WORK_FRAME,
} from './xlsx.js'

export const WORKBOOK_FILE = 'reconciliation.xlsx'

/** What a workbook may hold. */
export const WORKBOOK_LIMITS = {
  /** Entries of a list on one sheet; the next ones go to a next sheet. A spreadsheet has 1,048,576 rows. */
  sheetEntries: 1_000_000,
  /** The same in bytes, before it is deflated. */
  sheetBytes: 1_000_000_000,
  /** A sheet with which the archive could become larger goes without its entries; the rest is for all that is no list. */
  archiveBytes: LARGEST_ARCHIVE - 100_000_000,
}

export type WorkbookLimits = Readonly<typeof WORKBOOK_LIMITS>

/** How a list calls itself. */
interface ListWords {
  readonly sheet: string
  /** In the title instead of the name of the sheet. */
  readonly title?: string
  /** What the title says behind the count. */
  readonly note?: string
  /** The file that holds all entries, said where a workbook cannot. */
  readonly file?: string
}

/** A sheet that is ready to be written, but for its place in the archive. */
interface ListSheet {
  readonly name: string
  readonly isList: boolean
  /** Before they are deflated. */
  readonly bytes: number
  /** @param isFull there is no room for its entries */
  readonly chunks: (isFull: boolean) => AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** The rows of one sheet behind so many others: a few in memory, and more of them in a file. */
const newSheet = (before: number) => ({
  ...{ before, count: 0, bytes: 0, waiting: '', file: null as ScratchFile | null },
})

/** In characters: what is kept in memory of the rows of a sheet. */
const WAITING = 65_536

interface ListTerms {
  readonly folder: Pick<PackFolder, 'scratch'>
  readonly limits: WorkbookLimits
  readonly texts: Texts
  /** What stands before and behind its entries. */
  readonly frame?: typeof LIST_FRAME
}

/** A list on as many sheets as it takes. Its rows are kept aside until all of them are known. */
function sheetList<Entry>(
  columns: readonly SheetColumn<Entry>[],
  { folder, limits, texts, frame = LIST_FRAME }: ListTerms,
) {
  const rowOf = rowWriter(columns)
  let last = newSheet(0)
  const all = [last]

  function add(entry: Entry): void {
    if (last.count >= limits.sheetEntries || last.bytes >= limits.sheetBytes) {
      last = newSheet(entries())
      all.push(last)
    }
    const row = rowOf(entry)
    last.count += 1
    last.bytes += row.length
    last.waiting += row
  }

  async function drain(): Promise<void> {
    for (const rows of all.slice(-2)) {
      if (rows.waiting.length < WAITING) continue
      rows.file ??= await folder.scratch()
      rows.file.put(rows.waiting)
      rows.waiting = ''
      await rows.file.drain()
    }
  }

  async function* chunksOf(rows: typeof last, words: ListWords, isFull: boolean): AsyncGenerator<Uint8Array> {
    const count = isFull ? 0 : rows.count
    const title = titleOf(words, { ...rows, count, total: entries() }, isFull, texts)
    yield Buffer.from(frame.head(columns, title))
    if (!isFull) {
      if (rows.file !== null) yield* rows.file.chunks()
      yield Buffer.from(rows.waiting)
    }
    await rows.file?.remove()
    yield Buffer.from(frame.tail(columns, count))
  }

  const entries = (): number => last.before + last.count

  const sheets = (words: ListWords) =>
    all.map((rows, index): ListSheet => ({
      name: index === 0 ? words.sheet : `${words.sheet} (${index + 1})`,
      isList: true,
      bytes: rows.bytes,
      chunks: (isFull) => chunksOf(rows, words, isFull),
    }))

  return { add, drain, entries, sheets }
}

/** On several sheets each says which of all it has: `Registered: 1,000,001 – 1,200,000 / 1,200,000`. */
function titleOf(
  { sheet, title = sheet, note = '', file = '' }: ListWords,
  { before, count, total }: { readonly before: number; readonly count: number; readonly total: number },
  isFull: boolean,
  { say, count: written }: Texts,
): string {
  const all = written(total)
  const shown = count === 0 ? '0' : `${written(before + 1)} – ${written(before + count)}`
  const noted = note === '' ? '' : `. ${note}`
  const rest = isFull ? `. ${say('sheet.full')} ${say('page.allIn', { file })}` : ''
  return `${say('labelled', { name: title, value: count === total ? all : `${shown} / ${all}` })}${noted}${rest}`
}

/** The lists that are filled during the walk, in the order of their sheets. */
const SHEETS = [
  ...(['unproven', 'inDoubt', 'refused', 'corrections', 'notSent'] as const),
  ...(['registered', 'closed', 'cutOver', 'problems', 'decisions'] as const),
]

const openLists = (terms: ListTerms) =>
  SHEETS.map((name) => ({
    name,
    ...sheetList<never>(columnsIn<never>(tables.LISTS[name].columns, terms.texts), terms),
  }))

/** All sheets in their order. */
function sheetsOf(facts: ReportFacts, lists: ReturnType<typeof openLists>, terms: ListTerms): ListSheet[] {
  const { proposals, verification, sources, runs, plans } = facts
  const { say } = terms.texts
  const known = <Entry>(sheet: TextKey, columns: ListColumns<Entry>, entries: readonly Entry[]) => {
    const list = sheetList(columnsIn(columns, terms.texts), terms)
    entries.forEach(list.add)
    return list.sheets({ sheet: say(sheet) })
  }
  const summary = Buffer.from(summarySheet(facts, terms.texts))
  const proposed = { count: proposals, file: PLACE_OF_PART.inDoubt, word: 'resend' }
  return [
    { name: say('sheet.summary'), isList: false, bytes: summary.length, chunks: () => [summary] },
    ...lists.flatMap((list) => {
      const { sheet, file } = tables.LISTS[list.name]
      if (list.name === 'unproven' && verification === null) return []
      if (list.name === 'cutOver' && list.entries() === 0) return []
      const title = say(list.name === 'unproven' ? 'proof.notProven' : sheet)
      const note = list.name === 'inDoubt' && proposals > 0 ? say('doubt.proposals', proposed) : ''
      return list.sheets({ sheet: say(sheet), title, note, file: file ?? facts.ledger })
    }),
    ...known('sources.title', tables.SOURCES, sources),
    ...(plans.length === 0 ? [] : known('plans.title', tables.PLANS, tables.linesOfPlans(facts))),
    ...known('runs.title', tables.RUNS, runs),
    ...known('columns.title', tables.FILE_COLUMNS, tables.columnLines(facts, terms.texts)),
  ]
}

/**
 * reconciliation.xlsx: the lists of the pack as sheets, every entry of them, all identifiers as text; the same bytes for
 * the same facts.
 */
export function openWorkbook(
  folder: PackFolder,
  texts: Texts = ENGLISH,
  limits: WorkbookLimits = WORKBOOK_LIMITS,
) {
  const terms = { folder, limits, texts }
  const lists = openLists(terms)
  return {
    lists: Object.fromEntries(lists.map((list) => [list.name, list])) as OpenLists,
    /**
     * Writes the file, one sheet behind the other, once everything has been handed over.
     * @throws {UsageError} when the folder does not take it
     */
    finish: (facts: ReportFacts): Promise<PackFile> =>
      writeSheets(folder, WORKBOOK_FILE, sheetsOf(facts, lists, terms), limits.archiveBytes),
  }
}

async function writeSheets(
  folder: Pick<PackFolder, 'create'>,
  name: string,
  sheets: readonly ListSheet[],
  mostBytes: number,
): Promise<PackFile> {
  const output = await folder.create(name)
  const archive = openArchive(output.write)
  for (const [path, xml] of workbookParts(sheets)) await archive.add(path, [Buffer.from(xml)])
  for (const [index, { bytes, chunks }] of sheets.entries())
    await archive.add(`xl/${sheetPath(index)}`, chunks(archive.bytes() + bytes > mostBytes))
  await archive.end()
  return output.finish()
}

/** In bytes before they are deflated, of all sheets: beyond it nobody works in a workbook, and none is read. */
const LARGEST_TO_DO = 1_000_000_000

/**
 * to-do.xlsx: what is open as sheets to work in, which are read again. None is written where nothing is open.
 */
export function openToDo(folder: PackFolder, originals: OriginalColumns) {
  const terms = { folder, limits: WORKBOOK_LIMITS, texts: ENGLISH, frame: WORK_FRAME }
  /** Its name is the same in every language: a program may name it. */
  const named = <Of>(sheet: string, columns: SheetColumn<Of>[]) => ({ sheet, ...sheetList(columns, terms) })
  const lists = {
    inDoubt: named('In doubt', toDoColumns(originals, 'inDoubt')),
    corrections: named('Corrections', toDoColumns(originals, 'corrections')),
    refused: named('Refused', toDoColumns(originals, 'refused')),
    cutOver: named('Cut-over', cutOverColumns(originals)),
  }
  async function finish(): Promise<void> {
    // A run reads what is to be corrected, also where that is nothing.
    const isRead = lists.cutOver.entries() > 0 && lists.refused.entries() === 0
    const written = Object.values(lists).filter(
      (list) => list.entries() > 0 || (isRead && list === lists.corrections),
    )
    const sheets = written.flatMap((list) => list.sheets(list))
    const howTo = Buffer.from(howToWorkSheet())
    const bytes = sheets.reduce((sum, sheet) => sum + sheet.bytes, 0)
    if (sheets.length === 0 || bytes > LARGEST_TO_DO) return
    const first = { name: 'Read me first', bytes: howTo.length, chunks: () => [howTo] }
    const unprinted = [first, ...sheets].map((sheet) => ({ ...sheet, isList: false }))
    await writeSheets(folder, TO_DO_WORKBOOK, unprinted, WORKBOOK_LIMITS.archiveBytes)
  }
  return { lists, finish }
}

/** The columns of a list on its sheet, in one language. */
const columnsIn = <Entry>(columns: ListColumns<Entry>, texts: Texts): SheetColumn<Entry>[] =>
  columns.flatMap(({ label, width, value, shown }) =>
    width === null
      ? []
      : {
          ...{ header: texts.say(label), width, isWrapped: width >= tables.SENTENCE },
          value: shown === undefined ? value : (entry) => shown(entry, texts),
        },
  )

/** What a text calls a column or a list is called otherwise here. */
const inWords = (text: string): string =>
  text
    .replace(/\bmigration_[a-z_]+/g, (name) => `"${HEADINGS.get(name) ?? name}"`)
    .replace(/\b(?:to-do\/)?cut-over\.csv/g, 'the sheet Cut-over')
    .replace(/\b(?:to-do\/)?(?:corrections|refused|in-doubt)\.csv/g, 'this workbook')

/** What takes a while to find of an entry is found once, for all of its cells. */
function onceFor<Of, Found>(find: (of: Of) => Found): (of: Of) => Found {
  let last: { readonly of: Of; readonly found: Found } | null = null
  return (of) => (last?.of === of ? last : (last = { of, found: find(of) })).found
}

/**
 * A sheet of to-do.xlsx: what is wrong, the original columns, what a person fills in, and hidden what the program needs.
 * @param cellsOf the original cells, as they stand under the names
 * @param look of the original column at that place
 */
function workedColumns<Of extends NamedRow>(
  columns: ListColumns<Of>,
  choices: readonly string[],
  names: readonly string[],
  cellsOf: (row: RowRecord) => readonly string[],
  look: (at: number) => Partial<SheetColumn<Of>> = () => ({}),
): SheetColumn<Of>[] {
  const cells = onceFor(({ row }: Of) => cellsOf(row))
  const those = (
    wanted: Column<Of>['role'],
    how: Partial<SheetColumn<Of>>,
    shown: (text: string) => string = String,
  ): SheetColumn<Of>[] =>
    columns.flatMap(({ key, role, width, value }) =>
      key === null || role !== wanted
        ? []
        : {
            ...{ header: key, width: width ?? 16, value: (of) => shown(String(value(of) ?? '')), ...how },
            ...(key === 'migration_decision' ? { choices } : {}),
          },
    )
  return [
    ...those(undefined, { isWrapped: true }, inWords),
    ...names.map((header, at): SheetColumn<Of> => {
      const value = (of: Of): string => cells(of)[at] ?? ''
      return { header, width: 14, isRead: true, value, ...look(at) }
    }),
    ...those('filled in', { isRead: true, isEdited: true }),
    ...those('mark', { isRead: true, isHidden: true }),
  ]
}

/** Of a whole account in groups of four. */
const ACCOUNT = 44

function toDoColumns(
  { plainNames, plainCellsOf, accounts, wrongOf }: OriginalColumns,
  part: 'inDoubt' | 'corrections' | 'refused',
): SheetColumn<OpenRow>[] {
  const isEdited = part !== 'inDoubt'
  const wrong = onceFor(({ row, explanation }: OpenRow) => wrongOf(row, explanation.wrong))
  const look = (at: number): Partial<SheetColumn<OpenRow>> => ({
    ...{ isEdited, ...(accounts.has(at) ? { width: ACCOUNT } : {}) },
    ...(isEdited ? { isWrong: (open) => wrong(open).has(at) } : {}),
  })
  const columns = tables.openColumns(!isEdited)
  return workedColumns(columns, DECISION_WORDS[part], plainNames, plainCellsOf, look).filter(
    ({ header }) => isEdited || header !== CUSTOMER_COLUMN,
  )
}

/** The same of the cut-over, where nothing is corrected. */
const cutOverColumns = ({ identityNames, identityCells }: OriginalColumns): SheetColumn<CutOverLine>[] =>
  workedColumns(tables.CUT_OVER_COLUMNS, DECISION_WORDS.cutOver, identityNames, identityCells)

const HOW_TO_WORK = [
  'Each sheet lists what is open: its first columns say what is wrong and what to do, and a red cell is the one that is wrong.',
  'Type into yellow and red cells alone: correct the value, or choose a word under "Your decision" and say under "Your reason" how you know.',
  'Leave everything else as it is; to sort, take the protection of the sheet off (there is no password) and sort all of its columns together.',
  'Save the file as .xlsx and give it back with "sepa-migrate run to-do.xlsx": that takes all of it, or names every fault and takes nothing.',
]

/** The first sheet of to-do.xlsx. In one column, by which it is known for no list. */
const howToWorkSheet = (): string =>
  freeSheet(
    [{ width: 110 }],
    [
      [oneCell('How to work in this file', STYLES.title)],
      ...HOW_TO_WORK.map((text) => [oneCell(text, STYLES.sentence)]),
    ],
  )

/** The first sheet: what finance signs, as far as figures say it. */
function summarySheet(facts: ReportFacts, texts: Texts): string {
  const { campaign, told, totals, distinct, balanced, cutOver } = facts
  const { say } = texts
  const rehearsal = rehearsalText(facts, texts)
  const line = (label: string, value: CellValue): string[] => [oneCell(label), oneCell(value)]
  const heading = (...words: readonly string[]): string[] =>
    words.map((word) => oneCell(word, STYLES.heading))
  return freeSheet(
    [{ width: 44 }, { width: 70 }],
    [
      [oneCell(say('page.title'), STYLES.title)],
      ...(rehearsal === null ? [] : [line(say('cover.rehearsal'), rehearsal)]),
      ...(told.company === null ? [] : [[oneCell(maskedText(told.company))]]),
      ...(told.from === null ? [] : [line(say('cover.formerProvider'), maskedText(told.from))]),
      line(say('label.target'), campaign.baseUrl),
      line(say('label.user'), campaign.username),
      line(say('label.ledger'), facts.ledger),
      line(say('label.ledgerId'), campaign.ledgerId),
      line(say('label.ledgerAsOf'), campaign.changedAt),
      line(say('label.balanced'), balanced ? say('yes') : say('verdict.notBalanced').toUpperCase()),
      line(say('proof.title'), proofText(facts, texts)),
      line(say('cover.signOff'), comparedText(facts, texts)),
      [],
      ...mandateFigures(facts).map(([label, count]) => line(say(label), count)),
      [],
      ...(cutOver === null
        ? []
        : [
            heading(say('cutOver.title'), say('label.mandates')),
            ...CUT_OVER_CLASSES.map((name) => line(say(`cutOver.${name}`), cutOver.classes[name])),
            [],
          ]),
      heading(say('totals.title'), say('label.rows')),
      line(say('cover.read'), totals.read),
      ...REPORT_ORDER.map((state) => line(say(`state.${state}`), totals[TOTAL_OF_STATE[state]])),
      line(say('label.resubmitted'), totals.resubmitted),
      line(say('label.notTaken'), facts.notTaken),
      [],
      ...DISTINCT.map((name) => line(say(`hash.${name}`), distinct[name])),
      [],
      heading(say('hash.title'), say('label.value')),
      ...hashTotalLines(facts, texts).map(({ name, value }) => line(name, value)),
    ],
  )
}
