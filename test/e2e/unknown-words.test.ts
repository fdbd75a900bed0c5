import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Papa from 'papaparse'
import { stringify } from 'csv-stringify/sync'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.js'
import { validExport, validLine } from '../support/export.js'
import { CREDENTIALS, inReport, makeFolder, runProgram, type Ended } from '../support/program.js'

let place: ReturnType<typeof makeFolder>
let sandbox: Sandbox
beforeEach(async () => {
  place = makeFolder()
  sandbox = await startSandbox({ seed: 1 })
})
afterEach(async () => {
  await sandbox.close()
  place.remove()
})

const path = (name: string): string => join(place.folder, inReport(name))
const program = (...args: string[]): Promise<Ended> =>
  runProgram(args, { cwd: place.folder, env: { ...CREDENTIALS, SEPA_MIGRATE_BASE_URL: sandbox.url } })
const customers = (): number[] => sandbox.mandates().map(({ customer_no }) => customer_no)
const write = (column: string, cells: readonly string[]): void =>
  writeFileSync(
    path('export.csv'),
    `${[`${validExport(0).trim()},${column}`, ...cells.map((cell, index) => `${validLine(index + 1)},${cell}`)].join('\n')}\n`,
  )

describe('26.2 words that nobody understands, as a user meets them', () => {
  it('26.2 rows wait for words, and the same command takes them up again', async () => {
    write('status', ['active', '1', '4', '5'])
    const first = await program('run', 'export.csv')
    expect(first.status).toBe(3)
    expect(customers()).toEqual([1])
    writeFileSync(path('sepa-migrate.yaml'), 'words: { status: { active: ["1"], notActive: ["4"] } }\n')
    const second = await program('run', 'export.csv')
    expect(second.stdout).toContain('2 rows of "export.csv" that waited for a word came in again.')
    expect(second.status).toBe(3)
    expect(customers().toSorted()).toEqual([1, 2])
    expect((await program('run', 'export.csv')).stdout).toContain('is in the ledger already')
    expect(customers()).toHaveLength(2)
  })

  it('26.2 a person says send, of one row alone', async () => {
    write('status', ['active', '1', '4'])
    await program('run', 'export.csv')
    const text = readFileSync(path('corrections.csv'), 'utf8').replace(/^\uFEFF/, '')
    const { data } = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true })
    expect(data.map((row) => row['migration_rule'])).toEqual(['STATUS_UNKNOWN', 'STATUS_UNKNOWN'])
    expect(data[0]?.['migration_remedy']).toContain('write "send" into migration_decision')
    const said = data.map((row, index) => ({ ...row, migration_decision: index === 0 ? 'send' : '' }))
    writeFileSync(path('said.csv'), stringify(said, { header: true }))
    const ended = await program('run', 'said.csv', '--json')
    const { totals } = JSON.parse(ended.stdout) as { totals: Record<string, number> }
    expect(totals).toMatchObject({ read: 3, resubmitted: 2, registered: 2, conflict: 1 })
    expect(customers().toSorted()).toEqual([1, 2])
  })

  it('26.2 check lists a column that may be a status, run and plan refuse it, and none answers once', async () => {
    write(
      'Stav',
      Array.from({ length: 24 }, (_, index) => (index % 4 === 0 ? 'skončeno' : 'platí')),
    )
    const checked = await program('check', 'export.csv')
    expect(checked.status).toBe(7)
    expect(checked.stdout).toContain('"Stav" may say which mandates are active')
    for (const command of ['run', 'plan']) {
      const refused = await program(command, 'export.csv')
      expect(refused.status).toBe(7)
      expect(refused.stderr).toContain('columns: { status: none }')
    }
    expect(customers()).toEqual([])
    writeFileSync(path('sepa-migrate.yaml'), 'columns: { status: none }\n')
    const planned = await program('plan', 'export.csv', '--to', 'plan.json')
    expect(planned.stdout).toContain('every mandate is treated as active')
    expect(readFileSync(path('plan.html'), 'utf8')).toContain('every mandate is treated as active')
    const ended = await program('run', 'export.csv')
    expect(ended.status).toBe(0)
    expect(ended.stdout).toContain('every mandate is treated as active')
    expect(readFileSync(path('report.html'), 'utf8')).toContain('every mandate is treated as active')
    expect(customers()).toHaveLength(24)
  })

  it('26.2 an export that was cut inside its last cell keeps that row back', async () => {
    writeFileSync(
      path('export.csv'),
      `iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,customer_no\n${[110048, 1100]
        .map((n) => `${validLine(n).split(',').slice(1).join(',')},${n}`)
        .join('\n')}`,
    )
    const ended = await program('run', 'export.csv')
    expect(ended.status).toBe(3)
    expect(customers()).toEqual([110048])
    expect(readFileSync(path('corrections.csv'), 'utf8')).toContain('ROW_MAY_BE_CUT')
    expect(readFileSync(path('problems.csv'), 'utf8')).toContain('FILE_MAY_BE_CUT')
  })
})
