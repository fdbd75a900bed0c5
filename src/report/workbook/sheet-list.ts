import type { Texts } from '../text/texts.js'
import type { GrowingEntry } from './growing-entry.js'
import { listHead, listTail, rowWriter, type SheetColumn } from './sheet-xml.js'

/** What a workbook may hold. */
export interface WorkbookLimits {
  /** Entries of a list on one sheet; the next ones go to a next sheet. A spreadsheet has 1,048,576 rows. */
  readonly sheetEntries: number
  /** The same in bytes, before it is deflated: an archive cannot name more than 4 GiB. */
  readonly sheetBytes: number
  /** Once the workbook is so large, no list takes more: an archive has 4 GiB at the most. */
  readonly packedBytes: number
}

export const WORKBOOK_LIMITS: WorkbookLimits = {
  sheetEntries: 1_000_000,
  sheetBytes: 3_000_000_000,
  packedBytes: 4_000_000_000,
}

/** What the sheets of a workbook share while they grow. */
export interface SheetRoom {
  readonly limits: WorkbookLimits
  readonly texts: Texts
  /** Room for a title, by its number: what it says is known last. */
  readonly newTitle: () => number
  readonly setTitle: (number: number, title: string) => void
  readonly newEntry: () => GrowingEntry
  readonly isFull: () => boolean
}

/** How a list calls itself. */
export interface ListWords {
  readonly sheet: string
  /** In the title instead of the name of the sheet. */
  readonly title?: string
  /** What the title says behind the count. */
  readonly note?: string
  /** Where all entries are, said where a workbook cannot hold them. */
  readonly whereAllAre?: string
}

/** A sheet that is complete but for what its shared texts say. */
export interface CompleteSheet {
  readonly name: string
  readonly isList: boolean
  readonly entry: GrowingEntry
}

/** A list on as many sheets as it takes. */
export interface SheetList<Entry> {
  readonly add: (entry: Entry) => void
  /** Nothing may be added any more. */
  readonly complete: (words: ListWords) => readonly CompleteSheet[]
}

interface OpenSheet {
  readonly entry: GrowingEntry
  readonly title: number
  /** How many entries stand on the sheets before it, and on it. */
  readonly before: number
  count: number
}

export function sheetList<Entry>(room: SheetRoom, columns: readonly SheetColumn<Entry>[]): SheetList<Entry> {
  const { limits, texts } = room
  const rowOf = rowWriter(columns)
  let total = 0

  const sheets: OpenSheet[] = []

  function openSheet(before: number): OpenSheet {
    const sheet = { entry: room.newEntry(), title: room.newTitle(), before, count: 0 }
    sheet.entry.put(listHead(columns, sheet.title))
    sheets.push(sheet)
    return sheet
  }

  const close = ({ entry, count }: OpenSheet): void => entry.put(listTail(columns, count))

  /** The last sheet, while there is room on it. */
  function sheetWithRoom(): OpenSheet {
    const sheet = sheets.at(-1) ?? openSheet(0)
    if (sheet.count < limits.sheetEntries && sheet.entry.bytes() < limits.sheetBytes) return sheet
    close(sheet)
    return openSheet(sheet.before + sheet.count)
  }

  function add(entry: Entry): void {
    total += 1
    if (room.isFull()) return
    const sheet = sheetWithRoom()
    sheet.count += 1
    sheet.entry.put(rowOf(entry))
  }

  function complete(words: ListWords): readonly CompleteSheet[] {
    const last = sheets.at(-1) ?? openSheet(0)
    close(last)
    const listed = last.before + last.count
    return sheets.map((each, index) => {
      room.setTitle(each.title, titleOf(words, each, { listed, total }, texts))
      const name = index === 0 ? words.sheet : `${words.sheet} (${index + 1})`
      return { name, isList: true, entry: each.entry }
    })
  }

  return { add, complete }
}

/** On several sheets each says which of all it has: `Registered: 1,000,001 – 1,200,000 / 1,200,000`. */
function titleOf(
  { sheet, title = sheet, note = '', whereAllAre = '' }: ListWords,
  { before, count }: OpenSheet,
  { listed, total }: { readonly listed: number; readonly total: number },
  { say, count: written }: Texts,
): string {
  const all = written(total)
  const shown = count === 0 ? '0' : `${written(before + 1)} – ${written(before + count)}`
  const noted = note === '' ? '' : `. ${note}`
  const rows = count === total ? all : `${shown} / ${all}`
  const rest = listed === total ? '' : `. ${say('sheet.full')} ${whereAllAre}`
  return `${say('labelled', { name: title, value: rows })}${noted}${rest}`
}
