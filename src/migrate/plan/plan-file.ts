import { existsSync } from 'node:fs'
import { z } from 'zod'
import {
  shortDigest,
  textOfPlan,
  textOfStatement,
  type ApprovalStatement,
  type PlanDocument,
} from '../../domain/plan/plan.js'
import { UsageError } from '../../errors.js'
import { signingKey } from '../../ledger/plan/plans.js'
import type { ApprovalRecord, LedgerReader, PlanRecord } from '../../ledger/read/reader.js'
import { MOST_BYTES, readGivenText } from '../../trust/given-file.js'
import { digestOf } from './make-plan.js'

/**
 * The plan on record that a file holds, byte for byte.
 * @throws {UsageError} for a file that is none, that was changed since, or that another ledger recorded
 */
export function findPlan(view: Pick<LedgerReader, 'plans' | 'campaign'>, file: string): PlanRecord {
  const text = readPlanFile(file)
  const digest = digestIn(text)
  const record = view.plans().find((plan) => plan.digest === digest)
  if (record === undefined)
    throw new UsageError(
      `Another ledger recorded the plan "${file}", or none did; nothing was sent`,
      'Give the ledger that it was planned with, or plan again',
      { ways: ['name_ledger', 'plan'] },
    )
  if (record.text !== text)
    throw new UsageError(
      `The plan "${file}" was changed since it was recorded; nothing was sent`,
      'Take the file as it was written, or plan again',
      { ways: ['plan'] },
    )
  return record
}

/** @throws {UsageError} for a file that cannot be read */
const readPlanFile = (file: string): string =>
  readGivenText(file, { what: 'plan', nothing: 'nothing was sent', mostBytes: MOST_BYTES.plan })

/** What the text itself says; whether that is true is for others to say. Null where it says nothing. */
function digestIn(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text)
    const digest: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'digest') : null
    return typeof digest === 'string' ? digest : null
  } catch {
    return null
  }
}

/**
 * A plan by its own digest, for somebody who has no ledger to compare it with: a run is held to the plan that the ledger
 * recorded, so an approval of any other one is good for nothing.
 * @param version of this program: another one may mean something else by what it shows
 * @throws {UsageError} for a file that is no plan, or that was changed since it was written
 */
export function readPlan(file: string, version: string): PlanDocument {
  const content = readPlanFile(file)
  const document = parsed(content) as PlanDocument | null
  const { digest, ...body } = document ?? { digest: null }
  const isWhole =
    document !== null && textOfPlan(document) === content && digestOf(body as typeof document) === digest
  if (isWhole && document.version === version) return document
  throw new UsageError(
    `"${file}" is no plan that this version knows, or was changed since it was written; nothing was recorded`,
    'Take the file as it was written, and the version of the program that wrote it',
  )
}

/** Null for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
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
export interface SignedApproval extends ApprovalStatement {
  readonly signature: string
}

/** Where the approval of a plan lies. */
export const approvalPath = (plan: string): string => `${plan.replace(/\.json$/, '')}.approval.json`

/** As one file: the statement that is signed, and its signature behind it. */
export const textOfApproval = ({ signature, ...statement }: SignedApproval): string =>
  textOfStatement(statement).replace(/\n\}\n$/, `,\n  "signature": ${JSON.stringify(signature)}\n}\n`)

/** Null for a text that is not, to the byte, as this program writes it. */
export function approvalIn(text: string): SignedApproval | null {
  const { data } = approvalSchema.safeParse(parsed(text))
  return data !== undefined && textOfApproval(data) === text && data.expiresAt > data.approvedAt ? data : null
}

/** What a run under a plan hears of its approval; `id` is null where it is not on record yet. */
export type HeardApproval = Omit<ApprovalRecord, 'id'> & { readonly id: number | null }

/**
 * The approval beside a plan, where there is one that is not on record yet.
 * @throws {UsageError} for one that was changed since it was signed, and for one of another plan
 */
export function heardApproval(file: string, { digest, approvals }: PlanRecord): HeardApproval | null {
  const path = approvalPath(file)
  if (!existsSync(path)) return null
  const nothing = 'nothing was sent'
  const text = readGivenText(path, { what: 'approval', nothing, mostBytes: MOST_BYTES.approval })
  const approval = approvalIn(text)
  const key = approval === null ? null : signingKey(approval, approval.signature)
  if (approval === null || key === null)
    throw new UsageError(
      `"${path}" is no approval as this program writes it, or was changed since it was signed; ${nothing}`,
      'Take the file as the approver wrote it, or have the plan approved again',
      { ways: ['approve'] },
    )
  if (approval.plan !== digest)
    throw new UsageError(
      `"${path}" approves another plan (${shortDigest(approval.plan)}) than "${file}" (${shortDigest(digest)}); ${nothing}`,
      'Take that approval away, and have this plan approved',
      { ways: ['approve'] },
    )
  if (approvals.some(({ signature }) => signature === approval.signature)) return null
  return { ...approval, id: null, recordedAs: null, reference: null, key }
}
