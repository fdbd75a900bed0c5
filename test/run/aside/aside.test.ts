import fc from 'fast-check'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { SourceError } from '../../../src/errors.js'
import { admitSources } from '../../../src/run/admit-sources.js'
import { startAside } from '../../../src/run/aside/aside.js'
import { validExport } from '../../support/export.js'
import { CHECK, fileOf, optionsOf } from '../../support/sources.js'
import { aside, ledgersOf, newLedger, readings } from '../ledger-both-ways.js'
import { drawExports, type DrawnExports } from '../survey-exports.js'

const SEED = Number(process.env['SURVEY_SEED'] ?? 20_261_122)
const RUNS = Number(process.env['ASIDE_RUNS'] ?? 20)
const signal = new AbortController().signal
const watch = (): void => undefined

const expectSame = async (drawn: readonly DrawnExports[], way = aside()): Promise<void> => {
  const { quick, full } = await ledgersOf(drawn, way)
  expect(quick).toEqual(full)
}

/** The module of another thread, in the place of ours. */
const threadOf = (code: string): URL => pathToFileURL(fileOf(code, 'thread.mjs'))

describe('12 a second thread that reads', () => {
  it(`12 leaves the very ledger that reading every record in full leaves (seed ${SEED})`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 1_000_000 }), (seed) =>
        expectSame([drawExports(seed, [40, 1_100]), drawExports(seed + 1, [60])]),
      ),
      { seed: SEED, numRuns: RUNS, endOnFailure: true },
    )
    process.stdout.write(
      `${readings.aside} files were read aside, ${readings.asideDoubts} in vain; ${readings.packed} rows came packed\n`,
    )
    expect(readings.aside).toBeGreaterThan(RUNS)
    expect(readings.asideDoubts).toBeLessThan(readings.aside / 2)
    expect(readings.packed).toBeGreaterThan(RUNS * 100)
  }, 600_000)

  it('12 also of a file of many batches (seed 1)', async () => {
    const before = readings.packed
    await expectSame([drawExports(1, [9_000])])
    expect(readings.packed - before).toBeGreaterThan(4_000)
  }, 600_000)

  it.each([
    ['dies at once', 'process.exit(3)'],
    ['throws', 'throw new Error("broken")'],
    ['ends without a word', 'export {}'],
    [
      'has read another file',
      `import { parentPort } from 'node:worker_threads'
       parentPort.once('message', () => parentPort.postMessage({ kind: 'end', summary: { sha256: 'other' } }))`,
    ],
    [
      'dies in the midst of it',
      `import { parentPort } from 'node:worker_threads'
       parentPort.on('message', () => {
         parentPort.postMessage({ kind: 'rows', rows: { rows: 1, numbers: new Float64Array([1, 2, 7]),
           keys: new Uint8Array(32), text: 'DE89', ends: new Uint32Array(8).fill(4) } })
         process.exit(0)
       })`,
    ],
  ])('12 that %s says nothing: the first thread reads by itself', async (_, code) => {
    await expectSame([drawExports(7, [300])], aside(threadOf(code)))
  })
})

describe('12 where the second thread is in doubt', () => {
  const inBuilt = { severities: {}, signal, watch, startAside: aside().startAside! }

  it('12 what it brought in is taken back, and the file is refused by the one reading', async () => {
    const { ledger, path, open } = newLedger()
    writeFileSync(path, `${validExport(6_000)}9000001,"DE"x\n`)
    const refused = await admitSources(ledger, open(), inBuilt).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(SourceError)
    const alone = await admitSources(ledger, open(), { ...inBuilt, startAside: () => null }).catch(
      (error: unknown) => error,
    )
    expect((refused as SourceError).message).toBe((alone as SourceError).message)
    expect(ledger.totals().read).toBe(0)
  })

  it('12 a stop is a stop, and ends the thread', async () => {
    const { ledger, path, open } = newLedger()
    writeFileSync(path, validExport(30_000))
    const stop = new AbortController()
    const seen: number[] = []
    let stopped = 0
    const admitted = admitSources(ledger, open(), {
      severities: {},
      signal: stop.signal,
      watch: (_, records) => {
        seen.push(records)
        stop.abort()
      },
      startAside: (job) => {
        const started = inBuilt.startAside(job)!
        return { ...started, stop: () => started.stop().then(() => void (stopped += 1)) }
      },
    })
    await expect(admitted).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }))
    expect(seen.at(-1)).toBeLessThan(10_000)
    expect(stopped).toBe(1)
    expect(ledger.totals().read).toBe(0)
  })

  it('12 a file that is known is not read, and its thread ends', async () => {
    const { ledger, path, open } = newLedger()
    writeFileSync(path, validExport(200))
    await admitSources(ledger, open(), inBuilt)
    await expect(admitSources(ledger, open(), inBuilt)).resolves.toMatchObject([{ kind: 'known' }])
    expect(ledger.totals()).toMatchObject({ read: 200, ready: 200 })
  })
})

describe('12 no second thread', () => {
  const job = (path: string) => ({ path, options: optionsOf(''), against: CHECK })
  const reader = threadOf.bind(null, 'export {}')

  it('12 for a small file, none, a folder, and where its module is not there', () => {
    expect(startAside(job(fileOf('a')), { reader: reader() })).toBeNull()
    expect(startAside(job('/nowhere/at-all.csv'), { reader: reader() })).toBeNull()
    expect(startAside(job(tmpdir()), { reader: reader(), smallestBytes: 0 })).toBeNull()
    const gone = new URL('./gone.js', import.meta.url)
    expect(startAside(job(fileOf('a')), { reader: gone, smallestBytes: 0 })).toBeNull()
  })

  it('12 for settings that are more than data', () => {
    const against = { ...CHECK, earlier: () => [] }
    const started = startAside({ ...job(fileOf('a')), against }, { reader: reader(), smallestBytes: 0 })
    expect(started).toBeNull()
  })
})
