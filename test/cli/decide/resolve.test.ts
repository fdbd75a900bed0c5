import { describe, expect, it, onTestFinished } from 'vitest'
import type { Context } from '../../../src/cli/command.js'
import { confirmForced, walkOpenRows } from '../../../src/cli/decide/resolve.js'
import type { Resolution } from '../../../src/ledger/ledger.js'
import { openLedgerReader } from '../../../src/ledger/read/open-reader.js'
import {
  admit,
  IBAN,
  inDoubt,
  open,
  refused,
  registered,
  send,
  SETTINGS,
  stoppedClock,
} from '../../ledger/campaign-setup.js'
import { answering, type Answer } from '../answering.js'
import { worldOf } from '../world.js'

const ENTER = '\r'
const UP = '\u001b[A'
const LEAVE = '\u0003'
/** In the list of a row in doubt, from "leave it open" where the cursor stands. */
const REGISTERED = UP.repeat(4) + ENTER
const REFUSED = UP.repeat(3) + ENTER
const WRITTEN_OFF = UP + ENTER
const STOP = `\u001b[B${ENTER}`

describe('a walk through the open rows', () => {
  /** Rows 1 and 2 in doubt, 3 refused, 4 registered, 5 invalid, 6 ready. */
  async function walk(...answers: readonly Answer[]) {
    const ledger = open()
    const rows = [1, 2, 3, 4, 5, 6].map((n) => ({ reference: `M-${n}`, customerNo: n }))
    admit(
      ledger,
      rows.map((row) => (row.customerNo === 5 ? { ...row, verdict: 'invalid' as const } : row)),
    )
    ledger.startRun(SETTINGS)
    for (const outcome of [inDoubt(), inDoubt(), refused(), registered('NEW-4')]) await send(ledger, outcome)
    const reader = openLedgerReader(ledger.file)
    onTestFinished(() => reader.close())
    const terminal = answering(answers)
    const decided = await walkOpenRows(terminal.world, reader, 'Ada')
    expect(terminal.left()).toEqual([])
    return { decided, shown: terminal.shown() }
  }

  it('asks about those in doubt first, then the others, and never about what is settled or can be sent', async () => {
    const { decided, shown } = await walk(...[1, 2, 3, 5].map((row): Answer => [`Row ${row}: what`, ENTER]))
    expect(decided).toEqual([])
    expect(shown).not.toMatch(/Row [46]: what/)
    expect(shown).toContain('attempt 1 left')
    expect(shown).not.toContain(IBAN)
  })

  it('gives back what was decided, for the attempt that was looked at, once "record" was typed', async () => {
    const { decided } = await walk(
      ['Row 1: what', REGISTERED],
      ['Assigned creditor', `SE97ZZZ5560000001${ENTER}`],
      ['Assigned mandate', `NEW-1${ENTER}`],
      ['How do you know', `the service shows it${ENTER}`],
      ['Row 2: what', REFUSED],
      ['How do you know', `not in its list${ENTER}`],
      ['Row 3: what', STOP],
      ['Type "record"', `record${ENTER}`],
    )
    const assigned = { creditorIdentifier: 'SE97ZZZ5560000001', mandateReference: 'NEW-1' }
    expect(decided).toMatchObject([
      { rowId: 1, decision: 'registered', by: 'Ada', reason: 'the service shows it', assigned, attempt: 1 },
      { rowId: 2, decision: 'refused', assigned: null, attempt: 1 },
    ])
  })

  it('decides nothing without both identifiers, or without a reason', async () => {
    const { decided, shown } = await walk(
      ['Row 1: what', REGISTERED],
      ['Assigned creditor', `SE97ZZZ5560000001${ENTER}`],
      ['Assigned mandate', ENTER],
      ['Row 2: what', WRITTEN_OFF],
      ['How do you know', ENTER],
      ['Row 3: what', STOP],
    )
    expect(decided).toEqual([])
    for (const row of [1, 2]) expect(shown).toContain(`Row ${row} is left open: an answer was missing.`)
  })

  it.each([`yes${ENTER}`, LEAVE])('is not confirmed by %j at the end', async (keys) => {
    const { decided } = await walk(
      ['Row 1: what', WRITTEN_OFF],
      ['How do you know', `closed by phone${ENTER}`],
      ['Row 2: what', LEAVE],
      ['Type "record"', keys],
    )
    expect(decided).toBeNull()
  })
})

describe('26.2 a resend that is forced', () => {
  /** Rows 1 and 2 in doubt, of which row 2 may still arrive. */
  async function confirm(world: Context['world'], yesResend: readonly string[] = []): Promise<void> {
    const clock = stoppedClock()
    const ledger = open({ clock })
    ledger.startRun(SETTINGS)
    admit(
      ledger,
      [2, 1].map((customerNo) => ({ reference: `M-${customerNo}`, customerNo })),
    )
    await send(ledger, inDoubt())
    clock.advance(15 * 60_000)
    await send(ledger, inDoubt())
    const resend = { decision: 'resend', by: 'Ada', reason: 'not there', assigned: null } as const
    const both = [1, 2].map((rowId): Resolution => ({ rowId, ...resend, evidence: null, attempt: null }))
    const report = ledger.resolve(both, { dryRun: true })
    // It reads no more of the context than this.
    await confirmForced({ world, texts: () => yesResend } as unknown as Context, ledger.view, report)
  }

  const asked = async (keys: string) => {
    const terminal = answering([['Row 2 (customer 1', keys]])
    const ended = await confirm(terminal.world).then(() => 'confirmed', String)
    expect(terminal.left()).toEqual([])
    return { ended, shown: terminal.shown() }
  }

  it('asks for the reference of the row whose request may still arrive, and of no other', async () => {
    const { ended, shown } = await asked('m-1\r')
    expect(ended).toBe('confirmed')
    expect(shown).toContain('may be registered twice')
    expect(shown).not.toMatch(/Row 1|M-1/)
    expect(shown).not.toContain(IBAN)
  })

  it.each(['M-2\r', '\r', '\u0003'])('is not confirmed by %j', async (keys) => {
    expect((await asked(keys)).ended).toMatch(/^UsageError: Row 2 cannot be sent again yet: .*was not typed/)
  })

  it('needs --yes-resend with that reference where nobody can be asked', async () => {
    await expect(confirm(worldOf(), ['M-2'])).rejects.toThrow('Row 2 cannot be sent again yet')
    await expect(confirm(worldOf(), ['M-2', 'm-1'])).resolves.toBeUndefined()
  })
})
