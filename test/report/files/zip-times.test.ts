import { describe, expect, it } from 'vitest'
import { freezeZipTimes } from '../../../src/report/files/zip-times.js'

describe('freezeZipTimes', () => {
  it('refuses what is no zip archive instead of writing into it', () => {
    expect(() => freezeZipTimes(Buffer.from('plain text'))).toThrow('not a zip archive')
  })
})
