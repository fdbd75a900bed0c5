import { describe, expect, it } from 'vitest'
import { UsageError } from '../../src/errors.js'
import {
  checkFaults,
  parseFaults,
  planFaults,
  type FaultRuleInput,
  type Occasion,
} from '../../src/sandbox/faults.js'

const messageOf = (rules: unknown): string => {
  try {
    checkFaults(rules, 'faults.json')
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  }
  return 'accepted'
}

describe('the vocabulary of faults', () => {
  it('fills in what a rule leaves out', () => {
    expect(checkFaults([{ fault: { kind: 'reset' } }])).toEqual([
      { operation: 'any', match: {}, times: null, fault: { kind: 'reset', applied: true } },
    ])
    const message = 'Refused on purpose'
    const refused = { kind: 'refuse', status: 422, code: 'INVALID_PARAMETER', field: null, message }
    expect(checkFaults([{ fault: { kind: 'refuse' } }])[0]?.fault).toEqual(refused)
    const throttled = { kind: 'throttle', status: 429, retry_after: 1 }
    expect(checkFaults([{ fault: { kind: 'throttle' } }])[0]?.fault).toEqual(throttled)
  })

  it('is named where it was not kept', () => {
    expect(() => parseFaults('[', 'faults.json')).toThrow(
      expect.objectContaining({ next: expect.stringContaining('sepa-migrate help sandbox') as string }),
    )
  })

  it('is read from JSON text', () => {
    expect(parseFaults('[]', 'faults.json')).toEqual([])
    expect(() => parseFaults('[', 'faults.json')).toThrow('Cannot use faults.json: it is not JSON')
  })

  it.each([
    [{}, 'Cannot use faults.json: must be a list of rules'],
    [[{}], 'rule 1, fault: must be one of refuse, throttle'],
    [
      [{ fault: { kind: 'reset' } }, { fault: { kind: 'explode' } }],
      'rule 2, fault.kind: must be one of refuse',
    ],
    [[{ fault: { kind: 'reset', status: 500 } }], 'rule 1, fault: has no key "status"'],
    [[{ operation: 'pay', fault: { kind: 'reset' } }], 'rule 1, operation: '],
    [[{ match: { customer: 1 }, fault: { kind: 'reset' } }], 'rule 1, match: has no key "customer"'],
    [[{ match: { every: 0 }, fault: { kind: 'reset' } }], 'rule 1, match.every: '],
    [[{ times: 0, fault: { kind: 'reset' } }], 'rule 1, times: '],
    [[{ fault: { kind: 'refuse', status: 500 } }], 'rule 1, fault.status: '],
    [[{ fault: { kind: 'server_error', status: 404 } }], 'rule 1, fault.status: '],
    [[{ fault: { kind: 'nonsense', answer: 'poem' } }], 'rule 1, fault.answer: '],
    [
      [{ operation: 'offer', fault: { kind: 'nonsense', answer: 'wrong_echo' } }],
      'rule 1, fault.answer: needs the operation migrate',
    ],
    [
      [{ fault: { kind: 'answer', status: 200, headers: { 'Content-Length': '1' } } }],
      'rule 1, fault.headers.Content-Length: ',
    ],
    [[{ fault: { kind: 'answer', status: 200, headers: { a: 'b\r\nc: d' } } }], 'rule 1, fault.headers.a: '],
  ])('refuses %j and says where', (rules, message) => {
    expect(messageOf(rules)).toContain(message)
  })
})

const occasion = (change: Partial<Occasion> = {}): Occasion => ({
  operation: 'migrate',
  subject: '1042',
  ordinal: 1,
  subjectOrdinal: 1,
  ...change,
})
const planned = (rules: FaultRuleInput[], chaos = 0, seed = 1) =>
  planFaults({ faults: checkFaults(rules), chaos, seed })

describe('scripted faults', () => {
  it.each([
    [{}, {}, true],
    [{ operation: 'migrate' }, {}, true],
    [{ operation: 'offer' }, {}, false],
    [{ match: { customer_no: 1042 } }, {}, true],
    [{ match: { customer_no: [7, 1042] } }, {}, true],
    [{ match: { customer_no: 7 } }, {}, false],
    [{ match: { customer_no: 1042 } }, { operation: 'offer' }, false],
    [{ match: { customer_no: 1042 } }, { operation: 'read_back' }, true],
    [{ match: { offer_id: 'A' } }, { operation: 'offer', subject: 'A' }, true],
    [{ match: { billogram_id: 'A' } }, { operation: 'billogram', subject: 'A' }, true],
    [{ match: { request: 3 } }, { ordinal: 3 }, true],
    [{ match: { request: [1, 3] } }, { ordinal: 3 }, true],
    [{ match: { request: 3 } }, { ordinal: 2 }, false],
    [{ match: { every: 5 } }, { ordinal: 10 }, true],
    [{ match: { every: 5 } }, { ordinal: 9 }, false],
    [{ match: { every: 5, customer_no: 7 } }, { ordinal: 10 }, false],
  ] as const)('rule %j on %j: %s', (rule, change, isChosen) => {
    const plan = planned([{ ...rule, fault: { kind: 'reset' } } as FaultRuleInput])
    expect(plan(occasion(change)) !== null).toBe(isChosen)
  })

  it('the first rule that matches wins, and is used up after its times', () => {
    const plan = planned([
      { match: { customer_no: 1042 }, times: 2, fault: { kind: 'throttle' } },
      { match: { customer_no: 1042 }, times: 1, fault: { kind: 'reset' } },
    ])
    const kinds = [1, 2, 3, 4].map(() => plan(occasion())?.kind)
    expect(kinds).toEqual(['throttle', 'throttle', 'reset', undefined])
  })
})

describe('chaos', () => {
  const occasions = Array.from({ length: 2_000 }, (_, index) =>
    occasion({ subject: String(index), ordinal: index + 1 }),
  )

  it('is about as frequent as asked', () => {
    const plan = planned([], 0.2)
    const share = occasions.filter((one) => plan(one) !== null).length / occasions.length
    expect(share).toBeGreaterThan(0.17)
    expect(share).toBeLessThan(0.23)
    expect(occasions.every((one) => planned([], 0)(one) === null)).toBe(true)
    expect(occasions.every((one) => planned([], 1)(one) !== null)).toBe(true)
  })

  it('depends on seed, subject and how often the subject came, not on the order of arrival', () => {
    const chosen = occasions.map(planned([], 0.5))
    const plan = planned([], 0.5)
    const reversed = [...occasions].reverse().map((one) => plan({ ...one, ordinal: one.ordinal + 77 }))
    expect(reversed.reverse()).toEqual(chosen)
    expect(occasions.map(planned([], 0.5, 2))).not.toEqual(chosen)
    const struck = (faults: readonly unknown[]) => faults.map((fault) => fault !== null)
    const second = occasions.map((one) => plan({ ...one, subjectOrdinal: 2 }))
    expect(struck(second)).not.toEqual(struck(chosen))
  })

  it('never refuses, and never gives an answer that must stop a run', () => {
    const kinds = new Set(occasions.map((one) => planned([], 1)(one)?.kind))
    expect([...kinds].sort()).toEqual(['cut', 'hang', 'nonsense', 'reset', 'server_error', 'throttle'])
  })

  it('gives way to a script', () => {
    const plan = planned([{ fault: { kind: 'delay', for_ms: 1 } }], 1)
    expect(occasions.every((one) => plan(one)?.kind === 'delay')).toBe(true)
  })
})
