/**
 * Page by page, in order of id: a statement that is stepped through blocks writes on its connection, and a long reader
 * pins the log.
 */
export function* pagesOf<Row>(
  page: (after: number) => readonly Row[],
  idOf: (row: Row) => number,
): Generator<readonly Row[], void, undefined> {
  for (let after = 0; ;) {
    const rows = page(after)
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
    after = idOf(last)
  }
}
