import { beforeEach, describe, expect, it } from 'vitest'
import { germanIban } from '../support/export.js'
import { placeForEach } from '../support/place.js'

const ESCAPE = '\u001b[31m\u009b2J\u202e'
/** In a name of a column, a reference, a file and an answer of the service. */
const EXPORT = [
  `customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,"Na${ESCAPE}me"`,
  `1,${germanIban(1)},2024-01-02,DE98ZZZ09999999999,M-1,x`,
  `2,${germanIban(2)},2024-01-02,DE98ZZZ09999999999,=1+2,"x;=cmd"`,
  `3,${germanIban(3)},2024-01-02,DE98ZZZ09999999999,M-${ESCAPE}3,x`,
  `4,${germanIban(4)},2024-01-02,DE98ZZZ09999999999,+49/4,x`,
].join('\n')
const FILE = `export${ESCAPE}.csv`

const said = { kind: 'refuse', status: 422, message: `no${ESCAPE}no` } as const
const { read, write, program } = placeForEach({
  sandbox: { faults: [{ match: { customer_no: 1 }, fault: said }] },
})
beforeEach(() => write(FILE, EXPORT))

describe('9.2.7 what others wrote does not reach the terminal as commands', () => {
  it.each([
    ['inspect', [FILE]],
    ['check', [FILE]],
    ['check', [FILE, '--json']],
    ['check', [`missing${ESCAPE}.csv`]],
    ['customer', ['show', `1${ESCAPE}`]],
    [`no${ESCAPE}command`, []],
  ])('%s %j', async (command, args) => {
    const { stdout, stderr } = await program(command, ...args)
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
    expect((stdout + stderr).length).toBeGreaterThan(20)
  })

  it('run, its log, status, show and registered.csv', async () => {
    const args = [FILE, '--verbose', '--log-file', 'run.log']
    const printed = [
      await program('run', ...args),
      await program('status'),
      await program('customer', 'show', '1'),
      await program('customer', 'show', '3', '--json'),
    ]
    expect(printed[0]?.stderr).toContain('Row 1: refused')
    for (const { stdout, stderr } of printed)
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
    expect(read('run.log')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
    expect(read('registered.csv')).toContain('"=""+49/4"""')
    expect(read('registered.csv')).not.toMatch(/[\u001b\u009b\u202e]/)
  })
})
