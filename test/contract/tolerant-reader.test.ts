import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { tolerantReader } from '../../src/contract/envelope.js'
const read = tolerantReader(
  z.strictObject({
    id: z.string(),
    count: z.int().optional(),
    link: z.string().nullable(),
    customer: z.strictObject({ name: z.string().optional() }),
    lines: z.array(z.strictObject({ price: z.number() })),
  }),
  'id',
)

const contentOf = (data: object) => read({ status: 'OK', data: { id: 'x', ...data } })

describe('a tolerant reader', () => {
  it('lets documented fields be missing or null', () => {
    expect(contentOf({ count: null, link: null })).toEqual({
      kind: 'read',
      status: 'OK',
      content: { id: 'x', count: null, link: null },
      leftOut: [],
    })
  })

  it('keeps fields it does not know, at every level, as they came', () => {
    const data = { more: [{ a: 1 }], customer: { name: 'n', vip: true }, lines: [{ price: 1, vat: 2 }] }
    expect(contentOf(data)).toMatchObject({ kind: 'read', content: data, leftOut: [] })
  })

  it('leaves out what has another shape and names each place', () => {
    const reading = contentOf({ count: '7', customer: [], lines: [{ price: 'x' }, 7, { price: 2 }] })
    expect(reading).toEqual({
      kind: 'read',
      status: 'OK',
      content: { id: 'x', lines: [{}, { price: 2 }] },
      leftOut: ['count', 'customer', 'lines.0.price', 'lines.1'],
    })
  })

  it.each([
    undefined,
    null,
    1,
    'x',
    [],
    {},
    { data: null },
    { data: [] },
    { data: {} },
    { data: { id: ' ' } },
  ])('cannot read %j', (json) => {
    expect(read(json).kind).toBe('unreadable')
  })
})
