import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Approver, PlannedSettings } from '../../domain/plan/plan.js'
import { maskAccounts } from '../../domain/text/masking.js'
import { UsageError } from '../../errors.js'
import { USUAL_CONNECT_TIMEOUT_MS } from '../../service/usual-pace.js'
import { readSourceOptions } from '../../source/options.js'
import { MOST_BYTES, readGiven } from '../../trust/given-file.js'
import { fingerprintOf, publicKeyIn } from '../../trust/signature.js'
import { checkOptions, type Asked } from '../asked.js'
import type { MigrateOptions } from '../options.js'
import { DORMANT_SOON_DAYS } from '../../domain/value/check-mandate.js'

type Planned = Pick<Asked, 'options' | 'service' | 'policy' | 'zone'>

/**
 * All that bears on what is sent, where to and how, but for the files themselves, the address and the user, how many rows
 * go in one run and for how long. A file that a setting names counts with its bytes. No secrets; accounts masked.
 */
export function settingsOf({ options, service, policy, zone }: Planned): PlannedSettings {
  const { concurrency, rate, maxInDoubt, maxRefused, stopAtCanaryDoubt } = policy
  const { extraCertificates, clientCertificate, proxy } = service.trusted
  const { clientKey, connectTimeoutMs, freshConnections } = options.service
  const { crosswalk, ...reading } = readSourceOptions(options.reading ?? {})
  return {
    concurrency,
    rate,
    maxInDoubt,
    maxRefused,
    stopAtCanaryDoubt,
    timeoutMs: service.timeoutMs,
    connectTimeoutMs: connectTimeoutMs ?? USUAL_CONNECT_TIMEOUT_MS,
    freshConnections: freshConnections ?? false,
    outcomes: service.statusTable.overrides,
    rules: options.rules ?? {},
    zone,
    dormantSoonDays: options.dormantSoonDays ?? DORMANT_SOON_DAYS,
    newCreditorIdentifier: options.newCreditorIdentifier ?? null,
    checkBeforeSend: options.checkBeforeSend ?? false,
    sharedFolder: options.sharedFolder ?? false,
    anotherLedger: (options.anotherLedger ?? null) !== null,
    allInDoubt: (options.allInDoubt ?? null) !== null,
    testHost: options.testHost ?? null,
    approval: options.approval ?? null,
    approvers: Object.fromEntries(approversOf(options).map(({ name, key }) => [name, key])),
    configuration: options.configuration ?? null,
    proxy,
    extraCertificates: extraCertificates.map(withBytes),
    clientCertificate: clientCertificate === null ? null : withBytes(clientCertificate),
    clientKey: clientKey === undefined ? null : resolve(clientKey),
    ...(masked(reading) as PlannedSettings),
    crosswalk: crosswalk === undefined ? null : { ...crosswalk, file: withBytes(crosswalk.file) },
  }
}

/** Whose keys count, by name. @throws {UsageError} for what is no Ed25519 public key, and for one key under two names */
export function approversOf({ approvers = {} }: Pick<MigrateOptions, 'approvers'>): readonly Approver[] {
  const named = Object.entries(approvers).map(([name, pem]) => ({
    name: maskAccounts(name),
    key: keyIn(pem),
  }))
  const wrong = named.find(
    ({ key }, at) => key === null || named.findIndex((other) => other.key === key) !== at,
  )
  if (wrong !== undefined)
    throw new UsageError(
      `Cannot use the key of the approver "${wrong.name}": ${wrong.key === null ? 'it is no Ed25519 public key in PEM' : 'it is the key of another approver too'}; nothing was sent`,
      'Give each approver the public key of their own',
    )
  return named.flatMap(({ name, key }) => (key === null ? [] : [{ name, key }]))
}

function keyIn(pem: string): string | null {
  const key = publicKeyIn(pem)
  return key === null ? null : fingerprintOf(key)
}

/** As they are where nothing is said; the environment names certificates, so that is left out. */
export function defaultSettings({ service, machine }: Asked): PlannedSettings {
  const options: MigrateOptions = {
    ledger: 'sepa-migrate.db',
    service: { baseUrl: service.baseUrl.href, username: 'nobody', password: 'none' },
    confirm: () => false,
    machine: { ...machine, env: {}, zone: machine.zone },
  }
  return settingsOf(checkOptions(options))
}

export const namesOfChanged = (settings: PlannedSettings, usual: PlannedSettings): string[] =>
  Object.keys(settings).filter((name) => JSON.stringify(settings[name]) !== JSON.stringify(usual[name]))

/** What is no file, as the certificates of the system, stays the text that it is. */
function withBytes(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return path
  const { bytes } = readGiven(path, {
    what: 'file of a setting',
    nothing: 'nothing was sent',
    mostBytes: MOST_BYTES.decisions,
  })
  return `${path} (SHA-256 ${createHash('sha256').update(bytes).digest('hex')})`
}

/** Somebody may have written an account number beside a column. */
function masked(value: unknown): unknown {
  if (typeof value === 'string') return maskAccounts(value)
  if (Array.isArray(value)) return value.map(masked)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, masked(inner)]))
}
