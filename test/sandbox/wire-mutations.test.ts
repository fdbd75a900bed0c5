import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.js'
import { namesOf, placesIn, replaced, samples, type Path } from '../contract/wire-samples.js'
import { exchange } from './exchange.js'

/** Names typed by hand from the description of the interface, `[]` for list elements. */
interface Operation {
  readonly method: string
  readonly path: string
  readonly request: unknown
  /** Fields the service requires, and choice 2 (sandbox/choices.md): parts of an object that make no sense without each other. */
  readonly required: readonly string[]
  /** Longest text, where the description gives one. */
  readonly longest: Readonly<Record<string, number>>
  /** Where the service allows null. */
  readonly nullable: readonly string[]
}

const operations: Operation[] = [
  {
    method: 'POST',
    path: '/api/v2/offer',
    request: samples.createOffer.request,
    required: 'type offer_id title text info_link media media.picture media.picture_type'.split(' '),
    longest: { offer_id: 30, title: 200, text: 1000, info_link: 1000 },
    nullable: [],
  },
  {
    method: 'PUT',
    path: '/api/v2/billogram/SANDBOX1',
    request: samples.updateBillogram.request,
    required: [
      ...['customer', 'items', 'offers.[].offer_id', 'registered_payments.payments'],
      'registered_payments.payments.[].type',
      'registered_payments.payments.[].payment_amount',
      'registered_payments.payments.[].payment_date',
    ],
    longest: { creditor_unique_value: 40, 'offers.[].offer_id': 30 },
    nullable: ['creditor_unique_value', 'attachment', 'items.[].external_id', 'automatic_reminders_settings'],
  },
  {
    method: 'POST',
    path: '/api/v2/sepa_dd_mandate/migrate',
    request: samples.migrateMandate.request,
    required: [
      ...['customer_no', 'iban', 'signed_date', 'amendment'],
      ...['amendment.sepa_creditor_identifier', 'amendment.unique_mandate_reference'],
    ],
    longest: {},
    nullable: [],
  },
]

/** Dates of billograms and mandates; shipping_date and delivery_date are plain texts. */
const isDate = (path: Path): boolean => {
  const name = String(path.at(-1))
  return (/_(date|datum)$/.test(name) && !/^(shipping|delivery)_/.test(name)) || name === 'signed_date'
}

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ seed: 1, password: 'sandbox' })
  await exchange(sandbox, 'POST', '/api/v2/offer', { body: samples.createOffer.request })
})
afterAll(() => sandbox.close())

describe.each(operations)('the sample of $method $path', (operation) => {
  const { method, path, request } = operation
  const places = placesIn(request)
  const send = (body: unknown) => exchange(sandbox, method, path, { body })

  async function expectRefusal(body: unknown, place: Path, code = 'INVALID_PARAMETER') {
    const held = JSON.stringify([sandbox.mandates(), sandbox.offers(), sandbox.billograms()])
    const answer = await send(body)
    const field = place.join('.')
    expect(answer.json, `${field}: ${answer.text}`).toEqual({
      status: code,
      data: { message: expect.stringContaining(field) as string, field, field_path: place.map(String) },
    })
    expect(answer.status).toBe(400)
    expect(JSON.stringify([sandbox.mandates(), sandbox.offers(), sandbox.billograms()])).toBe(held)
  }

  it('is refused with field and message when any one value has another type', async () => {
    for (const { path: place, value } of places) {
      for (const other of otherTypes(value, namesOf(place)))
        await expectRefusal(replaced(request, place, other), place)
    }
  })

  it('is refused with field and message when any one value is null that may not be', async () => {
    const refusing = places.filter(({ path: place }) => !operation.nullable.includes(namesOf(place)))
    expect(refusing.length).toBeGreaterThan(operation.required.length - 1)
    for (const { path: place } of refusing) await expectRefusal(replaced(request, place, null), place)
  })

  it('is refused with field and message when any one required field is missing', async () => {
    const found = places.filter(({ path: place }) => operation.required.includes(namesOf(place)))
    expect(new Set(found.map(({ path: place }) => namesOf(place)))).toEqual(new Set(operation.required))
    for (const { path: place } of found) await expectRefusal(replaced(request, place, undefined), place)
  })

  it('is refused with field and message when any one text is too long', async () => {
    const limited = places.filter(({ path: place }) => namesOf(place) in operation.longest)
    expect(limited).toHaveLength(Object.keys(operation.longest).length)
    for (const { path: place, value } of limited) {
      const text = String(value).padEnd((operation.longest[namesOf(place)] ?? 0) + 1, 'x')
      await expectRefusal(replaced(request, place, text), place)
    }
  })

  it('is refused with field and message when any one date is not a real date', async () => {
    for (const { path: place } of places.filter(({ path: candidate }) => isDate(candidate))) {
      for (const text of ['2023-02-29', '01.02.2024', '2024-02-01T00:00:00Z', ''])
        await expectRefusal(replaced(request, place, text), place)
    }
  })

  it('is refused with field and message when any one object has an unknown field', async () => {
    const objects = [{ path: [] as Path, value: request }, ...places].filter(
      ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value),
    )
    for (const { path: place, value } of objects)
      for (const name of ['not_documented', '__proto__', 'constructor']) {
        const extended: unknown = JSON.parse(`{${JSON.stringify(name)}:1,${JSON.stringify(value).slice(1)}`)
        await expectRefusal(replaced(request, place, extended), [...place, name], 'UNKNOWN_PARAMETER')
      }
  })

  it('passes again unchanged but for what must be unique', async () => {
    const fresh = path.endsWith('/offer') ? replaced(request, ['offer_id'], 'Fresh') : request
    expect((await send(fresh)).status).toBe(200)
  })
})

/** Values of every other JSON type. `creditor_unique_value` may also be a number. */
function otherTypes(value: unknown, names: string): unknown[] {
  const candidates = [true, 7.5, 'text', [7], { not_documented: 7 }]
  const kindOf = (candidate: unknown) => (Array.isArray(candidate) ? 'array' : typeof candidate)
  return candidates.filter((candidate) => {
    if (kindOf(candidate) === kindOf(value)) return Number.isInteger(value) && isInteger(names)
    if (value === null) return kindOf(candidate) !== 'string'
    return !(names === 'creditor_unique_value' && typeof candidate === 'number')
  })
}

/** Whole numbers of billograms and mandates by name: they refuse 7.5, amounts do not. */
function isInteger(names: string): boolean {
  const integers = [
    ...['customer_no', 'invoice_no', 'due_days', 'reminder_due_days', 'rotavdrag', 'delay_days'],
    ...['electronic_id', 'dimension_id', 'kommunkod', 'arsforb', 'objtyp', 'faktforb', 'faktfrek'],
  ]
  return integers.includes(names.split('.').at(-1) ?? '')
}
