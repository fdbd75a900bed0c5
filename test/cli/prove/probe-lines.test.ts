import { describe, expect, it } from 'vitest'
import { eventLine, findingLines, leftBehindLines } from '../../../src/cli/prove/probe-lines.js'
import { wordsOf } from '../../../src/cli/terminal/line.js'
import { findingsOf, type Findings } from '../../../src/probe/findings.js'
import { next, observed, pairOf, postedAs } from '../../probe/outcomes.js'

const found = findingsOf(observed())
const textOf = (findings: Findings): string => findingLines(findings).map(wordsOf).join('\n')
const lineOf = (findings: Findings, begin: string): string =>
  textOf(findings)
    .split('\n')
    .find((line) => line.trim().startsWith(begin)) ?? ''

describe('findings for a person', () => {
  it('say in words what each question brought', () => {
    expect(textOf(found).split('\n')).toEqual([
      'What the service does',
      '  the same mandate twice: the service answered a conflict (409, OK); one of them is listed',
      '  another mandate of a customer: the service registered it (200)',
      '  a mandate of an unknown customer: the service refused it (404, NOT_FOUND)',
      '  wrong check digits in the account: the service refused it (400, INVALID_PARAMETER, field iban)',
      '  reading back: it is there',
      '    this program can prove a mandate by it: account same, date same, reference same',
      '    status PENDING, scheme SEPA_DIRECT_DEBIT; the list of an unknown customer: empty',
      '  a new mandate shows: at once',
      '  limits: none met by 50 reads in a row',
    ])
  })

  const duplicate = (finding: Findings['duplicate']['finding']): string =>
    lineOf({ ...found, duplicate: { ...found.duplicate, finding } }, 'the same mandate twice')

  it('have a sentence of their own for every word', () => {
    const words = [
      'second_mandate',
      'same_reference',
      'exists',
      'conflict',
      'refused',
      'unclear',
      'turned_away',
      'varies',
      'not_known',
      'not_asked',
    ] as const
    const lines = words.map(duplicate)
    expect(new Set(lines).size).toBe(words.length)
    for (const line of lines) expect(line).not.toMatch(/_|undefined|null/)
  })

  it.each([
    [
      { finding: 'delayed', notYetMs: 3_500, shownMs: 7_500 },
      'not yet after 4 s, and after 8 s at the latest',
    ],
    [{ finding: 'not_within', notYetMs: 60_000, shownMs: null }, 'not within 60 s'],
    [{ finding: 'not_known', notYetMs: null, shownMs: 7_040 }, 'after 8 s at the latest'],
    [{ finding: 'not_asked', notYetMs: null, shownMs: null }, 'not asked'],
  ] as const)('tell the delay %j', (delay, text) => {
    expect(lineOf({ ...found, delay }, 'a new mandate shows')).toBe(`  a new mandate shows: ${text}`)
  })

  it('tell the limits with what the service says of them', () => {
    const headers = { 'x-ratelimit-limit': '100' }
    const burst = { asked: 21, listed: 20, throttledAt: 21, retryAfterMs: 7_000, headers, durationMs: 9 }
    const text = textOf(findingsOf(observed({ burst, throttledPosts: 1 })))
    expect(text).toContain(
      'limits: read 21 of a burst was too many, to wait 7 s; 1 mandate was turned away with 429',
    )
    expect(text).toContain('the service says: x-ratelimit-limit: 100')
  })

  it('say that nothing can be proven by a list that shows another date', () => {
    const pairs = [pairOf({ listed: { signedAt: '2025-06-30' } })]
    expect(textOf(findingsOf(observed({ pairs })))).toContain(
      'cannot prove a mandate by it: account same, date differs',
    )
  })

  it.each(['not_shown', 'missing', 'refused', 'not_known', 'not_asked'] as const)(
    'leave the words of a list out where reading back is %s',
    (finding) => {
      const text = textOf({ ...found, readBack: { ...found.readBack, finding, status: 404 } })
      expect(text).toMatch(/reading back: it .*\(404\)$/m)
      expect(text).not.toContain('this program')
    },
  )

  it('let no word of the service break a line', () => {
    const pairs = [pairOf({ listed: { status: 'LIVE\nError: all is lost' } })]
    expect(textOf(findingsOf(observed({ pairs }))).split('\n')).toHaveLength(10)
  })
})

describe('what is left behind', () => {
  it('is named with its customer, its masked account and its ids, or nothing is', () => {
    const left = {
      customerNo: 7,
      reference: 'PROBE-1',
      accountMasked: 'DE…0001',
      purposes: ['first'],
      certainty: 'registered',
      assigned: ['NEW-1', 'NEW-2'],
      ids: ['s1', 's2'],
    } as const
    expect(
      leftBehindLines([left, { ...left, certainty: 'may_be', assigned: [], ids: [] }]).map(wordsOf),
    ).toEqual([
      'Made-up mandates that stay there: cancel them in the test environment',
      '  PROBE-1 of customer 7 (DE…0001): registered, assigned NEW-1 and NEW-2, id s1 and s2',
      '  PROBE-1 of customer 7 (DE…0001): may be registered',
    ])
    expect(leftBehindLines([]).map(wordsOf)).toEqual(['Nothing was registered.'])
  })
})

it('each step is told, without the account', () => {
  const mandate = next(7)
  const posted = postedAs('first', null, mandate)
  const lines = [
    eventLine({ kind: 'reading', customerNo: 7 }),
    eventLine({ kind: 'posting', purpose: 'wrong_account', mandate }),
    eventLine({ kind: 'posted', posted }),
    eventLine({ kind: 'waiting', delayMs: 500 }),
    eventLine({ kind: 'burst', reads: 50 }),
  ]
  expect(lines[1]).toBe(
    `Sending ${mandate.original.mandateReference} to customer 7: a mandate with wrong check digits`,
  )
  for (const line of lines) expect(line).not.toContain(mandate.iban.slice(4, 16))
})
