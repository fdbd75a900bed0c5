import { describe, expect, it } from 'vitest'
import { parseLocalDate } from '../../../src/domain/mandate/date.js'
import { openScratchLedger } from '../../../src/ledger/file/scratch.js'
import { admitSources, sourceOpeners } from '../../../src/run/admit-sources.js'
import { DEFAULT_SOURCE_OPTIONS } from '../../../src/source/options.js'
import { Readable } from 'node:stream'
import { validExport, validLine } from '../../support/export.js'
import { unlikelyShares } from '../../../src/report/facts/row-walk.js'

/** What is unlikely about these files, as `check` admits them. */
async function unlikelyIn(...texts: readonly string[]): Promise<string[]> {
  const ledger = openScratchLedger({ now: () => 0, monotonic: () => 0 })
  const signal = new AbortController().signal
  const inputs = texts.map((text, index) => ({
    name: `${index}.csv`,
    stream: Readable.from([Buffer.from(text)]),
  }))
  const today = parseLocalDate('2026-06-15')!
  const check = { today, severities: {}, newCreditorIdentifier: null, dormantSoonDays: 60 }
  try {
    const files = sourceOpeners(inputs, DEFAULT_SOURCE_OPTIONS, check, signal)
    await admitSources(ledger, files, { severities: {}, signal, watch: () => undefined })
    return unlikelyShares(ledger.reader)
  } finally {
    ledger.close()
  }
}

const oldDates = (rows: number): string => validExport(rows).replaceAll('2024-03', '1999-03')

describe('an unlikely share', () => {
  it('of rows with the same finding is told', async () => {
    expect(await unlikelyIn(oldDates(10))).toEqual([
      expect.stringMatching(/^DATE_PRE_SEPA was found in 10 of 10 rows/),
    ])
  })

  it('is not told of a clean file, of half the rows, or of a handful', async () => {
    expect(await unlikelyIn(validExport(20))).toEqual([])
    expect(
      await unlikelyIn(
        `${oldDates(10)}${Array.from({ length: 10 }, (_, n) => validLine(n + 11)).join('\n')}\n`,
      ),
    ).toEqual([])
    expect(await unlikelyIn(oldDates(9))).toEqual([])
  })

  it('of repeated rows tells of two files that overlap', async () => {
    const [overlap] = (await unlikelyIn(validExport(20), validExport(12, 5))).filter((text) =>
      text.includes('overlap'),
    )
    expect(overlap).toMatch(/12 of 12 rows of "1.csv" repeat/)
  })
})
