import fc from 'fast-check'
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SourceError } from '../../src/errors.js'
import { admitSources } from '../../src/run/admit-sources.js'
import { validExport } from '../support/export.js'
import { ledgersOf, newLedger, readings } from './ledger-both-ways.js'
import { drawExports, type DrawnExports } from './survey-exports.js'

const SEED = Number(process.env['SURVEY_SEED'] ?? 20_261_122)
const RUNS = Number(process.env['SURVEY_RUNS'] ?? 80)
const signal = new AbortController().signal

async function expectSame(drawn: readonly DrawnExports[], hint: string): Promise<void> {
  const { quick, full } = await ledgersOf(drawn)
  expect(quick, hint).toEqual(full)
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
    process.stdout.write(`${readings.quick} files were read quickly, ${readings.doubts} of them in vain\n`)
    expect(readings.quick).toBeGreaterThan(RUNS)
    expect(readings.doubts).toBeLessThan(readings.quick / 2)
  }, 600_000)

  it('12 also of files that are read in many pieces (seeds 1 to 4)', async () => {
    for (let seed = 1; seed <= 4; seed += 1)
      await expectSame([drawExports(seed, [7_000])], `exports of ${seed}`)
  }, 600_000)
})

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
