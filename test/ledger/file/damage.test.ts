import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../../src/driver.js'
import { LedgerError } from '../../../src/errors.js'
import { openLedger, type OpenOptions } from '../../../src/ledger/file/open-ledger.js'
import type { Ledger } from '../../../src/ledger/ledger.js'
import { putSeal, sealOf } from '../../../src/ledger/safety/seal.js'
import { admit, open, SETTINGS, stoppedClock, type Values } from '../campaign-setup.js'
import { byHand } from '../ledger-views.js'

const clock = stoppedClock()
const rowsOf = (verdict: 'sendable' | 'invalid'): Values[] =>
  Array.from({ length: 200 }, (_, n) => ({ customerNo: n + 1, reference: `M-${n}`, verdict }))

const openLate = (file: string, options: Partial<OpenOptions> = {}): Ledger => {
  const ledger = openLedger({ file, clock, pid: 4711, looksLate: true, ...options })
  onTestFinished(() => ledger.close())
  return ledger
}

/** A ledger after one run that ended so. */
function afterRun(exitCode: number, rows = rowsOf('invalid')): string {
  const ledger = open({ clock })
  admit(ledger, rows)
  ledger.endRun(ledger.startRun(SETTINGS), { stoppedBy: null, exitCode })
  ledger.close()
  return ledger.file
}

/** A page of an index that nothing reads by itself. Two changes within one tick of the clock look alike. */
function damage(file: string): void {
  const root = byHand(file, (db) =>
    db.prepare<[], number>(`select rootpage from sqlite_schema where name = 'row_mandate'`).pluck().get(),
  )
  const { ctimeNs } = statSync(file, { bigint: true })
  const descriptor = openSync(file, 'r+')
  do writeSync(descriptor, Buffer.alloc(400, 0x5a), 0, 400, (root! - 1) * 4_096)
  while (statSync(file, { bigint: true }).ctimeNs === ctimeNs)
  closeSync(descriptor)
}

/** What nobody but a disk can do: the bytes are others, and the system knows of no write. */
function rot(file: string): void {
  damage(file)
  putSeal(file, clock.now())
}

function problemOf(work: () => unknown): string | null {
  try {
    work()
    return null
  } catch (error) {
    if (error instanceof LedgerError) return error.problem
    throw error
  }
}

describe('the look for damage', () => {
  it('is taken at once where somebody wrote to the file', () => {
    const file = afterRun(3)
    expect(existsSync(sealOf(file))).toBe(true)
    damage(file)
    expect(problemOf(() => openLate(file))).toBe('damaged')
  })

  it('is taken at once by everybody who does not say that it may wait', () => {
    const file = afterRun(3)
    rot(file)
    expect(problemOf(() => open({ file }))).toBe('damaged')
  })

  it.each([
    ['a day later', () => openLate(rotten, { clock: stoppedClock('2026-06-16T10:00:00.000Z') })],
    [
      'before the look by the clock',
      () => openLate(rotten, { clock: stoppedClock('2026-06-15T09:00:00.000Z') }),
    ],
    [
      'beside a log',
      () => (writeFileSync(`${rotten}-wal`, 'not read yet', { mode: 0o600 }), openLate(rotten)),
    ],
    ['without the seal', () => (rmSync(sealOf(rotten)), openLate(rotten))],
  ])('is taken at once %s', (_, again) => {
    rotten = afterRun(3)
    rot(rotten)
    expect(problemOf(again)).toBe('damaged')
  })

  it('waits in a run that finds nothing to send, which leaves a seal with the time of the look behind', () => {
    const file = afterRun(3)
    for (const minutes of [5, 10]) {
      const ledger = openLate(file, { clock: laterBy(minutes) })
      const admission = ledger.admit({ severities: {} })
      expect(admission.isKnown('of no file')).toBe(false)
      admission.rollback()
      ledger.endRun(ledger.startRun(SETTINGS), { stoppedBy: null, exitCode: 3 })
      expect(ledger.totals()).toMatchObject({ invalid: 200 })
      ledger.close()
      expect(byHand(file, (db) => db.prepare('select count(*) from run').pluck().get())).toBe(minutes / 5 + 1)
    }
    expect(readFileSync(sealOf(file), 'utf8').split('\n')[0]).toBe('2026-06-15T10:00:00.000Z')
    rot(file)
    openLate(file).close()
  })
})

let rotten = ''
const laterBy = (minutes: number) => {
  const later = stoppedClock()
  later.advance(minutes * 60_000)
  return later
}

/** Verbs of a run that finds nothing to send. */
const WAITING = {
  ledger: [
    'assertBelongsTo',
    'startRun',
    'endRun',
    'admit',
    'countReady',
    'countSelected',
    'waiting',
    'hasAssigned',
    'totals',
    'close',
    'holdsOldPages',
  ],
  waves: ['areUsed'],
  claims: ['standing', 'hasMark', 'latestMark'],
  readBacks: [],
  plans: [],
}

describe('before anything comes in, leaves or is decided', () => {
  it.each(['ledger', 'waves', 'claims', 'readBacks', 'plans'] as const)(
    'the ledger is looked at: %s',
    (room) => {
      const file = afterRun(3)
      rot(file)
      const ledger = openLate(file)
      const verbs = Object.entries(room === 'ledger' ? ledger : ledger[room]).filter(
        (verb): verb is [string, () => unknown] => typeof verb[1] === 'function',
      )
      const refused = verbs.filter(([name]) => !WAITING[room].includes(name as never))
      expect(verbs.length - refused.length).toBe(WAITING[room].length)
      for (const [name, verb] of refused) expect([name, problemOf(verb)]).toEqual([name, 'damaged'])
    },
  )

  it('a file that is not known does not come in', () => {
    const file = afterRun(3)
    rot(file)
    const ledger = openLate(file)
    expect(problemOf(() => admit(ledger, [{ reference: 'M-NEW' }]))).toBe('damaged')
    expect(ledger.totals()).toMatchObject({ read: 200 })
  })

  it('a ledger that is whole is looked at once and goes on', () => {
    const ledger = openLate(afterRun(3))
    admit(ledger, [{ reference: 'M-NEW', customerNo: 1000 }])
    expect(ledger.ready(0, 10)).toHaveLength(1)
    expect(ledger.retryRefused('operator')).toBe(0)
  })
})

describe('no seal is left', () => {
  it.each([
    ['by a run with rows that are ready', () => afterRun(5, rowsOf('sendable'))],
    ['by a run that a fault of the ledger ended', () => afterRun(8)],
    ['by a run that a bug ended', () => afterRun(1)],
    [
      'by whoever does not run',
      () => {
        const ledger = open({ clock })
        admit(ledger, rowsOf('invalid'))
        ledger.close()
        return ledger.file
      },
    ],
    [
      'beside a reader who keeps the log',
      () => {
        const ledger = open({ clock })
        admit(ledger, rowsOf('invalid'))
        const reader = openDatabase(ledger.file, { readonly: true })
        onTestFinished(() => void reader.close())
        const rows = reader.prepare('select id from row').iterate()
        rows.next()
        ledger.endRun(ledger.startRun(SETTINGS), { stoppedBy: null, exitCode: 3 })
        ledger.close()
        rows.return?.()
        return ledger.file
      },
    ],
  ])('%s', (_, run) => {
    expect(existsSync(sealOf(run()))).toBe(false)
  })
})
