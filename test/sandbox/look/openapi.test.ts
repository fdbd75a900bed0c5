import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { createGenerator, type JsonSchema } from 'json-schema-faker'
import { describe, expect, it } from 'vitest'
import type { Sandbox } from '../../../src/sandbox/sandbox.js'
import { samples } from '../../contract/wire-samples.js'
import { exchange, type Answer } from '../exchange.js'
import { sandboxStarter } from '../running-sandbox.js'

const start = sandboxStarter()

/** Printed with every failure, so that the same requests can be made again. */
const SEED = 20_250_301
const REQUESTS = 60

const operations = [
  { path: '/api/v2/offer', method: 'post', url: '/api/v2/offer', sample: samples.createOffer },
  {
    path: '/api/v2/billogram/{id}',
    method: 'put',
    url: '/api/v2/billogram/SANDBOX1',
    sample: samples.updateBillogram,
  },
  {
    path: '/api/v2/sepa_dd_mandate/migrate',
    method: 'post',
    url: '/api/v2/sepa_dd_mandate/migrate',
    sample: samples.migrateMandate,
  },
]
type Operation = (typeof operations)[number]

interface Described {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: { readonly content: object }
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
  it('27 is an OpenAPI 3.1 document, as an independent validator sees it', async () => {
    const description = await describedBy(await start())
    expect(description.openapi).toBe('3.1.0')
    const result = await new Validator().validate({ ...description })
    expect(result.errors).toBeUndefined()
    expect(result.valid).toBe(true)
  })

  it('marks what is published beyond the interface', async () => {
    const { paths } = await describedBy(await start())
    const beyond = Object.entries(paths).filter(([, item]) => isBeyond(item))
    expect(beyond.map(([path]) => path)).toEqual([
      '/api/v2/payment_source',
      '/api/v2/payment_source/{id}/cancel',
    ])
  })

  it('4: describes the three operations, five response cases each, all JSON', async () => {
    const { paths } = await describedBy(await start())
    const own = Object.entries(paths).filter(([, item]) => !isBeyond(item))
    expect(own.map(([path]) => path)).toEqual(operations.map(({ path }) => path))
    for (const { path, method } of operations) {
      const responses = paths[path]?.[method]?.responses ?? {}
      expect(Object.keys(responses)).toHaveLength(5)
      for (const response of Object.values(responses)) {
        expect(Object.keys((response as { content: object }).content)).toEqual(['application/json'])
      }
    }
  })

  it.each(operations)('accepts the hand-typed samples of $path', async (operation) => {
    const checker = checkerOf(await describedBy(await start()))
    expect(checker.acceptsRequest(operation, operation.sample.request)).toBe(true)
    const answer = { status: 200, headers: {}, text: '', json: operation.sample.response }
    checker.expectDescribed(operation, answer)
  })
})

/** Refusals for what no schema can say: other objects, sums, blanks. */
const BEYOND_SCHEMA = [
  ...['offer_id must be unique', 'does not name an existing offer', 'is the value of another billogram'],
  ...['give a sum that is too large', 'must not be blank'],
]

describe(`a client not written by us (seed ${SEED})`, () => {
  it.each(operations)('finds no 5xx and no mismatch at $method $path', async (operation) => {
    const sandbox = await start({ choices: { ibanCheck: 'none', accountCurrency: null } })
    const description = await describedBy(sandbox)
    const checker = checkerOf(description)
    const generator = createGenerator({
      seed: SEED,
      optionalsProbability: 0.4,
    })
    let accepted = 0
    for (let count = 0; count < REQUESTS; count += 1) {
      for (const target of operations) {
        // Every body goes to every operation: its own kind should pass, the others must be refused.
        const body = await generator.generate(requestSchemaOf(description, operation))
        const answer = await exchange(sandbox, target.method.toUpperCase(), target.url, { body })
        checker.expectDescribed(target, answer)
        expect(answer.status).toBeLessThan(500)
        if (!checker.acceptsRequest(target, body)) expect(answer.status, JSON.stringify(body)).toBe(400)
        else if (answer.status === 200) accepted += 1
        else
          expect(
            BEYOND_SCHEMA.filter((reason) => answer.text.includes(reason)),
            answer.text,
          ).toHaveLength(1)
      }
    }
    expect(accepted).toBeGreaterThan(REQUESTS / 3)
  })

  it('finds no 5xx and no mismatch with bodies of any shape', async () => {
    const sandbox = await start()
    const checker = checkerOf(await describedBy(sandbox))
    const generator = createGenerator({ seed: SEED })
    const anything = { type: ['object', 'array', 'string', 'number', 'boolean', 'null'] }
    for (let count = 0; count < REQUESTS; count += 1) {
      for (const operation of operations) {
        const body = await generator.generate(anything)
        const answer = await exchange(sandbox, operation.method.toUpperCase(), operation.url, { body })
        checker.expectDescribed(operation, answer)
        expect(answer.status, JSON.stringify(body)).toBe(400)
      }
    }
  })
})

type Call = (given: Readonly<Record<string, unknown>>) => Promise<{ status: number; text: string }>
type Client = Readonly<Record<string, Call>>

const METHODS = ['get', 'put', 'post', 'patch', 'delete']

/** Every operation of the document, with where it is. */
const operationsOf = ({ paths }: Description) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      METHODS.includes(method) ? [{ ...operation, path, method }] : [],
    ),
  )

/** The source of a client with a function for each operation, from nothing but the document. */
function clientSource(description: Description): string {
  const functions = operationsOf(description).map(
    ({ operationId, path, method, parameters, requestBody }) => {
      const filled = path.replace(/\{(\w+)\}/g, '${encodeURIComponent(given.$1)}')
      const query = (parameters ?? [])
        .filter((parameter) => parameter.in === 'query')
        .map(({ name }) => `${name}=\${encodeURIComponent(given.${name})}`)
      const url = `\`\${base}${filled}${query.length === 0 ? '' : `?${query.join('&')}`}\``
      const [mediaType] = Object.keys(requestBody?.content ?? {})
      const body =
        mediaType === undefined
          ? ''
          : `body: JSON.stringify(given.body), headers: { 'content-type': '${mediaType}' }`
      return `  ${operationId}: (given) => call(${url}, { method: '${method.toUpperCase()}', ${body} }),`
    },
  )
  return `export const connect = (base, user, password) => {
  const authorization = 'Basic ' + btoa(user + ':' + password)
  const call = async (url, { headers, ...init }) => {
    const answer = await fetch(url, { ...init, headers: { ...headers, authorization } })
    return { status: answer.status, text: await answer.text() }
  }
  return {
${functions.join('\n')}
  }
}`
}

describe('27 a client that is generated from the description', () => {
  it('27, 4: a client that is generated from it calls every operation', async () => {
    const sandbox = await start()
    const description = await describedBy(sandbox)
    const checker = checkerOf(description)
    const source = clientSource(description)
    const { connect } = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as {
      connect: (base: string, user: string, password: string) => Client
    }
    const client = connect(sandbox.url, sandbox.username, sandbox.password)
    const { customer_no } = samples.migrateMandate.request
    const called = new Set<string>()
    const call = async (id: string, given: Readonly<Record<string, unknown>>): Promise<unknown> => {
      const operation = operationsOf(description).find(({ operationId }) => operationId === id)
      const answer = await client[id]?.(given)
      if (operation === undefined || answer === undefined) throw new Error(`There is no ${id}`)
      expect(answer.status, `${id}: ${answer.text}`).toBe(200)
      const json: unknown = JSON.parse(answer.text)
      checker.expectDescribed(operation, { ...answer, json })
      called.add(id)
      return json
    }
    await call('createOffer', { body: samples.createOffer.request })
    await call('updateBillogram', { id: 'SANDBOX1', body: samples.updateBillogram.request })
    await call('migrateMandate', { body: samples.migrateMandate.request })
    const listed = (await call('listPaymentSources', { customer_no })) as { data: { id: string }[] }
    await call('cancelPaymentSource', { id: listed.data[0]?.id, body: {} })
    expect([...called].sort()).toEqual(
      operationsOf(description)
        .map(({ operationId }) => operationId)
        .sort(),
    )
  })
})

function requestSchemaOf({ components }: Description, operation: Operation): JsonSchema {
  const names = ['OfferRequest', 'BillogramRequest', 'MigrateRequest']
  return components.schemas[names[operations.indexOf(operation)] ?? ''] ?? {}
}
