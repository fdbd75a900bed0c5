import fc from 'fast-check'
import { rmSync, writeFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openScratchLedger } from '../../src/ledger/file/scratch.js'
import { admitSources } from '../../src/run/admit-sources.js'
import { sourceOpeners } from '../../src/run/open-sources.js'
import type { SourceInput } from '../../src/source/bytes/input.js'
import { DEFAULT_SOURCE_OPTIONS } from '../../src/source/options.js'
import { validExport } from '../support/export.js'
import { CHECK, fileOf } from '../support/sources.js'
import { drawExports } from './survey-exports.js'
import { loadBothWays } from './two-ways.js'

const SEED = Number(process.env['SURVEY_SEED'] ?? 20_261_121)
const RUNS = Number(process.env['SURVEY_RUNS'] ?? 120)

const bothWays = await loadBothWays()

describe('12 a survey changes nothing that a check says', () => {
  it(`12 lines, JSON, problems.csv and exit status are those of reading every record in full (seed ${SEED})`, async () => {
    let surveyed = 0
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0 }), async (seed) => {
        const { full, quick, isSurveyed } = await bothWays(drawExports(seed))
        if (isSurveyed) surveyed += 1
        expect(quick, `exports of ${seed}`).toEqual(full)
      }),
      { seed: SEED, numRuns: RUNS, endOnFailure: true },
    )
    process.stdout.write(`${surveyed} of ${RUNS} checks were surveyed\n`)
    expect(surveyed).toBeGreaterThan(RUNS / 2)
  }, 600_000)

  it('12 also of files that are read in many pieces (seeds 1 to 6)', async () => {
    let surveyed = 0
    for (let seed = 1; seed <= 6; seed += 1) {
      const { full, quick, isSurveyed } = await bothWays(drawExports(seed, [7_000]))
      if (isSurveyed) surveyed += 1
      expect(quick, `exports of ${seed}`).toEqual(full)
    }
    expect(surveyed).toBeGreaterThan(2)
  }, 600_000)
})

const { surveySources } = await import('../../src/run/survey-sources.js')

const OPTIONS = { severities: {}, signal: new AbortController().signal, watch: () => undefined }
const openersOf = (...inputs: SourceInput[]) =>
  sourceOpeners(inputs, DEFAULT_SOURCE_OPTIONS, { ...CHECK, undecided: 'tell' }, OPTIONS.signal)

function newScratch() {
  const ledger = openScratchLedger({ now: () => 0, monotonic: () => 0 })
  onTestFinished(() => ledger.close())
  return ledger
}

describe('12 what a survey leaves out', () => {
  it('12 plain records have no row, and count as ready', async () => {
    const ledger = newScratch()
    const files = await surveySources(openersOf(fileOf(validExport(5_000))), OPTIONS)
    expect(await admitSources(ledger, files, { ...OPTIONS, onTheirOwn: true })).toMatchObject([
      { kind: 'admitted', records: 5_000, resubmitted: 0 },
    ])
    expect(ledger.reader.totals()).toMatchObject({ read: 5_000, ready: 5_000 })
    expect(ledger.reader.sources()).toMatchObject([{ records: 5_000, totals: { read: 5_000, ready: 5_000 } }])
    expect(ledger.reader.rows(['ready'], 0, 5_000).length).toBeLessThan(20)
  })

  it('12 a file that changes after its survey is refused, and nothing of it is admitted', async () => {
    const ledger = newScratch()
    const path = fileOf(validExport(3_000))
    const files = await surveySources(openersOf(path), OPTIONS)
    writeFileSync(path, validExport(3_000, 7))
    await expect(admitSources(ledger, files, OPTIONS)).rejects.toThrow(/changed while it was read/)
    expect(ledger.reader.totals().read).toBe(0)
  })

  it('12 a file that cannot be trusted comes back as it was, and is refused on the usual way', async () => {
    const given = openersOf(fileOf(validExport(20)), fileOf('customer_no;iban\n1;"'))
    expect(await surveySources(given, OPTIONS)).toBe(given)
    await expect(admitSources(newScratch(), given, OPTIONS)).rejects.toThrow(/Cannot read the source/)
  })

  it('12 standard input is read once, in full', async () => {
    const stream = Readable.from([Buffer.from(validExport(3_000))])
    const given = openersOf(fileOf(validExport(3_000, 5_000)), { name: 'standard input', stream })
    expect(await surveySources(given, OPTIONS)).toBe(given)
    expect(await admitSources(newScratch(), given, OPTIONS)).toMatchObject([
      { records: 3_000 },
      { records: 3_000 },
    ])
  })

  it('12 a file in which most records are not plain is read in full at once', async () => {
    const text = validExport(12_000)
      .replaceAll(/,2024-03-0/g, ',2031-03-0')
      .replaceAll(',2024-03-1', ',2031-03-1')
    const given = openersOf(fileOf(text))
    expect(await surveySources(given, OPTIONS)).toBe(given)
  })

  it('12 a stop is heard while a file is surveyed', async () => {
    const stop = new AbortController()
    const given = openersOf(fileOf(validExport(20_000)))
    const watch = (): void => stop.abort()
    await expect(surveySources(given, { ...OPTIONS, signal: stop.signal, watch })).rejects.toThrow()
  })

  it('12 a file that is gone is refused on the usual way', async () => {
    const path = fileOf(validExport(20))
    rmSync(path)
    const given = openersOf(path)
    expect(await surveySources(given, OPTIONS)).toBe(given)
  })
})
