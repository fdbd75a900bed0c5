import { isAbsentCollection } from '../../domain/value/last-collection.js'
import type { SeverityOverrides } from '../../domain/rule/rules.js'
import { cleanCell, fold } from '../../domain/text/text.js'
import type { Finding } from '../../domain/rule/verdict.js'
import { keepsBack, wordOf } from '../../domain/value/words.js'
import { findingOf } from '../source-finding.js'
import { findColumn, type Header } from './header.js'
import type { ExcludeOptions } from '../options.js'

/** The findings that keep a record back on purpose (domain/rulebook.md#exclusions), from its cells in header order. */
export type Excluder = (cells: readonly string[]) => readonly Finding[]

interface Exclusion {
  readonly index: number
  readonly reason: string
  /** Any value will do. */
  readonly filled: boolean
  readonly exact: ReadonlySet<string>
  readonly folded: ReadonlySet<string>
}

/** `gekündigt zum 31.12.2025` is the word `gekündigt`, where that word keeps a mandate back. */
function isDated(value: string, folded: ReadonlySet<string>): boolean {
  const word = wordOf(value)
  return folded.has(word) && keepsBack(word)
}

/** Prepares the exclude rules for the columns of one source, which are known to be there. */
export function excludeBy(header: Header, rules: ExcludeOptions, severities: SeverityOverrides): Excluder {
  const exclusions = rules.map((rule): Exclusion => {
    const values = (rule.equals ?? []).map((value) => cleanCell(String(value)))
    return {
      index: findColumn(header, rule.column) ?? -1,
      reason: rule.reason,
      filled: rule.filled === true,
      exact: new Set(values),
      // A value of signs only, such as "-", folds to nothing and would match every empty cell.
      folded: new Set(values.map(fold).filter((word) => word !== '')),
    }
  })
  return (cells) =>
    exclusions.flatMap(({ index, reason, filled, exact, folded }) => {
      const value = cleanCell(cells[index] ?? '')
      const isNamed = exact.has(value) || folded.has(fold(value)) || isDated(value, folded)
      if (!isNamed && !(filled && !isAbsentCollection(value))) return []
      return findingOf('EXCLUDED_BY_CONFIGURATION', severities, { value, message: reason })
    })
}
