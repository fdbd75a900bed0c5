import { fold } from '../text/text.js'

/** With a crosswalk, the column of customer_no holds another number: the previous creditor's key. */
export const OLD_KEY = 'old key'

/** What a source says of its columns. */
export interface ListedColumns {
  readonly header: readonly string[]
  /** The header name that feeds each field. */
  readonly columns: Readonly<Record<string, string>>
  readonly reading: { readonly crosswalk?: object | null }
}

/** Where the cells of a source stand in our lists: for each its column, and the column of each field. */
export interface ListPlacement {
  readonly target: readonly number[]
  readonly fields: ReadonlyMap<string, number>
}

export const hasCrosswalk = ({ reading }: Pick<ListedColumns, 'reading'>): boolean =>
  (reading.crosswalk ?? null) !== null

/**
 * The columns of all sources side by side, in order of first appearance, so that rows of different exports fit into one list.
 * Columns are one where they have the same folded name, since a source may be read in several ways; else where they feed the
 * same field.
 */
export function placeColumns<Source extends ListedColumns>(sources: readonly Source[]) {
  const names: string[] = []
  const [byName, byField] = [new Map<string, number>(), new Map<string, number>()]
  const placements = new Map<Source, ListPlacement>()
  for (const source of sources) {
    const fieldOf = fieldsByName(source)
    const seen = new Map<string, number>()
    const keys = source.header.map((name) => {
      const nth = seen.get(fold(name)) ?? 0
      seen.set(fold(name), nth + 1)
      return JSON.stringify([fold(name), nth])
    })
    const taken = new Set(keys.flatMap((key) => byName.get(key) ?? []))
    const fields = new Map<string, number>()
    const target = source.header.map((name, index) => {
      const key = keys[index] ?? ''
      const field = source.header.indexOf(name) === index ? fieldOf.get(name) : undefined
      const ofField = field === undefined ? undefined : byField.get(field)
      const known = byName.get(key) ?? (ofField !== undefined && !taken.has(ofField) ? ofField : undefined)
      const column = known ?? names.push(name) - 1
      if (known === undefined) byName.set(key, column)
      taken.add(column)
      if (field !== undefined) {
        fields.set(field, column)
        if (!byField.has(field)) byField.set(field, column)
      }
      return column
    })
    placements.set(source, { target, fields })
  }
  return { names, placements }
}

function fieldsByName(source: ListedColumns): Map<string, string> {
  const fieldOf = (field: string): string =>
    field === 'customer_no' && hasCrosswalk(source) ? OLD_KEY : field
  return new Map(Object.entries(source.columns).map(([field, name]) => [name, fieldOf(field)]))
}

/** By its folded name in the sources that were read so: what each of their columns is called in our lists. */
export const namesInLists = <Source extends ListedColumns>(
  sources: readonly Source[],
  isSuch: (source: Source) => boolean,
): ReadonlyMap<string, string> => {
  const { names, placements } = placeColumns(sources)
  const such = [...placements].filter(([source]) => isSuch(source))
  return new Map(
    such.flatMap(([{ header }, { target }]) =>
      header.map((name, index) => [fold(name), names[target[index] ?? -1] ?? name] as const),
    ),
  )
}
