import { describe, expect, it } from 'vitest'
import { namesOf, placesIn, replaced, samples } from '../contract/wire-samples.js'
import { start, update } from './exchange.js'

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
  it('choice 34: is refused', async () => {
    const sandbox = await start()
    for (const { path } of PARTS) {
      const answer = await update(sandbox, replaced(request, path, null))
      expect([answer.status, answer.json], namesOf(path)).toMatchObject([
        400,
        { data: { field: path.join('.') } },
      ])
    }
  })

  it('keeps the meaning that null has for reminders', async () => {
    const sandbox = await start()
    const put = (automatic_reminders_settings: unknown) =>
      update(sandbox, { customer: {}, items: [], automatic_reminders_settings })
    await put([])
    expect((await put(null)).json).toMatchObject({
      data: { automatic_reminders: true, automatic_reminders_settings: [{ delay_days: 14 }] },
    })
  })
})
