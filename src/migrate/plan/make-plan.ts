import { timeOf } from '../../domain/mandate/date.js'
import type { Machine } from '../../machine.js'
import { planDigestOf } from '../../ledger/plan/plans.js'
import { DORMANT_SOON_DAYS } from '../../domain/value/check-mandate.js'
import { readAsTexts, treatedAsActive } from '../../domain/rule/verdict.js'
import { hash } from 'node:crypto'
import { basename, resolve } from 'node:path'
import {
  type PlanDocument,
  type PlannedSource,
  type Approver,
  type PlannedSettings,
} from '../../domain/plan/plan.js'
import { maskAccounts } from '../../domain/text/masking.js'
import { requireDriver } from '../../driver.js'
import { UsageError } from '../../errors.js'
import { openLedger } from '../../ledger/file/open-ledger.js'
import type { EvidenceCounts } from '../../ledger/admit/collected.js'
import type { Ledger } from '../../ledger/file/writer.js'
import type { LedgerReader } from '../../ledger/read/open-reader.js'
import type { AdmittedSource } from '../../run/admit-sources.js'
import type { Register } from '../../register/campaign-register.js'
import { expectedMs } from '../../run/pace.js'
import {
  type MigrateOptions,
  checkOptions,
  refuseStreams,
  type ValidatedOptions,
  registerOf,
  targetOf,
} from '../options.js'
import { askAhead } from '../ask.js'
import { bringIn } from '../../run/campaign.js'
import { statSync } from 'node:fs'
import { readSourceOptions, withFlags } from '../../source/options.js'
import { MOST_BYTES, readGiven } from '../../trust/given-file.js'
import { fingerprintOf, publicKeyIn } from '../../trust/signature.js'
import { USUAL_CONNECT_TIMEOUT_MS } from '../../service/checked-service.js'
type PlannedRun = Pick<ValidatedOptions, 'options' | 'service' | 'policy' | 'zone'>

/**
 * All that bears on what is sent, where to and how, but for the files themselves, the address and the user, how many rows
 * go in one run and for how long. A file that a setting names counts with its bytes. No secrets; accounts masked.
 */
export function settingsOf({ options, service, policy, zone }: PlannedRun): PlannedSettings {
  const { limit: _limit, maxDurationMs: _maxDurationMs, ...pace } = policy
  const { extraCertificates, clientCertificate, proxy } = service.trusted
  const { clientKey, connectTimeoutMs, freshConnections } = options.service
  const { crosswalk, join, ...reading } = withFlags(
    readSourceOptions(options.reading ?? {}),
    options.readingFlags ?? {},
  )
  return {
    ...pace,
    timeoutMs: service.timeoutMs,
    connectTimeoutMs: connectTimeoutMs ?? USUAL_CONNECT_TIMEOUT_MS,
    freshConnections: freshConnections ?? false,
    outcomes: service.statusTable.overrides,
    rules: options.rules ?? {},
    zone,
    dormantSoonDays: options.dormantSoonDays ?? DORMANT_SOON_DAYS,
    newCreditorIdentifier: options.newCreditorIdentifier ?? null,
    checkBeforeSend: options.checkBeforeSend ?? false,
    who: options.who ?? false,
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
    join: join.map((one) => ({ ...one, file: withBytes(one.file) })),
  }
}

/** Whose keys count, by name. @throws {UsageError} for what is no Ed25519 public key, and for one key under two names */
function approversOf({ approvers = {} }: Pick<MigrateOptions, 'approvers'>): readonly Approver[] {
  const keys = new Set<string>()
  return Object.entries(approvers).map(([given, pem]) => {
    const [name, read] = [maskAccounts(given), publicKeyIn(pem)]
    const key = read === null ? null : fingerprintOf(read)
    if (key === null || keys.has(key))
      throw new UsageError(
        `Cannot use the key of the approver "${name}": ${key === null ? 'it is no Ed25519 public key in PEM' : 'it is the key of another approver too'}; nothing was sent`,
        'Give each approver the public key of their own',
      )
    keys.add(key)
    return { name, key }
  })
}

/** What differs from the settings where nothing is said; the environment names certificates, so that is left out. */
export function changedSettingsOf(
  settings: PlannedSettings,
  { baseUrl, machine }: { readonly baseUrl: string; readonly machine: Machine },
): string[] {
  const options: MigrateOptions = {
    ledger: 'sepa-migrate.db',
    service: { baseUrl, username: 'nobody', password: 'none' },
    confirm: () => false,
    machine: { ...machine, env: {}, zone: machine.zone },
  }
  const usual = settingsOf(checkOptions(options))
  return Object.keys(settings).filter(
    (name) => JSON.stringify(settings[name]) !== JSON.stringify(usual[name]),
  )
}

/** What is no file, as the certificates of the system, stays the text that it is. */
function withBytes(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return path
  const { bytes } = readGiven(path, {
    what: 'file of a setting',
    nothing: 'nothing was sent',
    mostBytes: MOST_BYTES.decisions,
  })
  return `${path} (SHA-256 ${hash('sha256', bytes)})`
}

/** Somebody may have written an account number beside a column. */
function masked(value: unknown): unknown {
  if (typeof value === 'string') return maskAccounts(value)
  if (Array.isArray(value)) return value.map(masked)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, masked(inner)]))
}

/** What a page has room for; all of them stand in decisions.csv. */
const CORRECTIONS_LISTED = 50

/** What is to be planned: the options of the run that it is for. A password is not needed, since nothing is sent. */
interface PlanOptions extends Omit<
  MigrateOptions,
  'service' | 'confirm' | 'plan' | 'signalStatus' | 'writes' | 'maxDurationMs'
> {
  readonly service: Omit<MigrateOptions['service'], 'password'> & { readonly password?: string | undefined }
  /** Who plans; kept. */
  readonly by: string
  readonly watchReading: (source: string, records: number) => void
}

interface Planned {
  readonly document: PlanDocument
  /** What the ledger was last planned to send; null where nothing was. */
  readonly last: PlanDocument | null
  /** What collection files say of the mandates; null where none were given. */
  readonly evidence: EvidenceCounts | null
}

/**
 * Does what a run does up to its question, on the same ledger and by the same rules, and takes it back: no file comes in
 * and nothing is sent. What is left is the plan on record.
 * @throws {UsageError} for options that cannot be used, a stream, which cannot be read a second time, and a ledger without
 *   mandates where no file is given
 * @throws {SourceError} for a file that cannot be trusted
 * @throws {LedgerError} `locked`, `other_campaign`, `unwritable`, …
 */
export async function planMigration(options: PlanOptions): Promise<Planned> {
  requireDriver()
  const asked = askedOf(options)
  const { clock, pid, user } = asked.machine
  const { sharedFolder = false } = options
  const create = asked.files.length > 0
  const ledger = openLedger({ file: options.ledger, clock, pid, user, create, sharedFolder })
  try {
    ledger.assertBelongsTo(targetOf(asked))
    const register = registerOf(asked, ledger)
    const last = ledger.view.plans().at(-1)?.document ?? null
    try {
      register.note()
      const ahead = await lookAhead(options, asked, { ledger, register })
      ledger.plans.record(ahead.document)
      return { ...ahead, last }
    } finally {
      register.close()
    }
  } finally {
    ledger.close()
  }
}

/** It is the run that needs the password, somebody to ask and an approval. */
function askedOf(options: PlanOptions): ValidatedOptions {
  refuseStreams(options, 'plan')
  const { approval, who = false, ...others } = options
  const service = { ...options.service, password: options.service.password ?? 'not needed' }
  const asked = checkOptions({ ...others, who, service, confirm: () => false })
  return { ...asked, options: { ...asked.options, approval } }
}

async function lookAhead(
  options: PlanOptions,
  asked: ValidatedOptions,
  { ledger, register }: { readonly ledger: Ledger; readonly register: Register },
): Promise<Omit<Planned, 'last'>> {
  if (asked.files.length === 0 && ledger.totals().read === 0)
    throw new UsageError(
      `The ledger "${options.ledger}" holds no mandates, so there is nothing to plan; nothing was sent`,
      'Name the export (sepa-migrate plan FILE --to plan.json)',
    )
  const { watchReading } = options
  const hold = await askAhead(asked, { ledger, register })
  const ahead: Omit<Planned, 'last'>[] = []
  await bringIn({ ...asked, ledger, hold, watchReading }, ({ admitted }) => {
    refuseEmpty(admitted)
    ahead.push({ document: documentOf(asked, ledger.view, options.by), evidence: ledger.view.evidence() })
    return false
  })
  const [planned] = ahead
  if (planned === undefined) throw new Error('Nothing was planned')
  return planned
}

/** No run could be held to it, since a ledger does not remember it. */
function refuseEmpty(admitted: readonly AdmittedSource[]): void {
  const empty = admitted.find(({ kind }) => kind === 'empty')
  if (empty === undefined) return
  throw new UsageError(
    `Cannot plan "${empty.name}": it lists no row; nothing was sent`,
    'Leave it out, of the run too',
  )
}

/** @param by who plans */
export function documentOf(asked: ValidatedOptions, view: LedgerReader, by: string): PlanDocument {
  const { machine, policy, asOf, choice, options, sharedFiles } = asked
  const settings = settingsOf(asked)
  const rows = view.plannedRows(null, choice)
  const { limit, concurrency, rate } = policy
  const isAskingFirst = options.checkBeforeSend === true
  const sources = view.sources()
  const body: Omit<PlanDocument, 'digest'> = {
    kind: 'sepa-migrate-plan',
    schemaVersion: 1,
    ledgerId: view.campaign().ledgerId,
    plannedAt: timeOf(machine.clock),
    plannedBy: maskAccounts(by),
    plannedAs: machine.user,
    version: machine.version,
    target: targetOf(asked),
    sources: plannedSources(view),
    totals: view.totals(),
    rows,
    limit,
    retriesRefused: (options.retryRefusedBy ?? null) !== null,
    choice: choice === null ? null : { ...choice, left: view.leftBy(choice) },
    creditors: view.creditorsOfReady(choice),
    warnings: view
      .problemCounts()
      .flatMap(({ rule, severity, count }) => (severity === 'warning' ? [{ rule, count }] : [])),
    staysBehind: view.staysBehind(),
    corrections: view.correctionsToSend(CORRECTIONS_LISTED),
    treatedAsActive: treatedAsActive(sources).map((name) => maskAccounts(basename(name))),
    readAs: sources.flatMap(({ name, reading }) =>
      readAsTexts(reading).map((text) => maskAccounts(`${basename(name)}: ${text}`)),
    ),
    sharedFiles,
    asOf,
    settings,
    changedSettings: changedSettingsOf(settings, { baseUrl: asked.service.baseUrl.href, machine }),
    expectedMs: Math.ceil(
      expectedMs(Math.min(rows.count, limit ?? rows.count), { concurrency, rate, isAskingFirst }),
    ),
  }
  return { digest: planDigestOf(body), ...body }
}

/** Behind the name of a file whose records are read again. */
export const READ_AGAIN = ' (read again)'

export const plannedSources = (view: LedgerReader): PlannedSource[] =>
  view.sources().map(({ name, sha256, bytes, records, reading: { readFrom } }) => ({
    name: maskAccounts(`${basename(name)}${readFrom === undefined ? '' : READ_AGAIN}`),
    sha256,
    bytes,
    records,
  }))
