import type { CheckedRecord, SourceSummary } from '../../domain/rule/verdict.js'
import type { CheckOptions } from '../../domain/value/check-mandate.js'
import type { Encoding } from '../bytes/encoding.js'
import type { ReadEnd } from '../bytes/input.js'
import { piecesOf } from '../bytes/pieces.js'
import { isBlankRecord, type RawRecord, type TableBytes } from '../table.js'
import { isBareTotals } from '../csv/totals-line.js'
import type { RecognisedSource } from '../recognised-source.js'
import type { RecordCheck } from '../record-check.js'
import { watchSource } from '../watch/source-watch.js'
import { tellOnce } from '../watch/told-once.js'
import type { Frame } from './framing.js'
import { compareKeysOf, type CompareKeys, type KeyHashes } from './key-lanes.js'
import { readOddRecords, type OddRecord } from './odd-records.js'
import { judgeRequired, NEW, PLAIN, type PlainCells } from './plain-cells.js'
import { judgeWords } from './plain-words.js'
import { createRowSet, type RowSet } from './row-set.js'
import { Unsure, walkRecords } from './walk.js'

/** What a survey is done with. Rows count through all files of a command. */
export interface SurveyOptions {
  readonly keys: KeyHashes
  readonly compare: CompareKeys
  /** The rows that are looked at again; the survey adds those that are not plain. */
  readonly look: RowSet
  /** The row of the first record. */
  readonly first: number
  readonly signal?: AbortSignal | undefined
  readonly watch: (records: number) => void
  /** Takes the records themselves; without it they are only counted. */
  readonly keep?: Keep
}

/** Takes the rows of a file as the survey comes by them. Each is numbered from 0, lines of separators included. */
export interface Keep {
  /** A record that no rule and no watch has anything to say of. What is told of it holds during the call. */
  readonly plain: (bytes: Buffer, frame: Frame, line: number, to: number) => void
  /** A row of which `read` or `left` is told later. */
  readonly later: () => void
  readonly read: (row: number, checked: CheckedRecord) => void
  /** The row is no record. */
  readonly left: (row: number) => void
}

/** A file after its survey. */
export interface Surveyed {
  /** Rows of the file, those of separators only among them. */
  readonly rows: number
  readonly records: number
  /** Rows that are no record. */
  readonly blanks: RowSet
  readonly summary: SourceSummary
  /** Knows the creditors of its plain records. */
  readonly cells: Pick<PlainCells, 'mandateOf'>
}

/** What the reader of a source does with its records, the same in both ways. */
export interface Surveyable {
  readonly source: RecognisedSource
  readonly bytes: TableBytes
  /** What all records are checked against. */
  readonly check: CheckOptions
  readonly checker: () => (raw: RawRecord, record: number) => RecordCheck
  readonly conclude: (end: SurveyEnd, watch: ReturnType<typeof watchSource>, records: number) => SourceSummary
}

export interface SurveyEnd extends ReadEnd {
  readonly blankLines: number
  readonly footer: string
  readonly totals: readonly RawRecord[]
}

interface Numbered {
  readonly record: OddRecord
  /** Counts the records of the file from 1. */
  readonly number: number
}

/** So many lines of totals may stand at the end. */
export const MOST_TOTALS = 8
/** A new word or creditor is looked at before the next record is, so often. */
const MOST_STOPS = 500
/** After so many rows a file of which most are not plain is better read in full at once. */
const ROWS_TO_JUDGE = 5_000
const MOSTLY = 0.5

/** Bytes that are the characters of Latin-1 where they are no control characters, and UTF-8. */
const BYTE_WISE: ReadonlySet<Encoding> = new Set(['utf-8', 'windows-1252', 'iso-8859-1'])

/** The bytes of a source of whose records a survey may say anything; null for every other. */
export function bytesToSurvey({
  asBytes,
  sha256,
  header,
  isResultFile,
  mapping,
  options,
  crosswalk,
}: RecognisedSource): TableBytes | null {
  const isUsual =
    sha256 !== null &&
    !isResultFile &&
    header.positions.length === header.width &&
    crosswalk === null &&
    options.exclude.length === 0 &&
    mapping.fields.every(({ transforms }) => transforms.length === 0)
  if (!isUsual || asBytes === undefined || asBytes === null) return null
  return BYTE_WISE.has(asBytes.encoding) && asBytes.skipFooterLines === 0 ? asBytes : null
}

/**
 * Reads a file once. Of each record it either shows that no rule over the record and no watch over the file has anything
 * to say, and then only counts it and hashes its keys; or it reads the record in full.
 * @throws {Unsure} where it cannot tell; the file has to be read in full
 * @throws {SourceError} where the file changed since it was opened, or cannot be trusted
 */
export async function surveySource(surveyable: Surveyable, options: SurveyOptions): Promise<Surveyed> {
  const { source, bytes } = surveyable
  const survey = startSurvey(surveyable, options)
  const walk = piecesOf(walkRecords(bytes, source, survey.visit, options.signal))
  for await (const _ of walk) {
    survey.readOdd()
    options.watch(survey.records())
  }
  return survey.end(walk.end())
}

/** A survey whose bytes are walked over by the caller: `readOdd` behind each piece of them, `end` behind the last. */
export function startSurvey(surveyable: Surveyable, options: SurveyOptions) {
  const { source, bytes: written, check, conclude } = surveyable
  const { fields } = source.mapping
  const { keys, compare, first, keep } = options
  const { width, positions } = source.header
  const watch = watchSource(source)
  const cells = judgeRequired(fields, check, keys)
  const words = judgeWords(fields, positions, check, written.encoding, watch.columns)
  const odd = readOddRecords(written, source.options.limits)
  const full = readInFull(surveyable, options, watch, cells)
  const judge = judgeBy(cells, words)
  let rows = 0
  let plain = 0
  let lastPlain = -1
  let stops = 0

  const readOdd = (): void => full.take(odd.read(), rows, lastPlain)

  return {
    visit: (bytes: Buffer, at: number, frame: Frame, line: number, to: number): void => {
      // It ends with the file, and may have been cut there.
      if (frame.end === to) throw new Unsure()
      const row = rows
      rows += 1
      const isEligible = full.isAligned() && row >= watch.columns.sample
      const judged = isEligible && frame.cells === width && !frame.isOdd ? judge(bytes, frame) : null
      if (judged === PLAIN) {
        cells.take(first + row, compare)
        words.take()
        plain += 1
        lastPlain = row
        keep?.plain(bytes, frame, line, to)
        return
      }
      keep?.later()
      odd.add(bytes, at, frame, line, row)
      if (stops >= MOST_STOPS || (judged !== NEW && full.isAligned())) return
      stops += 1
      readOdd()
    },
    readOdd,
    /** What is known of the record that was judged last. */
    cells,
    records: () => rows - full.blanks(),
    end: (end: ReadEnd & { readonly blankLines: number }): Surveyed => {
      const ended = full.end()
      for (const row of ended.totalRows) keep?.left(row)
      const plainRecords = {
        count: plain,
        dates: cells.dates.totals(),
        allAreCustomers: cells.allAreCustomers(),
      }
      watch.notePlain(plainRecords, lastPlain > full.last())
      const records = rows - full.blanks() - ended.totals.length
      const found = { blankLines: end.blankLines + full.blanks(), footer: '', totals: ended.totals }
      const summary = conclude({ ...end, ...found }, watch, records)
      return { rows, records, blanks: ended.blankRows, summary, cells }
    },
  }
}

const judgeBy =
  (cells: ReturnType<typeof judgeRequired>, words: ReturnType<typeof judgeWords>) =>
  (bytes: Buffer, frame: Frame): number => {
    const required = cells.judge(bytes, frame)
    return required === PLAIN ? words.judge(bytes, frame, cells.dates.dateOf(cells.dateNumber())) : required
  }

/** The records of a file that are not plain, read as the full reading reads them. */
function readInFull(
  surveyable: Surveyable,
  options: SurveyOptions,
  watch: ReturnType<typeof watchSource>,
  cells: ReturnType<typeof judgeRequired>,
) {
  const { fields } = surveyable.source.mapping
  const { read, ...state } = fullReader(surveyable, options, watch, cells)
  const blankRows = createRowSet()
  let blanks = 0
  let taken = 0
  /** What may turn out to be lines of totals at the end of the file. */
  let held: Numbered[] = []

  function release(): void {
    const released = held
    held = []
    released.forEach(read)
  }

  function takeOne(record: OddRecord): void {
    if (isBlankRecord(record.cells)) {
      blankRows.add(record.row)
      options.keep?.left(record.row)
      blanks += 1
      return
    }
    const numbered = { record, number: record.row - blanks + 1 }
    const isTotals = isBareTotals(record.cells, fields)
    if (!isTotals || numbered.number !== (held.at(-1)?.number ?? 0) + 1) release()
    if (!isTotals) {
      read(numbered)
      return
    }
    held.push(numbered)
    const [oldest] = held
    if (held.length <= MOST_TOTALS || oldest === undefined) return
    held.shift()
    read(oldest)
  }

  return {
    ...state,
    blanks: () => blanks,
    /** @param lastPlain plain records are no totals, so what stands above the last one is none at the end */
    take: (records: readonly OddRecord[], rows: number, lastPlain: number): void => {
      taken += records.length
      if (rows > ROWS_TO_JUDGE && taken - blanks > rows * MOSTLY) throw new Unsure()
      records.forEach(takeOne)
      if (lastPlain > (held.at(-1)?.record.row ?? lastPlain)) release()
    },
    end: () => ({
      totals: held.map(({ record }) => record).toReversed(),
      totalRows: held.map(({ record }) => record.row),
      blankRows,
    }),
  }
}

/** Checks records, tells the watches of them, hashes their keys, and has them looked at again. */
function fullReader(
  { source, checker }: Surveyable,
  { keys, compare, look, first, keep }: SurveyOptions,
  watch: ReturnType<typeof watchSource>,
  cells: ReturnType<typeof judgeRequired>,
) {
  const { width } = source.header
  const checkOne = checker()
  const toldOnce = tellOnce()
  let last = -1
  let isAligned = false
  return {
    /** Whether a record had the columns of the header; a file whose records have one more is read in full. */
    isAligned: () => isAligned,
    /** The row of the record that was read last. */
    last: () => last,
    read: ({ record, number }: Numbered): void => {
      const result = checkOne(record, number)
      // What a person has to settle is told by the full reading.
      if (result.checked.verdict.kind === 'conflict') throw new Unsure()
      watch.note(result, record.row)
      const checked = toldOnce(result.checked)
      if (result.raw !== null) {
        if (record.cells.length !== width) throw new Unsure()
        isAligned = true
        cells.learn(result.raw.sepa_creditor_identifier, checked)
      }
      compareKeysOf(checked, first + record.row, keys, compare)
      look.add(first + record.row)
      keep?.read(record.row, checked)
      last = record.row
    },
  }
}
