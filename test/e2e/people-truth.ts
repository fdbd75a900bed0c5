import { inventIban, seeded } from '../support/sample-values.js'
import type { Chance } from './simulation-chance.js'

/** What a customer once signed. Exports may say it wrongly; there is one of it all the same. */
export interface TrueMandate {
  readonly customerNo: number
  readonly name: string
  readonly signedDate: string
  readonly creditorIdentifier: string
  readonly reference: string
  readonly account: string
  /** Accounts that an export may name for it before it is corrected: an older one of the same customer. */
  readonly formerAccount: string
}

/** A mandate as an export tells it, with what is wrong with it there. */
export interface ExportRow {
  readonly mandate: TrueMandate
  readonly fault: Fault | null
}

export type Fault =
  | 'former_account' // readable, and not the right one any more
  | 'mistyped_account' // fails its checksum
  | 'mistyped_reference'

const CREDITOR = 'DE98ZZZ09999999999'

const NAMES = [
  'Zum Adler',
  'Zum Hirsch',
  'Müller, Anna',
  'Weiß & Co',
  "O'Neill",
  'Jäger',
  'de Vries',
  'Huber',
]

/** The mandates of one campaign. No two of a customer were signed on one day, so that each can be told. */
export function inventMandates(chance: Chance): TrueMandate[] {
  const random = seeded(chance.between(1, 2 ** 30))
  const mandates: TrueMandate[] = []
  const hasLongNumbers = chance.happens(0.1)
  const kind = chance.weigh({ zeros: 4, letters: 4, mixed: 2 })
  for (const n of Array.from({ length: chance.between(3, 6) }, (_, index) => index)) {
    const customerNo = hasLongNumbers ? 100_500_000_001 + n : 1001 + n
    const account = inventIban(random, 'DE')
    const one = (signedDate: string, name: string, index: number): TrueMandate => ({
      customerNo,
      name,
      signedDate,
      creditorIdentifier: CREDITOR,
      reference: referenceOf(kind, index),
      account,
      formerAccount: inventIban(random, 'DE'),
    })
    const name = NAMES[n % NAMES.length]!
    mandates.push(one(`2024-0${1 + (n % 9)}-${13 + n}`, name, mandates.length))
    if (!chance.happens(0.25)) continue
    const second = one(`2025-0${1 + (n % 9)}-${14 + n}`, name, mandates.length)
    mandates.push(chance.happens(0.6) ? second : { ...second, account: inventIban(random, 'DE') })
  }
  return mandates
}

function referenceOf(kind: 'zeros' | 'letters' | 'mixed', index: number): string {
  const isDigits = kind === 'zeros' || (kind === 'mixed' && index % 2 === 0)
  return isDigits ? `00${4711 + index}` : `MND-2020-${String(index + 1).padStart(4, '0')}`
}

export const HEADER = [
  'customer_no',
  'account_holder',
  'iban',
  'signed_date',
  'sepa_creditor_identifier',
  'unique_mandate_reference',
] as const

/** The cells of a row in an export, in the order of `HEADER`. */
export function cellsOf({ mandate, fault }: ExportRow): string[] {
  const account = fault === 'former_account' ? mandate.formerAccount : mandate.account
  return [
    String(mandate.customerNo),
    mandate.name,
    fault === 'mistyped_account' ? mistyped(account) : account,
    mandate.signedDate,
    mandate.creditorIdentifier,
    fault === 'mistyped_reference' ? `${mandate.reference}X` : mandate.reference,
  ]
}

const mistyped = (account: string): string => account.slice(0, -1) + String((Number(account.at(-1)) + 1) % 10)

/** Which mandate is meant by a customer and a day; people and judges tell it so, references get lost. */
export const mandateMeant = (
  mandates: readonly TrueMandate[],
  customerNo: number,
  signedDate: string,
): TrueMandate | undefined =>
  mandates.find((mandate) => mandate.customerNo === customerNo && mandate.signedDate === signedDate)
