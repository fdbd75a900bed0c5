import { describe, expect, it } from 'vitest'
import { validExport, validLine } from '../support/export.js'
import { placeForEach } from '../support/place.js'

const { read, write, program, held } = placeForEach({ sandbox: {} })
const writeColumn = (column: string, cells: readonly string[]): void =>
  write(
    'export.csv',
    `${[`${validExport(0).trim()},${column}`, ...cells.map((cell, index) => `${validLine(index + 1)},${cell}`)].join('\n')}\n`,
  )

describe('words that nobody understands, as a user meets them', () => {
  it('rows wait for words, and are read again by the same command', async () => {
    writeColumn('status', ['active', '1', '4', '5'])
    const first = await program('run', 'export.csv')
    expect(first.status).toBe(3)
    expect(held()).toEqual([1])
    write('sepa-migrate.yaml', 'words: { status: { active: ["1"], notActive: ["4"] } }\n')
    const second = await program('run', 'export.csv')
    expect(second.stdout).toContain('1 the same, 1 has ended, 1 can be sent now')
    expect(second.status).toBe(3)
    expect(held().toSorted()).toEqual([1, 2])
    expect((await program('run', 'export.csv')).stdout).toContain('is in the ledger already')
    expect(held()).toHaveLength(2)
  })

  it('check lists a column that may be a status, run and plan refuse it, and none answers once', async () => {
    const cells = Array.from({ length: 24 }, (_, index) => (index % 4 === 0 ? 'skončeno' : 'platí'))
    writeColumn('Stav', cells)
    const checked = await program('check', 'export.csv')
    expect([checked.status, checked.stdout]).toEqual([7, expect.stringContaining('"Stav" may say which')])
    for (const command of ['run', 'plan']) expect((await program(command, 'export.csv')).status).toBe(7)
    expect(held()).toEqual([])
    write('sepa-migrate.yaml', 'columns: { status: none }\n')
    const said = expect.stringContaining('every mandate is treated as active') as string
    const planned = await program('plan', 'export.csv', '--to', 'plan.json')
    expect([planned.stdout, read('plan.html')]).toEqual([said, said])
    const ended = await program('run', 'export.csv')
    expect([ended.status, ended.stdout, read('report.html')]).toEqual([0, said, said])
    expect(held()).toHaveLength(24)
  })
})
