import { renameSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { collectionFile } from '../support/collections.js'
import { germanIban, type Row, validExport, validLine } from '../support/export.js'
import { placeForEach } from '../support/place.js'
import { inReport } from '../support/program.js'

/** Valid rows with one more column. */
const withColumn = (cells: readonly string[], name = 'Kennz.'): string =>
  [`${validExport(0).trim()},${name}`, ...cells.map((cell, at) => `${validLine(at + 1)},${cell}`), ''].join(
    '\n',
  )

describe('a list of the report that comes back', () => {
  const { rows, write, edit, held, json, program, ends } = placeForEach({
    rows: 9,
    sandbox: {
      faults: [
        { match: { customer_no: 7 }, times: 1, fault: { kind: 'refuse', status: 422 } },
        { match: { customer_no: 8 }, times: 1, fault: { kind: 'reset', applied: true } },
        { match: { customer_no: 9 }, times: 1, fault: { kind: 'reset', applied: false } },
      ],
    },
  })
  const BY = ['--by', 'ops']
  const expectEachOnce = (customers: readonly number[]): void =>
    expect(held().sort((a, b) => a - b)).toEqual(customers)

  it('a corrected file replaces a refused row, and neither one that is registered nor one in doubt', async () => {
    await program('run', 'export.csv')
    edit('refused.csv', { iban: germanIban(4707) }, 'a.csv')
    edit('in-doubt.csv', { iban: germanIban(4708) }, 'b.csv')
    const { totals } = await json('run', 'a.csv', 'b.csv')
    expect(totals).toMatchObject({ read: 9, resubmitted: 3, registered: 7, inDoubt: 2 })
    expectEachOnce([1, 2, 3, 4, 5, 6, 7, 8])
  })

  it.each([[''], [',migration_decision,migration_reason']])(
    'an export that kept the numbers of rows beside others loses no mandate (migration_row%s)',
    async (more) => {
      const [header = '', ...lines] = validExport(3).trim().split('\n')
      write('first.csv', validExport(3))
      await json('run', 'first.csv')
      const empty = more.replace(/[^,]/g, '')
      const broken = `${validLine(6).replace(germanIban(6), 'DE00')},99${empty}`
      const kept = [
        ...lines.map((line) => `${line},${empty}`),
        ...[`${validLine(4)},1${empty}`, `${validLine(5)},x${empty}`, broken],
      ]
      write('kept.csv', [`${header},migration_row${more}`, ...kept, ''].join('\n'))
      const checked = await json('check', 'kept.csv', '--ledger', 'sepa-migrate.db')
      expect(checked).toMatchObject({ exitCode: 3, totals: { read: 9, invalid: 2, conflict: 1 } })
      const ran = await json('run', 'kept.csv')
      const totals = { read: 9, resubmitted: 0, registered: 3, duplicate: 3, conflict: 1, invalid: 2 }
      expect(ran).toMatchObject({ exitCode: 3, balanced: true, totals })
      expect(await json('status')).toMatchObject({ exitCode: 3, totals })
      expect(rows('corrections.csv').map((row) => row['unique_mandate_reference'])).toEqual(
        [4, 5, 6].map((n) => `MANDATE-${n}`),
      )

      edit(
        'corrections.csv',
        (row) => ({ ...row, iban: germanIban(Number(row['customer_no'])), migration_decision: 'send' }),
        'list.csv',
      )
      expect(await json('run', 'list.csv', '--reason', 'they are new')).toMatchObject({
        exitCode: 0,
        totals: { read: 9, resubmitted: 3, registered: 6, duplicate: 3 },
      })
      expectEachOnce([1, 2, 3, 4, 5, 6])
    },
  )

  it('check says of a word that nobody understands that a person lets its row go', async () => {
    write('words.csv', withColumn(['foo', 'active', 'active'], 'status'))
    await ends(3, 'run', 'words.csv')
    edit('corrections.csv', { migration_decision: 'send', migration_reason: 'x' }, 'go.csv')
    const { stdout } = await program('check', 'go.csv', '--ledger', 'sepa-migrate.db')
    expect(stdout).toContain('A person decided that it is sent.')
    expect(stdout).toContain('→ Nothing to do.')
    expect(stdout).not.toContain('so the row is not sent')
  })

  it('what collections contradict is held when it would go out once more, until a person says so', async () => {
    const debits = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => ({
      reference: `MANDATE-${n}`,
      iban: germanIban(n < 7 ? n : n + 50),
      signed: `2024-03-${String(n + 1).padStart(2, '0')}`,
    }))
    write('january.xml', collectionFile(debits))
    await program('run', 'export.csv')
    const beside = await json('run', '--evidence', 'january.xml')
    expect(beside.totals).toMatchObject({ registered: 6, refused: 1, inDoubt: 2 })
    const said = ['--yes-resend', 'MANDATE-9', ...BY, '--reason', 'the service was asked']
    await json('resolve', '--row', '9', '--as', 'resend', ...said)
    expect(await json('run', '--retry-refused')).toMatchObject({
      exitCode: 4,
      totals: { registered: 6, refused: 0, conflict: 2, inDoubt: 1 },
    })
    const word = { migration_decision: 'send', migration_reason: 'moved' }
    edit('corrections.csv', word, 'back.csv')
    expect((await json('run', 'back.csv')).totals).toMatchObject({ registered: 8, conflict: 0, inDoubt: 1 })
    expectEachOnce([1, 2, 3, 4, 5, 6, 7, 8, 9])
  })
})

describe('our own files', () => {
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
    const configured = (text: string): string[] => {
      write('export.yaml', text)
      return ['--config', 'export.yaml']
    }
    const giveBack = (...args: string[]) => program('run', inReport('not-sent.csv'), ...args)

    it.each<[string, string[], configuration: string, message: RegExp, decides: () => unknown]>([
      [
        'a column said which mandates have ended',
        ['aktiv', 'erloschen'],
        'columns: { status: "Kennz." }\n',
        /Row 2 came in with the column "Kennz\." as status[^]*nothing was sent/,
        () => giveBack('--ignore-column', 'Kennz.'),
      ],
      [
        'a rule of the configuration kept rows back',
        ['Nord', 'Süd'],
        'exclude: [{ column: "Kennz.", equals: ["Süd"], reason: stays }]\n',
        /Row 2 was kept back by an exclude rule/,
        () => {
          write('not-sent.csv', read('not-sent.csv').replace(/"","",""\n$/, '"send","",""\n'))
          return giveBack()
        },
      ],
    ])('is refused where %s, until somebody decides', async (_, cells, configuration, message, decides) => {
      write('export.csv', withColumn(cells))
      await program('run', 'export.csv', ...configured(configuration))
      const told = await giveBack()
      expect(told.exitCode).toBe(7)
      expect(told.errors[0]?.message).toMatch(message)
      expect(held()).toEqual([1])
      await decides()
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
})

describe('a correction', () => {
  const place = placeForEach({ sandbox: {}, env: { SEPA_MIGRATE_BY: 'Berta' } })
  const { read, write, rows, save, edit, sandbox } = place

  async function run(file: string) {
    const told = await place.json('run', file)
    expect(told.balanced).toBe(true)
    return told
  }

  const NEVER = '2024-02-30'
  const LIST = inReport('corrections.csv')

  /** So many rows, each with an impossible date; gives those that come back, the date put right. */
  async function heldBack(count: number): Promise<Row[]> {
    const lines = Array.from({ length: count }, (_, n) => validLine(n + 1).replace(/2024-03-\d\d/, NEVER))
    write('export.csv', `${validExport(0)}${lines.join('\n')}\n`)
    expect(await run('export.csv')).toMatchObject({ exitCode: 3, totals: { invalid: count } })
    return rows('corrections.csv').map((row) => ({ ...row, signed_date: '2024-03-15' }))
  }

  const registered = (): string[] =>
    sandbox()
      .mandates()
      .map((one) => [one.customer_no, one.iban, one.amendment.unique_mandate_reference].join(' '))
      .sort()

  it('a correction is a decision: who, when, why and each field before and after, the account masked', async () => {
    const [first, second, third] = await heldBack(3)
    save('mended.csv', [
      { ...first, iban: germanIban(71), migration_reason: 'the customer called' },
      { ...second, unique_mandate_reference: 'MANDATE-22' },
      { ...third, signed_date: NEVER },
    ])
    const checked = await place.program('check', '--ledger', 'sepa-migrate.db', 'mended.csv')
    const fields = 'unique_mandate_reference "MANDATE-2" → "MANDATE-22"'
    for (const told of [
      '2 rows were corrected',
      `row 1: iban "DE…0001" → "DE…0071", signed_date "${NEVER}" → "2024-03-15" (Berta: the customer called)`,
      `row 2: signed_date "${NEVER}" → "2024-03-15", ${fields} (Berta: no reason given)`,
    ])
      expect(checked.stdout).toContain(told)

    await run('mended.csv')
    const told = ['the customer called', 'no reason given'].map((reason) => ({ by: 'Berta', reason }))
    expect(rows('decisions.csv')).toMatchObject(told)
    const page = read('report.html')
    expect(page).toContain('the customer called')
    expect(page).toContain('DE…0071')
    expect(page).not.toContain(germanIban(71))
  })

  it('a check of the second list of its name tells of its own lines alone, and which changed nothing', async () => {
    const [first, second] = await heldBack(2)
    save('mended.csv', [{ ...first }, { ...second, signed_date: NEVER }])
    await run('mended.csv')
    save('mended.csv', [{ ...second, signed_date: NEVER }])
    const command = ['check', '--ledger', 'sepa-migrate.db', 'mended.csv']
    const { stdout } = await place.ends(3, ...command)
    for (const told of ['1 of 1 line in "mended.csv" changed no value: row 2.', 'No new problems.'])
      expect(stdout).toContain(told)
    expect(await place.json(...command)).toMatchObject({ sources: [{ name: 'mended.csv', records: 1 }] })
  })

  it.each(['corrections.csv', 'to-do.xlsx'])(
    'a list of another ledger is refused whole, as its numbers are those of other rows: %s',
    async (name) => {
      write('old.csv', `${validExport(0)}${validLine(1).replace(/2024-03-\d\d/, NEVER)}\n`)
      write('new.csv', `${validExport(0)}${validLine(2).replace(/2024-03-\d\d/, NEVER)}\n`)
      await place.ends(3, 'run', 'old.csv', '--ledger', 'old.db', '--out', 'old')
      const list = `old/to-do/${name}`
      if (name === 'corrections.csv') edit(list, { signed_date: '2024-03-15' })
      await place.ends(3, 'run', 'new.csv')
      expect((await place.ends(7, 'run', list)).stderr).toContain('FILE_OF_ANOTHER_LEDGER')
      const checked = await place.program('check', '--ledger', 'sepa-migrate.db', list)
      expect(checked.stdout + checked.stderr).toContain('another ledger')
      expect(registered()).toEqual([])
      expect((await place.program('run', list, '--ledger', 'old.db', '--out', 'old')).status).toBe(
        name === 'to-do.xlsx' ? 3 : 0,
      )
    },
  )

  describe('rows of two systems in one list', () => {
    const HEADER = 'client,compte,signature,rum'
    const configure = (name: string, format: string, creditor: string): void =>
      write(
        name,
        `columns: { customer_no: client, iban: compte, unique_mandate_reference: rum,
  signed_date: { column: signature, format: ${format} }, sepa_creditor_identifier: { constant: ${creditor} } }\n`,
      )
    const wrong = germanIban(2).replace(/^DE../, 'DE00')
    it('leaves all as it was where the configuration of a changed line is gone, and says what it needs', async () => {
      configure('a.yaml', 'dd/mm/yyyy', 'DE98ZZZ09999999999')
      configure('b.yaml', 'mm/dd/yyyy', 'DE79ZZZ01234567890')
      write('b.csv', `${HEADER}\n2001,${germanIban(21)},03/01/2020,B1\n2002,${wrong},03/02/2020,B2\n`)
      write('a.csv', `${HEADER}\n1001,${germanIban(1)},01/02/2020,A1\n1002,${wrong},05/04/2020,A2\n`)
      for (const one of ['b', 'a']) await place.ends(3, 'run', `${one}.csv`, '--config', `${one}.yaml`)
      edit('corrections.csv', (row) => ({ ...row, compte: germanIban(row['rum'] === 'A2' ? 51 : 52) }))
      renameSync(place.path('b.yaml'), place.path('c.yaml'))
      expect((await place.ends(7, 'run', LIST, '--config', 'a.yaml')).stderr).toContain('--config b.yaml')
      expect(sandbox().mandates()).toHaveLength(2)
      await place.ends(0, 'run', LIST, '--config', 'c.yaml')
    })
  })

  describe('columns of a list', () => {
    /** What one system calls the number of the customer, the other one calls the reference. */
    const SYSTEMS = {
      a: ['kunde', 'konto', 'datum', 'nummer', 'stand'],
      b: ['nummer', 'compte', 'datum', 'stand', 'etat'],
    } as const
    const FIELDS = ['customer_no', 'iban', 'signed_date', 'unique_mandate_reference', 'status']
    const configure = (name: string, columns: readonly string[], words = 'active: [A]'): void =>
      write(
        `${name}.yaml`,
        `columns: { ${FIELDS.map((field, at) => `${field}: ${columns[at] ?? ''}`).join(', ')}, sepa_creditor_identifier: { constant: DE98ZZZ09999999999 } }
exclude: [{ column: ${columns[4] ?? ''}, equals: [X], reason: sold }]
words: { status: { ${words} } }\n`,
      )
    const wrong = (n: number): string => germanIban(n).replace(/^DE../, 'DE00')

    /** Lines of both systems, all of them corrected. */
    async function correctedLines(): Promise<void> {
      for (const [name, columns] of Object.entries(SYSTEMS)) {
        configure(name, columns)
        const from = name === 'a' ? 1 : 5
        const line = (n: number): string => `${1000 + n},${wrong(n)},2020-01-0${n},${n}777,A`
        write(`${name}.csv`, `${columns.join(',')}\n${[from, from + 1].map(line).join('\n')}\n`)
        await place.ends(3, 'run', `${name}.csv`, '--config', `${name}.yaml`)
      }
      edit('corrections.csv', (row) => {
        const customer = row['kunde'] || row['nummer'] || ''
        return { ...row, konto: germanIban(Number(customer) - 1000) }
      })
    }
    const sent = (...customers: readonly number[]): string[] =>
      customers.map((n) => [1000 + n, germanIban(n), `${n}777`].join(' '))

    it('are read by the names of each export, also where two systems mean other things by one name', async () => {
      await correctedLines()
      await place.ends(0, 'run', LIST, '--config', 'a.yaml')
      expect(registered()).toEqual(sent(1, 2, 5, 6))
    })

    it('are read again by those names, where the configuration of one system has changed', async () => {
      await correctedLines()
      await place.ends(5, 'run', LIST, '--config', 'a.yaml', '--limit', '2')
      expect(registered()).toEqual(sent(1, 2))
      configure('b', SYSTEMS.b, 'notActive: [A]')
      await place.ends(0, 'run', '--config', 'b.yaml')
      expect(registered()).toEqual(sent(1, 2))
    })

    it('stay where they were when the configuration names another one', async () => {
      const reading = (column: string): string =>
        `columns: { customer_no: ${column}, iban: iban, signed_date: signed_date, unique_mandate_reference: ref, sepa_creditor_identifier: { constant: DE98ZZZ09999999999 } }\n`
      write('sepa-migrate.yaml', reading('debtor'))
      write('export.csv', `debtor,client,iban,signed_date,ref\n9001,1001,${wrong(1)},2020-01-01,R1\n`)
      await place.ends(3, 'run', 'export.csv')
      write('sepa-migrate.yaml', reading('client'))
      await place.ends(3, 'run')
      expect(rows('corrections.csv')).toMatchObject([{ debtor: '9001', client: '1001' }])
      edit('corrections.csv', { iban: germanIban(1) })
      await place.ends(0, 'run', LIST)
      expect(registered()).toEqual([['1001', germanIban(1), 'R1'].join(' ')])
    })
  })
})
