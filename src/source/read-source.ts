import { type DateFormat, type DecidedFormat, startDeciding } from '../domain/mandate/date.js'
import { meaningOfHeader } from './columns/header-synonyms.js'
import { type CheckOptions, isAbsentCollection } from '../domain/value/check-mandate.js'
import type { Field } from '../domain/mandate/mandate.js'
import { ruleOf } from '../domain/rule/rules.js'
import { fold } from '../domain/text/text.js'
import type {
  CheckedRecord,
  Finding,
  SourceSummary,
  LayoutReading,
  SourceReading,
} from '../domain/rule/verdict.js'
import { wordsWith } from '../domain/value/words.js'
import { UsageError } from '../errors.js'
import { showLeftOut } from './csv/left-out.js'
import { loadCrosswalk } from './columns/crosswalk.js'
import { excludeBy } from './columns/exclude.js'
import { forgottenBy } from './columns/forgotten-columns.js'
import { findColumn, isOwnColumn } from './columns/header.js'
import type { SourceInput } from './bytes/input.js'
import { INPUT_FORMATS, openTable } from './formats.js'
import { mapColumns, type MappedColumn } from './columns/mapping.js'
import type { SourceOptions } from './options.js'
import {
  columnNames,
  describeReading,
  type DateFormats,
  type RecognisedSource,
  type CheckedAgainst,
} from './recognised-source.js'
import { checkRecord, type RecordCheck } from './record-check.js'
import { piecesOf } from './bytes/pieces.js'
import { refuse, refuseByFinding } from './refusal.js'
import { restoreFrom } from './columns/resubmission.js'
import { alignRows } from './csv/row-shape.js'
import { watchSource } from './watch/source-watch.js'
import type { RawRecord, TableEnd } from './table.js'
import { tellOnce } from './watch/told-once.js'
import { isBareTotals } from './csv/totals-line.js'

/** A source that was recognised: its records can be read, its summary is there after the last one. */
export interface OpenedSource {
  readonly name: string
  /** Hash of the file as given; null for a stream until it was read. */
  readonly sha256: string | null
  /** Column names in file order, without the `migration_` columns of result files. */
  readonly header: readonly string[]
  /** The header name that feeds each field; a constant has none. */
  readonly columns: Readonly<Record<string, string>>
  /** One of this program's own files, given back. */
  readonly isResultFile: boolean
  /** How it is read; `summary` tells the rest. */
  readonly reading: LayoutReading
  /**
   * In batches; a file can be read again, a stream only once. With `isWanted` only those records, told by their number in
   * the file, after all of them were read once.
   */
  readonly records: (
    signal?: AbortSignal,
    isWanted?: (record: number) => boolean,
  ) => AsyncIterable<CheckedRecord[]>
  readonly summary: () => SourceSummary
}

/** So many lines of totals may stand at the end. */
const MOST_TOTALS = 8

/**
 * Opens a source: finds out how it is written and which column feeds which field.
 * A file is read once from start to end before (hash and encoding), and once more where a date format is `auto`.
 * @throws {SourceError} for a file that cannot be opened, or whose encoding, delimiter or header are in doubt
 * @throws {UsageError} when the configuration contradicts itself, or asks of a stream what only a file can give
 */
export async function openSource(
  input: SourceInput,
  options: SourceOptions,
  against: CheckedAgainst,
  signal?: AbortSignal,
  inputFormats = INPUT_FORMATS,
): Promise<OpenedSource> {
  const { limits } = options
  const isKnown = expectedNames(options)
  const table = await openTable(input, { layout: options.source, limits, isKnown }, signal, inputFormats)
  const { name, label, header } = table
  const mapping = mapColumns(label, table.headerLine, header, options)
  const crosswalk = await crosswalkFor(options, against, signal)
  const source: RecognisedSource = { ...table, mapping, options, against, crosswalk }
  const formats = await decideFormats(source, signal)
  let summary: SourceSummary | null = null
  const checkOne = recordChecker(source, formats)
  return {
    name,
    sha256: table.sha256,
    header: header.names,
    columns: columnNames(mapping),
    isResultFile: table.isResultFile,
    reading: describeReading(source, formats),
    records: async function* (readSignal, isWanted) {
      const watch = isWanted === undefined ? watchSource(source) : null
      const data = piecesOf(readData(source, readSignal ?? signal))
      const records = piecesOf(checkAll(data, checkOne, { note: watch?.note, isWanted }))
      yield* records
      if (watch !== null)
        summary = conclude(source, formats, { end: data.end(), watch, records: records.end() })
    },
    summary: () => {
      if (summary === null) throw new Error(`The source "${name}" was not read to its end`)
      return summary
    },
  }
}

/** Names that decide between two plausible delimiters: those of the configuration, and the usual ones. */
function expectedNames({ columns, crosswalk, exclude }: SourceOptions): (name: string) => boolean {
  const configured = [
    ...Object.values(columns).flatMap((column) =>
      typeof column === 'object' && !Array.isArray(column) && 'column' in column ? column.column : column,
    ),
    ...(crosswalk === undefined ? [] : [crosswalk.from]),
    ...exclude.map(({ column }) => column),
  ].flat()
  const names = new Set(configured.flatMap((ref) => (typeof ref === 'string' ? [fold(ref)] : [])))
  return (name) => names.has(fold(name)) || isOwnColumn(name) || meaningOfHeader(name).kind !== 'unknown'
}

async function crosswalkFor(
  { crosswalk, limits }: SourceOptions,
  against: CheckedAgainst,
  signal: AbortSignal | undefined,
): Promise<RecognisedSource['crosswalk']> {
  if (crosswalk === undefined) return null
  if (against.crosswalk !== undefined) return { loaded: against.crosswalk, isOwn: false }
  return { loaded: await loadCrosswalk(crosswalk.file, crosswalk, limits, signal), isOwn: true }
}

/** Told beside how the source was read, for a person who has to decide; nothing where all is decided. */
function undecidedOf(findings: readonly Finding[]): Pick<SourceReading, 'undecided'> {
  const undecided = findings
    .filter((finding) => !isDecided(finding))
    .map(({ message }) => message.replace(`${ruleOf('FILE_COLUMN_UNDECIDED').message} `, ''))
  return undecided.length === 0 ? {} : { undecided }
}

const isDecided = ({ rule }: Finding): boolean => rule !== 'FILE_COLUMN_UNDECIDED'

interface DataEnd extends TableEnd {
  /** Lines of totals at the end, the last one first. */
  readonly totals: readonly RawRecord[]
}

/** The records in batches, without lines of totals at the end. */
async function* readData(
  { read, mapping }: RecognisedSource,
  signal: AbortSignal | undefined,
): AsyncGenerator<RawRecord[], DataEnd> {
  const batches = read(signal)
  let held: RawRecord[] = []
  for await (const batch of batches) {
    const known = [...held, ...batch]
    yield known.slice(0, -MOST_TOTALS)
    held = known.slice(-MOST_TOTALS)
  }
  // Only at the end: further up the word may be a name, and a line that is left out there would not be noticed.
  const totals: RawRecord[] = []
  for (
    let last = held.at(-1);
    last !== undefined && isBareTotals(last.cells, mapping.fields);
    last = held.at(-1)
  ) {
    totals.push(last)
    held.pop()
  }
  const end = batches.end()
  yield held.map((record) => (record.line === end.openLine ? { ...record, isOpen: true } : record))
  return { ...end, totals }
}

/** Decides the columns declared `auto`, which takes a look at all their values first. */
async function decideFormats(
  source: RecognisedSource,
  signal: AbortSignal | undefined,
): Promise<DateFormats> {
  const { signedDateFormat, lastCollectionFormat, fields } = source.mapping
  const columns = [
    autoColumn(fields, 'signed_date', signedDateFormat),
    autoColumn(fields, 'last_collection_date', lastCollectionFormat, isAbsentCollection),
  ] as const
  // Saved again, a column is written in several ways at once; each date is then read on its own.
  if (isGivenBack(source) && source.against.earlier !== undefined)
    return {
      signedDate: declaredFormat(signedDateFormat),
      lastCollection: declaredFormat(lastCollectionFormat),
    }
  if (columns.some((column) => column.position !== null)) {
    if (source.sha256 === null)
      throw new UsageError(
        'The date format auto needs two looks at the whole column, which a stream cannot give',
        'Declare the date format, or give a file instead of standard input.',
      )
    const align = alignRows(source.header)
    for await (const batch of readData(source, signal))
      for (const { cells } of batch)
        if (align(cells) !== null) for (const column of columns) column.note(cells)
  }
  return { signedDate: columns[0].decided(), lastCollection: columns[1].decided() }
}

const declaredFormat = (format: DateFormat | 'auto'): DecidedFormat =>
  format === 'auto' ? 'unsettled' : format

interface AutoColumn {
  readonly position: number | null
  readonly note: (cells: readonly string[]) => void
  readonly decided: () => DecidedFormat
}

function autoColumn(
  fields: readonly MappedColumn[],
  field: Field,
  format: DateFormat | 'auto',
  isAbsent?: (text: string) => boolean,
): AutoColumn {
  if (format !== 'auto') return { position: null, note: () => undefined, decided: () => format }
  const decider = startDeciding(isAbsent)
  const position = fields.find((column) => column.field === field)?.position ?? null
  return {
    position,
    note: (cells) => {
      if (position !== null) decider.note(cells[position] ?? '')
    },
    decided: decider.decided,
  }
}

/** Its lines name rows of the ledger, so they may have been saved again since they were written. */
const isGivenBack = ({ header }: RecognisedSource): boolean => header.migrationRow !== null

const excludePositions = ({ header, options }: RecognisedSource): number[] =>
  options.exclude.flatMap(({ column }) => {
    const index = findColumn(header, column)
    return index === null ? [] : [header.positions[index] ?? 0]
  })

/** Where the cells stand in a record that decide what is sent. */
const tellingPositions = (source: RecognisedSource): (number | undefined)[] => [
  ...source.mapping.fields.map(({ position }) => position),
  source.mapping.oldKey?.position,
  source.mapping.secondKey?.position,
  ...excludePositions(source),
]

function restoreOptions(source: RecognisedSource, formats: DateFormats) {
  const { header, mapping, against } = source
  return {
    header,
    mapping,
    watched: excludePositions(source),
    today: against.today,
    declared: { signed_date: formats.signedDate, last_collection_date: formats.lastCollection },
  }
}

const checkOptionsOf = (
  { mapping, options, against }: RecognisedSource,
  formats: DateFormats,
): CheckOptions => ({
  today: against.today,
  severities: against.severities,
  newCreditorIdentifier: against.newCreditorIdentifier,
  dormantSoonDays: against.dormantSoonDays,
  signedDateFormat: formats.signedDate,
  lastCollectionFormat: formats.lastCollection,
  constantCreditorIdentifier: mapping.constant,
  schemeIsFirmenMandat: mapping.schemeIsFirmenMandat,
  words: wordsWith(options.words),
})

function recordChecker(
  source: RecognisedSource,
  formats: DateFormats,
): (raw: RawRecord, record: number) => RecordCheck {
  const { header, mapping, options, against, crosswalk } = source
  return checkRecord({
    against: checkOptionsOf(source, formats),
    mapping,
    align: alignRows(header),
    header,
    earlier: against.earlier ?? (() => []),
    restore: isGivenBack(source) ? restoreFrom(restoreOptions(source, formats)) : null,
    forgotten: forgottenBy({ header, mapping, options }),
    exclude: excludeBy(header, options.exclude, against.severities),
    endsTelling: tellingPositions(source).includes(header.width - 1),
    crosswalk: crosswalk?.loaded ?? null,
  })
}

interface Checking {
  readonly note: ((result: RecordCheck, record: number) => void) | undefined
  readonly isWanted: ((record: number) => boolean) | undefined
}

/** @returns how many records there are */
async function* checkAll(
  data: AsyncIterable<RawRecord[]>,
  checkOne: (raw: RawRecord, record: number) => RecordCheck,
  { note, isWanted }: Checking,
): AsyncGenerator<CheckedRecord[], number> {
  const toldOnce = tellOnce()
  let records = 0
  for await (const raws of data) {
    const batch: CheckedRecord[] = []
    for (const raw of raws) {
      records += 1
      if (isWanted?.(records) === false) continue
      const result = checkOne(raw, records)
      note?.(result, records)
      batch.push(toldOnce(result.checked))
    }
    if (batch.length > 0) yield batch
  }
  return records
}

/** What is known of a source once all of it was read. @throws {SourceError} where it cannot be trusted */
function conclude(
  source: RecognisedSource,
  formats: DateFormats,
  { end, watch, records }: { end: DataEnd; watch: ReturnType<typeof watchSource>; records: number },
): SourceSummary {
  const { label } = source
  const { sha256, bytes, blankLines, footer, totals } = end
  const findings = watch.findings(footer, totals)
  refuseByFinding(label, source.against.undecided === 'tell' ? findings.filter(isDecided) : findings)
  // One of our own files that lists no row says that there is nothing to correct.
  if (records === 0 && !source.isResultFile)
    throw refuse(label, 'FILE_EMPTY', 'it has a header but no records', { line: source.headerLine })
  return {
    sha256,
    bytes,
    records,
    blankLines,
    reading: {
      ...describeReading(source, formats),
      leftOut: showLeftOut(source.preamble, footer),
      ...undecidedOf(findings),
      ...watch.counts(),
    },
    findings,
  }
}
