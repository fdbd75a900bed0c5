import { accessSync, constants, mkdirSync, rmdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { UsageError } from '../errors.js'
import { distrustFolder } from './entry.js'

const PRIVATE_FOLDER = 0o700

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/**
 * Makes a folder, and those above it that are missing, for this user alone. One by one, because Node's own recursive call
 * never comes back where a folder is there and takes none, as below /proc.
 * @returns those that it made, the uppermost first
 * @throws the error of the system
 */
export function makeFolder(path: string): readonly string[] {
  const missing: string[] = []
  for (let at = resolve(path); !isFolder(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at)
  return missing.filter((folder) => {
    try {
      mkdirSync(folder, { mode: PRIVATE_FOLDER })
      return true
    } catch (error) {
      // Another process may just have made it.
      if (!isFolder(folder)) throw error
      return false
    }
  })
}

/**
 * People decide and sign by what lies there. Looked at before anything is sent, so that a night's work is not left without
 * its report.
 * @throws {UsageError} for a folder that others own or can write, and for one that cannot be made or written to
 */
export function assertReportFolder(out: string): void {
  const fault = whyNotFor(out)
  if (fault === null) return
  throw new UsageError(
    `Cannot write a report to the folder "${out}": ${fault.why}`,
    `${fault.next}; no report was written, and nothing was sent`,
    { ways: ['report_folder'] },
  )
}

function whyNotFor(out: string): { readonly why: string; readonly next: string } | null {
  try {
    const distrust = isFolder(out) ? distrustFolder(out) : null
    if (distrust !== null)
      return {
        why: `${distrust.why}. Others could put files of their own in place of the report`,
        next: `${distrust.next}, or give a folder of your own`,
      }
    const made = makeFolder(out)
    accessSync(out, constants.W_OK | constants.X_OK)
    for (const folder of made.toReversed()) rmdirSync(folder)
    return null
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === undefined) throw error
    return { why: `it cannot be made, or not be written to (${code})`, next: 'Give another folder' }
  }
}
