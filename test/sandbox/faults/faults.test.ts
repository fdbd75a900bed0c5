import { describe, expect, it } from 'vitest'
import { UsageError } from '../../../src/errors.js'
import { checkFaults, parseFaults } from '../../../src/sandbox/faults/faults.js'

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
    [[{ fault: { kind: 'reset', status: 500 } }], 'rule 1, fault: Unrecognized key: "status"'],
    [[{ operation: 'pay', fault: { kind: 'reset' } }], 'rule 1, operation: '],
    [[{ match: { customer: 1 }, fault: { kind: 'reset' } }], 'rule 1, match: Unrecognized key: "customer"'],
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
