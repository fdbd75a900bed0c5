import { closeSync, constants, lstatSync, openSync, readFileSync, writeSync } from 'node:fs'
import { entryAt } from '../../trust/entry.js'
import { PRIVATE } from './file-safety.js'

/**
 * What the file of a ledger was like when a run left it whole, and when it was last looked at for damage. Whoever writes
 * to the file afterwards, whole or not, changes its times; a copy or a restored backup has others too. It is written
 * anew at the end of each run, may be lost at any time, and says nothing of a disk that gives back other bytes than it
 * took: so a look counts for a day, and never for a run that sends.
 */
export const sealOf = (file: string): string => `${file}.whole`

const LOOK_COUNTS_MS = 24 * 60 * 60 * 1000
const SECOND_NS = 1_000_000_000n

/** Null on a file system that counts in whole seconds: a write within the same one would not show. */
function likenessOf(file: string): string | null {
  const { ino, size, mtimeNs, ctimeNs } = lstatSync(file, { bigint: true })
  if (mtimeNs % SECOND_NS === 0n || ctimeNs % SECOND_NS === 0n) return null
  return [ino, size, mtimeNs, ctimeNs].join(' ')
}

/**
 * When the file was last looked at, in milliseconds since 1970; null where it is not as it was left, or the look is too
 * long ago. The caller holds the lock, and there is no log.
 */
export function sealedSince(file: string, nowMs: number): number | null {
  const path = sealOf(file)
  try {
    if (entryAt(path)?.isFile() !== true) return null
    const [lookedAt = '', likeness = ''] = readFileSync(path, 'utf8').split('\n')
    const lookedAtMs = Date.parse(lookedAt)
    const isRecent = lookedAtMs <= nowMs && nowMs - lookedAtMs < LOOK_COUNTS_MS
    return isRecent && likeness === likenessOf(file) ? lookedAtMs : null
  } catch {
    return null
  }
}

/** Never throws: without it the next run looks. Under the lock, once the connection is closed and the log is gone. */
export function putSeal(file: string, lookedAtMs: number): void {
  const { O_CREAT, O_TRUNC, O_WRONLY, O_NOFOLLOW } = constants
  try {
    const likeness = likenessOf(file)
    if (likeness === null) return
    const descriptor = openSync(sealOf(file), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, PRIVATE)
    try {
      writeSync(descriptor, `${new Date(lookedAtMs).toISOString()}\n${likeness}\n`)
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // The disk is full, for one.
  }
}
