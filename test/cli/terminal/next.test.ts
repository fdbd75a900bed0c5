import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writePack } from '../../../src/cli/closing.js'
import { configurationSchema, noConfiguration } from '../../../src/cli/settings/configuration.js'
import { readSettings } from '../../../src/cli/settings/settings.js'
import { commandLine, type CommandEnd, nextLines, sameResolve } from '../../../src/cli/terminal/next.js'
import { wordsOf } from '../../../src/cli/terminal/world.js'
import { USUAL_ABSENT_AFTER_MS } from '../../../src/domain/proof/absence.js'
import { verificationOf, type VerdictCount } from '../../../src/domain/proof/verification.js'
import { type RowState, totalsOf } from '../../../src/domain/row/row-state.js'
import { openLedgerReader } from '../../../src/ledger/read/open-reader.js'
import { NOTHING_TOLD } from '../../../src/report/facts/facts.js'
import type { Stop } from '../../../src/run/brake.js'
import { admit, open, stoppedClock } from '../../ledger/campaign-setup.js'
import { NO_RECORDS, readerOf } from '../../report/ledger-value.js'
import { freshFolder } from '../../support/folder.js'
import { worldOf } from '../world.js'

const campaign = readerOf(NO_RECORDS).campaign()
const asked = (
  flags: Readonly<Record<string, string>> = {},
  own: Readonly<Record<string, unknown>> = {},
  values = noConfiguration.values,
) => ({ settings: readSettings(flags, worldOf(), { ...noConfiguration, values }), own })

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
  verification: verificationOf(5, [
    { verdict, count: 1, firstAt: campaign.changedAt, lastAt: campaign.changedAt },
  ]),
})
const canBeAsked = true
const asksFirst = { campaign: { ...campaign, asksFirst: true } }
const RUN = ['Next: sepa-migrate run']
const ASK = 'Next: sepa-migrate resolve --ask'

describe('what to do next', () => {
  it.each<[string, Parameters<typeof next>[0], Partial<CommandEnd>, string[]]>([
    ['goes on sending where nothing is in doubt', { ready: 1, invalid: 1, refused: 1 }, {}, RUN],
    ['goes on where a row is under way', { sending: 1 }, {}, RUN],
    [
      'is about doubts before anything that could send: they are money',
      { in_doubt: 1, ready: 1, invalid: 1, refused: 1 },
      {},
      [
        expect.stringContaining('Compare out/to-do/in-doubt.csv with the service') as string,
        'Next: sepa-migrate resolve --from out/to-do/in-doubt.csv --dry-run',
      ],
    ],
    ['asks the service first where it can be asked', { in_doubt: 1, ready: 1 }, { canBeAsked }, [ASK]],
    ['asks nothing without a doubt', { ready: 1 }, { canBeAsked }, RUN],
    [
      'asks after a run that left doubts',
      { in_doubt: 9 },
      { canBeAsked, stop: stopOf('max_in_doubt') },
      ['Do this.', 'Ask the service what it holds of the customers in doubt.', ASK],
    ],
    [
      'corrects what was never sent',
      { conflict: 1, refused: 1 },
      {},
      ['Next: sepa-migrate run out/to-do/corrections.csv'],
    ],
    [
      'then what was refused',
      { refused: 1, registered: 5 },
      {},
      ['Next: sepa-migrate run out/to-do/refused.csv'],
    ],
    [
      'asks the service again where it contradicts a registration',
      { registered: 5, refused: 1 },
      verified('absent'),
      [
        'Settle with the service what out/verification.csv names first, then ask again.',
        'Next: sepa-migrate verify',
      ],
    ],
    [
      'but looks at doubts first',
      { registered: 5, in_doubt: 1 },
      verified('absent'),
      [expect.stringContaining('resolve') as string],
    ],
    ['and sends what waits', { registered: 5, ready: 1 }, verified('absent'), RUN],
    [
      'is the signature where what was asked could not be compared: a service may have no read-back',
      { registered: 5 },
      verified('unreadable'),
      ['Next: sepa-migrate purge'],
    ],
    [
      'is the signature where nothing is open, and then the purge',
      { registered: 5, excluded: 2 },
      {},
      ['Have finance sign out/report.html before the next command.', 'Next: sepa-migrate purge'],
    ],
    [
      'is a report where there is none of the ledger as it is',
      { refused: 1 },
      { pack: null },
      ['Next: sepa-migrate report'],
    ],
    [
      'asks before it sends where the campaign does',
      { ready: 1 },
      asksFirst,
      ['Next: sepa-migrate run --read-back --check-before-send'],
    ],
    [
      'asks before it sends corrections too',
      { refused: 1 },
      asksFirst,
      ['Next: sepa-migrate run out/to-do/refused.csv --read-back --check-before-send'],
    ],
    [
      'has what the service holds recorded first',
      { in_doubt: 3, ready: 1 },
      { ...asksFirst, shown: 3 },
      [ASK],
    ],
    ...(['credentials', 'no_connection', 'max_duration'] as const).map(
      (kind): [string, { ready: number }, Partial<CommandEnd>, string[]] => [
        `is the same run where its cause is outside, even with doubts: ${kind}`,
        { ready: 1, in_doubt: 1 } as { ready: number },
        { stop: stopOf(kind) },
        ['Do this.', ...RUN],
      ],
    ),
    [
      'looks at doubts where they are the cause',
      { ready: 1, in_doubt: 9 },
      { stop: stopOf('max_in_doubt') },
      [expect.stringContaining('resolve --from') as string],
    ],
    ['has no words for a signal', { ready: 1 }, { stop: stopOf('signal') }, RUN],
    [
      'gives files again that did not get in',
      { ready: 1 },
      { stop: stopOf('signal'), notAdmitted: ["may's.csv", '-x.csv'] },
      [`Next: sepa-migrate run 'may'\\''s.csv' ./-x.csv`],
    ],
  ])('%s', (_, byState, change, lines) => {
    expect(next(byState, change).slice(-lines.length)).toEqual(lines)
    if (lines === RUN) expect(next(byState, change)).toEqual(RUN)
  })

  it('names each flag of asking once', () => {
    const by = asked({ readBack: 'true' }, { checkBeforeSend: true })
    expect(next({ ready: 1 }, asksFirst, by)).toEqual([
      'Next: sepa-migrate run --check-before-send --read-back',
    ])
  })

  it('is no command that could send, for an older copy and a purged ledger', () => {
    const older = next({ ready: 5 }, { isOlder: true })
    expect(older.join()).toContain('Put the newest copy of the ledger back')
    const purged = next({ ready: 5 }, { campaign: { ...campaign, purgedAt: '2026-06-15T12:00:00.000Z' } })
    expect([...older, ...purged].filter((line) => line.startsWith('Next:'))).toEqual([])
  })

  const declined = { stop: stopOf('declined'), notAdmitted: ['export.csv'] }
  it.each([
    ['to plan', {}, {}, 'plan'],
    ['to go on under the plan', { plan: 'plan.json' }, {}, 'run --plan plan.json'],
    [
      'to repeat the files that did not come in',
      { plan: 'plan.json' },
      declined,
      'run export.csv --plan plan.json',
    ],
    ['to plan with them', {}, declined, 'plan export.csv'],
  ])('is, where plans are required, %s', (_, own, change, command) => {
    const by = asked({}, own, configurationSchema.parse({ approval: 'required' }))
    expect(next({ ready: 1 }, change, by).at(-1)).toBe(`Next: sepa-migrate ${command}`)
  })

  it('names the pack that an earlier command wrote as long as it shows the ledger as it is', async () => {
    const clock = stoppedClock()
    const ledger = open({ clock })
    admit(ledger, [{ verdict: 'invalid' }])
    const out = join(freshFolder(), 'packs')
    mkdirSync(out)
    const terms = {
      sharedFolder: false,
      absentAfterMs: USUAL_ABSENT_AFTER_MS,
      language: 'en',
      told: NOTHING_TOLD,
    } as const
    await writePack({ ledger: ledger.file, out, ...terms })
    const note = `${JSON.stringify({ kind: 'report', path: out })}\n`
    writeFileSync(`${ledger.file}.files.jsonl`, note, { mode: 0o600 })
    const told = (): string => {
      const reader = openLedgerReader(ledger.file)
      const standing = { totals: reader.totals(), campaign: reader.campaign(), pack: null }
      reader.close()
      return next({}, standing, asked({ ledger: ledger.file })).at(-1) ?? ''
    }
    expect(told()).toContain(join(out, 'to-do', 'corrections.csv'))
    clock.advance(1_000)
    admit(ledger, [{ verdict: 'invalid', reference: 'M-2', customerNo: 2 }])
    expect(told()).toMatch(/^Next: sepa-migrate report/)
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

  const campaignFlags = { ledger: 'march.db', out: 'packs', limit: '5', rate: '3' }
  const decided = { ignoreColumn: ['Note 1'], anotherLedger: true, reason: 'disk lost' }
  it.each<[string, Record<string, string>, object, Parameters<typeof commandLine>[1], string]>([
    [
      'takes along where the campaign is, and not what held for one run alone',
      campaignFlags,
      {},
      { name: 'run' },
      'run --ledger march.db --out packs --rate 3',
    ],
    [
      'gives no flag to a command that does not have it',
      { ledger: 'march.db', rate: '3', logFile: 'run.log' },
      {},
      { name: 'check', files: ['x.csv'] },
      'check x.csv --ledger march.db',
    ],
    ['keeps what was decided about columns', {}, decided, { name: 'run' }, "run --ignore-column 'Note 1'"],
    [
      'and about another ledger, for what reads files again',
      {},
      decided,
      { name: 'plan' },
      "plan --ignore-column 'Note 1' --another-ledger --reason 'disk lost'",
    ],
    ['and not for others', {}, decided, { name: 'report' }, 'report'],
    ['takes no file for a flag', {}, {}, { name: 'run', files: ['-x.csv', '-'] }, 'run ./-x.csv -'],
  ])('%s', (_, flags, own, command, line) => {
    expect(commandLine(asked(flags, { ...own }), command)).toBe(`sepa-migrate ${line}`)
  })

  it('repeats every decision that was typed, and not the dry run', () => {
    const own = { row: ['4', '7'], as: 'refused', reason: 'not in it', by: 'Ada', dryRun: true, force: true }
    const { name, words } = sameResolve({ own })
    expect([name, words?.join(' ')]).toEqual([
      'resolve',
      '--row 4 --row 7 --as refused --reason not in it --by Ada --force',
    ])
  })
})
