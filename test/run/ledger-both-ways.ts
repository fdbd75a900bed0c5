import { expect, onTestFinished } from 'vitest'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SeverityOverrides } from '../../src/domain/rule/rules.js'
import { openDatabase } from '../../src/driver.js'
import { SourceError } from '../../src/errors.js'
import { openLedger } from '../../src/ledger/file/open-ledger.js'
import { admitSources, type OpenNext } from '../../src/run/admit-sources.js'
import { startAside, type Aside } from '../../src/run/aside/aside.js'
import type { ReadingJob } from '../../src/run/aside/job.js'
import { sourceOpeners } from '../../src/run/open-sources.js'
import type { SourceOptions } from '../../src/source/options.js'
import { CHECK, optionsOf } from '../support/sources.js'
import type { DrawnExports } from './survey-exports.js'

const TABLES = ['campaign', 'source', 'row', 'problem', 'run', 'attempt', 'decision']
const signal = new AbortController().signal

interface Way {
  readonly name: string
  readonly of: (open: OpenNext) => OpenNext
  readonly startAside?: (job: ReadingJob) => Aside | null
}

/** Files that were read quickly, and those of them that had to be read in full all the same. */
export const readings = { quick: 0, doubts: 0, aside: 0, asideDoubts: 0, packed: 0 }

/** `npm test` builds it first. */
const BUILT_READER = new URL('../../dist/run/aside/reader.js', import.meta.url)

const QUICK: Way = {
  name: 'quick',
  of: (open) => async (earlier) => {
    const source = await open(earlier)
    const { quickRecords } = source
    if (quickRecords === null || quickRecords === undefined) return source
    readings.quick += 1
    return {
      ...source,
      quickRecords: async function* (stop) {
        try {
          yield* quickRecords(stop)
        } catch (error) {
          readings.doubts += 1
          throw error
        }
      },
    }
  },
}
const FULL: Way = {
  name: 'full',
  of: (open) => async (earlier) => ({ ...(await open(earlier)), quickRecords: null }),
}

/** Read by a second thread of the built program, whatever the size. */
export const aside = (reader = BUILT_READER): Way => ({
  name: 'aside',
  of: (open) => open,
  startAside: (job) => {
    const started = startAside(job, { reader, smallestBytes: 0 })
    if (started === null) throw new Error('No second thread could be started; is the program built?')
    return watched(started)
  },
})

function watched(started: Aside): Aside {
  return {
    ...started,
    prepared: async function* (secret, stop) {
      readings.aside += 1
      let isEnded = false
      try {
        for await (const batch of started.prepared(secret, stop)) {
          if (batch.kind === 'rows') readings.packed += batch.rows.rows
          yield batch
        }
        isEnded = true
      } finally {
        if (!isEnded) readings.asideDoubts += 1
      }
    },
  }
}

interface Command {
  readonly paths: readonly string[]
  readonly options: SourceOptions
  readonly against: typeof CHECK
}

function commandOf({ files, configuration }: DrawnExports, folder: string): Command {
  for (const { name, bytes } of files) writeFileSync(join(folder, name), bytes)
  const { columns, words = {}, rules, service } = configuration
  const creditor = (service as { creditorIdentifier?: string } | undefined)?.creditorIdentifier ?? null
  return {
    paths: files.map(({ name }) => join(folder, name)),
    options: optionsOf(JSON.stringify({ columns, words })),
    against: { ...CHECK, severities: rules as SeverityOverrides, newCreditorIdentifier: creditor },
  }
}

/** All that a ledger holds after these commands, one after the other, and what each of them said. */
async function ledgerAfter(commands: readonly Command[], way: Way): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'both-ways-'))
  const file = join(folder, 'a.db')
  const ledger = openLedger({
    file,
    clock: { now: () => 1_780_000_000_000, monotonic: () => 0 },
    random: (bytes) => Buffer.alloc(bytes, 7),
  })
  const said: unknown[] = []
  try {
    for (const { paths, options, against } of commands) {
      const files = sourceOpeners(paths, options, against, signal).map(way.of)
      const admit = {
        severities: against.severities,
        signal,
        watch: () => undefined,
        ...(way.startAside === undefined ? {} : { startAside: way.startAside }),
      }
      said.push(
        await admitSources(ledger, files, admit).catch((error: unknown) => {
          if (!(error instanceof SourceError)) throw error
          return [error.message, error.next]
        }),
      )
    }
  } finally {
    ledger.close()
  }
  const connection = openDatabase(file, { readonly: true })
  try {
    const tables = TABLES.map((table) => connection.prepare(`select * from ${table} order by id`).all())
    const schema = connection.prepare('select type, name, sql from sqlite_schema order by type, name').all()
    expect(connection.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(connection.pragma('foreign_key_check')).toEqual([])
    return { said, tables, schema }
  } finally {
    connection.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What a ledger holds, and what was said, after the same commands in both ways. */
export async function ledgersOf(
  drawn: readonly DrawnExports[],
  way: Way = QUICK,
): Promise<{ readonly quick: unknown; readonly full: unknown }> {
  const folders = drawn.map(() => mkdtempSync(join(tmpdir(), 'both-ways-')))
  try {
    const commands = drawn.map((exports, index) => commandOf(exports, folders[index] ?? ''))
    return { quick: await ledgerAfter(commands, way), full: await ledgerAfter(commands, FULL) }
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  }
}

/** An empty ledger, and a file beside it that is yet to be written. */
export function newLedger() {
  const folder = mkdtempSync(join(tmpdir(), 'both-ways-'))
  const ledger = openLedger({ file: join(folder, 'a.db'), clock: { now: () => 0, monotonic: () => 0 } })
  onTestFinished(() => {
    ledger.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const path = join(folder, 'export.csv')
  return { ledger, path, open: () => sourceOpeners([path], optionsOf(''), CHECK, signal) }
}
