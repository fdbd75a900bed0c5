/** To end "There is no …": names the nearest that there is. */
export function orNearest(typed: string, known: readonly string[]): string {
  const near = nearest(typed, known)
  return near === null ? '' : `; the nearest is "${near}"`
}

/** The candidate whose name is nearest to one that was typed, the first of equals; null where none is near. */
export function nearest<Of>(
  typed: string,
  candidates: readonly Of[],
  nameOf: (of: Of) => string = String,
): Of | null {
  const [best] = candidates
    .map((of) => ({ of, name: nameOf(of), distance: distanceOf(typed, nameOf(of)) }))
    .filter(({ name, distance }) => distance <= Math.max(typed.length, name.length) / 3)
    .toSorted((a, b) => a.distance - b.distance)
  return best?.of ?? null
}

/** Letters that are missing, too many, wrong or swapped with their neighbour; case and word separators are free. */
export function distanceOf(left: string, right: string): number {
  const letters = (text: string): readonly string[] => Array.from(text.toLowerCase().replace(/[-_ ]/g, ''))
  const [a, b] = [letters(left), letters(right)]
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, at) => at)]
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Infinity
  for (let i = 1; i <= a.length; i += 1) {
    rows.push([i])
    for (let j = 1; j <= b.length; j += 1) {
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      rows[i]?.push(
        Math.min(
          at(i - 1, j) + 1,
          at(i, j - 1) + 1,
          at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
          isSwap ? at(i - 2, j - 2) + 1 : Infinity,
        ),
      )
    }
  }
  return at(a.length, b.length)
}
