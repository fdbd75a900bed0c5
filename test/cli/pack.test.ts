import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { closingLines, writePack } from '../../src/cli/pack.js'
import { totalsOf, type RowState } from '../../src/index.js'
import { admit, open } from '../ledger/campaign-setup.js'

const totals = (byState: Readonly<Partial<Record<RowState, number>>>) =>
  totalsOf(
    Object.values(byState).reduce((sum, count) => sum + count, 0),
    new Map(Object.entries(byState) as [RowState, number][]),
  )
const closing = (
  byState: Readonly<Partial<Record<RowState, number>>>,
  stop: Parameters<typeof closingLines>[0]['stop'] = null,
) => closingLines({ totals: totals(byState), stop, files: { 'in-doubt.csv': 'out/in-doubt.csv' } })
const next = (...given: Parameters<typeof closing>): string => closing(...given).at(-1) ?? ''

describe('the next command to type', () => {
  it('is about doubts before anything else: they are money', () => {
    const everything = { in_doubt: 1, ready: 1, invalid: 1, refused: 1, registered: 1 }
    expect(next(everything)).toContain('resolve --from out/in-doubt.csv --dry-run')
  })

  it('then goes on sending, then corrects what was never sent, then what was refused', () => {
    expect(next({ ready: 1, invalid: 1, refused: 1 })).toContain('sepa-migrate run   (continues')
    expect(next({ sending: 1 })).toContain('sepa-migrate run   (continues')
    expect(next({ conflict: 1, refused: 1 })).toContain('run corrections.csv')
    expect(next({ refused: 1, registered: 5 })).toContain('run refused.csv')
  })

  it('is the signature where nothing is open', () => {
    expect(next({ registered: 5, excluded: 2 })).toContain('have finance sign report.html')
    expect(closing({ registered: 5 })).toContain('Nothing is open.')
  })

  it('of a run that stopped is what its stop asks for, but of a signal the ordinary one', () => {
    const stop = { kind: 'credentials', why: 'the service said 401', next: 'Check the password' } as never
    expect(next({ in_doubt: 1 }, stop)).toBe('Next: Check the password')
    expect(closing({ ready: 1 }, stop)).toContain('Stopped early: the service said 401.')
    const signal = { kind: 'signal', why: 'a signal came', next: 'x' } as never
    expect(next({ ready: 1 }, signal)).toContain('sepa-migrate run')
  })

  it('every open state is counted once', () => {
    const open = closing({ in_doubt: 2, ready: 3, refused: 4, conflict: 5, invalid: 6, registered: 1 })
    const start = open.indexOf('Open:')
    expect(open.slice(start + 1, start + 6).map((line) => Number(/\d+/.exec(line)?.[0]))).toEqual([
      2, 3, 4, 5, 6,
    ])
  })
})

describe('the pack of a ledger', () => {
  it('is written beside a writer, and names its files', async () => {
    const ledger = open()
    admit(ledger, [{}])
    const out = join(dirname(ledger.file), 'out')
    const { files, warnings } = await writePack({ ledger: ledger.file, out, sharedFolder: false })
    expect(warnings).toEqual([])
    for (const path of Object.values(files)) expect(existsSync(path), path).toBe(true)
    expect(readFileSync(files['not-sent.csv'] ?? '', 'utf8')).toContain('M-1')
  })

  it('leaves a file alone that a person filled in, says so, and says where the new one is', async () => {
    const ledger = open()
    admit(ledger, [{}])
    const out = join(dirname(ledger.file), 'out')
    const settings = { ledger: ledger.file, out, sharedFolder: false }
    await writePack(settings)
    writeFileSync(join(out, 'in-doubt.csv'), 'filled in')
    const { files, warnings } = await writePack(settings)
    expect(readFileSync(join(out, 'in-doubt.csv'), 'utf8')).toBe('filled in')
    expect(files['in-doubt.csv']).toBe(join(out, 'report-2', 'in-doubt.csv'))
    expect(warnings[0]).toContain(join(out, 'report-2'))
  })
})
