import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { piecesOf } from '../../../src/source/bytes/input.js'
import { dropStart, dropLastLines } from '../../../src/source/bytes/text.js'

const SEED = 20_260_615

async function* pieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield await Promise.resolve(text.slice(at, at + size))
}

async function joined(text: AsyncIterable<string>): Promise<string> {
  let all = ''
  for await (const piece of text) all += piece
  return all
}

const text = fc.string({ unit: fc.constantFrom('a', 'b', '\r\n', '\n', '\r'), maxLength: 30 })
const size = fc.integer({ min: 1, max: 8 })
const count = fc.integer({ min: 0, max: 6 })

/** Physical lines with their ends; what follows the last end is a line only when there is something. */
const linesOf = (all: string): string[] => all.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? []

describe('lines before and behind the records', () => {
  test('the first characters are cut off, however the text comes in pieces', async () => {
    await fc.assert(
      fc.asyncProperty(text, count, size, async (all, start, length) => {
        expect(await joined(dropStart(pieces(all, length), start))).toBe(all.slice(start))
      }),
      { seed: SEED, numRuns: 1000 },
    )
  })

  test('the last lines are cut off and handed over', async () => {
    await fc.assert(
      fc.asyncProperty(text, count, size, async (all, lines, length) => {
        const body = piecesOf(dropLastLines(pieces(all, length), { count: lines, maxHeld: 1000 }))
        const kept = await joined(body)
        const expected = linesOf(all)
        const at = Math.max(0, expected.length - lines)
        expect([kept, body.end()]).toEqual([expected.slice(0, at).join(''), expected.slice(at).join('')])
      }),
      { seed: SEED, numRuns: 1000 },
    )
  })

  test('no more is held back than allowed, so that a line without end reaches the reader', async () => {
    const released: string[] = []
    const endless = pieces('x'.repeat(100_000), 1000)
    for await (const piece of dropLastLines(endless, { count: 2, maxHeld: 5000 })) released.push(piece)
    expect(released.join('').length).toBe(95_000)
  })
})
