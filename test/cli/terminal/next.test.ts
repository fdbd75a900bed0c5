import { NO_CUT_OVER } from '../../../src/domain/row/cut-over.js'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { configurationSchema } from '../../../src/cli/settings/configuration.js'
import { noConfiguration, readSettings } from '../../../src/cli/settings/settings.js'
import {
  commandLine,
  type CommandEnd,
  nextLines,
  sameResolve,
  shownPath,
} from '../../../src/cli/terminal/next.js'
import { wordsOf } from '../../../src/cli/terminal/world.js'
import {
  type RowState,
  totalsOf,
  verificationOf,
  type VerdictCount,
} from '../../../src/domain/row/row-state.js'
import { PILOT_DONE, type Stop } from '../../../src/run/brake.js'
import { open } from '../../ledger/campaign-setup.js'
import { readerOf } from '../../report/ledger-value.js'
import { freshFolder } from '../../support/folder.js'
import { worldOf } from '../world.js'

const campaign = readerOf({}).campaign()
const asked = (
  flags: Readonly<Record<string, string>> = {},
  own: Readonly<Record<string, unknown>> = {},
  values = noConfiguration.values,
  args: readonly string[] = [],
) => ({ settings: readSettings(flags, worldOf(), { ...noConfiguration, values }), own, args })

/** What is told at the end of a command, where the pack was written to `out`. */
function next(
  byState: Readonly<Partial<Record<RowState, number>>>,
  change: Partial<CommandEnd> = {},
  by = asked(),
): string[] {
  const entries = Object.entries(byState) as [RowState, number][]
  const read = entries.reduce((sum, [, count]) => sum + count, 0)
  const end = { totals: totalsOf(read, new Map(entries)), stop: null, campaign, pack: 'out' }
  return nextLines(by, { ...end, ...change }).map(wordsOf)
}

const stopOf = (kind: Stop['kind']): Stop => ({ kind, why: 'why', next: 'Do this' })
const verified = (verdict: VerdictCount['verdict']) => ({
  verification: verificationOf(5, [{ verdict, count: 1, firstAt: '', lastAt: campaign.changedAt }]),
})
const FINAL = ['final.csv']
const compared = {
  campaign: { ...campaign, isComparedSince: true, comparedExports: FINAL, untakenExports: FINAL },
}
const asksFirst = { campaign: { ...campaign, asksFirst: true } }
/** The command of the last line. */
const command = (...of: Parameters<typeof next>): string | undefined =>
  /^Next: sepa-migrate (.*)/.exec(next(...of).at(-1) ?? '')?.[1]

describe('what to do next', () => {
  it('goes on sending where nothing is in doubt', () => {
    expect(next({ ready: 1, invalid: 1, refused: 1 })).toEqual(['Next: sepa-migrate run'])
    expect(command({ sending: 1 })).toBe('run')
  })

  it('asks for an export where none has come in, and recommends no report of nothing', () => {
    expect(next({})).toEqual(['Give the export to it: sepa-migrate run FILE'])
  })

  it('asks which export is newer before anything is corrected, with the path that was typed', () => {
    const unordered = { campaign: { ...campaign, unorderedExport: 'feb 2.csv' } }
    const by = asked({}, {}, undefined, ['in/jan.csv', 'in/feb 2.csv'])
    const lines = next({ conflict: 2, invalid: 1 }, unordered, by)
    expect(lines.at(-2)).toContain('Only if "feb 2.csv" is newer than all that came in before it')
    expect(lines.at(-1)).toBe("Next: sepa-migrate run 'in/feb 2.csv' --newer")
    expect(command({ conflict: 2 }, unordered)).toBe("run 'feb 2.csv' --newer")
    expect(command({ conflict: 2, in_doubt: 1 }, unordered)).not.toContain('newer')
  })

  it('is about doubts before anything that could send: they are money', () => {
    const lines = next({ in_doubt: 1, ready: 1, invalid: 1, refused: 1 })
    expect(lines[0]).toContain('your decision and your reason in out/to-do/in-doubt.csv')
    expect(lines[1]).toBe('Next: sepa-migrate resolve --from out/to-do/in-doubt.csv --dry-run')
  })

  it('asks the service first where it can be asked, after a run that left doubts', () => {
    const canBeAsked = true
    expect(command({ in_doubt: 1, ready: 1 }, { canBeAsked })).toBe('resolve --ask')
    expect(next({ ready: 1 }, { canBeAsked })).toEqual(['Next: sepa-migrate run'])
    const told = next({ in_doubt: 9 }, { canBeAsked, stop: stopOf('max_in_doubt') })
    expect(told[1]).toBe('Ask the service what it holds of the customers in doubt.')
  })

  it('then corrects what was never sent, then what was refused', () => {
    expect(command({ conflict: 1, refused: 1 })).toBe('run out/to-do/corrections.csv')
    expect(command({ refused: 1, registered: 5 })).toBe('run out/to-do/refused.csv')
  })

  it('asks the service again where it contradicts a registration, before anything but doubts and what waits', () => {
    expect(next({ registered: 5, refused: 1 }, verified('absent'))).toEqual([
      'Settle with the service what out/verification.csv names first, then ask again. What is right as the service shows it: sepa-migrate resolve --row N --as done --reason "…"; where only the reference is wrong here: --as registered once more, with both identifiers as the service shows them.',
      'Next: sepa-migrate verify',
    ])
    expect(command({ registered: 5, in_doubt: 1 }, verified('absent'))).toContain('resolve')
    expect(next({ registered: 5, ready: 1 }, verified('absent'))).toEqual(['Next: sepa-migrate run'])
  })

  it('is the last export where nothing is open and none was compared: mandates may have ended since', () => {
    const end =
      'Mandates may have ended since the export: export once more as final.csv and compare it before finance signs.'
    const [words, line] = next({ registered: 5, excluded: 2 })
    expect(words).toContain(end)
    // What is not there cannot be pasted.
    expect(line).toBe('Next: sepa-migrate report verify out --ledger sepa-migrate.db')
    const final = join(freshFolder(), 'final.csv')
    writeFileSync(final, '')
    const again = { campaign: { ...campaign, toCompareAgain: ['final.csv'] } }
    const cutOver = { open: 0, held: 0, untaken: 0, uncompared: 1, asReadBefore: 0, unexpected: 0 }
    const by = asked({ ledger: 'a.db' }, { sheet: 'May', limit: '3' }, undefined, [final])
    expect(command({ registered: 5 }, { ...again, cutOver }, by)).toBe(
      `compare ${final} --sheet May --ledger a.db`,
    )
    // Which export is the newest nobody knows: an older one would call what is alive ended.
    expect(next({ registered: 5 }, { campaign, cutOver })[0]).toContain('export once more and compare that')
  })

  it('is the signature after that, also where no row could be read back: a service may have no read-back', () => {
    const sign = 'Have finance sign out/report.html before the next command.'
    expect(next({ registered: 5, excluded: 2 }, compared)).toEqual([sign, 'Next: sepa-migrate purge'])
    expect(command({ registered: 5 }, { ...compared, ...verified('unreadable') })).toBe('purge')
  })

  it('is no signature where rows that are ready are held back', () => {
    const held = next({ registered: 5, ready: 1 }, { ...compared, cutOver: { ...NO_CUT_OVER, held: 1 } })
    expect(held[0]).toMatch(/^Rows that are ready are held back/)
    expect(held[1]).toContain('report verify')
  })

  it('is the last export where it has mandates that were changed: a run without it would send the old ones', () => {
    const cutOver = { ...NO_CUT_OVER, untaken: 1 }
    expect(next({ ready: 1 }, { ...compared, cutOver })).toEqual([
      'Give the last export to a run: it has mandates that are new or changed. If a run took another copy of it, compare that one.',
      'Next: sepa-migrate run final.csv',
    ])
  })

  it('is a report where there is no up-to-date one', () => {
    expect(command({ refused: 1 }, { pack: null })).toBe('report')
  })

  it('asks before it sends where the campaign does, and first has recorded what the service holds', () => {
    expect(command({ ready: 1 }, asksFirst)).toBe('run --read-back --check-before-send')
    expect(command({ refused: 1 }, asksFirst)).toMatch(/^run \S+refused.csv --read-back --check-before-send$/)
    const by = asked({ readBack: 'true' }, { checkBeforeSend: true })
    expect(command({ ready: 1 }, asksFirst, by)).toBe('run --check-before-send --read-back')
    expect(command({ in_doubt: 3, ready: 1 }, { ...asksFirst, shown: 3 })).toBe('resolve --ask')
  })

  it('goes on asking who the customers are, where that was typed', () => {
    const by = asked({}, { who: true, checkBeforeSend: true })
    expect(command({ ready: 1 }, {}, by)).toBe('run --check-before-send --who')
    expect(command({ refused: 1 }, {}, by)).toBe('run out/to-do/refused.csv --check-before-send --who')
    const check = commandLine(asked({}, { who: true }), { name: 'check', files: ['a.csv'] })
    expect(check).toBe('sepa-migrate check a.csv --who')
  })

  it('is the same run where it stopped for a cause outside, even with doubts, which are looked at where they are the cause', () => {
    const again = ['Do this.', 'Next: sepa-migrate run']
    for (const kind of ['credentials', 'no_connection', 'max_duration'] as const)
      expect(next({ ready: 1, in_doubt: 1 }, { stop: stopOf(kind) })).toEqual(again)
    expect(command({ ready: 1, in_doubt: 9 }, { stop: stopOf('max_in_doubt') })).toContain('resolve --from')
  })

  it('needs no words after a signal, and gives files again that did not get in', () => {
    const stop = stopOf('signal')
    expect(next({ ready: 1 }, { stop })).toEqual(['Next: sepa-migrate run'])
    const notAdmitted = ["may's.csv", '-x.csv']
    expect(command({ ready: 1 }, { stop, notAdmitted })).toBe(`run 'may'\\''s.csv' ./-x.csv`)
  })

  it('is no command that could send, for an older copy and a purged ledger', () => {
    const older = next({ ready: 5 }, { isOlder: true })
    expect(older.join()).toContain('Put the newest copy of the ledger back')
    const purged = next({ ready: 5 }, { campaign: { ...campaign, purgedAt: '2026-06-15T12:00:00.000Z' } })
    expect([...older, ...purged].filter((line) => line.startsWith('Next:'))).toEqual([])
  })

  it('goes on as a pilot until as many rows were sent as it is for, and with the same choice', () => {
    const pilot = asked({ limit: '5' }, { only: ['Segment=A'] })
    const ready = { ready: 9 }
    for (const kind of ['credentials', 'identical_refusals', 'signal'] as const)
      expect(command(ready, { stop: stopOf(kind) }, pilot)).toBe('run --only Segment=A --limit 5')
    expect(command(ready, { stop: PILOT_DONE }, pilot)).toBe('run --only Segment=A')
    expect(command(ready, { stop: stopOf('choice') }, pilot)).toBe('run')
    // A list that is given to a run would send the others too.
    expect(command({ ready: 9, in_doubt: 1 }, { stop: PILOT_DONE }, pilot)).toMatch(/^resolve --from /)
    // After another command the ledger knows what the run was told.
    const only = [{ column: 'Segment', values: ['A', 'B'] }]
    const lastRun = { only, countries: ['AT'], limit: 5 }
    const after = (stoppedBy: string | null) => ({
      campaign: { ...campaign, lastRun: { ...lastRun, stoppedBy } },
    })
    expect(command(ready, after('killed'))).toBe('run --only Segment=A,B --country AT --limit 5')
    expect(command(ready, after('limit'))).toBe('run --only Segment=A,B --country AT')
  })

  it('is, where plans are required, to plan, or to go on under the plan, with the files that did not come in', () => {
    const declined = { stop: stopOf('declined'), notAdmitted: ['export.csv'] }
    const required = configurationSchema.parse({ approval: 'required' })
    const [unplanned, planned] = [asked({}, {}, required), asked({}, { plan: 'plan.json' }, required)]
    expect(command({ ready: 1 }, {}, unplanned)).toBe('plan')
    expect(command({ ready: 1 }, {}, planned)).toBe('run --plan plan.json')
    expect(command({ ready: 1 }, declined, planned)).toBe('run export.csv --plan plan.json')
    // A plan of two rows is used up once these were sent.
    expect(command({ ready: 1 }, { stop: stopOf('limit'), isPlanUsedUp: true }, planned)).toBe('plan')
    expect(command({ ready: 1 }, { stop: stopOf('signal') }, planned)).toBe('run --plan plan.json')
    expect(command({ ready: 1 }, declined, unplanned)).toBe('plan export.csv')
    expect(next({ refused: 1 }, {}, unplanned)[0]).toMatch(/takes now as it is: plan --retry-refused\.$/)
  })

  it('names the pack that an earlier command noted, as long as it shows the ledger as it is', () => {
    const [{ file }, out] = [open(), freshFolder()]
    const note = JSON.stringify({ kind: 'report', path: out })
    writeFileSync(`${file}.files.jsonl`, `${note}\n`, { mode: 0o600 })
    const toldOf = (changedAt: string): string | undefined => {
      const manifest = { schemaVersion: 1, ledgerId: campaign.ledgerId, changedAt, files: [] }
      writeFileSync(join(out, 'manifest.json'), JSON.stringify(manifest))
      return command({ invalid: 1 }, { pack: null }, asked({ ledger: file }))
    }
    expect(toldOf(campaign.changedAt)).toContain(join(out, 'to-do', 'corrections.csv'))
    expect(toldOf('2025')).toMatch(/^report/)
  })
})

describe('the command to type', () => {
  it.each(['export.csv', "may's export.csv", '$(reboot)', 'a"b', '*', '', 'ü', 'a\nb', '~', '#x'])(
    'holds a word that a shell reads back as it is: %j',
    (word) => {
      const line = commandLine(asked(), { name: 'resolve', words: ['--reason', word] })
      const script = `typed() { printf %s "$3"; }; ${line.replace('sepa-migrate', 'typed')}`
      expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(word)
    },
  )

  const line = (
    of: Parameters<typeof commandLine>[1],
    flags: Record<string, string> = {},
    own: object = {},
  ): string => commandLine(asked(flags, { ...own }), of).replace('sepa-migrate ', '')

  it('takes along where the campaign is, and neither what held for one run alone nor a flag that it does not have', () => {
    const flags = { ledger: 'march.db', out: 'packs', limit: '5', rate: '3', logFile: 'run.log' }
    expect(line({ name: 'run' }, flags)).toBe('run --ledger march.db --out packs --log-file run.log --rate 3')
    expect(line({ name: 'check', files: ['x.csv'] }, flags)).toBe('check x.csv --ledger march.db --out packs')
  })

  it('keeps what was decided about columns for what reads files again', () => {
    const own = { ignoreColumn: ['Note 1'], anotherLedger: true, reason: 'disk lost' }
    expect(line({ name: 'run' }, {}, own)).toBe("run --ignore-column 'Note 1'")
    const planned = "plan --ignore-column 'Note 1' --another-ledger --reason 'disk lost'"
    expect(line({ name: 'plan' }, {}, own)).toBe(planned)
    expect(line({ name: 'report' }, {}, own)).toBe('report')
  })

  it('takes no file for a flag', () => {
    expect(line({ name: 'run', files: ['-x.csv', '-'] })).toBe('run ./-x.csv -')
  })

  it('repeats every decision that was typed, and not the dry run', () => {
    const own = { row: ['4', '7'], as: 'refused', reason: 'not in it', by: 'Ada', dryRun: true, force: true }
    const { name, words } = sameResolve({ own })
    const typed = '--row 4 --row 7 --as refused --reason not in it --by Ada --force'
    expect([name, words?.join(' ')]).toEqual(['resolve', typed])
  })
})

it('a path is shown as one types it, this folder too', () => {
  const paths = ['.', 'out/a.csv', '/elsewhere/a.csv']
  expect(paths.map((path) => shownPath(path))).toEqual(paths)
})
