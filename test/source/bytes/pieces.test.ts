import { describe, expect, it } from 'vitest'
import { piecesOf } from '../../../src/source/bytes/pieces.js'

async function* counting(to: number, log: string[] = []): AsyncGenerator<number, string> {
  try {
    for (let n = 1; n <= to; n += 1) yield await Promise.resolve(n)
    return `${to} read`
  } finally {
    log.push('closed')
  }
}

describe('a reading', () => {
  it('gives the pieces, and behind the last of them the end', async () => {
    const pieces: number[] = []
    const reading = piecesOf(counting(3))
    for await (const piece of reading) pieces.push(piece)
    expect([pieces, reading.end()]).toEqual([[1, 2, 3], '3 read'])
  })

  it('has no end before everything was read, and closes what it reads from', async () => {
    const log: string[] = []
    const reading = piecesOf(counting(3, log))
    for await (const piece of reading) if (piece === 2) break
    expect(log).toEqual(['closed'])
    expect(() => reading.end()).toThrow('before everything was read')
  })
})
