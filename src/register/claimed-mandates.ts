import { createHash } from 'node:crypto'
import { closeSync, fstatSync, fsyncSync, ftruncateSync, mkdirSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { explainingRegister, flushFolder, openOwn, registerFault } from './register-place.js'

/**
 * The mandates that a ledger claimed, as keyed numbers of eight bytes: one file for each ledger, to which every run adds
 * those that are new. A run's line in the register says which part of the file is its own, so what a killed run left
 * behind the last part counts for nothing and is cut off by the next one.
 */
const FOLDER = 'mandates'
const WIDTH = Float64Array.BYTES_PER_ELEMENT

export const partSchema = z.object({
  /** Numbers before this part. */
  from: z.int().min(0),
  count: z.int().min(0),
  sha256: z.string(),
})
export type ClaimPart = z.infer<typeof partSchema>

const pathOf = (folder: string, ledgerId: string): string =>
  join(folder, FOLDER, createHash('sha256').update(ledgerId).digest('hex').slice(0, 32))

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** A part that begins at nothing takes the place of all before it: the file was damaged, and a person went on. */
export const standing = (parts: readonly ClaimPart[]): readonly ClaimPart[] =>
  parts.slice(
    Math.max(
      0,
      parts.findLastIndex(({ from }) => from === 0),
    ),
  )

/** Where the next part begins. */
export const endOf = (parts: readonly ClaimPart[]): number =>
  Math.max(0, ...parts.map(({ from, count }) => from + count))

/** The numbers of these parts, sorted. @throws {LedgerError} `register` for a file that does not hold them */
export function readParts(folder: string, ledgerId: string, parts: readonly ClaimPart[]): Float64Array {
  const numbers = new Float64Array(parts.reduce((sum, { count }) => sum + count, 0))
  if (numbers.length === 0) return numbers
  const path = pathOf(folder, ledgerId)
  explainingRegister(path, () => {
    const descriptor = openOwn(path)
    try {
      let at = 0
      for (const part of parts) {
        const bytes = new Uint8Array(numbers.buffer, at * WIDTH, part.count * WIDTH)
        if (!readAll(descriptor, bytes, part.from * WIDTH) || sha256Of(bytes) !== part.sha256)
          throw damaged(path)
        at += part.count
      }
    } finally {
      closeSync(descriptor)
    }
  })
  return numbers.sort()
}

function readAll(descriptor: number, bytes: Uint8Array, start: number): boolean {
  for (let done = 0; done < bytes.length;) {
    const read = readSync(descriptor, bytes, done, bytes.length - done, start + done)
    if (read === 0) return false
    done += read
  }
  return true
}

const damaged = (path: string) =>
  registerFault(
    path,
    'it says which mandates a ledger claimed, and is damaged or cut',
    'Bring it back from a backup. Only if no other ledger holds these mandates, run without looking at other ledgers',
    { ways: ['another_ledger'] },
  )

/** Adds a part behind the others and waits until it is on the disk. Call it under the lock of the register. */
export function addPart(folder: string, ledgerId: string, from: number, numbers: Float64Array): ClaimPart {
  const path = pathOf(folder, ledgerId)
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
  explainingRegister(path, () => {
    mkdirSync(join(folder, FOLDER), { recursive: true, mode: 0o700 })
    const descriptor = openOwn(path)
    try {
      const start = from * WIDTH
      if (fstatSync(descriptor).size < start) throw damaged(path)
      ftruncateSync(descriptor, start)
      for (let done = 0; done < bytes.length;)
        done += writeSync(descriptor, bytes, done, bytes.length - done, start + done)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    flushFolder(folder)
  })
  return { from, count: numbers.length, sha256: sha256Of(bytes) }
}
