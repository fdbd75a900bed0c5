import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { UsageError } from '../errors.js'
import { distrustFolder } from './entry.js'

const PRIVATE_FOLDER = 0o700

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/**
 * Makes a folder, and those above it that are missing, for this user alone. One by one, because Node's own recursive call
 * never comes back where a folder is there and takes none, as below /proc.
 * @throws the error of the system
 */
export function makeFolder(path: string): void {
  const missing: string[] = []
  for (let at = resolve(path); !isFolder(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at)
  for (const folder of missing) {
    try {
      mkdirSync(folder, { mode: PRIVATE_FOLDER })
    } catch (error) {
      // Another process may just have made it.
      if (!isFolder(folder)) throw error
    }
  }
}

/**
 * People decide and sign by what lies there.
 * @throws {UsageError} for a folder that others own or can write; one that is not there yet is not looked at
 */
export function assertReportFolder(out: string): void {
  const fault = isFolder(out) ? distrustFolder(out) : null
  if (fault === null) return
  throw new UsageError(
    `Cannot trust the folder "${out}" of the report: ${fault.why}. Others could put files of their own in place of the report`,
    `${fault.next}, or give a folder of your own; no report was written, and nothing was sent`,
    { ways: ['report_folder'] },
  )
}
