import { describe, expect, it } from 'vitest'
import type { Ledger } from '../../../src/ledger/file/writer.js'
import {
  admit,
  holding,
  played,
  send,
  running,
  runningAt,
  open,
  readyRow,
  SETTINGS,
} from '../campaign-setup.js'
import { turnedAway, refused, registered, inDoubt } from '../outcomes.js'
import { IBAN, OTHER_IBAN, mandates, HEADER, recordOf } from '../records.js'
import { query, look, statesOf, forge } from '../ledger-views.js'
import type { BegunGroup } from '../../../src/ledger/ledger.js'
import { OLD_STATES, reach } from '../old-rows.js'
import type { Choice } from '../../../src/domain/row/choice.js'

/** Which rows still hold an account, and which still hold cells. */
const held = (file: string) =>
  query<{ text: string }>(
    file,
    `select id || ' ' || state || iif(iban is null, '', ' account') || iif(cells is null, '', ' cells') as text
       from row left join private on row_id = id order by id`,
  ).map(({ text }) => text)

describe('when a mandate is registered, its account goes', () => {
  it('from its duplicates, and from no other row', async () => {
    const ledger = await played([{}, {}, { reference: 'M-2', customerNo: 2 }], registered('NEW-1'))
    expect(held(ledger.file)).toEqual(['1 registered', '2 duplicate', '3 ready account cells'])
  })

  it('from every row that it replaced, however long the chain, also of another mandate', async () => {
    const ledger = await played(
      [{ verdict: 'invalid', reference: '', mandateKey: null }],
      [{ verdict: 'invalid', reference: 'M-ONE', corrects: 1 }],
      [{ reference: 'M-1', corrects: 1 }],
      registered('NEW-1'),
    )
    expect(held(ledger.file)).toEqual(['1 superseded', '2 superseded', '3 registered'])
  })

  it('also where several mandates of a file have such rows, and one has none', async () => {
    const ledger = running(
      [{ verdict: 'invalid', reference: '', mandateKey: null, customerNo: 3 }],
      [{ customerNo: 3, reference: 'M-3', corrects: 1 }, {}, {}, { reference: 'M-2', customerNo: 2 }],
    )
    await send(ledger, registered('NEW-1'))
    await send(ledger, registered('NEW-2'))
    const gone = ['1 superseded', '2 registered', '3 registered', '4 duplicate']
    expect(held(ledger.file)).toEqual([...gone, '5 ready account cells'])
  })

  it('and a refused mandate keeps it, to be corrected', async () => {
    const ledger = await played([{}, {}], refused())
    expect(held(ledger.file)).toEqual(['1 refused account cells', '2 duplicate account cells'])
  })
})

const ids = (ledger: Ledger, after = 0, limit = 10): number[] =>
  ledger.ready(after, limit).map(({ id }) => id)

describe('the ready rows', () => {
  it('come page by page in the order of the file', () => {
    const ledger = holding([...mandates(4), { verdict: 'invalid', reference: 'M-9', customerNo: 9 }])
    expect(ids(ledger, 0, 3)).toEqual([1, 2, 3])
    expect(ids(ledger, 3, 3)).toEqual([4])
    expect(ids(ledger, 4, 3)).toEqual([])
    expect(ledger.countReady()).toBe(4)
  })

  it('a row that was turned away comes again at once, with its attempts', async () => {
    const ledger = await played(mandates(1), turnedAway())
    expect(ledger.ready(0, 1)).toMatchObject([{ id: 1, attempts: 1 }])
  })
})

describe('a row that does not hold what was admitted', () => {
  it.each([
    `update private set iban = '${OTHER_IBAN}' where row_id = 2`,
    'delete from private where row_id = 2',
    `update row set customer_no = 77 where id = 2`,
    `update row set signed_date = '2020-01-30' where id = 2`,
    `update row set original_mandate_reference = 'M-3' where id = 2`,
    `update row set original_creditor_identifier = 'DE98ABC09999999999' where id = 2`,
    'update row set content_key = (select content_key from row where id = 3) where id = 2',
  ])('is not given out, nor is its page: %s', (sql) => {
    const ledger = holding(mandates(3))
    forge(ledger.file, sql)
    expect(ledger.ready(0, 1)).toHaveLength(1)
    const refusal = { problem: 'damaged', exitCode: 8 } as object
    expect(() => ledger.ready(0, 10)).toThrow(expect.objectContaining(refusal))
    expect(() => ledger.ready(0, 10)).toThrow(/Cannot send row 2 .* no longer holds what was admitted/)
    expect(() => ledger.ready(0, 10)).not.toThrow(new RegExp(`${IBAN}|${OTHER_IBAN}`))
  })

  it('a row whose fingerprint of all five values was taken away', () => {
    const ledger = holding(mandates(1))
    forge(ledger.file, 'update row set content_key = null')
    expect(() => ids(ledger)).toThrow('no longer holds what was admitted')
  })
})

const ADOPTION = {
  ...{ by: 'Ada', reason: 'The disk was restored', mark: 'mark-2' },
  ...{ run: SETTINGS, otherwise: [] },
}

describe('the mandates that a ledger claims', () => {
  const KNOWN = { row: 1, key: 'DE|09999999999|M-1', likeness: '1000|2020-01-31', customerNo: 1000 }

  it.each(OLD_STATES)('with a row that is %s', async (state) => {
    const ledger = running()
    await reach(ledger, state)
    const { claims, view } = ledger
    const { attempts } = view.rowsAbout(1000)[0] ?? { attempts: 0 }
    const known = { ...KNOWN, attempts }
    expect([...claims.ready()]).toEqual(state === 'ready' ? [known] : [])
    expect([...claims.toSend(null)]).toEqual(state === 'ready' ? [known] : [])
    expect([...claims.attempted()]).toEqual(attempts > 0 ? [known] : [])
    const hasLeft = ['sending', 'registered', 'in_doubt'].includes(state)
    expect(claims.keysThatLeft(1)).toEqual(hasLeft ? [KNOWN.key] : [])
  })

  it('are at most as many as the run may send', () => {
    const ledger = holding([{}, { reference: 'M-2', customerNo: 2 }])
    expect([...ledger.claims.toSend(1)].map(({ row }) => row)).toEqual([1])
  })
})

describe('how far a ledger has come', () => {
  it('counts runs and attempts', async () => {
    expect(open().claims.standing()).toMatchObject({ runs: 0, attempts: 0, hasMarks: false })
    const ledger = await played([{}], registered('NEW-1'))
    expect(ledger.claims.standing()).toMatchObject({ runs: 1, attempts: 1, hasMarks: false })
  })

  it('a mark belongs to the run that is going, and needs one', () => {
    const ledger = open()
    expect(() => ledger.claims.begin('mark-1', () => undefined)).toThrow('before a run was started')
    ledger.startRun(SETTINGS)
    ledger.claims.begin('mark-1', () => undefined)
    expect(ledger.claims.hasMark('mark-1')).toBe(true)
    expect(ledger.claims.hasMark('mark-2')).toBe(false)
    expect(ledger.claims.standing().hasMarks).toBe(true)
  })

  it('is noted after the commit of every intent, and a note that fails keeps the request back', async () => {
    const ledger = running([{}, { reference: 'M-2', customerNo: 2 }])
    const notes: BegunGroup[] = []
    ledger.claims.begin('mark-1', (group) => {
      notes.push(group)
      if (group.attempts > 1) throw new Error('The register is full')
    })
    await ledger.begin(readyRow(ledger))
    await expect(ledger.begin(readyRow(ledger, 1))).rejects.toThrow('The register is full')
    expect(notes).toEqual([1, 2].map((n) => ({ attempts: n, rows: [n] })))
    expect(statesOf(ledger.file)).toEqual(['sending', 'ready'])
  })
})

describe('an older copy that a person goes on with', () => {
  async function olderCopy(): Promise<Ledger> {
    const ledger = holding([...mandates(3), { reference: 'M-4', customerNo: 4, verdict: 'invalid' }])
    const run = ledger.startRun(SETTINGS)
    await send(ledger, registered('NEW-1'))
    await send(ledger, refused())
    ledger.endRun(run, { stoppedBy: null, exitCode: 3 })
    return ledger
  }

  it('sends nothing by itself: what is ready or refused becomes in doubt, the rest stays', async () => {
    const ledger = await olderCopy()
    expect(ledger.claims.adoptable()).toEqual({ ready: [3], refused: [2] })
    expect(ledger.claims.adoptOlderCopy(ADOPTION)).toEqual({ rows: [2, 3], refused: 1, otherwise: [] })
    expect(statesOf(ledger.file)).toEqual(['registered', 'in_doubt', 'in_doubt', 'invalid'])
    expect(ledger.countReady()).toBe(0)
    expect(ledger.claims.adoptable()).toEqual({ ready: [], refused: [] })
  })

  it('has it on record by name and reason, without an account that somebody typed, and carries the new mark', async () => {
    const ledger = await olderCopy()
    ledger.claims.adoptOlderCopy({ ...ADOPTION, reason: `About ${IBAN}` })
    expect(ledger.claims.hasMark('mark-2')).toBe(true)
    const decisions = ledger.view.decisions(0, 10)
    expect(new Set(decisions.map(({ by, reason }) => `${by}: ${reason}`))).toEqual(
      new Set(['Ada: About DE…3000']),
    )
    const adopted = decisions.filter(({ decision }) => decision === 'older_copy')
    expect(adopted.map(({ rowId }) => rowId)).toEqual([2, 3])
    expect(ledger.view.runs().at(-1)).toMatchObject({ stoppedBy: 'older_copy_adopted', exitCode: 4 })
  })

  it('is decided at one time, up to which a report has all of it', async () => {
    let ms = 0
    const ledger = runningAt({ now: () => (ms += 1), monotonic: () => ms }, mandates(3))
    await send(ledger, refused())
    ledger.claims.adoptOlderCopy(ADOPTION)
    const times = ledger.view.decisions(0, 10).map(({ at }) => at)
    expect([times.length, new Set(times).size]).toEqual([4, 1])
  })

  it.each([{ by: ' ' }, { reason: '' }])('needs a person and a reason: %j', async (missing) => {
    const ledger = await olderCopy()
    expect(() => ledger.claims.adoptOlderCopy({ ...ADOPTION, ...missing })).toThrow('a person and a reason')
    expect(statesOf(ledger.file)).toEqual(['registered', 'refused', 'ready', 'invalid'])
    expect(look(ledger.file, (reader) => reader.runs())).toHaveLength(1)
  })

  it('a row in doubt stays with its own attempt', async () => {
    const ledger = await played([{}], inDoubt())
    expect(ledger.claims.adoptOlderCopy(ADOPTION)).toEqual({ rows: [], refused: 0, otherwise: [] })
    expect(ledger.claims.standing().attempts).toBe(1)
  })
})

let last = 0

/** Ready rows, one for each list of further cells; every second account is Dutch. */
const admitCells = (ledger: Ledger, columns: readonly string[], rows: readonly (readonly string[])[]) =>
  admit(
    ledger,
    rows.map((cells, index) => {
      const customerNo = (last += 1)
      const iban = index % 2 === 0 ? IBAN : OTHER_IBAN
      const values = { customerNo, reference: `M-${customerNo}`, iban }
      return { ...values, cells: [...cells, ...recordOf(values).cells] }
    }),
    { header: [...columns, ...HEADER] },
  )

const only = (...columns: [string, ...string[]][]): Choice => ({
  only: columns.map(([column, ...values]) => ({ column, values })),
  countries: null,
})

/** Page by page; the counts must say the same, whoever asks. */
function idsOf(ledger: Ledger, choice: Choice | null, page = 2): number[] {
  const ids: number[] = []
  for (let after = 0; ; after = ids.at(-1) ?? 0) {
    const rows = ledger.ready(after, page, choice)
    if (rows.length === 0) break
    expect(rows.length).toBeLessThanOrEqual(page)
    ids.push(...rows.map(({ id }) => id))
  }
  expect(ledger.countReady(choice)).toBe(ids.length)
  expect([...ledger.claims.toSend(null, choice)].map(({ row }) => row)).toEqual(ids)
  expect([...ledger.claims.toSend(1, choice)].map(({ row }) => row)).toEqual(ids.slice(0, 1))
  if (choice === null) return ids
  const left = ledger.totals().ready - ids.length
  expect(ledger.view.leftBy(choice)).toBe(left)
  expect(look(ledger.file, (reader) => reader.leftBy(choice))).toBe(left)
  const planned = look(ledger.file, (reader) => reader.plannedRows(null, choice))
  expect(planned.count).toBe(ids.length)
  const byCreditor = look(ledger.file, (reader) => reader.creditorsOfReady(choice))
  expect(byCreditor.reduce((sum, { count }) => sum + count, 0)).toBe(ids.length)
  return ids
}

describe('the ready rows that a choice takes, sent and claimed alike,', () => {
  it('are those with one of the values in the column, in the order of their ids', () => {
    const ledger = open()
    admitCells(ledger, ['Segment'], [['A'], ['B'], [' A\t'], ['a'], ['C'], ['\u00a0B'], ['AB'], ['']])
    expect(idsOf(ledger, null)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(idsOf(ledger, only(['Segment', 'A']))).toEqual([1, 3])
    expect(idsOf(ledger, only(['segment', 'B', 'A ', 'nobody']))).toEqual([1, 2, 3, 6])
    expect(idsOf(ledger, only(['SEG-MENT', 'a']))).toEqual([4])
    expect(idsOf(ledger, only(['Segment', 'none']))).toEqual([])
  })

  it('are looked for in the column of their own file, wherever it stands there', () => {
    const ledger = open()
    admitCells(ledger, ['Segment'], [['A'], ['B']])
    admitCells(ledger, ['Region'], [['A'], ['A']])
    admitCells(ledger, ['Region', 'segment'], [['B', 'A'], ['A', 'B']]) // prettier-ignore
    expect(idsOf(ledger, only(['Segment', 'A']))).toEqual([1, 5])
    expect(idsOf(ledger, only(['Region', 'A']))).toEqual([3, 4, 6])
  })

  it('do not include a row whose cells are gone', () => {
    const ledger = open()
    admitCells(ledger, ['Segment'], [['A'], ['A'], ['A']])
    forge(ledger.file, 'delete from private where row_id = 2')
    expect(idsOf(ledger, only(['Segment', 'A']))).toEqual([1, 3])
    expect(idsOf(ledger, { only: [], countries: ['NL'] })).toEqual([])
  })
})
