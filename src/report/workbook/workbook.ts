import { PLACE_OF_PART, TO_DO_WORKBOOK } from '../facts/facts.js'
import type { OriginalColumns } from '../files/cells.js'
import type { CampaignRecord } from '../../ledger/read/reader.js'
import type { OpenLists, ReportFacts } from '../facts/row-walk.js'
import type { PackFile } from '../pack/earlier-pack.js'
import type { PackFolder, ScratchFile } from '../pack/pack-folder.js'
import { ENGLISH, type TextKey, type Texts } from '../text/texts.js'
import * as tables from './columns.js'
import {
  type Columns,
  DECISION_COLUMNS,
  DECISIONS_FILE,
  IN_DOUBT_SHEET,
  OPEN_SHEET,
  PROBLEM_COLUMNS,
  REGISTERED_COLUMNS,
  VERIFICATION_COLUMNS,
  VERIFICATION_FILE,
} from '../files/lists.js'
import {
  LARGEST_ARCHIVE,
  openArchive,
  sheetPath,
  workbookParts,
  listHead,
  listTail,
  rowWriter,
  workHead,
  workTail,
  type SheetColumn,
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

/** A workbook that takes its lists while the ledger is walked over. */
export interface Workbook {
  readonly lists: OpenLists
  /**
   * Writes the file, one sheet behind the other, once everything has been handed over.
   * @throws {UsageError} when the folder does not take it
   */
  readonly finish: (facts: ReportFacts) => Promise<PackFile>
}

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
interface Sheet {
  readonly name: string
  readonly isList: boolean
  /** Before they are deflated. */
  readonly bytes: number
  /** @param isFull there is no room for its entries */
  readonly chunks: (isFull: boolean) => AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** The rows of one sheet: a few in memory, and more of them in a file. */
const newSheet = () => ({ waiting: '', bytes: 0, count: 0, file: null as ScratchFile | null })

/** In characters: what is kept in memory of the rows of a sheet. */
const WAITING = 65_536

interface ListTerms {
  readonly scratch: () => Promise<ScratchFile>
  readonly limits: WorkbookLimits
  readonly texts: Texts
  /** What stands before and behind its entries. */
  readonly head?: typeof listHead
  readonly tail?: typeof listTail
}

/** A list on as many sheets as it takes. Its rows are kept aside until all of them are known. */
function sheetList<Entry>(
  columns: readonly SheetColumn<Entry>[],
  { scratch, limits, texts, head = listHead, tail = listTail }: ListTerms,
) {
  const rowOf = rowWriter(columns)
  let last = newSheet()
  const all = [last]

  function add(entry: Entry): void {
    if (last.count >= limits.sheetEntries || last.bytes >= limits.sheetBytes) {
      last = newSheet()
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
      rows.file ??= await scratch()
      rows.file.put(rows.waiting)
      rows.waiting = ''
      await rows.file.drain()
    }
  }

  async function* chunksOf(rows: typeof last, title: string, isFull: boolean): AsyncGenerator<Uint8Array> {
    yield Buffer.from(head(columns, title))
    if (!isFull) {
      if (rows.file !== null) yield* rows.file.chunks()
      yield Buffer.from(rows.waiting)
    }
    await rows.file?.remove()
    yield Buffer.from(tail(columns, isFull ? 0 : rows.count))
  }

  const entries = (): number => all.reduce((sum, { count }) => sum + count, 0)

  function sheets(words: ListWords): readonly Sheet[] {
    const total = entries()
    let before = 0
    return all.map((rows, index) => {
      const from = before
      before += rows.count
      return {
        name: index === 0 ? words.sheet : `${words.sheet} (${index + 1})`,
        isList: true,
        bytes: rows.bytes,
        chunks: (isFull) => {
          const shown = { before: from, count: isFull ? 0 : rows.count, total }
          return chunksOf(rows, titleOf(words, shown, isFull, texts), isFull)
        },
      }
    })
  }

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

type NewList = <Entry>(columns: Columns<Entry>) => ReturnType<typeof sheetList<Entry>>

/** The lists that are filled during the walk. */
const openLists = (newList: NewList) => ({
  inDoubt: newList(IN_DOUBT_SHEET),
  refused: newList(OPEN_SHEET),
  corrections: newList(OPEN_SHEET),
  notSent: newList(OPEN_SHEET),
  closed: newList(OPEN_SHEET),
  registered: newList(REGISTERED_COLUMNS),
  problems: newList(PROBLEM_COLUMNS),
  decisions: newList(DECISION_COLUMNS),
  unproven: newList(VERIFICATION_COLUMNS),
})

/** All sheets in their order. */
function sheetsOf(
  facts: ReportFacts,
  lists: ReturnType<typeof openLists>,
  newList: NewList,
  texts: Texts,
): Sheet[] {
  const { proposals, verification, sources, runs, plans } = facts
  const { say } = texts
  const known = <Entry>(sheet: TextKey, columns: Columns<Entry>, entries: readonly Entry[]) => {
    const list = newList(columns)
    entries.forEach(list.add)
    return list.sheets({ sheet: say(sheet) })
  }
  const summary = Buffer.from(tables.summarySheet(facts, texts))
  const file = PLACE_OF_PART.inDoubt
  const note = proposals === 0 ? '' : say('doubt.proposals', { count: proposals, file, word: 'resend' })
  const unproven = { sheet: say('label.verification'), title: say('proof.notProven') }
  return [
    { name: say('sheet.summary'), isList: false, bytes: summary.length, chunks: () => [summary] },
    ...(verification === null ? [] : lists.unproven.sheets({ ...unproven, file: VERIFICATION_FILE })),
    ...lists.inDoubt.sheets({ sheet: say('state.in_doubt'), note, file }),
    ...lists.refused.sheets({ sheet: say('state.refused'), file: PLACE_OF_PART.refused }),
    ...lists.corrections.sheets({ sheet: say('sheet.corrections'), file: PLACE_OF_PART.corrections }),
    ...lists.notSent.sheets({ sheet: say('cover.notSent'), file: PLACE_OF_PART.notSent }),
    ...lists.registered.sheets({ sheet: say('state.registered'), file: PLACE_OF_PART.registered }),
    ...lists.closed.sheets({ sheet: say('sheet.closed'), file: facts.ledger }),
    ...lists.problems.sheets({ sheet: say('problems.title'), file: 'problems.csv' }),
    ...lists.decisions.sheets({ sheet: say('decisions.title'), file: DECISIONS_FILE }),
    ...known('sources.title', tables.SOURCES, sources),
    ...(plans.length === 0 ? [] : known('plans.title', tables.PLANS, tables.linesOfPlans(facts))),
    ...known('runs.title', tables.RUNS, runs),
    ...known('columns.title', tables.FILE_COLUMNS, tables.columnLines(facts, texts)),
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
): Workbook {
  let scratches = 0
  const scratch = (): Promise<ScratchFile> => folder.scratch(`.sheet-${(scratches += 1)}`)
  const newList: NewList = (columns) =>
    sheetList(tables.columnsIn(columns, texts), { scratch, limits, texts })
  const lists = openLists(newList)

  return {
    lists,
    finish: (facts) =>
      writeSheets(folder, WORKBOOK_FILE, sheetsOf(facts, lists, newList, texts), limits.archiveBytes),
  }
}

async function writeSheets(
  folder: Pick<PackFolder, 'create'>,
  name: string,
  sheets: readonly Sheet[],
  mostBytes: number,
): Promise<PackFile> {
  const output = await folder.create(name)
  const archive = openArchive(output.write)
  for (const [path, xml] of workbookParts(sheets)) await archive.add(path, [Buffer.from(xml)])
  for (const [index, { bytes, chunks }] of sheets.entries())
    await archive.add(sheetPath(index), chunks(archive.bytes() + bytes > mostBytes))
  await archive.end()
  return output.finish()
}

/** In bytes before they are deflated, of all sheets: beyond it nobody works in a workbook, and none is read. */
const LARGEST_TO_DO = 1_000_000_000

/** In every language: a program may name them. */
const TO_DO_SHEETS = [
  ['inDoubt', 'In doubt'],
  ['corrections', 'Corrections'],
  ['refused', 'Refused'],
  ['cutOver', 'Cut-over'],
] as const

/**
 * to-do.xlsx: what is open as sheets to work in, which are read again. None is written where nothing is open.
 */
export function openToDo(folder: PackFolder, originals: OriginalColumns, campaign: CampaignRecord) {
  let scratches = 0
  const scratch = (): Promise<ScratchFile> => folder.scratch(`.to-do-${(scratches += 1)}`)
  const terms = { scratch, limits: WORKBOOK_LIMITS, texts: ENGLISH, head: workHead, tail: workTail }
  const lists = {
    inDoubt: sheetList(tables.toDoColumns(originals, campaign, 'inDoubt'), terms),
    corrections: sheetList(tables.toDoColumns(originals, campaign, 'corrections'), terms),
    refused: sheetList(tables.toDoColumns(originals, campaign, 'refused'), terms),
  }
  const cutOver = sheetList(tables.cutOverColumns(originals), terms)
  async function finish(): Promise<void> {
    const sheets = TO_DO_SHEETS.flatMap(([part, sheet]) => {
      const list = part === 'cutOver' ? cutOver : lists[part]
      // A run reads what is to be corrected, also where that is nothing.
      const isRead = part === 'corrections' && cutOver.entries() > 0 && lists.refused.entries() === 0
      return list.entries() > 0 || isRead ? list.sheets({ sheet }) : []
    })
    const howTo = Buffer.from(tables.howToWorkSheet())
    const bytes = sheets.reduce((sum, sheet) => sum + sheet.bytes, 0)
    if (sheets.length === 0 || bytes > LARGEST_TO_DO) return
    const first = { name: 'Read me first', bytes: howTo.length, chunks: () => [howTo] }
    const unprinted = [first, ...sheets].map((sheet) => ({ ...sheet, isList: false }))
    await writeSheets(folder, TO_DO_WORKBOOK, unprinted, WORKBOOK_LIMITS.archiveBytes)
  }
  return { lists, cutOver, finish }
}
