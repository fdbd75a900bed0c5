import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { createGenerator, type JsonSchema } from 'json-schema-faker'
import { describe, expect, it } from 'vitest'
import type { Sandbox } from '../../src/sandbox/sandbox.js'
import { samples } from '../contract/wire-samples.js'
import { exchange, start, type Answer } from './exchange.js'

/** Printed with every failure, so that the same requests can be made again. */
const SEED = 20_250_301
const REQUESTS = 40

const operationOf = (method: string, path: string, sample: { request: object; response: object }) => ({
  ...{ method, path, sample },
  url: path.replace('{id}', 'SANDBOX1'),
})
const operations = [
  operationOf('post', '/api/v2/offer', samples.createOffer),
  operationOf('put', '/api/v2/billogram/{id}', samples.updateBillogram),
  operationOf('post', '/api/v2/sepa_dd_mandate/migrate', samples.migrateMandate),
]
type Operation = (typeof operations)[number]

interface Described {
  readonly responses: Record<string, unknown>
}

interface Description {
  readonly openapi: string
  readonly paths: Record<string, Record<string, Described>>
  readonly components: { readonly schemas: Record<string, JsonSchema> }
}

/** Marked as published beyond the description of the interface. */
const isBeyond = (item: object): boolean =>
  Object.values(item).some(
    (part: unknown) => typeof part === 'object' && part !== null && 'x-beyond-interface' in part,
  )

async function describedBy(sandbox: Sandbox): Promise<Description> {
  const answer = await exchange(sandbox, 'GET', '/openapi.json')
  expect(answer.status).toBe(200)
  return answer.json as Description
}

/** Checks by the description alone, with a library that shares no code with the sandbox's schemas. */
function checkerOf(description: Description) {
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema(description, 'description')
  const at = (...names: string[]): ValidateFunction => {
    const pointer = names.map((name) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1')))
    const found = ajv.getSchema(`description#/${pointer.join('/')}`)
    if (found === undefined) throw new Error(`The description has nothing at ${names.join(' ')}`)
    return found
  }
  const inJson = ['content', 'application/json', 'schema']
  return {
    acceptsRequest: ({ path, method }: Operation, body: unknown) =>
      at('paths', path, method, 'requestBody', ...inJson)(body),
    expectDescribed(
      { path, method }: Pick<Operation, 'path' | 'method'>,
      answer: Pick<Answer, 'status' | 'text' | 'json'>,
    ) {
      const { responses } = description.paths[path]?.[method] ?? { responses: {} }
      const status = String(answer.status)
      const described = [status, `${status.slice(0, 1)}XX`].find((name) => name in responses)
      expect(described, `status ${status} is described`).toBeDefined()
      const validate = at('paths', path, method, 'responses', described ?? '', ...inJson)
      expect(validate(answer.json), `${answer.text} ${JSON.stringify(validate.errors)}`).toBe(true)
    },
  }
}

describe('GET /openapi.json', () => {
  it('is an OpenAPI 3.1 document, as an independent validator sees it', async () => {
    const description = await describedBy(await start())
    expect(description.openapi).toBe('3.1.0')
    const result = await new Validator().validate({ ...description })
    expect(result.errors).toBeUndefined()
    expect(result.valid).toBe(true)
  })

  it('describes the three operations, five response cases each, and marks what is beyond them', async () => {
    const { paths } = await describedBy(await start())
    const pathsThat = (isMarked: boolean): string[] =>
      Object.keys(paths).filter((path) => isBeyond(paths[path] ?? {}) === isMarked)
    const names = ['payment_source', 'payment_source/{id}/cancel', 'customer/{customer_no}']
    const beyond = names.map((name) => `/api/v2/${name}`)
    expect([pathsThat(false), pathsThat(true)]).toEqual([operations.map(({ path }) => path), beyond])
    for (const { path, method } of operations) {
      const responses = paths[path]?.[method]?.responses ?? {}
      expect(Object.keys(responses)).toHaveLength(5)
      for (const response of Object.values(responses))
        expect(Object.keys((response as { content: object }).content)).toEqual(['application/json'])
    }
  })

  it.each(operations)('accepts the hand-typed samples of $path', async (operation) => {
    const checker = checkerOf(await describedBy(await start()))
    expect(checker.acceptsRequest(operation, operation.sample.request)).toBe(true)
    const answer = { status: 200, headers: {}, text: '', json: operation.sample.response }
    checker.expectDescribed(operation, answer)
  })
})

/** What no schema can say of a text: an account number that exists, the currency of the creditor. */
function withOwnValues(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const own: Readonly<Record<string, string>> = { iban: 'DE89370400440532013000', currency: 'EUR' }
  const changed = Object.entries(body as Record<string, unknown>).map(([name, value]) => {
    return [name, typeof value === 'string' ? (own[name] ?? value) : value]
  })
  return Object.fromEntries(changed)
}

/** Refusals for what no schema can say: other objects, sums, blanks. */
const BEYOND_SCHEMA = [
  ...['offer_id must be unique', 'does not name an existing offer', 'is the value of another billogram'],
  ...['give a sum that is too large', 'must not be blank'],
]

describe(`a client not written by us (seed ${SEED})`, () => {
  const anything: JsonSchema = { type: ['object', 'array', 'string', 'number', 'boolean', 'null'] }

  it.each([...operations, null])(
    'finds no 5xx and no mismatch with bodies made for $path, or of any shape',
    async (operation) => {
      const sandbox = await start()
      const description = await describedBy(sandbox)
      const checker = checkerOf(description)
      const fewer = operation === null ? {} : { optionalsProbability: 0.4 }
      const generator = createGenerator({ seed: SEED, ...fewer })
      const schema = operation === null ? anything : requestSchemaOf(description, operation)
      let accepted = 0
      for (let count = 0; count < REQUESTS; count += 1)
        for (const target of operations) {
          // Every body goes to every operation: its own kind should pass, the others must be refused.
          const body = withOwnValues(await generator.generate(schema))
          const answer = await exchange(sandbox, target.method.toUpperCase(), target.url, { body })
          checker.expectDescribed(target, answer)
          expect(answer.status).toBeLessThan(500)
          if (!checker.acceptsRequest(target, body)) expect(answer.status, JSON.stringify(body)).toBe(400)
          else if (answer.status === 200) accepted += 1
          else
            expect(
              BEYOND_SCHEMA.filter((why) => answer.text.includes(why)),
              answer.text,
            ).toHaveLength(1)
        }
      if (operation === null) expect(accepted).toBe(0)
      else expect(accepted).toBeGreaterThan(REQUESTS / 3)
    },
  )
})

function requestSchemaOf({ components }: Description, operation: Operation): JsonSchema {
  const names = ['OfferRequest', 'BillogramRequest', 'MigrateRequest']
  return components.schemas[names[operations.indexOf(operation)] ?? ''] ?? {}
}
