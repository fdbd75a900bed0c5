import { z } from 'zod'
import { BILLOGRAM_PATH, billogramRequest, billogramResponse } from '../../contract/billogram.js'
import { migrateRequest, migrateResponse, MIGRATE_PATH } from '../../contract/migrate-mandate.js'
import { OFFER_PATH, offerRequest, offerResponse } from '../../contract/offer.js'

/** The form of every refusal: choice 1 of sandbox/choices.md. */
const refusalResponse = z.strictObject({
  status: z.string(),
  data: z.strictObject({
    message: z.string(),
    field: z.string().nullable(),
    field_path: z.array(z.string()).nullable(),
  }),
})

const SCHEMAS = {
  OfferRequest: offerRequest,
  OfferResponse: offerResponse,
  BillogramRequest: billogramRequest,
  BillogramResponse: billogramResponse,
  MigrateRequest: migrateRequest,
  MigrateResponse: migrateResponse,
  Refusal: refusalResponse,
} as const
type SchemaName = keyof typeof SCHEMAS

const jsonOf = (schema: SchemaName) => ({
  'application/json': { schema: { $ref: `#/components/schemas/${schema}` } },
})

const refused = (description: string) => ({ description, content: jsonOf('Refusal') })

/** Five response cases per operation, as the service documents them. */
const operation = (
  operationId: string,
  summary: string,
  names: { request: SchemaName; response: SchemaName },
) => ({
  operationId,
  summary,
  requestBody: { required: true, content: jsonOf(names.request) },
  responses: {
    '200': { description: 'Done', content: jsonOf(names.response) },
    '400': refused('The request breaks a rule; `data.field` names the place'),
    '401': refused('The Authorization header is missing or wrong'),
    '4XX': refused('Refused for another reason'),
    '5XX': refused('The service is at fault'),
  },
})

/** The OpenAPI 3.1 description of the three operations, made from the schemas the sandbox checks with. */
export function describeInterface() {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Invoicing service (local sandbox)',
      version: '2',
      description:
        'Offers, invoice updates and SEPA mandate migration. What the service does not document is a choice of this sandbox.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ basic: [] }],
    paths: {
      [OFFER_PATH]: {
        post: operation('createOffer', 'Create an offer', {
          request: 'OfferRequest',
          response: 'OfferResponse',
        }),
      },
      [`${BILLOGRAM_PATH}/{id}`]: {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', minLength: 1 } }],
        put: operation('updateBillogram', 'Update a billogram', {
          request: 'BillogramRequest',
          response: 'BillogramResponse',
        }),
      },
      [MIGRATE_PATH]: {
        post: operation('migrateMandate', 'Migrate a SEPA Direct Debit mandate', {
          request: 'MigrateRequest',
          response: 'MigrateResponse',
        }),
      },
    },
    components: {
      securitySchemes: { basic: { type: 'http', scheme: 'basic' } },
      schemas: Object.fromEntries(
        Object.entries(SCHEMAS).map(([name, schema]) => [name, jsonSchemaOf(schema)]),
      ),
    },
  }
}

function jsonSchemaOf(schema: z.ZodType) {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' })
  return rest
}
