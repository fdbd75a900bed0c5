import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PACK_FILES, TO_DO_FILES } from '../../src/report/pack/pack.js'
import { validExport, validLine } from '../support/export.js'
import { placeForEach, type Told } from '../support/place.js'
import type { Ended } from '../support/program.js'

const { path, read, write, program, sandbox } = placeForEach({ sandbox: {} })
const run = (...args: string[]): Promise<Ended> => program('run', ...args)
const json = ({ stdout }: Ended): Told => JSON.parse(stdout) as Told

const TOTALS = [
  'read',
  'resubmitted',
  'invalid',
  'duplicate',
  'conflict',
  'excluded',
  'superseded',
  'ready',
  'sending',
  'registered',
  'refused',
  'inDoubt',
  'writtenOff',
]

describe('the whole program', () => {
  it('registers every row of a clean export once, and running it again sends nothing', async () => {
    write('export.csv', validExport(40))
    const first = await run('export.csv', '--json')
    expect(first).toMatchObject({ status: 0, stderr: '' })
    expect(Object.keys(json(first).totals)).toEqual(TOTALS)
    expect(json(first)).toMatchObject({ ok: true, balanced: true, totals: { read: 40, registered: 40 } })

    const again = await run('export.csv', '--json')
    expect(again.status).toBe(0)
    expect(json(again)).toMatchObject({ totals: { read: 40, registered: 40 } })
    expect(json(again)).toMatchObject({ warnings: [], admitted: [{ name: 'export.csv', kind: 'known' }] })
    expect(sandbox().mandates()).toHaveLength(40)
    expect(
      new Set(
        sandbox()
          .mandates()
          .map(({ customer_no }) => customer_no),
      ).size,
    ).toBe(40)
  })

  it('writes old and new identifiers of every registered row, as the service holds them', async () => {
    write('export.csv', validExport(12))
    await run('export.csv')
    const [header, ...lines] = read('registered.csv').trim().split('\n')
    expect(header).toBe(
      'customer_no,iban_masked,signed_date,original_creditor_identifier,original_mandate_reference,' +
        'assigned_creditor_identifier,assigned_mandate_reference,registered_at,source,record,attempts,latest_first_debit',
    )
    const told = lines.map((line) => line.replaceAll('"', '').split(','))
    const held = new Map(
      sandbox()
        .mandates()
        .map((mandate) => [String(mandate.customer_no), mandate]),
    )
    expect(told).toHaveLength(12)
    for (const [customer = '', , , , reference, ci, umr] of told) {
      expect(reference).toBe(`MANDATE-${customer}`)
      expect(umr).toBe(held.get(customer)?.unique_mandate_reference)
      expect(ci).toBe(held.get(customer)?.sepa_creditor_identifier)
    }
  })

  it('sends a pilot of --limit rows, says that rows remain, and continues without the file', async () => {
    write('export.csv', validExport(25))
    const pilot = await run('export.csv', '--limit', '10', '--json')
    expect(pilot.status).toBe(5)
    expect(json(pilot)).toMatchObject({ totals: { registered: 10, ready: 15 }, stop: { kind: 'limit' } })
    const rest = await run('--json')
    expect(rest.status).toBe(0)
    expect(sandbox().mandates()).toHaveLength(25)
  })

  it('checks without network or ledger and agrees with run on what would be sent', async () => {
    write(
      'export.csv',
      `${validExport(5)}${validLine(3)}\n7,DE00370400440000000060,2024-01-01,DE98ZZZ09999999999,X\n`,
    )
    const checked = await program('check', 'export.csv', '--json', '--out', 'checked')
    expect(checked.status).toBe(3)
    expect(json(checked)).toMatchObject({
      balanced: true,
      totals: { read: 7, ready: 5, duplicate: 1, invalid: 1, registered: 0 },
    })
    expect(read('checked/problems.csv').split('\n')[0]).toBe(
      'source,record,line,column,rule,severity,value,message,remedy',
    )
    expect(read('checked/problems.csv')).toContain('IBAN_CHECK_RANGE')
    expect(() => statSync(path('sepa-migrate.db'))).toThrow()
    const ran = await run('export.csv', '--json')
    expect(json(ran)).toMatchObject({ totals: { read: 7, registered: 5, duplicate: 1, invalid: 1 } })
  })

  it('shows where the campaign stands, with the exit status of what is open', async () => {
    write('export.csv', `${validExport(2)}x,DE00,2024-01-01,DE98ZZZ09999999999,X\n`)
    await run('export.csv')
    const status = await program('status', '--json')
    expect(status.status).toBe(3)
    expect(json(status)).toMatchObject({ balanced: true, totals: { read: 3, registered: 2, invalid: 1 } })
    const shown = await program('status')
    expect(shown.stdout).toMatch(/balanced: 3 read/)
    expect(shown.stdout.trim().split('\n').at(-1)).toMatch(/^Next: /)
  })

  it('writes the same report twice, byte for byte, for its owner alone', async () => {
    write('export.csv', validExport(5))
    await run('export.csv')
    const first = await program('report', '--out', 'one', '--json')
    const second = await program('report', '--out', 'two', '--json')
    const names = Object.keys(json(first).files).sort()
    expect(names).toEqual([...PACK_FILES, ...TO_DO_FILES.map((name) => basename(name))].sort())
    for (const name of names) {
      const [one, two] = [first, second].map((ended) => readFileSync(path(json(ended).files[name] ?? '')))
      expect(one?.equals(two ?? Buffer.alloc(0)), name).toBe(true)
      expect(statSync(path(json(first).files[name] ?? '')).mode & 0o777, name).toBe(0o600)
    }
  })

  it('writes plain lines and no control characters where there is no terminal', async () => {
    write('export.csv', validExport(30))
    const { stdout, stderr } = await run('export.csv')
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
    expect(stderr).toMatch(/^Sending 30 rows$/m)
  })
})
