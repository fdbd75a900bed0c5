import { NO_CUT_OVER } from '../../src/domain/row/cut-over.js'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  absentLines,
  absentOf,
  closingLines,
  oldPages,
  verifiedExitStatus,
  writePack,
} from '../../src/cli/closing.js'
import { noConfiguration, readSettings } from '../../src/cli/settings/settings.js'
import { wordsOf } from '../../src/cli/terminal/world.js'
import { USUAL_ABSENT_AFTER_MS } from '../../src/domain/proof/read-back.js'
import {
  MANDATE_STATES,
  mandateTotalsOf,
  type RowState,
  totalsOf,
  verificationOf,
  type VerdictCount,
} from '../../src/domain/row/row-state.js'
import { openForReading } from '../../src/ledger/file/connection.js'
import { openLedger } from '../../src/ledger/file/open-ledger.js'
import type { ShownDoubt } from '../../src/ledger/read/reader.js'
import { NOTHING_TOLD } from '../../src/report/pack/pack-folder.js'
import type { Stop } from '../../src/run/brake.js'
import { admit, freshFile, open, registered, send, SETTINGS, stoppedClock } from '../ledger/campaign-setup.js'
import { readerOf } from '../report/ledger-value.js'
import { worldOf } from './world.js'

type ByState = Readonly<Partial<Record<RowState, number>>>
const totals = (byState: ByState) =>
  totalsOf(
    Object.values(byState).reduce((sum, count) => sum + count, 0),
    new Map(Object.entries(byState) as [RowState, number][]),
  )
const AT = { firstAt: '2026-06-15T10:00:00.000Z', lastAt: '2026-06-15T10:00:00.000Z' }
const verified = (registered: number, counts: Partial<Record<VerdictCount['verdict'], number>>) => {
  const entries = Object.entries(counts) as [VerdictCount['verdict'], number][]
  return verificationOf(
    registered,
    entries.map(([verdict, count]) => ({ verdict, count, ...AT })),
  )
}

describe('the last lines for people', () => {
  const closing = (byState: ByState, more: Partial<Parameters<typeof closingLines>[1]> = {}) => {
    const asked = { settings: readSettings({}, worldOf(), noConfiguration), own: {}, args: [] }
    const campaign = readerOf({}).campaign()
    const counts = MANDATE_STATES.map((state) => ({ state, rule: null, count: byState[state] ?? 0 }))
    const mandates = mandateTotalsOf(counts)
    const files = { 'report.html': 'out/report.html' }
    const end = { totals: totals(byState), mandates, stop: null, campaign, files }
    return closingLines(asked, { ...end, ...more }).map(wordsOf)
  }

  it('count every open state once, and say that nothing is open where nothing is', () => {
    const lines = closing({ in_doubt: 2, ready: 3, refused: 4, conflict: 5, invalid: 6, registered: 1 })
    const start = lines.indexOf('Open:')
    const counts = lines.slice(start + 1, start + 6).map((line) => Number(/\d+/.exec(line)?.[0]))
    expect(counts).toEqual([2, 3, 4, 5, 6])
    expect(closing({ registered: 5, excluded: 2, written_off: 1 })).toContain('Nothing is open.')
  })

  it('count what goes beside a ready row that is held, whose mandate is counted by the record that says otherwise', () => {
    const mandates = mandateTotalsOf([
      { state: 'conflict', count: 2 },
      { state: 'ready', count: 2 },
    ])
    const lines = closing({ ready: 4, conflict: 2 }, { mandates, cutOver: { ...NO_CUT_OVER, held: 2 } })
    const counts = lines.slice(lines.indexOf('Open:') + 1).map((line) => /^ {2}(\d+ [^:]*)/.exec(line)?.[1])
    expect(counts.slice(0, 3)).toEqual(['2 ready', '2 ready, and held back', '2 in conflict'])
  })

  it('say not that nothing is open where the host name was not confirmed and nothing was imported', () => {
    const stop = { kind: 'declined', why: 'The host name was not confirmed', next: 'Run again' } as const
    expect(closing({}, { stop }).join()).not.toContain('Nothing is open')
    expect(closing({ ready: 3 }, { stop }).join()).toContain('3 ready')
  })

  it('count mandates where records repeat them', () => {
    expect(closing({ registered: 1, refused: 1, invalid: 1 }).join()).not.toContain('mandates:')
    const repeated = closing({ registered: 2, duplicate: 3, refused: 1, ready: 1 })
    expect(repeated).toContain('  4 mandates: 2 registered, 0 in doubt, 1 refused, 1 not sent')
    // Of what was in doubt a request may have left.
    expect(closing({ registered: 1, duplicate: 1, written_off: 2, excluded: 1 })).toContain(
      '  4 mandates: 1 registered, 0 in doubt, 0 refused, 2 written off, 1 not sent',
    )
  })

  it('count what the service contradicts first, and never say then that nothing is open', () => {
    const verification = verified(5, { twice: 2, absent: 1, unreadable: 1 })
    const lines = closing({ registered: 5, refused: 1 }, { verification })
    const start = lines.indexOf('Open:')
    expect(lines[start + 1]).toContain('3 registered, and not so at the service: 1 missing, 2 twice')
    expect(lines[start + 2]).toContain('1 refused')
    expect(lines).not.toContain('Nothing is open.')
  })

  it('say why a run stopped before what to do, and name the report', () => {
    const stop: Stop = { kind: 'credentials', why: 'the service said 401', next: 'Check the password' }
    const lines = closing({ ready: 1 }, { stop })
    expect(lines).toEqual(
      expect.arrayContaining(['Stopped early: the service said 401.', 'Report: out/report.html']),
    )
    expect(lines.slice(-2)).toEqual(['Check the password.', 'Next: sepa-migrate run'])
  })
})

it('the pack of a ledger is written beside a writer, and says where it went when somebody changed an earlier one', async () => {
  const ledger = open()
  admit(ledger, [{}])
  const out = join(dirname(ledger.file), 'out')
  const terms = { absentAfterMs: USUAL_ABSENT_AFTER_MS, language: 'en', told: NOTHING_TOLD } as const
  const write = () => writePack({ ledger: ledger.file, out, sharedFolder: false, ...terms })
  const first = await write()
  expect(first.warnings).toEqual([])
  for (const path of Object.values(first.files)) expect(existsSync(path), path).toBe(true)
  expect(readFileSync(first.files['not-sent.csv'] ?? '', 'utf8')).toContain('M-1')

  writeFileSync(join(out, 'to-do', 'in-doubt.csv'), 'filled in')
  const { files, warnings } = await write()
  const list = join(out, 'to-do-2', 'in-doubt.csv')
  expect(files).toMatchObject({ 'in-doubt.csv': list, 'report.html': join(out, 'report.html') })
  expect(warnings).toEqual([expect.stringContaining('the new ones are in "to-do-2"')])

  writeFileSync(join(out, 'report.html'), 'annotated')
  const moved = await write()
  expect(moved.files['in-doubt.csv']).toBe(join(out, 'report-2', 'to-do', 'in-doubt.csv'))
  expect(moved.warnings[0]).toContain(join(out, 'report-2'))
})

it.each([true, false])('tells where account numbers may still stand: %s', async (isRead) => {
  const file = freshFile()
  const ledger = openLedger({ file, clock: stoppedClock(), pid: 4711 })
  admit(ledger, [{}])
  const viewer = openForReading(file)
  if (isRead) viewer.exec('begin')
  viewer.prepare('select count(*) from row').get()
  ledger.startRun(SETTINGS)
  await send(ledger, registered('NEW-1'))
  expect(oldPages(ledger)).toEqual([])
  ledger.close()
  viewer.close()
  const told = expect.stringMatching(/campaign\.db-wal".*sepa-migrate run --no-report/s) as string
  expect(oldPages(ledger)).toEqual(isRead ? [told] : [])
})

describe('rows that the service does not show', () => {
  const HOUR = 60 * 60_000
  const after = (hours: number): string =>
    new Date(Date.parse('2026-06-15T10:00:00.000Z') + hours * HOUR).toISOString()
  const SENT = { sentAt: after(0), wasEverShown: false, begunFor: 'this' } as const
  const doubt = (rowId: number, shown: ShownDoubt['shown'], runId = 1) => ({ rowId, runId, ...SENT, shown })
  const absentRow = (rowId: number, [first, last = first]: [number, number?], runId = 1): ShownDoubt => {
    const asked = { firstAskedAt: after(first), firstAnsweredAt: after(first), lastAskedAt: after(last) }
    return doubt(rowId, { kind: 'nothing', ...asked, questions: 2, present: runId === 1 ? 2 : 0 }, runId)
  }
  const absentIn = (rows: readonly ShownDoubt[]) =>
    absentOf(readerOf({ shown: rows }), { absentAfterMs: 24 * HOUR })

  it('are counted by what can be done about them', () => {
    const absent = absentIn([
      absentRow(1, [1]),
      absentRow(2, [1, 24]),
      absentRow(3, [30]),
      absentRow(4, [1, 24], 2),
      doubt(5, { kind: 'something', verdict: 'other' }),
      doubt(6, { kind: 'not_asked' }),
      { ...absentRow(7, [1, 24]), begunFor: 'another' },
    ])
    const counts = { proposed: 1, waiting: 2, nothingPresent: 1, begunOtherwise: 1 }
    expect(absent).toEqual({ ...counts, askFrom: after(31) })
    expect(absentLines(absent)).toEqual([
      '1 row in doubt is absent for long enough: to-do/in-doubt.csv proposes resend with the evidence, for a person to decide.',
      '2 rows in doubt are absent so far: ask again from 2026-06-16 17:00:00 UTC (sepa-migrate resolve --ask).',
      '1 row in doubt is absent, and no registered row was shown with it: if there are any, sepa-migrate verify shows whether this is the right place to ask; else look them up at the service.',
      '1 row in doubt is absent, and was begun for another customer or date than it has: no resend is proposed; ask the service about that one.',
    ])
  })
})

it.each<[number, VerdictCount['verdict'] | null, RowState, Stop['kind'] | null]>([
  [0, null, 'registered', null],
  [0, 'proven', 'registered', null],
  [4, 'absent', 'registered', null],
  [4, 'twice', 'refused', null],
  [4, 'other', 'ready', null],
  [4, 'other', 'registered', 'unanswered'],
  [5, 'proven', 'registered', 'unanswered'],
  [5, 'unreadable', 'ready', null],
  [3, 'unreadable', 'refused', null],
  [4, 'proven', 'in_doubt', 'unanswered'],
  [130, 'absent', 'registered', 'signal'],
])('a verified campaign ends with %i: %s, a row %s, stop %s', (status, verdict, state, kind) => {
  const verification = verdict === null ? null : verified(2, { [verdict]: 1 })
  const stop = kind === null ? null : { kind, why: 'why', next: 'Wait' }
  const rows = totals(state === 'registered' ? { registered: 2 } : { registered: 1, [state]: 1 })
  const campaign = { totals: rows, cutOver: NO_CUT_OVER, verification }
  expect(verifiedExitStatus(campaign, stop)).toBe(status)
})
