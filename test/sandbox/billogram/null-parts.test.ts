import { describe, expect, it } from 'vitest'
import { billogramRequest } from '../../../src/contract/billogram.js'
import { namesOf, placesIn, replaced, samples } from '../../contract/wire-samples.js'
import { createOffer, start, update } from '../exchange.js'
import { withStoredParts } from '../../../src/sandbox/billogram/update-billogram.js'

const { request } = samples.updateBillogram

/** Objects and lists that an update may leave out, by the sample that was typed from the description. */
const PARTS = placesIn(request).filter(
  ({ path, value }) =>
    typeof value === 'object' &&
    value !== null &&
    typeof path.at(-1) === 'string' &&
    !['customer', 'items', 'registered_payments.payments', 'automatic_reminders_settings'].includes(
      namesOf(path),
    ),
)

describe('null for an object or a list of an update', () => {
  it('is refused unless the sandbox was told to accept it', async () => {
    const sandbox = await start()
    for (const { path } of PARTS) {
      const answer = await update(sandbox, replaced(request, path, null))
      expect([answer.status, answer.json], namesOf(path)).toMatchObject([
        400,
        { data: { field: path.join('.') } },
      ])
    }
  })

  it('leaves each as it is stored, where it was told to', async () => {
    const sandbox = await start({ choices: { nullParts: 'keep' } })
    await createOffer(sandbox)
    const { registered_payments: _once, ...whole } = request
    const put = async (body: unknown) => {
      const { status, json } = await update(sandbox, body)
      expect(status, JSON.stringify(json)).toBe(200)
      return (json as { data: object }).data
    }
    const stored = await put(whole)
    expect(PARTS.length).toBeGreaterThan(15)
    for (const { path } of PARTS) {
      const shown = await put(replaced(whole, path, null))
      // An element of a list replaces another one, so that nothing is stored of it.
      const isInList = path.some((name) => typeof name === 'number')
      const expected = isInList ? (replaced(stored, path, undefined) as object) : stored
      expect(shown, namesOf(path)).toEqual({ ...expected, updated_at: expect.any(String) as string })
      await put(whole)
    }
  })

  it('is refused still for what is required, and for a plain value', async () => {
    const sandbox = await start({ choices: { nullParts: 'keep' } })
    const plain = ['due_days', 'currency', 'attachment_content', 'automatic_reminders']
    for (const field of ['customer', 'items', ...plain]) {
      const answer = await update(sandbox, { ...request, [field]: null })
      expect(answer, field).toMatchObject({ status: 400, json: { data: { field } } })
    }
    const inside = { ...request, customer: { name: null } }
    expect((await update(sandbox, inside)).status).toBe(400)
  })

  it('keeps the meaning that null has for reminders', async () => {
    const sandbox = await start({ choices: { nullParts: 'keep' } })
    const put = (automatic_reminders_settings: unknown) =>
      update(sandbox, { customer: {}, items: [], automatic_reminders_settings })
    await put([])
    expect((await put(null)).json).toMatchObject({
      data: { automatic_reminders: true, automatic_reminders_settings: [{ delay_days: 14 }] },
    })
  })

  it.each([null, 7, 'x', [], [null], { info: 7 }, { items: [null, 7] }, { not_documented: null }])(
    'changes nothing else: %j',
    (sent) => {
      expect(withStoredParts(billogramRequest, sent, { info: {} })).toEqual(sent)
    },
  )
})
