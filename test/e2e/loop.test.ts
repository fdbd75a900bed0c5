import { describe, expect, it } from 'vitest'
import { germanIban, validExport, validLine } from '../support/export.js'
import { placeForEach } from '../support/place.js'
import { inReport } from '../support/program.js'

const place = placeForEach({
  sandbox: { faults: [{ match: { customer_no: 5 }, times: 1, fault: { kind: 'refuse', status: 422 } }] },
})
const { read, write, held, sandbox } = place

async function program(...args: string[]) {
  const told = await place.json(...args)
  expect(told.balanced).toBe(true)
  return told
}

it('check compares our own files with the campaign and changes nothing, or takes each on its own', async () => {
  // Customers 1 and 2 are fine, 3 has an impossible date, 4 stands twice, 5 is refused once.
  const lines = [1, 2, 3, 4, 4, 5].map((n) => validLine(n).replace('2024-03-04', '2024-02-30'))
  write('export.csv', `${validExport(0)}${lines.join('\n')}\n`)
  await program('run', 'export.csv')
  for (const name of ['corrections.csv', 'refused.csv', 'not-sent.csv']) {
    const checked = await program('check', inReport(name))
    expect(checked.totals).toMatchObject({ read: 1, resubmitted: 0, conflict: 0 })
    expect(checked.warnings.join()).toContain('it was checked on its own')
  }
  write('corrected.csv', read('corrections.csv').replace('2024-02-30', '2024-02-29'))
  const files = ['corrected.csv', inReport('refused.csv')]
  expect(await program('check', '--ledger', 'sepa-migrate.db', ...files)).toMatchObject({
    exitCode: 0,
    totals: { read: 6, resubmitted: 2, registered: 3, ready: 1, refused: 1, invalid: 0, duplicate: 1 },
    problems: [],
  })
  const status = await program('status')
  expect(status.totals).toMatchObject({ read: 6, resubmitted: 0, invalid: 1, refused: 1 })
})

describe('a file of ours that comes back without the configuration of its export', () => {
  const withColumn = (cells: readonly string[], name = 'Kennz.'): string =>
    [
      `${validExport(0).trim()},${name}`,
      ...cells.map((cell, index) => `${validLine(index + 1)},${cell}`),
      '',
    ].join('\n')
  const configured = (text: string): string[] => {
    write('export.yaml', text)
    return ['--config', 'export.yaml']
  }
  const giveBack = (...args: string[]) => program('run', inReport('not-sent.csv'), ...args)

  it('is refused where a column said which mandates have ended, and sends none of them', async () => {
    write('export.csv', withColumn(['aktiv', 'erloschen']))
    await program('run', 'export.csv', ...configured('columns: { status: "Kennz." }\n'))
    const told = await giveBack()
    expect(told.exitCode).toBe(7)
    expect(told.errors[0]?.message).toMatch(
      /Row 2 came in with the column "Kennz." as status[^]*nothing was sent/,
    )
    expect(held()).toEqual([1])
    // Somebody decides about the column.
    await giveBack('--ignore-column', 'Kennz.')
    expect(held()).toEqual([1, 2])
  })

  it('is refused where a rule of the configuration kept rows back', async () => {
    write('export.csv', withColumn(['Nord', 'Süd']))
    const rule = 'exclude: [{ column: "Kennz.", equals: ["Süd"], reason: stays }]\n'
    await program('run', 'export.csv', ...configured(rule))
    const told = await giveBack()
    expect(told.exitCode).toBe(7)
    expect(told.errors[0]?.message).toContain('Row 2 was kept back by an exclude rule')
    expect(held()).toEqual([1])
    // Somebody decides about the very row.
    write('not-sent.csv', read('not-sent.csv').replace(/"","",""\n$/, '"send","",""\n'))
    await giveBack()
    expect(held()).toEqual([1, 2])
  })

  it('is refused where another column would feed the account', async () => {
    const accounts = [germanIban(71), germanIban(72)]
    write('export.csv', withColumn(accounts, 'Kto neu'))
    const config = configured('columns: { iban: "Kto neu" }\n')
    await program('run', 'export.csv', '--limit', '1', ...config)
    expect((await giveBack()).exitCode).toBe(7)
    await giveBack(...config)
    const { mandates } = sandbox()
    expect(mandates().map(({ iban }) => iban)).toEqual(accounts)
  })
})
