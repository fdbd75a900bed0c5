import { createHash } from 'node:crypto'
import { closeSync, fchmodSync, writeSync, type Stats } from 'node:fs'
import { basename } from 'node:path'
import { z } from 'zod'
import { UsageError } from '../../errors.js'
import { type Distrust, ownUserId } from '../../trust/entry.js'
import { MOST_BYTES, readGiven } from '../../trust/given-file.js'
import { openTrusted } from '../../trust/output.js'
import { userName } from '../../trust/users.js'

const approvalSchema = z.strictObject({
  kind: z.literal('sepa-migrate-approval'),
  schemaVersion: z.literal(1),
  /** Digest of the plan. */
  plan: z.string().regex(/^[0-9a-f]{64}$/),
  ledgerId: z.string(),
  approvedAt: z.iso.datetime(),
  approvedBy: z.string().min(1),
  reason: z.string().min(1),
})

/** An approval that somebody gave who cannot open the ledger, because it belongs to another user. */
export type ApprovalFile = z.infer<typeof approvalSchema>

export interface HeardApproval {
  readonly approval: ApprovalFile
  /** The user of the operating system who owns the file; null for the one who runs this. */
  readonly owner: string | null
  /** Its name and its hash. */
  readonly evidence: string
}

const textOf = (approval: ApprovalFile): string => `${JSON.stringify(approval, null, 2)}\n`

/** Others must be able to read it: it holds a name, a reason and a digest. */
const READABLE = 0o644

/** @throws {UsageError} where there is something, or nothing can be written */
export function writeApproval(path: string, approval: ApprovalFile): void {
  const descriptor = openTrusted(path, { mode: 'create', what: 'approval' })
  try {
    writeSync(descriptor, textOf(approval))
    fchmodSync(descriptor, READABLE)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * The system vouches for whoever owns a file that nobody else can write: only root gives files away. So that a link, a
 * second name or a file that others can write is no approval.
 * @throws {UsageError} for such a file, and for one that is not as this program writes it
 */
export function readApproval(path: string): HeardApproval {
  const { bytes, entry } = readGiven(path, {
    what: 'approval',
    nothing: 'nothing was recorded',
    mostBytes: MOST_BYTES.approval,
    noLink: true,
    distrust: distrustApproval,
  })
  const text = bytes.toString('utf8')
  const approval = parse(text)
  if (approval === null || textOf(approval) !== text)
    throw new UsageError(
      `"${path}" is no approval as this program writes it; nothing was recorded`,
      'Have it written again with --to',
    )
  const own = ownUserId()
  return {
    approval,
    owner: entry.uid === own || own === null ? null : userName(entry.uid),
    evidence: `${basename(path)} (SHA-256 ${createHash('sha256').update(text).digest('hex')})`,
  }
}

const WRITABLE_BY_OTHERS = 0o022

function distrustApproval(_path: string, { nlink, mode }: Stats): Distrust | null {
  const next = 'Take the file as the other user wrote it, not a copy'
  if (nlink > 1) return { why: 'it has a second name (a hard link)', next }
  return (mode & WRITABLE_BY_OTHERS) === 0 ? null : { why: 'others than its owner can write to it', next }
}

function parse(text: string): ApprovalFile | null {
  try {
    return approvalSchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}
