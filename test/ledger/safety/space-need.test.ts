import { describe, expect, it } from 'vitest'
import { openForReading, openForWriting, configureForWriting } from '../../../src/ledger/file/connection.js'
import { bytesOf } from '../../../src/ledger/safety/free-space.js'
import {
  admissionGrowth,
  leftCellBytes,
  LOG_BYTES,
  spaceNeed,
  type Expected,
} from '../../../src/ledger/safety/space-need.js'
import { germanIban } from '../../support/export.js'
import { admit, freshFile, open, registered, SETTINGS, type Values } from '../campaign-setup.js'

const NOTHING: Expected = {
  added: { records: 0, bytes: 0 },
  inLog: 0,
  toSend: 0,
  underWay: 0,
  reported: null,
}
/** What does not grow with the rows. */
const FIXED = spaceNeed(NOTHING).total

function rowOf(n: number, more: string): Values {
  const customerNo = 100_000 + n
  const reference = `MND-${n}`
  const iban = germanIban(n)
  const cells = [String(customerNo), iban, '2020-01-31', 'DE98ZZZ09999999999', reference, more]
  return { customerNo, iban, reference, cells }
}

/** What a campaign of so many rows truly takes, from an empty ledger to the last row registered. */
async function measured(rows: number, cellBytes: number, group: number) {
  const file = freshFile()
  const ledger = open({ file })
  const log = `${file}-wal`
  ledger.startRun(SETTINGS, 0)
  const before = bytesOf(file)
  const reader = openForReading(file) // pins the log, so that it can be looked at after the commit
  reader.exec('begin')
  reader.prepare('select count(*) from row').get()
  const values = Array.from({ length: rows }, (_, n) => rowOf(n, 'x'.repeat(cellBytes)))
  admit(ledger, values)
  const admissionLog = bytesOf(log)
  reader.exec('rollback')
  reader.close()
  await sendAll(ledger, 1, 1) // empties nothing by itself, but the log moves on
  const { admitted, sendingLog } = await sendRest(ledger, file, group)
  ledger.close()
  const bytes = values.reduce((sum, { cells = [] }) => sum + cells.join(',').length + 1, 0)
  return { before, admissionLog, admitted, sendingLog, after: bytesOf(file), bytes }
}

type Held = ReturnType<typeof open>

async function sendAll(ledger: Held, limit: number, group: number, watch = (): void => undefined) {
  let sent = 0
  let last = 0
  while (sent < limit) {
    const page = ledger.ready(last, Math.min(group, limit - sent))
    if (page.length === 0) return
    await Promise.all(
      page.map(async (row) => {
        const attempt = await ledger.begin(row)
        await ledger.settle(attempt, registered(`NEW-${row.id}`))
      }),
    )
    last = page.at(-1)?.id ?? last
    sent += page.length
    watch()
  }
}

async function sendRest(ledger: Held, file: string, group: number) {
  let sendingLog = 0
  let admitted = 0
  await sendAll(ledger, Infinity, group, () => {
    if (admitted === 0) admitted = bytesOf(file)
    sendingLog = Math.max(sendingLog, bytesOf(`${file}-wal`))
  })
  return { admitted, sendingLog }
}

describe('room on the disk, held against real ledgers', () => {
  it.each([
    { rows: 50, cellBytes: 0, group: 1 },
    { rows: 1_000, cellBytes: 0, group: 1 },
    { rows: 1_000, cellBytes: 1_850, group: 32 },
    { rows: 1_000, cellBytes: 4_000, group: 32 },
    { rows: 10_000, cellBytes: 0, group: 32 },
    { rows: 10_000, cellBytes: 300, group: 128 },
  ])('$rows rows with $cellBytes bytes of cells, $group a commit', async ({ rows, cellBytes, group }) => {
    const { before, admissionLog, sendingLog, after, bytes } = await measured(rows, cellBytes, group)
    const added = { records: rows, bytes }
    const need = spaceNeed({ ...NOTHING, added, toSend: rows })
    const grown = after - before
    const real = Math.max(2 * admissionLog, grown + sendingLog)
    expect(need.total).toBeGreaterThan(real)
    expect(need.total).toBeLessThan(3 * real + FIXED)
    // The parts, each by itself: a part that is too small may hide behind another one.
    expect(admissionGrowth(added)).toBeGreaterThan(Math.max(0, admissionLog - FIXED))
    expect(need.sending + FIXED).toBeGreaterThan(sendingLog)
  })

  it.each([
    { rows: 1_000, group: 1 },
    { rows: 10_000, group: 32 },
  ])('a second run without files: $rows rows, $group a commit', async ({ rows, group }) => {
    const file = freshFile()
    const first = open({ file })
    first.startRun(SETTINGS, 0)
    admit(
      first,
      Array.from({ length: rows }, (_, n) => rowOf(n, '')),
    )
    first.close()
    const before = bytesOf(file)
    const ledger = open({ file })
    ledger.startRun(SETTINGS, 0)
    const { sendingLog } = await sendRest(ledger, file, group)
    ledger.close()
    const real = bytesOf(file) - before + sendingLog
    const { total } = spaceNeed({ ...NOTHING, toSend: rows })
    expect(total).toBeGreaterThan(real)
    expect(total).toBeLessThan(3 * real + FIXED)
  })

  it('knows how far the log grows before it is moved into the file', () => {
    const file = freshFile()
    open({ file }).close()
    const connection = openForWriting(file)
    try {
      configureForWriting(connection)
      const pages = connection.pragma('wal_autocheckpoint', { simple: true }) as number
      const pageBytes = connection.pragma('page_size', { simple: true }) as number
      expect(LOG_BYTES).toBeGreaterThan(1.5 * pages * (pageBytes + 24))
    } finally {
      connection.close()
    }
  })
})

describe('the need of a run', () => {
  const added = { records: 1_000, bytes: 80_000 }

  it('counts an admission twice, in the log and in the file, until it is committed', () => {
    const growth = admissionGrowth(added)
    expect(spaceNeed({ ...NOTHING, added }).total).toBe(FIXED + 2 * growth)
    expect(spaceNeed({ ...NOTHING, added, inLog: 1_000 }).total).toBe(FIXED + 2 * growth - 1_000)
  })

  it('believes the log where it is larger than what was expected', () => {
    const inLog = 10 * admissionGrowth(added)
    expect(spaceNeed({ ...NOTHING, added, inLog }).admission).toBe(inLog)
  })

  it('adds 16 KiB for each request under way, and the report where it lies on the same disk', () => {
    expect(spaceNeed({ ...NOTHING, underWay: 8 }).total).toBe(FIXED + 8 * 16_384)
    const reported = { records: 10_000, bytes: 1_000_000 }
    const { report, total } = spaceNeed({ ...NOTHING, toSend: 1, reported })
    expect(report).toBeGreaterThan(10_000 * 160 + 1_000_000)
    expect(total).toBe(spaceNeed({ ...NOTHING, toSend: 1 }).total + report)
  })

  it('expects cells in the report only of rows that are left', () => {
    expect(leftCellBytes({ left: 0, records: 1_000, ledgerBytes: 1_000_000 })).toBe(0)
    expect(leftCellBytes({ left: 1_000, records: 1_000, ledgerBytes: 1_000_000 })).toBe(850_000)
    expect(leftCellBytes({ left: 2, records: 1_000, ledgerBytes: 1_000_000 })).toBe(8_192)
    expect(leftCellBytes({ left: 2, records: 1_000, ledgerBytes: 1 })).toBe(0)
  })
})
