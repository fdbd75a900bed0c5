import { rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { holding, open, running, stoppedClock, mandates } from '../campaign-setup.js'
import { byHand, look, rowsOf, statesOf } from '../ledger-views.js'
import { processes } from '../second-process.js'
import { isBalanced } from '../../../src/domain/row/row-state.js'

const start = processes()

/** What a process leaves behind that died without a word: the ledger is closed, its attempts are open. */
async function abandoned(count: number) {
  const ledger = running(mandates(count + 1))
  const attempts = await Promise.all(ledger.ready(0, count).map((row) => ledger.begin(row)))
  ledger.close()
  return { file: ledger.file, attempts }
}

/** A process that begins to send and is killed: its write-ahead log stays. */
async function killed(rows: number): Promise<string> {
  const ledger = holding(mandates(rows))
  ledger.close()
  const holder = start('hold.mjs', [ledger.file])
  await holder.says
  await holder.kill()
  return ledger.file
}

describe('an intent without an outcome', () => {
  it('is in doubt after a restart', async () => {
    const { file } = await abandoned(2)
    const clock = stoppedClock('2026-06-16T08:00:00.000Z')
    const ledger = open({ file, clock })
    expect(ledger.recovered).toBe(2)
    expect(statesOf(file)).toEqual(['in_doubt', 'in_doubt', 'ready'])
    expect(rowsOf(file)[0]?.lastAttempt).toMatchObject({
      outcome: 'in_doubt',
      hint: 'unknown',
      reason: 'The program ended before the answer was recorded',
      started: null,
      status: null,
      endedAt: '2026-06-16T08:00:00.000Z',
    })
    expect(look(file, (reader) => reader.campaign().changedAt)).toBe('2026-06-16T08:00:00.000Z')
    expect(isBalanced(ledger.totals())).toBe(true)
  })

  it('is found once: a second restart finds the same (scenario 35)', async () => {
    const { file } = await abandoned(2)
    open({ file }).close()
    const rows = rowsOf(file)
    const again = open({ file })
    expect(again.recovered).toBe(0)
    expect(rowsOf(file)).toEqual(rows)
  })

  it('marks the run that ended without a word', async () => {
    const file = await killed(1)
    expect(look(file, (reader) => reader.runs()[0])).toMatchObject({ endedAt: null, stoppedBy: null })
    open({ file })
    expect(look(file, (reader) => reader.runs()[0])).toMatchObject({
      endedAt: null,
      stoppedBy: 'ended_without_notice',
      exitCode: null,
      attempts: { in_doubt: 1, open: 0 },
    })
  })

  it('8.1.1 tells a run that died from one whose write-ahead log was lost, until somebody trusts it', async () => {
    const file = await killed(1)
    rmSync(`${file}-wal`)
    for (let n = 0; n < 2; n += 1) {
      const ledger = open({ file })
      expect(ledger.claims.standing().isLogMissing).toBe(true)
      ledger.close()
    }
    expect(look(file, (reader) => reader.runs()[0])).toMatchObject({ stoppedBy: 'ended_without_log' })
    const ledger = open({ file })
    ledger.claims.trustLog()
    expect(ledger.claims.standing().isLogMissing).toBe(false)
    ledger.close()
  })

  it('8.1.1 never takes a run that was closed on the way for one whose log was lost', async () => {
    const { file } = await abandoned(1)
    expect(open({ file }).claims.standing().isLogMissing).toBe(false)
  })

  it('names the emergency file that holds its answer, and passes over what is cut or foreign in it', async () => {
    const { file, attempts } = await abandoned(2)
    const lines = [
      '{"kind":"header"}',
      'null',
      '[]',
      `{"requestId":"${attempts[1]!.requestId}"}`,
      '{"requestId": 7}',
      '{"requ',
    ]
    writeFileSync(`${file}.emergency.jsonl`, lines.join('\n'), { mode: 0o600 })
    open({ file })
    expect(rowsOf(file).map(({ lastAttempt }) => lastAttempt?.reason)).toEqual([
      'The program ended before the answer was recorded',
      'The program ended before the answer was recorded. Its answer is in the file "campaign.db.emergency.jsonl"',
      undefined,
    ])
  })
})

/** The moments of ledger/README.md#crash-table. */
describe('a process that is killed (K1 to K7)', () => {
  it('loses nothing that it was told, at whatever moment it dies', async () => {
    const ledger = holding(mandates(400))
    ledger.close()
    let [begun, refused] = [0, 0]
    for (const lines of [3, 12, 31, 40, 77]) {
      const child = start('deliver.mjs', [ledger.file])
      await child.wrote(lines)
      await child.kill()
      begun += child.lines.filter((line) => line.startsWith('begun')).length
      refused += child.lines.filter((line) => line.startsWith('refused')).length
      const again = open({ file: ledger.file })
      const totals = again.totals()
      again.close()
      // One row at a time: at most one commit of each kind may be on disk that the process could not say.
      expect(totals.refused + totals.inDoubt).toBeGreaterThanOrEqual(begun)
      expect(totals.refused).toBeGreaterThanOrEqual(refused)
      expect(again.recovered).toBeLessThanOrEqual(1)
      expect(isBalanced(totals)).toBe(true)
      ;[begun, refused] = [totals.refused + totals.inDoubt, totals.refused]
    }
    expect(byHand(ledger.file, (db) => db.pragma('integrity_check', { simple: true }))).toBe('ok')
  })
})
