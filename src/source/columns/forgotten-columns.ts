import { FIELDS, type Field } from '../../domain/mandate/mandate.js'
import { fold } from '../../domain/text/text.js'
import { findColumn, type Header } from './header.js'
import type { Mapping } from './mapping.js'
import type { SourceOptions } from '../options.js'
import { showValue } from '../../domain/rule/verdict.js'
import type { EarlierRow } from '../../domain/row/resaved.js'

/** What was known when the row of a line came in, and is not said now: the configuration was forgotten. */
export interface Forgotten {
  /** One for each column or kind of rule, however many lines are concerned. */
  readonly what: string
  /** For people; names the row. */
  readonly text: string
}

interface ForgettingOptions {
  readonly header: Header
  readonly mapping: Mapping
  readonly options: Pick<SourceOptions, 'exclude' | 'source'>
}

/**
 * A file of ours holds the cells of an export, and the configuration of that export says what they mean. Without it
 * an ended mandate would be a sendable one, and a column of the same usual name would give another account. A column
 * that the configuration of now decides about in other words is a decision.
 */
export function forgottenBy({ header, mapping, options }: ForgettingOptions) {
  const now = new Map(mapping.fields.map(({ field, name }) => [field, name]))
  if (mapping.oldKey !== null) now.set('customer_no', mapping.oldKey.name)
  const ignored = new Set(options.source.ignoreColumns.map((ref) => findColumn(header, ref)))

  function isForgotten(field: Field, column: string): boolean {
    if (mapping.decided.has(field) || ignored.has(findColumn(header, column))) return false
    const used = now.get(field)
    if (used === undefined) return true
    // Files of several exports have one column for what was called by several names.
    return fold(used) !== fold(column) && findColumn(header, column) !== null
  }

  return (row: number, rows: readonly EarlierRow[], isDecided: boolean): readonly Forgotten[] =>
    rows.flatMap(({ mapped, isKeptByRule }) => [
      ...FIELDS.flatMap((field) => {
        const column = mapped[field]
        if (column === undefined || !isForgotten(field, column)) return []
        const text = `Row ${row} came in with the column "${showValue(column)}" as ${field}, and nothing says so now.`
        return [{ what: `${field} ${column}`, text }]
      }),
      ...(isKeptByRule && options.exclude.length === 0 && !isDecided
        ? [
            {
              what: 'rule',
              text: `Row ${row} was kept back by an exclude rule, and there is none now; "send" in its migration_decision lets it go.`,
            },
          ]
        : []),
    ])
}
