import { describe, expect, it } from 'vitest'
import { UsageError } from '../../src/errors.js'
import { checkFaults, parseFaults, planFaults } from '../../src/sandbox/faults.js'
import type { FaultRuleInput, Occasion } from '../../src/sandbox/faults.js'
import { once } from 'node:events'
import { connect } from 'node:net'
import { readMigrateAnswer } from '../../src/contract/mandates.js'
import type { Sandbox } from '../../src/sandbox/sandbox.js'
import { samples } from '../contract/wire-samples.js'
import { createOffer, MIGRATE, migrate, start, update } from './exchange.js'

/** With more of it. */
const answer = { kind: 'answer', status: 200 } as const

describe('the vocabulary of faults', () => {
  it('fills in what a rule leaves out', () => {
    const [reset] = checkFaults([{ fault: { kind: 'reset' } }])
    expect(reset).toEqual({
      operation: 'any',
      match: {},
      times: null,
      fault: { kind: 'reset', applied: true },
    })
    const message = 'Refused on purpose'
    const refused = { kind: 'refuse', status: 422, code: 'INVALID_PARAMETER', field: null, message }
    expect(checkFaults([{ fault: { kind: 'refuse' } }])[0]?.fault).toEqual(refused)
    const throttled = { kind: 'throttle', status: 429, retry_after: 1 }
    expect(checkFaults([{ fault: { kind: 'throttle' } }])[0]?.fault).toEqual(throttled)
  })

  it('is read from JSON text', () => {
    expect(parseFaults('[]', 'faults.json')).toEqual([])
    const named = { next: expect.stringContaining('sepa-migrate help sandbox') as string }
    const message = 'Cannot use faults.json: it is not JSON'
    expect(() => parseFaults('[', 'faults.json')).toThrow(expect.objectContaining({ ...named, message }))
  })

  it.each([
    [{}, 'Cannot use faults.json: must be a list of rules'],
    [[{}], 'rule 1, fault: must be one of refuse, throttle'],
    [[{ fault: { kind: 'reset' } }, { fault: { kind: 'explode' } }], 'rule 2, fault.kind: must be one of'],
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
      'rule 1, fault.answer: needs',
    ],
    [[{ fault: { ...answer, headers: { 'Content-Length': '1' } } }], 'rule 1, fault.headers.'],
    [[{ fault: { ...answer, headers: { a: 'b\r\nc: d' } } }], 'rule 1, fault.headers.a: '],
  ])('refuses %j and says where', (rules, message) => {
    const check = () => checkFaults(rules, 'faults.json')
    expect(check).toThrow(UsageError)
    expect(check).toThrow(message)
  })
})

const occasion = (change: Partial<Occasion> = {}): Occasion => {
  return { operation: 'migrate', subject: '1042', ordinal: 1, subjectOrdinal: 1, ...change }
}
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
    const match = { customer_no: 1042 }
    const throttled = { match, times: 2, fault: { kind: 'throttle' } } as const
    const plan = planned([throttled, { match, times: 1, fault: { kind: 'reset' } }])
    const kinds = [1, 2, 3, 4].map(() => plan(occasion())?.kind)
    expect(kinds).toEqual(['throttle', 'throttle', 'reset', undefined])
  })
})

describe('chaos', () => {
  const occasions = Array.from({ length: 2_000 }, (_, at) => occasion({ subject: `${at}`, ordinal: at + 1 }))

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

type Fault = FaultRuleInput['fault']
const startWith = (fault: Fault) => start({ faults: [{ operation: 'migrate', times: 1, fault }] })

/** A request as bytes, so that a broken answer can be seen as it is. */
function rawRequest({ port }: Sandbox) {
  const text = JSON.stringify(samples.migrateMandate.request)
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `POST ${MIGRATE} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n` +
      `Authorization: Basic ${Buffer.from('sandbox:sandbox').toString('base64')}\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
  return socket
}

/** The bytes of the raw answer and how the connection ended. */
async function rawExchange(sandbox: Sandbox): Promise<{ bytes: string; ended: 'end' | 'reset' }> {
  const chunks: Buffer[] = []
  let ended: 'end' | 'reset' = 'end'
  const socket = rawRequest(sandbox)
  socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => (ended = 'reset'))
  await new Promise((resolve) => socket.once('close', resolve))
  return { bytes: Buffer.concat(chunks).toString(), ended }
}

describe('faults that are plain answers', () => {
  const field = 'amendment.unique_mandate_reference'
  const refused = { kind: 'refuse', status: 422, code: 'WORD', field, message: 'no' } as const
  const field_path = field.split('.')
  const elsewhere = { location: 'http://127.0.0.1:9/', 'content-type': 'text/plain' }
  const redirect = { kind: 'answer', status: 307, headers: elsewhere } as const
  const later = 'Fri, 01 Jan 2100 00:00:00 GMT'
  it.each<[Fault, object, number]>([
    [refused, { status: 422, json: { status: 'WORD', data: { message: 'no', field, field_path } } }, 0],
    [{ kind: 'throttle' }, { status: 429, headers: { 'retry-after': '1' } }, 0],
    [{ kind: 'throttle', retry_after: later }, { status: 429, headers: { 'retry-after': later } }, 0],
    [{ kind: 'throttle', status: 503, retry_after: null }, { status: 503 }, 0],
    [{ kind: 'server_error' }, { status: 500 }, 0],
    [{ kind: 'server_error', status: 503, applied: true }, { status: 503 }, 1],
    [{ ...redirect, body: 'elsewhere' }, { status: 307, text: 'elsewhere', headers: elsewhere }, 0],
    [{ kind: 'answer', status: 409, body: { a: [1] } }, { status: 409, json: { a: [1] } }, 0],
    [{ kind: 'answer', status: 204, body: 'x' }, { status: 204, text: '' }, 0],
  ])('%j, once', async (fault, expected, held) => {
    const sandbox = await startWith(fault)
    const answer = await migrate(sandbox)
    expect(answer).toMatchObject(expected)
    if ('retry_after' in fault && fault.retry_after === null)
      expect(answer.headers).not.toHaveProperty('retry-after')
    expect(sandbox.mandates()).toHaveLength(held)
    expect((await migrate(sandbox)).status).toBe(200)
  })

  it('delay: the usual answer, later', async () => {
    const sandbox = await startWith({ kind: 'delay', for_ms: 5 })
    expect((await migrate(sandbox)).status).toBe(200)
    expect(sandbox.requests().faults).toEqual({ delay: 1 })
  })
})

describe('nonsense with status 200', () => {
  it.each([
    ['html', '<!doctype html>', 200],
    ['empty', '', 200],
    ['no_content', '', 204],
    ['null', 'null', 200],
    ['array', '[', 200],
    ['no_data', '{"status":"OK"}', 200],
    ['no_references', '{"status":"OK","data":{"customer_no":1042', 200],
  ] as const)('%s cannot be read, though the mandate is registered', async (answer, begin, status) => {
    const sandbox = await startWith({ kind: 'nonsense', answer })
    const seen = await migrate(sandbox)
    expect(seen.status).toBe(status)
    expect(seen.text.startsWith(begin)).toBe(true)
    expect(readMigrateAnswer(seen.json).kind).toBe('unreadable')
    expect(sandbox.mandates()).toHaveLength(1)
  })

  it('can come without effect', async () => {
    const sandbox = await startWith({ kind: 'nonsense', answer: 'null', applied: false })
    await migrate(sandbox)
    expect(sandbox.mandates()).toEqual([])
  })

  it('wrong_echo: names another customer', async () => {
    const answer = await migrate(await startWith({ kind: 'nonsense', answer: 'wrong_echo' }))
    expect(readMigrateAnswer(answer.json)).toMatchObject({ kind: 'read', data: { customer_no: 1043 } })
  })

  it('repeated_reference: gives the reference of the first mandate again, but holds another', async () => {
    const fault = { kind: 'nonsense', answer: 'repeated_reference' } as const
    const sandbox = await start({ faults: [{ operation: 'migrate', match: { request: 2 }, fault }] })
    const answers = [await migrate(sandbox), await migrate(sandbox, { customer_no: 7 })]
    const [first] = sandbox.mandates()
    for (const { json } of answers)
      expect(json).toMatchObject({ data: { unique_mandate_reference: first?.unique_mandate_reference } })
    expect(new Set(sandbox.mandates().map((mandate) => mandate.unique_mandate_reference)).size).toBe(2)
  })
})

describe('faults of the connection', () => {
  it.each([true, false])('reset: no byte of an answer, with effect %s', async (applied) => {
    const sandbox = await startWith({ kind: 'reset', applied })
    expect(await rawExchange(sandbox)).toEqual({ bytes: '', ended: 'reset' })
    expect(sandbox.mandates()).toHaveLength(applied ? 1 : 0)
    expect((await migrate(sandbox)).status).toBe(200)
  })

  it.each([
    ['content_length', /\r\nContent-Length: \d+\r\n/],
    ['chunked', /\r\nTransfer-Encoding: chunked\r\n/],
  ] as const)('cut: a client sees that a %s body is not whole', async (framing, header) => {
    const sandbox = await startWith({ kind: 'cut', framing })
    const { bytes } = await rawExchange(sandbox)
    expect(bytes).toMatch(header)
    expect(bytes).toContain('"customer_no":1042')
    expect(bytes).not.toContain('unique_mandate_reference')
    expect(sandbox.mandates()).toHaveLength(1)
    const other = await startWith({ kind: 'cut', framing })
    await expect(migrate(other)).rejects.toThrow()
  })

  it('cut: with close the client cannot see it, but half the JSON is no JSON', async () => {
    const sandbox = await startWith({ kind: 'cut', framing: 'close' })
    const answer = await migrate(sandbox)
    expect(answer.status).toBe(200)
    expect(answer.json).toBeUndefined()
    expect(answer.text).toContain('"customer_no":1042')
  })

  it('hang: answers nothing until the client leaves, the mandate being registered', async () => {
    const sandbox = await startWith({ kind: 'hang' })
    const socket = rawRequest(sandbox)
    await expect.poll(() => sandbox.mandates()).toHaveLength(1)
    expect(socket.bytesRead).toBe(0)
    socket.destroy()
    await once(socket, 'close')
    await expect.poll(() => sandbox.requests().answered).toEqual({ none: 1 })
  })

  it('hang: may end by a closed connection after its time', async () => {
    const sandbox = await startWith({ kind: 'hang', for_ms: 5, applied: false })
    expect((await rawExchange(sandbox)).bytes).toBe('')
    expect(sandbox.mandates()).toEqual([])
  })

  it('hang: does not keep the sandbox from closing', async () => {
    const sandbox = await startWith({ kind: 'hang' })
    const broken = expect(migrate(sandbox)).rejects.toThrow()
    await expect.poll(() => sandbox.requests().faults).toEqual({ hang: 1 })
    await sandbox.close()
    await broken
  })
})

it('a fault on a request that the service would refuse gives way to the refusal when it comes after the effect', async () => {
  const sandbox = await startWith({ kind: 'reset', applied: true })
  const answer = await migrate(sandbox, { customer_no: 0 })
  expect(answer.json).toMatchObject({ status: 'INVALID_PARAMETER', data: { field: 'customer_no' } })
})

it('faults of the other operations are planned per operation', async () => {
  const sandbox = await start({
    faults: [
      { operation: 'offer', fault: { kind: 'reset', applied: true } },
      { operation: 'billogram', match: { billogram_id: 'SANDBOX2' }, fault: { kind: 'throttle' } },
    ],
  })
  await expect(createOffer(sandbox)).rejects.toThrow()
  expect(sandbox.offers()).toHaveLength(1)
  const change = { customer: {}, items: [] }
  expect((await update(sandbox, change)).status).toBe(200)
  expect((await update(sandbox, change, 'SANDBOX2')).status).toBe(429)
  expect((await migrate(sandbox)).status).toBe(200)
})

it('latency comes after the effect, so that a client that gives up leaves a registered mandate behind', async () => {
  const sandbox = await start({ latencyMs: 3_600_000 })
  const broken = expect(migrate(sandbox)).rejects.toThrow()
  await expect.poll(() => sandbox.mandates()).toHaveLength(1)
  await sandbox.close()
  await broken
})
