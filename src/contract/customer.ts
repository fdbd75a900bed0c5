import { z } from 'zod'
import type { CustomerSaid } from '../domain/who/names.js'
import { customer as invoiced } from './billogram.js'
import { API_PREFIX, envelopeOf, unreadable, unreadableBy, writtenAt } from './envelope.js'

/** Reads a customer (contract/README.md#customers). */
export const CUSTOMER_PATH = `${API_PREFIX}/customer`
export const customerPath = (customerNo: number): string => `${CUSTOMER_PATH}/${customerNo}`

const text = z.string().optional()
const { address, delivery_address, permanent_establishment_address, edi } = invoiced.shape

/** As the service must write it. What the published page does not describe further may hold anything. */
const customer = z.strictObject({
  customer_no: z.int().min(1),
  name: z.string(),
  ...{ org_no: text, vat_no: text, language: text, company_type: text, notes: text },
  contact: z.strictObject({ name: text, email: text, phone: text }).optional(),
  ...{ address, delivery_address, permanent_establishment_address, edi },
  payment_settings: z.looseObject({}).optional(),
  links: z.looseObject({}).optional(),
  ...writtenAt,
})
export type Customer = z.infer<typeof customer>

export const customerResponse = envelopeOf(customer)

const loose = z.string().catch('')
const looseResponse = z.looseObject({
  data: z.looseObject({
    customer_no: z.coerce.number(),
    ...{ name: loose, org_no: loose, vat_no: loose },
    contact: z.looseObject({ name: loose }).catch({ name: '' }),
  }),
})

/** Reads who it is tolerantly; an answer about another customer says nothing. */
export function readCustomer(json: unknown, customerNo: number) {
  const parsed = looseResponse.safeParse(json)
  if (!parsed.success) return unreadableBy(parsed.error)
  const { customer_no, name, contact, org_no, vat_no } = parsed.data.data
  if (customer_no !== customerNo) return unreadable('data.customer_no is another one')
  const said: CustomerSaid = { names: [name, contact.name], orgNos: [org_no, vat_no] }
  return { kind: 'read' as const, customer: said }
}
