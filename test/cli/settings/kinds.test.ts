import { describe, expect, it } from 'vitest'
import * as kinds from '../../../src/cli/settings/kinds.js'
import { UsageError } from '../../../src/errors.js'

const IBAN = 'DE89370400440532013000'

describe('a kind of value', () => {
  it.each([
    ['90', 90],
    ['90s', 90],
    ['2m', 120],
    ['1.5h', 5400],
    ['0.001', 0.001],
    ['596h', 2_145_600],
  ])('reads the duration %s as %d seconds', (text, seconds) => {
    expect(kinds.seconds.read(text, 'here')).toBe(seconds)
  })

  it.each([
    ['12', { kind: 'count', value: 12 }],
    ['2.5%', { kind: 'percent', value: 2.5 }],
    ['0%', { kind: 'percent', value: 0 }],
  ])('reads %s as a count of rows or a share of them', (text, share) => {
    expect(kinds.rowsOrPercent.read(text, 'here')).toEqual(share)
  })

  it.each([
    ['yes', true],
    ['1', true],
    ['true', true],
    ['no', false],
    ['0', false],
    ['false', false],
  ])('reads %s as a truth value', (text, value) => {
    expect(kinds.yesOrNo.read(text, 'here')).toBe(value)
  })

  const messageOf = (read: () => unknown): string => {
    try {
      read()
      return 'accepted'
    } catch (error) {
      return error instanceof UsageError ? `${error.message}. ${error.next}` : 'another error'
    }
  }

  it('names what was written, where, and what is expected', () => {
    expect(messageOf(() => kinds.whole(1, 256).read('abc', '--concurrency'))).toBe(
      'Cannot read --concurrency: "abc" is not a whole number from 1 to 256. Correct the value; nothing was sent',
    )
    expect(messageOf(() => kinds.whole(1, 256).read('abc', null))).toMatch(
      /^"abc" is not a whole number from 1 to 256\./,
    )
  })

  it('masks an account that stands in the wrong place', () => {
    expect(kinds.creditor.refusal(IBAN)).not.toContain(IBAN)
    expect(() => kinds.creditor.read(IBAN, 'here')).toThrow(/"DE…3000" is not a creditor identifier/)
  })

  it('quotes no address, which may hold a password', () => {
    for (const kind of [kinds.baseUrl, kinds.proxy]) {
      expect(kind.refusal('ftp://me:geheim@host')).not.toContain('geheim')
      for (const text of ['ftp://me:geheim@host', 'http://me:geheim@host', 'geheim']) {
        const message = messageOf(() => kind.read(text, 'here'))
        expect(message).toMatch(/^Cannot use the /)
        expect(message).not.toContain('geheim')
      }
    }
  })

  it('says of a number that it may be meant as a text', () => {
    expect(kinds.text.refusal(4711)).toBe('4711 is not a text; a text that looks like it needs quotes')
    expect(kinds.path.refusal(true)).toBe('true is not a path; a text that looks like it needs quotes')
    expect(kinds.seconds.refusal(true)).not.toContain('quotes')
  })
})
