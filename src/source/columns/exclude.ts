import type { SeverityOverrides } from '../../domain/rule/rules.js'
import { cleanCell, fold } from '../../domain/text/text.js'
import { type Finding, NO_FINDINGS } from '../../domain/rule/verdict.js'
import { keepsBack, wordOf } from '../../domain/value/words.js'
import { findingOf } from '../source-finding.js'
import { findColumn, type Header } from './header.js'
import type { ExcludeOptions } from '../options.js'
import { isAbsentCollection } from '../../domain/value/check-mandate.js'

/** The findings that keep a record back on purpose (domain/rulebook.md#exclusions), from its cells in header order. */
export type Excluder = (cells: readonly string[]) => readonly Finding[]

/** Values that somebody named for a column, and how a cell is compared with them. */
interface NamedValues {
  readonly exact: ReadonlySet<string>
  readonly folded: ReadonlySet<string>
}

function namedValues(values: readonly (string | number | boolean)[]): NamedValues {
  const cleaned = values.map((value) => cleanCell(String(value)))
  return {
    exact: new Set(cleaned),
    // A value of signs only, such as "-", folds to nothing and would match every empty cell.
    folded: new Set(cleaned.map(fold).filter((word) => word !== '')),
  }
}

/** @param value a cleaned cell */
const isNamed = ({ exact, folded }: NamedValues, value: string): boolean =>
  exact.has(value) || folded.has(fold(value))

interface Exclusion extends NamedValues {
  readonly index: number
  readonly reason: string
  /** Any value will do. */
  readonly filled: boolean
}

/** `gekündigt zum 31.12.2025` is the word `gekündigt`, where that word keeps a mandate back. */
function isDated(value: string, folded: ReadonlySet<string>): boolean {
  const word = wordOf(value)
  return folded.has(word) && keepsBack(word)
}

/** Prepares the exclude rules for the columns of one source, which are known to be there. */
export function excludeBy(header: Header, rules: ExcludeOptions, severities: SeverityOverrides): Excluder {
  const exclusions = rules.map((rule): Exclusion => ({
    index: findColumn(header, rule.column) ?? -1,
    reason: rule.reason,
    filled: rule.filled === true,
    ...namedValues(rule.equals ?? []),
  }))
  if (exclusions.length === 0) return () => NO_FINDINGS
  return (cells) =>
    exclusions.flatMap(({ index, reason, filled, ...named }) => {
      const value = cleanCell(cells[index] ?? '')
      const isOne = isNamed(named, value) || isDated(value, named.folded)
      if (!isOne && !(filled && !isAbsentCollection(value))) return []
      return findingOf('EXCLUDED_BY_CONFIGURATION', severities, { value, message: reason })
    })
}
