import type { World } from '../../../src/cli/terminal/world.js'
import { describe, expect, it } from 'vitest'
import { Writable } from 'node:stream'
import fc from 'fast-check'
import {
  startProgress,
  boundedWorld,
  totalsLines,
  toned,
  wordsOf,
  wrapped,
  writtenLine,
  plainLine,
  type RunView,
  terminalLines,
  askPassword,
  askText,
  canAsk,
} from '../../../src/cli/terminal/world.js'
import { emptyResult, jsonOf, printResult } from '../../../src/cli/command.js'
import { type RowState, totalsOf } from '../../../src/domain/row/row-state.js'
import { oneLine, plainLines } from '../../../src/domain/text/text.js'
import { worldOf, answering } from '../world.js'

fc.configureGlobal({ seed: 20260616 })

const HOSTILE = '\u001b]0;title\u0007Na\u202eme\u001b[2J\u009b31m\r\nforged line\u200b'

/** Whatever a terminal obeys or what reorders or hides. */
const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\p{Cf}]/u

const totals = (read: number, byState: Readonly<Partial<Record<RowState, number>>>, resubmitted = 0) =>
  totalsOf(read, new Map(Object.entries(byState) as [RowState, number][]), resubmitted)

describe('control totals for people', () => {
  const tableOf = (...given: Parameters<typeof totals>): string[] =>
    totalsLines(totals(...given)).map(wordsOf)

  it('always show what a person must look at, zero or not, and other states only where they have rows', () => {
    const text = tableOf(3, { registered: 2, invalid: 1 }).join('\n')
    for (const label of ['ready', 'registered', 'refused', 'in doubt', 'invalid'])
      expect(text).toContain(`  ${label}`)
    for (const label of ['written off', 'sending', 'resubmitted', 'conflict'])
      expect(text).not.toContain(`  ${label}`)
    expect(text).toContain('balanced: 3 read = the sum of all states')
  })

  it('say loudly that a row is missing, and tell lines that were given back apart from the records', () => {
    expect(tableOf(4, { registered: 3 }).at(-1)).toContain('NOT BALANCED')
    expect(tableOf(3, { registered: 3 }, 2).join('\n')).toMatch(/resubmitted\s+2 /)
  })
})

it('a printed result shows where the ledger stands when a command failed before it could say anything', () => {
  const world = worldOf()
  const errors = [{ kind: 'ledger', message: 'No', next: 'Try again' }]
  printResult(world, { ...emptyResult, totals: totals(1, { ready: 1 }), errors })
  expect(world.printed.stdout).toContain('Control totals')
})

describe('a line for a person', () => {
  it('says the same with colour and without', () => {
    const line = ['  ', toned('bad', 'Error'), ': no'] as const
    expect(writtenLine(line, true)).toContain('\u001b[31mError')
    expect(writtenLine(line, true).replace(/\u001b\[\d+m/g, '')).toBe(wordsOf(line))
    expect(wordsOf(line)).toBe('  Error: no')
  })

  it('cannot be broken or coloured by what others wrote, also inside a toned part', () => {
    const hostile = 'x\u001b[32mgood\nNext: rm\u202e'
    for (const line of [hostile, [toned('bad', hostile)]]) {
      expect(wordsOf(line)).toBe('xgood Next: rm')
      expect(writtenLine(line, true)).not.toMatch(/\n|\u001b\[32m|\u202e/)
    }
  })
})

describe('the boundary to the terminal', () => {
  it('takes out what a terminal would obey, and keeps the lines that we made', () => {
    const { printed, ...world } = worldOf()
    const bounded = boundedWorld(world)
    bounded.stdout.write(`one ${HOSTILE}\n`)
    bounded.stderr.write('two\nthree\n')
    expect(printed).toEqual({ stdout: 'one Name \nforged line\n', stderr: 'two\nthree\n' })
  })

  it('breaks long lines of a terminal at words, below their own words, and a command never', () => {
    expect(wrapped('one two three', 7)).toEqual(['one two', 'three'])
    expect(wrapped('  8    ledger locked or lost', 20)).toEqual(['  8    ledger locked', '       or lost'])
    expect(wrapped('- a rule of words', 10)).toEqual(['- a rule', '  of words'])
    const command = 'sepa-migrate run export.csv --limit 10'
    expect(wrapped(`Run this: ${command}`, 20)).toEqual(['Run this:', command])
    expect(wrapped(`Next: ${command}`, 20)).toEqual([`Next: ${command}`])
    expect(wrapped(`  ${command}`, 20)).toEqual([`  ${command}`])
    const coloured = writtenLine([toned('bad', 'Error'), ': no'], true)
    expect(wrapped(coloured, 9)).toEqual([coloured])
    const { printed, ...world } = worldOf()
    const stream = Object.assign(new Writable(), { columns: 20 })
    const bounded = boundedWorld({ ...world, stderr: { ...world.stderr, isTerminal: true, stream } })
    bounded.stderr.print('A name that ends in Next: rm -rf .')
    expect(printed.stderr).toBe('A name that ends in\n  Next: rm -rf .\n')
  })

  it('lets no text begin a line of its own', () => {
    const { printed, ...world } = worldOf()
    const errors = [{ kind: 'usage', message: HOSTILE, next: HOSTILE }]
    printResult(boundedWorld(world), { ...emptyResult, warnings: [HOSTILE], lines: [`  ${HOSTILE}`], errors })
    const one = 'Name forged line'
    const stderr = `Warning: ${one}\nError: ${one}\n  To do: ${one}\n`
    expect(printed).toEqual({ stdout: `  ${one}\n`, stderr })
  })

  it.each([false, true])(
    'lets no text begin a line of its own while it goes on (terminal: %s)',
    async (isTerminal) => {
      const { printed, ...world } = worldOf()
      let drawn = ''
      const stream = new Writable({
        write: (part, _encoding, done) => {
          drawn += String(part)
          done()
        },
      })
      let nowMs = 0
      const shown: World = {
        ...boundedWorld({ ...world, stderr: { ...world.stderr, isTerminal, stream } }),
        clock: { now: () => 0, monotonic: () => (nowMs += 10_000) },
        after: (_delayMs, wake) => {
          wake()
          return () => undefined
        },
      }
      const go = async (isSilent: boolean): Promise<string> => {
        const progress = await startProgress(shown, isSilent)
        progress.reading(HOSTILE, 1)
        progress.note(HOSTILE)
        progress.sending(2)
        progress.event(HOSTILE, HOSTILE)
        return printed.stderr + drawn
      }
      expect(await go(true)).toBe('')
      const text = await go(false)
      expect(text.split('Name forged line')).toHaveLength(4)
      expect(text).not.toContain('title')
      expect(text).not.toMatch(/[\r\n]forged/)
    },
  )

  it('puts colour on the words of the program, and lets no text colour or move anything', () => {
    const { printed, ...world } = worldOf({ env: { FORCE_COLOR: '1' } })
    const line = ['Row 1: ', toned('open', `in doubt${HOSTILE}`), `. ${HOSTILE}\u001b[32mgreen`]
    boundedWorld(world).stdout.print(line)
    const text = oneLine(HOSTILE)
    expect(printed.stdout).toBe(`Row 1: \u001b[33min doubt${text}\u001b[39m. ${text}green\n`)
    expect(boundedWorld(world, { noColor: true }).stdout.hasColour).toBe(false)
    expect(boundedWorld(worldOf()).stdout.hasColour).toBe(false)
    const both = worldOf({ env: { FORCE_COLOR: '1', NO_COLOR: '1' } })
    expect(boundedWorld(both).stdout.hasColour).toBe(false)
  })

  it('leaves nothing of any text that a terminal would obey, and nothing out of plain text', () => {
    const units = Array.from('\u001b[]\u009b3m\u0007\nä\u202e\u200d ')
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...units) }), (text) => {
        expect(oneLine(text)).not.toMatch(OBEYED)
        expect(oneLine(text)).not.toContain('\n')
        expect(plainLines(text)).not.toMatch(OBEYED)
        expect(plainLines(text).split('\n')).toHaveLength(text.split('\n').length)
      }),
    )
    const plain = '  DE…3000 → "Müller & Söhne" (1 000,00 €)'
    expect(oneLine(plain)).toBe(plain)
  })

  it('writes such characters as escapes in JSON, so that a program gets them back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const json = jsonOf('check', { ...emptyResult, details: { text } })
        expect(json.slice(0, -1)).not.toMatch(OBEYED)
        expect(JSON.parse(json)).toMatchObject({ text })
      }),
    )
  })
})

const COUNTS = { total: 20_000, registered: 8_950, refused: 12, inDoubt: 3 }
const USUAL = { ...COUNTS, settledBefore: 0, elapsedMs: 60_000 }
const shown = (changes: Partial<RunView> = {}): string[] =>
  terminalLines({ ...USUAL, event: null, ...changes }).map(wordsOf)

describe('the view of a run on a terminal', () => {
  it('says how far, what became of the rows, and how fast', () => {
    expect(shown()).toEqual([
      '█████████████░░░░░░░░░░░░░░░░░ 44 %  8,965 of 20,000',
      'registered 8,950 · refused 12 · in doubt 3',
      '149 a second · 74 s left',
    ])
  })

  it('says 100 % only when nothing is left, and promises no time before the first answer', () => {
    const none = { registered: 0, refused: 0, inDoubt: 0 }
    expect(shown({ ...none, total: 10_000, registered: 9_999 })[0]).toContain('99 %')
    expect(shown({ ...none, total: 2, registered: 2 })[0]).toContain('100 %')
    expect(shown({ ...none, event: 'Waiting 2.0 s' })[2]).toBe('Waiting 2.0 s')
    expect(shown({ event: 'Waiting 2.0 s' })[2]).toBe('149 a second · 74 s left · Waiting 2.0 s')
  })

  it('counts the pace from where it began to watch', () => {
    expect(shown({ settledBefore: 8_905 })[2]).toBe('1.0 a second · 3 h 4 min left')
  })
})

it('the view of a run in a file is one line', () => {
  expect(plainLine({ ...USUAL, event: 'Waiting 2.0 s' })).toBe(
    'Sent: 8,965 of 20,000; registered 8,950, refused 12, in doubt 3; 149 a second; 74 s left',
  )
})

/** Somebody who types these keys, whatever is asked. */
const typing = (keys: string) => answering([['', keys]])

describe('a question', () => {
  it('is asked only where somebody sees it and can answer', () => {
    const { world } = typing('')
    expect(canAsk(world)).toBe(true)
    expect(canAsk({ ...world, stderr: { ...world.stderr, isTerminal: false } })).toBe(false)
    expect(canAsk(worldOf())).toBe(false)
  })

  it('gives what was typed, without blanks around it', async () => {
    expect(await askText(typing('  a reason \r').world, 'Why?')).toBe('a reason')
  })

  it('that is left with Ctrl-C or Escape is no answer, and no decision', async () => {
    expect(await askText(typing('\u0003').world, 'Why?')).toBeNull()
    expect(await askPassword(typing('\u0003').world, 'ada')).toBeNull()
  })

  it('that is left by a signal is no answer either', async () => {
    const ended = new AbortController()
    const { world } = answering([])
    const asked = askText({ ...world, signals: { ...world.signals, drain: ended.signal } }, 'Why?')
    ended.abort()
    expect(await asked).toBeNull()
  })

  it('for a password shows none of it, and an empty one is none', async () => {
    const { world, shown } = typing('correct horse\r')
    expect(await askPassword(world, 'ada')).toBe('correct horse')
    expect(shown()).not.toContain('correct')
    expect(await askPassword(typing('\r').world, 'ada')).toBeNull()
  })

  it('cannot be forged by the text that it holds', async () => {
    const { world, shown } = typing('\r')
    await askText(world, 'Row 1\nRow 2\u001b[2J')
    expect(shown()).toContain('Row 1 Row 2')
    expect(shown()).not.toContain('\u001b[2J')
  })
})
