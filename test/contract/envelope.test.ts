import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  envelopeOf,
  looseEnvelopeOf,
  readErrorHints,
  wireDate,
  wireDateTime,
} from '../../src/contract/envelope.js'

describe('the envelope (src/contract/README.md#envelope)', () => {
  const strict = envelopeOf(z.strictObject({ a: z.number() }))

  it('is status, a string, and data', () => {
    expect(strict.safeParse({ status: 'OK', data: { a: 1 } }).success).toBe(true)
    expect(strict.safeParse({ status: 200, data: { a: 1 } }).success).toBe(false)
    expect(strict.safeParse({ data: { a: 1 } }).success).toBe(false)
    expect(strict.safeParse({ status: 'OK' }).success).toBe(false)
  })

  it('has nothing beside them on the strict side', () => {
    expect(strict.safeParse({ status: 'OK', data: { a: 1 }, meta: {} }).success).toBe(false)
  })

  it('reads an odd or missing status as null on the tolerant side', () => {
    const loose = looseEnvelopeOf(z.looseObject({ a: z.number() }))
    expect(loose.parse({ status: 200, data: { a: 1 } }).status).toBeNull()
    expect(loose.parse({ data: { a: 1, b: 2 }, more: true }).status).toBeNull()
    expect(loose.parse({ status: 'ODD', data: { a: 1 } }).status).toBe('ODD')
  })
})

describe('dates on the wire', () => {
  it.each(['2024-02-29', '1999-12-31'])('accepts %s', (text) => {
    expect(wireDate.safeParse(text).success).toBe(true)
  })

  it.each(['2023-02-29', '2024-13-01', '2024-1-1', '01.02.2024', '2024-02-01T00:00:00Z', '', ' 2024-02-01'])(
    'refuses %j',
    (text) => {
      expect(wireDate.safeParse(text).success).toBe(false)
    },
  )

  it('27.2 reads a point in time with its offset and without one', () => {
    expect(wireDateTime.safeParse('2024-02-01T10:00:00Z').success).toBe(true)
    expect(wireDateTime.safeParse('2024-02-01T10:00:00+02:00').success).toBe(true)
    expect(wireDateTime.safeParse('2024-02-01T10:00:00').success).toBe(true)
    expect(wireDateTime.safeParse('2024-02-01 10:00').success).toBe(false)
    expect(wireDateTime.safeParse('2023-02-29T10:00:00').success).toBe(false)
  })
})

describe('the hints of an error answer (src/contract/README.md#errors)', () => {
  it('reads the word, the field and the message where they are there', () => {
    const json = { status: 'INVALID_PARAMETER', data: { message: 'no', field: 'iban' } }
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
  ])('reads a field path of %j as %j', (path, field) => {
    expect(readErrorHints({ data: { field_path: path } }).field).toBe(field)
  })

  it('prefers the field to its path', () => {
    expect(readErrorHints({ data: { field: 'iban', field_path: ['x'] } }).field).toBe('iban')
  })

  it.each([
    undefined,
    null,
    7,
    'text',
    [],
    {},
    { data: null },
    { data: [] },
    { status: {}, data: { message: 1 } },
  ])('finds nothing in %j and does not throw', (json) => {
    expect(readErrorHints(json)).toEqual({ serviceCode: null, field: null, message: null })
  })

  it('ignores words that come from the prototype', () => {
    expect(readErrorHints(Object.create({ status: 'OK' }))).toMatchObject({ serviceCode: null })
  })
})
