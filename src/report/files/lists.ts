import { isTruthWord } from '../../domain/row/correction.js'
import {
  hasCrosswalk,
  OLD_KEY,
  placeColumns,
  type ListPlacement,
  CUSTOMER_COLUMN,
  ledgerMark,
} from '../../domain/row/list-columns.js'
import {
  cleanCell,
  fold,
  namesInTemplate,
  plainText,
  printable,
  ageText,
  timeText,
} from '../../domain/text/text.js'
import { maskedText } from '../../domain/text/accounts.js'
import type {
  RowRecord,
  SourceRecord,
  AttemptRecord,
  DecisionRecord,
  ProblemRecord,
  RegisteredRow,
  RunRecord,
  VerifiedRow,
} from '../../ledger/read/reader.js'
import { REQUIRED_FIELDS, type LocalDate, type RequiredField } from '../../domain/mandate/mandate.js'
import { writeDate, type DecidedFormat } from '../../domain/mandate/date.js'
import { absenceText } from '../../domain/proof/read-back.js'
import {
  explainVerified,
  type CutOverLine,
  type NamedRow,
  type OpenRow,
  runsUnder,
  type Entries,
  type ReportFacts,
} from '../facts/facts.js'
import {
  CUT_OVER_FILE,
  DECISIONS_FILE,
  PLACE_OF_PART,
  REPORT_ORDER,
  VERIFICATION_FILE,
} from '../pack/pack-folder.js'
import { actionOf, changeText } from '../../domain/row/cut-over.js'
import type { TextKey, Texts } from '../text/texts.js'
import { isBalanced, LATE_REQUEST_MS, TOTAL_OF_STATE, verificationWord } from '../../domain/row/row-state.js'
import { toSend } from '../../domain/plan/plan.js'

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
const BYTE_ORDER_MARK = '\uFEFF'

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
const isMisshapen = (row: RowRecord): boolean =>
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

export type CellValue = string | number | null

/** A column of a list, for its file, its sheet and its sheet to work in. */
export interface Column<Of> {
  /** Its name in the file, in every language; null where it stands on a sheet alone. */
  readonly key: string | null
  /** Its heading on a sheet, and what it means where `meaning` does not say more. */
  readonly label: TextKey
  /** On a sheet, in characters; null where it stands in the file alone. */
  readonly width: number | null
  readonly value: (of: Of) => CellValue
  readonly meaning?: TextKey
  /** On a sheet to work in: what a person fills in, and what the program alone needs of a line that comes back. */
  readonly role?: 'filled in' | 'mark'
  /** On a sheet, where that is another word in its language. */
  readonly shown?: (of: Of, texts: Texts) => CellValue
  /** How a file writes it: as a message, where nothing else is said. */
  readonly cell?: (text: string) => string
}

const column = <Of>(
  key: string | null,
  label: TextKey,
  width: number | null,
  value: (of: Of) => CellValue,
  more: Partial<Column<Of>> = {},
): Column<Of> => ({ key, label, width, value, ...more })

/** The width of a sentence, which is shown on as many lines as it takes. */
export const SENTENCE = 48

export type ListColumns<Of> = readonly Column<Of>[]

const inFile = <Of>(columns: ListColumns<Of>) =>
  columns.flatMap(({ key, ...column }) => (key === null ? [] : [{ key, ...column }]))
const namesOf = (columns: ListColumns<never>): string[] => inFile(columns).map(({ key }) => key)

const cellsOf = <Of>(columns: ListColumns<Of>): ((of: Of) => string[]) => {
  const written = inFile(columns)
  return (of) => written.map(({ value, cell = messageCell }) => cell(String(value(of) ?? '')))
}

/** A list as a file: its header, and the line of an entry. */
export interface List<Of> {
  readonly header: string
  readonly line: (of: Of) => string
}

function listOf<Of>(columns: ListColumns<Of>, mark = BYTE_ORDER_MARK): List<Of> {
  const cells = cellsOf(columns)
  return { header: mark + csvHeader(namesOf(columns)), line: (of) => csvLine(cells(of)) }
}

/** The same behind columns of the export. */
function listBehind<Of extends NamedRow>(
  { names, cellsOf: originals, delimiter }: Pick<OriginalColumns, 'names' | 'cellsOf' | 'delimiter'>,
  columns: ListColumns<Of>,
): List<Of> {
  const cells = cellsOf(columns)
  return {
    header: BYTE_ORDER_MARK + csvHeader([...names, ...namesOf(columns)], delimiter),
    line: (of) => csvLine([...originals(of.row), ...cells(of)], delimiter),
  }
}

/** As text: a spreadsheet rounds what has more than 15 digits. */
const customerOf = ({ customerNo }: { readonly customerNo: number | null }): string | null =>
  customerNo === null ? null : String(customerNo)

/** What is known of a row, and has one name in every list. A reference that a spreadsheet would run is written as `="…"`. */
const known = <Name extends keyof RowRecord>(key: string, label: TextKey, width: number, name: Name) =>
  column(key, label, width, (row: Readonly<Record<Name, string | null>>) => row[name], { cell: editableCell })
const CUSTOMER = column('customer_no', 'label.customer', 14, customerOf)
const ACCOUNT = known('iban_masked', 'label.account', 15, 'ibanMasked')
const OLD = [
  known('original_creditor_identifier', 'label.previousCreditor', 22, 'originalCreditorIdentifier'),
  known('original_mandate_reference', 'label.previousReference', 28, 'originalMandateReference'),
] as const
const NEW = [
  known('assigned_creditor_identifier', 'label.assignedCreditor', 22, 'assignedCreditorIdentifier'),
  known('assigned_mandate_reference', 'label.assignedReference', 28, 'assignedMandateReference'),
] as const

/** registered.csv, old to new. */
const REGISTERED_COLUMNS: ListColumns<RegisteredRow> = [
  column(null, 'label.row', 9, ({ id }) => id),
  ...[CUSTOMER, ACCOUNT],
  column('signed_date', 'label.signed', 11, ({ signedDate }) => signedDate),
  ...[...OLD, ...NEW],
  column('registered_at', 'label.registeredAt', 25, ({ registeredAt }) => registeredAt),
  column('source', 'label.source', 24, ({ source }) => source),
  column('record', 'label.record', 9, ({ record }) => record),
  column('attempts', 'label.attempts', null, ({ attempts }) => attempts),
  column('latest_first_debit', 'label.firstDebitBy', 13, ({ latestFirstDebit }) => latestFirstDebit, {
    meaning: 'column.latest_first_debit',
  }),
  column('last_collected', 'column.last_collected', null, ({ vouchedOn }) => vouchedOn),
]

export const REGISTERED_LIST = listOf(REGISTERED_COLUMNS, '')

const paymentSources = column(
  'payment_sources',
  'label.paymentSources',
  null,
  (of: Pick<CutOverLine, 'paymentSources'>) => of.paymentSources.join(' '),
)

/** to-cancel.csv: the same of one run, with what the service calls each where a read-back showed it. */
export const TO_CANCEL_LIST = listOf<RegisteredRow & Pick<CutOverLine, 'paymentSources'>>([
  ...REGISTERED_COLUMNS,
  paymentSources,
])

/** The column by which a line says which row it corrects. */
const ROW_NUMBER = 'migration_row'

const mark = <Of>(...[key, label, width, value, more]: Parameters<typeof column<Of>>): Column<Of> =>
  column(key, label, width, value, { ...more, role: 'mark' })

const ROW = mark<NamedRow>(ROW_NUMBER, 'label.row', 9, ({ row }) => row.id, {
  meaning: 'column.migration_row',
})
const STATE = mark<NamedRow>('migration_state', 'label.state', 12, ({ row }) => row.state, {
  shown: ({ row }, { say }) => say(`state.${row.state}`),
})

const ofRows = (columns: ListColumns<RowRecord>): Column<NamedRow>[] =>
  columns.map(({ value, shown: _, ...known }) => ({ ...known, value: ({ row }) => value(row) }))

/** What is open, as lists and sheets say it of each row (report/README.md#the-files). */
const WHOSE: ListColumns<NamedRow> = [
  ...[ROW, STATE],
  ...ofRows([CUSTOMER, ACCOUNT, ...OLD]).map((known) => ({ ...known, key: null })),
]

const WHAT_TO_DO: ListColumns<OpenRow> = [
  mark('migration_rule', 'label.rule', null, ({ explanation }) => explanation.rule),
  mark('migration_status', 'label.status', 11, ({ explanation }) => explanation.status),
  column(
    'migration_message',
    'label.message',
    SENTENCE,
    ({ row, explanation }) => explanation.message + asRead(row),
    { shown: ({ explanation }, { translated }) => translated(explanation) },
  ),
  column('migration_remedy', 'label.remedy', SENTENCE, ({ explanation }) => explanation.remedy),
]

/** A source may have cells of 8,192 characters at most, and this file is to be a source again. */
const LONGEST_STRAY = 4_000

/** A record whose cells do not fit its header. */
function asRead(row: RowRecord): string {
  if (!isMisshapen(row)) return ''
  const stray = (row.cells ?? []).join(' | ')
  const shown = stray.length <= LONGEST_STRAY ? stray : `${stray.slice(0, LONGEST_STRAY)}… (cut)`
  return ` The record as it was read: ${shown}`
}

const ofAttempt =
  (cell: (attempt: AttemptRecord, of: OpenRow) => string) =>
  (of: OpenRow): string =>
    of.row.lastAttempt === null ? '' : cell(of.row.lastAttempt, of)

/** What is said of the request that left, for asking the service about it. */
const SENT_AT = column(
  'migration_sent_at',
  'label.at',
  25,
  ofAttempt(({ startedAt }) => timeText(startedAt)),
  { meaning: 'column.migration_sent_at', shown: ofAttempt(({ startedAt }) => startedAt) },
)
const REQUEST_ID = column(
  'migration_request_id',
  'label.lastRequest',
  38,
  ofAttempt(({ requestId }) => requestId),
)

/** Counted up to the ledger's latest change, and says so: two reports of a ledger are identical. */
function agoText({ startedAt }: AttemptRecord, { campaign: { changedAt } }: NamedRow): string {
  const ago = ageText(startedAt, changedAt)
  return ago === '' ? '' : `${ago} before ${timeText(changedAt)}`
}

function resendFrom({ startedAt }: AttemptRecord): string {
  return timeText(new Date(Date.parse(startedAt) + LATE_REQUEST_MS).toISOString())
}

/** The same in the file alone, and what it proposes for a row that was read back as absent: a person who agrees copies it. */
const ABOUT_REQUEST: ListColumns<OpenRow> = [
  SENT_AT,
  column('migration_sent_ago', 'column.migration_sent_ago', null, ofAttempt(agoText)),
  column('migration_resend_from', 'column.migration_resend_from', null, ofAttempt(resendFrom)),
  REQUEST_ID,
  column('migration_proposal', 'column.migration_proposal', null, ({ absence }) =>
    absence?.kind === 'resend' ? 'resend' : '',
  ),
  column('migration_proposal_evidence', 'label.evidence', null, ({ absence }) =>
    absence === null ? '' : sentence(absenceText(absence)),
  ),
]

const sentence = (words: string): string =>
  words === '' ? '' : `${words.charAt(0).toUpperCase()}${words.slice(1)}.`

const filledIn = (key: string, label: TextKey): Column<unknown> =>
  column(key, label, null, () => '', { role: 'filled in' })

/**
 * What `resolve --from` reads. The program fills `migration_ledger`, so that a file is never applied to another
 * ledger, and `migration_attempt` (`Resolution.attempt`), so that a file filled in before the row moved on is
 * refused; a person fills in the others.
 */
const CLOSING: ListColumns<NamedRow> = [
  mark('migration_ledger', 'column.migration_ledger', null, ({ campaign }) => ledgerMark(campaign)),
  mark('migration_attempt', 'column.migration_attempt', null, ({ row }) => row.lastAttempt?.n ?? null),
  filledIn('migration_decision', 'column.migration_decision'),
  filledIn('migration_reason', 'label.reason'),
  filledIn('migration_by', 'label.by'),
]

/** What in-doubt.csv has besides: the only file in which a row may be called registered. */
const ASSIGNED: ListColumns<unknown> = [
  filledIn('migration_assigned_creditor_identifier', 'label.assignedCreditor'),
  filledIn('migration_assigned_mandate_reference', 'label.assignedReference'),
]

/** A sentence comes first on a sheet, and the code of its rule last. */
const RULE = column<OpenRow>(null, 'label.rule', 24, ({ explanation }) => explanation.rule)

/** On a sheet to read: what is looked up in the export, and what the service is asked about. */
const OPEN_SHEET: ListColumns<OpenRow> = [
  ...WHOSE,
  column(null, 'label.source', 24, ({ row }) => row.source),
  column(null, 'label.record', 9, ({ row }) => row.record),
  column(null, 'label.line', 9, ({ row }) => row.line),
  ...[...WHAT_TO_DO, RULE],
]
const IN_DOUBT_SHEET: ListColumns<OpenRow> = [...WHOSE, ...WHAT_TO_DO, SENT_AT, REQUEST_ID]

/** What stands behind the original columns in every result file, and in in-doubt.csv. */
const OPEN_COLUMNS: ListColumns<OpenRow> = [...WHOSE, ...WHAT_TO_DO, ...CLOSING]
const IN_DOUBT_COLUMNS: ListColumns<OpenRow> = [
  ...[...WHOSE, ...WHAT_TO_DO, ...ABOUT_REQUEST],
  ...[...CLOSING, ...ASSIGNED],
]
export const openColumns = (isInDoubt: boolean): ListColumns<OpenRow> =>
  isInDoubt ? IN_DOUBT_COLUMNS : OPEN_COLUMNS

/** Every column that `resolve --from` looks at. */
export const DECIDING_COLUMNS = [ROW_NUMBER, ...namesOf([...CLOSING, ...ASSIGNED])]

/** A list to work in, as the spreadsheet of a person wants it: in-doubt.csv, or one of the others. */
export function openList({ names, cellsOf, delimiter }: OriginalColumns, isInDoubt = false): List<OpenRow> {
  // In a list to decide in nobody corrects a customer.
  const shown = (own: readonly string[]): string[] =>
    own.filter((_, at) => !isInDoubt || names[at] !== CUSTOMER_COLUMN)
  const originals = { names: shown(names), cellsOf: (row: RowRecord) => shown(cellsOf(row)), delimiter }
  return listBehind(originals, openColumns(isInDoubt))
}

/** What cut-over.csv says of a mandate besides whose it is, and what a person fills in as in the other lists. */
export const CUT_OVER_COLUMNS: ListColumns<CutOverLine> = [
  ROW,
  column('migration_class', 'column.migration_class', null, ({ compared }) => compared.listed),
  column('migration_change', 'column.migration_change', SENTENCE, ({ compared }) => changeText(compared.why)),
  column('migration_action', 'column.migration_action', SENTENCE, ({ compared, row }) =>
    actionOf(compared, row.state),
  ),
  STATE,
  ...ofRows([ACCOUNT, ...NEW]),
  paymentSources,
  mark('migration_line', 'column.migration_line', null, ({ compared }) => compared.mark),
  ...CLOSING,
]

/** The same on a sheet to read. */
const CUT_OVER_SHEET: ListColumns<CutOverLine> = [
  ...WHOSE,
  column(null, 'label.message', SENTENCE, ({ compared }) => compared.listed, {
    shown: ({ compared }, { say }) => say(`cutOver.${compared.listed}`),
  }),
  ...ofRows(NEW),
]

/** Without account numbers, since nothing in it is corrected. */
function cutOverList({ identityNames, identityCells, delimiter }: OriginalColumns): List<CutOverLine> {
  const cellsOf = (row: RowRecord) => identityCells(row).map(keptCell)
  return listBehind({ names: identityNames.map(editableCell), cellsOf, delimiter }, CUT_OVER_COLUMNS)
}

/** A finding on a whole file has neither record nor line. In names, what would hide or turn them round is shown. */
const PROBLEM_COLUMNS: ListColumns<ProblemRecord> = [
  column('source', 'label.source', 24, ({ source }) => printable(source)),
  column('record', 'label.record', 9, ({ record }) => record),
  column('line', 'label.line', 9, ({ line }) => line),
  column('column', 'label.column', 22, (problem) => printable(problem.column)),
  column('rule', 'label.rule', null, ({ rule }) => rule),
  column('severity', 'label.severity', 9, ({ severity }) => severity, {
    ...{ meaning: 'column.severity', shown: ({ severity }, { say }) => say(`severity.${severity}`) },
  }),
  column('value', 'label.value', 28, ({ value }) => value),
  column('message', 'label.message', SENTENCE, ({ message }) => message, {
    shown: (problem, { translated }) => translated(problem),
  }),
  column('remedy', 'label.remedy', SENTENCE, ({ remedy }) => remedy),
  column(null, 'label.rule', 28, ({ rule }) => rule),
]

export const PROBLEM_LIST = listOf(PROBLEM_COLUMNS, '')

/** Ids and statuses stand in one cell each, in the same order, between blanks. */
const VERIFICATION_COLUMNS: ListColumns<VerifiedRow> = [
  column(ROW_NUMBER, 'label.row', 9, ({ id }) => id, { meaning: 'column.migration_row' }),
  ...[CUSTOMER, ACCOUNT, ...NEW.toReversed()],
  column('verification', 'label.verification', 12, ({ verdict }) => verificationWord(verdict), {
    meaning: 'column.verification',
    shown: ({ verdict }, { say }) => say(`proof.${verificationWord(verdict)}`),
  }),
  column('verified_at', 'label.at', 25, ({ answeredAt }) => answeredAt, { meaning: 'column.time' }),
  column('payment_sources', 'label.paymentSources', 40, ({ sources }) =>
    sources.map(({ id }) => id ?? '-').join(' '),
  ),
  column('payment_source_statuses', 'label.paymentSources', null, ({ sources }) =>
    sources.map(({ status }) => status ?? '-').join(' '),
  ),
  column('may_be_cancelled', 'label.cancellable', 30, ({ cancellable }) => cancellable.join(' ')),
  column('explanation', 'label.message', SENTENCE, explainVerified),
]

export const VERIFICATION_LIST = listOf(VERIFICATION_COLUMNS)

/** What somebody typed is masked once more. */
const DECISION_COLUMNS: ListColumns<DecisionRecord> = [
  column('id', 'column.id', null, ({ id }) => id),
  column('row', 'label.row', 9, ({ rowId }) => rowId),
  column('attempt', 'label.attempts', null, ({ attemptId }) => attemptId),
  column('time', 'label.at', 25, ({ at }) => at, { meaning: 'column.time' }),
  column('by', 'label.by', 20, ({ by }) => maskedText(by)),
  column('as', 'label.asUser', null, ({ as }) => maskedText(as ?? '')),
  column('decision', 'label.decision', 14, ({ decision }) => decision, {
    shown: ({ decision }, texts) => decisionWord(decision, texts),
  }),
  column('from', 'column.from', null, ({ from }) => from),
  column('to', 'column.to', null, ({ to }) => to),
  column('reason', 'label.reason', SENTENCE, ({ reason }) => maskedText(reason)),
  column('evidence', 'label.evidence', SENTENCE, ({ evidence }) => evidence),
]

export const DECISION_LIST = listOf(DECISION_COLUMNS)

/** A list of a report: its sheet in the workbook, and its file where it has one. */
export type ReportList<Of> = ReturnType<typeof list<Of>>

/** @param file that holds all entries; null for what the ledger alone does */
const list = <Of>(
  sheet: TextKey,
  columns: ListColumns<Of>,
  file: string | null,
  written?: (originals: OriginalColumns) => List<Of>,
) => ({ sheet, columns, file, written })

const { registered, refused, corrections, inDoubt, notSent } = PLACE_OF_PART

/** In the order in which files are written. */
export const LISTS: { readonly [Name in keyof Entries]: ReportList<Entries[Name]> } = {
  registered: list('state.registered', REGISTERED_COLUMNS, registered, () => REGISTERED_LIST),
  refused: list('state.refused', OPEN_SHEET, refused, openList),
  corrections: list('sheet.corrections', OPEN_SHEET, corrections, openList),
  inDoubt: list('state.in_doubt', IN_DOUBT_SHEET, inDoubt, (originals) => openList(originals, true)),
  notSent: list('cover.notSent', OPEN_SHEET, notSent, openList),
  closed: list('sheet.closed', OPEN_SHEET, null),
  problems: list('problems.title', PROBLEM_COLUMNS, 'problems.csv', () => PROBLEM_LIST),
  decisions: list('decisions.title', DECISION_COLUMNS, DECISIONS_FILE, () => DECISION_LIST),
  verified: list('label.verification', VERIFICATION_COLUMNS, VERIFICATION_FILE, () => VERIFICATION_LIST),
  unproven: list('label.verification', VERIFICATION_COLUMNS, VERIFICATION_FILE),
  cutOver: list('sheet.cutOver', CUT_OVER_SHEET, CUT_OVER_FILE, cutOverList),
}

/** What a person decided, which most often is a state; any other word stands as it was recorded. */
export const decisionWord = (decision: string, { wordFor }: Texts): string =>
  wordFor(`decision.${decision}`) ?? wordFor(`state.${decision}`) ?? plainText(decision)

/** What decides which of the files there are. */
type FilesWritten = Pick<ReportFacts, 'verification' | 'cutOver'>

/** Every column that this program writes, as the headers have them, and what it means; files with the same ones together. */
export function explainedColumns({ verification, cutOver }: FilesWritten, { say }: Texts) {
  const explained = (files: readonly string[], columns: ListColumns<never>) => ({
    files,
    columns: inFile(columns).map(({ key, label, meaning = label }) => [key, say(meaning)] as const),
  })
  return [
    explained([registered], REGISTERED_COLUMNS),
    explained([inDoubt, refused, corrections, notSent], OPEN_COLUMNS),
    explained([inDoubt], [...ABOUT_REQUEST, ...ASSIGNED]),
    explained(['problems.csv'], PROBLEM_COLUMNS),
    explained([DECISIONS_FILE], DECISION_COLUMNS),
    ...(verification === null ? [] : [explained([VERIFICATION_FILE], VERIFICATION_COLUMNS)]),
    ...((cutOver?.open ?? 0) > 0 ? [explained([CUT_OVER_FILE], CUT_OVER_COLUMNS)] : []),
  ]
}

const masked = (text: string | null): string | null => (text === null ? null : maskedText(text))

/** A plan with one of its approvals, or the only line of one that nobody approved. */
export const linesOfPlans = ({ plans, runs }: ReportFacts) =>
  plans.flatMap((plan) => {
    const approvals = plan.approvals.length === 0 ? [null] : plan.approvals
    return approvals.map((approval) => ({ plan, approval, runs: runsUnder(plan, runs) }))
  })

export const PLANS: ListColumns<ReturnType<typeof linesOfPlans>[number]> = [
  column(null, 'label.plan', 68, ({ plan }) => plan.digest),
  column(null, 'label.at', 25, ({ plan }) => plan.document.plannedAt),
  column(null, 'cover.plannedBy', 20, ({ plan }) => maskedText(plan.document.plannedBy)),
  column(null, 'label.asUser', 14, ({ plan }) => plan.document.plannedAs),
  column(null, 'label.rows', 10, ({ plan }) => toSend(plan.document)),
  column(null, 'label.at', 25, ({ approval }) => approval?.approvedAt ?? null),
  column(null, 'cover.approvedBy', 20, ({ approval }) => masked(approval?.approvedBy ?? null)),
  column(null, 'plans.key', 68, ({ approval }) => approval?.key ?? null),
  column(null, 'plans.reference', SENTENCE, ({ approval }) => masked(approval?.reference ?? null)),
  column(null, 'label.asUser', 14, ({ approval }) => approval?.recordedAs ?? null),
  column(null, 'label.expires', 25, ({ approval }) => approval?.expiresAt ?? null),
  column(null, 'runs.title', 14, ({ runs }) => runs),
]

export const SOURCES: ListColumns<SourceRecord> = [
  column(null, 'label.source', 30, ({ name }) => name),
  column(null, 'label.at', 25, ({ admittedAt }) => admittedAt),
  column(null, 'label.bytes', 12, ({ bytes }) => bytes),
  column(null, 'cover.read', 10, ({ totals }) => totals.read),
  column(null, 'label.resubmitted', 12, ({ totals }) => totals.resubmitted),
  ...REPORT_ORDER.map((state) =>
    column<SourceRecord>(null, `state.${state}`, 11, ({ totals }) => totals[TOTAL_OF_STATE[state]]),
  ),
  // What does not add up must be seen.
  column(null, 'label.balanced', 10, () => null, {
    shown: ({ totals }, { say }) => (isBalanced(totals) ? say('yes') : say('no').toUpperCase()),
  }),
  column(null, 'label.sha256', 68, ({ sha256 }) => sha256),
]

/** What came of the requests of a run. */
export const ATTEMPTS: ListColumns<RunRecord> = [
  column(null, 'state.registered', 11, ({ attempts }) => attempts.registered),
  column(null, 'state.refused', 11, ({ attempts }) => attempts.refused),
  column(null, 'state.in_doubt', 11, ({ attempts }) => attempts.in_doubt),
  column(null, 'label.turnedAway', 12, ({ attempts }) => attempts.turned_away),
  column(null, 'cover.notSent', 11, ({ attempts }) => attempts.not_sent),
  column(null, 'label.open', 8, ({ attempts }) => attempts.open),
]

export const RUNS: ListColumns<RunRecord> = [
  column(null, 'label.number', 6, ({ id }) => id),
  column(null, 'label.started', 25, ({ startedAt }) => startedAt),
  column(null, 'label.ended', 25, ({ endedAt }) => endedAt),
  ...ATTEMPTS,
  column(null, 'label.stoppedBy', SENTENCE, ({ stoppedBy }) => masked(stoppedBy)),
  column(null, 'label.exit', 6, ({ exitCode }) => exitCode),
  // As it was recorded.
  column(null, 'label.settings', 80, ({ version, asOf, zone, settings }) =>
    JSON.stringify({ version, asOf, zone, ...settings }),
  ),
]

/** A column of a file with its meaning, for a person who has the workbook alone. */
export const columnLines = (facts: ReportFacts, texts: Texts) =>
  explainedColumns(facts, texts).flatMap(({ files, columns }) =>
    columns.map(([column, meaning]) => ({ files: files.join(', '), column, meaning })),
  )

export const FILE_COLUMNS: ListColumns<ReturnType<typeof columnLines>[number]> = [
  column(null, 'label.file', SENTENCE, ({ files }) => files),
  column(null, 'label.column', 40, ({ column }) => column),
  column(null, 'label.meaning', 90, ({ meaning }) => meaning),
]
