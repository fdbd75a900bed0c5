import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { askChoice, askPassword, askText, canAsk, say } from '../../../src/cli/terminal/prompt.js'
import type { World } from '../../../src/cli/terminal/world.js'
import { worldOf } from '../world.js'

/** A world with a terminal at which somebody types these keys, and what it shows. */
function terminal(keys: string): { world: World; shown: () => string } {
  const stdin = Object.assign(new PassThrough(), { isTTY: true as const, setRawMode: () => undefined })
  let shown = ''
  const stream = new Writable({
    write: (part, _, done) => {
      shown += String(part)
      done()
    },
  })
  const { stderr: screen } = worldOf()
  const write = (text: string) => void (shown += text)
  const stderr = { ...screen, write, isTerminal: true, stream }
  setImmediate(() => stdin.write(keys))
  return { world: { ...worldOf(), stdin, stderr }, shown: () => shown }
}

const CHOICES = [
  { value: 'registered', label: 'It is registered' },
  { value: 'later', label: 'Decide later' },
] as const

describe('a question', () => {
  it('is asked only where somebody sees it and can answer', () => {
    const { world } = terminal('')
    expect(canAsk(world)).toBe(true)
    expect(canAsk({ ...world, stderr: { ...world.stderr, isTerminal: false } })).toBe(false)
    expect(canAsk(worldOf())).toBe(false)
  })

  it('gives what was typed, without blanks around it', async () => {
    expect(await askText(terminal('  a reason \r').world, 'Why?')).toBe('a reason')
  })

  it('that is left with Ctrl-C or Escape is no answer, and no decision', async () => {
    expect(await askText(terminal('\u0003').world, 'Why?')).toBeNull()
    expect(await askPassword(terminal('\u0003').world, 'ada')).toBeNull()
    expect(await askChoice(terminal('\u0003').world, 'Which?', CHOICES)).toBeNull()
  })

  it('of choices starts at "later": Enter by mistake decides nothing', async () => {
    expect(await askChoice(terminal('\r').world, 'Which?', CHOICES)).toBe('later')
  })

  it('for a password shows none of it, and an empty one is none', async () => {
    const { world, shown } = terminal('correct horse\r')
    expect(await askPassword(world, 'ada')).toBe('correct horse')
    expect(shown()).not.toContain('correct')
    expect(await askPassword(terminal('\r').world, 'ada')).toBeNull()
  })

  it('cannot be forged by the text that it holds', () => {
    const { world, shown } = terminal('')
    say(world, 'Row 1\nRow 2\u001b[2J')
    expect(shown().match(/\n/g)).toHaveLength(1)
    expect(shown()).not.toContain('\u001b')
  })
})
