import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { UsageError } from '../../errors.js'
import { isUsableKey } from '../../trust/signature.js'
import { distrustInstructions, distrustSecret } from '../../trust/entry.js'
import { MOST_BYTES, readGivenText, type GivenRequest } from '../../trust/given-file.js'

const MAKE_KEY = '"openssl genpkey -algorithm ed25519 -out KEY.pem" makes one'
const NO_REPORT = 'no report was written'

/**
 * The private key to sign with.
 * @param nothing what it means that there is none
 * @throws {UsageError} where others can read the file, and for anything but an Ed25519 key without a passphrase
 */
export function readSigningKey(file: string, nothing = NO_REPORT): KeyObject {
  const text = readKeyFile(file, { distrust: distrustSecret, nothing })
  if (text.includes('ENCRYPTED'))
    throw new UsageError(
      `The key file "${file}" is protected by a passphrase, for which this program does not ask; ${nothing}`,
      'Give a key without one, in a file that only you can read ("openssl pkey -in KEY.pem -out PLAIN.pem" takes it off)',
    )
  const key = parsed(
    () => createPrivateKey(text),
    () =>
      new UsageError(`There is no private key in "${file}"; ${nothing}`, `Give a key in PEM; ${MAKE_KEY}`),
  )
  if (isUsableKey(key)) return key
  throw new UsageError(
    `The key in "${file}" is not an Ed25519 key; ${nothing}`,
    `Give one that is; ${MAKE_KEY}`,
  )
}

const NOT_VERIFIED = 'nothing was verified'

/**
 * The public key to check a signature with.
 * @param nothing what it means that there is none
 * @throws {UsageError} where others can change the file, and for anything but an Ed25519 public key
 */
export function readCheckingKey(file: string, nothing = NOT_VERIFIED): KeyObject {
  const text = readKeyFile(file, { distrust: distrustInstructions, nothing })
  if (text.includes('PRIVATE KEY'))
    throw new UsageError(
      `"${file}" holds a private key, which belongs to whoever signs; ${nothing}`,
      'Give its public key: "openssl pkey -in KEY.pem -pubout -out PUBLIC.pem" writes it',
    )
  const next = 'Give the Ed25519 public key of whoever signed, in PEM'
  const key = parsed(
    () => createPublicKey(text),
    () => new UsageError(`There is no public key in "${file}"; ${nothing}`, next),
  )
  if (isUsableKey(key)) return key
  throw new UsageError(`The key in "${file}" is not an Ed25519 key; ${nothing}`, next)
}

const readKeyFile = (file: string, reading: Pick<GivenRequest, 'distrust' | 'nothing'>): string =>
  readGivenText(file, { what: 'key file', mostBytes: MOST_BYTES.secret, ...reading })

function parsed(parse: () => KeyObject, refusal: () => UsageError): KeyObject {
  try {
    return parse()
  } catch {
    throw refusal() // without the cause, which may quote what is in the file
  }
}
