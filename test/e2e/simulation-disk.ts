import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Database, openDatabase } from '../../src/driver.js'
import { emergencyPathOf } from '../../src/ledger/safety/side-files.js'
import { type Ledger, createLedger, type LedgerOptions } from '../../src/ledger/file/writer.js'
import { addFunctions } from '../../src/ledger/file/connection.js'
import { openLedger } from '../../src/ledger/file/open-ledger.js'
import { admitRows, familyMandateOf, mandateOf } from '../run/mandate-samples.js'

export type Connection = Database
type Opening = Pick<LedgerOptions, 'clock' | 'defer' | 'random'>

/** Where the ledger lives: what is left of it when a process dies, and what the judge can see of it. */
export interface Disk {
  /** Opens the ledger as the next start of the program does. */
  readonly open: (opening: Opening) => Ledger
  /** Reads beside the program; only what was committed. */
  readonly read: <Row>(sql: string) => Row[]
  /** Tells that a commit has just ended. */
  readonly committed: () => void
  /** The process dies: every commit survives. */
  readonly kill: () => void
  /** The power fails: what survives is what was flushed. */
  readonly losePower: () => void
  /** From now on the disk takes nothing more, until the next start. */
  readonly fill: () => void
  /** The process ends by itself. */
  readonly close: () => void
  readonly remove: () => void
}

const STARTED = { now: () => Date.UTC(2026, 3, 1, 8), monotonic: () => 0 }

/** The settings of a ledger's connection that exist in memory; the file's own are proved by its tests. */
function inMemory(image: Buffer): Connection {
  const connection = openDatabase(image)
  for (const setting of ['foreign_keys', 'secure_delete', 'recursive_triggers'])
    connection.pragma(`${setting} = ON`)
  connection.pragma('trusted_schema = OFF')
  addFunctions(connection)
  return connection
}

const NO_LOCK = { release: () => undefined }
const images = new Map<string, Buffer>()

/** What ready rows a campaign begins with. */
export interface Admitted {
  readonly rows: number
  /** Customers with two mandates among them. */
  readonly hasFamilies: boolean
}

/** A ledger with these rows, made once, as a file, and without its write-ahead log. */
function imageWith(admitted: Admitted, folder: string): Buffer {
  const name = `${admitted.rows}${admitted.hasFamilies ? '-families' : ''}`
  const known = images.get(name)
  if (known !== undefined) return known
  const file = join(folder, `admitted-${name}.db`)
  const ledger = openLedger({ file, clock: STARTED })
  ledger.bind({ baseUrl: 'http://127.0.0.1/', username: 'simulation' })
  admitRows(ledger, admitted.rows, admitted.hasFamilies ? familyMandateOf : mandateOf)
  ledger.close()
  const connection = openDatabase(file)
  connection.pragma('journal_mode = DELETE')
  const image = connection.serialize()
  connection.close()
  images.set(name, image)
  return image
}

/** How many of the last commits a power failure takes back when they were not flushed, at most. */
const UNFLUSHED = 3

/**
 * The real ledger code over a database in memory, of which a copy is all that survives. `flushes: false` is what
 * synchronous=NORMAL means: commits reach the disk some time later. See ledger/README.md#how-it-is-written.
 */
export function memoryDisk(
  admitted: Admitted,
  options: {
    folder: string
    flushes: boolean
    between: (least: number, most: number) => number
    /** Tampers with what is found at a start, before the ledger recovers. */
    tamper?: (connection: Connection) => void
  },
): Disk {
  const file = join(options.folder, 'campaign.db')
  let flushed: Buffer[] = [imageWith(admitted, options.folder)]
  let connection: Connection | null = null
  let ledger: Ledger | null = null

  function leave(image: Buffer): void {
    flushed = [image]
    ledger?.close()
    ledger = null
    connection = null
  }

  return {
    open: (opening) => {
      connection = inMemory(flushed.at(-1)!)
      options.tamper?.(connection)
      ledger = createLedger({ ...opening, file, connection, lock: NO_LOCK })
      return ledger
    },
    read: (sql) => live(connection).prepare<[], never>(sql).all(),
    committed: () => {
      if (!options.flushes) flushed = [...flushed, live(connection).serialize()].slice(-1 - UNFLUSHED)
    },
    kill: () => leave(live(connection).serialize()),
    losePower: () => {
      if (options.flushes) leave(live(connection).serialize())
      else leave(flushed[flushed.length - 1 - options.between(0, flushed.length - 1)]!)
    },
    fill: () => {
      const open = live(connection)
      open.pragma(`max_page_count = ${String(open.pragma('page_count', { simple: true }))}`)
    },
    close: () => leave(live(connection).serialize()),
    remove: () => rmSync(emergencyPathOf(file), { force: true }),
  }
}

function live(connection: Connection | null): Connection {
  if (connection === null) throw new Error('The ledger is not open')
  return connection
}
