import { randomBytes, randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { openAdmission, type AdmissionParts } from '../admit/admission.js'
import { createCampaign, fingerprintsOf, insertRun, PLANNED_RUN } from '../deliver/campaign-rows.js'
import { doubtAll } from '../deliver/ready-rows.js'
import { closing, keeping, openScratch, sqlValue, type Connection } from './connection.js'
import { timeOf, type Clock } from '../../domain/mandate/date.js'
import { NOBODY_NAMED } from '../../domain/row/correction.js'
import { createReader, openBegun, type LedgerReader } from '../read/open-reader.js'
import { GUARDS } from '../schema/guards.js'
import { makeSchema, makeTables } from '../schema/schema.js'
import { createWho } from '../prove/who.js'
import { createStorage, explaining } from './storage.js'
import type { Totals } from '../../domain/row/row-state.js'

/** A ledger that no file name leads to, for `check`: the same rules across rows, and nothing is kept. */
export type ScratchLedger = ReturnType<typeof scratchLedger>

const NAME = 'scratch'

/** @throws {LedgerError} where SQLite cannot be used at all, or its temporary folder is full */
export function openScratchLedger(clock: Clock): ScratchLedger {
  const connection = makeScratch(timeOf(clock), randomBytes)
  const counted = new Map<number, number>()
  const { reader, ...ledger } = scratchLedger(connection, NAME, clock, (sourceId, records) =>
    counted.set(sourceId, records),
  )
  return { ...ledger, reader: countingIn(reader, counted) }
}

function makeScratch(at: string, random: (bytes: number) => Uint8Array): Connection {
  const connection = explaining('open', NAME, openScratch)
  const { guard, write } = createStorage(connection, NAME)
  guard(() => makeSchema(connection))
  write(() => createCampaign(connection, random, at))
  return connection
}

/** One whose fingerprints are those of a campaign with this secret, and over whose rows anything can be asked. */
export function openScratchBeside(secret: Uint8Array, clock: Clock) {
  const connection = makeScratch(timeOf(clock), () => secret)
  return { ...scratchLedger(connection, NAME, clock), connection }
}

/** The totals with the records that are ready and have no row. */
function countingIn(reader: LedgerReader, counted: ReadonlyMap<number, number>): LedgerReader {
  const withCounted = (totals: Totals, records: number): Totals => ({
    ...totals,
    ready: totals.ready + records,
  })
  return {
    ...reader,
    sources: () =>
      reader
        .sources()
        .map((source) => ({ ...source, totals: withCounted(source.totals, counted.get(source.id) ?? 0) })),
    totals: () => {
      let records = 0
      for (const { id } of reader.sources()) records += counted.get(id) ?? 0
      return withCounted(reader.totals(), records)
    },
  }
}

/**
 * A campaign as it stands, to try out what files would change in it; the ledger itself stays as it is, and a run may go
 * on.
 * @throws {UsageError} where there is no ledger
 * @throws {LedgerError} `foreign`, `newer`, `earlier`, `damaged`, `unsafe`, `unwritable` for one that was purged
 */
export function openScratchCopy(
  path: string,
  clock: Clock,
  options: { readonly sharedFolder?: boolean } = {},
): ScratchLedger {
  const file = resolve(path)
  const connection = explaining('read', file, () => closing(openBegun(file, options), copyOf))
  return scratchLedger(connection, file, clock)
}

function scratchLedger(
  connection: Connection,
  file: string,
  clock: Clock,
  counted?: AdmissionParts['counted'],
) {
  const [storage, now] = [createStorage(connection, file), () => timeOf(clock)]
  const before = sqlValue(connection)<number>`select coalesce(max(id), 0) from problem`.get() ?? 0
  return {
    /** From now on its reader tells the problems of the new files alone; nothing more may come in. */
    tellNew: (): void =>
      void connection.exec(`create temp view problem as select * from main.problem where id > ${before}`),
    admit: (
      given: Pick<AdmissionParts, 'severities'> & Partial<Pick<AdmissionParts, 'corrector' | 'isNewer'>>,
    ) =>
      openAdmission({
        connection,
        fingerprints: fingerprintsOf(connection, file, 'admit files into'),
        corrector: NOBODY_NAMED,
        ...given,
        now,
        guard: storage.guard,
        ...(counted === undefined ? {} : { counted }),
        ended: () => undefined,
      }),
    reader: createReader(connection, file),
    who: createWho({ connection, file, storage, now }),
    /** As a run would before it sends anything. */
    doubtAll: () => {
      const runId = (): number => insertRun(connection, PLANNED_RUN, now())
      return doubtAll({ connection, storage, now, newRequestId: randomUUID, runId }, null, [])
    },
    close: (): void => void connection.close(),
  }
}

/** What rules across rows look at, in an order in which every row finds the rows it refers to. */
const TABLES =
  'campaign source row problem run attempt decision collection collected amended kin who comparison compared ended_elsewhere'.split(
    ' ',
  )

/**
 * Copies what files are admitted beside into a private temporary database. All of it is read in one transaction; nothing
 * is written to the ledger.
 */
export function copyOf(ledger: Connection): Connection {
  return keeping(openScratch(), (copy) => {
    makeTables(copy)
    copy.pragma('foreign_keys = OFF')
    ledger.transaction(() => {
      for (const table of TABLES) copyTable(ledger, copy, table)
    })()
    copy.pragma('foreign_keys = ON')
    copy.exec(GUARDS)
    return copy
  })
}

function copyTable(from: Connection, to: Connection, table: string): void {
  const columns = from.prepare<[string], string>('select name from pragma_table_info(?)').pluck().all(table)
  const insert = to.prepare(
    `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  )
  const rows = from.prepare<[], unknown[]>(`select ${columns.join(', ')} from ${table}`).raw()
  to.transaction(() => {
    for (const row of rows.iterate()) insert.run(...row)
  })()
}
