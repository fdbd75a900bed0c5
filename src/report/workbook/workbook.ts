import { UsageError } from '../../errors.js'
import type { DecisionRecord, ProblemRecord, RegisteredRow, VerifiedRow } from '../../ledger/read/reader.js'
import { FILE_OF_PART, partOf, type ListedRow, type Part, type ReportFacts } from '../facts/facts.js'
import type { RowFiles } from '../facts/row-walk.js'
import { DECISIONS_FILE } from '../files/decision-lines.js'
import { VERIFICATION_FILE } from '../files/verification-lines.js'
import type { PackFile } from '../pack/earlier-pack.js'
import type { PackFolder } from '../pack/pack-folder.js'
import { writeArchive } from './archive.js'
import { ENGLISH, type Texts } from '../text/texts.js'
import { columnLines, fileColumns, runColumns, sourceColumns, summarySheet } from './campaign-sheets.js'
import { decisionColumns, problemColumns, verifiedColumns } from './finding-sheets.js'
import { growingEntry, type GrowingEntry } from './growing-entry.js'
import { sheetPath, workbookParts } from './parts.js'
import { planColumns, planLines } from './plan-sheet.js'
import { inDoubtColumns, openColumns, registeredColumns } from './row-sheets.js'
import {
  sheetList,
  WORKBOOK_LIMITS,
  type CompleteSheet,
  type ListWords,
  type SheetList,
  type SheetRoom,
  type WorkbookLimits,
} from './sheet-list.js'
import type { SheetColumn } from './sheet-xml.js'

export const WORKBOOK_FILE = 'reconciliation.xlsx'

/** A workbook that takes its lists while the ledger is walked over. */
export interface Workbook extends RowFiles {
  /**
   * Writes the file, once everything has been handed over.
   * @throws {UsageError} when the folder does not take it
   */
  readonly finish: (facts: ReportFacts) => Promise<PackFile>
}

type Scratch = Pick<PackFolder, 'scratch' | 'create'>

/** The entries and titles of a workbook that is being written. */
interface Growing {
  readonly room: SheetRoom
  readonly titles: readonly string[]
  readonly newEntry: () => GrowingEntry
  readonly drain: () => Promise<void>
}

function growing(folder: Scratch, texts: Texts, limits: WorkbookLimits): Growing {
  const entries: GrowingEntry[] = []
  const titles: string[] = []
  let isFull = false
  function newEntry(): GrowingEntry {
    const number = entries.length + 1
    const entry = growingEntry(() => folder.scratch(`.sheet-${number}`))
    entries.push(entry)
    return entry
  }
  const room: SheetRoom = {
    limits,
    texts,
    newEntry,
    newTitle: () => titles.push('') - 1,
    setTitle: (number, title) => void (titles[number] = title),
    isFull: () => isFull,
  }
  async function drain(): Promise<void> {
    for (const entry of entries) await entry.drain()
    isFull ||= entries.reduce((sum, entry) => sum + entry.packedBytes(), 0) >= limits.packedBytes
  }
  return { room, titles, newEntry, drain }
}

/** An error that is not of the file system says which file it keeps from being written. */
async function named<Value>(action: () => Promise<Value>): Promise<Value> {
  try {
    return await action()
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new Error(`${WORKBOOK_FILE} cannot be written`, { cause: error })
  }
}

/** The lists that are filled during the walk. */
interface Lists {
  readonly rows: Readonly<Record<Exclude<Part, 'registered'>, SheetList<ListedRow>>>
  readonly registered: SheetList<RegisteredRow>
  readonly problems: SheetList<ProblemRecord>
  readonly decisions: SheetList<DecisionRecord>
  readonly unproven: SheetList<VerifiedRow>
}

function openLists(room: SheetRoom): Lists {
  const { texts } = room
  const open = openColumns(texts)
  return {
    rows: {
      inDoubt: sheetList(room, inDoubtColumns(texts)),
      refused: sheetList(room, open),
      corrections: sheetList(room, open),
      notSent: sheetList(room, open),
      closed: sheetList(room, open),
    },
    registered: sheetList(room, registeredColumns(texts)),
    problems: sheetList(room, problemColumns(texts)),
    decisions: sheetList(room, decisionColumns(texts)),
    unproven: sheetList(room, verifiedColumns(texts)),
  }
}

/** All sheets in their order. */
function sheetsOf(
  facts: ReportFacts,
  { rows, ...lists }: Lists,
  { room, newEntry }: Growing,
): CompleteSheet[] {
  const { proposals, verification, sources, runs, plans } = facts
  const { texts } = room
  const { say } = texts
  const allIn = (file: string): Pick<ListWords, 'whereAllAre'> => ({
    whereAllAre: say('page.allIn', { file }),
  })
  const known = <Entry>(
    sheet: string,
    columns: readonly SheetColumn<Entry>[],
    entries: readonly Entry[],
  ): readonly CompleteSheet[] => {
    const list = sheetList(room, columns)
    for (const entry of entries) list.add(entry)
    return list.complete({ sheet })
  }
  const summary = newEntry()
  summary.put(summarySheet(facts, texts))
  const file = FILE_OF_PART.inDoubt
  const note = proposals === 0 ? '' : say('doubt.proposals', { count: proposals, file, word: 'resend' })
  return [
    { name: say('sheet.summary'), isList: false, entry: summary },
    ...(verification === null
      ? []
      : lists.unproven.complete({
          sheet: say('label.verification'),
          title: say('proof.notProven'),
          ...allIn(VERIFICATION_FILE),
        })),
    ...rows.inDoubt.complete({ sheet: say('state.in_doubt'), note, ...allIn(file) }),
    ...rows.refused.complete({ sheet: say('state.refused'), ...allIn(FILE_OF_PART.refused) }),
    ...rows.corrections.complete({ sheet: say('sheet.corrections'), ...allIn(FILE_OF_PART.corrections) }),
    ...rows.notSent.complete({ sheet: say('cover.notSent'), ...allIn(FILE_OF_PART.notSent) }),
    ...lists.registered.complete({ sheet: say('state.registered'), ...allIn(FILE_OF_PART.registered) }),
    ...rows.closed.complete({ sheet: say('sheet.closed'), ...allIn(facts.ledger) }),
    ...lists.problems.complete({ sheet: say('problems.title'), ...allIn('problems.csv') }),
    ...lists.decisions.complete({ sheet: say('decisions.title'), ...allIn(DECISIONS_FILE) }),
    ...known(say('sources.title'), sourceColumns(texts), sources),
    ...(plans.length === 0 ? [] : known(say('plans.title'), planColumns(texts), planLines(plans, runs))),
    ...known(say('runs.title'), runColumns(texts), runs),
    ...known(say('columns.title'), fileColumns(texts), columnLines(facts, texts)),
  ]
}

/**
 * reconciliation.xlsx: the lists of the pack as sheets, every entry of them, all identifiers as text; the same bytes for
 * the same facts.
 */
export function openWorkbook(folder: Scratch, texts: Texts = ENGLISH, limits = WORKBOOK_LIMITS): Workbook {
  const book = growing(folder, texts, limits)
  const lists = openLists(book.room)

  async function write(facts: ReportFacts): Promise<PackFile> {
    const sheets = sheetsOf(facts, lists, book)
    const output = await folder.create(WORKBOOK_FILE)
    const packed = []
    for (const [path, xml] of workbookParts(sheets, book.titles)) {
      const entry = book.newEntry()
      entry.put(xml)
      packed.push(await entry.end(path))
    }
    for (const [index, { entry }] of sheets.entries()) packed.push(await entry.end(sheetPath(index)))
    await writeArchive(packed, output.write)
    return output.finish()
  }

  return {
    registered: lists.registered.add,
    row: (row, explanation) => {
      const part = partOf(row)
      if (part !== 'registered') lists.rows[part].add({ row, explanation })
    },
    problem: lists.problems.add,
    decision: lists.decisions.add,
    verified: (row) => {
      if (row.verdict !== 'proven') lists.unproven.add(row)
    },
    drain: () => named(book.drain),
    finish: (facts) => named(() => write(facts)),
  }
}
