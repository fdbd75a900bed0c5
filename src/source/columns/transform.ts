import { cleanCell, upperCase } from '../../domain/text/text.js'
import type { Transform } from '../options.js'

/**
 * Applies the changes that the configuration orders, in its order, before any check. They see the cell without outer
 * blanks and text marker (domain/rulebook.md#normalisation, steps A1 and A2), so a result file that marked a cell as
 * text comes back unchanged.
 */
export const applyTransforms = (cell: string, transforms: readonly Transform[]): string =>
  transforms.reduce(applyTransform, cleanCell(cell))

function applyTransform(text: string, transform: Transform): string {
  if (transform === 'trim') return cleanCell(text)
  if (transform === 'upperCase') return upperCase(text)
  if ('stripPrefix' in transform)
    return text.startsWith(transform.stripPrefix) ? text.slice(transform.stripPrefix.length) : text
  // An empty cell stays empty: a made-up value must not hide that there is none.
  const { length, with: filler } = transform.padLeft
  return text === '' ? text : text.padStart(length, filler)
}
