import { describe, expect, it } from 'vitest'
import { printResult, totalsLines } from '../../../src/cli/terminal/output.js'
import { emptyResult } from '../../../src/cli/terminal/result.js'
import { type RowState, totalsOf } from '../../../src/domain/row/row-state.js'
import { worldOf } from '../world.js'
import { wordsOf } from '../../../src/cli/terminal/world.js'

const totals = (read: number, byState: Readonly<Partial<Record<RowState, number>>>, resubmitted = 0) =>
  totalsOf(read, new Map(Object.entries(byState) as [RowState, number][]), resubmitted)

const tableOf = (...given: Parameters<typeof totals>): string[] => totalsLines(totals(...given)).map(wordsOf)

describe('control totals for people', () => {
  it('always show what a person must look at, zero or not, and other states only where they have rows', () => {
    const text = tableOf(3, { registered: 2, invalid: 1 }).join('\n')
    for (const label of ['ready', 'registered', 'refused', 'in doubt', 'invalid'])
      expect(text).toContain(`  ${label}`)
    for (const label of ['written off', 'sending', 'resubmitted', 'conflict'])
      expect(text).not.toContain(`  ${label}`)
    expect(text).toContain('balanced: 3 read = the sum of all states')
  })

  it('stand in one column, however large', () => {
    const lines = tableOf(1_000_000, { registered: 999_993, in_doubt: 7 }).slice(1, -1)
    const ends = lines.map((line) => /^ {2}.{12} +[\d,]+/.exec(line)?.[0].length)
    expect(new Set(ends).size).toBe(1)
  })

  it('say loudly that a row is missing', () => {
    expect(tableOf(4, { registered: 3 }).at(-1)).toContain('NOT BALANCED')
  })

  it('tell lines that were given back apart from the records', () => {
    expect(tableOf(3, { registered: 3 }, 2).join('\n')).toMatch(/resubmitted\s+2 /)
  })
})

describe('a printed result', () => {
  it('puts what is for reading on stdout and what went wrong on stderr, with the next step', () => {
    const world = worldOf()
    printResult(world, {
      ...emptyResult,
      warnings: ['Mind this'],
      lines: ['Done'],
      errors: [{ kind: 'usage', message: 'No', next: 'Try again' }],
    })
    expect(world.printed).toEqual({
      stdout: 'Done\n',
      stderr: 'Warning: Mind this\nError: No\n  To do: Try again\n',
    })
  })

  it('shows where the ledger stands when a command failed before it could say anything', () => {
    const world = worldOf()
    const errors = [{ kind: 'ledger', message: 'No', next: 'Try again' }]
    printResult(world, { ...emptyResult, totals: totals(1, { ready: 1 }), errors })
    expect(world.printed.stdout).toContain('Control totals')
  })

  it('lets no text of a file or of the service forge a line or steer the terminal', () => {
    const world = worldOf()
    printResult(world, { ...emptyResult, lines: ['good\nError: forged\u001b[2J'], warnings: ['a\rb'] })
    expect(world.printed.stdout.match(/\n/g)).toHaveLength(1)
    expect(world.printed.stdout + world.printed.stderr).not.toMatch(/[\u001b\r]/)
  })
})
