import fc from 'fast-check'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { SeverityOverrides } from '../../src/domain/rule/rules.js'
import { openDatabase } from '../../src/driver.js'
import { SourceError } from '../../src/errors.js'
import { openLedger } from '../../src/ledger/file/open-ledger.js'
import { admitSources, type OpenNext } from '../../src/run/admit-sources.js'
import { sourceOpeners } from '../../src/run/open-sources.js'
import type { SourceOptions } from '../../src/source/options.js'
import { validExport } from '../support/export.js'
import { CHECK, optionsOf } from '../support/sources.js'
import { drawExports, type DrawnExports } from './survey-exports.js'

const SEED = Number(process.env['SURVEY_SEED'] ?? 20_261_122)
const RUNS = Number(process.env['SURVEY_RUNS'] ?? 80)
const TABLES = ['campaign', 'source', 'row', 'problem', 'run', 'attempt', 'decision']
const signal = new AbortController().signal

interface Way {
  readonly name: string
  readonly of: (open: OpenNext) => OpenNext
}

let quick = 0
let doubts = 0
const QUICK: Way = {
  name: 'quick',
  of: (open) => async (earlier) => {
    const source = await open(earlier)
    const { quickRecords } = source
    if (quickRecords === null || quickRecords === undefined) return source
    quick += 1
    return {
      ...source,
      quickRecords: async function* (stop) {
        try {
          yield* quickRecords(stop)
        } catch (error) {
          doubts += 1
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
      const admit = { severities: against.severities, signal, watch: () => undefined }
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

async function expectSame(drawn: readonly DrawnExports[], hint: string): Promise<void> {
  const folders = drawn.map(() => mkdtempSync(join(tmpdir(), 'both-ways-')))
  try {
    const commands = drawn.map((exports, index) => commandOf(exports, folders[index] ?? ''))
    expect(await ledgerAfter(commands, QUICK), hint).toEqual(await ledgerAfter(commands, FULL))
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  }
}

describe('12 the quick way into a ledger', () => {
  it(`12 leaves the very ledger that reading every record in full leaves (seed ${SEED})`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 1_000_000 }), async (seed) => {
        // The second command repeats, contradicts and corrects what the first one brought in.
        await expectSame([drawExports(seed, [40, 1_100]), drawExports(seed + 1, [60])], `exports of ${seed}`)
      }),
      { seed: SEED, numRuns: RUNS, endOnFailure: true },
    )
    process.stdout.write(`${quick} files were read quickly, ${doubts} of them in vain\n`)
    expect(quick).toBeGreaterThan(RUNS)
    expect(doubts).toBeLessThan(quick / 3)
  }, 600_000)

  it('12 also of files that are read in many pieces (seeds 1 to 4)', async () => {
    for (let seed = 1; seed <= 4; seed += 1)
      await expectSame([drawExports(seed, [7_000])], `exports of ${seed}`)
  }, 600_000)
})

function newLedger() {
  const folder = mkdtempSync(join(tmpdir(), 'both-ways-'))
  const ledger = openLedger({ file: join(folder, 'a.db'), clock: { now: () => 0, monotonic: () => 0 } })
  onTestFinished(() => {
    ledger.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const path = join(folder, 'export.csv')
  return { ledger, path, open: () => sourceOpeners([path], optionsOf(''), CHECK, signal) }
}

describe('12 where the quick way is in doubt', () => {
  it('12 what it brought in is taken back, and the file is read in full', async () => {
    const { ledger, path, open } = newLedger()
    // Behind six thousand plain rows, a quote that only the parser may judge.
    writeFileSync(path, `${validExport(6_000)}9000001,"DE"x\n`)
    await expect(
      admitSources(ledger, open(), { severities: {}, signal, watch: () => undefined }),
    ).rejects.toThrow(SourceError)
    expect(ledger.totals().read).toBe(0)
  })

  it('12 a stop is a stop, and no doubt', async () => {
    const { ledger, path, open } = newLedger()
    writeFileSync(path, validExport(20_000))
    const stop = new AbortController()
    const seen: number[] = []
    const watch = (_: string, records: number): void => {
      seen.push(records)
      stop.abort()
    }
    const files = open()
    await expect(admitSources(ledger, files, { severities: {}, signal: stop.signal, watch })).rejects.toThrow(
      expect.objectContaining({ name: 'AbortError' }),
    )
    expect(seen.at(-1)).toBeLessThan(10_000)
    expect(ledger.totals().read).toBe(0)
  })

  it('12 a fault of the ledger is none of the file, which is not read again', async () => {
    const { ledger, path, open } = newLedger()
    writeFileSync(path, validExport(2_000))
    let opened = 0
    const broken: typeof ledger.admit = (options) => {
      const admission = ledger.admit(options)
      return {
        ...admission,
        open: (source) => {
          opened += 1
          const target = admission.open(source)
          return {
            ...target,
            add: () => {
              throw new Error('The disk is full')
            },
          }
        },
      }
    }
    await expect(
      admitSources({ admit: broken }, open(), { severities: {}, signal, watch: () => undefined }),
    ).rejects.toThrow('The disk is full')
    expect(opened).toBe(1)
    expect(ledger.totals().read).toBe(0)
  })
})
