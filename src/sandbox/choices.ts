import { z } from 'zod'
import { CURRENCIES, reminder } from '../contract/billogram.js'

/**
 * What the description of the interface leaves open and the sandbox lets you switch, with what holds when nothing is
 * said. The numbers are those of sandbox/choices.md, which also lists the choices that are fixed.
 */
export const choicesSchema = z.strictObject({
  /** 5. The same original identifiers a second time: 400 INVALID_OBJECT_STATE, 409, or a second mandate. */
  repeatedMandate: z.enum(['refuse', 'conflict', 'register']).default('refuse'),
  /** 6. Another mandate for a customer that has one: accepted, or 400 INVALID_OBJECT_STATE. */
  secondMandateOfCustomer: z.enum(['register', 'refuse']).default('register'),
  /** 7. `checksum` refuses account numbers whose check digits are wrong, `none` takes any text. */
  ibanCheck: z.enum(['checksum', 'none']).default('checksum'),
  /** 8. What an update does to optional fields it leaves out. */
  omittedFields: z.enum(['keep', 'clear']).default('keep'),
  /** 9. The one currency the creditor's country allows; null allows every listed one. */
  accountCurrency: z.enum(CURRENCIES).nullable().default('EUR'),
  /** 10. The business account's own reminders, used where a billogram has none. */
  accountReminders: z
    .array(reminder)
    .default([{ delay_days: 14, message: 'Your invoice is overdue', type: 'Email' }]),
  /** 11. The largest request body in bytes; above it 413. */
  bodyLimitBytes: z
    .int()
    .min(1_024)
    .default(8 * 1024 * 1024),
  /** 30. Whether a payment source that was cancelled is listed still. */
  cancelledSources: z.enum(['listed', 'gone']).default('listed'),
  /** 34. An optional object or list of an update that is null: 400, or it stays as it is stored. */
  nullParts: z.enum(['refuse', 'keep']).default('refuse'),
})

export type Choices = Readonly<z.output<typeof choicesSchema>>
