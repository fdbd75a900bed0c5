import type { CheckOptions } from '../domain/value/check-mandate.js'
import type { DecidedFormat } from '../domain/mandate/date.js'
import type { Crosswalk } from './columns/crosswalk.js'
import type { Mapping } from './columns/mapping.js'
import type { SourceOptions } from './options.js'
import type { Table } from './table.js'
import type { LayoutReading } from '../domain/rule/verdict.js'
import type { EarlierRows } from '../domain/row/resaved.js'

/** What every row is checked against, as far as it does not depend on the file. */
export interface CheckedAgainst extends Pick<
  CheckOptions,
  'today' | 'severities' | 'newCreditorIdentifier' | 'dormantSoonDays'
> {
  /** A column that nobody decided about refuses the source (when left out), or is told only. */
  readonly undecided?: 'refuse' | 'tell'
  /** Loaded once and shared, so that unused lines are counted over all files; then its findings are the caller's. */
  readonly crosswalk?: Crosswalk
  /** The rows that our own files name, so that a re-saved cell is not taken for a corrected one. */
  readonly earlier?: EarlierRows
}

/** Everything that is known of a source before its records are read. */
export interface RecognisedSource extends Table {
  readonly mapping: Mapping
  readonly options: SourceOptions
  readonly against: CheckedAgainst
  readonly crosswalk: { readonly loaded: Crosswalk; readonly isOwn: boolean } | null
}

export interface DateFormats {
  readonly signedDate: DecidedFormat
  readonly lastCollection: DecidedFormat
}

/** The column of each field, by its name in the header. */
export function columnNames({ fields, oldKey }: Mapping): Record<string, string> {
  const names = Object.fromEntries(fields.map(({ field, name }) => [field, name]))
  return oldKey === null ? names : { customer_no: oldKey.name, ...names }
}

/** How the source was read, for reports; column names and settings, never a cell. */
export function describeReading(
  { written, headerLine, isResultFile, mapping, crosswalk, options }: RecognisedSource,
  formats: DateFormats,
): LayoutReading {
  return {
    ...written,
    headerLine,
    resultFile: isResultFile,
    columns: columnNames(mapping),
    constantCreditorIdentifier: mapping.constant,
    dateFormats: formats,
    transforms: Object.fromEntries(
      mapping.fields
        .filter(({ transforms }) => transforms.length > 0)
        .map(({ field, transforms }) => [field, transforms]),
    ),
    exclude: options.exclude,
    ...(options.source.ignoreColumns.length === 0 ? {} : { ignoredColumns: options.source.ignoreColumns }),
    crosswalk:
      crosswalk === null
        ? null
        : { name: crosswalk.loaded.name, sha256: crosswalk.loaded.sha256, lines: crosswalk.loaded.lines },
  }
}
