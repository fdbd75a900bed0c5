import { countText } from '../domain/text/wording.js'
import { UsageError, type Way } from '../errors.js'
import type { ClaimedMandate, Claims } from '../ledger/ledger.js'
import { sameService } from '../service/base-url.js'
import type { RegisterFile } from './register-file.js'

/** How far a ledger has come, as the register knows it. SQLite's truth values. */
export interface Note {
  readonly n: number
  readonly id: string
  readonly place: string
  readonly service: string
  /** Null until a run of it claimed. */
  readonly mark: string | null
  readonly attempts: number
  readonly isOpen: 0 | 1
  readonly retiredBy: string | null
}

const NOTE = `select n, id, place, service, mark, attempts, is_open as isOpen, retired_by as retiredBy from ledger`

export const noteOf = ({ connection }: RegisterFile, ledgerId: string): Note | undefined =>
  connection.prepare<[string], Note>(`${NOTE} where id = ?`).get(ledgerId)

/** What a ledger is put beside others with. */
export interface Comparison {
  readonly file: RegisterFile
  readonly claims: Pick<Claims, 'standing' | 'keysOfCustomer'>
  readonly baseUrl: string
  readonly numberOf: (text: string) => number
  /** Ledgers whose place this one takes, by number; they count as retired. */
  readonly replaces: readonly number[]
}

/**
 * Puts rows of this ledger beside what other ledgers of the same service claimed, in tables that go with the connection.
 * @returns false where there is no other ledger
 */
export function compare(
  { file: { connection }, claims, baseUrl, numberOf, replaces }: Comparison,
  rows: () => Iterable<ClaimedMandate>,
): boolean {
  connection.exec(`
    create temp table if not exists other (n integer primary key, is_retired integer not null);
    create temp table if not exists mine
      (row integer primary key, mandate integer not null, likeness integer not null, attempts integer not null);
    delete from temp.other; delete from temp.mine`)
  const own = claims.standing().ledgerId
  const others = connection
    .prepare<[], Note>(NOTE)
    .all()
    .filter(({ id, service }) => id !== own && sameService(service, baseUrl))
  const insertOther = connection.prepare('insert into temp.other values (?, ?)')
  for (const { n, retiredBy } of others)
    insertOther.run(n, retiredBy !== null || replaces.includes(n) ? 1 : 0)
  const insert = connection.prepare('insert into temp.mine values (?, ?, ?, ?)')
  connection.transaction(() => {
    for (const { row, key, likeness, attempts } of rows())
      insert.run(row, numberOf(key), numberOf(likeness), attempts)
  })()
  return others.length > 0
}

/** Mandates of these rows that other ledgers claimed. Of a run that did not come to its end all counts as begun. */
const MATCHES = `select mine.row, mine.attempts, theirs.ledger, place, is_retired,
    theirs.begun or is_open as begun
  from temp.mine join mandate as theirs on theirs.mandate = mine.mandate
  join temp.other on other.n = theirs.ledger join ledger on ledger.n = theirs.ledger`

/** A retired ledger bars what it began and what this ledger knows no attempt of; a living one all that it claimed. */
const BARRED = `(is_retired = 0 or (begun and attempts = 0))`

/** @throws {UsageError} where another ledger claimed what was compared */
export function refuseClaimed({ connection }: RegisterFile): void {
  const found = connection
    .prepare<[], { readonly count: number; readonly place: string }>(
      `select count(distinct row) as count, min(place) as place from (${MATCHES}) where ${BARRED} having count(*) > 0`,
    )
    .get()
  if (found === undefined) return
  const { count, place } = found
  throw new UsageError(
    `${count === 1 ? 'A mandate that is' : `${countText(count)} mandates that are`} ready here ${count === 1 ? 'was' : 'were'} already claimed for the same service by the ledger "${place}"; nothing was sent`,
    `Continue with the ledger "${place}". Only where it is lost, go on with this one: what that ledger began to send comes in as in doubt, and it is refused from then on`,
    { ways: OTHER_WAYS },
  )
}

const OTHER_WAYS: readonly Way[] = ['name_ledger', 'another_ledger']

/** Ledgers that claimed what was compared and are not retired yet. */
export const claimants = ({ connection }: RegisterFile): { readonly n: number; readonly place: string }[] =>
  connection
    .prepare<[], { n: number; place: string }>(
      `select distinct ledger as n, place from (${MATCHES}) where is_retired = 0 order by n`,
    )
    .all()

/** Rows that another ledger began to send. */
export const begunElsewhere = ({ connection }: RegisterFile): readonly number[] =>
  connection
    .prepare<[], number>(`select distinct row from (${MATCHES}) where begun and ${BARRED} order by row`)
    .pluck()
    .all()

/** A row of this ledger, and a ledger that claimed a mandate of the same customer and date under another reference. */
export interface Resembling {
  readonly row: number
  readonly place: string
}

/**
 * A spreadsheet changes references (zeros in front are lost), so a mandate is known by customer and date too. Rows that
 * this ledger claimed itself, and those whose mandate is known for certain, resemble nothing; neither does another
 * mandate of the customer which this ledger holds as well.
 */
export function resembling({ file, claims, numberOf }: Comparison): Resembling[] {
  const found = file.connection
    .prepare<[string], Resembling & { theirs: number }>(
      `select mine.row, min(place) as place, theirs.mandate as theirs
         from temp.mine join mandate as theirs on theirs.likeness = mine.likeness
         join temp.other on other.n = theirs.ledger join ledger on ledger.n = theirs.ledger
        where mine.attempts = 0 and (is_retired = 0 or theirs.begun or is_open)
          and not exists (select 1 from mandate as own join ledger on ledger.n = own.ledger
            where ledger.id = ? and own.row = mine.row)
          and not exists (select 1 from mandate as same join temp.other on other.n = same.ledger
            where same.mandate = mine.mandate)
        group by mine.row, theirs.mandate order by mine.row`,
    )
    .all(claims.standing().ledgerId)
  const places = new Map<number, string>()
  for (const { row, place, theirs } of found)
    if (!claims.keysOfCustomer(row).some((key) => numberOf(key) === theirs)) places.set(row, place)
  return [...places].map(([row, place]) => ({ row, place }))
}
