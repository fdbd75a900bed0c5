import { isTruthWord } from '../../domain/row/correction.js'
import {
  hasCrosswalk,
  OLD_KEY,
  placeColumns,
  type ListPlacement,
  CUSTOMER_COLUMN,
} from '../../domain/row/list-columns.js'
import { cleanCell, fold, namesInTemplate, plainText } from '../../domain/text/text.js'
import { maskedText } from '../../domain/text/accounts.js'
import type { RowRecord, SourceRecord } from '../../ledger/read/reader.js'
import { REQUIRED_FIELDS, type LocalDate, type RequiredField } from '../../domain/mandate/mandate.js'
import { writeDate, type DecidedFormat } from '../../domain/mandate/date.js'

/** What a spreadsheet may run, also behind blanks it skips: = + - @, their full-width and small forms, controls. */
const RUNNABLE = /^(?:[\t\r\n]|[\s\p{Cf}]*[\0=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B])/u

/** The same behind a character at which a spreadsheet with other settings splits a line, quotes or not. */
const RUNNABLE_AFTER_SPLIT =
  /([;\t\r\n|])(?=(?:[^\S\t\r\n]|[\p{Cf}"])*[\0=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B])/gu

/**
 * The same behind a comma. A legal reference may hold one and a sign behind it, so there a sign counts only where the
 * rest could do more than calculate, with characters that no field may hold.
 */
const RUNNABLE_AFTER_COMMA =
  /,(?=[\s\p{Cf}"]*(?:[\0=@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B]|([+-])))/gu

/** What most references, identifiers and times are, and none of the patterns above touches; they take their time. */
const HARMLESS = /^[A-Za-z0-9][\w./:…-]*$/

function neutralInside(text: string): string {
  const split = text.replace(RUNNABLE_AFTER_SPLIT, "$1'")
  const last = Math.max(split.lastIndexOf('|'), split.lastIndexOf('!'))
  return split.replace(RUNNABLE_AFTER_COMMA, (comma, sign: string | undefined, at: number) =>
    sign === undefined || at < last ? `${comma}'` : comma,
  )
}

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`

/**
 * A line of values, each in quotes so that no reader splits or trims it. Joined at once: a line put together piece by
 * piece takes three times as long to write.
 */
export const csvLine = (cells: readonly string[], delimiter = ','): string =>
  cells.some((cell) => cell.includes('"'))
    ? `${cells.map(quoted).join(delimiter)}\n`
    : `"${cells.join(`"${delimiter}"`)}"\n`

/** A header, in quotes only where it needs them: scripts compare this line as text. */
export const csvHeader = (names: readonly string[], delimiter = ','): string =>
  `${names.map((name) => (/^[\p{L}\p{N}_. ()-]*$/u.test(name) ? name : quoted(name))).join(delimiter)}\n`

/** A spreadsheet reads a file as UTF-8 only where it begins with this. */
export const BYTE_ORDER_MARK = '\uFEFF'

/** A cell for people: what a spreadsheet would run begins with an apostrophe instead. */
export const neutralCell = (text: string): string =>
  RUNNABLE.test(text) ? `'${neutralInside(text)}` : neutralInside(text)

/** Text of others for people: one plain line that is no formula. */
export const messageCell = (text: string): string =>
  HARMLESS.test(text) ? text : neutralCell(plainText(text))

/**
 * A cell for people that the program reads back as one of its fields. An apostrophe would become part of a
 * reference such as `-17`, so such a value is written as `="-17"`: a spreadsheet shows the text and runs nothing,
 * and the reader of cells takes the marker off again (report/README.md#text-of-others).
 * Only a value with a quote or a control character inside, legal in no field, takes the apostrophe.
 */
export function editableCell(text: string): string {
  if (HARMLESS.test(text)) return text
  // No field may hold a character to split at, so such a value is wrong already and need not come back exactly.
  if (!RUNNABLE.test(text)) return neutralInside(text)
  const value = neutralInside(cleanCell(text))
  if (value === '') return ''
  return /["\p{Cc}]/u.test(value) ? `'${value}` : `="${value}"`
}

const MONTHS =
  'jan|gen|ene|sty|feb|fev|fév|lut|mar|mär|mrz|mrt|kwi|apr|avr|abr|ma[iyje]|mag|jun|giu|cze|jul|juil|lug|lip|aug|aoû|aou|' +
  'ago|sie|sep|set|wrz|oct|okt|ott|out|paź|paz|nov|lis|dec|déc|dez|des|dic|gru'

/** What a spreadsheet, in one language or another, takes for a number, an amount, a date, a time or a truth value. */
const REWRITTEN = [
  // Digits and signs: 0012, 1,552 (1552 in English), 100.50, 1-2, 1:30, 5%, €5, (5), 1 000.
  /^(?=[^0-9\p{L}]*[0-9])[^\p{L}]*$/u,
  /^(?=[^0-9\p{L}]*[0-9])[^\p{L}]*[eE][+-]?[0-9]+$/u,
  /^(?=[^0-9\p{L}]*[0-9])[^\p{L}]*(?:EUR|USD|GBP|CHF|SEK|DKK|NOK|PLN|kr\.?|zł|Kč|Fr\.?|[ap]m?)$/iu,
  /^(?:EUR|USD|GBP|CHF|SEK|DKK|NOK|PLN|kr\.?|zł|Kč|Fr\.?) ?[0-9][^\p{L}]*$/iu,
  new RegExp(`^[0-9]{0,4}[ ./-]*(?:${MONTHS})\\p{L}*[ .,/-]*[0-9]{0,2}[ .,/-]*[0-9]{0,4}$`, 'iu'),
]

/** A number that every spreadsheet leaves as it is, and one of any length that none does. */
const KEPT_NUMBER = /^(?:0|[1-9][0-9]{0,10})$/
const DIGITS = /^[0-9]+$/
/** No value of a field is longer, and the patterns above take their time with long ones. */
const LONGEST = 64

const isRewritten = (value: string): boolean =>
  !KEPT_NUMBER.test(value) &&
  (DIGITS.test(value) ||
    isTruthWord(value) ||
    (value.length <= LONGEST && REWRITTEN.some((pattern) => pattern.test(value))))

/** The same for a value that a spreadsheet would turn into another one: `="00123"` is shown, and kept, as 00123. */
export const keptCell = (text: string): string => {
  const value = cleanCell(text)
  return isRewritten(value) && !/["\p{Cc}]/u.test(value) ? `="${neutralInside(value)}"` : editableCell(text)
}

/** The columns of all sources side by side, so that rows of different exports fit into one file. */
export type OriginalColumns = ReturnType<typeof mergeColumns>

/**
 * True for a record of the wrong shape (ROW_FIELD_COUNT at whatever severity): its cells may stand under the wrong
 * names, so it was admitted without any value.
 */
export const isMisshapen = (row: RowRecord): boolean =>
  row.cells !== null && REQUIRED_FIELDS.every((field) => valueOf(row, field) === null)

/** Where a row has the value of a field. */
const HELD_AS = {
  customer_no: 'customerNo',
  iban: 'ibanMasked',
  signed_date: 'signedDate',
  sepa_creditor_identifier: 'originalCreditorIdentifier',
  unique_mandate_reference: 'originalMandateReference',
} as const satisfies Record<RequiredField, keyof RowRecord>

const valueOf = (row: RowRecord, field: RequiredField): string | number | null => row[HELD_AS[field]]

/** What stands in the place of a cell that is no longer held. */
function removedCell(row: RowRecord, field: RequiredField, format: DecidedFormat): string {
  const value = String(valueOf(row, field) ?? '')
  return field === 'signed_date' && value !== '' ? writeDate(value as LocalDate, format) : value
}

/** The columns of all sources in order of first appearance. */
export function mergeColumns(sources: readonly SourceRecord[]) {
  const { names, placements: placed } = placeColumns(sources)
  const placements = new Map([...placed].map(([source, at]) => [source.id, place(source, at)]))
  // A fault of the crosswalk is mended in the line.
  if (sources.some(hasCrosswalk) && !names.includes(CUSTOMER_COLUMN)) names.push(CUSTOMER_COLUMN)

  /** The row's own cells under `plainNames`, as text as they stand: for a workbook. */
  function plainCellsOf(row: RowRecord): string[] {
    const line = names.map(() => '')
    const placement = placements.get(row.sourceId)
    if (placement === undefined) return line
    const { fields, target, accounts, signedDate } = placement
    if (row.cells !== null)
      for (const [index, column] of target.entries()) line[column] = row.cells[index] ?? ''
    else
      for (const field of REQUIRED_FIELDS) {
        const column = fields.get(field)
        if (column !== undefined) line[column] = removedCell(row, field, signedDate)
      }
    // Values that may stand under a wrong name must not become sendable by feeding the file back unread.
    if (isMisshapen(row)) for (const column of accounts) line[column] = ''
    return line
  }

  /** The same under `names`, ready for a file that is edited and fed back. */
  function cellsOf(row: RowRecord): string[] {
    const { fields, watched } = placements.get(row.sourceId) ?? {}
    const read = [...(fields ?? [])].filter(([field]) => !field.startsWith('payer_'))
    const fed = new Map(read.map(([field, column]) => [column, field]))
    return plainCellsOf(row).map((cell, column) => {
      const field = fed.get(column)
      if (field !== undefined) return cellFor(field, cell)
      return watched?.has(column) === true ? keptCell(cell) : neutralCell(cell)
    })
  }

  /**
   * Where a file shows whose mandate a row is, and what it would send. `nth` counts the columns of that name and `column`
   * those of such a file, from 0; `value` is the cell as it was read, or null where it is no longer held.
   */
  function identityOf(row: RowRecord) {
    const placement = placements.get(row.sourceId)
    if (placement === undefined) return []
    const { target, fields, signedDate } = placement
    return ([...IDENTITY, 'iban', 'signed_date'] as const).flatMap((field) => {
      const column = fields.get(field)
      if (column === undefined) return []
      const name = names[column] ?? ''
      const nth = names.slice(0, column).filter((earlier) => fold(earlier) === fold(name)).length
      const removed = field === OLD_KEY ? null : removedCell(row, field, signedDate)
      const value = row.cells === null ? removed : (row.cells[target.indexOf(column)] ?? '')
      return [{ field, name, nth, column, value }]
    })
  }

  const places = [...placements.values()]
  const identity = [
    ...new Set(places.flatMap(({ fields }) => IDENTITY.flatMap((field) => fields.get(field) ?? []))),
  ]
  return {
    ...{ plainCellsOf, cellsOf, identityOf },
    plainNames: names.map(plainText),
    /** What hides in a name or turns it round is left out: no reading of a header looks at it, and people read the rest. */
    names: names.map((name) => editableCell(plainText(name))),

    /** What separates the columns of these files: as in the export with the most records. */
    delimiter: usualDelimiter(sources),

    /** Where accounts stand. */
    accounts: new Set(places.flatMap(({ accounts }) => accounts)),

    /** Where the columns or fields of that name stand; what a crosswalk did not find can be typed beside it. */
    wrongOf: (row: RowRecord, wrong: readonly string[]): ReadonlySet<number> => {
      const fields = placements.get(row.sourceId)?.fields
      const columns = names.flatMap((name, at) => (wrong.some((one) => fold(one) === fold(name)) ? [at] : []))
      const found = new Set([...columns, ...wrong.flatMap((field) => fields?.get(field) ?? [])])
      const oldKey = fields?.get(OLD_KEY)
      return oldKey !== undefined && found.has(oldKey) ? found.add(names.indexOf(CUSTOMER_COLUMN)) : found
    },

    /** The names of the columns over all sources that say whose mandate a row is, and what stands there, without an account number. */
    identityNames: identity.map((column) => plainText(names[column] ?? '')),
    identityCells: (row: RowRecord): string[] => {
      const cells = new Map(identityOf(row).map(({ column, value }) => [column, value]))
      return identity.map((column) => maskedText(cells.get(column) ?? ''))
    },
  }
}

/** A date is for the spreadsheet to show; any other value that it would rewrite is marked as text. */
const cellFor = (field: string, cell: string): string =>
  field === 'signed_date' || field === 'last_collection_date' ? editableCell(cell) : keptCell(cell)

/** A person's spreadsheet is set up for the exports it opens every day. */
function usualDelimiter(sources: readonly SourceRecord[]): string {
  const exports = sources.filter(({ records, resubmitted }) => resubmitted < records)
  const records = new Map<string, number>()
  for (const source of exports) {
    const delimiter = source.reading.delimiter?.delimiter ?? ','
    records.set(delimiter, (records.get(delimiter) ?? 0) + source.records)
  }
  return [...records].sort(([, one], [, other]) => other - one)[0]?.[0] ?? ','
}

/** Whose mandate a row is. The creditor's column may be missing where a constant stands for it. */
const IDENTITY = ['customer_no', OLD_KEY, 'unique_mandate_reference', 'sepa_creditor_identifier'] as const

/** What else of a source bears on how its cells are shown. */
function place(source: SourceRecord, { target, fields }: ListPlacement) {
  const excluding = new Set(
    [
      ...(source.reading.exclude ?? []).map(({ column }) => String(column)),
      ...Object.values(source.columns).flatMap(namesInTemplate),
    ].map(fold),
  )
  const watched = new Set(target.filter((_, index) => excluding.has(fold(source.header[index] ?? ''))))
  const lookedUpBy = namesInTemplate(source.columns['iban'] ?? '').map(fold)
  const accounts = target.filter(
    (column, index) => column === fields.get('iban') || lookedUpBy.includes(fold(source.header[index] ?? '')),
  )
  return {
    /** For each cell its column in the file. */
    target,
    /** Column in the file of each field. */
    fields,
    /** Columns of the account, or by which it is looked up. */
    accounts,
    /** Columns in the file that exclude rules look at: a cell that a spreadsheet rewrote would be another word. */
    watched,
    /** How the source writes the date of a mandate. */
    signedDate: source.reading.dateFormats?.signedDate ?? 'iso',
  }
}
