import { createHash } from 'node:crypto'
import type { Chance } from '../support/chance.js'
import { inventIban, seeded } from '../support/sample-values.js'
import { shuffled, write } from './people-spreadsheet.js'

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
  /** What else exports call it, where there are several. */
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

const CREDITOR = 'DE98ZZZ09999999999'

const NAMES = ['Zum Adler', 'Zum Hirsch', 'Müller, Anna', 'Weiß & Co', "O'Neill", 'Jäger', 'Vries', 'Huber']

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

const ACCOUNT = ['customer_no', 'account_holder', 'iban'] as const
const HEADER = [...ACCOUNT, 'signed_date', 'sepa_creditor_identifier', 'unique_mandate_reference'] as const

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

const STATUS_COLUMNS: readonly StatusColumn[] = [
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

/** What one of two systems said on one day. */
export interface Export {
  readonly name: string
  readonly text: string
  readonly sha256: string
  readonly system: System
  /** Days count through both systems, and no two exports are of one day: each says what is true on its own. */
  readonly day: number
  readonly hasStatus: boolean
  readonly rows: readonly HistoryRow[]
}

type HistoryRow = ExportRow & { readonly told: Told }

type System = 'a' | 'b'

export interface History {
  readonly mandates: readonly TrueMandate[]
  /** Those that have ended when all is told. */
  readonly ended: ReadonlySet<TrueMandate>
  /** By their days. */
  readonly exports: readonly Export[]
  /** What everybody writes into the configuration. */
  readonly columns: string
  /** Some mandate had another customer number once: by that and another spelling no register knows it again. */
  readonly changesCustomers: boolean
}

/** How a system may write the reference of another one; which it is can be told from letters and digits. */
const SPELLINGS = {
  'as it is': (reference) => reference,
  joined: (reference) => reference.replaceAll('-', ''),
  zeros: (reference) => `00${reference}`,
  blank: (reference) => reference.replaceAll('-', ' '),
  lower: (reference) => reference.toLowerCase(),
} as const satisfies Readonly<Record<string, (reference: string) => string>>

type Spelling = keyof typeof SPELLINGS

const LAST_DAY = 5
const NEVER = LAST_DAY + 4
const FIRST_CUSTOMER = 1002

/** What became of a mandate, day by day. */
interface Life {
  readonly mandate: TrueMandate
  readonly systems: readonly System[]
  /** Its reference stands everywhere as it is. */
  readonly isSpelledAlike: boolean
  readonly hasMistypedReference: boolean
  /** Until then its account is mistyped. */
  readonly mistypedUntil: number
  /** From then on exports say what is true. */
  readonly changesOn: number
  readonly endsOn: number
  readonly revivesOn: number
  readonly appearsOn: number
  readonly vanishesOn: number
}

const isTold = ({ systems, appearsOn, vanishesOn }: Life, system: System, day: number): boolean =>
  systems.includes(system) && appearsOn <= day && day < vanishesOn

function toldOf(life: Life, day: number, spelling: Spelling): Told {
  const { mandate, changesOn, hasMistypedReference, isSpelledAlike } = life
  const isFormer = day < changesOn
  const reference = isSpelledAlike ? mandate.reference : SPELLINGS[spelling](mandate.reference)
  return {
    customerNo: isFormer ? (mandate.past?.customerNo ?? mandate.customerNo) : mandate.customerNo,
    signedDate: isFormer ? (mandate.past?.signedDate ?? mandate.signedDate) : mandate.signedDate,
    account: isFormer ? mandate.formerAccount : mandate.account,
    reference: hasMistypedReference && isFormer ? `${mandate.reference}X` : reference,
    hasEnded: life.endsOn <= day && day < life.revivesOn,
  }
}

/** What was wrong or has changed: never customer and account of one mandate, or nothing would say which it is. */
type Change = 'nothing' | 'account' | 'date' | 'account and date' | 'customer' | 'reference'

export function inventHistory(chance: Chance): History {
  const random = seeded(chance.between(1, 2 ** 30))
  const changesCustomers = chance.happens(0.5)
  const lives: Life[] = []
  const live = (
    own: Pick<TrueMandate, 'customerNo' | 'reference'>,
    rest: { account?: string; signedDate?: string; change?: Change; isSpelledAlike?: boolean } = {},
  ): void => {
    const n = lives.length
    const change = rest.change ?? 'nothing'
    const account = rest.account ?? inventIban(random)
    const signedDate = rest.signedDate ?? `2024-0${1 + n}-${13 + n}`
    const isAnothers = own.customerNo !== FIRST_CUSTOMER && chance.happens(0.3)
    const endsOn = chance.happens(0.3) ? chance.between(1, LAST_DAY) : NEVER
    const mandate: TrueMandate = {
      ...own,
      ...{ account, signedDate, creditorIdentifier: CREDITOR, hasEnded: false },
      name: NAMES[n % NAMES.length]!,
      formerAccount: /account/.test(change) ? inventIban(random) : account,
      past: {
        customerNo:
          change === 'customer' ? (isAnothers ? FIRST_CUSTOMER : own.customerNo + 400) : own.customerNo,
        signedDate: /date/.test(change) ? signedDate.replace('2024', '2023') : signedDate,
        spellings: [
          ...Object.values(SPELLINGS).map((spell) => spell(own.reference)),
          ...(change === 'reference' ? [`${own.reference}X`] : []),
        ],
      },
    }
    lives.push({
      mandate,
      systems: chance.weigh({ ab: 6, a: 2, b: 1 }).split('') as System[],
      isSpelledAlike: rest.isSpelledAlike === true || change === 'reference',
      hasMistypedReference: change === 'reference',
      // Without its account, customer and reference must say which it is.
      mistypedUntil:
        !['customer', 'reference'].includes(change) && chance.happens(0.2) ? chance.between(1, NEVER) : 0,
      changesOn: change === 'nothing' ? 0 : chance.between(1, LAST_DAY),
      endsOn,
      revivesOn: chance.happens(0.15) ? endsOn + chance.between(1, 3) : NEVER,
      appearsOn: chance.happens(0.15) ? chance.between(1, LAST_DAY - 1) : 0,
      vanishesOn: chance.happens(0.15) ? chance.between(1, LAST_DAY) : NEVER,
    })
  }
  for (const n of [0, 1, 2, 3].slice(0, chance.between(2, 4)))
    live(
      { customerNo: FIRST_CUSTOMER + n, reference: chance.happens(0.7) ? `MND-000${n}` : `00471${n}` },
      {
        change: chance.weigh<Change>({
          ...{ nothing: 3, account: 2, date: 2, 'account and date': 1, reference: 1.5 },
          customer: changesCustomers ? 2 : 0,
        }),
      },
    )
  // Of two customers, though letters and digits are the same.
  if (chance.happens(0.35)) {
    live({ customerNo: 1, reference: '1-11' }, { isSpelledAlike: true })
    live({ customerNo: 11, reference: '11-1' }, { isSpelledAlike: true })
  }
  // Of one customer, and on one account.
  if (chance.happens(0.35)) {
    const account = inventIban(random)
    const isOfOneDay = chance.happens(0.5)
    for (const n of [1, 2, 3].slice(0, chance.between(2, 3)))
      live(
        { customerNo: 1020, reference: `A-${n}` },
        { account, signedDate: isOfOneDay ? '2024-09-20' : `2024-09-2${n}` },
      )
  }
  return {
    mandates: lives.map(({ mandate }) => mandate),
    ended: new Set(
      lives.flatMap(({ mandate, endsOn, revivesOn }) =>
        endsOn <= LAST_DAY && LAST_DAY < revivesOn ? [mandate] : [],
      ),
    ),
    ...exportsOf(lives, chance),
    changesCustomers: lives.some(({ mandate }) => mandate.past?.customerNo !== mandate.customerNo),
  }
}

function exportsOf(lives: readonly Life[], chance: Chance): Pick<History, 'exports' | 'columns'> {
  const status = chance.pick(STATUS_COLUMNS.filter(({ isUsual }) => isUsual))
  const isForeign = chance.happens(0.5)
  const own = chance.pick(Object.keys(SPELLINGS) as Spelling[])
  const of = (system: System, count: number, statuses: number, spell: () => Spelling): Export[] =>
    Array.from({ length: count }, (_, n) => {
      const day = 2 * n + (system === 'a' ? 0 : 1)
      const has: StatusColumn | null = chance.happens(statuses) ? status : null
      const told = lives.filter((life) => isTold(life, system, day))
      const rows = shuffled(told, chance).map((life) => ({
        mandate: life.mandate,
        fault: day < life.mistypedUntil ? ('mistyped_account' as const) : null,
        status: has,
        told: toldOf(life, day, spell()),
        isForeign: isForeign && system === 'b',
      }))
      const text = write([headerOf(rows), ...rows.map(cellsOf)])
      return {
        // As systems name them, the shell puts the second month before the first.
        name: `export-${system}-${9 + n}.csv`,
        sha256: createHash('sha256').update(text).digest('hex'),
        ...{ text, system, day, hasStatus: has !== null, rows },
      }
    })
  const first = of('a', chance.between(1, 3), 0.8, () => (chance.happens(0.8) ? 'as it is' : own))
  const second = of('b', chance.pick([0, 1, 1, 2, 2, 3]), 0.4, () =>
    chance.happens(0.8) ? own : chance.pick(Object.keys(SPELLINGS) as Spelling[]),
  )
  const names = Object.entries(FOREIGN_NAMES).map(([name, foreign]) => `  ${name}: [${name}, ${foreign}]\n`)
  return {
    exports: [...first, ...second]
      .filter(({ rows }) => rows.length > 0)
      .sort((one, other) => one.day - other.day),
    columns: `columns:\n${names.join('')}${status.words ?? ''}`,
  }
}
