import { holdsIban } from '../../domain/text/masking.js'
import {
  type Field,
  type LocalDate,
  REQUIRED_FIELDS,
  type RequiredField,
} from '../../domain/mandate/mandate.js'
import {
  type CheckedRecord,
  type Finding,
  type RuleId,
  findingOf,
  showValue,
} from '../../domain/rule/verdict.js'
import { watchColumns } from './column-watch.js'
import type { Forgotten } from '../columns/resubmission.js'
import { isFed } from '../columns/mapping.js'
import { namesEnd, usualMeaning } from '../columns/header.js'
import { countFindings, leftOutFindings, noRecordFindings, type Report, reportWith } from '../left-out.js'
import { isTotalsLine, mayBeNames } from '../../domain/text/no-record.js'
import { isIsoDay, timesOf, type RecordCheck, type RecognisedSource } from '../record-check.js'
import type { RawRecord, TableEnd } from '../table.js'
import { hasOddBritishLength, creditorOf } from '../../domain/value/identifiers.js'
import type { RawValues } from '../../domain/value/check-mandate.js'
import { watchDates, watchOrder } from '../../domain/mandate/date.js'
import { cleanCell, cleanCreditorIdentifier, cleanIban, plural } from '../../domain/text/text.js'

/** References made by a template that a person sees. */
const EXAMPLES = 3

/** All that is watched over the whole file while its records go by. */
export function watchSource(source: RecognisedSource) {
  const { mapping, against, second } = source
  const { severities } = against
  const report = reportWith(severities)
  const file = watchFile(source, report)
  const accounts = watchAccounts(report)
  const columns = watchColumns(source)
  const damage = watchDamage(source, report)
  const days = watchDays(source, report)
  const titles = watchTitles(report)
  const cleaning = countCleaning()
  let records = 0
  let isCut = false
  let last: CheckedRecord | null = null
  const references: string[] = []
  const transformed: Partial<Record<Field, number>> = {}
  const restored: Partial<Record<Field, number>> = {}
  const forgotten = new Map<string, Forgotten>()
  // What holds for most rows of an export says nothing in a file of faulty ones.
  const isExport = !source.isResultFile
  const isByReference = mapping.fields.some(
    ({ field, position }) => field === 'unique_mandate_reference' && position === mapping.oldKey?.position,
  )
  return {
    /**
     * @param order grows with every record of the file
     * @param isClean nothing of it was decoded wrong
     */
    note: (result: RecordCheck, order: number, isClean?: boolean): void => {
      const { checked, raw, oldKey } = result
      records += 1
      last = checked
      isCut ||= checked.findings.length > 0 && checked.findings.some(({ rule }) => rule === 'ROW_MAY_BE_CUT')
      if (isClean !== true) damage.note(checked.line, checked.cells)
      file.note(checked, isByReference ? null : oldKey)
      titles.note(checked, raw)
      const { iban, customerNo } = checked.values
      if (iban !== null) accounts.note(iban, customerNo ?? oldKey ?? order, records)
      // Of a record of the wrong shape nobody can tell which cell is which.
      if (raw !== null) {
        columns.note(checked.cells, checked.corrects === null)
        cleaning.note(raw, checked.values)
        days.note(raw, checked)
      }
      const { mandateReference } = checked.values
      if (mapping.template !== null && mandateReference !== null && references.length < EXAMPLES)
        references.push(showValue(mandateReference))
      for (const field of result.transformed) transformed[field] = (transformed[field] ?? 0) + 1
      for (const one of result.forgotten) if (!forgotten.has(one.what)) forgotten.set(one.what, one)
      for (const field of result.restored) restored[field] = (restored[field] ?? 0) + 1
    },
    findings: ({
      footer,
      totals,
      noRecords,
    }: TableEnd & { readonly totals: readonly RawRecord[] }): readonly Finding[] => [
      ...leftOutOf(source, footer, records, report),
      ...(isCut ? findingOf('FILE_MAY_BE_CUT', severities, {}) : []),
      ...(last === null ? [] : undeclaredTotal(last, records, report)),
      ...(noRecords === undefined ? [] : noRecordFindings(noRecords, report)),
      ...totals.flatMap(({ cells }) => countFindings(cells, records, report)),
      ...totals.flatMap(({ line, cells }) =>
        report('FILE_TOTALS_LINE', cells.filter((cell) => cell !== '').join(' '), `It is line ${line}.`),
      ),
      ...[...forgotten.values()].flatMap(({ rule, what, text }) => report(rule, what, text)),
      ...source.assumed.flatMap(({ rule, ...seen }) => findingOf(rule, severities, seen)),
      ...damage.findings(),
      ...days.shifted(),
      ...(isExport ? [...titles.found, ...file.findings(), ...days.findings()] : []),
      ...columns.findings(severities),
      ...(isExport ? accounts.findings(records) : []),
      ...(second.isOwn ? second.files.flatMap((file) => file.findings(severities)) : []),
    ],
    counts: () => ({
      ...columns.reading(),
      ...(references.length === 0 ? {} : { references }),
      cleaned: cleaning.counts(),
      transformed,
      restored,
    }),
  }
}

/** A line that is left out before the header or behind the last record may be a mandate; most files have none. */
function leftOutOf(
  { preamble, split, mapping }: RecognisedSource,
  footer: string,
  records: number,
  report: Report,
): readonly Finding[] {
  if (preamble === '' && footer === '') return []
  const positionOf = (wanted: Field): number | null =>
    mapping.fields.find(({ field }) => field === wanted)?.position ?? null
  const keys = [mapping.oldKey?.position ?? positionOf('customer_no'), positionOf('unique_mandate_reference')]
  const columns = { keys: keys.filter((position) => position !== null), account: positionOf('iban') }
  return leftOutFindings({ section: 'source', preamble, footer, split, ...columns }, records, report)
}

/** A totals line that nobody declared as footer is a faulty row; what it counts are the others. */
const undeclaredTotal = (
  { verdict, cells }: CheckedRecord,
  records: number,
  report: Report,
): readonly Finding[] =>
  verdict.kind === 'invalid' && isTotalsLine(cells) && !cells.some(holdsIban)
    ? countFindings(cells, records - 1, report)
    : []

const MOST_CREDITORS = 1000
/** One finding each; a file with more of them is damaged as a whole. */
const MOST_TOLD = 100
const FEWEST_ROWS_FOR_DATES = 10
const FEWEST_ROWS_FOR_ACCOUNTS = 20
const ACCOUNT_SHARE = 0.1
const DOMINANT_SHARE = 0.5
const FILLER_SHARE = 0.1

/** Memory is bounded by the calendar up to today and by 1,000 creditors. */
function watchFile({ mapping, options, against: { today } }: RecognisedSource, report: Report) {
  const { fillerDates, exportDay = today } = options.source
  const hasLastCollection = isFed(mapping, 'last_collection_date')
  const dates = new Map<LocalDate, { count: number }>()
  const creditors = new Set<string>()
  const oddBritish = new Set<string>()
  let rows = 0
  let references = 0
  let allAreCustomers = true
  /** Signed more than 36 months ago, and nothing says that they were collected since. */
  let undated = 0
  let lastCreditor = ''
  const noteDate = (date: LocalDate): void => {
    if (date > today) return
    const known = dates.get(date)
    if (known === undefined) dates.set(date, { count: 1 })
    else known.count += 1
  }
  const isDominant = (date: LocalDate, count: number): boolean =>
    rows >= FEWEST_ROWS_FOR_DATES &&
    count >= rows * (fillerDates.includes(date) || date === exportDay ? FILLER_SHARE : DOMINANT_SHARE)
  const noteCreditor = (identifier: string): void => {
    lastCreditor = identifier
    if (creditors.size < MOST_CREDITORS) creditors.add(creditorOf(identifier))
    if (oddBritish.size < MOST_TOLD && hasOddBritishLength(identifier)) oddBritish.add(identifier)
  }
  return {
    /** @param oldKey what the row called its customer, where there is a crosswalk */
    note: ({ values, latestFirstDebit }: CheckedRecord, oldKey: string | null): void => {
      const { customerNo, signedDate, creditorIdentifier, mandateReference } = values
      rows += 1
      if (signedDate !== null) {
        noteDate(signedDate)
        if (latestFirstDebit === null) undated += 1
      }
      if (creditorIdentifier !== null && creditorIdentifier !== lastCreditor) noteCreditor(creditorIdentifier)
      if (mandateReference === null) return
      references += 1
      allAreCustomers &&= mandateReference === oldKey || mandateReference === `${customerNo ?? ''}`
    },
    findings: (): readonly Finding[] => {
      const many = creditors.size < MOST_CREDITORS ? creditors.size : `${MOST_CREDITORS} or more`
      const dominant = [...dates].filter(([date, { count }]) => isDominant(date, count))
      const allAre = references > 1 && allAreCustomers && `All ${references} of them do.`
      const isDormant = undated > 0 && !hasLastCollection
      const dormant = `${plural(undated, 'row was', 'rows were')} signed more than 36 months ago.`
      const several = creditors.size > 1 && `It names ${many}.`
      return [
        ...dominant.flatMap(([date, { count }]) =>
          report('FILE_DATE_DOMINANT', date, `${count} of ${rows} rows have ${date}.`),
        ),
        ...report('FILE_UMR_EQUALS_CUSTOMER', '', allAre),
        ...report('FILE_DORMANCY_UNKNOWN', `${undated}`, isDormant && dormant),
        ...report('FILE_CI_MIXED', [...creditors].slice(0, 5).join(', '), several),
        ...[...oddBritish].flatMap((ci) =>
          report('FILE_CI_LENGTH', ci, `It has ${ci.length} characters, 27 to 30 are usual.`),
        ),
      ]
    },
  }
}

/**
 * A line of words alone with rows above and below it, or with a word of an end, is the title of what follows, and one with
 * words for an account and a date its header, whatever the language.
 */
function watchTitles(report: Report) {
  const found: Finding[] = []
  let isBegun = false
  let title: readonly [text: string, detail: string] | null = null
  return {
    found,
    note: ({ line, cells, values }: CheckedRecord, raw: RawValues | null): void => {
      if (values.iban === null) {
        const filled = cells.filter((cell) => cell !== '')
        const [text = '', ...others] = filled
        const isHeader =
          values.signedDate === null && !!raw?.iban && !!raw.signed_date && isBegun && mayBeNames(filled)
        const words = filled.join(' ')
        const isLabelled = others.length === 1 && (text.endsWith(':') || usualMeaning(text) !== null)
        if ((others.length === 0 || isLabelled) && TITLE.test(words) && (isBegun || namesEnd(words)))
          title = [text, `Line ${line} holds nothing else than "${showValue(words)}".`]
        else if (isHeader) title = [text, `Line ${line} holds words where others have an account and a date.`]
        return
      }
      if (title !== null) found.push(...report('FILE_HEADER_SECOND', ...title))
      title = null
      isBegun = true
    },
  }
}

/** Words, and no number of a customer or a mandate. */
const TITLE = /^(?!.*\d{5}).*\p{L}{3}/u

const ACCOUNT_SLOTS = 1 << 12
/** Of so many rows each account is counted; behind them one that half the share has by its slot, which few accounts have. */
const ROWS_COUNTED = 1000

/** Finds an account that many customers have, in bounded memory; rows of one customer behind each other count once. */
function watchAccounts(report: Report) {
  const slots = new Int32Array(ACCOUNT_SLOTS)
  const frequent = new Map<string, { count: number; seen: number; customer: number | string }>()
  return {
    /** @param rows up to now */
    note: (iban: string, customer: number | string, rows: number): void => {
      let hash = 0
      for (let at = iban.length - 8; at < iban.length; at += 1)
        hash = (Math.imul(hash, 31) + iban.charCodeAt(at)) | 0
      const slot = (hash ^ (hash >>> 16)) & (ACCOUNT_SLOTS - 1)
      const seen = (slots[slot] ?? 0) + 1
      slots[slot] = seen
      if (rows > ROWS_COUNTED && seen * 2 < rows * ACCOUNT_SHARE) return
      const known = frequent.get(iban)
      const more = rows > ROWS_COUNTED ? seen - (known?.seen ?? 0) : 1
      const count = (known?.count ?? 0) + more - (known?.customer === customer ? 1 : 0)
      frequent.set(iban, { count, seen, customer })
    },
    findings: (rows: number): readonly Finding[] =>
      [...frequent].flatMap(([iban, { count }]) => {
        const isTold = rows >= FEWEST_ROWS_FOR_ACCOUNTS && count > rows * ACCOUNT_SHARE
        return report('FILE_ACCOUNT_DOMINANT', iban, isTold && `${count} of ${rows} rows have it.`)
      }),
  }
}

/** How the dates of each column are written (domain/mandate/date.ts). */
function watchDays(
  { mapping, cellName, formats, options, against, isResultFile }: RecognisedSource,
  report: Report,
) {
  const { today, zone } = against
  const columns = (['signed_date', 'last_collection_date'] as const).map((field) => {
    const isTyped = cellName !== undefined || mapping.taken.has(field)
    const format = field === 'signed_date' ? formats.signedDate : formats.lastCollection
    return {
      field,
      ...(mapping.fields.find((column) => column.field === field) ?? { position: -1, name: field }),
      isTyped,
      dates: watchDates(format, today, timesOf(options, against)),
      order: watchOrder(isTyped),
    }
  })
  const answers =
    options.source.dates === 'utc'
      ? 'Name the time zone of the dates: timezone: Europe/….'
      : `To read them in the time zone of the campaign (${zone ?? 'UTC'}): source: { dates: utc }. If the day counts as it is written: source: { dates: written }.`
  const tell = (rule: RuleId, value: string, detail: string | null): readonly Finding[] =>
    report(rule, value, detail !== null && `Column "${showValue(value)}": ${detail}`)
  return {
    note: (raw: RawValues, { line, findings }: CheckedRecord): void => {
      for (const { field, position, isTyped, dates, order } of columns) {
        const cell = raw[field] ?? ''
        if (cell === '') continue
        if (!isResultFile) order.note(cell, () => (position < 0 ? undefined : cellName?.(line, position)))
        const isDay = (isTyped || isResultFile) && isIsoDay(cell)
        dates.note(cell, isDay, findings.length > 0 && isUnread(findings, field))
      }
    },
    /** Of times; a file of ours repeats them. */
    shifted: (): readonly Finding[] =>
      columns.flatMap(({ name, dates }) => tell('FILE_DATES_SHIFTED', name, dates.shifted(answers))),
    findings: (): readonly Finding[] =>
      columns.flatMap(({ name, order, dates }) => [
        ...tell('FILE_DATES_MIXED', name, dates.mixed()),
        ...tell('FILE_DAYS_SWAPPED', name, order.swapped()),
      ]),
  }
}

const UNREAD = /^(?:DATE|LAST_COLLECTION)_(?:INVALID|AMBIGUOUS)$/
const isUnread = (findings: readonly Finding[], wanted: Field): boolean =>
  findings.some(({ rule, field }) => field === wanted && UNREAD.test(rule))

/** What the next says nothing of, told sooner. */
const PLAIN_TEXT = /^[ -~]*$/

/** U+FFFD, or the start of a UTF-8 character that was read byte by byte, such as `Ã¼`. */
const MOJIBAKE = /\uFFFD|[ÃÂ][\u0080-\u00BF]/

/** Looks at every cell, also those that feed no field: they, too, show how well the file was decoded. */
function watchDamage({ header: { names } }: RecognisedSource, report: Report) {
  let cellsSeen = 0
  let first: { line: number; column: number; cell: string } | null = null
  return {
    note: (line: number, cells: readonly string[]): void => {
      for (let column = 0; column < cells.length; column += 1) {
        const cell = cells[column] ?? ''
        if (PLAIN_TEXT.test(cell) || !MOJIBAKE.test(cell)) continue
        cellsSeen += 1
        first ??= { line, column, cell }
      }
    },
    findings: (): readonly Finding[] => {
      if (first === null) return []
      const where = `the first in line ${first.line}, column "${names[first.column] ?? ''}"`
      return report('FILE_MOJIBAKE', first.cell, `${cellsSeen} cells show it, ${where}.`)
    },
  }
}

/** Nothing of these was cleaned away (domain/rulebook.md#normalisation). */
const PLAIN = /^[A-Za-z0-9./+-]*$/
const cleaned = (cell: string, field: RequiredField): string => {
  const text = cleanCell(cell)
  if (field === 'iban') return cleanIban(text)
  return field === 'sepa_creditor_identifier' ? cleanCreditorIdentifier(text) : text
}

/** Counts the cells that the checks clean silently, so that it can be reported. */
function countCleaning() {
  const counts: Partial<Record<Field, number>> = {}
  return {
    note: (raw: RawValues, { iban, creditorIdentifier }: CheckedRecord['values']): void => {
      for (const field of REQUIRED_FIELDS) {
        const cell = raw[field]
        const isCompacted = field === 'iban' || field === 'sepa_creditor_identifier'
        const isAsRead = isCompacted ? cell === iban || cell === creditorIdentifier : PLAIN.test(cell ?? '')
        if (cell === null || isAsRead || cleaned(cell, field) === cell) continue
        counts[field] = (counts[field] ?? 0) + 1
      }
    },
    counts: () => counts,
  }
}
