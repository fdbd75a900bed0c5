import { createHash, randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, renameSync, rmSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { UsageError } from '../../errors.js'
import { openLedgerReader } from '../../ledger/read/open-reader.js'
import { distrustOwnFile, entryAt } from '../../trust/entry.js'
import { MOST_BYTES, readGivenText } from '../../trust/given-file.js'
import { assertNotTaken, openTrusted } from '../../trust/output.js'
import type { Settings } from '../settings/settings.js'

/** A plan and its page, beside each other. */
export interface PlanPaths {
  readonly json: string
  readonly html: string
}

export const planPaths = (to: string): PlanPaths => ({ json: to, html: `${to.replace(/\.json$/, '')}.html` })

/**
 * Nothing is replaced but what this program wrote: a plan of this ledger as it is on record, and a page as it was made.
 * @throws {UsageError} that names the file that stands in the way; nothing was planned
 */
export function assertReplaceable(
  paths: PlanPaths,
  settings: Pick<Settings, 'ledger' | 'sharedFolder'>,
  forbidden: readonly string[],
): void {
  assertOurs(paths.json, forbidden, (text) => isRecorded(text, settings))
  assertOurs(paths.html, forbidden, isOurPage)
}

function assertOurs(path: string, forbidden: readonly string[], isOurs: (text: string) => boolean): void {
  const entry = entryAt(path)
  assertNotTaken(path, { what: 'plan', forbidden }, entry)
  if (entry === null) return
  const fault = distrustOwnFile(entry, path)
  if (fault !== null)
    throw new UsageError(`Cannot write the plan "${path}": ${fault.why}; nothing was planned`, fault.next)
  const given = { what: 'plan', nothing: 'nothing was planned', mostBytes: MOST_BYTES.plan, noLink: true }
  if (isOurs(readGivenText(path, given))) return
  throw new UsageError(
    `"${path}" is no plan that this ledger has on record, and is not overwritten; nothing was planned`,
    'Rename it, or name another file with --to',
  )
}

function isRecorded(
  text: string,
  { ledger, sharedFolder }: Pick<Settings, 'ledger' | 'sharedFolder'>,
): boolean {
  if (!existsSync(ledger)) return false
  const reader = openLedgerReader(ledger, { sharedFolder })
  try {
    return reader.plans().some((plan) => plan.text === text)
  } finally {
    reader.close()
  }
}

const MARK = /^<!-- sepa-migrate ([0-9a-f]{64}) -->\n/

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The page with its hash in front, by which it is known again. */
const marked = (page: string): string => `<!-- sepa-migrate ${sha256(page)} -->\n${page}`

const isOurPage = (text: string): boolean => MARK.exec(text)?.[1] === sha256(text.replace(MARK, ''))

/** Both, 0600, each complete before it takes its place. */
export function writePlanFiles(paths: PlanPaths, { text, page }: { text: string; page: string }): void {
  replace(paths.json, text)
  replace(paths.html, marked(page))
}

function replace(path: string, text: string): void {
  const partial = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`)
  const descriptor = openTrusted(partial, { mode: 'create', what: 'plan' })
  try {
    try {
      writeSync(descriptor, text)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(partial, path)
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  }
}
