import type { Stop } from '../../../src/run/brake.js'
import { mkdirSync, writeFileSync } from 'node:fs'
import { NOTHING_TOLD } from '../../../src/report/facts/facts.js'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nextLines, type CommandEnd } from '../../../src/cli/terminal/next.js'
import { writePack } from '../../../src/cli/closing.js'
import { configurationSchema, noConfiguration } from '../../../src/cli/settings/configuration.js'
import { readSettings } from '../../../src/cli/settings/settings.js'
import { USUAL_ABSENT_AFTER_MS } from '../../../src/domain/proof/absence.js'
import { type RowState, totalsOf } from '../../../src/domain/row/row-state.js'
import { verificationOf } from '../../../src/domain/proof/verification.js'
import { openLedgerReader } from '../../../src/ledger/read/open-reader.js'
import { admit, open, stoppedClock } from '../../ledger/campaign-setup.js'
import { freshFolder } from '../../support/folder.js'
import { NO_RECORDS, readerOf } from '../../report/ledger-value.js'
import { worldOf } from '../world.js'
import { wordsOf } from '../../../src/cli/terminal/world.js'
const campaign = readerOf(NO_RECORDS).campaign()
const asked = { settings: readSettings({}, worldOf(), noConfiguration), own: {} }

/** What is told at the end of a command, where the pack was written to `out`. */
function next(
  byState: Readonly<Partial<Record<RowState, number>>>,
  change: Partial<CommandEnd> = {},
): string[] {
  const entries = Object.entries(byState) as [RowState, number][]
  const totals = totalsOf(
    entries.reduce((sum, [, count]) => sum + count, 0),
    new Map(entries),
  )
  return nextLines(asked, { totals, stop: null, campaign, pack: 'out', ...change }).map(wordsOf)
}

const stopOf = (kind: Stop['kind']): Stop => ({ kind, why: 'why', next: 'Do this' })

describe('what to do next', () => {
  it('goes on sending where nothing is in doubt', () => {
    expect(next({ ready: 1, invalid: 1, refused: 1 })).toEqual(['Next: sepa-migrate run'])
    expect(next({ sending: 1 })).toEqual(['Next: sepa-migrate run'])
  })

  it('is about doubts before anything that could send: they are money', () => {
    const lines = next({ in_doubt: 1, ready: 1, invalid: 1, refused: 1 })
    expect(lines[0]).toContain('Compare out/to-do/in-doubt.csv with the service')
    expect(lines[1]).toBe('Next: sepa-migrate resolve --from out/to-do/in-doubt.csv --dry-run')
  })

  it('asks the service first where it can be asked, after a run that left doubts', () => {
    const lines = next({ in_doubt: 1, ready: 1 }, { canBeAsked: true })
    expect(lines.at(-1)).toBe('Next: sepa-migrate resolve --ask')
    expect(next({ ready: 1 }, { canBeAsked: true })).toEqual(['Next: sepa-migrate run'])
    expect(next({ in_doubt: 9 }, { canBeAsked: true, stop: stopOf('max_in_doubt') })).toEqual([
      'Do this.',
      'Ask the service what it holds of the customers in doubt.',
      'Next: sepa-migrate resolve --ask',
    ])
  })

  it('then corrects what was never sent, then what was refused', () => {
    expect(next({ conflict: 1, refused: 1 }).at(-1)).toBe('Next: sepa-migrate run out/to-do/corrections.csv')
    expect(next({ refused: 1, registered: 5 }).at(-1)).toBe('Next: sepa-migrate run out/to-do/refused.csv')
  })

  it('asks the service again where it contradicts a registration, before anything but doubts and what waits', () => {
    const verification = verificationOf(5, [
      {
        verdict: 'absent',
        count: 1,
        firstAt: '2026-06-15T10:00:00.000Z',
        lastAt: '2026-06-15T10:00:00.000Z',
      },
    ])
    expect(next({ registered: 5, refused: 1 }, { verification })).toEqual([
      'Settle with the service what out/verification.csv names first, then ask again.',
      'Next: sepa-migrate verify',
    ])
    expect(next({ registered: 5, in_doubt: 1 }, { verification }).at(-1)).toContain('resolve')
    expect(next({ registered: 5, ready: 1 }, { verification })).toEqual(['Next: sepa-migrate run'])
  })

  it('is the signature where what was asked could not be compared: a service may have no read-back', () => {
    const verification = verificationOf(5, [
      {
        verdict: 'unreadable',
        count: 1,
        firstAt: '2026-06-15T10:00:00.000Z',
        lastAt: '2026-06-15T10:00:00.000Z',
      },
    ])
    expect(next({ registered: 5 }, { verification }).at(-1)).toBe('Next: sepa-migrate purge')
  })

  it('is the signature where nothing is open, and then the purge', () => {
    const lines = next({ registered: 5, excluded: 2 })
    expect(lines).toEqual([
      'Have finance sign out/report.html before the next command.',
      'Next: sepa-migrate purge',
    ])
  })

  it('is a report where there is none of the ledger as it is now', () => {
    expect(next({ refused: 1 }, { pack: null }).at(-1)).toBe('Next: sepa-migrate report')
  })
})

describe('a campaign that asks before it sends', () => {
  const asksFirst = { campaign: { ...campaign, asksFirst: true } }

  it('goes on so, whichever command names the run', () => {
    expect(next({ ready: 1 }, asksFirst)).toEqual(['Next: sepa-migrate run --read-back --check-before-send'])
    expect(next({ refused: 1 }, asksFirst).at(-1)).toBe(
      'Next: sepa-migrate run out/to-do/refused.csv --read-back --check-before-send',
    )
    const own = { checkBeforeSend: true }
    const settings = readSettings({ readBack: 'true' }, worldOf(), noConfiguration)
    const end = { totals: totalsOf(1, new Map([['ready', 1]])), stop: null, pack: 'out', ...asksFirst }
    expect(nextLines({ settings, own }, end).map(wordsOf)).toEqual([
      'Next: sepa-migrate run --check-before-send --read-back',
    ])
  })

  it('has what the service holds recorded before anything else', () => {
    const lines = next({ in_doubt: 3, ready: 1 }, { ...asksFirst, shown: 3 })
    expect(lines.at(-1)).toBe('Next: sepa-migrate resolve --ask')
  })
})

describe('after a run that stopped', () => {
  it('the same run goes on where its cause is outside, even with doubts', () => {
    for (const kind of ['credentials', 'no_connection', 'max_duration'] as const)
      expect(next({ ready: 1, in_doubt: 1 }, { stop: stopOf(kind) })).toEqual([
        'Do this.',
        'Next: sepa-migrate run',
      ])
  })

  it('but doubts are looked at first where they are the cause', () => {
    expect(next({ ready: 1, in_doubt: 9 }, { stop: stopOf('max_in_doubt') }).at(-1)).toContain(
      'resolve --from',
    )
  })

  it('a signal needs no words, and files that did not get in are given again', () => {
    expect(next({ ready: 1 }, { stop: stopOf('signal') })).toEqual(['Next: sepa-migrate run'])
    const again = next({ ready: 1 }, { stop: stopOf('signal'), notAdmitted: ["may's.csv", '-x.csv'] })
    expect(again.at(-1)).toBe(`Next: sepa-migrate run 'may'\\''s.csv' ./-x.csv`)
  })
})

it('an older copy and a purged ledger give no command that could send', () => {
  const older = next({ ready: 5 }, { isOlder: true })
  expect(older.join()).toContain('Put the newest copy of the ledger back')
  const purged = next({ ready: 5 }, { campaign: { ...campaign, purgedAt: '2026-06-15T12:00:00.000Z' } })
  expect([...older, ...purged].filter((line) => line.startsWith('Next:'))).toEqual([])
})

it('a pack that an earlier command wrote is named as long as it shows the ledger as it is', async () => {
  const clock = stoppedClock()
  const ledger = open({ clock })
  admit(ledger, [{ verdict: 'invalid' }])
  const out = join(freshFolder(), 'packs')
  mkdirSync(out)
  await writePack({
    ledger: ledger.file,
    out,
    sharedFolder: false,
    absentAfterMs: USUAL_ABSENT_AFTER_MS,
    language: 'en',
    told: NOTHING_TOLD,
  })
  writeFileSync(`${ledger.file}.files.jsonl`, `${JSON.stringify({ kind: 'report', path: out })}\n`, {
    mode: 0o600,
  })
  const told = (): string => {
    const reader = openLedgerReader(ledger.file)
    const settings = readSettings({ ledger: ledger.file }, worldOf(), noConfiguration)
    const standing = { totals: reader.totals(), stop: null, campaign: reader.campaign(), pack: null }
    const last = nextLines({ settings, own: {} }, standing).map(wordsOf).at(-1) ?? ''
    reader.close()
    return last
  }
  expect(told()).toContain(join(out, 'to-do', 'corrections.csv'))
  clock.advance(1_000)
  admit(ledger, [{ verdict: 'invalid', reference: 'M-2', customerNo: 2 }])
  expect(told()).toMatch(/^Next: sepa-migrate report/)
})

describe('what to do next, where plans are required', () => {
  const totals = totalsOf(1, new Map<RowState, number>([['ready', 1]]))
  const settings = readSettings({}, worldOf(), {
    ...noConfiguration,
    values: configurationSchema.parse({ approval: 'required' }),
  })
  const end = { totals, stop: null, campaign, pack: 'out' }
  const linesOf = (own: Record<string, unknown>, change: Partial<CommandEnd> = {}): string[] =>
    nextLines({ settings, own }, { ...end, ...change }).map(wordsOf)

  it('is to plan, or to go on under the plan', () => {
    expect(linesOf({})).toEqual(['Next: sepa-migrate plan'])
    expect(linesOf({ plan: 'plan.json' })).toEqual(['Next: sepa-migrate run --plan plan.json'])
  })

  it('repeats the files that did not come in, under the same plan', () => {
    const given = { stop: stopOf('declined'), notAdmitted: ['export.csv'] }
    expect(linesOf({ plan: 'plan.json' }, given).at(-1)).toBe(
      'Next: sepa-migrate run export.csv --plan plan.json',
    )
    expect(linesOf({}, given).at(-1)).toBe('Next: sepa-migrate plan export.csv')
  })
})
