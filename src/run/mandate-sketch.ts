import { createHmac } from 'node:crypto'

/** How many of the smallest numbers a sketch keeps, two a mandate: all of a small export, a fair sample of a large one. */
const KEPT = 2_000
/** 48 bits are exact as a number; of a million mandates none is likely to share one with a sketch by chance. */
const BYTES = 6

/**
 * Turns mandate keys into numbers that mean nothing without the key of this user. Two exports have the same mandates
 * where they have the same numbers, whatever else differs in their files.
 */
export const numberMandates =
  (key: Uint8Array): ((mandateKey: string) => number) =>
  (mandateKey) =>
    createHmac('sha256', key).update(mandateKey).digest().readUIntBE(0, BYTES)

/** Tells two keys apart without giving either away. */
export const nameOfKey = (key: Uint8Array): string =>
  createHmac('sha256', key).update('name of the key').digest('hex').slice(0, 8)

/** Collects the smallest numbers, each once; memory does not grow with the number of mandates. */
export function startSketch(): { add: (number: number) => void; numbers: () => readonly number[] } {
  let kept: number[] = []
  let limit = Infinity

  function tidy(): void {
    kept = [...new Set(kept)].sort((a, b) => a - b).slice(0, KEPT)
    if (kept.length === KEPT) limit = kept.at(-1) ?? Infinity
  }

  return {
    add: (number) => {
      if (number >= limit) return
      kept.push(number)
      if (kept.length >= 2 * KEPT) tidy()
    },
    numbers: () => {
      tidy()
      return kept
    },
  }
}
