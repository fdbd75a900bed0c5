import type { Database } from '../../database.js'
import type { Choice } from '../../domain/row/choice.js'
import { cleanCell, findName } from '../../domain/text/text.js'

/**
 * SQL that is true for a row that `:choice` takes: the one condition by which rows are counted, planned and sent. Without
 * a choice it looks at nothing of the row.
 */
export const IS_CHOSEN = '(:choice is null or is_chosen(:choice, row.source_id, row.cells, row.iban))'

interface PlacedChoice {
  readonly only: readonly {
    /** Where the column stands in the cells of each source that has it. */
    readonly at: Readonly<Record<string, number>>
    readonly values: readonly string[]
  }[]
  readonly countries: readonly string[] | null
}

/** What `:choice` is; null for every row. */
export function placedChoice(connection: Database, choice: Choice | null): string | null {
  if (choice === null) return null
  const sources = connection
    .prepare<[], { id: number; header: string }>('select id, header from source')
    .all()
    .map(({ id, header }) => ({ id, names: JSON.parse(header) as string[] }))
  const placed: PlacedChoice = {
    only: choice.only.map(({ column, values }) => ({
      at: Object.fromEntries(
        sources.flatMap(({ id, names }) => {
          const at = findName(names, column)
          return at === null ? [] : [[id, at]]
        }),
      ),
      values: values.map(cleanCell),
    })),
    countries: choice.countries,
  }
  return JSON.stringify(placed)
}

/** @returns `is_chosen(choice, source_id, cells, iban)`, which reads a choice once and not for each row */
export function chosenRows(): (...values: unknown[]) => 0 | 1 {
  let text: string | null = null
  let takes: Takes = () => false
  return (choice, sourceId, cells, iban) => {
    if (typeof choice !== 'string') return 1
    if (choice !== text) {
      takes = reading(JSON.parse(choice) as PlacedChoice)
      text = choice
    }
    return takes(Number(sourceId), cells as string | null, iban as string | null) ? 1 : 0
  }
}

type Takes = (sourceId: number, cells: string | null, iban: string | null) => boolean

function reading({ only, countries }: PlacedChoice): Takes {
  const named = countries === null ? null : new Set(countries)
  const columns = only.map(({ at, values }) => ({
    at: new Map(Object.entries(at).map(([id, index]) => [Number(id), index])),
    values: new Set(values),
  }))
  return (sourceId, cells, iban) => {
    if (named !== null && !(iban !== null && named.has(iban.slice(0, 2)))) return false
    if (columns.length === 0) return true
    if (cells === null) return false
    const own = JSON.parse(cells) as readonly string[]
    return columns.every(({ at, values }) => {
      const index = at.get(sourceId)
      return index !== undefined && values.has(cleanCell(own[index] ?? ''))
    })
  }
}
