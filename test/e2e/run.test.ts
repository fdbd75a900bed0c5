import { statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { IBAN_EXAMPLES } from '../domain/iban-examples.js'
import { validExport, validLine } from '../support/export.js'
import { placeForEach, placeOfTest } from '../support/place.js'

describe('a whole run', () => {
  const { path, read, write, rows, json, program, sandbox, held } = placeForEach({ sandbox: {} })

  const TOTALS =
    'read resubmitted invalid duplicate conflict excluded superseded ready sending registered refused inDoubt writtenOff'

  it('registers every row of a clean export once, and running it again sends nothing', async () => {
    write('export.csv', validExport(30))
    const { stdout, stderr } = await program('run', 'export.csv')
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
    expect(stderr).toMatch(/^Sending 30 rows$/m)
    const repeated = await program('run', 'export.csv')
    expect(repeated.stdout).toContain('"export.csv" is in the ledger already: nothing of it was added.')
    const again = await json('run', 'export.csv')
    expect(Object.keys(again.totals).join(' ')).toBe(TOTALS)
    expect(again).toMatchObject({
      ...{ ok: true, exitCode: 0, balanced: true, warnings: [] },
      totals: { read: 30, registered: 30 },
      admitted: [{ name: 'export.csv', kind: 'known' }],
    })
    expect(held().sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, n) => n + 1))

    const columns = ['customer_no', 'original_mandate_reference', 'assigned_mandate_reference']
    const told = rows('registered.csv').map((row) => columns.map((name) => row[name]))
    const there = sandbox().mandates()
    const inOrder = there.map(({ customer_no: n, unique_mandate_reference }) => [
      ...[String(n), `MANDATE-${n}`, unique_mandate_reference],
    ])
    expect(told.sort()).toEqual(inOrder.sort())
  })

  it('checks without network or ledger and agrees with run on what would be sent', async () => {
    const broken = '7,DE00370400440000000060,2024-01-01,DE98ZZZ09999999999,X'
    write('export.csv', `${validExport(5)}${validLine(3)}\n${broken}\n`)
    expect(await json('check', 'export.csv', '--out', 'checked')).toMatchObject({
      exitCode: 3,
      balanced: true,
      totals: { read: 7, ready: 5, duplicate: 1, invalid: 1, registered: 0 },
    })
    expect(read('checked/problems.csv')).toContain('IBAN_CHECK_RANGE')
    expect(() => statSync(path('sepa-migrate.db'))).toThrow()
    const { stdout, stderr } = await program('run', 'export.csv', '--json', '--verbose')
    expect(JSON.parse(stdout)).toMatchObject({ totals: { read: 7, registered: 5, duplicate: 1, invalid: 1 } })
    expect(stderr.match(/^.*row \d.*registered/gim), 'each attempt, beside the document').toHaveLength(5)
    expect(await json('status')).toMatchObject({ exitCode: 3, balanced: true, totals: { registered: 5 } })
  })
})

it('13 an answer that names another customer says by its rule why the row is in doubt, for as long as it is', async () => {
  const fault = { kind: 'nonsense', answer: 'wrong_echo' } as const
  const place = await placeOfTest({
    sandbox: { faults: [{ operation: 'migrate', match: { customer_no: 1 }, fault }] },
  })
  place.write('export.csv', validExport(2))
  await place.ends(4, 'run', 'export.csv')
  const rule = 'RESPONSE_ECHO_MISMATCH'
  expect(place.rows('in-doubt.csv')).toMatchObject([{ migration_rule: rule }])
  expect(place.rows('problems.csv')).toMatchObject([{ record: '1', rule, severity: 'error' }])
  expect(place.read('report.html')).toContain(rule)

  const said = ['--reason', 'seen there', '--assigned-creditor-identifier', 'DE98ZZZ09999999999']
  const reference = ['--assigned-mandate-reference', 'NEW-9']
  await place.ends(5, 'resolve', '--row', '1', '--as', 'registered', ...said, ...reference)
  expect((await place.json('run')).warnings, 'somebody looked it up').toEqual([])
})

describe('some of the rows', () => {
  const { read, write, held, sandbox, program, ends, json } = placeForEach({ sandbox: {} })

  it('run --only and --country send some of the ready rows, say how many they leave, and the next command sends those', async () => {
    const lines = ['A', 'B', 'C', 'A', ' b', 'A', 'C', 'B'].map(
      (segment, index) => `${validLine(index + 1)},${segment},${index % 2 === 0 ? 'north' : 'south'}`,
    )
    write('export.csv', `${[`${validExport(0).trim()},Segment,Sales region`, ...lines].join('\n')}\n`)
    const run = (...args: string[]) => program('run', 'export.csv', ...args)

    const one = await run('--only', 'segment=A,C', '--only', 'Sales region=north', '--limit', '1')
    expect([one.status, held()]).toEqual([5, [1]])
    expect(one.stdout).toContain('only segment: A or C; Sales region: north; 5 other rows stay ready\n')
    expect(one.stdout).toMatch(/Next: sepa-migrate run --only segment=A,C --only 'Sales region=north'\n/)

    const two = await run('--only', 'segment=A,C', '--only', 'Sales region=north')
    expect([two.status, held().toSorted()]).toEqual([5, [1, 3, 7]])
    expect(two.stdout).toContain('Sales region: north) is ready any more, and 5 others are.')
    expect(two.stdout).toMatch(/Next: sepa-migrate run\n/)
    expect(read('report.html')).toContain('Other rows that stay ready: 5.')

    expect(await json('run', '--only', 'Segment=b,C', '--country', 'at,DE')).toMatchObject({
      exitCode: 5,
      stop: { kind: 'choice' },
      choice: { only: [{ column: 'Segment', values: ['b', 'C'] }], countries: ['AT', 'DE'], left: 4 },
      totals: { registered: 4, ready: 4 },
    })
    expect(held().toSorted()).toEqual([1, 3, 5, 7])
    expect((await run('--country', 'DE')).status).toBe(0)
    expect(held().toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(sandbox().requests().repeated).toEqual([])
  })

  it('run --limit --spread takes rows that differ, and names why', async () => {
    const austrian = validLine(9).replace(/,DE\d+,/, `,${IBAN_EXAMPLES['AT']!},`)
    const other = validLine(12).replace('MANDATE-12', 'KD/2024/12')
    const lines = Array.from({ length: 12 }, (_, at) =>
      at === 8 ? austrian : at === 11 ? other : validLine(at + 1),
    )
    write('export.csv', [validExport(0).trim(), ...lines, ''].join('\n'))

    const pilot = await program('run', 'export.csv', '--limit', '4', '--spread')
    expect([pilot.status, held().toSorted((a, b) => a - b)]).toEqual([5, [1, 2, 9, 12]])
    expect(pilot.stderr).toMatch(
      /A pilot that is spread:\n {2}row 1, customer 1: country DE, [^]*row 9, [^]*row 12, .* A\/9\/9\n {2}and 1 row more\n/,
    )
    await ends(0, 'run')
    expect(held()).toHaveLength(12)
  })
})
