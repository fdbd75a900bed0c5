import { expect, it } from 'vitest'
import { readHeader } from '../../../src/source/columns/header.js'
import { alignRows } from '../../../src/source/csv/row-shape.js'

it('leaves out the columns that our own files add, wherever they stand', () => {
  const align = alignRows(readHeader(['migration_row', 'a', 'migration_state', 'b']))
  expect(align(['7', 'one', 'invalid', 'two'])).toEqual(['one', 'two'])
})

it('takes no row that is shorter or longer, and goes on after it', () => {
  const align = alignRows(readHeader(['a', 'b']))
  expect(align(['1'])).toBeNull()
  expect(align(['1', '2', '3'])).toBeNull()
  expect(align(['1', '2'])).toEqual(['1', '2'])
})

it('a shifted row decides nothing: the first row that fits does', () => {
  const align = alignRows(readHeader(['a', 'b']))
  expect(align(['1', '2', 'shifted'])).toBeNull()
  expect(align(['1', '2', ''])).toEqual(['1', '2'])
  expect(align(['1', '2'])).toBeNull()
})

it('a value behind the last name is never dropped', () => {
  const align = alignRows(readHeader(['a', 'b']))
  expect(align(['1', '2', ''])).toEqual(['1', '2'])
  expect(align(['1', '2', '3'])).toBeNull()
})

it('a header that ends with a separator may be followed by rows that do not', () => {
  const align = alignRows(readHeader(['a', 'b', '']))
  expect(align(['1', '2'])).toEqual(['1', '2', ''])
  expect(align(['1', '2', ''])).toBeNull()
})

it('but not in our own files, which are written whole', () => {
  const align = alignRows(readHeader(['a', 'migration_row', '']))
  expect(align(['1', '7'])).toBeNull()
})
