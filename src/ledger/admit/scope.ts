import type { SeverityOverrides } from '../../domain/rule/rules.js'
import type { Connection } from '../file/connection.js'
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
}
