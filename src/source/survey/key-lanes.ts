import type { CheckedRecord } from '../../domain/rule/verdict.js'

/**
 * What rules across rows compare, as two hashes of 32 bits for each key. Keys that a rule takes for equal have equal
 * hashes; a chance meeting of others costs a closer look and nothing else. Three keys are all that admission compares in
 * rows of exports that no older row precedes: the mandate without its blanks (repeated mandates and near ones), the
 * customer, and the account.
 */
export interface KeyHashes {
  readonly seed: number
  /** Two rows that share an account are compared; without it IBAN_SHARED is off. */
  readonly hasAccount: boolean
}

/** Takes hashed keys of rows. */
export interface CompareKeys {
  /** @param content a hash of 32 bits, never 0, of all that makes two rows of one mandate agree; 0 where it was not made */
  readonly mandate: (row: number, a: number, b: number, content: number) => void
  /** Any other key that a rule compares. */
  readonly other: (row: number, a: number, b: number) => void
}

const SPACE = 0x20

export const stepA = (lane: number, code: number): number => Math.imul(lane ^ code, 0x01000193)
export const stepB = (lane: number, code: number): number => (Math.imul(lane, 0x2c1b3c6d) + code) | 0

/** Spreads what a lane holds over all of its bits. */
export function spread(lane: number): number {
  let mixed = lane ^ (lane >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

export const mandateSeed = (seed: number): number => spread(seed ^ 0x1b873593)
export const customerSeed = (seed: number): number => spread(seed ^ 0x6d2b79f5)
export const accountSeed = (seed: number): number => spread(seed ^ 0x4cf5ad43)

const HIGH = 0x1_0000_0000

export const customerA = (seed: number, customerNo: number): number =>
  spread((customerNo >>> 0) ^ seed ^ Math.imul(Math.floor(customerNo / HIGH) + 1, 0x27d4eb2f))
export const customerB = (seed: number, customerNo: number): number =>
  spread(Math.imul((customerNo >>> 0) ^ ~seed, 0x165667b1) + Math.floor(customerNo / HIGH))

/** Both lanes over a text without its blanks; before `spread`, so that more may follow. */
export function lanesOf(text: string, seed: number): readonly [number, number] {
  let a = seed
  let b = ~seed
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === SPACE) continue
    a = stepA(a, code)
    b = stepB(b, code)
  }
  return [a, b]
}

/** The keys of a record that was checked in full. */
export function compareKeysOf(
  { mandateKey, values }: Pick<CheckedRecord, 'mandateKey' | 'values'>,
  row: number,
  { seed, hasAccount }: KeyHashes,
  compare: CompareKeys,
): void {
  if (mandateKey !== null) {
    const [a, b] = lanesOf(mandateKey, mandateSeed(seed))
    compare.mandate(row, spread(a), spread(b), 0)
  }
  if (hasAccount && values.iban !== null) {
    const [a, b] = lanesOf(values.iban, accountSeed(seed))
    compare.other(row, spread(a), spread(b))
  }
  if (values.customerNo === null) return
  const ofCustomer = customerSeed(seed)
  compare.other(row, customerA(ofCustomer, values.customerNo), customerB(ofCustomer, values.customerNo))
}
