import type { SeverityOverrides } from '../../domain/rule/rules.js'
import type { Connection } from '../file/connection.js'
import type { Notice } from './problems.js'
import type { Fingerprints } from './fingerprints.js'

/** SQL that is true for a row of an erased customer, whose account can be compared with none any more. */
export const isErased = (row: string): string =>
  `exists (select 1 from decision where decision.row_id = ${row}.id and decision.decision = 'erased')`

/** The source that is being admitted. Its rows are those from `first` on; every older row has a lower id. */
export interface Scope {
  readonly connection: Connection
  readonly fingerprints: Fingerprints
  readonly severities: SeverityOverrides
  readonly sourceId: number
  readonly first: number
  /** The first row of the whole admission: of all files of the command. */
  readonly firstOfAll: number
  readonly header: readonly string[]
  /** The header name that feeds each field; a constant has none. */
  readonly columns: Readonly<Record<string, string>>
  /** Null where every record has a row. */
  readonly repeated: RepeatedRows | null
}

/** Duplicates of the source that have no row. Each of them is the only older or newer row of its keys, but for its like. */
export interface RepeatedRows {
  /** Writes what is said of those whose mandate key comes before this one, or of all others; each once, in order of key. */
  readonly tell: (notices: RepeatNotices, before: string | null) => void
}

/** What is said of a duplicate; NAMED in a message stands for the row that it repeats. */
export interface RepeatNotices {
  readonly inFile: Notice
  readonly inLedger: Notice
}
