import {
  checkMandate,
  joinFindings,
  type CheckOptions,
  type RawValues,
} from '../domain/value/check-mandate.js'
import type { Field } from '../domain/mandate/mandate.js'
import type { RuleId } from '../domain/rule/rules.js'
import { cleanCell } from '../domain/text/text.js'
import { type CheckedRecord, type Finding, type ReadableValues, NO_FINDINGS } from '../domain/rule/verdict.js'
import { matchesSecondKey, type Crosswalk } from './columns/crosswalk.js'
import type { Excluder } from './columns/exclude.js'
import { findingOf } from './source-finding.js'
import type { Forgotten, forgottenBy } from './columns/forgotten-columns.js'
import type { MappedColumn, Mapping } from './columns/mapping.js'
import type { Header } from './columns/header.js'
import type { RawRecord } from './table.js'
import {
  readResubmission,
  saidBefore,
  saysTheSame,
  unclearFindings,
  type Restored,
  type Resubmission,
} from './columns/resubmission.js'
import { applyTransforms } from './columns/transform.js'
import type { EarlierRows } from '../domain/row/resaved.js'

/** A record with what the watches over the whole file want to know of it. */
export interface RecordCheck {
  readonly checked: CheckedRecord
  /** Null for a row of the wrong shape, whose cells feed no field. */
  readonly raw: RawValues | null
  readonly oldKey: string | null
  /** Fields whose cell a configured transform changed. */
  readonly transformed: readonly Field[]
  /** Fields whose cell came back in another notation and was read as it was in the export. */
  readonly restored: readonly Field[]
  /** What the configuration of the export said of the row that it names, and nothing says now. */
  readonly forgotten: readonly Forgotten[]
}

export interface RecordCheckOptions {
  readonly against: CheckOptions
  readonly mapping: Mapping
  /** Cells in the order of the header's names; null for a record of the wrong shape. */
  readonly align: (cells: readonly string[]) => readonly string[] | null
  readonly header: Header
  /** What the ledger knows of the rows that a result file names; none where there is no ledger. */
  readonly earlier: EarlierRows
  /** Null for an export, whose cells count as they stand. */
  readonly restore:
    ((cells: readonly string[], earlier: ReturnType<EarlierRows>, isDecided: boolean) => Restored) | null
  readonly forgotten: ReturnType<typeof forgottenBy>
  readonly exclude: Excluder
  /** Whether the last cell of a record decides anything: its value, its customer, whether it stays behind. */
  readonly endsTelling: boolean
  readonly crosswalk: Crosswalk | null
}

const NOTHING: ReadableValues = {
  customerNo: null,
  iban: null,
  signedDate: null,
  creditorIdentifier: null,
  mandateReference: null,
}

/** Turns one CSV record into a checked one; never throws. */
export function checkRecord(options: RecordCheckOptions): (raw: RawRecord, record: number) => RecordCheck {
  const { align, header, earlier, restore, forgotten, endsTelling, against } = options
  return ({ line, cells: read, isOpen = false }, record) => {
    const cells = align(read)
    if (cells === null) return misshapen(read, { line, record }, options)
    const cut = isOpen && endsTelling ? findingOf('ROW_MAY_BE_CUT', against.severities, {}) : NO_FINDINGS
    const resubmission = readResubmission(read, header, against.severities)
    if (resubmission === null) {
      const restored = restore?.(read, [], false) ?? null
      return checkCells({ read, cells, line, record }, options, { resubmission, restored, more: cut })
    }
    const { corrects, isDecided } = resubmission
    const rows = earlier(corrects)
    const restored = restore?.(read, rows, isDecided) ?? null
    const given = restored?.cells ?? read
    const check = (more: readonly Finding[]): RecordCheck => ({
      ...checkCells({ read: given, cells: align(given) ?? [], line, record }, options, {
        resubmission,
        restored,
        more,
      }),
      forgotten: forgotten(corrects, rows, isDecided),
    })
    const result = check(cut)
    const isUnchanged =
      !isDecided &&
      resubmission.findings.length === 0 &&
      rows.some(
        (row) =>
          (restored?.isSame === true && saysTheSame(row, result.checked)) || saidBefore(row, result.checked),
      )
    if (isUnchanged || resubmission.ifChanged.length === 0)
      return { ...result, checked: { ...result.checked, isUnchanged } }
    return check([...cut, ...resubmission.ifChanged])
  }
}

interface Record extends Pick<RawRecord, 'line'> {
  readonly read: readonly string[]
  /** In the order of the header. */
  readonly cells: readonly string[]
  readonly record: number
}

interface GivenBack {
  readonly resubmission: Resubmission | null
  readonly restored: Restored | null
  readonly more: readonly Finding[]
}

function checkCells(
  { read, cells, line, record }: Record,
  { against, mapping, exclude, crosswalk }: RecordCheckOptions,
  { resubmission, restored, more }: GivenBack,
): RecordCheck {
  const { raw, transformed } = rawValues(read, mapping.fields)
  const oldKey = mapping.oldKey === null ? null : cleanCell(read[mapping.oldKey.position] ?? '')
  const crossed = oldKey === null ? null : askCrosswalk(oldKey, read, { crosswalk, mapping, against })
  const complete = crossed === null ? raw : { ...raw, customer_no: crossed.customerNo }
  const given = joinFindings(
    resubmission?.findings ?? NO_FINDINGS,
    more,
    exclude(cells),
    crossed?.findings ?? NO_FINDINGS,
    restored === null
      ? NO_FINDINGS
      : unclearFindings(restored.unclear, (field) => raw[field] ?? '', against.severities),
  )
  const { verdict, values, mandateKey, latestFirstDebit, findings } = checkMandate(
    complete,
    resubmission === null && restored === null ? against : datedBy(against, resubmission, restored),
    given,
  )
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
    mandateKey,
    latestFirstDebit,
    findings,
  }
  return {
    checked: resubmission === null ? checked : { ...checked, said: resubmission.said },
    raw: complete,
    oldKey,
    transformed,
    restored: restored?.restored ?? NO_FIELDS,
    forgotten: NONE_FORGOTTEN,
  }
}

const NO_FIELDS: readonly Field[] = []
const NONE_FORGOTTEN: readonly Forgotten[] = []

const datedBy = (
  against: CheckOptions,
  resubmission: Resubmission | null,
  restored: Restored | null,
): CheckOptions => ({
  ...against,
  signedDateFormat: restored?.formats.signed_date ?? against.signedDateFormat,
  lastCollectionFormat: restored?.formats.last_collection_date ?? against.lastCollectionFormat,
  isDecided: resubmission?.isDecided ?? false,
})

/** Of a record of the wrong shape nobody can tell which cell is which, its row number among them. */
function misshapen(
  cells: readonly string[],
  place: { readonly line: number; readonly record: number },
  { header, against }: RecordCheckOptions,
): RecordCheck {
  const { width, migrationRow } = header
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
  return { checked, raw: null, oldKey: null, transformed: [], restored: [], forgotten: [] }
}

function rawValues(
  cells: readonly string[],
  fields: readonly MappedColumn[],
): { readonly raw: RawValues; readonly transformed: readonly Field[] } {
  const raw: { -readonly [Name in keyof RawValues]: RawValues[Name] } = {
    customer_no: null,
    iban: null,
    signed_date: null,
    sepa_creditor_identifier: null,
    unique_mandate_reference: null,
  }
  let transformed = NO_FIELDS
  for (const { field, position, transforms } of fields) {
    const cell = cells[position] ?? ''
    const value = transforms.length === 0 ? cell : applyTransforms(cell, transforms)
    if (value !== cell && value !== cleanCell(cell)) transformed = [...transformed, field]
    raw[field] = value
  }
  return { raw, transformed }
}

function askCrosswalk(
  oldKey: string,
  cells: readonly string[],
  { crosswalk, mapping, against }: Pick<RecordCheckOptions, 'crosswalk' | 'mapping' | 'against'>,
): { readonly customerNo: string | null; readonly findings: readonly Finding[] } {
  const answer = crosswalk?.find(oldKey) ?? { kind: 'no_match' }
  const report = (rule: RuleId): readonly Finding[] =>
    findingOf(rule, against.severities, { field: 'customer_no', value: oldKey })
  if (answer.kind === 'no_match') return { customerNo: null, findings: report('CROSSWALK_NO_MATCH') }
  if (answer.kind === 'ambiguous') return { customerNo: null, findings: report('CROSSWALK_AMBIGUOUS') }
  const { secondKey } = mapping
  const isSame =
    secondKey === null || matchesSecondKey(secondKey.by, cells[secondKey.position] ?? '', answer.secondKeys)
  return { customerNo: answer.customerNo, findings: isSame ? [] : report('CROSSWALK_MISMATCH') }
}
