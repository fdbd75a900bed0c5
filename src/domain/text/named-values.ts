import { cleanCell, fold } from './text.js'

/** Values that somebody named for a column, and how a cell is compared with them. */
export interface NamedValues {
  readonly exact: ReadonlySet<string>
  readonly folded: ReadonlySet<string>
}

export function namedValues(values: readonly (string | number | boolean)[]): NamedValues {
  const cleaned = values.map((value) => cleanCell(String(value)))
  return {
    exact: new Set(cleaned),
    // A value of signs only, such as "-", folds to nothing and would match every empty cell.
    folded: new Set(cleaned.map(fold).filter((word) => word !== '')),
  }
}

/** @param value a cleaned cell */
export const isNamed = ({ exact, folded }: NamedValues, value: string): boolean =>
  exact.has(value) || folded.has(fold(value))
