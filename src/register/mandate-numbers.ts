import { createHmac } from 'node:crypto'

/** As many bits as a JavaScript number holds exactly; of two million mandates none is likely to share one by chance. */
const BYTES = 6
const BITS_MORE = 5

/**
 * Turns a text into a number that means nothing without the key of this register. Two ledgers have the same mandate
 * where they have the same number, whatever else differs in their files.
 */
export const numberWith =
  (key: Uint8Array): ((text: string) => number) =>
  (text) => {
    const digest = createHmac('sha256', key).update(text).digest()
    return digest.readUIntBE(0, BYTES) * 2 ** BITS_MORE + (digest.readUInt8(BYTES) >> (8 - BITS_MORE))
  }
