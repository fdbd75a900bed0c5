import { customerNoQuery } from '../contract/payment-source.js'
import type { Customer } from '../contract/customer.js'
import { done, refuse, refuseField, type Reply } from './refusal.js'
import type { OpenSandbox } from './settings.js'
import { assignedReference } from './store.js'

const MADE_AT = '2020-01-01T00:00:00Z'

/** Those of the file and nobody else; without a file everybody, with a name that the seed decides. */
export function findCustomer(text: string, { customers, seed }: OpenSandbox): Reply<Customer> {
  const customerNo = customerNoQuery.safeParse(text)
  if (!customerNo.success) return refuseField(['customer_no'], 'must be an integer from 1')
  const made = { name: `Customer ${assignedReference(seed, customerNo.data).slice(0, 8)}` }
  const known = customers === null ? made : customers.get(customerNo.data)
  if (known === undefined) return refuse(404, 'NOT_FOUND', 'There is no customer with this number')
  const { contact_name: name, ...own } = { contact_name: known.name, org_no: '', ...known }
  return done({
    ...own,
    ...{ customer_no: customerNo.data, vat_no: '', language: 'en', company_type: 'individual', notes: '' },
    contact: { name, email: '', phone: '' },
    address: { address_line_1: '1 Sandbox Street', zipcode: '10000', city: 'Sandbox', country: 'DE' },
    ...{ payment_settings: {}, links: {}, created_at: MADE_AT, updated_at: MADE_AT },
  })
}
