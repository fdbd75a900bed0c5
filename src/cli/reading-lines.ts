import type { LedgerReader } from '../ledger/read/open-reader.js'
import type { Line } from './terminal/world.js'
import { readAsTexts, treatedAsActive, type SourceReading } from '../domain/rule/verdict.js'
import { countText, plural, said } from '../domain/text/text.js'

type Source = Pick<
  ReturnType<LedgerReader['sources']>[number],
  'name' | 'records' | 'blankLines' | 'columns' | 'reading'
>

const WORD_KEYS: ReadonlyMap<string, string> = new Map([
  ['status', 'words.status.active or words.status.notActive'],
  ['sequence', 'words.sequence.recurrent, oneOff or final'],
  ['scheme', 'words.scheme.core or b2b'],
])

const FOUND_BY: ReadonlyMap<string, string> = new Map([
  ['declared', 'as declared'],
  ['strict UTF-8', 'every byte fits'],
  ['assumed', 'assumed, because it is not UTF-8'],
  ['header line', 'by the header line'],
  ['sep= line', 'by the line "sep="'],
  ['byte order mark', 'by its mark'],
])

export const firstRecords = (count: number): string =>
  count === 1 ? 'the first record' : `the first ${plural(count, 'record', 'records')}`

export const separatorText = (delimiter: string): string => (delimiter === '\t' ? 'tab' : `"${delimiter}"`)

/** How a file was read: encoding, separator, header, and which column feeds which field. */
export function howReadLines({ name, records, blankLines, columns, reading }: Source): Line[] {
  const { encoding, delimiter, sheet, hidden, collections, headerLine, sample, skipFooterLines = 0 } = reading
  const counted = said([
    sample === undefined ? plural(records, 'record', 'records') : firstRecords(records),
    blankLines > 0 && plural(blankLines, 'blank line', 'blank lines'),
  ])
  const written = said([
    encoding !== undefined && `${encoding.encoding} (${FOUND_BY.get(encoding.by) ?? encoding.by})`,
    delimiter !== undefined &&
      `separator ${separatorText(delimiter.delimiter)} (${FOUND_BY.get(delimiter.by) ?? delimiter.by})`,
    sheet !== undefined && `sheet "${sheet}"`,
    hidden !== undefined && `${hidden.what}: ${hidden.decided === 'read' ? 'read too' : 'left out'}`,
    collections ?? false,
    headerLine !== undefined && collections === undefined && `header in line ${headerLine}`,
    skipFooterLines > 0 && `the last ${plural(skipFooterLines, 'line', 'lines')} left out`,
    reading.resultFile === true && 'written by this program',
  ])
  return said([
    `${name}: ${counted.join(', ')}`,
    written.length > 0 && `  read as ${written.join(', ')}`,
    `  columns: ${columnsText(columns, reading)}`,
    ...formatLines(reading),
  ])
}

/** `customer_no from "Kundennummer"`, or the name alone where both are the same. */
function columnsText(
  columns: Source['columns'],
  { crosswalk, constantCreditorIdentifier }: SourceReading,
): string {
  const mapped = Object.entries(columns).map(([field, name]) => {
    const through =
      field === 'customer_no' && crosswalk !== undefined && crosswalk !== null
        ? ` through ${crosswalk.name} (${plural(crosswalk.lines, 'line', 'lines')})`
        : ''
    return field === name ? `${field}${through}` : `${field} from "${name}"${through}`
  })
  const constant = constantCreditorIdentifier ?? null
  return said([...mapped, constant !== null && `sepa_creditor_identifier ${constant} for every row`]).join(
    ', ',
  )
}

/** What was done to values, as far as it is not the usual. */
function formatLines({ dateFormats, transforms = {}, cleaned = {}, columns = {} }: SourceReading): Line[] {
  const dates = said([
    dateFormats?.signedDate !== undefined && `signed_date as ${dateFormats.signedDate}`,
    dateFormats?.lastCollection !== undefined &&
      columns['last_collection_date'] !== undefined &&
      `last_collection_date as ${dateFormats.lastCollection}`,
  ])
  const tidied = Object.entries(cleaned).map(([field, cells]) => `${field} (${cells})`)
  return said([
    dates.length > 0 && `  dates: ${dates.join(', ')}`,
    Object.keys(transforms).length > 0 &&
      `  changed by the configuration: ${Object.keys(transforms).join(', ')}`,
    tidied.length > 0 && `  tidied: ${tidied.join(', ')}`,
  ])
}

const counted = (counts: Readonly<Record<string, number>> = {}): string =>
  Object.entries(counts)
    .map(([word, count]) => `"${word}" ${count}`)
    .join(', ')

/** What the words of one column were understood to say, and those that were not understood. */
function wordLines([field, read]: [string, NonNullable<SourceReading['words']>[string]]): string[] {
  const column = `"${read.column}"`
  const unknown = counted(read.notUnderstood)
  return said([
    read.staysBehind !== undefined &&
      `  ${read.staysBehind}, going by column ${column}: ${counted(read.keptBack)}`,
    unknown !== '' &&
      `  not understood in column ${column}: ${unknown}; to define it, add it to ${WORD_KEYS.get(field) ?? field}`,
    read.empty !== undefined && `  empty in column ${column}: ${read.empty}`,
    read.tooManyWords !== undefined &&
      `  column ${column} holds ${read.tooManyWords} different words: is it the ${field}?`,
  ])
}

/** What a person has to see of how a source was read: lines that were left out, words and what they keep back. */
export function readingLines({ reading }: Source): Line[] {
  const { beforeHeader = [], atEnd = [] } = reading.leftOut ?? {}
  const isTold = reading.undecided === undefined && treatedAsActive([{ name: '', reading }]).length > 0
  return said([
    ...readAsTexts(reading).map((text) => `  ${text}`),
    isTold && '  no column says which mandates are active: every mandate is treated as active',
    ...beforeHeader.map((line) => `  left out before the header: ${line}`),
    ...atEnd.map((line) => `  left out at the end: ${line}`),
    ...Object.entries(reading.words ?? {}).flatMap(wordLines),
    ...(reading.mayBeStatus ?? []).map((column) => `  not used, and of few values: ${column}`),
  ])
}

/** What collection files say of the mandates. */
export const evidenceLine = (evidence: NonNullable<ReturnType<LedgerReader['evidence']>>): string =>
  `Beside the last collections: ${Object.entries(evidence)
    .map(([kind, count]) => `${kind.replaceAll('_', ' ')} ${countText(count)}`)
    .join(', ')}`

const FROM_ROWS = 10
const SHARE = 0.5

/**
 * What hits half of all rows is rarely true of each: more often a column is mapped wrong or a file is given twice. Only that
 * customers bank in one country may well be true of all.
 */
export function unlikelyShares(reader: LedgerReader): string[] {
  const { read, resubmitted } = reader.totals()
  // A corrected row and the line that corrects it both have what was found.
  const rows = read + resubmitted
  const isUnlikely = (count: number, of: number): boolean => of >= FROM_ROWS && count > of * SHARE
  const sources = reader.sources()
  // Each month of collections repeats the one before, and the last export nearly all that came in.
  const compared = new Set(reader.comparison()?.sources.map(({ sha256 }) => sha256))
  const exports = sources.filter(
    ({ reading, sha256 }) => reading.collections === undefined && !compared.has(sha256),
  )
  const isLikely = (rule: string): boolean =>
    /^(?:FILE_|RESPONSE_|IBAN_NON_EEA)/.test(rule) ||
    (rule === 'DUPLICATE_MANDATE' && exports.length < sources.length)
  return [
    ...reader
      .problemCounts()
      .filter(({ rule, count }) => !isLikely(rule) && isUnlikely(count, rows))
      .map(({ rule, count }) => `${rule} was found in ${count} of ${rows} rows: is the right column mapped?`),
    ...exports
      .filter(({ totals }) => sources.length > 1 && isUnlikely(totals.duplicate, totals.read))
      .map(
        ({ name, totals }) =>
          `${totals.duplicate} of ${totals.read} rows of "${name}" repeat other rows: does it overlap with another file?`,
      ),
  ]
}
