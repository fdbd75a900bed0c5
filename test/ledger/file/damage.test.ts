import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openLedger } from '../../../src/ledger/file/open-ledger.js'
import { admit, open, SETTINGS, stoppedClock } from '../campaign-setup.js'
import { byHand } from '../ledger-views.js'

const clock = stoppedClock()

/** A ledger after one run that left nothing to send. */
function afterRun(): string {
  const ledger = open({ clock })
  const rows = Array.from({ length: 200 }, (_, n) => ({ customerNo: n + 1, reference: `M-${n}` }))
  admit(
    ledger,
    rows.map((row) => ({ ...row, verdict: 'invalid' as const })),
  )
  ledger.endRun(ledger.startRun(SETTINGS), { stoppedBy: null, exitCode: 3 })
  ledger.close()
  return ledger.file
}

/** A page of an index that nothing reads by itself. */
function damage(file: string): void {
  const root = byHand(file, (db) =>
    db.prepare<[], number>(`select rootpage from sqlite_schema where name = 'row_mandate'`).pluck().get(),
  )
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, Buffer.alloc(400, 0x5a), 0, 400, (root! - 1) * 4_096)
  closeSync(descriptor)
}

describe('the look for damage', () => {
  it('25.2 is taken at once, and nothing is written into a ledger that is damaged', () => {
    const file = afterRun()
    damage(file)
    const before = readFileSync(file)
    expect(() => openLedger({ file, clock, pid: 4711 })).toThrow(
      expect.objectContaining({ problem: 'damaged', message: expect.stringContaining(file) as string }),
    )
    expect(readFileSync(file).equals(before)).toBe(true)
  })
})
