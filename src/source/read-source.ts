import { type DecidedFormat, parseLocalDate, startDeciding } from '../domain/mandate/date.js'
import { CHECK_OPTIONS, isAbsentCollection, type CheckOptions } from '../domain/value/check-mandate.js'
import { cleanCell, fold } from '../domain/text/text.js'
import {
  ruleOf,
  SETTABLE_RULES,
  tellOnce,
  type CheckedRecord,
  type Finding,
  type SourceSummary,
  type LayoutReading,
  type RuleId,
  type SourceReading,
  type SeverityOverrides,
} from '../domain/rule/verdict.js'
import { assertKind, assertKnown, onlyKnown, UsageError, refuse } from '../errors.js'
import { loadSecondFiles } from './columns/second-files.js'
import { isOwnColumn, alignRows, meaningOfHeader } from './columns/header.js'
import { isSourceInput, nameOf, piecesOf, type SourceInput } from './bytes/input.js'
import {
  columnsIn,
  type DateField,
  DATES,
  isDateField,
  keyColumns,
  lookupsOf,
  mapColumns,
  type Mapping,
  positionsIn,
  readAs,
} from './columns/mapping.js'
import { DEFAULT_SOURCE_OPTIONS, sourceSections, type SourceOptions } from './options.js'
import { checkRecord, isIsoDay, type CheckedAgainst, type RecognisedSource } from './record-check.js'
import { watchSource } from './watch/source-watch.js'
import {
  tableOf,
  type RawRecord,
  type Table,
  type TableEnd,
  MOST_TOTALS,
  refuseByFinding,
  showLeftOut,
  isBareTotals,
} from './table.js'
import { openTable } from './formats.js'

/** For programs without types. @throws {UsageError} for a rule or severity that does not exist */
export function assertSeverities(given: SeverityOverrides): void {
  assertKind('the severities', given, 'object')
  assertKnown('There is no rule', Object.keys(given), SETTABLE_RULES)
  assertKnown('There is no severity', Object.values(given), ['error', 'warning', 'off'])
}

/** @throws {UsageError} for what is no day */
export function assertDay(today: unknown): void {
  if (typeof today !== 'string' || parseLocalDate(today) === null)
    throw new UsageError(
      'Cannot use today: it is not a calendar date',
      'Give the day as YYYY-MM-DD, or todayIn(zone, Date.now())',
    )
}

/** For programs without types. @param more names of further options @throws {UsageError} for an option that cannot be used */
export function assertChecks(
  of: string,
  options: Pick<CheckOptions, 'today' | 'severities'>,
  more = '',
): void {
  onlyKnown(of, options, `${CHECK_OPTIONS}${more}`)
  assertDay(options.today)
  assertSeverities(options.severities)
}

/** A source that was recognised: its records can be read, its summary is there after the last one. */
export type OpenedSource = Awaited<ReturnType<typeof openRecognised>>

/**
 * Opens a source: finds out how it is written and which column feeds which field.
 * A file is read once from start to end before (hash and encoding), and once more where a date format is `auto`.
 * @throws {SourceError} for a file that cannot be opened, or whose encoding, delimiter or header are in doubt
 * @throws {UsageError} when the configuration contradicts itself, or asks of a stream what only a file can give
 */
export async function openSource(
  input: SourceInput,
  given: SourceOptions,
  against: CheckedAgainst,
  signal?: AbortSignal,
): Promise<OpenedSource> {
  onlyKnown('openSource', given, Object.keys(sourceSections).join(' '))
  const missing = Object.keys(DEFAULT_SOURCE_OPTIONS).filter((name) => !(name in given))
  if (missing.length > 0)
    throw new UsageError(
      `Cannot use the options of openSource: they have no ${missing.join(', ')}`,
      'Make them with readSourceOptions',
    )
  if (signal !== undefined) assertKind('signal', signal, 'signal')
  assertChecks(
    'the checks',
    against,
    ' zone:text undecided second:list earlier readBy ledger inLists otherOf:function',
  )
  if (typeof against.undecided === 'string')
    assertKnown('There is no way with what is undecided', against.undecided, ['refuse', 'tell'])
  if (!isSourceInput(input))
    throw new UsageError('Cannot use the source: it is no path and no stream with a name', 'Give one of them')
  const { limits } = given
  const isKnown = expectedNames(given)
  const table = await openTable(input, { layout: given.source, limits, isKnown }, signal)
  return openRecognised(table, given, against, signal)
}

/** The same of a table that was found already. */
async function openRecognised(
  table: Table & Pick<RecognisedSource, 'isList'>,
  given: SourceOptions,
  against: CheckedAgainst,
  signal: AbortSignal | undefined,
) {
  const { name, label, withoutCustomers } = table
  const isOurs = table.isResultFile || table.isList === true
  const isListed = table.isResultFile && against.inLists !== undefined
  const header = isListed ? { ...table.header, inLists: against.inLists } : table.header
  if (withoutCustomers !== undefined && given.crosswalk === undefined) {
    const what = 'no crosswalk says which customer each of its mandates belongs to'
    throw refuse(label, 'FILE_HEADER_MISSING', what, { next: withoutCustomers.replace('\n', ' ') })
  }
  const { options, profile, ask } = await readAs(table, given)
  const mapping = mapColumns({ ...table, header }, options, { columns: given.columns, ask })
  const files = against.second ?? (await loadSecondFiles(options, signal))
  const second = { files, isOwn: against.second === undefined }
  const recognised = { ...table, header, mapping, options, profile, against, second }
  const source: RecognisedSource = { ...recognised, formats: await decideFormats(recognised, signal) }
  let summary: SourceSummary | null = null
  const checkOne = checkRecord(source)
  /** By the configuration that reads them: lines of our own files, by their numbers in the file. */
  const ofOthers = new Map<string, Set<number>>()

  /**
   * In batches; a file can be read again, a stream only once. With `isWanted` only those records, told by their number in
   * the file, after all of them were read once; they make a source of their own where they are a part of it.
   */
  async function* records(
    readSignal?: AbortSignal,
    isWanted?: (record: number) => boolean,
    isPart = false,
  ): AsyncIterable<CheckedRecord[]> {
    const watch = isWanted === undefined || isPart ? watchSource(source) : null
    const data = piecesOf(readData(source, readSignal ?? signal))
    const toldOnce = tellOnce()
    let count = 0
    for await (const raws of data) {
      const batch: CheckedRecord[] = []
      for (const raw of raws) {
        count += 1
        if (isWanted?.(count) === false) continue
        const result = checkOne(raw, count)
        const { ofOther = null } = result
        if (ofOther !== null && isWanted === undefined) {
          ofOthers.set(ofOther, (ofOthers.get(ofOther) ?? new Set()).add(count))
          continue
        }
        watch?.note(result, count, raw.isClean)
        batch.push(toldOnce(result.checked))
      }
      if (batch.length > 0) yield batch
    }
    if (watch !== null) summary = conclude(source, data.end(), watch)
  }

  return {
    name,
    /** Hash of the file as given; null for a stream until it was read. */
    sha256: table.sha256,
    /** Column names in file order, without the `migration_` columns of result files. */
    header: header.names,
    /** The header name that feeds each field; a constant has none. */
    columns: columnNames(mapping),
    amendments: table.amendments ?? [],
    /** Columns that the configuration gives by their position, with what stands above them now. */
    byPosition: isOurs ? [] : [...positionsIn(header, options), ...files.flatMap((file) => file.byPosition)],
    /** One of this program's own files, given back. */
    isResultFile: table.isResultFile,
    /** Once it was read: records that another configuration reads, by that; they were left out. */
    ofOthers,
    /** How it is read; `summary` tells the rest. */
    reading: describeReading(source),
    records,
    summary: (): SourceSummary => {
      if (summary === null) throw new Error(`The source "${name}" was not read to its end`)
      return summary
    },
  }
}

/** An export as the ledger keeps it: what its records were, and how they were read. */
interface StoredSource {
  readonly name: string
  readonly header: readonly string[]
  readonly reading: SourceReading
  /** Lines that somebody gave back: days may be written in any way there. */
  readonly isList: boolean
}

/** @returns the records once more, in batches, from the first one on */
type StoredRecords = () => Iterable<readonly { readonly line: number; readonly cells: readonly string[] }[]>

const NO_TABLE_END: TableEnd = { sha256: '', bytes: 0, blankLines: 0, lines: 0, footer: '' }

/**
 * Reads records of an export once more, from their cells, as a configuration says now. What the layout of the file decided
 * (sheet, encoding, separator, lines that were skipped) stays as it was.
 * @throws {SourceError} where the configuration names a column that the export does not have
 */
export function openStored(
  { name, header, reading, isList }: StoredSource,
  records: StoredRecords,
  { options, against, signal }: { options: SourceOptions; against: CheckedAgainst; signal: AbortSignal },
) {
  const { headerLine = 1, sheet, collections } = reading
  const isTyped = isList || sheet !== undefined || collections !== undefined
  async function* read(): AsyncGenerator<RawRecord[], TableEnd> {
    await Promise.resolve()
    for (const batch of records()) yield batch.map(({ line, cells }) => ({ line, cells: [...cells] }))
    return NO_TABLE_END
  }
  const table = tableOf({
    ...{ name, label: name, sha256: '', headerCells: header, headerLine, read },
    decidedFormats: reading.dateFormats ?? {},
    ...(isTyped
      ? { cellName: (line: number, position: number) => `${header[position] ?? ''} of line ${line}` }
      : {}),
  })
  const { inLists } = against
  const named = isList && inLists !== undefined ? { header: { ...table.header, inLists } } : {}
  return openRecognised({ ...table, ...named, isList }, options, against, signal)
}

/** Names that decide between two plausible delimiters: those of the configuration, and the usual ones. */
function expectedNames(options: SourceOptions): (name: string) => boolean {
  const configured = [
    ...Object.values(options.columns).flatMap(columnsIn),
    ...lookupsOf(options).flatMap(keyColumns),
    ...options.exclude.map(({ column }) => column),
  ]
  const names = new Set(configured.flatMap((ref) => (typeof ref === 'string' ? [fold(ref)] : [])))
  return (name) => names.has(fold(name)) || isOwnColumn(name) || meaningOfHeader(name).kind !== 'unknown'
}

/** The column of each field, by its name in the header; of one that is joined, what it is looked up by, as in a template. */
function columnNames({ fields, payer, template, oldKey, lookups }: Mapping): Record<string, string> {
  const names = Object.fromEntries([...fields, ...payer].map(({ field, name }) => [field, name]))
  for (const { section, file, keys, take } of lookups)
    if (section === 'join')
      for (const { field, column } of take)
        names[field] = `${column} of ${nameOf(file)} by ${keys.map(({ name }) => `{${name}}`).join(' and ')}`
  if (template !== null) names['unique_mandate_reference'] = template.text
  return oldKey === null ? names : { customer_no: oldKey.name, ...names }
}

/** How the source was read, for reports; column names and settings, never a cell. */
function describeReading(source: RecognisedSource): LayoutReading {
  const { written, headerLine, isResultFile, mapping, second, options, profile, formats } = source
  const joined = second.files.flatMap(({ section, reading }) => (section === 'join' ? [reading] : []))
  const { ignoreColumns, dates } = options.source
  const times = dates === undefined ? [] : [{ dates }]
  const transforms = mapping.fields.map(
    ({ field, transforms }) => [field, isDateField(field) ? [...transforms, ...times] : transforms] as const,
  )
  return {
    ...written,
    ...(profile === null ? {} : { profile: { id: profile.id, name: profile.name, lacks: profile.lacks } }),
    headerLine,
    resultFile: isResultFile,
    columns: columnNames(mapping),
    constantCreditorIdentifier: mapping.constant,
    dateFormats: formats,
    transforms: Object.fromEntries(transforms.filter(([, some]) => some.length > 0)),
    exclude: options.exclude,
    ...(ignoreColumns.length === 0 ? {} : { ignoredColumns: ignoreColumns }),
    crosswalk: second.files.find(({ section }) => section === 'crosswalk')?.reading ?? null,
    ...(joined.length === 0 ? {} : { joined }),
  }
}

/** Told beside how the source was read, for a person who has to decide; nothing where all is decided. */
function undecidedOf(findings: readonly Finding[]): Pick<SourceReading, 'undecided'> {
  const undecided = findings
    .filter(({ rule }) => rule === 'FILE_COLUMN_UNDECIDED')
    .map(({ message }) => message.replace(`${ruleOf('FILE_COLUMN_UNDECIDED').message} `, ''))
  return undecided.length === 0 ? {} : { undecided }
}

/** Of the columns, what a person decides once for the file. */
const isQuestion = (rule: RuleId): boolean => /^FILE_(?:COLUMN_UNDECIDED|ACCOUNT_DOMINANT)$/.test(rule)

interface DataEnd extends TableEnd {
  /** Lines of totals at the end, the last one first. */
  readonly totals: readonly RawRecord[]
}

/** The records in batches, without lines of totals at the end; in a list of ours, beneath each sheet. */
async function* readData(
  { read, mapping, header: { migrationRow } }: Pick<RecognisedSource, 'read' | 'mapping' | 'header'>,
  signal: AbortSignal | undefined,
): AsyncGenerator<RawRecord[], DataEnd> {
  const batches = read(signal)
  const isTotals = ({ cells }: RawRecord): boolean => isBareTotals(cells, mapping.fields)
  const isBeneath = (record: RawRecord): boolean =>
    migrationRow !== null && cleanCell(record.cells[migrationRow] ?? '') === '' && isTotals(record)
  let held: RawRecord[] = []
  const beneath: RawRecord[] = []
  for await (const batch of batches) {
    beneath.push(...batch.filter(isBeneath))
    const known = [...held, ...batch.filter((record) => !isBeneath(record))]
    yield known.slice(0, -MOST_TOTALS)
    held = known.slice(-MOST_TOTALS)
  }
  // Only at the end: further up the word may be a name, and a line that is left out there would not be noticed.
  const totals = held.splice(held.findLastIndex((record) => !isTotals(record)) + 1)
  const end = batches.end()
  yield held.map((record) => (record.line === end.openLine ? { ...record, isOpen: true } : record))
  return { ...end, totals: [...beneath, ...totals].reverse() }
}

/** Decides the columns declared `auto`, which takes a look at all their values first. */
async function decideFormats(source: Omit<RecognisedSource, 'formats'>, signal: AbortSignal | undefined) {
  // Saved again, a column is written in several ways at once; each date is then read on its own.
  const isOneByOne = source.header.migrationRow !== null && source.against.earlier !== undefined
  const columnOf = (field: DateField) => {
    const declared = source.mapping.formats[DATES[field]]
    const known = source.decidedFormats?.[DATES[field]]
    const { note, decided } = startDeciding(field === 'signed_date' ? undefined : isAbsentCollection)
    const position = source.mapping.fields.find((column) => column.field === field)?.position ?? -1
    const isOpen = declared === 'auto' && known === undefined && position >= 0
    const told = (): DecidedFormat => (isOneByOne ? 'unsettled' : decided())
    return { position, note, isOpen, format: () => (declared === 'auto' ? (known ?? told()) : declared) }
  }
  const signed = columnOf('signed_date')
  const last = columnOf('last_collection_date')
  const open = [signed, last].filter(({ isOpen }) => isOpen)
  if (open.length > 0 && !isOneByOne) {
    if (source.sha256 === null)
      throw new UsageError(
        'The date format auto needs two looks at the whole column, which a stream cannot give',
        'Declare the date format, or give a file instead of standard input.',
      )
    const align = alignRows(source.header)
    for await (const batch of readData(source, signal))
      for (const { cells } of batch)
        if (align(cells) !== null)
          for (const { position, note } of open) {
            const cell = cells[position] ?? ''
            // Of a typed cell the day is known; what its column holds besides is what has a format.
            if (source.cellName === undefined || !isIsoDay(cell)) note(cell)
          }
  }
  return { signedDate: signed.format(), lastCollection: last.format() }
}

/** What is known of a source once all of it was read. @throws {SourceError} where it cannot be trusted */
function conclude(
  source: RecognisedSource,
  end: DataEnd,
  watch: ReturnType<typeof watchSource>,
): SourceSummary {
  const { label } = source
  const { sha256, bytes, blankLines, footer } = end
  const { findings, reading, records } = watch.end(end)
  const { undecided } = source.against
  const isTold = ({ rule, value }: Finding): boolean => {
    if (!Array.isArray(undecided)) return undecided === 'tell' && isQuestion(rule)
    const wasUsed = undecided.includes(fold(value))
    return rule === 'FILE_WORDS_UNKNOWN' ? wasUsed : isQuestion(rule) && !wasUsed
  }
  refuseByFinding(
    label,
    findings.filter((finding) => !isTold(finding)),
  )
  // One of our own files that lists no row says that there is nothing to correct.
  if (records === 0 && !source.isResultFile)
    throw refuse(label, 'FILE_EMPTY', 'it has a header but no records', { line: source.headerLine })
  return {
    sha256,
    bytes,
    records,
    blankLines,
    reading: {
      ...describeReading(source),
      leftOut: source.preamble === '' && footer === '' ? {} : showLeftOut(source.preamble, footer),
      ...undecidedOf(findings),
      ...reading,
    },
    findings,
  }
}
