import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { openAdmission } from '../admit/admission.js'
import { createCampaign, fingerprintsOf } from '../deliver/campaign-rows.js'
import { openScratch, type Connection } from './connection.js'
import type { Ledger } from '../ledger.js'
import type { Clock } from '../../domain/text/clock.js'
import type { Totals } from '../../domain/row/totals.js'
import { copyOf } from './ledger-copy.js'
import { migrate } from '../schema/migration.js'
import { createReader, readingLedger } from '../read/open-reader.js'
import type { LedgerReader, SourceRecord } from '../read/reader.js'
import { SCHEMA } from '../schema/schema.js'
import { explaining } from './storage-error.js'
import { createStorage } from './storage.js'

/** A ledger that no file name leads to, for `check`: the same rules across rows, and nothing is kept. */
export interface ScratchLedger {
  readonly admit: Ledger['admit']
  readonly reader: LedgerReader
  readonly close: () => void
}

const NAME = 'scratch'

/** @throws {LedgerError} where SQLite cannot be used at all, or its temporary folder is full */
export function openScratchLedger(clock: Clock): ScratchLedger {
  const connection = explaining('open', NAME, openScratch)
  const { guard, write } = createStorage(connection, NAME)
  guard(() => migrate(connection, NAME, SCHEMA))
  write(() => createCampaign(connection, randomBytes, timeOf(clock)))
  guard(() =>
    connection.exec('create temp table counted (source_id integer primary key, records integer not null)'),
  )
  const counted = prepareCounted(connection)
  const { reader, ...ledger } = scratchLedger(connection, NAME, clock, counted.note)
  return { ...ledger, reader: countingIn(reader, counted.ofSource) }
}

/** Records that were shown to be ready without a row of their own. */
function prepareCounted(connection: Connection) {
  const note = connection.prepare<[number, number]>('insert into temp.counted values (?, ?)')
  const read = connection
    .prepare<[number], number>('select records from temp.counted where source_id = ?')
    .pluck()
  return {
    note: (sourceId: number, records: number): void => void note.run(sourceId, records),
    ofSource: (sourceId: number): number => read.get(sourceId) ?? 0,
  }
}

/** The totals with the records that have no row. */
function countingIn(reader: LedgerReader, counted: (sourceId: number) => number): LedgerReader {
  const sources = (): SourceRecord[] =>
    reader.sources().map((source) => ({ ...source, totals: withReady(source.totals, counted(source.id)) }))
  const all = (): number => reader.sources().reduce((sum, { id }) => sum + counted(id), 0)
  return { ...reader, sources, totals: () => withReady(reader.totals(), all()) }
}

const withReady = (totals: Totals, more: number): Totals => ({ ...totals, ready: totals.ready + more })

/**
 * A campaign as it stands, to try out what files would change in it; the ledger itself stays as it is, and a run may go
 * on. Problems on record are left out, so that those of the new files can be told.
 * @throws {UsageError} where there is no ledger
 * @throws {LedgerError} `foreign`, `newer`, `damaged`, `unsafe`, `unwritable` for one that was purged
 */
export function openScratchCopy(
  path: string,
  clock: Clock,
  options: { readonly sharedFolder?: boolean } = {},
): ScratchLedger {
  const file = resolve(path)
  const connection = readingLedger(file, options, (source) =>
    copyOf(source, ['campaign', 'source', 'row', 'run', 'attempt']),
  )
  return scratchLedger(connection, file, clock)
}

function scratchLedger(
  connection: Connection,
  file: string,
  clock: Clock,
  count?: (sourceId: number, records: number) => void,
): ScratchLedger {
  const { guard } = createStorage(connection, file)
  return {
    admit: ({ severities }) =>
      openAdmission({
        connection,
        fingerprints: fingerprintsOf(connection, file, 'admit files into'),
        severities,
        now: () => timeOf(clock),
        guard,
        ...(count === undefined ? {} : { count }),
        ended: () => undefined,
      }),
    reader: createReader(connection, file),
    close: () => connection.close(),
  }
}

const timeOf = (clock: Clock): string => new Date(clock.now()).toISOString()
