import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  envelopeOf,
  looseEnvelopeOf,
  readErrorHints,
  tolerantReader,
  wireDate,
  wireDateTime,
} from '../../src/contract/envelope.js'

describe('the envelope (src/contract/README.md#envelope)', () => {
  const strict = envelopeOf(z.strictObject({ a: z.number() }))

  it('is status, a string, and data, and has nothing beside them on the strict side', () => {
    const whole = { status: 'OK', data: { a: 1 } }
    expect(strict.safeParse(whole).success).toBe(true)
    const others = [{ ...whole, status: 200 }, { data: whole.data }, { status: 'OK' }, { ...whole, meta: {} }]
    expect(others.filter((other) => strict.safeParse(other).success)).toEqual([])
  })

  it('reads an odd or missing status as null on the tolerant side', () => {
    const loose = looseEnvelopeOf(z.looseObject({ a: z.number() }))
    expect(loose.parse({ status: 200, data: { a: 1 } }).status).toBeNull()
    expect(loose.parse({ data: { a: 1, b: 2 }, more: true }).status).toBeNull()
    expect(loose.parse({ status: 'ODD', data: { a: 1 } }).status).toBe('ODD')
  })
})

describe('dates on the wire', () => {
  const ODD = ['2023-02-29', '2024-13-01', '2024-1-1', '1.2.2024', '2024-02-01T00:00:00Z', '', ' 2024-02-01']
  it.each([
    ['a day', wireDate, ['2024-02-29', '1999-12-31'], ODD],
    [
      'a point in time, with its offset and without one',
      wireDateTime,
      ['2024-02-01T10:00:00Z', '2024-02-01T10:00:00+02:00', '2024-02-01T10:00:00'],
      ['2024-02-01 10:00', '2023-02-29T10:00:00'],
    ],
  ])('are read: %s', (_, schema, good, bad) => {
    expect([...good, ...bad].filter((text) => schema.safeParse(text).success)).toEqual(good)
  })
})

describe('the hints of an error answer', () => {
  it('reads the word, the field before its path, and the message where they are there', () => {
    const json = { status: 'INVALID_PARAMETER', data: { message: 'no', field: 'iban', field_path: ['x'] } }
    expect(readErrorHints(json)).toEqual({ serviceCode: 'INVALID_PARAMETER', field: 'iban', message: 'no' })
  })

  it.each([
    ['a.b', 'a.b'],
    [['amendment', 'unique_mandate_reference'], 'amendment.unique_mandate_reference'],
    [['items', 0, 'count'], 'items.0.count'],
    [[null, {}], null],
    [[], null],
    [null, null],
    [7, null],
  ])('reads a field path of %j as %j', (field_path, field) =>
    expect(readErrorHints({ data: { field_path } }).field).toBe(field),
  )

  const ODD = [undefined, null, 7, 'text', [], {}, { data: null }, { data: [] }]
  it.each([...ODD, { status: {}, data: { message: 1 } }])('finds nothing in %j and does not throw', (json) =>
    expect(readErrorHints(json)).toEqual({ serviceCode: null, field: null, message: null }),
  )

  it('ignores words that come from the prototype', () => {
    expect(readErrorHints(Object.create({ status: 'OK' }))).toMatchObject({ serviceCode: null })
  })
})

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
  it('lets documented fields be missing or null, and keeps fields it does not know as they came', () => {
    const content = { id: 'x', count: null, link: null }
    expect(contentOf(content)).toEqual({ kind: 'read', status: 'OK', content, leftOut: [] })
    const data = { more: [{ a: 1 }], customer: { name: 'n', vip: true }, lines: [{ price: 1, vat: 2 }] }
    expect(contentOf(data)).toMatchObject({ kind: 'read', content: data, leftOut: [] })
  })

  it('leaves out what has another shape and names each place', () => {
    const reading = contentOf({ count: '7', customer: [], lines: [{ price: 'x' }, 7, { price: 2 }] })
    const content = { id: 'x', lines: [{}, { price: 2 }] }
    const leftOut = ['count', 'customer', 'lines.0.price', 'lines.1']
    expect(reading).toEqual({ kind: 'read', status: 'OK', content, leftOut })
  })

  const ODD = [undefined, null, 1, 'x', [], {}, { data: null }, { data: [] }]
  it.each([...ODD, { data: {} }, { data: { id: ' ' } }])('cannot read %j', (json) => {
    expect(read(json).kind).toBe('unreadable')
  })
})
