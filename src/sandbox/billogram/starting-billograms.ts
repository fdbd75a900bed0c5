import type { BillogramRecord } from './billogram-record.js'

const CREATED_AT = '2025-01-02T08:00:00.000Z'

const untouched = {
  creditorUniqueValue: null,
  reminders: { automatic: true, settings: null },
  attachment: null,
  events: [],
  paidSum: 0,
  createdAt: CREATED_AT,
  updatedAt: CREATED_AT,
} as const

/** The billograms a new sandbox starts from, since the interface has no operation that creates one. */
export const STARTING_BILLOGRAMS: readonly BillogramRecord[] = [
  {
    ...untouched,
    id: 'SANDBOX1',
    fields: {
      invoice_no: 1,
      customer: { customer_no: 1001, name: 'Erika Beispiel' },
      items: [{ title: 'Membership', count: 1, price: 100, vat: 19 }],
      currency: 'EUR',
    },
  },
  {
    ...untouched,
    id: 'SANDBOX2',
    fields: {
      invoice_no: 2,
      customer: {
        customer_no: 1002,
        name: 'Jan Voorbeeld',
        address: {
          address_line_1: 'Voorbeeldstraat 2',
          zipcode: '1011 AB',
          city: 'Amsterdam',
          country: 'NL',
        },
      },
      items: [
        { title: 'Electricity', unit: 'kWh', count: 250, price: 0.4, vat: 21 },
        { title: 'Base price', count: 1, price: 10, vat: 21 },
      ],
      invoice_date: '2025-01-02',
      due_date: '2025-02-01',
      invoice_fee: 2.5,
      currency: 'EUR',
    },
    creditorUniqueValue: 'Contract 1002 / January',
    reminders: { automatic: true, settings: [{ delay_days: 10, message: 'Please pay', type: 'Email' }] },
  },
  {
    ...untouched,
    id: 'SANDBOX3',
    fields: {
      invoice_no: 3,
      customer: { customer_no: 1003, name: 'Exemple SA' },
      items: [],
      currency: 'EUR',
    },
    reminders: { automatic: false, settings: [] },
  },
]
