import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { printResult, boundedProgress, boundedWorld } from '../../../src/cli/terminal/output.js'
import { emptyResult, jsonOf } from '../../../src/cli/terminal/result.js'
import { worldOf } from '../world.js'
import { toned, wordsOf } from '../../../src/cli/terminal/world.js'
import { silentProgress } from '../../../src/cli/main.js'
import { escapedJson, oneLine, plainLines } from '../../../src/domain/text/text.js'

fc.configureGlobal({ seed: 20260616 })

const HOSTILE = '\u001b]0;title\u0007Na\u202eme\u001b[2J\u009b31m\r\nforged line\u200b'

/** Whatever a terminal obeys or what reorders or hides. */
const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\p{Cf}]/u

describe('9.2.7 the boundary to the terminal', () => {
  it('takes out what a terminal would obey, and keeps the lines that we made', () => {
    const { printed, ...world } = worldOf()
    const bounded = boundedWorld(world)
    bounded.stdout.write(`one ${HOSTILE}\n`)
    bounded.stderr.write('two\nthree\n')
    expect(printed.stdout).toBe('one Name \nforged line\n')
    expect(printed.stderr).toBe('two\nthree\n')
  })

  it('lets no text begin a line of its own', () => {
    const { printed, ...world } = worldOf()
    printResult(boundedWorld(world), {
      ...emptyResult,
      warnings: [HOSTILE],
      lines: [`  ${HOSTILE}`],
      errors: [{ kind: 'usage', message: HOSTILE, next: HOSTILE }],
    })
    expect(printed.stdout).toBe('  Name forged line\n')
    expect(printed.stderr).toBe(
      'Warning: Name forged line\nError: Name forged line\n  To do: Name forged line\n',
    )
    const told: string[] = []
    const progress = boundedProgress({
      ...silentProgress,
      reading: (source) => told.push(source),
      note: (line) => told.push(wordsOf(line)),
      event: (text) => told.push(text),
    })
    progress.reading(HOSTILE, 1)
    progress.note(HOSTILE)
    progress.event(HOSTILE, HOSTILE)
    expect(told).toEqual(['Name forged line', 'Name forged line', 'Name forged line'])
  })

  it('10.3.1 puts colour on the words of the program, and lets no text colour or move anything', () => {
    const { printed, ...world } = worldOf({ env: { FORCE_COLOR: '1' } })
    const { stdout } = boundedWorld(world)
    stdout.print(['Row 1: ', toned('open', `in doubt${HOSTILE}`), `. ${HOSTILE}\u001b[32mgreen`])
    expect(printed.stdout).toBe(
      `Row 1: \u001b[33min doubt${oneLine(HOSTILE)}\u001b[39m. ${oneLine(HOSTILE)}green\n`,
    )
    expect(boundedWorld(world, { noColor: true }).stdout.hasColour).toBe(false)
    expect(boundedWorld(worldOf()).stdout.hasColour).toBe(false)
  })

  it('leaves nothing of any text that a terminal would obey, and nothing out of plain text', () => {
    const hostile = fc.string({
      unit: fc.constantFrom(
        '\u001b',
        '[',
        ']',
        '\u009b',
        '3',
        'm',
        '\u0007',
        '\n',
        'ä',
        '\u202e',
        '\u200d',
        ' ',
      ),
    })
    fc.assert(
      fc.property(hostile, (text) => {
        expect(oneLine(text)).not.toMatch(OBEYED)
        expect(oneLine(text)).not.toContain('\n')
        expect(plainLines(text)).not.toMatch(OBEYED)
        expect(plainLines(text).split('\n')).toHaveLength(text.split('\n').length)
      }),
    )
    expect(oneLine('  DE…3000 → "Müller & Söhne" (1 000,00 €)')).toBe(
      '  DE…3000 → "Müller & Söhne" (1 000,00 €)',
    )
  })

  it('writes such characters as escapes in JSON, so that a program gets them back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const json = jsonOf('check', { ...emptyResult, details: { text } })
        expect(json.slice(0, -1)).not.toMatch(OBEYED)
        const { text: read } = JSON.parse(json) as { text: string }
        expect(read).toBe(text)
      }),
    )
    expect(escapedJson('"\u009b\u{e0041}"')).toBe('"\\u009b\\udb40\\udc41"')
  })
})
