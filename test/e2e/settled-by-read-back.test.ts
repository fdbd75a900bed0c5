import { describe, expect, it } from 'vitest'
import type { SandboxOptions } from '../../src/sandbox/settings.js'
import { placeOfTest, type Place } from '../support/place.js'
import type { Ended } from '../support/program.js'
import { openTerminal } from '../support/terminal.js'

let place: Place
const open = async (rows: number, options: SandboxOptions): Promise<void> => {
  place = await placeOfTest({ rows, ownState: true, sandbox: options })
  expect((await place.program('run', 'export.csv', '--no-report')).status).toBe(4)
}
const resolve = (...args: string[]): Promise<Ended> =>
  place.program('resolve', ...args, '--by', 'Ada', '--reason', 'read back')
const customersOf = (state: 'in_doubt' | 'registered') =>
  place.ledger((reader) => reader.rows([state], 0, 10)).map(({ customerNo }) => customerNo)

const reset = (customer_no: number, applied: boolean) =>
  ({ operation: 'migrate', match: { customer_no }, fault: { kind: 'reset', applied } }) as const

describe('what is in doubt', () => {
  it('is proven, shown and recorded, and it is told why another row stays', async () => {
    await open(4, { faults: [reset(2, true), reset(3, false)] })
    const both = await resolve('--ask', '--yes', '--row', '2', '--as', 'registered')
    expect([both.status, both.stderr]).toEqual([
      2,
      expect.stringContaining('the evidence in the ledger decides'),
    ])
    const asked = await resolve('--ask', '--dry-run')
    expect(asked.status).toBe(4)
    // The two in doubt, and two registered ones beside which an absence counts.
    for (const told of [
      'Asked about 4 customers; each gave a list. No state was changed.',
      '1 proven: the service holds it, once',
      '1 absent: the customer has no payment source there',
      'Row 2: in_doubt → registered (not recorded)',
      'Next: sepa-migrate resolve --ask',
    ])
      expect(asked.stdout).toContain(told)
    expect(asked.stdout).toMatch(
      /Row 3 stays in doubt: asked once, .*: no payment source of the customer; ask again from /,
    )
    expect(customersOf('in_doubt')).toEqual([2, 3])

    const recorded = await resolve('--ask', '--yes')
    expect(recorded.status, recorded.stderr).toBe(4)
    expect(recorded.stdout).toContain('1 decision recorded.')
    expect(customersOf('registered')).toEqual([1, 2, 4])
    expect(place.held().sort()).toEqual([1, 2, 4])
    const reference = place.mandateOf(2)?.unique_mandate_reference

    const show = (...more: string[]) => place.program('customer', 'show', '2', ...more)
    expect((await show()).stdout).toMatch(
      /read back at \S+: proven; source \S+ PENDING \S+ DE…\d{4} \S+ \(question \S+\)/,
    )
    const { customer } = JSON.parse((await show('--json')).stdout) as {
      customer: { rows: { readBack: object[] }[] }
    }
    expect(customer.rows[0]?.readBack[0]).toMatchObject({
      verdict: 'proven',
      sources: [{ status: 'PENDING', reference }],
    })

    const again = await resolve('--ask', '--yes')
    expect(again.stdout).toContain('Nothing in doubt is proven; nothing was recorded.')
    for (const { stdout, stderr } of [asked, recorded, again])
      for (const { iban } of place.sandbox().mandates()) expect(stdout + stderr).not.toContain(iban)
  })

  it.skipIf(process.platform !== 'linux')('is recorded by a y alone, on a terminal', async () => {
    await open(3, { faults: [reset(2, true)] })
    for (const [answer, left] of [
      ['\r', 1],
      ['no\r', 1],
      ['y\r', 0],
    ] as const) {
      const session = openTerminal(['resolve', '--ask', '--by', 'Ada'], {
        cwd: place.folder(),
        columns: 100,
        env: place.env(),
      })
      await session.shows('Type y to record 1 row as registered')
      session.type(answer)
      await session.ended
      expect(customersOf('in_doubt')).toHaveLength(left)
    }
  })
})
