import type { CURRENCIES, Reminder } from '../contract/billogram.js'

/**
 * What the description of the interface leaves open and the sandbox lets you switch. The numbers are those of
 * sandbox/choices.md, which also lists the choices that are fixed.
 */
export interface Choices {
  /** 5. The same original identifiers a second time: a second mandate, 400 INVALID_OBJECT_STATE, or 409. */
  readonly repeatedMandate: 'register' | 'refuse' | 'conflict'
  /** 6. Another mandate for a customer that has one: accepted, or 400 INVALID_OBJECT_STATE. */
  readonly secondMandateOfCustomer: 'register' | 'refuse'
  /** 7. `checksum` refuses account numbers whose check digits are wrong, `none` takes any text. */
  readonly ibanCheck: 'checksum' | 'none'
  /** 8. What an update does to optional fields it leaves out. */
  readonly omittedFields: 'keep' | 'clear'
  /** 9. The one currency the creditor's country allows; null allows every listed one. */
  readonly accountCurrency: (typeof CURRENCIES)[number] | null
  /** 10. The business account's own reminders, used where a billogram has none. */
  readonly accountReminders: readonly Reminder[]
  /** 11. The largest request body in bytes; above it 413. */
  readonly bodyLimitBytes: number
  /** 30. Whether a payment source that was cancelled is listed still. */
  readonly cancelledSources: 'listed' | 'gone'
  /** 34. An optional object or list of an update that is null: 400, or it stays as it is stored. */
  readonly nullParts: 'refuse' | 'keep'
}

export const DEFAULT_CHOICES: Choices = {
  repeatedMandate: 'register',
  secondMandateOfCustomer: 'register',
  ibanCheck: 'checksum',
  omittedFields: 'keep',
  accountCurrency: 'EUR',
  accountReminders: [{ delay_days: 14, message: 'Your invoice is overdue', type: 'Email' }],
  bodyLimitBytes: 8 * 1024 * 1024,
  cancelledSources: 'listed',
  nullParts: 'refuse',
}
