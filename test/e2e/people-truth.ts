import { inventIban, seeded } from '../support/sample-values.js'
import type { Chance } from '../support/chance.js'

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
  /** The customer has ended it, which its export says where it has a column for that. */
  readonly hasEnded: boolean
  /** What else exports call it, where there are several (people-history.ts). */
  readonly past?: Past
}

/** What an export of another day, or of another system, calls a mandate. */
interface Past {
  readonly customerNo: number
  readonly signedDate: string
  readonly spellings: readonly string[]
}

/** What one export says of a mandate. */
export type Told = Pick<TrueMandate, 'customerNo' | 'signedDate' | 'account' | 'reference' | 'hasEnded'>

/** A mandate as an export tells it, with what is wrong with it there. */
export interface ExportRow {
  readonly mandate: TrueMandate
  readonly fault: Fault | null
  readonly status: StatusColumn | null
  /** Where that is not what is true at the end. */
  readonly told?: Told
  /** The system has other names for its columns. */
  readonly isForeign?: boolean
}

export type Fault =
  | 'former_account' // readable, and not the right one any more
  | 'mistyped_account' // fails its checksum
  | 'mistyped_reference'
  | 'former_account_mistyped_reference' // nothing but customer and day says which mandate it is

export const CREDITOR = 'DE98ZZZ09999999999'

export const NAMES = [
  'Zum Adler',
  'Zum Hirsch',
  'Müller, Anna',
  'Weiß & Co',
  "O'Neill",
  'Jäger',
  'de Vries',
  'Huber',
]

/** What a campaign is like; a plot about one kind of mistake may say it, and chance says the rest. */
export interface Scene {
  /** How many of all customers have two mandates. */
  readonly pairs: number
  /** How two exports share the mandates. */
  readonly shares: 'one' | 'halves' | 'interlaced'
  readonly status: StatusColumn | null
  /** The service recognises a mandate that it holds. */
  readonly recognises: boolean
  readonly weather: 'fine' | 'refusing' | 'rough' | 'late'
  /** What is wrong with most rows. */
  readonly mostly: Fault | null
  /** How often people work in the workbook, and not in a list. */
  readonly inWorkbooks: number
  /** Two systems export the mandates, month by month. */
  readonly hasHistory: boolean
}

export const drawScene = (chance: Chance): Scene => ({
  pairs: chance.pick([0.25, 0.25, 0.8]),
  shares: chance.weigh({ one: 6, halves: 2, interlaced: 2 }),
  status: chance.happens(0.15) ? chance.pick(STATUS_COLUMNS) : null,
  recognises: chance.happens(0.15),
  weather: chance.pick(['fine', 'refusing', 'rough', 'late']),
  mostly: null,
  inWorkbooks: chance.pick([0, 0.5, 1]),
  hasHistory: false,
})

/** The mandates of one campaign. No two of a customer were signed on one day, so that each can be told. */
export function inventMandates(chance: Chance, { pairs, status }: Scene): TrueMandate[] {
  const random = seeded(chance.between(1, 2 ** 30))
  const mandates: TrueMandate[] = []
  const hasLongNumbers = chance.happens(0.1)
  const kind = chance.weigh({ zeros: 4, letters: 4, mixed: 2 })
  for (const n of Array.from({ length: chance.between(3, 6) }, (_, index) => index)) {
    const customerNo = hasLongNumbers ? 100_500_000_001 + n : 1001 + n
    const account = inventIban(random)
    const one = (signedDate: string, name: string, index: number): TrueMandate => ({
      customerNo,
      name,
      signedDate,
      creditorIdentifier: CREDITOR,
      reference: referenceOf(kind, index),
      account,
      formerAccount: inventIban(random),
      hasEnded: status !== null && chance.happens(0.3),
    })
    const name = NAMES[n % NAMES.length]!
    mandates.push(one(`2024-0${1 + (n % 9)}-${13 + n}`, name, mandates.length))
    if (!chance.happens(pairs)) continue
    const second = one(`2025-0${1 + (n % 9)}-${14 + n}`, name, mandates.length)
    mandates.push(chance.happens(0.6) ? second : { ...second, account: inventIban(random) })
  }
  return mandates
}

/** Mandates of other customers, that were signed when the campaign had begun. */
export const inventLater = (chance: Chance): TrueMandate[] =>
  inventMandates(chance, { ...drawScene(chance), pairs: 0, status: null }).map((mandate, at) => ({
    ...mandate,
    customerNo: mandate.customerNo + 700,
    reference: `LATER-${at + 1}`,
  }))

function referenceOf(kind: 'zeros' | 'letters' | 'mixed', index: number): string {
  const isDigits = kind === 'zeros' || (kind === 'mixed' && index % 2 === 0)
  return isDigits ? `00${4711 + index}` : `MND-2020-${String(index + 1).padStart(4, '0')}`
}

const HEADER = [
  'customer_no',
  'account_holder',
  'iban',
  'signed_date',
  'sepa_creditor_identifier',
  'unique_mandate_reference',
] as const

/** The column of an export that says which mandates have ended; null where it has none. */
export interface StatusColumn {
  readonly name: string
  /** The program knows what such a column is by its name. */
  readonly isUsual: boolean
  readonly goes: string
  readonly ended: string
  /** What everybody says of its words once the program asks; nobody ever says what `ended` means. */
  readonly words?: string
}

export const STATUS_COLUMNS: readonly StatusColumn[] = [
  { name: 'Mandatsstatus', isUsual: true, goes: 'aktiv', ended: 'gekündigt zum 31.12.2025' },
  { name: 'Kennz. 3', isUsual: false, goes: 'aktiv', ended: 'erloschen' },
  { name: 'Bemerkung', isUsual: false, goes: '', ended: 'Opgezegd' },
  { name: 'Mandatsstatus', isUsual: true, goes: 'aktiv', ended: 'XK7' },
  { name: 'Status', isUsual: true, goes: '1', ended: '4', words: 'words: { status: { active: ["1"] } }\n' },
]

export const hasFormerAccount = ({ fault }: ExportRow): boolean =>
  fault === 'former_account' || fault === 'former_account_mistyped_reference'

const hasMistypedReference = ({ fault }: ExportRow): boolean =>
  fault === 'mistyped_reference' || fault === 'former_account_mistyped_reference'

/** What an export can put right: with an account and a reference at once, nobody could tell it from another mandate. */
export const correctedFault = (fault: Fault | null): Fault | null =>
  fault === 'former_account_mistyped_reference' ? 'mistyped_reference' : null

export const headerOf = ([first]: readonly ExportRow[]): string[] => {
  const names = first?.isForeign === true ? HEADER.map((name) => FOREIGN_NAMES[name] ?? name) : HEADER
  const status = first?.status ?? null
  return status === null ? [...names] : [...names, status.name]
}

/** What another system calls some of the columns. */
export const FOREIGN_NAMES: Readonly<Record<string, string>> = {
  iban: 'Konto',
  signed_date: 'Mandatsdatum',
  unique_mandate_reference: 'Mandatsreferenz',
}

/** The cells of a row in an export, in the order of its header. */
export function cellsOf(row: ExportRow): string[] {
  const { mandate, fault, status, told = mandate } = row
  const account = hasFormerAccount(row) ? mandate.formerAccount : told.account
  return [
    String(told.customerNo),
    mandate.name,
    fault === 'mistyped_account' ? mistyped(account) : account,
    told.signedDate,
    mandate.creditorIdentifier,
    hasMistypedReference(row) ? `${told.reference}X` : told.reference,
    ...(status === null ? [] : [told.hasEnded ? status.ended : status.goes]),
  ]
}

const mistyped = (account: string): string => account.slice(0, -1) + String((Number(account.at(-1)) + 1) % 10)

/** The references by which exports call it. */
export const spellingsOf = ({ reference, past }: TrueMandate): readonly string[] =>
  past?.spellings ?? [reference, `${reference}X`]

/** Which mandate is meant by a customer and a day; people and judges tell it so, references get lost. */
export function mandateMeant(
  mandates: readonly TrueMandate[],
  customerNo: number,
  signedDate: string,
  reference = '',
): TrueMandate | undefined {
  const meant = mandates.filter(
    (mandate) =>
      // A program of the clerk may have made "1003.0" of the number.
      (customerNo === 0
        ? spellingsOf(mandate).includes(reference)
        : [mandate.customerNo, mandate.past?.customerNo].includes(customerNo)) &&
      [mandate.signedDate, mandate.past?.signedDate].includes(signedDate),
  )
  // Some customers signed several on one day.
  return meant.length > 1 ? meant.find((mandate) => spellingsOf(mandate).includes(reference)) : meant[0]
}
