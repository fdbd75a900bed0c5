import { holdsIban } from '../../domain/text/accounts.js'
import { type Field, type LocalDate, REQUIRED_FIELDS } from '../../domain/mandate/mandate.js'
import {
  type CheckedRecord,
  type Finding,
  type RuleId,
  findingOf,
  showValue,
  type WordsReading,
  type SilentColumn,
  type SeverityOverrides,
} from '../../domain/rule/verdict.js'
import type { Forgotten } from '../columns/resubmission.js'
import { DATES, excludeBy, isFed, type Mapping } from '../columns/mapping.js'
import type { SecondFile } from '../columns/second-files.js'
import { namesEnd, usualMeaning, findColumn } from '../columns/header.js'
import {
  type RawRecord,
  type TableEnd,
  assumedFindings,
  countFindings,
  leftOutFindings,
  noRecordFindings,
  type Report,
  reportWith,
  isTotalsLine,
  mayBeNames,
} from '../table.js'
import { isIsoDay, timesOf, type RecordCheck, type RecognisedSource } from '../record-check.js'
import { hasOddBritishLength, creditorOf } from '../../domain/value/identifiers.js'
import type { RawValues } from '../../domain/value/check-mandate.js'
import { watchDates, watchOrder } from '../../domain/mandate/date.js'
import { findName, plural } from '../../domain/text/text.js'
import {
  isDamaged,
  wordOf,
  WORDS,
  wordsWith,
  type Meanings,
  type WordField,
} from '../../domain/value/words.js'
import { countWords, profileColumn } from '../guess/column-profile.js'
import {
  fateOf,
  keptBackBy,
  kindByAnswers,
  type ColumnKind,
  type Fate,
  counted,
  readWords,
  staysBehindText,
  WORD_FIELDS,
  WORD_LISTS,
  meaningsOf,
} from '../guess/fate.js'

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
  let records = 0
  let isCut = false
  let last: CheckedRecord | null = null
  const references: string[] = []
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
        days.note(raw, checked.line)
      }
      const { mandateReference } = checked.values
      if (mapping.template !== null && mandateReference !== null && references.length < EXAMPLES)
        references.push(showValue(mandateReference))
      for (const one of result.forgotten) if (!forgotten.has(one.what)) forgotten.set(one.what, one)
    },
    /** Once all records were seen. */
    end: ({ footer, totals, noRecords }: TableEnd & { readonly totals: readonly RawRecord[] }) => {
      const ofColumns = columns.end(report)
      const positionOf = (wanted: Field) => mapping.fields.find(({ field }) => field === wanted)?.position
      const keys = [customerOf(mapping)?.position, positionOf('unique_mandate_reference')]
      // A line that is left out before the header or behind the last record may be a mandate.
      const leftOut = { ...source, section: 'source', footer, keys, account: positionOf('iban') }
      const findings = [
        ...leftOutFindings(leftOut, records, report),
        ...(isCut ? findingOf('FILE_MAY_BE_CUT', severities, {}) : []),
        ...(last === null ? [] : undeclaredTotal(last, records, report)),
        ...(noRecords === undefined ? [] : noRecordFindings(noRecords, report)),
        ...totals.flatMap(({ cells }) => countFindings(cells, records, report)),
        ...totals.flatMap(({ line, cells }) =>
          report('FILE_TOTALS_LINE', cells.filter((cell) => cell !== '').join(' '), `It is line ${line}.`),
        ),
        ...[...forgotten.values()].flatMap(({ rule, what, text }) => report(rule, what, text)),
        ...assumedFindings(source.assumed, report),
        ...damage.findings(),
        ...days.shifted(),
        ...(isExport ? [...titles.found, ...file.findings(), ...days.findings()] : []),
        ...ofColumns.findings,
        ...(isExport ? accounts.findings(records) : []),
        ...(second.isOwn ? second.files.flatMap((file) => file.findings(severities)) : []),
      ]
      const reading = {
        ...ofColumns.reading,
        ...(references.length === 0 ? {} : { references }),
      }
      return { findings, reading, records }
    },
  }
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

/** The column that says which customer a row is of. */
const customerOf = ({ oldKey, fields }: Mapping) =>
  oldKey ?? fields.find(({ field }) => field === 'customer_no')

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
  const dates = new Map<LocalDate, number>()
  const creditors = new Set<string>()
  const oddBritish = new Set<string>()
  let rows = 0
  let references = 0
  let allAreCustomers = true
  /** Signed more than 36 months ago, and nothing says that they were collected since. */
  let undated = 0
  let lastCreditor = ''
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
        if (signedDate <= today) dates.set(signedDate, (dates.get(signedDate) ?? 0) + 1)
        if (latestFirstDebit === null) undated += 1
      }
      if (creditorIdentifier !== null && creditorIdentifier !== lastCreditor) noteCreditor(creditorIdentifier)
      if (mandateReference === null) return
      references += 1
      allAreCustomers &&= mandateReference === oldKey || mandateReference === `${customerNo ?? ''}`
    },
    findings: (): readonly Finding[] => {
      const many = creditors.size < MOST_CREDITORS ? creditors.size : `${MOST_CREDITORS} or more`
      const dominant = [...dates].filter(([date, count]) => isDominant(date, count))
      const allAre = references > 1 && allAreCustomers && `All ${references} of them do.`
      const isDormant = undated > 0 && !hasLastCollection
      const dormant = `${plural(undated, 'row was', 'rows were')} signed more than 36 months ago.`
      const several = creditors.size > 1 && `It names ${many}.`
      return [
        ...dominant.flatMap(([date, count]) =>
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
function watchDays(source: RecognisedSource, report: Report) {
  const { mapping, cellName, formats, options, against, isResultFile } = source
  const { today, zone } = against
  const columns = (['signed_date', 'last_collection_date'] as const).map((field) => {
    const isTyped = cellName !== undefined || mapping.taken.has(field)
    return {
      field,
      ...(mapping.fields.find((column) => column.field === field) ?? { position: -1, name: field }),
      isTyped,
      dates: watchDates(formats[DATES[field]], today, timesOf(source)),
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
    note: (raw: RawValues, line: number): void => {
      for (const { field, position, isTyped, dates, order } of columns) {
        const cell = raw[field] ?? ''
        if (cell === '') continue
        if (!isResultFile) order.note(cell, () => (position < 0 ? undefined : cellName?.(line, position)))
        dates.note(cell, (isTyped || isResultFile) && isIsoDay(cell))
      }
    },
    /** Of times; a file of ours repeats them. */
    shifted: (): readonly Finding[] =>
      columns.flatMap(({ name, dates }) => tell('FILE_DATES_SHIFTED', name, dates.shifted(answers))),
    findings: (): readonly Finding[] =>
      columns.flatMap(({ name, order }) => tell('FILE_DAYS_SWAPPED', name, order.swapped())),
  }
}

/** What the next says nothing of, told sooner. */
const PLAIN_TEXT = /^[ -~]*$/

/** Looks at every cell, also those that feed no field: they, too, show how well the file was decoded. */
function watchDamage({ header: { names } }: RecognisedSource, report: Report) {
  let cellsSeen = 0
  let first: { line: number; column: number; cell: string } | null = null
  return {
    note: (line: number, cells: readonly string[]): void => {
      for (let column = 0; column < cells.length; column += 1) {
        const cell = cells[column] ?? ''
        if (PLAIN_TEXT.test(cell) || !isDamaged(cell)) continue
        cellsSeen += 1
        first ??= { line, column, cell }
      }
    },
    findings: (): readonly Finding[] => {
      if (first === null) return []
      const where = `the first in line ${first.line}, column "${names[first.column] ?? ''}"`
      return report(
        'FILE_MOJIBAKE',
        first.cell,
        `${plural(cellsSeen, 'cell shows', 'cells show')} it, ${where}.`,
      )
    },
  }
}

/** Words of a column that is used; more are told as "and others". */
const MOST_UNDERSTOOD = 50
/** Customers that a list beside the table is compared with; people write such lists beside small tables. */
const MOST_KEYS = 20_000

function watchColumns(source: RecognisedSource) {
  const { header, mapping, options, profile, against } = source
  const { names, positions } = header
  const ofSystem = wordsWith(options.words, profile?.words)
  const used = mapping.fields.flatMap(({ field, position, name }) => {
    const wordField = WORD_FIELDS.find((known) => known === field)
    const meanings = wordField && meaningsOf(wordField, name, ofSystem)
    return meanings ? [watchUsed(wordField, name, positions.indexOf(position), meanings)] : []
  })
  const telling = source.isResultFile
    ? []
    : [
        ...used.map(({ index, field, column, meanings }) =>
          watchSilence({ column, field, at: index }, (cell) => meanings.get(wordOf(cell)) === null),
        ),
        ...options.exclude.map((rule) => {
          const kept = excludeBy(header, [rule], {})
          const at = findColumn(header, rule.column) ?? -1
          const row = names.map(() => '')
          const lives = (cell: string): boolean => kept(row.with(at, cell)).length === 0
          return watchSilence({ column: rule.column, at }, rule.equals === undefined ? null : lives)
        }),
      ]
  const uses = (field: Field): boolean => isFed(mapping, field)
  // What is known of a system is decided about the columns that it names.
  const named = REQUIRED_FIELDS.filter((field) => options.columns[field] !== undefined)
  const decided = new Set<Field>([...mapping.decided, ...named])
  const keys = new Set<string>()
  const keyAt = positions.indexOf(customerOf(mapping)?.position ?? -1)
  const file = { uses, decided, words: wordsWith(options.words), keys: [keys] }
  // By a field, or decided about.
  const taken = new Set([
    ...[...mapping.fields, ...mapping.parts].map(({ position }) => positions.indexOf(position)),
    ...[...options.exclude.map(({ column }) => column), ...options.source.ignoreColumns].map(
      (ref) => findColumn(header, ref) ?? -1,
    ),
  ])
  const own = names.map((name, index) => ({ of: null, name, index, position: positions[index] ?? 0 }))
  const open = own.flatMap((one) => (taken.has(one.index) ? [] : { ...one, ...profileColumn(one.name) }))
  const isIgnored = ({ name }: { readonly name: string }): boolean =>
    options.source.ignoreColumns.some((ref) => findName([name], String(ref)) === 0)
  const ofSecond = source.second.files.flatMap((of) =>
    of.unused.flatMap((column) => (isIgnored(column) ? [] : { ...column, of })),
  )
  let records = 0

  return {
    /**
     * @param cells in the order of the header's names, of a record that has as many
     * @param isNew false for a line that names a row of the ledger
     */
    note: (cells: readonly string[], isNew: boolean): void => {
      for (const { index, note } of used) note(cells[index] ?? '')
      if (!isNew) return // decided about when its export was admitted
      records += 1
      for (const { note } of telling) note(cells)
      if (open.length > 0 && keys.size < MOST_KEYS) keys.add(cells[keyAt] ?? '')
      for (const { index, note } of open) note(cells[index] ?? '')
    },
    /** What was understood of the columns that are used and of the others, for reports, and what nobody decided about. */
    end: (report: Report) => {
      const words = used.map(({ seen }) => seen())
      const isStatusOne = words.some(
        ({ field, counts, empty }) => field === 'status' && empty === 0 && counts?.size === 1,
      )
      // A list without new lines asks about no second file.
      const fates = [...open, ...(records === 0 ? [] : ofSecond)].map(({ name, position, profile, of }) => ({
        column: showValue(name === '' ? `column ${position + 1}` : name),
        of,
        fate: fateOf(name, profile(of?.reading.lines ?? records, against.today), { ...file, isStatusOne }),
      }))
      const others = fates.flatMap(({ column, fate, of }) =>
        fate.kind === 'harmless' && of === null ? [{ column, ...fate }] : [],
      )
      const maybe = others.flatMap(({ column, few }) => (few === null ? [] : [`${column}: ${few}`]))
      const notUsed = others.flatMap(({ column, few, why }) => (few === null ? [`${column}: ${why}`] : []))
      const silent = telling.flatMap(({ silent }) => silent())
      return {
        findings: [
          ...(source.isResultFile ? [] : words).flatMap((column) => [
            ...unknownFindings(column, profile?.open ?? [], against.severities),
            ...emptyFindings(column, report),
          ]),
          ...fates.flatMap(({ column, fate, of }) =>
            fate.kind === 'harmless'
              ? []
              : report('FILE_COLUMN_UNDECIDED', column, undecidedText(column, fate, uses(fate.field), of)),
          ),
        ],
        reading: {
          words: Object.fromEntries(words.map((column) => [column.field, readUsed(column)])),
          ...(silent.length === 0 ? {} : { silent }),
          ...(maybe.length === 0 ? {} : { mayBeStatus: maybe }),
          ...(notUsed.length === 0 || records === 0 ? {} : { notUsed }),
        },
      }
    },
  }
}

/** @param lives whether a cell says that the mandate lives; null where an empty one says so */
function watchSilence(column: Omit<SilentColumn, 'isWhole'>, lives: ((cell: string) => boolean) | null) {
  let [isEmpty, isFilled, isLiving] = [false, false, false]
  return {
    note: (cells: readonly string[]): void => {
      if (isFilled && (lives === null || (isLiving && isEmpty))) return
      const cell = cells[column.at] ?? ''
      if (wordOf(cell) === '') isEmpty = true
      else {
        isFilled = true
        isLiving ||= lives?.(cell) === true
      }
    },
    silent: (): readonly SilentColumn[] =>
      isEmpty && (isLiving || !isFilled) ? [{ ...column, isWhole: !isFilled }] : [],
  }
}

type UsedColumn = ReturnType<ReturnType<typeof watchUsed>['seen']>

function watchUsed(field: WordField, name: string, index: number, meanings: Meanings) {
  const counter = countWords(MOST_UNDERSTOOD)
  let isFilled = false
  let isUnderstood = false
  let empty = 0
  let rows = 0
  return {
    ...{ index, field, column: name, meanings },
    note: (cell: string): void => {
      rows += 1
      const word = wordOf(cell)
      if (word === '') empty += 1
      else counter.note(cell)
      isFilled ||= word !== ''
      isUnderstood ||= word !== '' && meanings.has(word)
    },
    seen: () => {
      const counts = counter.counts()
      const kind = readWords(field, counts, meanings)
      /** It holds words, and none of them is known. */
      const isForeign = isFilled && !isUnderstood
      return { ...kind, field, name, counts, empty, rows, isForeign }
    },
  }
}

/** @param open fields of which a single word that is not understood is asked */
function unknownFindings(
  { field, name, unknown, isForeign }: UsedColumn,
  open: readonly WordField[],
  severities: SeverityOverrides,
): readonly Finding[] {
  if (!isForeign && !(open.includes(field) && unknown.length > 0)) return []
  const values = unknown.length === 0 ? '' : ` and holds ${counted(unknown)}`
  const detail = `Column ${JSON.stringify(showValue(name))} is used as ${field}${values}. Say what they mean: words: { ${field}: { ${WORD_LISTS[field]} } }; or that it is no ${field}: columns: { ${field}: none }.`
  const text = isForeign ? { detail } : { message: detail }
  return findingOf('FILE_WORDS_UNKNOWN', severities, { field, value: name, ...text })
}

/** Where a status stands in few rows, an empty cell may repeat the one above; where only what has ended is marked, it does not. */
function emptyFindings({ field, name, counts, goes, staysBehind, empty, rows }: UsedColumn, report: Report) {
  const isRare = empty * 2 < rows && kindByAnswers(name, counts, WORDS, empty)?.form !== 'marks'
  if (field !== 'status' || goes.length === 0 || isRare) return []
  const column = JSON.stringify(showValue(name))
  const ended = `exclude: [{ column: ${column}, equals: ${JSON.stringify(staysBehind.map(({ word }) => word))}, reason: … }]`
  const detail = `Column ${column} is used as status and is empty in ${empty} of ${rows} rows, beside ${counted([...goes, ...staysBehind])}. If an empty cell repeats the one above it, fill the column in. If it means active: columns: { status: none }${staysBehind.length > 0 ? `, and ${ended}` : ''}. If it means ended: columns: { status: none }, and exclude: [{ column: ${column}, except: ${JSON.stringify(goes.map(({ word }) => word))}, reason: … }].`
  return report('FILE_COLUMN_UNDECIDED', name, detail)
}

/** What a column shows, and what to write to use it or to leave it out of account. */
function undecidedText(
  column: string,
  fate: Extract<Fate, { kind: 'undecided' }>,
  isFurther: boolean,
  of: SecondFile | null,
): string {
  const { by, field, told, dateFormat, shows } = fate
  const quoted = JSON.stringify(column)
  const none = isFurther || by === 'remarks' ? '' : `columns: { ${field}: none }, or `
  const ignore = `to leave it out of account: ${none}--ignore-column ${quoted}.`
  const dated = dateFormat === '' ? quoted : `{ column: ${quoted}, format: ${dateFormat} }`
  if (of !== null) {
    const take = `take: { ${field}: ${dated} }`
    const isTaken = !isFurther && by !== 'remarks' && by !== 'list' && told?.form !== 'marks'
    const way = isTaken
      ? `To use it: ${of.section === 'join' ? take : `join: [{ file: …, on: { … }, ${take} }]`}; a word that is not understood holds its row, an empty cell does not`
      : 'Where it counts, take those rows out of the export'
    return `Column ${quoted} of ${of.reading.name}, ${of.what}, may say something of ${field}: ${shows}. ${way}; ${ignore}`
  }
  const exclude = (which: string): string => `exclude: [{ column: ${quoted}, ${which}, reason: … }]`
  const each = `to keep back each row that has one: ${exclude('filled: true')}; ${ignore}`
  const some = `${exclude('equals: […]')}; ${ignore}`
  const texts: Readonly<Record<typeof by, string>> = {
    last: `may be the last collection. To use it: columns: { ${field}: ${dated} }; ${ignore}`,
    second: `may be ${field}, too: ${shows}. If it is: columns: { ${field}: ${dated} }; if not, name the one that is; or ${ignore}`,
    dates: `holds ${shows}, as the end of a mandate does. Where a date has passed, export without that row; ${each}`,
    remarks: `holds ${shows}. Where a mandate has ended, export without that row, or name the cell: ${some}`,
    payers: `holds ${shows}, as other payers have: in these rows it may be the one that is debited. Where it is, write it into the column of iban; ${each}`,
    list: `holds ${shows}; it says nothing of the rows it stands in. Take it out, and those customers, too, where they are not to be migrated; ${ignore}`,
    few: isFurther
      ? `may say which mandates have ended, beside the column that is used as status: ${shows}. To use it: ${some}`
      : `may say which mandates are active, and no column is used for it: ${shows}. To use it: columns: { status: ${quoted} }, and words: { status: { ${WORD_LISTS.status} } } for what is not understood. If no column of the file says it, once for all of them: columns: { status: none }; every mandate is treated as active then.`,
    words: `looks like ${field}: ${shows}. ${told === null ? '' : wayWith(told)}; ${ignore}`,
  }
  function wayWith(kind: ColumnKind): string {
    if (kind.form === 'terms') return 'Export without those rows'
    const use = exclude(keptBackBy(kind, kind.staysBehind))
    return `To use it: ${kind.form === 'words' && !isFurther ? `columns: { ${field}: ${quoted} }` : use}`
  }
  return `Column ${quoted} ${texts[by]}`
}

/** Empty parts are left out, so that a report shows only what there is. */
function readUsed({ field, name, counts, empty, ...kind }: UsedColumn): WordsReading {
  if (counts === null) return { column: name, tooManyWords: `more than ${MOST_UNDERSTOOD}` }
  const shown = (entries: readonly { readonly word: string; readonly count: number }[]) =>
    Object.fromEntries(entries.map(({ word, count }) => [showValue(word), count]))
  const parts = {
    staysBehind: staysBehindText([kind]),
    keptBack: shown(kind.staysBehind),
    goes: shown(kind.goes),
    notUnderstood: shown(kind.unknown),
  }
  const told = Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0)
  const ofStatus = field === 'status' && counts.size > 0 && empty > 0 ? { empty } : {}
  return { column: name, ...Object.fromEntries(told), ...ofStatus }
}
