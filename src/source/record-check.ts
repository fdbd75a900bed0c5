import { checkMandate, type CheckOptions, type RawValues } from '../domain/check-mandate.js'
import type { Field } from '../domain/mandate.js'
import type { RuleId } from '../domain/rules.js'
import { cleanCell } from '../domain/text.js'
import type { CheckedRecord, Finding, ReadableValues } from '../domain/verdict.js'
import { matchesSecondKey, type Crosswalk } from './crosswalk.js'
import type { Excluder } from './exclude.js'
import { findingOf } from './finding.js'
import type { MappedColumn, Mapping } from './mapping.js'
import type { RawRecord } from './records.js'
import { applyTransforms } from './transform.js'

/** A record with what the watches over the whole file want to know of it. */
export interface RecordCheck {
  readonly checked: CheckedRecord
  /** Null for a row of the wrong shape, whose cells feed no field. */
  readonly raw: RawValues | null
  readonly oldKey: string | null
  /** Fields whose cell a configured transform changed. */
  readonly transformed: readonly Field[]
}

export interface RecordCheckOptions {
  readonly check: CheckOptions
  readonly mapping: Mapping
  /** Cells in the order of the header's names; null for a record of the wrong shape. */
  readonly align: (cells: readonly string[]) => string[] | null
  readonly width: number
  readonly migrationRow: number | null
  readonly exclude: Excluder
  readonly crosswalk: Crosswalk | null
}

const NOTHING: ReadableValues = {
  customerNo: null,
  iban: null,
  signedDate: null,
  creditorIdentifier: null,
  mandateReference: null,
}

const ROW_NUMBER = /^[1-9][0-9]{0,14}$/

/** Turns one CSV record into a checked one; never throws. */
export function checkRecord(options: RecordCheckOptions): (raw: RawRecord, record: number) => RecordCheck {
  const { align, check, mapping, exclude, migrationRow } = options
  return ({ line, cells: read }, record) => {
    const cells = align(read)
    if (cells === null) return misshapen(read, { line, record }, options)
    const { raw, transformed } = rawValues(read, mapping.fields)
    const oldKey = mapping.oldKey === null ? null : cleanCell(read[mapping.oldKey.position] ?? '')
    const crossed = oldKey === null ? null : askCrosswalk(oldKey, read, options)
    const given = [...exclude(cells), ...(crossed?.findings ?? [])]
    const complete = crossed === null ? raw : { ...raw, customer_no: crossed.customerNo }
    const corrects = migrationRow === null ? '' : cleanCell(read[migrationRow] ?? '')
    const checked = {
      record,
      line,
      cells,
      corrects: ROW_NUMBER.test(corrects) ? Number(corrects) : null,
      ...checkMandate(complete, check, given),
    }
    return { checked, raw: complete, oldKey, transformed }
  }
}

function misshapen(
  cells: readonly string[],
  place: { readonly line: number; readonly record: number },
  { width, check }: RecordCheckOptions,
): RecordCheck {
  const findings = findingOf('ROW_FIELD_COUNT', check.severities, {
    value: `${cells.length}`,
    detail: `It has ${cells.length}, the header has ${width}.`,
  })
  const checked: CheckedRecord = {
    ...place,
    cells,
    verdict: { kind: 'invalid' },
    values: NOTHING,
    mandateKey: null,
    corrects: null,
    latestFirstDebit: null,
    findings,
  }
  return { checked, raw: null, oldKey: null, transformed: [] }
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
  const transformed: Field[] = []
  for (const { field, position, transforms } of fields) {
    const cell = cells[position] ?? ''
    const value = transforms.length === 0 ? cell : applyTransforms(cell, transforms)
    if (value !== cell && value !== cleanCell(cell)) transformed.push(field)
    raw[field] = value
  }
  return { raw, transformed }
}

function askCrosswalk(
  oldKey: string,
  cells: readonly string[],
  { crosswalk, mapping, check }: RecordCheckOptions,
): { readonly customerNo: string | null; readonly findings: readonly Finding[] } {
  const answer = crosswalk?.find(oldKey) ?? { kind: 'no_match' }
  const report = (rule: RuleId): readonly Finding[] =>
    findingOf(rule, check.severities, { field: 'customer_no', value: oldKey })
  if (answer.kind === 'no_match') return { customerNo: null, findings: report('CROSSWALK_NO_MATCH') }
  if (answer.kind === 'ambiguous') return { customerNo: null, findings: report('CROSSWALK_AMBIGUOUS') }
  const { secondKey } = mapping
  const isSame =
    secondKey === null || matchesSecondKey(secondKey.by, cells[secondKey.position] ?? '', answer.secondKeys)
  return { customerNo: answer.customerNo, findings: isSame ? [] : report('CROSSWALK_MISMATCH') }
}
