import { closeSync, readFileSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { entryAt } from '../../trust/entry.js'
import { openTrusted } from '../../trust/output.js'
import { emergencyPathOf } from './emergency-file.js'

/** `report`: a folder with result files; `log`: a log file. */
const KINDS = ['report', 'log'] as const

export interface WrittenPath {
  readonly kind: (typeof KINDS)[number]
  /** Absolute. */
  readonly path: string
}

/**
 * Which folders and logs the commands of a campaign wrote, one JSON line each, beside the ledger: a report is written
 * beside a run and cannot take the ledger's lock. `purge` reads it.
 */
const writtenListOf = (ledger: string): string => `${ledger}.files.jsonl`

/** Everything that belongs to a ledger: no other output may be written there. */
export function ledgerFiles(ledger: string): readonly string[] {
  const file = resolve(ledger)
  const beside = ['', '-wal', '-shm', '-journal', '.lock'].map((suffix) => file + suffix)
  return [...beside, emergencyPathOf(file), writtenListOf(file)]
}

/** @returns false where the list cannot be written; the command goes on, and a purge knows less */
export function noteWritten(ledger: string, { kind, path }: WrittenPath): boolean {
  const entry = { kind, path: resolve(path) }
  const known = readWritten(ledger)
  if (known.some((other) => other.kind === kind && other.path === entry.path)) return true
  try {
    const descriptor = openTrusted(writtenListOf(resolve(ledger)), { mode: 'append', what: 'list of files' })
    try {
      writeSync(descriptor, `${JSON.stringify(entry)}\n`)
    } finally {
      closeSync(descriptor)
    }
    return true
  } catch {
    return false
  }
}

/** Lines that are cut or foreign are passed over. */
export function readWritten(ledger: string): readonly WrittenPath[] {
  const list = writtenListOf(resolve(ledger))
  if (entryAt(list)?.isFile() !== true) return []
  return readFileSync(list, 'utf8')
    .split('\n')
    .flatMap((line) => writtenOf(line) ?? [])
}

function writtenOf(line: string): WrittenPath | null {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value !== 'object' || value === null || !('kind' in value) || !('path' in value)) return null
    const { path } = value
    const kind = KINDS.find((each) => each === value.kind)
    return kind !== undefined && typeof path === 'string' ? { kind, path } : null
  } catch {
    return null
  }
}
