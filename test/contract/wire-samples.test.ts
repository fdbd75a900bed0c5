import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  billogramRequest,
  billogramResponse,
  offerRequest,
  offerResponse,
} from '../../src/contract/billogram.js'
import { migrateRequest, migrateResponse } from '../../src/contract/migrate-mandate.js'
import { namesOf, placesIn, samples } from './wire-samples.js'

const pairs = [
  ['create-offer.request', offerRequest, samples.createOffer.request],
  ['create-offer.response', offerResponse, samples.createOffer.response],
  ['update-billogram.request', billogramRequest, samples.updateBillogram.request],
  ['update-billogram.response', billogramResponse, samples.updateBillogram.response],
  ['migrate-mandate.request', migrateRequest, samples.migrateMandate.request],
  ['migrate-mandate.response', migrateResponse, samples.migrateMandate.response],
] as const

describe.each(pairs)('the hand-typed sample %s', (_name, schema: z.ZodType, sample) => {
  it('passes the strict schema unchanged', () => {
    expect(schema.parse(sample)).toEqual(sample)
  })

  it('shows exactly the fields the schema knows, so that a walk over it forgets none', () => {
    const shown = new Set(placesIn(sample).map(({ path }) => namesOf(path)))
    const free = [...shown].filter((name) => name.startsWith('data.events.[].data.'))
    for (const name of free) shown.delete(name)
    expect([...shown].sort()).toEqual([...fieldsOf(z.toJSONSchema(schema))].sort())
  })
})

/** Every documented name of a JSON schema, `[]` for list elements. */
function fieldsOf(schema: z.core.JSONSchema._JSONSchema, prefix = ''): Set<string> {
  const names = new Set<string>()
  if (typeof schema === 'boolean') return names
  const add = (name: string, child: z.core.JSONSchema._JSONSchema) => {
    names.add(prefix + name)
    for (const inner of fieldsOf(child, `${prefix}${name}.`)) names.add(inner)
  }
  for (const [name, child] of Object.entries(schema.properties ?? {})) add(name, child)
  if (schema.items !== undefined && !Array.isArray(schema.items)) add('[]', schema.items)
  for (const option of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) {
    for (const inner of fieldsOf(option, prefix)) names.add(inner)
  }
  return names
}
