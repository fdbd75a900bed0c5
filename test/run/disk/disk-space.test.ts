import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { totalsOf as countedTotals, type Totals } from '../../../src/domain/row/totals.js'
import { LedgerError } from '../../../src/errors.js'
import { startDisk, verdictOn, type DiskParts } from '../../../src/run/disk/disk-space.js'
import { validExport } from '../../support/export.js'
import { freshFolder } from '../../support/folder.js'

const ROWS = 2_000
const BYTES = validExport(ROWS).length

function disk(freeBytes: number | null, given: Partial<DiskParts> = {}) {
  const folder = freshFolder()
  const path = join(folder, 'export.csv')
  writeFileSync(path, validExport(ROWS))
  const warned: string[] = []
  const parts = {
    file: join(folder, 'campaign.db'),
    paths: [path],
    reportFolder: null,
    warn: (text: string) => void warned.push(text),
    freeBytes: () => freeBytes,
    ...given,
  }
  return { ...startDisk(parts), warned, parts }
}

const RUN = { limit: null, underWay: 8 }
const NONE = (): readonly number[] => []
const totalsOf = (totals: Partial<Totals>): Totals => ({ ...countedTotals(0, new Map()), ...totals })
const SENDING = { toSend: ROWS, totals: totalsOf({ read: ROWS, ready: ROWS }), records: [ROWS] }

function refusalOf(body: () => unknown): LedgerError {
  try {
    body()
  } catch (error) {
    if (error instanceof LedgerError) return error
    throw error
  }
  throw new Error('The test expected a refusal')
}

describe('the verdict', () => {
  it.each([
    [null, 'unknown'],
    [0, 'short'],
    [999, 'short'],
    [1_000, 'near'],
    [1_499, 'near'],
    [1_500, 'enough'],
  ])('1000 bytes needed, %s free: %s', (freeBytes, verdict) => {
    expect(verdictOn({ neededBytes: 1_000, freeBytes })).toBe(verdict)
  })
})

describe('before a file is read', () => {
  it('refuses what cannot fit, says why in bytes, and what it means', () => {
    const error = refusalOf(() => disk(1_000_000).beforeReading(RUN, NONE))
    expect([error.problem, error.exitCode]).toEqual(['unwritable', 8])
    expect(error.message).toMatch(
      /^The disk of the ledger ".*campaign\.db" is too full for this run: it takes up to \d+ MB \(1\.\d MB to admit about 2,0\d\d records, \d+ MB to send about 2,0\d\d rows\), and 1 MB are free; nothing was admitted or sent$/,
    )
    expect(error.next).toBe('Free some space on it, then run the same command again')
  })

  it('counts fewer rows for a pilot', () => {
    expect(() => disk(5_000_000).beforeReading({ ...RUN, limit: 5 }, NONE)).not.toThrow()
    expect(() => disk(5_000_000).beforeReading(RUN, NONE)).toThrow(LedgerError)
  })

  it('counts nothing for a file that the ledger holds already, and asks for that only where it matters', () => {
    expect(() => disk(1_000).beforeReading(RUN, () => [7, BYTES])).not.toThrow()
    const asked = (): never => {
      throw new Error('asked')
    }
    expect(() => disk(1_000_000_000).beforeReading(RUN, asked)).not.toThrow()
  })

  it('says nothing of streams, of file systems that do not tell, and near the limit, where a better count comes', () => {
    expect(() => disk(0, { paths: [null] }).beforeReading(RUN, NONE)).not.toThrow()
    expect(() => disk(null).beforeReading(RUN, NONE)).not.toThrow()
    const near = disk(15_000_000)
    near.beforeReading(RUN, NONE)
    expect(near.warned).toEqual([])
  })
})

describe('before anything is sent', () => {
  it('refuses, warns near the limit, and is quiet otherwise', () => {
    const { neededBytes } = disk(null).beforeSending(SENDING)
    expect(refusalOf(() => disk(neededBytes - 1).beforeSending(SENDING)).message).toContain(
      'nothing was admitted or sent',
    )
    const near = disk(neededBytes)
    expect(near.beforeSending(SENDING)).toEqual({ neededBytes, freeBytes: neededBytes })
    expect(near.warned).toHaveLength(1)
    expect(near.warned[0]).toContain('nearly too full for this run: it takes up to')
    const enough = disk(neededBytes * 1.5)
    enough.beforeSending(SENDING)
    expect(enough.warned).toEqual([])
  })

  it('counts rows of earlier runs too', () => {
    const later = { toSend: ROWS, totals: totalsOf({ read: ROWS, ready: ROWS }), records: [] }
    const { neededBytes } = disk(null, { paths: [] }).beforeSending(later)
    expect(neededBytes).toBeGreaterThan(ROWS * 630)
    expect(() => disk(neededBytes - 1, { paths: [] }).beforeSending(later)).toThrow(
      /to send 2,000 rows\).*nothing was admitted or sent/,
    )
  })

  it('counts the report where it lies on the same disk, and only there', () => {
    const here = disk(null)
    const without = here.beforeSending(SENDING).neededBytes
    const beside = startDisk({ ...here.parts, reportFolder: join(here.parts.file, '..', 'report') })
    expect(beside.beforeSending(SENDING).neededBytes).toBeGreaterThan(without + ROWS * 160)
    if (process.platform !== 'linux') return
    const elsewhere = startDisk({ ...here.parts, reportFolder: '/proc/report' })
    expect(elsewhere.beforeSending(SENDING).neededBytes).toBe(without)
  })

  it('counts what a log holds already as taken', () => {
    const here = disk(null)
    const before = here.beforeSending({ ...SENDING, toSend: 0 }).neededBytes
    writeFileSync(`${here.parts.file}-wal`, Buffer.alloc(500_000))
    expect(here.beforeSending({ ...SENDING, toSend: 0 }).neededBytes).toBe(before - 500_000)
  })
})
