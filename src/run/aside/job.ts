import type { CheckedRecord, SourceSummary } from '../../domain/rule/verdict.js'
import type { PackedRows } from '../../ledger/load/packed-rows.js'
import type { SourceOptions } from '../../source/options.js'
import type { CheckedAgainst } from '../../source/recognised-source.js'

/** A file that another thread may read: nothing but data. */
export interface ReadingJob {
  readonly path: string
  readonly options: SourceOptions
  readonly against: Omit<CheckedAgainst, 'crosswalk' | 'earlier'>
}

/** Rows in the order of the file: ready ones packed, all others as they were checked. */
export type Prepared =
  | { readonly kind: 'rows'; readonly rows: PackedRows }
  | { readonly kind: 'records'; readonly records: CheckedRecord[] }

export type FromReader =
  Prepared | { readonly kind: 'end'; readonly summary: SourceSummary } | { readonly kind: 'doubt' }

export type ToReader = { readonly kind: 'secret'; readonly secret: Uint8Array } | { readonly kind: 'taken' }

/** So many are prepared while one is taken, and no more, so that memory does not grow with the file. */
export const BATCHES_UNDER_WAY = 4
