import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CompareKeys } from '../source/survey/key-lanes.js'
import type { RowSet } from '../source/survey/row-set.js'
import { createRepeatGroups, type ExactRepeats } from './exact-repeats.js'

/** Hashed keys of all rows of a command, and which rows share one. Memory does not grow with the number of keys. */
export interface RepeatedKeys {
  readonly compare: CompareKeys
  /**
   * Adds every row to `look` that shares a key with a row that may say something else. Rows of one mandate that say the
   * same, as far as their hashes tell, and share no key with any other row, are given back as repeats. Nothing can be
   * compared afterwards. @param rows how many there are
   */
  readonly tell: (look: RowSet, rows: number) => ExactRepeats
  /** Lets the files go; may be called twice. */
  readonly close: () => void
}

const PARTS = 256
/** Keys of one part that are kept before they go to the file. */
const KEPT = 2048
const WORD_BYTES = 4

export function compareKeys(folder = tmpdir()): RepeatedKeys {
  const mandates = createKeyParts(folder, { withContent: true })
  const others = createKeyParts(folder, { withContent: false })
  return {
    compare: { mandate: mandates.put, other: others.put },
    tell: (look, rows) => {
      const groups = createRepeatGroups(rows)
      const lookAt = (first: number, row: number): void => {
        look.add(first)
        look.add(row)
      }
      mandates.tell((first, row, isSame) => {
        if (isSame) groups.join(first, row)
        else lookAt(first, row)
      })
      others.tell((first, row) => {
        const group = groups.groupOf(first)
        if (group === 0 || group !== groups.groupOf(row)) lookAt(first, row)
      })
      return groups.settle(look)
    },
    close: () => {
      mandates.close()
      others.close()
    },
  }
}

/** A row has the key of an earlier one, the first that has it. @param isSame both have the same content */
type Meet = (first: number, row: number, isSame: boolean) => void

interface KeyParts {
  readonly put: (row: number, a: number, b: number, content?: number) => void
  readonly tell: (meet: Meet) => void
  readonly close: () => void
}

/**
 * Keys are spread over parts by one hash; in a part they are compared by the other. What a part cannot keep goes to a
 * temporary file that no name leads to. It holds no key: the hashes are made with a number that is drawn anew each time.
 * An entry is the hash, the row, and with it its content where one is kept.
 */
function createKeyParts(folder: string, { withContent }: { withContent: boolean }): KeyParts {
  const words = withContent ? 3 : 2
  const kept = new Uint32Array(PARTS * KEPT * words)
  const counts = new Uint32Array(PARTS)
  const blocks: number[][] = Array.from({ length: PARTS }, () => [])
  const blockBytes = KEPT * words * WORD_BYTES
  let file: number | null = null
  let written = 0

  function spill(part: number): void {
    file ??= openUnnamed(folder)
    const block = new Uint8Array(kept.buffer, part * blockBytes, blockBytes)
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
    if (entries.length < count * words) entries = new Uint32Array(Math.ceil(count * words * 1.5))
    for (const [index, block] of spilled.entries())
      readBlock(file ?? -1, new Uint8Array(entries.buffer, index * blockBytes, blockBytes), block)
    const from = part * KEPT * words
    entries.set(kept.subarray(from, from + rest * words), spilled.length * KEPT * words)
    return [entries, count]
  }

  return {
    put: (row, a, b, content = 0) => {
      const part = b & (PARTS - 1)
      const count = counts[part] ?? 0
      const at = (part * KEPT + count) * words
      kept[at] = a
      kept[at + 1] = row
      if (words === 3) kept[at + 2] = content
      counts[part] = count + 1
      if (count + 1 === KEPT) spill(part)
    },
    tell: (meet) => {
      const tell = meetingTeller(words, meet)
      for (let part = 0; part < PARTS; part += 1) tell(...entriesOf(part))
    },
    close: () => {
      if (file !== null) closeSync(file)
      file = null
    },
  }
}

/** Takes one part after the other: its entries, and how many of them. */
function meetingTeller(words: number, meet: Meet) {
  /** Number of the first entry with a hash, from 1. */
  let table = new Uint32Array(0)
  return (entries: Uint32Array, count: number): void => {
    const contentAt = (at: number): number => (words === 3 ? (entries[at + 2] ?? 0) : 0)
    let slots = 16
    while (slots < count * 2) slots *= 2
    if (table.length < slots) table = new Uint32Array(slots)
    else table.fill(0, 0, slots)
    for (let entry = 0; entry < count; entry += 1) {
      const at = entry * words
      const hash = entries[at] ?? 0
      let slot = hash & (slots - 1)
      while (table[slot] !== 0 && entries[((table[slot] ?? 0) - 1) * words] !== hash)
        slot = (slot + 1) & (slots - 1)
      if (table[slot] === 0) {
        table[slot] = entry + 1
        continue
      }
      const first = ((table[slot] ?? 0) - 1) * words
      const content = contentAt(at)
      meet(entries[first + 1] ?? 0, entries[at + 1] ?? 0, content !== 0 && content === contentAt(first))
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
