import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FIELDS } from '../../../src/domain/mandate/mandate.js'
import { fold } from '../../../src/domain/text/text.js'
import { namesInLists, placeColumns, type ListedColumns } from '../../../src/domain/row/list-columns.js'

const sourceOf = (header: readonly string[], columns: Record<string, string> = {}): ListedColumns => ({
  ...{ header, columns, reading: {} },
})

const NAMES = ['kunde', 'Kunde', 'nummer', 'konto', 'iban', 'compte', 'stand', '']

/** Sources whose columns feed fields at random. */
const SOURCES = fc.array(
  fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.nat(9)), { minLength: 1, maxLength: 6 }).map((drawn) => {
    const fed = drawn.flatMap(([name, at]) => (at < 6 && name !== '' ? [[FIELDS[at] ?? '', name]] : []))
    return sourceOf(
      drawn.map(([name]) => name),
      Object.fromEntries(fed) as Record<string, string>,
    )
  }),
  { minLength: 1, maxLength: 4 },
)

describe('columns of lists', () => {
  it('have a place of its own for each cell of every source, and keep it when more sources come in', () => {
    fc.assert(
      fc.property(SOURCES, (sources) => {
        const { names, placements } = placeColumns(sources)
        for (const { target } of placements.values()) {
          expect(new Set(target).size).toBe(target.length)
          expect(target.every((column) => column in names)).toBe(true)
        }
        const fewer = placeColumns(sources.slice(0, -1))
        expect(names.slice(0, fewer.names.length)).toEqual(fewer.names)
        for (const [source, { target }] of fewer.placements)
          expect(placements.get(source)?.target).toEqual(target)
      }),
    )
  })

  it('are one where they have one name, and else where they feed one field', () => {
    const [one, other, third] = [
      sourceOf(['kunde', 'nummer'], { customer_no: 'kunde', unique_mandate_reference: 'nummer' }),
      sourceOf(['nummer', 'rum'], { customer_no: 'nummer', unique_mandate_reference: 'rum' }),
      sourceOf(['client', 'ref'], { customer_no: 'client', unique_mandate_reference: 'ref' }),
    ]
    const { names, placements } = placeColumns([one, other, third])
    expect(names).toEqual(['kunde', 'nummer', 'rum'])
    const targets = [one, other, third].map((source) => placements.get(source)?.target.join())
    expect(targets).toEqual(['0,1', '1,2', '0,1'])
    const listed = namesInLists([one, other, third], (source) => source === third)
    expect(Object.fromEntries(listed)).toEqual({ [fold('client')]: 'kunde', [fold('ref')]: 'nummer' })
  })
})
