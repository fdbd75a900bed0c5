import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Hashed keys of all rows of a command, and which rows share one. Memory does not grow with the number of keys. */
export interface RepeatedKeys {
  readonly compare: (row: number, a: number, b: number) => void
  /** Tells every row whose key another row has too. Nothing can be compared afterwards. */
  readonly tell: (repeated: (row: number) => void) => void
  /** Lets the file go; may be called twice. */
  readonly close: () => void
}

const PARTS = 256
/** Keys of one part that are kept before they go to the file: 32 KiB. */
const KEPT = 4096
const BYTES = 8

/**
 * Keys are spread over parts by one hash; in a part they are compared by the other. What a part cannot keep goes to a
 * temporary file that no name leads to. It holds no key: the hashes are made with a number that is drawn anew each time.
 */
export function compareKeys(folder = tmpdir()): RepeatedKeys {
  const kept = new Uint32Array(PARTS * KEPT * 2)
  const counts = new Uint32Array(PARTS)
  const blocks: number[][] = Array.from({ length: PARTS }, () => [])
  let file: number | null = null
  let written = 0

  function spill(part: number): void {
    file ??= openUnnamed(folder)
    const block = new Uint8Array(kept.buffer, part * KEPT * BYTES, KEPT * BYTES)
    if (writeSync(file, block, 0, block.length, written * block.length) !== block.length)
      throw new Error('The temporary folder is full')
    blocks[part]?.push(written)
    written += 1
    counts[part] = 0
  }

  let entries = new Uint32Array(0)
  /** All of a part, and how many; good until the next part is asked for. */
  function entriesOf(part: number): [Uint32Array, number] {
    const spilled = blocks[part] ?? []
    const rest = counts[part] ?? 0
    const count = spilled.length * KEPT + rest
    if (entries.length < count * 2) entries = new Uint32Array(count * 3)
    for (const [index, block] of spilled.entries())
      readBlock(file ?? -1, new Uint8Array(entries.buffer, index * KEPT * BYTES, KEPT * BYTES), block)
    entries.set(kept.subarray(part * KEPT * 2, (part * KEPT + rest) * 2), spilled.length * KEPT * 2)
    return [entries, count]
  }

  return {
    compare: (row, a, b) => {
      const part = b & (PARTS - 1)
      const count = counts[part] ?? 0
      const at = (part * KEPT + count) * 2
      kept[at] = a
      kept[at + 1] = row
      counts[part] = count + 1
      if (count + 1 === KEPT) spill(part)
    },
    tell: (repeated) => {
      const tell = repeatTeller(repeated)
      for (let part = 0; part < PARTS; part += 1) tell(...entriesOf(part))
    },
    close: () => {
      if (file !== null) closeSync(file)
      file = null
    },
  }
}

/** Takes one part after the other: hash and row, hash and row, and how many of them. */
function repeatTeller(repeated: (row: number) => void) {
  /** Number of the first entry with a hash, from 1. */
  let table = new Uint32Array(0)
  return (entries: Uint32Array, count: number): void => {
    let slots = 16
    while (slots < count * 2) slots *= 2
    if (table.length < slots) table = new Uint32Array(slots)
    else table.fill(0, 0, slots)
    for (let entry = 0; entry < count; entry += 1) {
      const hash = entries[entry * 2] ?? 0
      let slot = hash & (slots - 1)
      while (table[slot] !== 0 && entries[((table[slot] ?? 0) - 1) * 2] !== hash)
        slot = (slot + 1) & (slots - 1)
      const first = table[slot] ?? 0
      if (first === 0) table[slot] = entry + 1
      else {
        repeated(entries[first * 2 - 1] ?? 0)
        repeated(entries[entry * 2 + 1] ?? 0)
      }
    }
  }
}

function readBlock(file: number, into: Uint8Array, block: number): void {
  if (readSync(file, into, 0, into.length, block * into.length) !== into.length)
    throw new Error('The temporary file is shorter than it was written')
}

function openUnnamed(folder: string): number {
  const path = join(folder, `sepa-migrate-${randomBytes(12).toString('hex')}`)
  const file = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  return file
}
