import { z } from 'zod'
import {
  BILLOGRAM_PATH,
  billogramRequest,
  billogramResponse,
  OFFER_PATH,
  offerRequest,
  offerResponse,
} from '../../contract/billogram.js'
import { migrateRequest, migrateResponse, MIGRATE_PATH } from '../../contract/migrate-mandate.js'
import {
  PAYMENT_SOURCE_PATH,
  paymentSourceResponse,
  paymentSourcesResponse,
} from '../../contract/payment-source.js'

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
  PaymentSourcesResponse: paymentSourcesResponse,
  PaymentSourceResponse: paymentSourceResponse,
  Refusal: refusalResponse,
} as const
type SchemaName = keyof typeof SCHEMAS

const jsonOf = (schema: SchemaName) => ({
  'application/json': { schema: { $ref: `#/components/schemas/${schema}` } },
})

const refused = (description: string) => ({ description, content: jsonOf('Refusal') })

/** Five response cases per operation, as the service documents them. */
const operation = (operationId: string, summary: string, request: SchemaName, response: SchemaName) => ({
  operationId,
  summary,
  requestBody: { required: true, content: jsonOf(request) },
  responses: {
    '200': { description: 'Done', content: jsonOf(response) },
    '400': refused('The request breaks a rule; `data.field` names the place'),
    '401': refused('The Authorization header is missing or wrong'),
    '4XX': refused('Refused for another reason'),
    '5XX': refused('The service is at fault'),
  },
})

const MIGRATE = 'Migrate a SEPA Direct Debit mandate'
const BEYOND = 'Published by the service beyond the description of the interface; a service may lack it.'

const idOf = (name: string) => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string', minLength: 1 },
})

/** What the service publishes of payment sources. */
const sourcePaths = () => ({
  [PAYMENT_SOURCE_PATH]: {
    get: {
      operationId: 'listPaymentSources',
      summary: 'The payment sources of a customer',
      description: BEYOND,
      'x-beyond-interface': true,
      parameters: [
        { name: 'customer_no', in: 'query', required: true, schema: { type: 'integer', minimum: 1 } },
      ],
      responses: {
        '200': { description: 'What the customer has', content: jsonOf('PaymentSourcesResponse') },
        '204': { description: 'The customer has none' },
        '400': refused('The customer number is missing or none'),
        '401': refused('The Authorization header is missing or wrong'),
        '5XX': refused('The service is at fault'),
      },
    },
  },
  [`${PAYMENT_SOURCE_PATH}/{id}/cancel`]: {
    parameters: [idOf('id')],
    post: {
      operationId: 'cancelPaymentSource',
      summary: 'Cancel a payment source',
      description: `${BEYOND} The sandbox wants a JSON body, since no form of a web page can send one.`,
      'x-beyond-interface': true,
      requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
      responses: {
        '200': { description: 'Cancelled', content: jsonOf('PaymentSourceResponse') },
        '400': refused('It is cancelled already'),
        '415': refused('The body is no JSON; an empty object will do'),
        '401': refused('The Authorization header is missing or wrong'),
        '404': refused('There is no such payment source'),
        '5XX': refused('The service is at fault'),
      },
    },
  },
})

/** The OpenAPI 3.1 description of the operations, made from the schemas the sandbox checks with. */
export function describeInterface({ hasReadBack }: { readonly hasReadBack: boolean }) {
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
        post: operation('createOffer', 'Create an offer', 'OfferRequest', 'OfferResponse'),
      },
      [`${BILLOGRAM_PATH}/{id}`]: {
        parameters: [idOf('id')],
        put: operation('updateBillogram', 'Update a billogram', 'BillogramRequest', 'BillogramResponse'),
      },
      [MIGRATE_PATH]: { post: operation('migrateMandate', MIGRATE, 'MigrateRequest', 'MigrateResponse') },
      ...(hasReadBack ? sourcePaths() : {}),
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
