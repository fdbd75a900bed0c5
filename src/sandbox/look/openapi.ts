import { z } from 'zod'
import { billogramRequest, billogramResponse, offerRequest, offerResponse } from '../../contract/billogram.js'
import { customerResponse } from '../../contract/customer.js'
import { migrateRequest, migrateResponse } from '../../contract/migrate-mandate.js'
import { paymentSourceResponse, paymentSourcesResponse } from '../../contract/payment-source.js'
import described from './interface.json' with { type: 'json' }

/** The form of every refusal: choice 1 of sandbox/choices.md. */
const refusalResponse = z.strictObject({
  status: z.string(),
  data: z.strictObject({
    message: z.string(),
    field: z.string().nullable(),
    field_path: z.array(z.string()).nullable(),
  }),
})

/** By the names that the description gives them. */
const SCHEMAS = {
  OfferRequest: offerRequest,
  OfferResponse: offerResponse,
  BillogramRequest: billogramRequest,
  BillogramResponse: billogramResponse,
  MigrateRequest: migrateRequest,
  MigrateResponse: migrateResponse,
  PaymentSourcesResponse: paymentSourcesResponse,
  PaymentSourceResponse: paymentSourceResponse,
  CustomerResponse: customerResponse,
  Refusal: refusalResponse,
}

/** Published by the service beyond the description of its interface; a service may lack it. */
const isBeyond = (operations: object): boolean =>
  JSON.stringify(operations).includes('"x-beyond-interface":true')

/** The OpenAPI 3.1 description of the operations, with the schemas that the sandbox checks by. */
export function describeInterface({ hasReadBack }: { readonly hasReadBack: boolean }) {
  const { paths, components, ...others } = described
  const schemas = Object.entries(SCHEMAS).map(([name, schema]) => [name, jsonSchemaOf(schema)])
  return {
    ...others,
    paths: Object.fromEntries(
      Object.entries(paths).filter(([, operations]) => hasReadBack || !isBeyond(operations)),
    ),
    components: { ...components, schemas: Object.fromEntries(schemas) as Record<string, unknown> },
  }
}

function jsonSchemaOf(schema: z.ZodType) {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' })
  return rest
}
