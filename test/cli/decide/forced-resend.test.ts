import { describe, expect, it } from 'vitest'
import type { Context } from '../../../src/cli/command.js'
import type { Ledger } from '../../../src/ledger/file/writer.js'
import type { Resolution } from '../../../src/ledger/ledger.js'
import { admit, IBAN, inDoubt, open, send, SETTINGS, stoppedClock } from '../../ledger/campaign-setup.js'
import { answering, type Answer } from '../answering.js'
import { worldOf } from '../world.js'
import { confirmForced } from '../../../src/cli/decide/resolve.js'

/** Rows 1 and 2 in doubt, of which row 1 may still arrive. */
async function campaign(): Promise<Ledger> {
  const clock = stoppedClock()
  const ledger = open({ clock })
  ledger.startRun(SETTINGS)
  admit(ledger, [
    { reference: 'M-2', customerNo: 2 },
    { reference: 'M-1', customerNo: 1 },
  ])
  await send(ledger, inDoubt())
  clock.advance(15 * 60_000)
  await send(ledger, inDoubt())
  return ledger
}

const resend = (rowId: number): Resolution => ({
  rowId,
  decision: 'resend',
  by: 'Ada',
  reason: 'not there',
  assigned: null,
  evidence: null,
  attempt: null,
})

async function confirm(world: Context['world'], yesResend: readonly string[] = []): Promise<void> {
  const ledger = await campaign()
  const report = ledger.resolve([resend(1), resend(2)], { dryRun: true })
  // It reads no more of the context than this.
  await confirmForced({ world, own: { yesResend } } as unknown as Context, ledger.view, report)
}

const asked = async (...answers: readonly Answer[]) => {
  const terminal = answering(answers)
  const ended = await confirm(terminal.world).then(
    () => 'confirmed',
    (error: unknown) => String(error),
  )
  expect(terminal.left()).toEqual([])
  return { ended, shown: terminal.shown() }
}

describe('26.2 a resend that is forced', () => {
  it('asks for the reference of the row whose request may still arrive, and of no other', async () => {
    const { ended, shown } = await asked(['Row 2 (customer 1', 'm-1\r'])
    expect(ended).toBe('confirmed')
    expect(shown).toContain('may be registered twice')
    expect(shown).not.toMatch(/Row 1|M-1/)
    expect(shown).not.toContain(IBAN)
  })

  it.each(['M-2\r', '\r', '\u0003'])('is not confirmed by %j', async (keys) => {
    const { ended } = await asked(['Row 2 (customer 1', keys])
    expect(ended).toMatch(/^UsageError: Row 2 is not sent again within 15 minutes/)
  })

  it('needs --yes-resend with that reference where nobody can be asked', async () => {
    await expect(confirm(worldOf(), ['M-2'])).rejects.toThrow('Row 2 is not sent again')
    await expect(confirm(worldOf(), ['M-2', 'm-1'])).resolves.toBeUndefined()
  })
})
