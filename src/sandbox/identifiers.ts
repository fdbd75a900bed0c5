import { createHash } from 'node:crypto'

/** The creditor identifier the sandbox assigns: invented, of the German form, its check digits right. */
export const ASSIGNED_CREDITOR_IDENTIFIER = 'DE84ZZZ09876543210'

/** Without I, L, O and U, so that a reference read aloud stays the same. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const digest = (...parts: readonly (string | number)[]): Buffer =>
  createHash('sha256').update(parts.join('|')).digest()

/** The reference of the n-th mandate: 26 letters and digits that look random and repeat only with the seed. */
export const assignedReference = (seed: number, mandateNumber: number): string =>
  Array.from(digest('mandate', seed, mandateNumber).subarray(0, 26), (byte) => ALPHABET[byte % 32]).join('')

/** A UUID (form of version 4) for the n-th event of a billogram. */
export function eventUuid(seed: number, billogramId: string, eventNumber: number): string {
  const bytes = digest('event', seed, billogramId, eventNumber).subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** A number from 0 (included) to 1 (left out) that depends on the parts alone. */
export const chanceOf = (...parts: readonly (string | number)[]): number =>
  digest('chance', ...parts).readUIntBE(0, 6) / 2 ** 48

/** Whether an account number has the ISO 13616 form and right check digits. Nothing national is checked. */
export function isIban(text: string): boolean {
  if (!/^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/.test(text)) return false
  const digits = (text.slice(4) + text.slice(0, 4)).replace(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  )
  return Array.from(digits).reduce((rest, digit) => (rest * 10 + Number(digit)) % 97, 0) === 1
}

const SOURCE_PREFIX = 'ps-'

/** The id of the payment source that a mandate is. */
export const paymentSourceId = (assignedMandateReference: string): string =>
  SOURCE_PREFIX + assignedMandateReference.toLowerCase()

/** The assigned reference behind an id, or null for what is no such id. */
export const referenceOfSource = (id: string): string | null =>
  id.startsWith(SOURCE_PREFIX) ? id.slice(SOURCE_PREFIX.length).toUpperCase() : null
