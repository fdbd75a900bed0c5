import { randomBytes } from 'node:crypto'
import { openAdmission } from './admission.js'
import { createCampaign, fingerprintsOf } from './campaign-rows.js'
import { openScratch } from './connection.js'
import type { Clock, Ledger } from './ledger.js'
import { migrate } from './migration.js'
import { createReader } from './open-reader.js'
import type { LedgerReader } from './reader.js'
import { SCHEMA } from './schema.js'
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
  const now = (): string => new Date(clock.now()).toISOString()
  const { guard, write } = createStorage(connection, NAME)
  guard(() => migrate(connection, NAME, SCHEMA))
  write(() => createCampaign(connection, randomBytes, now()))
  return {
    admit: ({ severities }) =>
      openAdmission({
        connection,
        fingerprints: fingerprintsOf(connection, NAME, 'admit files into'),
        severities,
        now,
        guard,
        ended: () => undefined,
      }),
    reader: createReader(connection, NAME),
    close: () => connection.close(),
  }
}
