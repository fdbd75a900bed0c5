import { existsSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { putSeal, sealedSince, sealOf } from '../../../src/ledger/safety/seal.js'
import { freshFile } from '../campaign-setup.js'

const HOUR = 3_600_000
const NOW = Date.parse('2026-06-15T10:00:00.000Z')

function sealed(text = 'a ledger'): string {
  const file = freshFile()
  writeFileSync(file, text, { mode: 0o600 })
  putSeal(file, NOW)
  return file
}

/** Two changes within one tick of the system's clock look alike: until the next one. */
function untilItShows(file: string, change: () => void): void {
  const { ctimeNs } = statSync(file, { bigint: true })
  do change()
  while (statSync(file, { bigint: true }).ctimeNs === ctimeNs)
}

describe('a seal', () => {
  it('tells when the file was looked at, for a day, and to its owner alone', () => {
    const file = sealed()
    expect(statSync(sealOf(file)).mode & 0o777).toBe(0o600)
    for (const hours of [0, 1, 23.99]) expect(sealedSince(file, NOW + hours * HOUR)).toBe(NOW)
    expect(sealedSince(file, NOW + 24 * HOUR)).toBeNull()
    expect(sealedSince(file, NOW - 1)).toBeNull()
  })

  it.each([
    ['the same bytes', (file: string) => writeFileSync(file, 'a ledger')],
    ['other bytes', (file: string) => writeFileSync(file, 'a LEDGER')],
    ['more bytes', (file: string) => writeFileSync(file, 'a ledger and more')],
    ['a time that is put back', (file: string) => utimesSync(file, new Date(), statSync(file).mtime)],
  ])('is broken by who writes to the file: %s', (_, change) => {
    const file = sealed()
    untilItShows(file, () => change(file))
    expect(sealedSince(file, NOW)).toBeNull()
    putSeal(file, NOW)
    expect(sealedSince(file, NOW)).toBe(NOW)
  })

  it('is not made where times are whole seconds, since a write within the same one would not show', () => {
    const file = freshFile()
    writeFileSync(file, 'a ledger')
    utimesSync(file, 1_000_000, 1_000_000)
    putSeal(file, NOW)
    expect(existsSync(sealOf(file))).toBe(false)
  })

  it.each(['', 'half a', '2026-06-15T10:00:00.000Z', '2026-06-15T10:00:00.000Z\n1 2 3 4\n'])(
    'says nothing when it is %j',
    (text) => {
      const file = sealed()
      writeFileSync(sealOf(file), text)
      expect(sealedSince(file, NOW)).toBeNull()
    },
  )

  it('is neither read nor written through a link, and is missed by nobody', () => {
    const file = freshFile()
    writeFileSync(file, 'a ledger')
    writeFileSync(`${file}.elsewhere`, 'kept')
    symlinkSync(`${file}.elsewhere`, sealOf(file))
    putSeal(file, NOW)
    expect(statSync(`${file}.elsewhere`).size).toBe(4)
    expect(sealedSince(file, NOW)).toBeNull()
    expect(sealedSince(freshFile(), NOW)).toBeNull()
    expect(() => putSeal(freshFile(), NOW)).not.toThrow()
  })
})
