import { describe, expect, it } from 'vitest'
import type { Context } from '../../../src/cli/command.js'
import { confirmForced } from '../../../src/cli/commands/resolve.js'
import type { Resolution } from '../../../src/ledger/ledger.js'
import { admit, IBAN, inDoubt, open, send, SETTINGS, stoppedClock } from '../../ledger/campaign-setup.js'
import { answering, worldOf } from '../world.js'

describe('a resend that is forced', () => {
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
