import './tls-reflection.js'
import { webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import {
  BasicConstraintsExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'

/** A certificate and its key as PEM text. Made when a test asks for it; no key is kept in the repository. */
export interface CertifiedKey {
  readonly cert: string
  readonly key: string
}

export type Authority = Awaited<ReturnType<typeof makeAuthority>>

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY_MS = 86_400_000

let serial = 0
const nextSerial = (): string => (serial += 1).toString(16).padStart(4, '0')

const makeKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])

const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS)

/** For these names, as a client looks for them. */
const namesOf = (names: readonly string[]): SubjectAlternativeNameExtension =>
  new SubjectAlternativeNameExtension(
    names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }) as const),
  )

interface Certified {
  readonly keys?: webcrypto.CryptoKeyPair
  /** Default: it signs itself. */
  readonly by?: { readonly name: string; readonly keys: webcrypto.CryptoKeyPair }
  readonly days?: readonly [from: number, to: number]
  readonly extensions: Extension[]
}

async function certify(subject: string, { keys, by, days: [from, to] = [-1, 20], extensions }: Certified) {
  const own = keys ?? (await makeKeys())
  const certificate = await X509CertificateGenerator.create({
    serialNumber: nextSerial(),
    ...{ subject, issuer: by?.name ?? subject },
    ...{ notBefore: inDays(from), notAfter: inDays(to) },
    signingAlgorithm: ALGORITHM,
    publicKey: own.publicKey,
    signingKey: (by?.keys ?? own).privateKey,
    extensions,
  })
  const exported = await webcrypto.subtle.exportKey('pkcs8', own.privateKey)
  return { cert: certificate.toString('pem'), key: PemConverter.encode(exported, 'PRIVATE KEY') }
}

/** A certificate authority that lives as long as the test. */
export async function makeAuthority() {
  const keys = await makeKeys()
  // Authorities of one name would be taken for each other.
  const name = `CN=Test authority ${nextSerial()}`
  const isAuthority = [
    new BasicConstraintsExtension(true, 1, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
  ]
  return {
    ...(await certify(name, { keys, days: [-30, 30], extensions: isAuthority })),
    /** Signs a certificate for these names; `expired`: it ended yesterday. */
    issue: (names: readonly string[], { expired = false } = {}): Promise<CertifiedKey> =>
      certify(`CN=${names[0] ?? 'client'}`, {
        by: { name, keys },
        days: expired ? [-20, -1] : [-1, 20],
        extensions: [namesOf(names)],
      }),
  }
}

/** A certificate that signs itself, for these names. */
export const makeSelfSigned = (names: readonly string[]): Promise<CertifiedKey> =>
  certify(`CN=${names[0] ?? 'client'}`, { extensions: [namesOf(names)] })
