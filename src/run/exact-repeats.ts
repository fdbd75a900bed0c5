import { hash } from 'node:crypto'
import type { RepeatedRecord } from '../ledger/ledger.js'
import { createRowSet, type RowSet } from '../source/survey/row-set.js'

/** Two rows of one hash turned out to say different things: the files have to be read in full. */
export class HashesMet extends Error {
  override readonly name = 'HashesMet'
}

/** Puts rows of one mandate that say the same, as far as their hashes tell, into groups. */
export interface RepeatGroups {
  /** Both rows are of one group from now on. @param first the lowest row of the group */
  readonly join: (first: number, row: number) => void
  /** The number of the group of a row, from 1; 0 for a row without one. */
  readonly groupOf: (row: number) => number
  /** Ends the grouping: a group of which a row has to be looked at is none, and `look` gets all of its rows. */
  readonly settle: (look: RowSet) => ExactRepeats
}

/**
 * Groups that share no key with any other row. What their rows say is compared by its SHA-256, of which as much is kept as
 * a ledger keeps of its fingerprints.
 */
export interface ExactRepeats {
  readonly has: (row: number) => boolean
  /** How many of the rows from `from` up to `to`, without `to`, repeat an earlier row. */
  readonly count: (from: number, to: number) => number
  /**
   * Takes the rows of groups in order. @param cells what the row says @param record counts the records of all
   * files from 1
   * @returns the record that the row repeats, counted so too; null for the first of its group
   * @throws {HashesMet} where the row says something else
   */
  readonly take: (row: number, cells: Uint8Array, record: number) => RepeatedRecord['original'] | null
}

const DIGEST_BYTES = 16

/** @param rows how many there are */
export function createRepeatGroups(rows: number): RepeatGroups {
  /** By row. Files without repeats need none of it. */
  let groups = new Uint32Array(0)
  let known = 0
  return {
    join: (first, row) => {
      if (known === 0) groups = new Uint32Array(rows)
      const group = groups[first] ?? 0
      groups[row] = group === 0 ? (groups[first] = known += 1) : group
    },
    groupOf: (row) => groups[row] ?? 0,
    settle: (look) => {
      const others = dissolve(groups, look)
      return { has: (row) => (groups[row] ?? 0) !== 0, count: others.count, take: taker(groups, known) }
    },
  }
}

/** Takes groups apart of which a row has to be looked at. @returns the rows of the others, but for the first of each */
function dissolve(groups: Uint32Array, look: RowSet): RowSet {
  const apart = createRowSet()
  for (let row = 0; row < groups.length; row += 1) {
    const group = groups[row] ?? 0
    if (group !== 0 && look.has(row)) apart.add(group)
  }
  const met = createRowSet()
  const others = createRowSet()
  for (let row = 0; row < groups.length; row += 1) {
    const group = groups[row] ?? 0
    if (group === 0) continue
    if (apart.has(group)) {
      look.add(row)
      groups[row] = 0
    } else if (met.has(group)) others.add(row)
    else met.add(group)
  }
  return others
}

function taker(groups: Uint32Array, known: number): ExactRepeats['take'] {
  const originals = new Uint32Array(known + 1)
  const digests = Buffer.alloc((known + 1) * DIGEST_BYTES)
  return (row, cells, record) => {
    const group = groups[row] ?? 0
    const digest = hash('sha256', cells, 'binary')
    const at = group * DIGEST_BYTES
    const original = originals[group] ?? 0
    if (original === 0) {
      originals[group] = record
      digests.write(digest.slice(0, DIGEST_BYTES), at, 'binary')
      return null
    }
    for (let byte = 0; byte < DIGEST_BYTES; byte += 1)
      if (digests[at + byte] !== digest.charCodeAt(byte)) throw new HashesMet()
    return original
  }
}
