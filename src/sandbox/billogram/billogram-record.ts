import type {
  Billogram,
  BillogramEvent,
  BillogramItem,
  BillogramRequest,
  Reminder,
} from '../../contract/billogram.js'
import starting from './starting-billograms.json' with { type: 'json' }
/** The fields of a billogram that are stored as they were sent. */
export type PlainFields = Omit<
  BillogramRequest,
  | 'creditor_unique_value'
  | 'automatic_reminders'
  | 'automatic_reminders_settings'
  | 'attachment'
  | 'detailed_sums'
  | 'registered_payments'
  | 'return_data'
>

/** Reminders of one billogram. Null settings stand for those of the business account. */
interface Reminders {
  readonly automatic: boolean
  readonly settings: readonly Reminder[] | null
}

/** A billogram as the sandbox stores it; `toBillogram` adds what is computed. */
export interface BillogramRecord {
  readonly id: string
  readonly fields: PlainFields
  readonly creditorUniqueValue: string | number | null
  readonly reminders: Reminders
  readonly attachment: string | null
  readonly events: readonly BillogramEvent[]
  readonly paidSum: number
  /** ISO 8601, UTC. */
  readonly createdAt: string
  readonly updatedAt: string
}

/** What answers show instead of a signing key (`callbacks`). Sent back, it leaves a stored key as it is. */
export const HIDDEN_SIGN_KEY = '<SIGNING_SECRET>'

/** The business account's own, used where a billogram has none: choice 10 of sandbox/choices.md. */
const ACCOUNT_REMINDERS: readonly Reminder[] = [
  { delay_days: 14, message: 'Your invoice is overdue', type: 'Email' },
]

/** The billogram as an answer shows it. */
export function toBillogram(record: BillogramRecord): Billogram {
  const { callbacks, ...fields } = record.fields
  const { total_sum, ...sums } = sumsOf(record)
  return {
    id: record.id,
    ...fields,
    ...(callbacks === undefined ? {} : { callbacks: withoutSecret(callbacks) }),
    creditor_unique_value: record.creditorUniqueValue,
    automatic_reminders: record.reminders.automatic,
    automatic_reminders_settings: [...(record.reminders.settings ?? ACCOUNT_REMINDERS)],
    attachment: record.attachment,
    events: [...record.events],
    delivery_method: 'Email',
    state: record.paidSum > 0 && sums.remaining_sum <= 0 ? 'Paid' : 'Unpaid',
    url: null,
    recipient_url: null,
    recipient_overview_url: null,
    flags: [],
    interest_fee: 0,
    remaining_sum: sums.remaining_sum,
    total_sum,
    rounding_value: 0,
    reminder_count: 0,
    detailed_sums: { ...sums, regional_sweden: { rotavdrag_sum: 0 } },
    created_at: record.createdAt,
    updated_at: record.updatedAt,
  }
}

const withoutSecret = (callbacks: NonNullable<PlainFields['callbacks']>) =>
  callbacks.sign_key === undefined ? callbacks : { ...callbacks, sign_key: HIDDEN_SIGN_KEY }

const toCents = (amount: number): number => Math.round(amount * 100) / 100

const netOf = ({ count = 1, price = 0, discount = 0 }: BillogramItem): number =>
  toCents(count * price * (1 - discount / 100))

/** `total_sum` and `detailed_sums`. How the service computes them is not shown: choice 12 of sandbox/choices.md. */
export function sumsOf({ fields, paidSum }: BillogramRecord) {
  const net = fields.items.reduce((sum, item) => sum + netOf(item), 0)
  const vat = fields.items.reduce((sum, item) => sum + toCents((netOf(item) * (item.vat ?? 0)) / 100), 0)
  const invoiceFee = fields.invoice_fee ?? 0
  const invoiceFeeVat = fields.invoice_fee_vat ?? 0
  const gross = toCents(net + vat)
  const total = toCents(gross + invoiceFee + invoiceFeeVat)
  return {
    total_sum: total,
    net_sum: toCents(net),
    vat_sum: toCents(vat),
    invoice_fee: invoiceFee,
    invoice_fee_vat: invoiceFeeVat,
    reminder_fee: fields.reminder_fee ?? 0,
    interest_fee: 0,
    rounding: 0,
    gross_sum: gross,
    credited_sum: 0,
    collector_paid_sum: 0,
    paid_sum: toCents(paidSum),
    remaining_sum: toCents(total - paidSum),
  }
}

type SubmittedReminders = Pick<BillogramRequest, 'automatic_reminders' | 'automatic_reminders_settings'>

/** The reminders after an update: the three rules of contract/README.md#billogram. */
export function remindersAfter(current: Reminders, submitted: SubmittedReminders): Reminders {
  const { automatic_reminders: automatic, automatic_reminders_settings: settings } = submitted
  if (settings === undefined) return withFlagAlone(current, automatic)
  // Rule 2: the empty list switches reminders off, whatever the flag says.
  if (settings?.length === 0) return { automatic: false, settings }
  // Rule 1: settings without the flag switch them on. Rule 3: null stands for the account's settings.
  return { automatic: automatic ?? true, settings }
}

/** A flag of true cannot mean the empty list, so the account's settings take its place (choice 13). */
function withFlagAlone(current: Reminders, automatic: boolean | undefined): Reminders {
  if (automatic === undefined) return current
  return { automatic, settings: automatic && current.settings?.length === 0 ? null : current.settings }
}

/** The billograms a new sandbox starts from, since the interface has no operation that creates one. */
export const STARTING_BILLOGRAMS = starting as readonly BillogramRecord[]
