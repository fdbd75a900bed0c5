import { createHash } from 'node:crypto'
import {
  cellsOf,
  CREDITOR,
  FOREIGN_NAMES,
  headerOf,
  NAMES,
  STATUS_COLUMNS,
  type ExportRow,
  type StatusColumn,
  type Told,
  type TrueMandate,
} from './people-truth.js'
import { shuffled, write } from './people-spreadsheet.js'
import { inventIban, seeded } from '../support/sample-values.js'
import type { Chance } from '../support/chance.js'

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
