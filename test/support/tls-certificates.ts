import './tls-reflection.js'
import { webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
  type X509Certificate,
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

async function toPem(certificate: X509Certificate, keys: webcrypto.CryptoKeyPair): Promise<CertifiedKey> {
  const exported = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  const lines = exported.match(/.{1,64}/g) ?? []
  return {
    cert: certificate.toString('pem'),
    key: ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n'),
  }
}

const validFor = (fromDays: number, toDays: number) => ({
  notBefore: new Date(Date.now() + fromDays * DAY_MS),
  notAfter: new Date(Date.now() + toDays * DAY_MS),
})

/** A certificate authority that lives as long as the test. */
export async function makeAuthority() {
  const keys = await makeKeys()
  // Authorities of one name would be taken for each other.
  const name = `CN=Test authority ${nextSerial()}`
  const root = await X509CertificateGenerator.createSelfSigned({
    serialNumber: nextSerial(),
    name,
    ...validFor(-30, 30),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 1, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  })
  return {
    ...(await toPem(root, keys)),
    /** Signs a certificate for these names; `expired`: it ended yesterday. */
    async issue(names: readonly string[], { expired = false } = {}): Promise<CertifiedKey> {
      const own = await makeKeys()
      const certificate = await X509CertificateGenerator.create({
        serialNumber: nextSerial(),
        subject: `CN=${names[0] ?? 'client'}`,
        issuer: name,
        ...(expired ? validFor(-20, -1) : validFor(-1, 20)),
        signingAlgorithm: ALGORITHM,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        extensions: [
          new SubjectAlternativeNameExtension(
            names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }) as const),
          ),
        ],
      })
      return toPem(certificate, own)
    },
  }
}

/** A certificate that signs itself, for these names. */
export async function makeSelfSigned(names: readonly string[]): Promise<CertifiedKey> {
  const keys = await makeKeys()
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: nextSerial(),
    name: `CN=${names[0] ?? 'client'}`,
    ...validFor(-1, 20),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value }) as const)),
    ],
  })
  return toPem(certificate, keys)
}
