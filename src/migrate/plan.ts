import { timeOf } from '../domain/mandate/date.js'
import type { Machine } from '../machine.js'
import { planDigestOf, signingKey } from '../ledger/plan/plans.js'
import { readAsTexts, treatedAsActive } from '../domain/rule/verdict.js'
import { hash } from 'node:crypto'
import { basename, resolve } from 'node:path'
import {
  type PlanDocument,
  type PlannedSource,
  type Approver,
  type PlannedSettings,
  shortDigest,
  textOfPlan,
  textOfStatement,
  type ApprovalStatement,
  approvalDrifts,
  driftIf,
  shownDrifts,
  approverOf,
  rowDrifts,
  settingDrifts,
  sourceDrifts,
  targetDrifts,
  versionDrifts,
  type Drift,
} from '../domain/plan/plan.js'
import { type Choice, narrowed } from '../domain/row/choice.js'
import { maskAccounts } from '../domain/text/accounts.js'
import { requireDriver } from '../driver.js'
import { UsageError } from '../errors.js'
import { openLedger } from '../ledger/file/open-ledger.js'
import type { EvidenceCounts } from '../ledger/admit/collected.js'
import type { Ledger } from '../ledger/file/writer.js'
import type { LedgerReader } from '../ledger/read/open-reader.js'
import type { AdmittedSource } from '../run/admit-sources.js'
import type { RunRegister } from '../register/campaign-register.js'
import { expectedMs } from '../run/pace.js'
import {
  type MigrateOptions,
  checkOptions,
  refuseStreams,
  type ValidatedOptions,
  registerOf,
  targetOf,
  decisionsIn,
  decisionsUnderPlan,
} from './options.js'
import { askAhead } from './ask.js'
import { bringIn } from '../run/campaign.js'
import { statSync, existsSync } from 'node:fs'
import { type GivenRequest, MOST_BYTES, readGiven, readGivenText } from '../trust/trusted-file.js'
import { fingerprintOf, publicKeyIn } from '../trust/signature.js'
import { USUAL_CONNECT_TIMEOUT_MS } from '../service/checked-service.js'
import type { ApprovalRecord, PlanRecord } from '../ledger/read/reader.js'
import { fileDigest, sizeOf, type SourceInput } from '../source/bytes/input.js'
import { z } from 'zod'
import { isRecord, parseJson, plural } from '../domain/text/text.js'

/**
 * All that bears on what is sent, where to and how, but for the files themselves, the address and the user, how many rows
 * go in one run and for how long. A file that a setting names counts with its bytes. No secrets; accounts masked.
 */
export function settingsOf(request: ValidatedOptions): PlannedSettings {
  const { service, severities: rules, zone, dormantSoonDays, newCreditorIdentifier, takeOver } = request
  const { checkBeforeSend, who = false, sharedFolder, testHost, approval, configuration } = request
  const { limit: _limit, maxDurationMs: _maxDurationMs, ...pace } = request.policy
  const { extraCertificates, clientCertificate, proxy } = service.trusted
  const { connectTimeoutMs = USUAL_CONNECT_TIMEOUT_MS, freshConnections = false, clientKey } = service.options
  const { crosswalk, join, ...reading } = request.reading
  return {
    ...pace,
    timeoutMs: service.timeoutMs,
    ...{ connectTimeoutMs, freshConnections, outcomes: service.statusTable.overrides, rules, zone },
    ...{ dormantSoonDays, newCreditorIdentifier, checkBeforeSend, who, sharedFolder },
    anotherLedger: takeOver?.decision === 'another_ledger',
    allInDoubt: takeOver?.decision === 'all_in_doubt',
    ...{ testHost, approval },
    approvers: Object.fromEntries(approversOf(request.approvers).map(({ name, key }) => [name, key])),
    ...{ configuration, proxy },
    extraCertificates: extraCertificates.map(withBytes),
    clientCertificate: clientCertificate === null ? null : withBytes(clientCertificate),
    clientKey: clientKey === undefined ? null : resolve(clientKey),
    ...(masked(reading) as PlannedSettings),
    crosswalk: crosswalk === undefined ? null : { ...crosswalk, file: withBytes(crosswalk.file) },
    join: join.map((one) => ({ ...one, file: withBytes(one.file) })),
  }
}

/** Whose keys count, by name. @throws {UsageError} for what is no Ed25519 public key, and for one key under two names */
function approversOf(approvers: ValidatedOptions['approvers']): readonly Approver[] {
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
    // Whoever approves keeps no register.
    machine: { ...machine, env: {}, zone: machine.zone, stateFolder: '' },
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
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, masked(inner)]))
}

/** What a page has room for; all of them stand in decisions.csv. */
const CORRECTIONS_LISTED = 50

/** What is to be planned: the options of the run that it is for. A password is not needed, since nothing is sent. */
interface PlanOptions extends Omit<MigrateOptions, 'service'> {
  readonly service: Omit<MigrateOptions['service'], 'password'> & { readonly password?: string | undefined }
  /** Who plans; kept. */
  readonly by: string
}

interface Planned {
  readonly document: PlanDocument
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
  const { ledgerFile: file, files, sharedFolder, machine } = asked
  const { clock, pid, user } = machine
  const ledger = openLedger({ file, clock, pid, user, create: files.length > 0, sharedFolder })
  try {
    ledger.assertBelongsTo(targetOf(asked))
    const register = registerOf(asked, ledger)
    try {
      register.note()
      if (files.length === 0 && ledger.totals().read === 0)
        throw new UsageError(
          `The ledger "${file}" holds no mandates, so there is nothing to plan; nothing was sent`,
          'Name the export (sepa-migrate plan FILE --to plan.json)',
        )
      return await lookAhead(asked, options.by, { ledger, register })
    } finally {
      register.close()
    }
  } finally {
    ledger.close()
  }
}

/** It is the run that needs the password, somebody to ask and an approval. */
function askedOf(options: PlanOptions): ValidatedOptions {
  const { approval = null, who = false, files = [], ...others } = options
  refuseStreams(files, 'plan')
  const service = { ...options.service, password: options.service.password ?? 'not needed' }
  return { ...checkOptions({ ...others, files, who, service, confirm: () => false }), approval }
}

async function lookAhead(
  asked: ValidatedOptions,
  by: string,
  { ledger, register }: { readonly ledger: Ledger; readonly register: RunRegister },
): Promise<Planned> {
  const { view } = ledger
  if ((await decisionsIn(asked, ledger)).length > 0) throw decisionsUnderPlan('A plan')
  const hold = await askAhead(asked, { ledger, register }, [])
  const ahead: Planned[] = []
  await bringIn({ ...asked, ledger, hold, decisions: [] }, ({ admitted, choice }) => {
    refuseEmpty(admitted)
    ahead.push({ document: documentOf({ ...asked, choice }, view, by), evidence: view.evidence() })
    return false
  })
  const [planned] = ahead
  if (planned === undefined) throw new Error('Nothing was planned')
  ledger.plans.record(planned.document)
  return planned
}

/** No run could be held to it, since a ledger does not remember it. */
function refuseEmpty(admitted: readonly AdmittedSource[]): void {
  const empty = admitted.find(({ kind }) => kind === 'empty')
  if (empty === undefined) return
  throw new UsageError(
    `Cannot plan "${empty.name}": it holds no correction; nothing was sent`,
    'Leave it out, of the run too',
  )
}

/** @param by who plans */
export function documentOf(asked: ValidatedOptions, view: LedgerReader, by: string): PlanDocument {
  const { machine, policy, asOf, choice, sharedFiles, checkBeforeSend: isAskingFirst } = asked
  const settings = settingsOf(asked)
  const rows = view.plannedRows(null, choice)
  const { limit, concurrency, rate } = policy
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
    retriesRefused: asked.retryRefusedBy !== null,
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
  view.sources().map(({ name, sha256, bytes, records, id, origin }) => ({
    name: maskAccounts(`${basename(name)}${id === origin ? '' : READ_AGAIN}`),
    sha256,
    bytes,
    records,
  }))

/**
 * The plan on record that a file holds, byte for byte.
 * @throws {UsageError} for a file that is none, that was changed since, or that another ledger recorded
 */
export function findPlan(view: LedgerReader, file: string): PlanRecord {
  const text = readPlanFile(file)
  const record = view.plans().find((plan) => plan.text === text)
  if (record !== undefined) return record
  throw new UsageError(
    `This ledger did not record the plan "${file}": another one did, or the file was changed since; nothing was sent`,
    'Take the file as it was written and the ledger that it was planned with, or plan again (--ledger FILE; sepa-migrate plan FILE --to plan.json)',
  )
}

/** @throws {UsageError} for a file that cannot be read */
export const readPlanFile = (file: string, more: Partial<GivenRequest> = {}): string =>
  readGivenText(file, { what: 'plan', nothing: 'nothing was sent', mostBytes: MOST_BYTES.plan, ...more })

/**
 * A plan by its own digest, for somebody who has no ledger to compare it with: a run is held to the plan that the ledger
 * recorded, so an approval of any other one is good for nothing.
 * @param version of this program: another one may mean something else by what it shows
 * @throws {UsageError} for a file that is no plan, or that was changed since it was written
 */
export function readPlan(file: string, version: string): PlanDocument {
  const content = readPlanFile(file)
  const document = (parseJson(content) ?? null) as PlanDocument | null
  const { digest, ...body } = document ?? { digest: null }
  const isWhole =
    document !== null && textOfPlan(document) === content && planDigestOf(body as typeof document) === digest
  if (isWhole && document.version === version) return document
  throw new UsageError(
    `"${file}" is no plan that this version knows, or was changed since it was written; nothing was recorded`,
    'Take the file as it was written, and the version of the program that wrote it',
  )
}

const time = z.iso.datetime()
const approvalSchema = z.strictObject({
  kind: z.literal('sepa-migrate-approval'),
  schemaVersion: z.literal(1),
  plan: z.string().regex(/^[0-9a-f]{64}$/),
  approvedBy: z.string().min(1),
  approvedAt: time,
  expiresAt: time,
  signature: z.string(),
})

/** An approval that was signed; it lies beside the plan and is put on record by the run under it. */
interface SignedApproval extends ApprovalStatement {
  readonly signature: string
}

/** Where the approval of a plan lies. */
export const approvalPath = (plan: string): string => `${plan.replace(/\.json$/, '')}.approval.json`

/** As one file: the statement that is signed, and its signature behind it. */
export const textOfApproval = ({ signature, ...statement }: SignedApproval): string =>
  textOfStatement(statement).replace(/\n\}\n$/, `,\n  "signature": ${JSON.stringify(signature)}\n}\n`)

/** Null for a text that is not, to the byte, as this program writes it. */
export function approvalIn(text: string): SignedApproval | null {
  const { data } = approvalSchema.safeParse(parseJson(text))
  return data !== undefined && textOfApproval(data) === text && data.expiresAt > data.approvedAt ? data : null
}

/** The same of a file. @throws {UsageError} for one that cannot be read */
export const readApproval = (path: string, nothing: string): SignedApproval | null =>
  approvalIn(readGivenText(path, { what: 'approval', nothing, mostBytes: MOST_BYTES.approval, noLink: true }))

/** What a run under a plan hears of its approval; `id` is null where it is not on record yet. */
type HeardApproval = Omit<ApprovalRecord, 'id'> & { readonly id: number | null }

/**
 * The approval beside a plan, where there is one that is not on record yet.
 * @throws {UsageError} for one that was changed since it was signed, and for one of another plan
 */
function heardApproval(file: string, { digest, approvals }: PlanRecord): HeardApproval | null {
  const path = approvalPath(file)
  if (!existsSync(path)) return null
  const nothing = 'nothing was sent'
  const approval = readApproval(path, nothing)
  const key = approval === null ? null : signingKey(approval, approval.signature)
  if (approval === null || key === null)
    throw new UsageError(
      `"${path}" is no approval as this program writes it, or was changed since it was signed; ${nothing}`,
      'Take the file as the approver wrote it, or have the plan approved again (sepa-migrate approve plan.json --by NAME --key KEY.pem)',
    )
  if (approval.plan !== digest)
    throw new UsageError(
      `"${path}" approves another plan (${shortDigest(approval.plan)}) than "${file}" (${shortDigest(digest)}); ${nothing}`,
      'Take that approval away, and have this plan approved (sepa-migrate approve plan.json --by NAME --key KEY.pem)',
    )
  if (approvals.some(({ signature }) => signature === approval.signature)) return null
  return { ...approval, id: null, recordedAs: null, reference: null, key }
}

/** A run is held to this plan. */
export type HeldPlan = Awaited<ReturnType<typeof holdToPlan>>

/**
 * What can be compared before a file is admitted: target, settings, version, approval, and the bytes of the files.
 * @throws {UsageError} that names everything that drifted; nothing was admitted or sent
 */
export async function holdToPlan(asked: ValidatedOptions, ledger: Ledger, file: string) {
  const { inputs, machine } = asked
  refuseStreams(inputs, 'send under a plan')
  const { view } = ledger
  const record = findPlan(view, file)
  const { document, digest } = record
  const heard = heardApproval(file, record)
  const approvers = view.approvers()
  const named = heard === null ? [] : [{ ...heard, approvedBy: approverOf(heard, approvers) }]
  const approvals: readonly HeardApproval[] = [...record.approvals, ...named]
  const planner = document.settings['approval'] === 'required' || view.isApprovalRequired() ? document : null
  const now = (): string => latestOf(timeOf(machine.clock), view.campaign().changedAt)
  const nowAt = now()
  const left = (): number | null =>
    document.limit === null ? null : document.limit - Math.min(document.limit, view.sentUnder(digest))
  refuse(file, [
    ...targetDrifts(document.target, targetOf(asked)),
    ...versionDrifts(document.version, machine.version),
    ...settingDrifts(document.settings, settingsOf(asked)),
    ...driftIf(
      asked.retryRefusedBy !== null && !document.retriesRefused,
      'rows',
      'rows changed: refused rows are to be sent once more, which was not planned',
    ),
    ...sourceDrifts(document.sources.filter(isFile), (await sourcesWith(view, inputs)).filter(isFile)),
    ...approvalDrifts(approvals, approvers, nowAt, planner),
    ...driftIf(
      left() === 0 && view.totals().ready > 0,
      'limit',
      `used up: the plan is for ${plural(document.limit ?? 0, 'row', 'rows')}, and these were sent`,
    ),
  ])
  const approval = approvals.findLast(
    (given) => approvalDrifts([given], approvers, nowAt, planner).length === 0,
  )
  if (approval === undefined) throw new Error('A plan that was not approved passed')
  const { user } = machine
  const id = approval.id ?? ledger.plans.approve({ ...approval, ...heard, plan: digest, recordedAs: user })
  return {
    record,
    approval: { ...approval, id },
    /** Rows that may still be sent under it; null for all of its rows. */
    left,
    /**
     * What is known once the files are in, and before anybody is asked: the rows.
     * @throws {UsageError} that names what drifted; the admission is taken back and nothing was sent
     */
    assertRows: (sent: Choice | null) => refuse(file, driftsOfRows(record, { ...asked, choice: sent }, view)),
    /**
     * A question may wait for its answer for longer than an approval counts.
     * @throws {UsageError} once it does not any more; the admission is taken back and nothing was sent
     */
    assertStillApproved: () => refuse(file, approvalDrifts([approval], [], now())),
  }
}

const latestOf = (one: string, other: string): string => (one > other ? one : other)

function driftsOfRows(record: PlanRecord, asked: ValidatedOptions, view: LedgerReader): Drift[] {
  const { document, digest } = record
  const { limit } = document
  const { waiting } = asked.choice ?? {}
  const choice = narrowed(document.choice, waiting ? { only: [], countries: null, waiting } : null)
  const again = view.readyAgainSince(record)
  const now = documentOf({ ...asked, policy: { ...asked.policy, limit }, choice }, view, document.plannedBy)
  const drifts = [
    ...sourceDrifts(document.sources, now.sources),
    ...driftIf(
      again > 0,
      'rows',
      `rows changed: ${plural(again, 'row was', 'rows were')} decided to be sent once more since`,
    ),
    ...rowDrifts(document.rows, view.plannedRows(digest, choice)),
  ]
  return drifts.length > 0 ? drifts : shownDrifts(document, now, view.sentUnder(digest) > 0)
}

/** What is read again comes in with the files, and is compared then. */
export const isFile = ({ name }: PlannedSource): boolean => !name.endsWith(READ_AGAIN)

/** The sources of the ledger and the files that would come to them. */
async function sourcesWith(view: LedgerReader, inputs: readonly SourceInput[]): Promise<PlannedSource[]> {
  const sources = plannedSources(view)
  for (const input of inputs) {
    if (typeof input !== 'string') continue
    const sha256 = await fileDigest(input)
    if (sources.some((source) => source.sha256 === sha256)) continue
    sources.push({
      name: maskAccounts(basename(input)),
      sha256,
      bytes: (await sizeOf(input)) ?? 0,
      records: 0,
    })
  }
  return sources
}

/** @throws {UsageError} unless there is none */
function refuse(file: string, drifts: readonly Drift[]): void {
  if (drifts.length === 0) return
  const onlyApproval = drifts.every(({ kind }) => kind === 'approval')
  throw new UsageError(
    `Cannot send under the plan "${file}": ${drifts.map(({ text }) => text).join('; ')}. Nothing was admitted, nothing was sent`,
    onlyApproval
      ? 'Have somebody else approve the plan (sepa-migrate approve plan.json --by NAME --key KEY.pem)'
      : 'Plan again, and have the new plan approved (sepa-migrate plan FILE --to plan.json; sepa-migrate approve plan.json --by NAME --key KEY.pem)',
  )
}
