import type { SeverityOverrides } from '../domain/rules.js'
import { cleanCell, fold } from '../domain/text.js'
import type { Finding } from '../domain/verdict.js'
import { findingOf } from './finding.js'
import { findColumn, type Header } from './header.js'
import type { ExcludeOptions } from './options.js'

/** The findings that keep a record back on purpose (product.md 5), from its cells in header order. */
export type Excluder = (cells: readonly string[]) => readonly Finding[]

interface Exclusion {
  readonly index: number
  readonly reason: string
  readonly exact: ReadonlySet<string>
  readonly folded: ReadonlySet<string>
}

/** Prepares the exclude rules for the columns of one source, which are known to be there. */
export function excludeBy(header: Header, rules: ExcludeOptions, severities: SeverityOverrides): Excluder {
  const exclusions = rules.map((rule): Exclusion => {
    const values = rule.equals.map((value) => cleanCell(String(value)))
    return {
      index: findColumn(header, rule.column) ?? -1,
      reason: rule.reason,
      exact: new Set(values),
      // A value of signs only, such as "-", folds to nothing and would match every empty cell.
      folded: new Set(values.map(fold).filter((word) => word !== '')),
    }
  })
  return (cells) =>
    exclusions.flatMap(({ index, reason, exact, folded }) => {
      const value = cleanCell(cells[index] ?? '')
      if (!exact.has(value) && !folded.has(fold(value))) return []
      return findingOf('EXCLUDED_BY_CONFIGURATION', severities, { value, message: reason })
    })
}
