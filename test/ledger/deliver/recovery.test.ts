import { rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isBalanced } from '../../../src/domain/row/row-state.js'
import { begin, closedFile, open, running, stoppedClock } from '../campaign-setup.js'
import { mandates } from '../records.js'
import { byHand, look, rowsOf, statesOf } from '../ledger-views.js'
import { startProcess } from '../second-process.js'

/** What a process leaves behind that died without a word: the ledger is closed, its attempts are open. */
async function abandoned(count: number) {
  const ledger = running(mandates(count + 1))
  const attempts = await Promise.all(ledger.ready(0, count).map((row) => begin(ledger, row)))
  ledger.close()
  return { file: ledger.file, attempts }
}

/** A process that begins to send and is killed: its write-ahead log stays. */
async function killed(rows: number): Promise<string> {
  const file = closedFile(mandates(rows))
  const holder = startProcess('hold.mjs', [file])
  expect(await holder.says).toBe(`held ${rows}`)
  await holder.kill()
  return file
}

const integrityOf = (file: string) => byHand(file, (db) => db.pragma('integrity_check', { simple: true }))

describe('an intent without an outcome', () => {
  it('is in doubt after a restart, and found once: a second restart finds the same (scenario 35)', async () => {
    const { file } = await abandoned(2)
    const ledger = open({ file, clock: stoppedClock('2026-06-16T08:00:00.000Z') })
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
    expect(ledger.view.campaign().changedAt).toBe('2026-06-16T08:00:00.000Z')
    expect(isBalanced(ledger.totals())).toBe(true)
    ledger.close()
    const rows = rowsOf(file)
    expect(open({ file }).recovered).toBe(0)
    expect(rowsOf(file)).toEqual(rows)
  })

  it('marks the run that ended without a word, and nothing that it was told of is lost', async () => {
    const file = await killed(10)
    expect(look(file, (reader) => reader.runs()[0])).toMatchObject({ endedAt: null, stoppedBy: null })
    const again = open({ file })
    expect(again.recovered).toBe(10)
    expect(again.totals()).toMatchObject({ read: 10, inDoubt: 10 })
    expect(again.view.runs()[0]).toMatchObject({
      endedAt: null,
      stoppedBy: 'ended_without_notice',
      exitCode: null,
      attempts: { in_doubt: 10, open: 0 },
    })
  })

  it('tells a run that died from one whose write-ahead log was lost, until somebody trusts it', async () => {
    const file = await killed(1)
    rmSync(`${file}-wal`)
    for (let n = 0; n < 2; n += 1) {
      const ledger = open({ file })
      expect(ledger.claims.standing().isLogMissing).toBe(true)
      expect(ledger.view.runs()[0]).toMatchObject({ stoppedBy: 'ended_without_log' })
      ledger.close()
    }
    const ledger = open({ file })
    ledger.claims.trustLog()
    expect(ledger.claims.standing().isLogMissing).toBe(false)
  })

  it('never takes a run that was closed on the way for one whose log was lost', async () => {
    const { file } = await abandoned(1)
    expect(open({ file }).claims.standing().isLogMissing).toBe(false)
  })

  it('names the emergency file that holds its answer, and passes over what is cut or foreign in it', async () => {
    const { file, attempts } = await abandoned(2)
    const { requestId } = attempts[1]!
    const lines = [
      '{"kind":"header"}',
      'null',
      '[]',
      `{"requestId":"${requestId}"}`,
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

/** The moments of ledger/README.md#crash-table (K1 to K7). */
it('a process that is killed loses nothing that it was told, at whatever moment it dies', async () => {
  const file = closedFile(mandates(400))
  let [begun, refused] = [0, 0]
  for (const lines of [3, 12, 31, 40, 77]) {
    const child = startProcess('deliver.mjs', [file])
    await child.wrote(lines)
    await child.kill()
    begun += child.lines.filter((line) => line.startsWith('begun')).length
    refused += child.lines.filter((line) => line.startsWith('refused')).length
    const again = open({ file })
    const totals = again.totals()
    again.close()
    // One row at a time: at most one commit of each kind may be on disk that the process could not say.
    expect(totals.refused + totals.inDoubt).toBeGreaterThanOrEqual(begun)
    expect(totals.refused).toBeGreaterThanOrEqual(refused)
    expect(again.recovered).toBeLessThanOrEqual(1)
    expect(isBalanced(totals)).toBe(true)
    ;[begun, refused] = [totals.refused + totals.inDoubt, totals.refused]
  }
  expect(integrityOf(file)).toBe('ok')
})

// `ulimit -f` makes the system itself refuse to let any file of the process grow: the error is one of writing, not
// of space. What the process was told is what the next one finds.
it('where the system refuses to write, what was told is kept and nothing else', async () => {
  const file = closedFile(mandates(300))
  const limited = startProcess('deliver.mjs', [file], 'ulimit -f 1000')
  expect(await limited.exitCode).toBe(0)
  expect(limited.lines.at(-1)).toMatch(/^unwritable: Cannot write the ledger/)
  const told = (word: string) => limited.lines.filter((line) => line.startsWith(word)).length
  expect(told('begun')).toBeGreaterThan(2)
  expect(told('begun')).toBeLessThan(300)
  const totals = open({ file }).totals()
  expect(totals.refused).toBe(told('refused'))
  expect(totals.refused + totals.inDoubt).toBe(told('begun'))
  expect(isBalanced(totals)).toBe(true)
  expect(integrityOf(file)).toBe('ok')
})
