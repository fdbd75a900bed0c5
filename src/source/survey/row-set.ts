/** Numbers of rows, one bit for each: five million rows in 640 KB. */
export interface RowSet {
  readonly add: (row: number) => void
  readonly has: (row: number) => boolean
  /** How many of the rows from `from` up to `to`, without `to`, are in it. */
  readonly count: (from: number, to: number) => number
}

const FIRST_BYTES = 4096

export function createRowSet(): RowSet {
  let bits = new Uint8Array(FIRST_BYTES)
  const has = (row: number): boolean => ((bits[row >>> 3] ?? 0) & (1 << (row & 7))) !== 0
  return {
    add: (row) => {
      const at = row >>> 3
      if (at >= bits.length) {
        const larger = new Uint8Array(Math.max(bits.length * 2, at + 1))
        larger.set(bits)
        bits = larger
      }
      bits[at] = (bits[at] ?? 0) | (1 << (row & 7))
    },
    has,
    count: (from, to) => {
      let rows = 0
      for (let row = from; row < to; row += 1) if (has(row)) rows += 1
      return rows
    },
  }
}
