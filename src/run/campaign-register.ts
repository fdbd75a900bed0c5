import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { LedgerError, UsageError } from '../errors.js'

/**
 * What runs of this user began on this machine: one line per run. A ledger cannot know that another one sent the same
 * export, nor that it is an old copy of itself; this list can. It is advice, not proof: without it a run goes on.
 */
const lineSchema = z.object({
  baseUrl: z.string(),
  ledgerId: z.string(),
  ledger: z.string(),
  /** Runs that the ledger had counted when this one began, itself included. */
  run: z.number(),
  /** SHA-256 of every source in the ledger. */
  sources: z.array(z.string()),
})

export type RegisteredRun = z.infer<typeof lineSchema>

/**
 * Refuses what would send an export twice: from a second ledger, or from a ledger that was put back to an older state.
 * @throws {UsageError} when another ledger of the same service holds one of the sources
 * @throws {LedgerError} `damaged` when this ledger counted more runs before than it does now
 */
export function checkRegister(register: readonly RegisteredRun[], now: RegisteredRun): void {
  const others = register.filter(
    ({ baseUrl, ledgerId }) => baseUrl === now.baseUrl && ledgerId !== now.ledgerId,
  )
  const other = others.find(({ sources }) => sources.some((sha256) => now.sources.includes(sha256)))
  if (other !== undefined)
    throw new UsageError(
      `An export of this ledger was already sent to the same service from the ledger "${other.ledger}"; nothing was sent`,
      `Continue with --ledger "${other.ledger}". Only if nothing of it was ever sent, pass --another-ledger`,
    )
  const latest = Math.max(
    0,
    ...register.filter(({ ledgerId }) => ledgerId === now.ledgerId).map(({ run }) => run),
  )
  if (now.run <= latest)
    throw new LedgerError(
      'damaged',
      `The ledger "${now.ledger}" is older than it was: it counts run ${now.run}, and run ${latest} has begun before`,
      'An old copy was put back, or its write-ahead log is lost. Nothing was sent. Find the newest copy, or compare it ' +
        'with the service (sepa-migrate reconcile) and pass --another-ledger',
    )
}

/** Lines that cannot be read are passed over: a half-written last line must not stop a run. */
export function readRegister(file: string): readonly RegisteredRun[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return [] // the first run on this machine
  }
  return text.split('\n').flatMap((line) => {
    const parsed = lineSchema.safeParse(parseOrNull(line))
    return parsed.success ? [parsed.data] : []
  })
}

function parseOrNull(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

/** @returns false when the list cannot be written; the run may go on without it */
export function writeRegister(file: string, run: RegisteredRun): boolean {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    appendFileSync(file, `${JSON.stringify(run)}\n`, { mode: 0o600 })
    return true
  } catch {
    return false
  }
}
