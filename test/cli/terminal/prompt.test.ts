import { describe, expect, it } from 'vitest'
import { askPassword, askText, canAsk } from '../../../src/cli/terminal/world.js'
import { answering, worldOf } from '../world.js'

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

  it('that is left with Ctrl-D, or by a signal, is no answer either', async () => {
    for (const keys of ['\u0004', 'half a word\u0004']) {
      expect(await askText(typing(keys).world, 'Why?')).toBeNull()
      expect(await askPassword(typing(keys).world, 'ada')).toBeNull()
    }
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
