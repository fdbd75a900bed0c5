import type { Stop } from '../../src/run/brake.js'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { NOTHING_TOLD } from '../../src/report/facts/facts.js'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { closingLines, writePack } from '../../src/cli/closing.js'
import { noConfiguration } from '../../src/cli/settings/configuration.js'
import { readSettings } from '../../src/cli/settings/settings.js'
import { USUAL_ABSENT_AFTER_MS } from '../../src/domain/proof/absence.js'
import { type RowState, totalsOf } from '../../src/domain/row/row-state.js'
import { verificationOf } from '../../src/domain/proof/verification.js'
import { admit, open } from '../ledger/campaign-setup.js'
import { NO_RECORDS, readerOf } from '../report/ledger-value.js'
import { worldOf } from './world.js'
import { wordsOf } from '../../src/cli/terminal/world.js'
const totals = (byState: Readonly<Partial<Record<RowState, number>>>) =>
  totalsOf(
    Object.values(byState).reduce((sum, count) => sum + count, 0),
    new Map(Object.entries(byState) as [RowState, number][]),
  )
const asked = { settings: readSettings({}, worldOf(), noConfiguration), own: {} }
const campaign = readerOf(NO_RECORDS).campaign()

describe('the last lines for people', () => {
  const closing = (byState: Readonly<Partial<Record<RowState, number>>>, stop: Stop | null = null) =>
    closingLines(asked, {
      totals: totals(byState),
      stop,
      campaign,
      files: { 'report.html': 'out/report.html' },
      notes: ['A note'],
    }).map(wordsOf)

  it('count every open state once', () => {
    const lines = closing({ in_doubt: 2, ready: 3, refused: 4, conflict: 5, invalid: 6, registered: 1 })
    const start = lines.indexOf('Open:')
    const counts = lines.slice(start + 1, start + 6).map((line) => Number(/\d+/.exec(line)?.[0]))
    expect(counts).toEqual([2, 3, 4, 5, 6])
  })

  it('say that nothing is open where nothing is', () => {
    expect(closing({ registered: 5, excluded: 2, written_off: 1 })).toContain('Nothing is open.')
  })

  it('count what the service contradicts first, and never say then that nothing is open', () => {
    const at = { firstAt: '2026-06-15T10:00:00.000Z', lastAt: '2026-06-15T10:00:00.000Z' }
    const verification = verificationOf(5, [
      { verdict: 'twice', count: 2, ...at },
      { verdict: 'absent', count: 1, ...at },
      { verdict: 'unreadable', count: 1, ...at },
    ])
    const lines = closingLines(asked, {
      totals: totals({ registered: 5, refused: 1 }),
      stop: null,
      campaign,
      files: {},
      verification,
    }).map(wordsOf)
    const start = lines.indexOf('Open:')
    expect(lines[start + 1]).toBe(
      '  3 registered, and not so at the service: 1 missing, 2 twice (verification.csv)',
    )
    expect(lines[start + 2]).toContain('1 refused')
    expect(lines).not.toContain('Nothing is open.')
  })

  it('say why a run stopped before what to do, and name the report', () => {
    const stop: Stop = { kind: 'credentials', why: 'the service said 401', next: 'Check the password' }
    const lines = closing({ ready: 1 }, stop)
    expect(lines).toContain('Stopped early: the service said 401.')
    expect(lines).toContain('Report: out/report.html')
    expect(lines.slice(-2)).toEqual(['Check the password.', 'Next: sepa-migrate run'])
  })
})

describe('the pack of a ledger', () => {
  const packOf = (ledger: string) => ({
    ledger,
    out: join(dirname(ledger), 'out'),
    sharedFolder: false,
    absentAfterMs: USUAL_ABSENT_AFTER_MS,
    language: 'en' as const,
    told: NOTHING_TOLD,
  })

  it('is written beside a writer, and names its files', async () => {
    const ledger = open()
    admit(ledger, [{}])
    const { files, warnings } = await writePack(packOf(ledger.file))
    expect(warnings).toEqual([])
    for (const path of Object.values(files)) expect(existsSync(path), path).toBe(true)
    expect(readFileSync(files['not-sent.csv'] ?? '', 'utf8')).toContain('M-1')
  })

  it('leaves a file alone that a person filled in, says so, and says where the new one is', async () => {
    const ledger = open()
    admit(ledger, [{}])
    const settings = packOf(ledger.file)
    const { out } = settings
    await writePack(settings)
    writeFileSync(join(out, 'to-do', 'in-doubt.csv'), 'filled in')
    const { files, warnings } = await writePack(settings)
    expect(readFileSync(join(out, 'to-do', 'in-doubt.csv'), 'utf8')).toBe('filled in')
    expect(files['in-doubt.csv']).toBe(join(out, 'to-do-2', 'in-doubt.csv'))
    expect(warnings[0]).toContain('the new ones are in "to-do-2"')
    expect(files['report.html']).toBe(join(out, 'report.html'))
  })

  it('goes as a whole beside a page that a person changed, and says where', async () => {
    const ledger = open()
    admit(ledger, [{}])
    const settings = packOf(ledger.file)
    const { out } = settings
    await writePack(settings)
    writeFileSync(join(out, 'report.html'), 'annotated')
    const { files, warnings } = await writePack(settings)
    expect(files['in-doubt.csv']).toBe(join(out, 'report-2', 'to-do', 'in-doubt.csv'))
    expect(warnings[0]).toContain(join(out, 'report-2'))
  })
})
