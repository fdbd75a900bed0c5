import { REQUIRED_FIELDS, type Field, type RequiredField } from '../../domain/mandate/mandate.js'
import type { ReadableValues } from '../../domain/rule/verdict.js'
import { cleanCell, removeBlanks } from '../../domain/text/text.js'
import type { RawValues } from '../../domain/value/check-mandate.js'

/**
 * What was safely cleaned away from a value (domain/rulebook.md#normalisation); `textMarker` is `="…"` or a leading
 * apostrophe.
 */
type CleaningStep = 'blanks' | 'hyphens' | 'label' | 'case' | 'textMarker'

/** Number of cells per field and step. */
type CleaningCounts = Readonly<Partial<Record<Field, Readonly<Partial<Record<CleaningStep, number>>>>>>

export interface CleaningCounter {
  /** @param values what was read of the cells; a cell that is its value was not cleaned */
  readonly note: (raw: RawValues, values: ReadableValues) => void
  readonly counts: () => CleaningCounts
}

/** Nothing of these was cleaned away. */
const PLAIN = /^[A-Za-z0-9./+-]*$/
const PLAIN_COMPACT = /^(?!IBAN)[A-Z0-9]*$/
const WRAPPED = /^\s*="/
const LABEL = /^iban/i
const LOWER = /[a-z]/

const VALUES = {
  customer_no: 'customerNo',
  iban: 'iban',
  signed_date: 'signedDate',
  sepa_creditor_identifier: 'creditorIdentifier',
  unique_mandate_reference: 'mandateReference',
} as const satisfies Readonly<Record<RequiredField, keyof ReadableValues>>

const NO_STEPS: readonly CleaningStep[] = []

/** Which steps change a cell. Blanks around a cell without quotes belong to the CSV and are no cleaning. */
function stepsOf(field: RequiredField, raw: string): readonly CleaningStep[] {
  const isCompacted = field === 'iban' || field === 'sepa_creditor_identifier'
  if ((isCompacted ? PLAIN_COMPACT : PLAIN).test(raw)) return NO_STEPS
  const text = cleanCell(raw)
  const steps: CleaningStep[] = []
  const hasMarker = WRAPPED.test(raw) && !text.startsWith('="')
  if (hasMarker || (isCompacted && text.startsWith("'"))) steps.push('textMarker')
  if (isCompacted ? removeBlanks(raw) !== raw : text !== raw && !hasMarker) steps.push('blanks')
  if (!isCompacted) return steps
  if (text.includes('-')) steps.push('hyphens')
  if (field === 'iban' && LABEL.test(text)) steps.push('label')
  if (LOWER.test(text)) steps.push('case')
  return steps
}

/** Counts what the checks clean silently, so that it can be reported. */
export function countCleaning(): CleaningCounter {
  const counts: Partial<Record<Field, Partial<Record<CleaningStep, number>>>> = {}
  return {
    note: (raw, values) => {
      for (const field of REQUIRED_FIELDS) {
        const cell = raw[field]
        if (cell === null || cell === values[VALUES[field]]) continue
        for (const step of stepsOf(field, cell)) {
          const ofField = (counts[field] ??= {})
          ofField[step] = (ofField[step] ?? 0) + 1
        }
      }
    },
    counts: () => counts,
  }
}
