import { checkMandate, type CheckOptions, type RawValues } from '../domain/value/check-mandate.js'
import { WORDS, wordsWith } from '../domain/value/words.js'
import { CUSTOMER_COLUMN } from '../domain/row/list-columns.js'
import { cleanCell, fillTemplate, upperCase } from '../domain/text/text.js'
import {
  type CheckedRecord,
  type Finding,
  type ReadableValues,
  NO_FINDINGS,
  findingOf,
  joinFindings,
} from '../domain/rule/verdict.js'
import { lookUp, type LookedUp, type SecondFile } from './columns/second-files.js'
import { DATES, excludeBy, type DateField, type Mapping, type AppliedProfile } from './columns/mapping.js'
import { alignRows, positionOf } from './columns/header.js'
import type { RawRecord, Table } from './table.js'
import {
  forgottenBy,
  readResubmission,
  restoreFrom,
  saidBefore,
  saysTheSame,
  unclearFindings,
  type Forgotten,
  type Resubmission,
} from './columns/resubmission.js'
import type { EarlierRow, EarlierRows } from '../domain/row/correction.js'
import type { Transform, SourceOptions } from './options.js'
import type { DecidedFormat, TimesOfDay } from '../domain/mandate/date.js'

/** A record with what the watches over the whole file want to know of it. */
export interface RecordCheck {
  readonly checked: CheckedRecord
  /** Null for a row of the wrong shape, whose cells feed no field. */
  readonly raw: RawValues | null
  readonly oldKey: string | null
  /** What the configuration of the export said of the row that it names, and nothing says now. */
  readonly forgotten: readonly Forgotten[]
  /** The configuration by which the row that it names was read, where that is another one, which can read the line. */
  readonly ofOther?: string | null
}

/** What every row is checked against, as far as it does not depend on the file. */
export interface CheckedAgainst extends Pick<
  CheckOptions,
  'today' | 'severities' | 'newCreditorIdentifier' | 'dormantSoonDays' | 'lastCollected'
> {
  /** The zone of the campaign, in which `source.dates: utc` reads dates; UTC itself when left out. */
  readonly zone?: string
  /** A column that nobody decided about, or of one account, refuses the source (when left out; one of these), or is told. */
  readonly undecided?: 'refuse' | 'tell' | readonly string[]
  /** Loaded once and shared, so that unused lines are counted over all files; then its findings are the caller's. */
  readonly second?: readonly SecondFile[]
  /** How the command reads, and the mark of its ledger, for lines of our own files. */
  readonly readBy?: EarlierRow['readBy']
  readonly ledger?: string
  /** The path of the configuration by which a row was read, where the command can read with it. */
  readonly otherOf?: (readBy: EarlierRow['readBy']) => string | null
  /** What columns of the exports that were read so are called there, by their folded names. */
  readonly inLists?: ReadonlyMap<string, string> | undefined
  /** The rows that our own files name, so that a re-saved cell is not taken for a corrected one. */
  readonly earlier?: EarlierRows
}

/** Everything that is known of a source before its records are read. */
export interface RecognisedSource extends Table {
  readonly mapping: Mapping
  /** Those of the configuration, completed by the profile. */
  readonly options: SourceOptions
  readonly profile: AppliedProfile | null
  /** Lines of a list that came in before. */
  readonly isList?: boolean
  readonly against: CheckedAgainst
  readonly second: { readonly files: readonly SecondFile[]; readonly isOwn: boolean }
  readonly formats: { readonly signedDate: DecidedFormat; readonly lastCollection: DecidedFormat }
}

const NOTHING: ReadableValues = {
  customerNo: null,
  iban: null,
  signedDate: null,
  creditorIdentifier: null,
  mandateReference: null,
}

/** Turns one CSV record into a checked one; never throws. */
export function checkRecord(source: RecognisedSource): (raw: RawRecord, record: number) => RecordCheck {
  const { header, mapping, options, against } = source
  const { severities } = against
  const watched = options.exclude.flatMap(({ column }) => positionOf(header, column) ?? [])
  // Whether the last cell of a record decides anything: its value, its customer, whether it stays behind.
  const used = [...mapping.fields, ...mapping.parts].map(({ position }) => position)
  const endsTelling = [...used, ...watched].includes(header.width - 1)
  const align = alignRows(header)
  const checkCells = cellChecker(source)
  const checkOne = header.migrationRow === null ? checkCells : resubmittedChecker(source, watched, checkCells)
  const uncomputedOf = uncomputedFindings(source, watched)

  return ({ line, cells: read, isOpen = false, uncomputed }, record) => {
    const cells = align(read)
    if (cells === null) return misshapen(read, { line, record }, source)
    const cut =
      uncomputed !== undefined
        ? uncomputedOf(line, uncomputed)
        : isOpen && endsTelling
          ? findingOf('ROW_MAY_BE_CUT', severities, {})
          : NO_FINDINGS
    return checkOne({ line, record, read, cells, uncomputed }, cut)
  }
}

type CheckLine = (own: ReadLine, more: readonly Finding[]) => RecordCheck

/** Lines of a file of ours name rows of the ledger, and may have been saved again since they were written. */
function resubmittedChecker(
  source: RecognisedSource,
  watched: readonly number[],
  check: CheckLine,
): CheckLine {
  const { header, against } = source
  const align = alignRows(header)
  const restore = restoreFrom({ ...source, watched })
  const forgotten = forgottenBy(source)
  return (own, cut) => {
    const { read } = own
    const resubmission = readResubmission(read, header, against.severities)
    if (resubmission === null) return check({ ...own, restored: restore(read, [], false) }, cut)
    const { corrects, isDecided } = resubmission
    const rows = against.earlier?.(corrects) ?? []
    const ofOther = forgotten.otherOf(rows)
    const restored = restore(read, rows, isDecided)
    const saved = { read: restored.cells, cells: align(restored.cells) ?? [], resubmission, restored }
    const checkSaved = (more: readonly Finding[]): RecordCheck => ({
      ...check({ ...own, ...saved }, more),
      forgotten: forgotten.of(resubmission, rows),
    })
    const result = checkSaved(cut)
    if (ofOther !== null) return { ...result, ofOther }
    // What it says by another configuration is another thing.
    const isOther = restored.isSame && !isDecided && forgotten.isOfOther(rows)
    const saysAgain = (row: EarlierRow): boolean =>
      (restored.isSame && saysTheSame(row, result.checked)) || saidBefore(row, result.checked)
    const isUnchanged = isOther || (!isDecided && resubmission.findings.length === 0 && rows.some(saysAgain))
    if (!isUnchanged && resubmission.ifChanged.length > 0)
      return checkSaved([...cut, ...resubmission.ifChanged])
    const checked = { ...result.checked, isUnchanged }
    return { ...result, checked, ...(isOther ? { forgotten: NONE_FORGOTTEN } : {}) }
  }
}

/** Formulas that nobody computed, where the cell counts: for a value, its customer, or whether the row stays behind. */
function uncomputedFindings(
  { mapping: { fields, parts }, against, cellName }: RecognisedSource,
  watched: readonly number[],
): (line: number, uncomputed: readonly number[]) => readonly Finding[] {
  const others = new Set([...parts.map(({ position }) => position), ...watched])
  return (line, uncomputed) =>
    uncomputed.flatMap((position) => {
      const field = fields.find((column) => column.position === position)?.field
      if (field === undefined && !others.has(position)) return []
      const detail = `It is cell ${cellName?.(line, position) ?? position + 1}.`
      return findingOf('ROW_FORMULA_UNCOMPUTED', against.severities, {
        detail,
        ...(field === undefined ? {} : { field }),
      })
    })
}

/** Where the cells of a format have names, findings tell them, and of what was looked up the place in the second file. */
function nameCells({ header, mapping: { fields, oldKey, taken, customer }, cellName }: RecognisedSource) {
  if (cellName === undefined && taken.size === 0 && customer === null)
    return (checked: CheckedRecord): CheckedRecord => checked
  const positions = new Map(fields.map(({ field, position }) => [field, position]))
  if (oldKey !== null) positions.set('customer_no', oldKey.position)
  return (checked: CheckedRecord, places: LookedUp['places']): CheckedRecord => {
    if (checked.findings.length === 0) return checked
    const findings = checked.findings.map((finding) => {
      if (finding.field === null || finding.rule === 'ROW_FORMULA_UNCOMPUTED') return finding
      const isTyped =
        finding.field === 'customer_no' &&
        customer !== null &&
        cleanCell(checked.cells[header.positions.indexOf(customer)] ?? '') !== ''
      const position = isTyped ? customer : positions.get(finding.field)
      const own = position === undefined ? undefined : cellName?.(checked.line, position)
      const found = isTyped ? `in ${CUSTOMER_COLUMN}` : places.get(finding.field)
      const place = own === undefined ? found : `cell ${own}`
      return place === undefined ? finding : { ...finding, message: `${finding.message} It is ${place}.` }
    })
    return { ...checked, findings }
  }
}

/** What the times behind dates mean. */
export const timesOf = ({ options: { source }, against }: RecognisedSource): TimesOfDay =>
  source.dates === 'utc' ? { zone: against.zone ?? 'UTC' } : source.dates

export const isIsoDay = (cell: string): boolean =>
  /^\s*[0-9]{4}-[0-9]{2}-[0-9]{2}(?: [0-9]{2}:[0-9]{2}:[0-9]{2})?\s*$/.test(cell)

/** Of a line of a file of ours also what it says of itself, and how it was saved since. */
interface ReadLine extends Pick<RawRecord, 'line'> {
  readonly record: number
  readonly uncomputed: readonly number[] | undefined
  readonly read: readonly string[]
  /** In the order of the header. */
  readonly cells: readonly string[]
  readonly resubmission?: Resubmission
  readonly restored?: ReturnType<ReturnType<typeof restoreFrom>>
}

function cellChecker(source: RecognisedSource): CheckLine {
  const { header, mapping, options, profile, against, second, formats } = source
  const { severities } = against
  // Cells of a file of ours repeat what an export held, days of a workbook too.
  const isTyped = source.cellName !== undefined || source.isResultFile
  const named = nameCells(source)
  const sorted = mapping.fields.flatMap(({ field, position }) =>
    field in WORDS ? [header.positions.indexOf(position)] : [],
  )
  const exclude = excludeBy(header, options.exclude, severities, sorted)
  const older = options.exclude.filter((rule) => rule.olderVersion === true)
  const olderVersion = excludeBy(header, older, severities)
  const checks: CheckOptions = {
    ...against,
    signedDateFormat: formats.signedDate,
    lastCollectionFormat: formats.lastCollection,
    constantCreditorIdentifier: mapping.constant,
    schemeIsFirmenMandat: mapping.schemeIsFirmenMandat,
    times: timesOf(source),
    words: wordsWith(options.words, profile?.words),
  }
  /** A day of a typed cell is one whatever the format of its column. */
  const datedBy = (raw: RawValues, { restored, resubmission }: ReadLine): CheckOptions => {
    const formatOf = (field: DateField): DecidedFormat =>
      isTyped && isIsoDay(raw[field] ?? '') ? 'iso' : (restored?.formats[field] ?? formats[DATES[field]])
    return {
      ...checks,
      signedDateFormat: formatOf('signed_date'),
      lastCollectionFormat: formatOf('last_collection_date'),
      isDecided: resubmission?.isDecided ?? false,
    }
  }
  return (own, more) => {
    const { read, cells, line, record, uncomputed, resubmission, restored } = own
    const mapped = rawValues(read, mapping, uncomputed)
    const isCorrection = resubmission !== undefined || source.isList === true
    const looked = lookUp(second.files, read, mapped, mapping, severities, isCorrection)
    const { raw } = looked
    const oldKey = mapping.oldKey === null ? null : cleanCell(read[mapping.oldKey.position] ?? '')
    const found = joinFindings(
      resubmission?.findings ?? NO_FINDINGS,
      more,
      exclude(cells),
      looked.findings,
      restored === undefined ? NO_FINDINGS : unclearFindings(restored.unclear, raw, severities),
    )
    const dated = isTyped || restored !== undefined ? datedBy(raw, own) : checks
    const { verdict, values, mandateKey, latestFirstDebit, findings } = checkMandate(raw, dated, found)
    // Not by spreading: that took a third of the time of a record.
    const checked: CheckedRecord = {
      line,
      record,
      cells,
      corrects: resubmission?.corrects ?? null,
      isDecided: resubmission?.isDecided ?? false,
      isUnchanged: false,
      verdict,
      values,
      mandateKey: verdict.kind === 'excluded' && olderVersion(cells).some(isExclusion) ? null : mandateKey,
      latestFirstDebit,
      findings,
    }
    const whole = resubmission === undefined ? checked : { ...checked, said: resubmission.said }
    return { checked: named(whole, looked.places), raw, oldKey, forgotten: NONE_FORGOTTEN }
  }
}

const isExclusion = ({ rule }: Finding): boolean => rule === 'EXCLUDED_BY_CONFIGURATION'

const NONE_FORGOTTEN: readonly Forgotten[] = []

/** Of a record of the wrong shape nobody can tell which cell is which, its row number among them. */
function misshapen(
  cells: readonly string[],
  place: { readonly line: number; readonly record: number },
  { header: { width, migrationRow }, against }: RecognisedSource,
): RecordCheck {
  const findings = findingOf('ROW_FIELD_COUNT', against.severities, {
    value: `${cells.length}`,
    detail: `It has ${cells.length}, the header has ${width}.`,
  })
  const checked: CheckedRecord = {
    ...place,
    cells,
    verdict: { kind: 'invalid' },
    values: NOTHING,
    mandateKey: null,
    corrects: migrationRow === null ? null : 0,
    latestFirstDebit: null,
    findings,
  }
  return { checked, raw: null, oldKey: null, forgotten: [] }
}

function rawValues(cells: readonly string[], { fields, template }: Mapping, uncomputed?: readonly number[]) {
  const raw: { -readonly [Name in keyof RawValues]: RawValues[Name] } = {
    customer_no: null,
    iban: null,
    signed_date: null,
    sepa_creditor_identifier: null,
    unique_mandate_reference: null,
  }
  for (const { field, position, transforms } of fields) {
    if (uncomputed?.includes(position) === true) continue
    const cell = cells[position] ?? ''
    raw[field] = transforms.length === 0 ? cell : applyTransforms(cell, transforms)
  }
  if (template !== null)
    raw.unique_mandate_reference = fillTemplate(
      template.text,
      (wanted) => cells[template.parts.find(({ name }) => name === wanted)?.position ?? -1] ?? '',
    )
  return raw
}

/**
 * Applies the changes that the configuration orders, in its order, before any check. They see the cell without outer
 * blanks and text marker (domain/rulebook.md#normalisation, steps A1 and A2), so a result file that marked a cell as
 * text comes back unchanged.
 */
export const applyTransforms = (cell: string, transforms: readonly Transform[]): string =>
  transforms.reduce(applyTransform, cleanCell(cell))

function applyTransform(text: string, transform: Transform): string {
  if (transform === 'trim') return cleanCell(text)
  if (transform === 'upperCase') return upperCase(text)
  if (transform === 'stripZeros') return text.replace(/^0+(?=.)/, '')
  if ('stripPrefix' in transform)
    return text.startsWith(transform.stripPrefix) ? text.slice(transform.stripPrefix.length) : text
  // An empty cell stays empty: a made-up value must not hide that there is none.
  const { length, with: filler } = transform.padLeft
  return text === '' ? text : text.padStart(length, filler)
}
