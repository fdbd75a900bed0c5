import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, it, describe, onTestFinished } from 'vitest'
import { openScratchLedger, copyOf } from '../../../src/ledger/file/writer.js'
import { admit, holding, open, stoppedClock, send, played } from '../campaign-setup.js'
import { refused, registered } from '../outcomes.js'
import { recordOf, summaryOf, type Values, mandates } from '../records.js'
import { problemsOf, statesOf, look } from '../ledger-views.js'
import { ROW_STATES } from '../../../src/domain/row/row-state.js'
import { openForReading, type Connection } from '../../../src/ledger/file/connection.js'

const TABLES = ['campaign', 'source', 'row', 'problem', 'run', 'attempt', 'ended_elsewhere'] as const

async function busyLedger(): Promise<string> {
  const rows = [{}, {}, { verdict: 'invalid', reference: 'M-2', customerNo: 2 }] as const
  const ledger = await played(rows, refused())
  ledger.retryRefused('Ada')
  await send(ledger, registered('NEW-1'))
  return ledger.file
}

function reading(file: string): Connection {
  const connection = openForReading(file)
  onTestFinished(() => void connection.close())
  return connection
}

function copyAt(file: string): Connection {
  const copy = copyOf(reading(file))
  onTestFinished(() => void copy.close())
  return copy
}

function openScratch() {
  const scratch = openScratchLedger(stoppedClock())
  onTestFinished(() => scratch.close())
  return scratch
}

describe('a copy of a ledger', () => {
  it('holds every row that files are admitted beside, triggers notwithstanding, and nothing else', async () => {
    const file = await busyLedger()
    const original = reading(file)
    const copy = copyAt(file)
    for (const table of TABLES) {
      const all = `select * from ${table} order by 1`
      expect(copy.prepare(all).all(), table).toEqual(original.prepare(all).all())
    }
    expect(copy.pragma('foreign_key_check')).toEqual([])
  })

  it('is guarded like a ledger, and what happens to it does not happen to the ledger', async () => {
    const file = await busyLedger()
    const copy = copyAt(file)
    expect(() => copy.exec(`update row set state = 'ready' where id = 1`)).toThrow()
    copy.exec(
      `insert into source (id, name, header, columns, kind, origin, is_newer, last_decision) values (9, 'tried.csv', '[]', '{}', 'export', 9, 0, 0)`,
    )
    expect(look(file, (reader) => reader.sources())).toHaveLength(1)
  })

  it('is taken while the ledger is held for writing, and sees committed rows only', () => {
    const ledger = holding([{}])
    const admission = ledger.admit({ severities: {} })
    const source = admission.open({ name: 'more.csv', header: [], columns: {} })
    source.add([recordOf({ reference: 'M-2' })])
    expect(copyAt(ledger.file).prepare('select count(*) from row').pluck().get()).toBe(1)
    admission.rollback()
  })
})

const ROWS: Values[] = [
  ...[{}, {}, { reference: 'M-2', customerNo: 2 }, { reference: 'M-2', customerNo: 3 }],
  ...[
    { reference: 'M 3', customerNo: 4 },
    { reference: 'M3', customerNo: 4 },
  ],
  { reference: 'M-4', verdict: 'excluded' },
]

it('decides as a real ledger does', () => {
  const real = holding(ROWS)
  const scratch = openScratch()
  admit(scratch, ROWS)
  expect(scratch.reader.rows(ROW_STATES, 0, 100).map(({ state }) => state)).toEqual(statesOf(real.file))
  expect(scratch.reader.problems(0, 100)).toEqual(problemsOf(real.file))
  expect(scratch.reader.totals()).toEqual(real.totals())
})

it('reads the same file twice as one', () => {
  const scratch = openScratch()
  expect(admit(scratch, ROWS, { sha256: 'same' })).toBe('admitted')
  expect(admit(scratch, ROWS, { sha256: 'same' })).toBe('known')
  expect(scratch.reader.totals().read).toBe(ROWS.length)
})

it('leaves no file behind that has a name', () => {
  const named = () => readdirSync(tmpdir()).filter((name) => name.startsWith('etilqs_'))
  const before = named()
  const scratch = openScratch()
  admit(scratch, mandates(2_000))
  expect(named()).toEqual(before)
})

it('12 records that are counted and not kept are ready, and the next row has the id behind them', () => {
  const scratch = openScratch()
  const source = { header: ['a'], columns: {} }
  const admission = scratch.admit({ severities: {} })
  const one = admission.open({ ...source, name: 'one.csv', counted: 5 })
  one.add([recordOf({}, 2)])
  expect(one.close(summaryOf(6))).toBe('admitted')
  const two = admission.open({ ...source, name: 'two.csv' })
  two.add([recordOf({ customerNo: 9, reference: 'M-9' })])
  two.close(summaryOf(1))
  admission.commit()
  expect(scratch.reader.totals()).toMatchObject({ read: 7, ready: 7 })
  expect(scratch.reader.sources().map(({ totals }) => totals.ready)).toEqual([6, 1])
  expect(scratch.reader.rows(ROW_STATES, 0, 100).map(({ id }) => id)).toEqual([2, 7])
})

it('12 a ledger that is kept takes every record', () => {
  const admission = open().admit({ severities: {} })
  expect(() => admission.open({ name: 'one.csv', header: [], columns: {}, counted: 5 })).toThrow(
    /every record/,
  )
  admission.rollback()
})

it('12 what was counted of a file goes with it when the admission is given up', () => {
  const scratch = openScratch()
  const admission = scratch.admit({ severities: {} })
  admission.open({ name: 'one.csv', header: ['a'], columns: {}, counted: 5 })
  admission.rollback()
  expect(scratch.reader.totals()).toMatchObject({ read: 0, ready: 0 })
  admit(scratch, ROWS)
  expect(scratch.reader.totals().read).toBe(ROWS.length)
})
