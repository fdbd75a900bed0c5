import { beforeEach, expect, it } from 'vitest'
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

it('what others wrote reaches neither the terminal as commands, nor the log, nor registered.csv', async () => {
  const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/
  for (const args of [
    ['inspect', FILE],
    ['check', FILE],
    ['check', FILE, '--json'],
    ['check', `missing${ESCAPE}.csv`],
    ['customer', 'show', `1${ESCAPE}`],
    [`no${ESCAPE}command`],
    ['run', FILE, '--verbose', '--log-file', 'run.log'],
    ['status'],
    ['customer', 'show', '1'],
    ['customer', 'show', '3', '--json'],
  ]) {
    const { stdout, stderr } = await program(...args)
    expect(stdout + stderr, args.join(' ')).not.toMatch(OBEYED)
    expect((stdout + stderr).length).toBeGreaterThan(20)
    if (args[0] === 'run') expect(stderr).toContain('Row 1: refused')
  }
  expect(read('run.log')).not.toMatch(OBEYED)
  expect(read('registered.csv')).toContain('"=""+49/4"""')
  expect(read('registered.csv')).not.toMatch(/[\u001b\u009b\u202e]/)
})
