import { describe, expect, it } from 'vitest'
import { ROW_STATES } from '../../../src/domain/row/row-state.js'
import type { Ledger } from '../../../src/ledger/file/writer.js'
import type { LedgerReader } from '../../../src/ledger/read/open-reader.js'
import type { RegisteredRow, RowRecord } from '../../../src/ledger/read/reader.js'
import {
  admit,
  inDoubt,
  refused,
  registered,
  send,
  stoppedClock,
  turnedAway,
  running,
  runningAt,
} from '../campaign-setup.js'
import { look } from '../ledger-views.js'

/** Rows in most states, several attempts, a correction of a correction, and a mandate that was released. */
async function variedLedger(): Promise<Ledger> {
  const clock = stoppedClock()
  const ledger = runningAt(clock, [
    ...Array.from({ length: 9 }, (_, n) => ({ reference: `M-${n}`, customerNo: n })),
    { reference: 'M-X', customerNo: 90, verdict: 'invalid' as const },
    { reference: 'M-Y', customerNo: 91, verdict: 'excluded' as const },
  ])
  const outcomes = [registered('N-1'), refused(), inDoubt(), registered('N-2'), turnedAway(), inDoubt()]
  for (const outcome of outcomes) await send(ledger, outcome)
  await send(ledger, registered('N-3'))
  clock.advance(60 * 60 * 1_000)
  const resend = { rowId: 3, decision: 'resend', by: 'Ada Example', reason: 'not at the service' } as const
  ledger.resolve([{ ...resend, assigned: null, evidence: null, attempt: null }], { dryRun: false })
  admit(ledger, [{ reference: 'M-NEW', customerNo: 1, corrects: 2 }], { name: 'corrections.csv' })
  admit(ledger, [{ reference: 'M-NEWER', customerNo: 1, corrects: 12 }], { name: 'again.csv' })
  admit(ledger, [{ reference: 'M-LAST', customerNo: 2, corrects: 3 }], { name: 'resent.csv' })
  return ledger
}

interface Walked {
  readonly rows: readonly RowRecord[]
  readonly registered: readonly RegisteredRow[]
  readonly sizes: readonly number[]
}

function walk(reader: LedgerReader, limit: number): Walked {
  const [rows, brief, sizes]: [RowRecord[], RegisteredRow[], number[]] = [[], [], []]
  for (let after = 0; ;) {
    const page = reader.page(after, limit)
    if (page.last === null) return { rows, registered: brief, sizes }
    rows.push(...page.rows)
    brief.push(...page.registered)
    sizes.push(page.rows.length + page.registered.length)
    after = page.last
  }
}

describe('pages of rows', () => {
  it('hold every row once, as it is read alone, whatever their size', async () => {
    const { file } = await variedLedger()
    look(file, (reader) => {
      const alone = reader.rows(ROW_STATES, 0, 1_000).map(({ id }) => reader.row(id))
      expect(alone.length).toBe(14)
      for (let limit = 1; limit <= 15; limit += 1) {
        const { rows, registered: brief, sizes } = walk(reader, limit)
        expect(rows).toEqual(alone.filter((row) => row?.state !== 'registered'))
        expect(brief.map(({ id }) => id)).toEqual(
          alone.flatMap((row) => (row?.state === 'registered' ? row.id : [])),
        )
        expect(Math.max(...sizes)).toBeLessThanOrEqual(limit)
      }
    })
  })

  it('give each row its latest attempt', async () => {
    const { file } = await variedLedger()
    look(file, (reader) => {
      const { rows } = walk(reader, 4)
      expect(rows.some(({ attempts }) => attempts > 1)).toBe(true)
      for (const { id, lastAttempt } of rows) expect(lastAttempt).toEqual(reader.attempts(id).at(-1) ?? null)
    })
  })

  it('tell of a released doubt in its own row and in those that replaced it', async () => {
    const { file } = await variedLedger()
    look(file, (reader) => {
      const former = new Map(walk(reader, 3).rows.map(({ id, formerDoubt }) => [id, formerDoubt]))
      const { requestId, startedAt, started } = reader.attempts(3)[0]!
      expect(former.get(3)).toEqual({ rowId: 3, requestId, startedAt, started })
      expect(former.get(14)).toEqual({ rowId: 3, requestId, startedAt, started })
      expect([...former].filter(([, doubt]) => doubt !== null).map(([id]) => id)).toEqual([3, 14])
    })
  })

  it('give registered rows without their requests where that is enough, and all others as ever', async () => {
    const { file } = await variedLedger()
    look(file, (reader) => {
      const whole = reader.rows(ROW_STATES, 0, 1_000)
      const { rows, registered: brief } = walk(reader, 5)
      expect(rows).toEqual(whole.filter(({ state }) => state !== 'registered'))
      const expected = whole.filter(({ state }) => state === 'registered')
      expect(brief.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
      expect(expected.length).toBeGreaterThan(2)
      for (const [index, row] of brief.entries()) expect(expected[index]).toMatchObject(row)
      expect(brief[0]).not.toHaveProperty('lastAttempt')
    })
  })

  it('count a registered correction in the source of the row whose place it took', async () => {
    const ledger = await variedLedger()
    await send(ledger, registered('N-4'))
    for (let more = ledger.countReady(); more > 0; more -= 1) await send(ledger, registered(`N-9${more}`))
    look(ledger.file, (reader) => {
      const corrected = walk(reader, 100).registered.find(({ id }) => id === 13)
      expect(corrected).toMatchObject({ source: 'again.csv', sourceId: 3, countedIn: 1 })
    })
  })
})

it('counts what differs as it is, with and without rows that have no place', async () => {
  const ledger = running()
  const counts = () => look(ledger.file, (reader) => reader.distinctCounts())
  expect(counts()).toEqual({ customers: 0, mandates: 0, accounts: 0 })
  admit(ledger, [
    { reference: 'M-1', customerNo: 1 },
    { reference: 'M-2', customerNo: 1 },
    { reference: 'M-3', customerNo: 3, mandateKey: null, verdict: 'invalid' },
  ])
  expect(counts()).toEqual({ customers: 2, mandates: 2, accounts: 1 })
  await send(ledger, refused())
  admit(ledger, [{ reference: 'M-9', customerNo: 9, corrects: 1 }])
  expect(counts()).toEqual({ customers: 3, mandates: 2, accounts: 1 })
})
