import { closeSync, constants as open, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { constants as zlib, gunzipSync } from 'node:zlib'
import type { Records } from '../../ledger/safety/space-need.js'

const SAMPLE_BYTES = 64 * 1024
const MOST_UNPACKED = 256 * SAMPLE_BYTES
const LINE_END = 0x0a
const CARRIAGE_RETURN = 0x0d

/** What a file of the command seems to hold, before it is read. */
export interface ExpectedSource extends Records {
  /** Of the file as it lies there, to tell one that is in the ledger already. */
  readonly fileBytes: number
}

/**
 * Records and unpacked bytes of a file, told from its size and its first bytes. Null for what is no
 * file, or cannot be read: then reading it will say so.
 */
export function expectedRecords(path: string): ExpectedSource | null {
  let descriptor: number | null = null
  try {
    // Opening a pipe and closing it again would end whoever writes to it.
    if (!statSync(path).isFile()) return null
    descriptor = openSync(path, open.O_RDONLY | open.O_NONBLOCK)
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) return null
    const buffer = Buffer.allocUnsafe(Math.min(SAMPLE_BYTES, stats.size))
    const read = readSync(descriptor, buffer, 0, buffer.length, 0)
    return { ...expectedFrom(buffer.subarray(0, read), stats.size), fileBytes: stats.size }
  } catch {
    return null
  } finally {
    if (descriptor !== null) closeSync(descriptor)
  }
}

/** From the first bytes of a file of that size. */
export function expectedFrom(first: Buffer, size: number): Records {
  if (first.length === 0) return { records: 0, bytes: 0 }
  const isPacked = first[0] === 0x1f && first[1] === 0x8b
  const text = isPacked ? unpacked(first) : first
  const bytes = Math.ceil((size / first.length) * text.length)
  return { records: Math.ceil((bytes / Math.max(1, text.length)) * linesOf(text)), bytes }
}

/** What of cut gzip data can be unpacked. */
const unpacked = (packed: Buffer): Buffer =>
  gunzipSync(packed, { finishFlush: zlib.Z_SYNC_FLUSH, maxOutputLength: MOST_UNPACKED })

function linesOf(text: Buffer): number {
  const lines = countOf(text, LINE_END)
  const ended = lines > 0 ? lines : countOf(text, CARRIAGE_RETURN)
  return Math.max(1, ended)
}

function countOf(text: Buffer, byte: number): number {
  let count = 0
  for (let at = text.indexOf(byte); at !== -1; at = text.indexOf(byte, at + 1)) count += 1
  return count
}
