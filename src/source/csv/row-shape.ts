import type { Header } from '../columns/header.js'

/**
 * Puts the cells of records in the order of the header's names, or says null for a record with another number of
 * columns. One empty field behind the last name is tolerated where every row has it (ROW_FIELD_COUNT); which of the
 * two holds for the file, the first record of either shape decides. To accept both would hide a shifted row.
 */
export function alignRows({
  names,
  positions,
  width,
}: Header): (cells: readonly string[]) => readonly string[] | null {
  const isWhole = positions.length === width
  const endsUnnamed = isWhole && names[width - 1] === ''
  let expected: number | null = null
  const recognise = (cells: readonly string[]): number | null => {
    if (cells.length === width) return width
    if (cells.length === width + 1 && cells[width] === '') return width + 1
    return endsUnnamed && cells.length === width - 1 ? width - 1 : null
  }
  return (cells) => {
    const seen = recognise(cells)
    expected ??= seen
    if (seen === null || seen !== expected) return null
    if (isWhole && seen === width) return cells
    return positions.map((position) => cells[position] ?? '')
  }
}
