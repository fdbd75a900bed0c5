import { timeOf } from '../../domain/mandate/date.js'
import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import {
  type PlanDocument,
  type PlannedSource,
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
} from '../../domain/plan/plan.js'
import { maskAccounts } from '../../domain/text/masking.js'
import { UsageError } from '../../errors.js'
import type { Ledger } from '../../ledger/file/writer.js'
import type { ApprovalRecord, PlanRecord } from '../../ledger/read/reader.js'
import type { LedgerReader } from '../../ledger/read/open-reader.js'
import { fileDigest, sizeOf, type SourceInput } from '../../source/bytes/input.js'
import { documentOf, plannedSources, READ_AGAIN, settingsOf } from './make-plan.js'
import { refuseStreams, targetOf, type ValidatedOptions } from '../options.js'
import { z } from 'zod'
import { planDigestOf, signingKey } from '../../ledger/plan/plans.js'
import { MOST_BYTES, readGivenText } from '../../trust/given-file.js'
import { parseJson, plural } from '../../domain/text/text.js'

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
const readPlanFile = (file: string): string =>
  readGivenText(file, { what: 'plan', nothing: 'nothing was sent', mostBytes: MOST_BYTES.plan })

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
  const { options, machine } = asked
  refuseStreams(options, 'send under a plan')
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
      (options.retryRefusedBy ?? null) !== null && !document.retriesRefused,
      'rows',
      'rows changed: refused rows are to be sent once more, which was not planned',
    ),
    ...sourceDrifts(
      document.sources.filter(isFile),
      (await sourcesWith(view, options.files ?? [])).filter(isFile),
    ),
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
    assertRows: () => refuse(file, driftsOfRows(record, asked, view)),
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
  const { limit, choice } = document
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
const isFile = ({ name }: PlannedSource): boolean => !name.endsWith(READ_AGAIN)

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
