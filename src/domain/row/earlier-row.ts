import type { DecidedFormat } from '../mandate/date-format.js'
import type { Field } from '../mandate/mandate.js'
import type { ReadableValues } from '../rule/verdict.js'

/** A row of the ledger as this program's own files show it, to tell a corrected cell from a re-saved one. */
export interface EarlierRow {
  /** The cell that feeds each field; with a crosswalk, `customer_no` is fed by the old key. */
  readonly fields: Readonly<Partial<Record<Field, string>>>
  /** Every cell by the folded name of its column. */
  readonly columns: ReadonlyMap<string, string>
  /** The column of its source that fed each field, by its name there. */
  readonly mapped: Readonly<Partial<Record<Field, string>>>
  /** A rule of the configuration kept it back. */
  readonly isKeptByRule: boolean
  /** How the source it came from writes its dates. */
  readonly formats: { readonly signedDate: DecidedFormat; readonly lastCollection: DecidedFormat }
  /** It was given back itself, so its dates may be written as a spreadsheet does. */
  readonly isCorrection: boolean
  /** Its own checks kept it back. */
  readonly wasHeldBack: boolean
  /** What was read from those cells; null once the account number was removed. */
  readonly values: ReadableValues | null
  /** Whether these values were read from it, which can be told without the account number too. */
  readonly had: (values: ReadableValues) => boolean
}

/** The row of that number, and the one that took its place since; none where the ledger has no such row. */
export type EarlierRows = (row: number) => readonly EarlierRow[]
