import { describe, expect, it } from 'vitest'
import type { BegunGroup } from '../../../src/ledger/ledger.js'
import type { Ledger } from '../../../src/ledger/file/writer.js'
import {
  holding,
  IBAN,
  inDoubt,
  open,
  played,
  readyRow,
  refused,
  registered,
  send,
  SETTINGS,
  running,
  mandates,
} from '../campaign-setup.js'
import { look, statesOf } from '../ledger-views.js'
import { OLD_STATES, reach } from '../old-rows.js'

const ADOPTION = { by: 'Ada', reason: 'The disk was restored', mark: 'mark-2', run: SETTINGS }

describe('the mandates that a ledger claims', () => {
  const KNOWN = { row: 1, key: 'DE|09999999999|M-1', likeness: '1000|2020-01-31' }

  it.each(OLD_STATES)('with a row that is %s', async (state) => {
    const ledger = running()
    await reach(ledger, state)
    const { claims, view } = ledger
    const { attempts } = view.rowsAbout(1000)[0] ?? { attempts: 0 }
    const known = { ...KNOWN, attempts }
    expect([...claims.ready()]).toEqual(state === 'ready' ? [known] : [])
    expect([...claims.toSend(null)]).toEqual(state === 'ready' ? [known] : [])
    expect([...claims.attempted()]).toEqual(attempts > 0 ? [known] : [])
    expect(claims.keysOfCustomer(1)).toEqual([KNOWN.key])
  })

  it('are at most as many as the run may send', () => {
    const ledger = holding([{}, { reference: 'M-2', customerNo: 2 }])
    expect([...ledger.claims.toSend(1)].map(({ row }) => row)).toEqual([1])
    expect(ledger.claims.lastRow()).toBe(2)
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
    expect(notes).toEqual([
      { attempts: 1, rows: [1] },
      { attempts: 2, rows: [2] },
    ])
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
    expect(ledger.claims.adoptOlderCopy(ADOPTION)).toEqual({ rows: [2, 3], refused: 1 })
    expect(statesOf(ledger.file)).toEqual(['registered', 'in_doubt', 'in_doubt', 'invalid'])
    expect(ledger.countReady()).toBe(0)
    expect(ledger.claims.adoptable()).toEqual({ ready: [], refused: [] })
  })

  it('has it on record by name and reason, without an account that somebody typed, and carries the new mark', async () => {
    const ledger = await olderCopy()
    ledger.claims.adoptOlderCopy({ ...ADOPTION, reason: `About ${IBAN}` })
    expect(ledger.claims.hasMark('mark-2')).toBe(true)
    const decisions = ledger.view.decisions(0, 10)
    expect(decisions.map(({ by, reason }) => `${by}: ${reason}`)).toEqual(
      decisions.map(() => 'Ada: About DE…3000'),
    )
    const adopted = decisions.filter(({ decision }) => decision === 'older_copy')
    expect(adopted.map(({ rowId }) => rowId)).toEqual([2, 3])
    expect(ledger.view.runs().at(-1)).toMatchObject({ stoppedBy: 'older_copy_adopted', exitCode: 4 })
  })

  it.each([{ by: ' ' }, { reason: '' }])('needs a person and a reason: %j', async (missing) => {
    const ledger = await olderCopy()
    expect(() => ledger.claims.adoptOlderCopy({ ...ADOPTION, ...missing })).toThrow('a person and a reason')
    expect(statesOf(ledger.file)).toEqual(['registered', 'refused', 'ready', 'invalid'])
    expect(look(ledger.file, (reader) => reader.runs())).toHaveLength(1)
  })

  it('a row in doubt stays with its own attempt', async () => {
    const ledger = await played([{}], inDoubt())
    expect(ledger.claims.adoptOlderCopy(ADOPTION)).toEqual({ rows: [], refused: 0 })
    expect(ledger.claims.standing().attempts).toBe(1)
  })
})
