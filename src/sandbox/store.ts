import { closeSync } from 'node:fs'
import { type Database, openDatabase } from '../driver.js'
import { codeOf, UsageError } from '../errors.js'
import { assertTrustedOutput, openTrusted } from '../trust/trusted-file.js'
import type { Billogram, Offer } from '../contract/billogram.js'
import type { MigratedMandate, MigrateRequest } from '../contract/mandates.js'
import { hash } from 'node:crypto'

/** The creditor identifier the sandbox assigns: invented, of the German form, its check digits right. */
export const ASSIGNED_CREDITOR_IDENTIFIER = 'DE84ZZZ09876543210'

/** Without I, L, O and U, so that a reference read aloud stays the same. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const digest = (...parts: readonly (string | number)[]): Buffer => hash('sha256', parts.join('|'), 'buffer')

/** The reference of the n-th mandate: 26 letters and digits that look random and repeat only with the seed. */
export const assignedReference = (seed: number, mandateNumber: number): string =>
  Array.from(digest('mandate', seed, mandateNumber).subarray(0, 26), (byte) => ALPHABET[byte % 32]).join('')

/** A UUID (form of version 4) for the n-th event of a billogram. */
export function eventUuid(seed: number, billogramId: string, eventNumber: number): string {
  const bytes = digest('event', seed, billogramId, eventNumber).subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** A number from 0 (included) to 1 (left out) that depends on the parts alone. */
export const chanceOf = (...parts: readonly (string | number)[]): number =>
  digest('chance', ...parts).readUIntBE(0, 6) / 2 ** 48

/**
 * A mandate as the sandbox holds it, with the identifiers that it assigned. The original ones are under `amendment`, as
 * on the wire.
 */
export interface HeldMandate extends Readonly<MigrateRequest>, Readonly<MigratedMandate> {
  /** ISO 8601, UTC. */
  readonly registered_at: string
  /** Header X-Request-Id of the request that registered it, null where there was none. */
  readonly request_id: string | null
  /** True once a first payment was initiated. */
  readonly finalised: boolean
  readonly finalised_at: string | null
  /** When its payment source was cancelled; null while it is alive. */
  readonly cancelled_at: string | null
}

/** Everything the sandbox remembers, in memory or in a SQLite file. All calls are synchronous. */
export type Store = ReturnType<typeof storeOn>

/** "SBOX": tells a sandbox file from any other SQLite file. */
const APPLICATION_ID = 0x53424f58
const SCHEMA_VERSION = 4

const SCHEMA = `
  CREATE TABLE mandates (
    mandate_number INTEGER PRIMARY KEY,
    document TEXT NOT NULL,
    customer_no INTEGER AS (document ->> '$.customer_no'),
    original_creditor_identifier TEXT COLLATE NOCASE AS (document ->> '$.amendment.sepa_creditor_identifier'),
    original_mandate_reference TEXT COLLATE NOCASE AS (document ->> '$.amendment.unique_mandate_reference'),
    assigned_mandate_reference TEXT UNIQUE AS (document ->> '$.unique_mandate_reference'),
    finalised_at TEXT AS (document ->> '$.finalised_at'),
    cancelled_at TEXT AS (document ->> '$.cancelled_at')
  ) STRICT;
  CREATE INDEX mandates_of_customer ON mandates (customer_no);
  CREATE INDEX mandates_by_original ON mandates (original_mandate_reference, original_creditor_identifier);
  CREATE TABLE offers (offer_key TEXT PRIMARY KEY, document TEXT NOT NULL) STRICT;
  CREATE TABLE billograms (id TEXT PRIMARY KEY, unique_value_key TEXT UNIQUE, document TEXT NOT NULL) STRICT;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`

/**
 * Opens the state. A new store gets the billograms to start from, since the interface cannot create one.
 * @throws UsageError for a file that is not the sandbox's, or is in use by another one.
 */
export function openStore(dataFile: string | null, startingBillograms: readonly Billogram[]): Store {
  const database = dataFile === null ? openDatabase(':memory:') : openFile(dataFile)
  const isNew = database.pragma('user_version', { simple: true }) === 0
  if (isNew) database.exec(`BEGIN; ${SCHEMA} COMMIT`)
  const store = storeOn(database)
  if (isNew) for (const record of startingBillograms) store.putBillogram(record)
  return store
}

function openFile(dataFile: string): Database {
  let database: Database | null = null
  try {
    // Private: a rehearsal may hold real account numbers. SQLite's side files inherit the mode.
    closeSync(openTrusted(dataFile, { mode: 'append', what: 'sandbox data file' }))
    for (const ending of ['-wal', '-shm', '-journal'])
      assertTrustedOutput(dataFile + ending, { what: 'sandbox data file' })
    database = openDatabase(dataFile, { timeout: 0 })
    database.pragma('locking_mode = EXCLUSIVE')
    refuseForeign(database, dataFile)
    database.pragma('journal_mode = WAL')
    // Enough to survive a killed process; a rehearsal need not survive a power cut.
    database.pragma('synchronous = NORMAL')
    return database
  } catch (cause) {
    database?.close()
    if (cause instanceof UsageError) throw cause
    throw new UsageError(`Cannot open the sandbox data file ${dataFile}: ${reasonOf(cause)}`, NEXT, { cause })
  }
}

const NEXT = 'Give a file that does not exist yet, or one that a stopped sandbox wrote (--data FILE).'

function refuseForeign(database: Database, dataFile: string): void {
  const [version, application, tables] = [
    database.pragma('user_version', { simple: true }),
    database.pragma('application_id', { simple: true }),
    database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get(),
  ]
  const isEmpty = version === 0 && application === 0 && tables === 0
  if (isEmpty || (version === SCHEMA_VERSION && application === APPLICATION_ID)) return
  throw new UsageError(`Cannot use ${dataFile}: it was not written by this version of the sandbox`, NEXT)
}

function reasonOf(cause: unknown): string {
  const code = codeOf(cause)
  if (code === 'SQLITE_BUSY') return 'another sandbox is using it'
  if (code === 'SQLITE_NOTADB') return 'it is not a SQLite file'
  return cause instanceof Error ? cause.message : 'unknown reason'
}

const storeOn = (database: Database) => ({
  ...mandatesOn(database),
  ...offersOn(database),
  ...billogramsOn(database),
  close: () => void database.close(),
})

/** The documents that a query finds, as they were stored. */
function query<Document, Values extends (string | number)[] = [string]>(database: Database, sql: string) {
  const found = database.prepare<unknown[], string>(sql).pluck()
  const all = (...values: Values) => found.all(...values).map((document) => JSON.parse(document) as Document)
  return { all, first: (...values: Values): Document | null => all(...values)[0] ?? null }
}

function mandatesOn(database: Database) {
  const find = <Values extends (string | number)[]>(where: string) =>
    query<HeldMandate, Values>(database, `SELECT document FROM mandates WHERE ${where}`)
  const add = database.prepare('INSERT INTO mandates (document) VALUES (?)')
  const lastNumber = database.prepare('SELECT coalesce(max(mandate_number), 0) FROM mandates').pluck()
  const byOriginal = find<[reference: string, creditor: string]>(
    'original_mandate_reference = ? AND original_creditor_identifier = ? AND cancelled_at IS NULL LIMIT 1',
  )
  const finalise = database.prepare(
    `UPDATE mandates SET document = json_set(document, '$.finalised', json('true'), '$.finalised_at', ?)
       WHERE assigned_mandate_reference = ? AND finalised_at IS NULL`,
  )
  const cancel = database.prepare(
    `UPDATE mandates SET document = json_set(document, '$.cancelled_at', ?) WHERE assigned_mandate_reference = ?`,
  )
  return {
    /** The number the next mandate will get, from 1; never given twice, not even after a restart. */
    nextMandateNumber: (): number => (lastNumber.get() as number) + 1,
    addMandate: (mandate: HeldMandate): void => void add.run(JSON.stringify(mandate)),
    /** A page of mandates in the order of registration, after the given number. */
    mandatesAfter: find<[after: number, limit: number]>('mandate_number > ? ORDER BY mandate_number LIMIT ?')
      .all,
    mandateByReference: find<[assignedReference: string]>('assigned_mandate_reference = ?').first,
    /** All mandates of a customer in the order of registration, cancelled ones too. */
    mandatesOf: find<[customerNo: number]>('customer_no = ? ORDER BY mandate_number').all,
    cancel: (assignedReference: string, at: string): void => void cancel.run(at, assignedReference),
    /** Both are compared as banks compare them: without regard to case. Cancelled ones do not count. */
    holdsOriginal: (creditorIdentifier: string, mandateReference: string): boolean =>
      byOriginal.first(mandateReference, creditorIdentifier) !== null,
    /** Keeps the first time when it is called again. */
    finalise: (assignedReference: string, at: string): void => void finalise.run(at, assignedReference),
  }
}

function offersOn(database: Database) {
  const byKey = query<Offer>(database, 'SELECT document FROM offers WHERE offer_key = ?')
  const add = database.prepare('INSERT INTO offers (offer_key, document) VALUES (?, ?)')
  return {
    /** Offer ids are compared without regard to case. */
    offerById: (offerId: string) => byKey.first(offerId.toLowerCase()),
    addOffer: (offer: Offer): void => void add.run(offer.offer_id.toLowerCase(), JSON.stringify(offer)),
    offers: query<Offer, []>(database, 'SELECT document FROM offers ORDER BY rowid').all,
  }
}

function billogramsOn(database: Database) {
  const put = database.prepare(`
    INSERT INTO billograms (id, unique_value_key, document) VALUES (?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET unique_value_key = excluded.unique_value_key, document = excluded.document`)
  const byUniqueValue = query<Billogram, [key: string, exceptId: string]>(
    database,
    'SELECT document FROM billograms WHERE unique_value_key = ? AND id <> ?',
  )
  return {
    billogramById: query<Billogram>(database, 'SELECT document FROM billograms WHERE id = ?').first,
    putBillogram: (record: Billogram): void => {
      const value = record.creditor_unique_value
      put.run(record.id, value === null ? null : keyOf(value), JSON.stringify(record))
    },
    /** Whether another billogram has this `creditor_unique_value`, without regard to case or JSON type. */
    isUniqueValueTaken: (value: string | number, exceptId: string): boolean =>
      byUniqueValue.first(keyOf(value), exceptId) !== null,
    billograms: query<Billogram, []>(database, 'SELECT document FROM billograms ORDER BY id').all,
  }
}

const keyOf = (uniqueValue: string | number): string => String(uniqueValue).toLowerCase()
