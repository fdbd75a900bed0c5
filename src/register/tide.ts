import { createHash } from 'node:crypto'
import { closeSync, fdatasync, fsyncSync, mkdirSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { explainingRegister, flushFolder, openOwn, readOwn, registerFault } from './register-place.js'

/** How far a ledger has come, noted outside of it: what an older copy of it cannot know. */
export interface Tide {
  /** The mark of the latest run that began to send; the ledger holds the marks of all of them. */
  readonly mark: string
  /** Attempts that were begun, at least. */
  readonly attempts: number
}

const tideSchema = z.object({ mark: z.string().min(1), attempts: z.int().min(0) })

/** Always the same length and within one sector, so that it is overwritten in place and never half. */
const LENGTH = 128
/** The first attempts reach the disk one by one, later ones in blocks; a kill loses none, a power cut the last block. */
const LARGEST_BLOCK = 256

const FOLDER = 'ledgers'

const pathOf = (folder: string, ledgerId: string): string =>
  join(folder, FOLDER, createHash('sha256').update(ledgerId).digest('hex').slice(0, 32))

/** Null where no run of this ledger has begun to send. @throws {LedgerError} `register` */
export function readTide(folder: string, ledgerId: string): Tide | null {
  const path = pathOf(folder, ledgerId)
  const text = readOwn(path)?.replaceAll('\0', '').trim() ?? ''
  if (text === '') return null // it was made, and the power failed before it was written: nothing had left
  const parsed = tideSchema.safeParse(parseOrNull(text))
  if (parsed.success) return parsed.data
  throw registerFault(
    path,
    'it says how far this ledger has come, and is damaged',
    'Make sure that the ledger is the newest copy, compare it with the service, then move the damaged file away',
    { ways: ['reconcile'] },
  )
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export interface TideFile {
  /** At once safe from a kill, and from a power cut a block later. @throws {LedgerError} `register` */
  readonly note: (attempts: number) => void
  /** Flushes and closes. Never throws. */
  readonly close: () => void
}

/** Notes a run that begins to send; on the disk when this returns. @throws {LedgerError} `register` */
export function openTide(folder: string, ledgerId: string, { mark, attempts }: Tide): TideFile {
  const path = pathOf(folder, ledgerId)
  explainingRegister(path, () => mkdirSync(join(folder, FOLDER), { recursive: true, mode: 0o700 }))
  const descriptor = openOwn(path)
  let flushedTo = attempts
  let block = 1
  let isFlushing = false
  let isClosed = false
  let fault: unknown = null

  function write(count: number): void {
    const text = JSON.stringify({ mark, attempts: count }).padEnd(LENGTH - 1)
    explainingRegister(path, () => {
      if (writeSync(descriptor, `${text}\n`, 0) !== LENGTH) throw new Error(`Cannot write "${path}" whole`)
    })
  }

  /** Beside the sending, which need not wait for it. */
  function flush(count: number): void {
    if (isFlushing || count - flushedTo < block) return
    isFlushing = true
    block = Math.min(2 * block, LARGEST_BLOCK)
    fdatasync(descriptor, (error) => {
      isFlushing = false
      flushedTo = count
      if (error !== null) fault ??= error
      if (isClosed) closeSync(descriptor)
    })
  }

  try {
    write(attempts)
    explainingRegister(path, () => fsyncSync(descriptor))
    explainingRegister(folder, () => flushFolder(folder))
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
  return {
    note: (count) => {
      explainingRegister(path, () => {
        if (fault !== null) throw fault as Error
      })
      write(count)
      flush(count)
    },
    close: () => {
      if (isClosed) return
      isClosed = true
      try {
        fsyncSync(descriptor)
      } catch {
        // The run is over, and what was noted is safe from everything but a power cut.
      }
      if (!isFlushing) closeSync(descriptor)
    },
  }
}
