import { relative } from 'node:path'
import type { DecidedFormat } from '../../domain/mandate/date.js'
import { type Field, type LocalDate, FIELDS } from '../../domain/mandate/mandate.js'
import {
  dateLikeness,
  likenessOf,
  mayLackZeros,
  notationOf,
  readWhole,
  withoutDecimals,
  withoutMidnight,
  type Likeness,
  type EarlierRow,
} from '../../domain/row/correction.js'
import { CUSTOMER_COLUMN, FOR_RUN, readMark } from '../../domain/row/list-columns.js'
import type { RawValues } from '../../domain/value/check-mandate.js'
import { cleanCell, fold, namesInTemplate } from '../../domain/text/text.js'
import {
  type CheckedRecord,
  type Finding,
  showValue,
  type RuleId,
  type SeverityOverrides,
  findingOf,
} from '../../domain/rule/verdict.js'
import { type Header, findColumn } from './header.js'
import { DATES, type DateField, isDateField, type Mapping } from './mapping.js'
import type { SourceOptions } from '../options.js'

/** What a line of our own files says of itself in its `migration_` columns. */
export type Resubmission = NonNullable<ReturnType<typeof readResubmission>>

/** Null for a line without a row number: a new mandate. */
export function readResubmission(cells: readonly string[], { own }: Header, severities: SeverityOverrides) {
  const cellOf = (name: string): string => cleanCell(cells[own(`migration_${name}`) ?? -1] ?? '')
  const number = cellOf('row')
  if (number === '') return null
  const decision = cellOf('decision')
  const isDecided = fold(decision) === FOR_RUN
  const unreadable = (value: string, detail: string): readonly Finding[] =>
    findingOf('CORRECTION_UNREADABLE', severities, { value, detail })
  return {
    /** The row it corrects; 0 where that cannot be read. */
    corrects: readWhole(number) ?? 0,
    isDecided,
    ledger: cellOf('ledger') || null,
    /** Who corrected it, and why, as far as the line says so. */
    said: {
      by: cellOf('by') || null,
      reason: cellOf('reason') || null,
      // Of a list whose column was deleted nobody can tell what it knows of.
      ...(cellOf('ledger') === '' ? {} : readMark(cellOf('ledger'))),
    },
    findings:
      readWhole(number) === null
        ? unreadable(number, 'Its migration_row is no row number, so nothing of it is taken.')
        : [],
    /** Only where the line changes anything: a decision for another command stands beside it. */
    ifChanged: decision === '' || isDecided ? [] : unreadable(decision, CHANGED_BESIDE),
  }
}

const CHANGED_BESIDE =
  'Cells were changed beside a migration_decision that is not "send": the decision was not recorded, and the row is not sent.'

/** A cell that decides what becomes of the row. */
interface Telling {
  readonly position: number
  /** Null for a column that feeds no field, but is looked at. */
  readonly field: Field | null
  readonly column: string
  /** The field that is made of it or looked up by it. */
  readonly feeds?: Field
}

export interface RestoreOptions {
  readonly header: Header
  readonly mapping: Mapping
  /** Columns that exclude rules look at, as positions in a record. */
  readonly watched: readonly number[]
  readonly options: Pick<SourceOptions, 'exclude' | 'source'>
  readonly against: {
    readonly today: LocalDate
    readonly readBy?: EarlierRow['readBy']
    readonly ledger?: string
    readonly otherOf?: (readBy: EarlierRow['readBy']) => string | null
  }
  /** Declared in the configuration; `unsettled` for a column declared `auto`. */
  readonly formats: Readonly<Record<(typeof DATES)[DateField], DecidedFormat>>
}

/** Prepares the comparison of the lines of one file with the rows they were written from. */
export function restoreFrom(options: RestoreOptions) {
  const { header, mapping, watched, against, formats: declared } = options
  const { today } = against
  const tells = tellingColumns(header, mapping, watched)

  function likeness(column: Telling, after: string, row: EarlierRow, isDecided: boolean): Likeness {
    const { field } = column
    const before = originalOf(row, column)
    // A date that could not be read is taken as a person wrote it, once they say so.
    const isSaid = isDecided && field === 'signed_date' && row.values?.signedDate === null
    if (field === null || !isDateField(field) || isSaid) return likenessOf(before, after)
    const date = field === 'signed_date' ? (row.values?.signedDate ?? null) : null
    const declaredThen = row.formats[DATES[field]]
    const format = row.isCorrection ? notationOf(cleanCell(before), declaredThen, today) : declaredThen
    return dateLikeness({ text: before, format, date }, after, today)
  }

  /** References and keys of a crosswalk; a customer number has no zeros in front. */
  const lacksZeros = (column: Telling, given: string, row: EarlierRow): boolean =>
    (column.position === mapping.oldKey?.position ||
      (column.feeds ?? column.field) === 'unique_mandate_reference') &&
    mayLackZeros(cleanCell(originalOf(row, column)), cleanCell(given))

  /** A cell in the notation of its export is read as the configuration says now, where it can be. */
  function formatOf(field: DateField, text: string, row: EarlierRow | undefined): DecidedFormat {
    const now = declared[DATES[field]]
    if (row === undefined) return notationOf(withoutMidnight(text), now, today)
    const format = now === 'unsettled' ? row.formats[DATES[field]] : now
    return row.isCorrection ? notationOf(cleanCell(text), format, today) : format
  }

  return (cells: readonly string[], earlier: readonly EarlierRow[], isDecided = false) => {
    const seen = earlier.map((row) => ({
      row,
      likeness: tells.map((column) => likeness(column, cells[column.position] ?? '', row, isDecided)),
    }))
    const whole = seen.find((each) => each.likeness.every((like) => like !== 'different'))
    const next = [...cells]
    const formats: Partial<Record<DateField, DecidedFormat>> = {}
    const unclear: Field[] = []
    tells.forEach((column, index) => {
      const { position, field, feeds } = column
      const fed = feeds ?? field
      const given = cells[position] ?? ''
      const source = whole ?? seen.find((each) => each.likeness[index] === 'same')
      if (source !== undefined) next[position] = originalOf(source.row, column)
      else if (
        fed !== null &&
        (seen.some((each) => each.likeness[index] === 'perhaps') ||
          isMadeNumber(given, fed) ||
          (!isDecided && seen.some(({ row }) => lacksZeros(column, given, row))))
      )
        unclear.push(fed)
      else next[position] = position === mapping.oldKey?.position ? given : readable(given, field)
      if (field === null) return
      if (isDateField(field))
        formats[field] = unclear.includes(field)
          ? 'unsettled'
          : formatOf(field, next[position] ?? '', source?.row)
    })
    return {
      /** The cells of the line, those that were only saved again as they were before. */
      cells: next,
      /** How a date cell is to be read. */
      formats,
      /** Every telling cell is as it was. */
      isSame: whole !== undefined,
      /** Fields whose cell a spreadsheet may have changed beyond recognition. */
      unclear,
    }
  }
}

/** A reference was typed into a column of numbers: nobody can tell what it was. */
const isMadeNumber = (given: string, field: Field): boolean =>
  field === 'unique_mandate_reference' && withoutDecimals(cleanCell(given)) !== cleanCell(given)

/** What was typed into a column that a spreadsheet or a table library takes for numbers or dates. */
function readable(given: string, field: Field | null): string {
  if (field === null) return given
  if (field === 'customer_no') return withoutDecimals(cleanCell(given))
  return isDateField(field) ? withoutMidnight(given) : given
}

const originalOf = (row: EarlierRow, { field, column }: Telling): string =>
  (field === null ? undefined : row.fields[field]) ?? row.columns.get(fold(column)) ?? ''

function tellingColumns(header: Header, mapping: Mapping, watched: readonly number[]): readonly Telling[] {
  const nameAt = (position: number): string => header.names[header.positions.indexOf(position)] ?? ''
  const { fields, oldKey, parts, customer } = mapping
  const tells: Telling[] = fields.map(({ field, position, name }) => ({ field, position, column: name }))
  if (oldKey !== null) tells.push({ field: 'customer_no', position: oldKey.position, column: oldKey.name })
  if (customer !== null)
    tells.push({ field: null, position: customer, column: CUSTOMER_COLUMN, feeds: 'customer_no' })
  for (const column of [
    ...parts.map(({ field, position, name }) => ({ field: null, position, column: name, feeds: field })),
    ...watched.map((position) => ({ field: null, position, column: nameAt(position) })),
  ])
    if (tells.every(({ position }) => position !== column.position)) tells.push(column)
  return tells
}

/** Whether a line says what the row said whose cells are gone, since it or what replaced it was registered meanwhile. */
export const saidBefore = (row: EarlierRow, { verdict, values }: CheckedRecord): boolean =>
  row.values === null && row.wasHeldBack === (verdict.kind !== 'sendable') && row.had(values)

const VALUES = ['customerNo', 'iban', 'signedDate', 'creditorIdentifier', 'mandateReference'] as const

/** Whether the same cells still say the same: a changed configuration may read them in another way. */
export function saysTheSame(row: EarlierRow, { verdict, values }: Pick<CheckedRecord, 'verdict' | 'values'>) {
  if (row.wasHeldBack && verdict.kind === 'sendable') return false
  const before = row.values
  return before === null || VALUES.every((name) => before[name] === values[name])
}

const MAY_BE_DAMAGED = {
  message:
    'A spreadsheet may have rounded this number, or taken the zeros in front of it: nobody can tell what was typed.',
  remedy:
    'Format the cell as text and type the whole value. If only zeros in front are missing and it has none, write "send" into migration_decision.',
}

/** An error for every cell that may have been corrected or damaged: nobody can tell, so it is not guessed. */
export const unclearFindings = (fields: readonly Field[], raw: RawValues, severities: SeverityOverrides) =>
  fields
    .filter((field) => !isDateField(field))
    .flatMap((field) =>
      findingOf('EXCEL_SCIENTIFIC', severities, { field, value: raw[field] ?? '', ...MAY_BE_DAMAGED }),
    )

const FORGOTTEN: RuleId = 'FILE_CONFIGURATION_FORGOTTEN'

/** What was known when the row of a line came in, and is not said now: the configuration was forgotten, or the ledger is another. */
export interface Forgotten {
  readonly rule: RuleId
  /** One for each column or kind of rule, however many lines are concerned. */
  readonly what: string
  /** For people; names the row. */
  readonly text: string
}

/**
 * A file of ours holds the cells of an export, and the configuration of that export says what they mean. Without it
 * an ended mandate would be a sendable one, and a column of the same usual name would give another account. A column
 * that the configuration of now decides about in other words is a decision.
 */
export function forgottenBy({ header, mapping, options, against }: Omit<RestoreOptions, 'watched'>) {
  const now = new Map(mapping.fields.map(({ field, name }) => [field, name]))
  if (mapping.template !== null) now.set('unique_mandate_reference', mapping.template.text)
  if (mapping.oldKey !== null) now.set('customer_no', mapping.oldKey.name)
  const ignored = new Set(options.source.ignoreColumns.map((ref) => findColumn(header, ref)))

  function isForgotten(field: Field, column: string): boolean {
    if (mapping.decided.has(field) || ignored.has(findColumn(header, column))) return false
    const used = now.get(field)
    if (used === undefined || namesInTemplate(column).length > 0) return used !== column
    // Files of several exports have one column for what was called by several names.
    const found = findColumn(header, column)
    return fold(used) !== fold(column) && found !== null && found !== findColumn(header, used)
  }

  const keptBack = (row: number): string =>
    `Row ${row} was kept back by an exclude rule, and there is none now; "send" in its migration_decision lets it go.`
  const columnsOf = (row: number, rows: readonly EarlierRow[], isDecided: boolean): readonly Forgotten[] =>
    rows.flatMap(({ mapped, isKeptByRule }) => [
      ...FIELDS.flatMap((field) => {
        const column = mapped[field]
        if (column === undefined || !isForgotten(field, column)) return []
        const text = `Row ${row} came in with the column "${showValue(column)}" as ${field}, and nothing says so now.`
        return [{ rule: FORGOTTEN, what: `${field} ${column}`, text }]
      }),
      ...(isKeptByRule && options.exclude.length === 0 && !isDecided
        ? [{ rule: FORGOTTEN, what: 'rule', text: keptBack(row) }]
        : []),
    ])
  /** Exports of two systems, which write a day or name a creditor in two ways, may lie in one ledger. */
  const otherIn = (rows: readonly EarlierRow[]): EarlierRow['readBy'] | null => {
    const [own, read] = [against.readBy, rows.at(-1)?.readBy]
    if (own?.said === undefined || read?.said === undefined) return null
    if ((read.configuration ?? null) === (own.configuration ?? null)) return null
    // What was read without a configuration may have lacked this one, and this command may have forgotten its own.
    const isNone = read.configuration == null || own.configuration == null
    if (isNone && (against.otherOf?.(read) ?? null) === null) return null
    return JSON.stringify(read.said) === JSON.stringify(own.said) ? null : read
  }
  return {
    isOfOther: (rows: readonly EarlierRow[]): boolean => otherIn(rows) !== null,
    /** The path of the configuration that read what counts of the row, where that is another one that can be read; empty for none. */
    otherOf: (rows: readonly EarlierRow[]): string | null => {
      const other = otherIn(rows)
      return other === null ? null : (against.otherOf?.(other) ?? null)
    },
    of: (
      { corrects: row, ledger, isDecided }: Resubmission,
      rows: readonly EarlierRow[],
    ): readonly Forgotten[] => {
      if (
        ledger !== null &&
        against.ledger !== undefined &&
        readMark(ledger).ledger !== fold(against.ledger)
      ) {
        const text = `It says "${showValue(ledger)}", and this ledger is "${against.ledger}".`
        return [{ rule: 'FILE_OF_ANOTHER_LEDGER', what: ledger, text }]
      }
      const what = against.readBy?.configuration == null ? null : otherIn(rows)?.configuration
      if (what == null) return columnsOf(row, rows, isDecided)
      const text = `Row ${row} came in with "${what}", and its line was changed. Give the file with --config ${relative('.', what)}, or with the path where that lies now.`
      return [{ rule: FORGOTTEN, what, text }]
    },
  }
}
