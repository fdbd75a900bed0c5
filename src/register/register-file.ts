import { createPrivateFile } from '../ledger/safety/side-files.js'
import { randomBytes, createHmac } from 'node:crypto'
import { linkSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../driver.js'
import { codeOf, type HaltOptions, LedgerError, UsageError } from '../errors.js'
import { distrustFolder, distrustPrivateFile, entryAt, makeFolder, flush } from '../trust/trusted-file.js'
import type { ClaimedMandate } from '../ledger/ledger.js'
import { LIKE, type Claims, type Resembling } from '../ledger/deliver/ready-rows.js'
import { spellingOf } from '../domain/row/across-rows.js'
import { closing, keeping, sql, sqlValue, DISK_FULL } from '../ledger/file/connection.js'
import { sameService } from '../service/checked-service.js'
import { countText, isLoopback, plural } from '../domain/text/text.js'

/** As many bits as a JavaScript number holds exactly; of two million mandates none is likely to share one by chance. */
const BYTES = 6
const BITS_MORE = 5

/**
 * Turns a text into a number that means nothing without the key of this register. Two ledgers have the same mandate
 * where they have the same number, whatever else differs in their files.
 */
export const numberWith =
  (key: Uint8Array): ((text: string) => number) =>
  (text) => {
    const digest = createHmac('sha256', key).update(text).digest()
    return digest.readUIntBE(0, BYTES) * 2 ** BITS_MORE + (digest.readUInt8(BYTES) >> (8 - BITS_MORE))
  }

/** `SMMr` in ASCII: tells a register from any other SQLite file. */
const APPLICATION_ID = 0x534d4d72
const KEY_BYTES = 32
/** Another process may claim a million mandates meanwhile. */
const BUSY_TIMEOUT_MS = 30_000

export const REGISTER_FILE = 'register.db'
const SIDE_FILES = [`${REGISTER_FILE}-wal`, `${REGISTER_FILE}-shm`]

/**
 * `ledger`: how far each ledger has come. `mark` is that of its latest run that claimed; `is_open` while such a run has
 * not come to its end; `retired_by` names the ledger that took its place. `decided` is its `Standing.decided`.
 *
 * `mandate`: what they claimed, by the number of the row. `mandate` is the keyed number of creditor and reference,
 * `likeness` that of customer and date, `spelling` that of customer and folded reference: null for a reference without
 * letters and digits, and `reference` that of the folded reference alone, where it is long enough. `begun` once its
 * request may have left.
 */
const TABLES = `
create table register (id integer primary key check (id = 1), key blob not null) strict;
create table ledger (
  n integer primary key,
  id text not null unique,
  place text not null,
  service text not null,
  mark text,
  attempts integer not null,
  runs integer not null,
  is_open integer not null check (is_open in (0, 1)),
  retired_by text,
  decided text
) strict;
create table mandate (
  ledger integer not null references ledger (n),
  row integer not null,
  mandate integer not null,
  likeness integer not null,
  begun integer not null check (begun in (0, 1)),
  spelling integer,
  reference integer,
  primary key (ledger, row)
) strict, without rowid;
create index mandate_number on mandate (mandate);
create index mandate_likeness on mandate (likeness);
create index mandate_spelling on mandate (spelling);
create index mandate_reference on mandate (reference);
`
const VERSION = 4

export type RegisterFile = ReturnType<typeof open>

/** The register is lost or cannot be read: a person may set it aside. */
export class UnusableRegister extends LedgerError {}

/** The register cannot be used as it is; whatever the caller wanted to send is not sent. */
export const registerFault = (
  path: string,
  why: string,
  next: string,
  options?: HaltOptions,
  Fault = LedgerError,
): LedgerError =>
  new Fault(
    'register',
    `Cannot use the register of campaigns "${path}": ${why}. Without it an export could be sent twice; nothing was sent`,
    next,
    options,
  )

/** @throws {UsageError} where the environment of this user names no folder */
export function asRegisterFolder(folder: string | null): string {
  if (folder !== null) return folder
  throw new UsageError(
    'Cannot tell where the register of campaigns is: neither HOME nor XDG_STATE_HOME is an absolute path. Without it an export could be sent twice; nothing was sent',
    'Set HOME to your home folder, or XDG_STATE_HOME to a folder that is kept and backed up, to the same one for every run, and run the same command again',
  )
}

const damaged = (path: string, why: string, cause?: unknown): LedgerError =>
  registerFault(
    path,
    why,
    'Bring it back from a backup. Where there is none, set it aside: every row of the export comes in as in doubt (sepa-migrate run FILE --all-in-doubt --reason "…")',
    { cause },
    UnusableRegister,
  )

/** What is no such fault is a mistake of ours. */
const FAULT_OF_PLACE =
  /^(?:E[A-Z]+$|SQLITE_(?:CORRUPT|NOTADB|FULL|IOERR|READONLY|CANTOPEN|PERM|AUTH|BUSY|LOCKED))/

/** Says what a fault of SQLite or of the system means; faults of our own pass through. */
function explaining<Value>(path: string, body: () => Value): Value {
  try {
    return body()
  } catch (error) {
    const code = codeOf(error)
    if (error instanceof LedgerError || !FAULT_OF_PLACE.test(code)) throw error
    if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB')
      throw damaged(path, 'it is damaged or cut', error)
    if (DISK_FULL.test(code))
      throw registerFault(path, 'the disk is full', 'Free some space and run the same command again', {
        cause: error,
      })
    throw registerFault(
      path,
      `the system says ${code}`,
      'Make its folder writable for this user, or name another one with XDG_STATE_HOME. Do not delete the register',
      { cause: error },
    )
  }
}

/**
 * Opens the register of this user, and makes it where there is none.
 * @throws {LedgerError} `register` for one that is damaged, of another version, or that others can change
 */
export function openRegisterFile(
  folder: string,
  { sharedFolder }: { readonly sharedFolder: boolean },
): RegisterFile {
  const path = join(folder, REGISTER_FILE)
  return explaining(path, () => {
    makeFolder(folder)
    const fault = sharedFolder ? null : distrustFolder(folder)
    if (fault !== null) throw registerFault(folder, fault.why, fault.next)
    if (entryAt(path) === null) make(folder, path)
    return open(folder, path)
  })
}

/** The same for a command that only looks; null where there is none. @throws {LedgerError} `register` */
export function openRegisterToLook(folder: string): RegisterFile | null {
  const path = join(folder, REGISTER_FILE)
  return explaining(path, () => (entryAt(path) === null ? null : open(folder, path)))
}

/**
 * Moves a register that cannot be used out of the way, for a person who said that every row may have been sent.
 * @returns the folder that it is in now; null where none was in the way
 */
export function setRegisterAside(folder: string, name: string): string | null {
  const found = [REGISTER_FILE, ...SIDE_FILES].filter((each) => entryAt(join(folder, each)) !== null)
  if (found.length === 0) return null
  const aside = join(folder, name)
  explaining(folder, () => {
    makeFolder(aside)
    for (const each of found) renameSync(join(folder, each), join(aside, each))
    flush(folder)
  })
  return aside
}

/** Whole under another name first, so that a kill leaves none or a whole one. Another process may be faster. */
function make(folder: string, path: string): void {
  if (SIDE_FILES.some((name) => (entryAt(join(folder, name))?.size ?? 0) > 0))
    throw damaged(path, 'it is lost, and its write-ahead log (-wal) is still there')
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  createPrivateFile(draft)
  try {
    closing(openDatabase(draft), (connection) => {
      connection.exec(
        `begin; ${TABLES} pragma application_id = ${APPLICATION_ID}; pragma user_version = ${VERSION}`,
      )
      connection.prepare('insert into register values (1, ?)').run(randomBytes(KEY_BYTES))
      connection.exec('commit')
    })
    flush(draft)
    linkSync(draft, path)
    flush(folder)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/** A kill between the two names of a new register leaves both. */
function dropDrafts(folder: string, path: string): void {
  const own = entryAt(path)
  if (own === null || own.nlink === 1) return
  for (const name of readdirSync(folder))
    if (/^register\.db\.[0-9a-f]{12}$/.test(name) && entryAt(join(folder, name))?.ino === own.ino)
      rmSync(join(folder, name), { force: true })
}

function open(folder: string, path: string) {
  dropDrafts(folder, path)
  for (const each of [path, ...SIDE_FILES.map((name) => join(folder, name))]) {
    const entry = entryAt(each)
    const fault = entry === null ? null : distrustPrivateFile(entry)
    if (fault !== null) throw registerFault(each, fault.why, fault.next)
  }
  return keeping(openDatabase(path, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS }), (connection) => {
    if (connection.pragma('application_id', { simple: true }) !== APPLICATION_ID)
      throw damaged(path, 'it is empty, or no register')
    if (connection.pragma('journal_mode = WAL', { simple: true }) !== 'wal')
      throw registerFault(
        path,
        'its folder holds no write-ahead log',
        'Name a folder on a local disk with XDG_STATE_HOME',
      )
    for (const setting of ['foreign_keys = ON', 'trusted_schema = OFF', 'cell_size_check = ON'])
      connection.pragma(setting)
    if (connection.pragma('quick_check(1)', { simple: true }) !== 'ok')
      throw damaged(path, 'it is damaged or cut')
    if (connection.pragma('user_version', { simple: true }) !== VERSION)
      throw registerFault(
        path,
        'it is of another version of this program',
        'End what was begun with the version that made it, then move it away. Where that cannot be had, set it aside: every row of the export comes in as in doubt (sepa-migrate run FILE --all-in-doubt --reason "…")',
        {},
        UnusableRegister,
      )
    const key = connection.prepare<[], Buffer>('select key from register').pluck().get()
    if (key === undefined) throw damaged(path, 'its key is gone')
    const writeAt =
      (synchronous: 'FULL' | 'NORMAL') =>
      <Value>(body: () => Value): Value =>
        explaining(path, () => {
          connection.pragma(`synchronous = ${synchronous}`)
          return connection.transaction(body).immediate()
        })
    return {
      connection,
      /** Of the numbers in it. */
      key,
      /** One IMMEDIATE transaction that survives a power cut. */
      write: writeAt('FULL'),
      /** One that other processes see at once, and that a power cut may take back: it costs no flush. */
      writeUnflushed: writeAt('NORMAL'),
      close: (): void => void connection.close(),
    }
  })
}

/** How far a ledger has come, as the register knows it; `mark` is null until a run of it claimed. SQLite's truth values. */
export type Note = Readonly<
  Record<'n' | 'attempts' | 'runs', number> &
    Record<'id' | 'place' | 'service', string> &
    Record<'mark' | 'retiredBy' | 'decided', string | null> & { isOpen: 0 | 1 }
>

const NOTE = `select n, id, place, service, mark, attempts, runs, is_open as isOpen, retired_by as retiredBy, decided from ledger`

export const noteOf = ({ connection }: RegisterFile, ledgerId: string): Note | undefined =>
  sql(connection)<Note>`${NOTE} where id = ?`.get(ledgerId)

export type Known = Pick<Claims, 'standing' | 'hasMark' | 'hasDecided' | 'unattempted'>

/**
 * What is wrong with this copy, as an end of "is older than it was: …"; null when it is the one that was last used. A
 * ledger that is noted needs no log: whatever left it was noted.
 */
export function olderThan(file: RegisterFile | null, noted: Note | undefined, ledger: Known): string | null {
  // Asked after the register, which a run that is going writes later than its ledger.
  const { attempts, isLogMissing } = ledger.standing()
  if (noted === undefined)
    return isLogMissing ? 'a run did not come to its end, and its write-ahead log (-wal) is missing' : null
  if (noted.mark !== null && !ledger.hasMark(noted.mark))
    return 'a run began to send since, of which this file knows nothing'
  if (noted.decided !== null && !ledger.hasDecided(noted.decided))
    return 'something was decided, compared or brought in since, of which this file knows nothing'
  if (attempts < noted.attempts)
    return `it knows of ${countText(attempts)} requests that were begun, and ${countText(noted.attempts)} were`
  const begun = file === null ? 0 : begunAmong(file, noted.n, ledger.unattempted)
  return begun === 0 ? null : `it calls ${plural(begun, 'row', 'rows')} ready whose requests were begun`
}

/**
 * Says of a ledger that is only read why it is not the one to go on with, as a sentence without its full stop; null
 * where it is.
 * @throws as `openRegister`
 */
export function notTheLatest(
  folder: string | null,
  ledger: Known & { readonly file: string },
): string | null {
  const file = openRegisterToLook(asRegisterFolder(folder))
  try {
    const noted = file === null ? undefined : noteOf(file, ledger.standing().ledgerId)
    const by = noted?.retiredBy ?? null
    if (file !== null && by !== null) return retiredText(file, ledger.file, by)
    const why = olderThan(file, noted, ledger)
    return why === null ? null : olderText(ledger.file, why)
  } finally {
    file?.close()
  }
}

/** It is in the register, and nothing of it is missing. */
export function isKnownLatest(folder: string | null, ledger: Parameters<typeof notTheLatest>[1]): boolean {
  const file = openRegisterToLook(asRegisterFolder(folder))
  const noted = file !== null && noteOf(file, ledger.standing().ledgerId) !== undefined
  file?.close()
  return noted && notTheLatest(folder, ledger) === null
}

export const olderText = (ledger: string, why: string): string =>
  `The ledger "${ledger}" is older than it was: ${why}`

export const retiredText = (file: RegisterFile, ledger: string, by: string): string =>
  `The ledger "${ledger}" is retired: the ledger "${noteOf(file, by)?.place ?? by}" took its place`

/** How many of these rows of the ledger were begun; they are not asked for where none was. */
function begunAmong(
  { connection }: RegisterFile,
  n: number,
  rows: (after: number) => readonly number[],
): number {
  const begun = 'from mandate where ledger = ? and begun = 1'
  if (sql(connection)`select 1 ${begun} limit 1`.get(n) === undefined) return 0
  const among = sqlValue(connection)<number>`
    select count(*) ${begun} and row in (select value from json_each(?))`
  let count = 0
  for (let page = rows(0); page.length > 0; page = rows(page.at(-1) ?? Infinity))
    count += among.get(n, JSON.stringify(page)) ?? 0
  return count
}

/** A folded reference of so many letters and digits is hardly that of another mandate. */
const TELLING = 6

/** By these numbers a mandate is known: exactly, by customer and date, by customer and spelling, by spelling alone. */
export function numbersOf(
  numberOf: Comparison['numberOf'],
  { key, likeness, customerNo }: ClaimedMandate,
): [mandate: number, likeness: number, spelling: number | null, reference: number | null] {
  const spelling = spellingOf(key)
  const isTelling = spelling !== null && spelling.length - spelling.lastIndexOf('|') > TELLING
  return [
    numberOf(key),
    numberOf(likeness),
    spelling === null ? null : numberOf(`${spelling}|${customerNo}`),
    isTelling ? numberOf(spelling) : null,
  ]
}

/** What a ledger is put beside others with. */
export interface Comparison {
  readonly file: RegisterFile
  readonly claims: Pick<Claims, 'standing' | 'keysThatLeft'>
  readonly baseUrl: string
  /** Hosts of test environments, where a mandate is rehearsed. */
  readonly testHosts: readonly string[]
  readonly numberOf: (text: string) => number
  /** Ledgers whose place this one takes, by number; they count as retired. */
  readonly replaces: readonly number[]
}

/**
 * Puts rows of this ledger beside what other ledgers claimed, in tables that go with the connection. A service may get another
 * address: what was claimed for one counts, unless one of the two is for rehearsals or no mandate is the same.
 * @returns false where there is no other ledger
 */
export function compare(comparison: Comparison, rows: () => Iterable<ClaimedMandate>): boolean {
  const { claims, baseUrl, testHosts, replaces, numberOf } = comparison
  const isReal = (href: string): boolean =>
    URL.canParse(href) && !isLoopback(new URL(href).hostname) && !testHosts.includes(new URL(href).host)
  const { connection } = comparison.file
  connection.exec(`
    create temp table if not exists other (n integer primary key, is_retired integer not null, is_same integer not null);
    create temp table if not exists mine
      (row integer primary key, mandate integer not null, likeness integer not null, spelling integer,
       reference integer, attempts integer not null);
    delete from temp.other; delete from temp.mine`)
  const own = claims.standing().ledgerId
  const others = sql(connection)<Note>`${NOTE}`
    .all()
    .filter(({ id }) => id !== own)
    .map((other) => ({ ...other, isSame: sameService(other.service, baseUrl) }))
    .filter(({ isSame, service }) => isSame || (isReal(service) && isReal(baseUrl)))
  const insertOther = sql(connection)`insert into temp.other values (?, ?, ?)`
  for (const { n, retiredBy, isSame } of others)
    insertOther.run(n, retiredBy !== null || replaces.includes(n) ? 1 : 0, Number(isSame))
  const insert = sql(connection)`insert into temp.mine values (?, ?, ?, ?, ?, ?)`
  connection.transaction(() => {
    for (const mandate of rows()) insert.run(mandate.row, ...numbersOf(numberOf, mandate), mandate.attempts)
  })()
  sql(connection)`
    delete from temp.other where not is_same and n not in (select ledger from temp.mine join mandate using (mandate))`.run()
  return others.length > 0
}

/** Mandates of these rows that other ledgers claimed. Of a run that did not come to its end all counts as begun. */
const MATCHES = `select mine.row, mine.attempts, theirs.ledger, place, service, is_retired, is_same,
    theirs.begun or is_open as begun, theirs.likeness <> mine.likeness as is_otherwise
  from temp.mine join mandate as theirs on theirs.mandate = mine.mandate
  join temp.other on other.n = theirs.ledger join ledger on ledger.n = theirs.ledger`

/** A retired ledger bars what it began and what this ledger knows no attempt of; a living one all that it claimed. */
const BARRED = `(is_retired = 0 or (begun and attempts = 0))`

const TAKING = '--another-ledger --reason "…"'

/**
 * @param ledger the path of this one
 * @param baseUrl what it is for
 * @throws {UsageError} where another ledger claimed what was compared
 */
export function refuseClaimed({ connection }: RegisterFile, ledger: string, baseUrl: string): void {
  const found = sql(connection)<
    Record<'count' | 'isRetired' | 'isSame', number> & Record<'place' | 'service', string>
  >`
    select count(distinct row) as count, min(place) as place, service, is_retired as isRetired, is_same as isSame
       from (${MATCHES}) where ${BARRED} group by is_same, is_retired, iif(is_same, '', service) order by is_same, is_retired`.get()
  if (found === undefined) return
  const { count, place, service, isRetired, isSame } = found
  const claimed = `${count === 1 ? 'A mandate that is' : `${countText(count)} mandates that are`} ready here ${count === 1 ? 'was' : 'were'} already claimed for ${isSame === 1 ? 'the same service' : `"${service}"`} by the ledger "${place}"`
  const hosts = isSame === 1 ? '' : `${new URL(service).host} or ${new URL(baseUrl).host}`
  throw new UsageError(
    isSame === 1
      ? `${claimed}; nothing was sent`
      : `${claimed}, and this one is for "${baseUrl}": if both lead to one service, they would be posted twice. Nothing was sent`,
    isRetired === 1
      ? `That ledger is retired. What it began to send comes in as in doubt where the same command says so again (${TAKING})`
      : isSame === 0
        ? `If one of the two is a test environment, name that one in the configuration (service.testHost: ${hosts}; several with commas). If the former address is right, continue with that ledger. If the service has left it for this one, go on with this ledger: what that one began to send comes in as in doubt, and it is refused from then on (sepa-migrate run FILE ${TAKING})`
        : place === ledger || entryAt(place) === null
          ? `That ledger is not at its path any more. Put it back, with its -wal. Only where it is lost, or was purged, go on with this one: what that ledger began to send comes in as in doubt (sepa-migrate run FILE ${TAKING})`
          : `Continue with the ledger "${place}". Only where it is lost, or was purged, go on with this one: what that ledger began to send comes in as in doubt, and it is refused from then on (--ledger FILE; sepa-migrate run FILE ${TAKING})`,
  )
}

/** Ledgers that claimed what was compared and are not retired yet. */
export const claimants = ({ connection }: RegisterFile): { readonly n: number; readonly place: string }[] =>
  sql(connection)<{ n: number; place: string }>`
    select distinct ledger as n, place from (${MATCHES}) where is_retired = 0 order by n`.all()

/** Rows that another ledger began to send: all, or those that it began for another customer or date. */
export const begunElsewhere = ({ connection }: RegisterFile, isOtherwise = false): readonly number[] =>
  sqlValue(connection)<number>`
    select distinct row from (${MATCHES}) where begun and ${BARRED} and is_otherwise >= ? order by row`.all(
    Number(isOtherwise),
  )

/** Those of the rows that the ledger, or one whose place it took, claimed for another customer or date. */
export function claimedOtherwise(
  { connection }: RegisterFile,
  { n, id }: Note,
  numberOf: Comparison['numberOf'],
  rows: Iterable<ClaimedMandate>,
): number[] {
  const otherwise = sql(connection)`
    select 1 from mandate as theirs join ledger on ledger.n = theirs.ledger
     where (mandate = ? or reference = ?) and likeness <> ? and (ledger.n = ? or retired_by = ?)`
  return [...rows].flatMap((claimed) => {
    const [mandate, likeness, , reference] = numbersOf(numberOf, claimed)
    return otherwise.get(mandate, reference, likeness, n, id) === undefined ? [] : [claimed.row]
  })
}

/** Mandates that ledgers of which nothing goes on began to send, and that no row here has. */
export const countBegunAndMissing = ({ connection }: RegisterFile): number =>
  sqlValue(connection)<number>`
    select count(distinct mandate) from mandate as theirs join temp.other on other.n = theirs.ledger join ledger using (n)
     where is_retired and (theirs.begun or is_open) and mandate not in (select mandate from temp.mine)`.get() ??
  0

/** One index each: SQLite reads all of both tables where it is asked for one or the other. */
const alike = (column: (typeof LIKE)[number]): string => `
  select mine.row as mine, mine.mandate as exact, theirs.ledger as claimant, theirs.mandate as theirs,
         theirs.begun, ${LIKE.indexOf(column)} as alike
    from temp.mine join mandate as theirs on theirs.${column} = mine.${column} where mine.attempts = 0`

/** What a ledger may have sent by now; of a retired one nothing else will be. */
const MAY_HAVE_LEFT = '(is_retired = 0 or begun or is_open)'

/**
 * Rows of this ledger, and ledgers that claimed a mandate of the same customer with the same date or spelling under
 * another reference; of a lost ledger the spelling alone is enough, since its export may have named another customer.
 * Rows that this ledger claimed itself, and those whose mandate is known for certain, resemble nothing; neither does
 * another mandate that this ledger began to send as well.
 */
export function resembling({ file, claims, numberOf }: Comparison): Resembling[] {
  const found = sql(file.connection)<Resembling & { theirs: number }>`
    select mine as row, min(place) as place, theirs, max(alike) as alike
       from (${LIKE.map(alike).join(' union all ')})
       join temp.other on other.n = claimant join ledger on ledger.n = claimant
      where ${MAY_HAVE_LEFT} and (alike > 0 or is_retired)
        and not exists (select 1 from mandate as own join ledger on ledger.n = own.ledger
          where ledger.id = ? and own.row = mine)
        and not exists (select 1 from mandate as same join temp.other on other.n = same.ledger join ledger using (n)
          where same.mandate = exact and ${MAY_HAVE_LEFT})
      group by mine, theirs order by mine`.all(claims.standing().ledgerId)
  const byRow = new Map<number, Resembling>()
  for (const { theirs, ...each } of found)
    if (!claims.keysThatLeft(each.row).some((key) => numberOf(key) === theirs)) byRow.set(each.row, each)
  return [...byRow.values()]
}
