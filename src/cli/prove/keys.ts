import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { UsageError } from '../../errors.js'
import { isUsableKey } from '../../trust/signature.js'
import { distrustInstructions, distrustSecret } from '../../trust/entry.js'
import { MOST_BYTES, readGivenText, type GivenRequest } from '../../trust/trusted-file.js'

const MAKE_KEY = '"openssl genpkey -algorithm ed25519 -out KEY.pem" makes one'

/**
 * The private key to sign with.
 * @param nothing what it means that there is none
 * @throws {UsageError} where others can read the file, and for anything but an Ed25519 key without a passphrase
 */
export function readSigningKey(file: string, nothing = 'no report was written'): KeyObject {
  const text = readKeyFile(file, { distrust: distrustSecret, nothing })
  if (text.includes('ENCRYPTED'))
    throw new UsageError(
      `The key file "${file}" is protected by a passphrase, for which this program does not ask; ${nothing}`,
      'Give a key without one, in a file that only you can read ("openssl pkey -in KEY.pem -out PLAIN.pem" takes it off)',
    )
  const next = `Give an Ed25519 key in PEM; ${MAKE_KEY}`
  return usable(file, () => createPrivateKey(text), { what: 'private key', nothing, next })
}

/**
 * The public key to check a signature with.
 * @param nothing what it means that there is none
 * @throws {UsageError} where others can change the file, and for anything but an Ed25519 public key
 */
export function readCheckingKey(file: string, nothing = 'nothing was verified'): KeyObject {
  const text = readKeyFile(file, { distrust: distrustInstructions, nothing })
  if (text.includes('PRIVATE KEY'))
    throw new UsageError(
      `"${file}" holds a private key, which belongs to whoever signs; ${nothing}`,
      'Give its public key: "openssl pkey -in KEY.pem -pubout -out PUBLIC.pem" writes it',
    )
  const next = 'Give the Ed25519 public key of whoever signed, in PEM'
  return usable(file, () => createPublicKey(text), { what: 'public key', nothing, next })
}

const readKeyFile = (file: string, reading: Pick<GivenRequest, 'distrust' | 'nothing'>): string =>
  readGivenText(file, { what: 'key file', mostBytes: MOST_BYTES.secret, ...reading })

/** What is thrown has no cause, which may quote what is in the file. */
function usable(
  file: string,
  parse: () => KeyObject,
  { what, nothing, next }: Record<'what' | 'nothing' | 'next', string>,
): KeyObject {
  let key: KeyObject
  try {
    key = parse()
  } catch {
    throw new UsageError(`There is no ${what} in "${file}"; ${nothing}`, next)
  }
  if (isUsableKey(key)) return key
  throw new UsageError(`The key in "${file}" is not an Ed25519 key; ${nothing}`, next)
}
