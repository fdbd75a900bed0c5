import type { LocalDate } from '../../domain/mandate/mandate.js'
import { spread } from './key-lanes.js'

/** Dates of plain records: each distinct cell is read by the rules once, and counted from then on. */
export interface PlainDates {
  /** The number of the cell's date, or -1 where the rules say anything about it. */
  readonly numberOf: (bytes: Uint8Array, start: number, end: number) => number
  readonly note: (number: number, row: number) => void
  readonly dateOf: (number: number) => LocalDate
  /** A hash of the date as it is written. */
  readonly hashOf: (number: number) => number
  /** Each date with its rows and the first of them, in order of first sight. */
  readonly totals: () => readonly DateTotal[]
}

export interface DateTotal {
  readonly date: LocalDate
  readonly rows: number
  readonly first: number
}

/** A date in any notation of digits and separators. */
const LONGEST = 10
/** Twice the days of 60 years, in several notations. */
const MOST = 65_536
const SLOTS = MOST * 2
const NOT_PLAIN = -1
const WORD = 0x1_0000_0000

/** 1 to 13 for what a date is written with, 0 for anything else. */
const CODES = new Uint8Array(256)
for (const [index, character] of Array.from('0123456789-./').entries())
  CODES[character.charCodeAt(0)] = index + 1

/** @param read the date of a cell that no rule says anything about, null for every other */
export function countPlainDates(read: (cell: string) => LocalDate | null): PlainDates {
  const codes = new Float64Array(SLOTS)
  const numbers = new Int32Array(SLOTS)
  const dates: LocalDate[] = []
  const hashes: number[] = []
  const rows: number[] = []
  const firsts: number[] = []
  let known = 0

  function enter(slot: number, code: number, cell: string): number {
    if (known >= MOST) return NOT_PLAIN
    known += 1
    const date = read(cell)
    const number = date === null ? NOT_PLAIN : dates.push(date) - 1
    if (date !== null) {
      hashes.push(spread(code ^ Math.floor(code / WORD)))
      rows.push(0)
      firsts.push(0)
    }
    codes[slot] = code
    numbers[slot] = number
    return number
  }

  return {
    numberOf: (bytes, start, end) => {
      if (end - start > LONGEST || end === start) return NOT_PLAIN
      let code = 0
      let hash = 0
      for (let at = start; at < end; at += 1) {
        const one = CODES[bytes[at] ?? 0] ?? 0
        if (one === 0) return NOT_PLAIN
        code = code * 16 + one
        hash = Math.imul(hash, 31) + one
      }
      let slot = (Math.imul(hash, 0x9e3779b1) >>> 0) % SLOTS
      for (;;) {
        const found = codes[slot]
        if (found === code) return numbers[slot] ?? NOT_PLAIN
        if (found === 0) return enter(slot, code, String.fromCharCode(...bytes.subarray(start, end)))
        slot = (slot + 1) % SLOTS
      }
    },
    note: (number, row) => {
      if (rows[number] === 0) firsts[number] = row
      rows[number] = (rows[number] ?? 0) + 1
    },
    dateOf: (number) => dates[number] ?? ('' as LocalDate),
    hashOf: (number) => hashes[number] ?? 0,
    totals: () =>
      dates.flatMap((date, number) => {
        const count = rows[number] ?? 0
        return count === 0 ? [] : [{ date, rows: count, first: firsts[number] ?? 0 }]
      }),
  }
}
