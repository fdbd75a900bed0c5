import { existsSync, readFileSync, statSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { openDatabase } from '../../../src/driver.js'
import { LedgerError } from '../../../src/errors.js'
import type { SeverityOverrides } from '../../../src/domain/rule/verdict.js'
import { type Connection, openForWriting, configureForWriting } from '../../../src/ledger/file/connection.js'
import { makeSchema } from '../../../src/ledger/schema/schema.js'
import { createLedger, type Ledger } from '../../../src/ledger/file/writer.js'
import {
  admit,
  freshFile,
  holding,
  open,
  readyRow,
  running,
  send,
  SETTINGS,
  stoppedClock,
  runningAt,
  begin,
} from '../campaign-setup.js'
import { inDoubt, notSent, refused, registered, turnedAway } from '../outcomes.js'
import { IBAN, mandates } from '../records.js'
import { rowsOf, statesOf } from '../ledger-views.js'
import { createPrivateFile, acquireLock } from '../../../src/ledger/safety/side-files.js'

/** A run over so many mandates whose flushes wait for the test instead of the event loop. */
function flushedByHand(rows: number, clock = stoppedClock()) {
  const flushes: (() => void)[] = []
  const ledger = open({ clock, defer: (flush) => void flushes.push(flush) })
  ledger.startRun(SETTINGS)
  admit(ledger, mandates(rows))
  return { ledger, flush: () => flushes.shift()!(), flushes }
}

const IDENTIFIERS = 'SE97ZZZ5560000001 NEW-1'

describe('an intent', () => {
  it('is on disk before it is told, as other processes see it', async () => {
    const ledger = running(mandates(1))
    const attempt = await begin(ledger, readyRow(ledger))
    expect(attempt).toMatchObject({ id: 1, rowId: 1, n: 1 })
    expect(attempt.requestId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(rowsOf(ledger.file)[0]).toMatchObject({
      state: 'sending',
      attempts: 1,
      lastAttempt: { requestId: attempt.requestId, outcome: null, started: null, endedAt: null },
    })
  })

  it('needs a run', async () => {
    const ledger = holding(mandates(1))
    await expect(begin(ledger, readyRow(ledger))).rejects.toThrow('before a run was started')
  })

  it('is given once: the second one of a row stops the ledger', async () => {
    const ledger = running(mandates(2))
    const row = readyRow(ledger)
    await begin(ledger, row)
    await expect(begin(ledger, row)).rejects.toThrow('Cannot record the intent for row 1: 0 rows')
    expect(() => ledger.ready(0, 1)).toThrow('Cannot record the intent')
  })
})

const ON_RECORD = ['durationMs', 'started', 'status', 'errorCode', 'serviceCode', 'field', 'message'] as const

describe('an outcome', () => {
  it.each([
    ['registered', registered('NEW-1'), 'registered'],
    ['refused', refused(), 'refused'],
    ['turned_away', turnedAway(), 'ready'],
    ['not_sent', notSent(), 'ready'],
    ['in_doubt', inDoubt(), 'in_doubt'],
  ])('%s brings the row to its state, with its evidence', async (kind, outcome, state) => {
    const clock = stoppedClock()
    const ledger = runningAt(clock, mandates(1))
    const attempt = await begin(ledger, readyRow(ledger))
    clock.advance(150)
    await ledger.settle(attempt, outcome)
    expect(rowsOf(ledger.file)[0]).toMatchObject({
      state,
      lastAttempt: {
        outcome: kind,
        startedAt: '2026-06-15T10:00:00.000Z',
        endedAt: '2026-06-15T10:00:00.150Z',
        ...Object.fromEntries(ON_RECORD.map((name) => [name, outcome.evidence[name]])),
        reason: outcome.reason,
        hint: kind === 'in_doubt' ? 'unknown' : null,
      },
    })
  })

  it('counts the attempts of a row that is turned away and begun again within one turn', async () => {
    const ledger = running(mandates(1))
    const row = readyRow(ledger)
    const first = await begin(ledger, row)
    const settled = ledger.settle(first, turnedAway())
    const second = await begin(ledger, row) // the row as it was read first: its own count is stale
    await settled
    expect(second.n).toBe(2)
    const outcomes = ledger.view.attempts(1).map(({ outcome }) => outcome)
    expect(outcomes).toEqual(['turned_away', null])
  })

  it('is recorded once', async () => {
    const ledger = running(mandates(1))
    const attempt = await begin(ledger, readyRow(ledger))
    await ledger.settle(attempt, refused())
    const again = ledger.settle(attempt, registered('NEW-1'))
    await expect(again).rejects.toThrow('Cannot record the outcome of attempt 1: 0 rows')
    expect(statesOf(ledger.file)).toEqual(['refused'])
  })

  it('13 tells what was odd about an answer that registered a row, by the severities of the run', async () => {
    const problemsWith = async (rules: SeverityOverrides) => {
      const ledger = open()
      admit(ledger, mandates(1))
      ledger.startRun({ ...SETTINGS, settings: { rules } })
      const outcome = registered('NEW-1')
      const notes = ['RESPONSE_STATUS_WORD', 'RESPONSE_CI_UNCHANGED', 'RESPONSE_UMR_UNCHANGED']
      const evidence = { ...outcome.evidence, serviceCode: 'FAILED' }
      await send(ledger, { ...outcome, notes, evidence } as typeof outcome)
      expect(statesOf(ledger.file)).toEqual(['registered'])
      return ledger.view.problemsOfRow(1).map(({ rule, severity, value }) => [rule, severity, value])
    }
    expect(await problemsWith({})).toEqual([
      ['RESPONSE_STATUS_WORD', 'warning', 'FAILED'],
      ['RESPONSE_CI_UNCHANGED', 'warning', IDENTIFIERS],
    ])
    const changed = { RESPONSE_CI_UNCHANGED: 'error', RESPONSE_UMR_UNCHANGED: 'warning' } as const
    expect(await problemsWith({ ...changed, RESPONSE_STATUS_WORD: 'off' })).toEqual([
      ['RESPONSE_CI_UNCHANGED', 'error', IDENTIFIERS],
      ['RESPONSE_UMR_UNCHANGED', 'warning', IDENTIFIERS],
    ])
  })
})

describe('group commit', () => {
  it('writes everything that was told in one turn in one transaction', async () => {
    const ledger = running(mandates(20))
    const other = openDatabase(ledger.file, { readonly: true })
    const versions = new Set<unknown>()
    // Changes once for each commit of another connection.
    const note = () => void versions.add(other.pragma('data_version', { simple: true }))
    note()
    const attempts = await Promise.all(ledger.ready(0, 20).map((row) => begin(ledger, row).finally(note)))
    note()
    other.close()
    expect(versions.size).toBe(2)
    expect(attempts.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1))
  })

  it('lets an outcome travel with the next intent', async () => {
    const { ledger, flush, flushes } = flushedByHand(2)
    const [one, two] = ledger.ready(0, 2)
    const first = begin(ledger, one!)
    flush()
    const settled = ledger.settle(await first, refused())
    const second = begin(ledger, two!)
    expect(flushes.length).toBe(1)
    expect(statesOf(ledger.file)).toEqual(['sending', 'ready'])
    flush()
    await Promise.all([settled, second])
    expect(statesOf(ledger.file)).toEqual(['refused', 'sending'])
  })

  it('tells nobody before the commit', async () => {
    const { ledger, flush } = flushedByHand(2)
    const told = vi.fn()
    const begun = Promise.all(ledger.ready(0, 2).map((row) => begin(ledger, row).then(told)))
    await new Promise(setImmediate)
    expect(told).not.toHaveBeenCalled()
    flush()
    await begun
    expect(told).toHaveBeenCalledTimes(2)
  })

  it('lets nothing of a group leave when one of it cannot be written', async () => {
    const ledger = running(mandates(3))
    const rows = ledger.ready(0, 3)
    const results = await Promise.allSettled([...rows, rows[0]!].map((row) => begin(ledger, row)))
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'rejected'])
    expect(statesOf(ledger.file)).toEqual(['ready', 'ready', 'ready'])
  })

  it('commits what waits when the ledger is closed', async () => {
    const { ledger } = flushedByHand(1)
    const begun = begin(ledger, readyRow(ledger))
    ledger.close()
    await begun
    expect(statesOf(ledger.file)).toEqual(['sending'])
  })
})

it('a reference that the service assigned is known in any case of letters, also while its outcome waits', async () => {
  const { ledger, flush } = flushedByHand(1)
  const begun = begin(ledger, readyRow(ledger))
  flush()
  const attempt = await begun
  expect(ledger.hasAssigned('NEW-1')).toBe(false)
  const settled = ledger.settle(attempt, registered('New-1'))
  expect(ledger.hasAssigned('nEW-1')).toBe(true)
  flush()
  await settled
  expect(['new-1', 'NEW-2'].map((reference) => ledger.hasAssigned(reference))).toEqual([true, false])
})

describe('the account number of a registered mandate (scenario 61)', () => {
  const holds = (path: string): boolean => existsSync(path) && readFileSync(path).includes(IBAN)

  it('is gone from the files once the log was emptied', async () => {
    const ledger = running([...mandates(50), ...mandates(50)])
    expect(holds(ledger.file)).toBe(true)
    for (let n = 1; n <= 50; n += 1) await send(ledger, registered(`NEW-${n}`))
    expect(holds(`${ledger.file}-wal`)).toBe(true)
    ledger.close()
    for (const end of ['', '-wal', '-shm', '.emergency.jsonl']) expect(holds(ledger.file + end)).toBe(false)
  })

  it('leaves them once a second at most, because each time is a flush more', async () => {
    const clock = stoppedClock()
    const { ledger, flush, flushes } = flushedByHand(6_000, clock)
    let named = 0
    const flushAll = () => {
      while (flushes.length > 0) flush()
    }
    async function sendTwoThousand() {
      const begun = ledger.ready(0, 2_000).map((row) => begin(ledger, row))
      flushAll()
      const attempts = await Promise.all(begun)
      const settled = attempts.map((attempt) => ledger.settle(attempt, registered(`NEW-${(named += 1)}`)))
      flushAll()
      await Promise.all(settled)
      return statSync(`${ledger.file}-wal`).size
    }
    expect(await sendTwoThousand()).toBe(0)
    clock.advance(999)
    expect(await sendTwoThousand()).toBeGreaterThan(0)
    clock.advance(1)
    void begin(ledger, ledger.ready(0, 1)[0]!)
    flush() // whatever is committed next
    expect(statSync(`${ledger.file}-wal`).size).toBe(0)
  })
})

describe('a full disk (scenarios 40 and 41)', () => {
  /**
   * The connection may not let its file grow beyond a number of pages: SQLite then reports what it reports on a full
   * disk, and only this ledger is full.
   */
  function smallLedger(): { ledger: Ledger; file: string; connection: Connection; fill: () => void } {
    const file = freshFile()
    createPrivateFile(file)
    const connection = openForWriting(file)
    configureForWriting(connection)
    makeSchema(connection)
    const lock = acquireLock(file, () => 'another run holds it')
    const ledger = createLedger({ connection, lock, file, clock: stoppedClock() })
    ledger.startRun(SETTINGS)
    const fill = () => {
      const pages = Number(connection.pragma('page_count', { simple: true }))
      connection.pragma(`max_page_count = ${pages}`)
    }
    return { ledger, file, connection, fill }
  }

  /** Enough to need new pages whatever is free in the last ones. */
  const longAnswer = { ...inDoubt(), reason: 'x'.repeat(20_000) }

  it('in an import that SQLite has rolled back itself: another one can begin', () => {
    const { ledger, connection } = smallLedger()
    const admission = ledger.admit({ severities: {} })
    connection.exec('rollback')
    admission.rollback()
    admit(ledger, mandates(2))
    expect(ledger.totals().ready).toBe(2)
    ledger.close()
  })

  it('at an intent: nobody may send, the rows stay ready', async () => {
    const { ledger, file, fill } = smallLedger()
    admit(ledger, mandates(400))
    fill()
    const results = await Promise.allSettled(ledger.ready(0, 400).map((row) => begin(ledger, row)))
    expect(results.filter(({ status }) => status !== 'rejected')).toEqual([])
    expect(results[0]).toMatchObject({ reason: { problem: 'unwritable', exitCode: 8 } })
    expect(ledger.totals()).toMatchObject({ ready: 400, sending: 0 })
    ledger.close()
    const again = open({ file })
    expect(again.recovered).toBe(0)
    again.startRun(SETTINGS)
    await send(again, refused())
    expect(again.totals()).toMatchObject({ ready: 399, refused: 1 })
  })

  it('at an outcome: it goes to the emergency file, the row becomes in doubt with that file as evidence', async () => {
    const { ledger, file, fill } = smallLedger()
    admit(ledger, mandates(3))
    const rows = ledger.ready(0, 2)
    const [one, two] = await Promise.all(rows.map((row) => begin(ledger, row)))
    const third = { id: 3, attempts: 0, mandate: rows[0]!.mandate }
    fill()
    await expect(ledger.settle(one!, longAnswer)).rejects.toThrow('the disk is full')
    // Its answer arrives after the ledger has failed: there must be no second flush, and the answer is not lost.
    await expect(ledger.settle(two!, registered('NEW-2'))).rejects.toThrow(LedgerError)
    await expect(begin(ledger, third)).rejects.toThrow('the disk is full')
    expect(() => ledger.startRun(SETTINGS)).toThrow('the disk is full')
    expect(() => ledger.admit({ severities: {} })).toThrow('the disk is full')
    ledger.close()

    const path = `${file}.emergency.jsonl`
    const lines = readFileSync(path, 'utf8').trim().split('\n')
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { kind: 'header' },
      { kind: 'outcome', row: 1, attempt: 1, requestId: one!.requestId, outcome: 'in_doubt' },
      { row: 2, outcome: 'registered', assignedMandateReference: 'NEW-2', requestId: two!.requestId },
    ])
    expect(readFileSync(path).includes(IBAN)).toBe(false)

    const again = open({ file })
    expect(again.recovered).toBe(2)
    expect(statesOf(file)).toEqual(['in_doubt', 'in_doubt', 'ready'])
    expect(rowsOf(file)[1]?.lastAttempt?.reason).toBe(
      'The program ended before the answer was recorded. Its answer is in the file "campaign.db.emergency.jsonl"',
    )
    again.startRun(SETTINGS)
    again.close()
    expect(readFileSync(path, 'utf8').trim().split('\n').length).toBe(3)
  })

  it('at an admission: nothing of the file is kept', () => {
    const { ledger, file, fill } = smallLedger()
    admit(ledger, mandates(1))
    fill()
    expect(() => admit(ledger, mandates(500))).toThrow('the disk is full')
    ledger.close()
    expect(open({ file }).totals()).toMatchObject({ read: 1, ready: 1 })
  })
})
