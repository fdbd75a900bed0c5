import { createHmac } from 'node:crypto'

/** As many bits as a number of a program holds exactly; of two million mandates none is likely to share one by chance. */
const BYTES = 6
const BITS_MORE = 5
/** The numbers of earlier versions had no more than the whole bytes. */
export const shortNumber = (number: number): number => Math.floor(number / 2 ** BITS_MORE)

/**
 * Turns mandate keys into numbers that mean nothing without the key of this user. Two exports have the same mandates
 * where they have the same numbers, whatever else differs in their files.
 */
export const numberMandates =
  (key: Uint8Array): ((mandateKey: string) => number) =>
  (mandateKey) => {
    const digest = createHmac('sha256', key).update(mandateKey).digest()
    return digest.readUIntBE(0, BYTES) * 2 ** BITS_MORE + (digest.readUInt8(BYTES) >> (8 - BITS_MORE))
  }

/** Tells two keys apart without giving either away. */
export const nameOfKey = (key: Uint8Array): string =>
  createHmac('sha256', key).update('name of the key').digest('hex').slice(0, 8)

const FIRST_ROOM = 1024

/** Collects numbers in eight bytes each, however many there are. */
export function startNumbers(): { add: (number: number) => void; collected: () => Float64Array } {
  let room = new Float64Array(FIRST_ROOM)
  let length = 0
  return {
    add: (number) => {
      if (length === room.length) {
        const larger = new Float64Array(2 * length)
        larger.set(room)
        room = larger
      }
      room[length] = number
      length += 1
    },
    collected: () => room.subarray(0, length),
  }
}

/** True where a sorted array holds the number. */
export function holds(sorted: Float64Array, number: number): boolean {
  let from = 0
  let to = sorted.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((sorted[middle] ?? Infinity) < number) from = middle + 1
    else to = middle
  }
  return sorted[from] === number
}
