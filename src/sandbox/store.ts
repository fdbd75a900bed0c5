import { closeSync } from 'node:fs'
import type { Database } from '../database.js'
import { openDatabase } from '../driver.js'
import { codeOf, UsageError } from '../errors.js'
import { assertTrustedOutput, openTrusted } from '../trust/output.js'
import type { BillogramRecord } from './billogram/billogram-record.js'
import type { Offer } from '../contract/billogram.js'
import { createHash } from 'node:crypto'

/** The creditor identifier the sandbox assigns: invented, of the German form, its check digits right. */
export const ASSIGNED_CREDITOR_IDENTIFIER = 'DE84ZZZ09876543210'

/** Without I, L, O and U, so that a reference read aloud stays the same. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const digest = (...parts: readonly (string | number)[]): Buffer =>
  createHash('sha256').update(parts.join('|')).digest()

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

/** Whether an account number has the ISO 13616 form and right check digits. Nothing national is checked. */
export function isIban(text: string): boolean {
  if (!/^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/.test(text)) return false
  const digits = (text.slice(4) + text.slice(0, 4)).replace(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  )
  return Array.from(digits).reduce((rest, digit) => (rest * 10 + Number(digit)) % 97, 0) === 1
}

const SOURCE_PREFIX = 'ps-'

/** The id of the payment source that a mandate is. */
export const paymentSourceId = (assignedMandateReference: string): string =>
  SOURCE_PREFIX + assignedMandateReference.toLowerCase()

/** The assigned reference behind an id, or null for what is no such id. */
export const referenceOfSource = (id: string): string | null =>
  id.startsWith(SOURCE_PREFIX) ? id.slice(SOURCE_PREFIX.length).toUpperCase() : null

/** A mandate as the sandbox holds it. The original identifiers are under `amendment`, as on the wire. */
export interface HeldMandate {
  readonly customer_no: number
  readonly iban: string
  readonly signed_date: string
  readonly amendment: {
    readonly sepa_creditor_identifier: string
    readonly unique_mandate_reference: string
  }
  /** Assigned by the sandbox. */
  readonly sepa_creditor_identifier: string
  readonly unique_mandate_reference: string
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
export interface Store {
  /** The number the next mandate will get, from 1; never given twice, not even after a restart. */
  nextMandateNumber(): number
  addMandate(mandate: HeldMandate): void
  /** A page of mandates in the order of registration, after the given number. */
  mandatesAfter(mandateNumber: number, limit: number): HeldMandate[]
  mandateByReference(assignedReference: string): HeldMandate | null
  /** All mandates of a customer in the order of registration, cancelled ones too. */
  mandatesOf(customerNo: number): HeldMandate[]
  cancel(assignedReference: string, at: string): void
  /** Cancelled ones do not count, here and in `holdsOriginal`. */
  holdsMandateOf(customerNo: number): boolean
  /** Both are compared as banks compare them: without regard to case. */
  holdsOriginal(creditorIdentifier: string, mandateReference: string): boolean
  /** Keeps the first time when it is called again. */
  finalise(assignedReference: string, at: string): void
  /** Offer ids are compared without regard to case. */
  offerById(offerId: string): Offer | null
  addOffer(offer: Offer): void
  offers(): Offer[]
  billogramById(id: string): BillogramRecord | null
  putBillogram(record: BillogramRecord): void
  /** Whether another billogram has this `creditor_unique_value`, without regard to case or JSON type. */
  isUniqueValueTaken(value: string | number, exceptId: string): boolean
  billograms(): BillogramRecord[]
  close(): void
}

/** "SBOX": tells a sandbox file from any other SQLite file. */
const APPLICATION_ID = 0x53424f58
const SCHEMA_VERSION = 2

const SCHEMA = `
  CREATE TABLE mandates (
    mandate_number INTEGER PRIMARY KEY,
    customer_no INTEGER NOT NULL,
    iban TEXT NOT NULL,
    signed_date TEXT NOT NULL,
    original_creditor_identifier TEXT NOT NULL COLLATE NOCASE,
    original_mandate_reference TEXT NOT NULL COLLATE NOCASE,
    assigned_creditor_identifier TEXT NOT NULL,
    assigned_mandate_reference TEXT NOT NULL UNIQUE,
    registered_at TEXT NOT NULL,
    request_id TEXT,
    finalised_at TEXT,
    cancelled_at TEXT
  ) STRICT;
  CREATE INDEX mandates_of_customer ON mandates (customer_no);
  CREATE INDEX mandates_by_original ON mandates (original_mandate_reference, original_creditor_identifier);
  CREATE TABLE offers (offer_key TEXT PRIMARY KEY, document TEXT NOT NULL) STRICT;
  CREATE TABLE billograms (id TEXT PRIMARY KEY, unique_value_key TEXT UNIQUE, document TEXT NOT NULL) STRICT;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`

interface MandateRow {
  mandate_number: number
  customer_no: number
  iban: string
  signed_date: string
  original_creditor_identifier: string
  original_mandate_reference: string
  assigned_creditor_identifier: string
  assigned_mandate_reference: string
  registered_at: string
  request_id: string | null
  finalised_at: string | null
  cancelled_at: string | null
}

interface DocumentRow {
  document: string
}

/**
 * Opens the state. A new store gets the billograms to start from, since the interface cannot create one.
 * @throws UsageError for a file that is not the sandbox's, or is in use by another one.
 */
export function openStore(dataFile: string | null, startingBillograms: readonly BillogramRecord[]): Store {
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
    throw new UsageError(`Cannot open the sandbox data file ${dataFile}: ${reasonOf(cause)}`, NEXT, {
      cause,
      ways: ['sandbox_data'],
    })
  }
}

const NEXT = 'Give a file that does not exist yet, or one that a stopped sandbox wrote.'

function refuseForeign(database: Database, dataFile: string): void {
  const [version, application, tables] = [
    database.pragma('user_version', { simple: true }),
    database.pragma('application_id', { simple: true }),
    database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get(),
  ]
  const isEmpty = version === 0 && application === 0 && tables === 0
  if (isEmpty || (version === SCHEMA_VERSION && application === APPLICATION_ID)) return
  throw new UsageError(`Cannot use ${dataFile}: it was not written by this version of the sandbox`, NEXT, {
    ways: ['sandbox_data'],
  })
}

function reasonOf(cause: unknown): string {
  const code = codeOf(cause)
  if (code === 'SQLITE_BUSY') return 'another sandbox is using it'
  if (code === 'SQLITE_NOTADB') return 'it is not a SQLite file'
  return cause instanceof Error ? cause.message : 'unknown reason'
}

const storeOn = (database: Database): Store => ({
  ...mandatesOn(database),
  ...offersOn(database),
  ...billogramsOn(database),
  close: () => void database.close(),
})

function mandatesOn(database: Database) {
  const add = database.prepare(`
    INSERT INTO mandates (customer_no, iban, signed_date, original_creditor_identifier,
      original_mandate_reference, assigned_creditor_identifier, assigned_mandate_reference,
      registered_at, request_id, finalised_at, cancelled_at)
    VALUES (:customer_no, :iban, :signed_date, :original_creditor_identifier,
      :original_mandate_reference, :assigned_creditor_identifier, :assigned_mandate_reference,
      :registered_at, :request_id, :finalised_at, :cancelled_at)`)
  const lastNumber = database.prepare('SELECT coalesce(max(mandate_number), 0) FROM mandates').pluck()
  const after = database.prepare<[number, number], MandateRow>(
    'SELECT * FROM mandates WHERE mandate_number > ? ORDER BY mandate_number LIMIT ?',
  )
  const byReference = database.prepare<[string], MandateRow>(
    'SELECT * FROM mandates WHERE assigned_mandate_reference = ?',
  )
  const ofCustomer = database
    .prepare('SELECT 1 FROM mandates WHERE customer_no = ? AND cancelled_at IS NULL LIMIT 1')
    .pluck()
  const allOfCustomer = database.prepare<[number], MandateRow>(
    'SELECT * FROM mandates WHERE customer_no = ? ORDER BY mandate_number',
  )
  const byOriginal = database
    .prepare(
      `SELECT 1 FROM mandates WHERE original_mandate_reference = ? AND original_creditor_identifier = ?
         AND cancelled_at IS NULL LIMIT 1`,
    )
    .pluck()
  const finalise = database.prepare(
    'UPDATE mandates SET finalised_at = ? WHERE assigned_mandate_reference = ? AND finalised_at IS NULL',
  )
  const cancel = database.prepare('UPDATE mandates SET cancelled_at = ? WHERE assigned_mandate_reference = ?')
  return {
    nextMandateNumber: () => (lastNumber.get() as number) + 1,
    addMandate: (mandate) => void add.run(rowOf(mandate)),
    mandatesAfter: (mandateNumber, limit) => after.all(mandateNumber, limit).map(mandateFrom),
    mandateByReference(assignedReference) {
      const row = byReference.get(assignedReference)
      return row === undefined ? null : mandateFrom(row)
    },
    mandatesOf: (customerNo) => allOfCustomer.all(customerNo).map(mandateFrom),
    cancel: (assignedReference, at) => void cancel.run(at, assignedReference),
    holdsMandateOf: (customerNo) => ofCustomer.get(customerNo) !== undefined,
    holdsOriginal: (creditorIdentifier, mandateReference) =>
      byOriginal.get(mandateReference, creditorIdentifier) !== undefined,
    finalise: (assignedReference, at) => void finalise.run(at, assignedReference),
  } satisfies Partial<Store>
}

function offersOn(database: Database) {
  const byKey = database.prepare<[string], DocumentRow>('SELECT document FROM offers WHERE offer_key = ?')
  const add = database.prepare('INSERT INTO offers (offer_key, document) VALUES (?, ?)')
  const all = database.prepare<[], DocumentRow>('SELECT document FROM offers ORDER BY rowid')
  return {
    offerById: (offerId) => documentFrom(byKey.get(offerId.toLowerCase())) as Offer | null,
    addOffer: (offer) => void add.run(offer.offer_id.toLowerCase(), JSON.stringify(offer)),
    offers: () => all.all().map((row) => JSON.parse(row.document) as Offer),
  } satisfies Partial<Store>
}

function billogramsOn(database: Database) {
  const byId = database.prepare<[string], DocumentRow>('SELECT document FROM billograms WHERE id = ?')
  const put = database.prepare(`
    INSERT INTO billograms (id, unique_value_key, document) VALUES (?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET unique_value_key = excluded.unique_value_key, document = excluded.document`)
  const byUniqueValue = database
    .prepare('SELECT 1 FROM billograms WHERE unique_value_key = ? AND id <> ?')
    .pluck()
  const all = database.prepare<[], DocumentRow>('SELECT document FROM billograms ORDER BY id')
  return {
    billogramById: (id) => documentFrom(byId.get(id)) as BillogramRecord | null,
    putBillogram(record) {
      const value = record.creditorUniqueValue
      put.run(record.id, value === null ? null : keyOf(value), JSON.stringify(record))
    },
    isUniqueValueTaken: (value, exceptId) => byUniqueValue.get(keyOf(value), exceptId) !== undefined,
    billograms: () => all.all().map((row) => JSON.parse(row.document) as BillogramRecord),
  } satisfies Partial<Store>
}

const keyOf = (uniqueValue: string | number): string => String(uniqueValue).toLowerCase()

const documentFrom = (row: DocumentRow | undefined): unknown =>
  row === undefined ? null : JSON.parse(row.document)

const rowOf = (mandate: HeldMandate): Omit<MandateRow, 'mandate_number'> => ({
  customer_no: mandate.customer_no,
  iban: mandate.iban,
  signed_date: mandate.signed_date,
  original_creditor_identifier: mandate.amendment.sepa_creditor_identifier,
  original_mandate_reference: mandate.amendment.unique_mandate_reference,
  assigned_creditor_identifier: mandate.sepa_creditor_identifier,
  assigned_mandate_reference: mandate.unique_mandate_reference,
  registered_at: mandate.registered_at,
  request_id: mandate.request_id,
  finalised_at: mandate.finalised_at,
  cancelled_at: mandate.cancelled_at,
})

const mandateFrom = (row: MandateRow): HeldMandate => ({
  customer_no: row.customer_no,
  iban: row.iban,
  signed_date: row.signed_date,
  amendment: {
    sepa_creditor_identifier: row.original_creditor_identifier,
    unique_mandate_reference: row.original_mandate_reference,
  },
  sepa_creditor_identifier: row.assigned_creditor_identifier,
  unique_mandate_reference: row.assigned_mandate_reference,
  registered_at: row.registered_at,
  request_id: row.request_id,
  finalised: row.finalised_at !== null,
  finalised_at: row.finalised_at,
  cancelled_at: row.cancelled_at,
})
