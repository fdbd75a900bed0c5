import type { Field, LocalDate, Mandate } from '../mandate/mandate.js'
import type { SourceReading } from './source-reading.js'
import type { RuleId } from './rules.js'

/** One problem of one value, row or file. It never holds a full account number. */
export interface Finding {
  readonly rule: RuleId
  readonly severity: 'error' | 'warning'
  readonly field: Field | null
  /** The value as the report may show it: accounts masked, unprintable characters as code points. */
  readonly value: string
  readonly message: string
  readonly remedy: string
}

/**
 * What the checks of one record say on its own; rules across rows come at admission
 * (domain/rulebook.md#rules-across-rows).
 */
export type Verdict =
  | { readonly kind: 'sendable'; readonly mandate: Mandate }
  | { readonly kind: 'invalid' }
  /** Complete, and a person has to say whether it may be sent. */
  | { readonly kind: 'conflict'; readonly rule: RuleId }
  | { readonly kind: 'excluded'; readonly rule: RuleId; readonly reason: string }

/** The required values as far as they could be read, for display and for rules across rows. */
export interface ReadableValues {
  readonly customerNo: number | null
  readonly iban: string | null
  readonly signedDate: LocalDate | null
  readonly creditorIdentifier: string | null
  readonly mandateReference: string | null
}

/** One CSV record after all its own checks: what `source` hands to `ledger.admit`. */
export interface CheckedRecord {
  /** Counts data records from 1. */
  readonly record: number
  /** Physical line of the file, from 1, where the record begins. */
  readonly line: number
  /** The cells as they were read, in the order of the header. */
  readonly cells: readonly string[]
  readonly verdict: Verdict
  readonly values: ReadableValues
  /** `country|national part|UPPER-CASED UMR` when both can be read (domain/rulebook.md#mandate-key), else null. */
  readonly mandateKey: string | null
  /** The ledger row this record says it corrects (`migration_row`); 0 where it does not say which; null for an export. */
  readonly corrects: number | null
  /** Given back as it was: every cell that counts is the one of the row it names, however it was saved since. */
  readonly isUnchanged?: boolean
  /** A person wrote beside the row that it is right as it stands (`migration_decision`: send). */
  readonly isDecided?: boolean
  /** What the line says of who corrected it, and why. */
  readonly said?: { readonly by: string | null; readonly reason: string | null }
  /** Until when the first debit must run (domain/rulebook.md#last-collection), where it can be told. */
  readonly latestFirstDebit: LocalDate | null
  /** In rule order; the column each belongs to is known from the header mapping of the source. */
  readonly findings: readonly Finding[]
}

/** What is known of a source once it was read to its end. */
export interface SourceSummary {
  readonly sha256: string
  readonly bytes: number
  /** Data records read: the control total that the states must add up to. */
  readonly records: number
  readonly blankLines: number
  readonly reading: SourceReading
  /** FILE_* and crosswalk findings on the whole file. */
  readonly findings: readonly Finding[]
}
