import { rmSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { account, linesOf, mandate, mandates, type Row } from '../support/export.js'
import { nextOf, placeForEach } from '../support/place.js'
import { type Ended, inReport } from '../support/program.js'
import { rowsOf, workbookBytes } from '../support/workbook.js'

const place = placeForEach({ sandbox: {} })
const { save, write, edit, json } = place
const { expectRun, registered, expectRuns } = place
const configure = (yaml: string): void => {
  write('sepa-migrate.yaml', `${yaml}\n`)
}

const EMPTY: Row = Object.fromEntries(Object.keys(mandate(1)).map((name) => [name, '']))
const days = (text: string): Row => ({ signed_date: text })

/** The n-th mandate of a system whose customers a crosswalk tells. */
const keyed = (n: number, ...more: readonly Row[]): Row => mandate(n, { Old: `K${n}` }, ...more)
const KEYED = 'crosswalk: { file: keys.csv, from: Old, key: old, customer_no: no }'
/** Customers of the keys from the first on. */
const crosswalk = (...customers: readonly number[]): void =>
  write('keys.csv', ['old,no', ...customers.map((no, at) => `K${at + 1},${no}`), ''].join('\n'))

const WORDS = (words: string): string => `columns: { status: Status }\nwords: { status: { ${words} } }`

/** What the pilot sent as it was read then is open until the last line was followed. */
async function compareLast(ended: Ended): Promise<void> {
  expect(ended.stdout).toContain('1 sent as read before: their export was read again')
  const looked = await place.program('status')
  expect([looked.status, nextOf(looked)]).toEqual([3, nextOf(ended)])
  expect(nextOf(looked)).toMatch(/^sepa-migrate compare export\.csv/)
  expect((await place.pasteNext(looked)).stdout).not.toContain('sent as read before:')
}

it('of two exports the later one is to be compared', async () => {
  configure(WORDS('active: [A, X]'))
  const rows = [mandate(1, { Status: 'X' }), mandate(2, { Status: 'X' }), mandate(3, { Status: 'A' })]
  save('week 1.csv', rows)
  await expectRun(['week 1.csv', '--limit', '1'], 5, [mandate(1)])
  save('week 2.csv', [...rows, mandate(4, { Status: 'A' })])
  await expectRun(['week 2.csv', '--limit', '1'], 5, [mandate(1), mandate(4)])
  configure(WORDS('active: [A], notActive: [X]'))
  const ended = await expectRun(['week 2.csv'], 3, [mandate(1), mandate(3), mandate(4)])
  expect(nextOf(ended)).toMatch(/^sepa-migrate compare 'week 2\.csv'/)
  expect((await place.pasteNext(ended)).stdout).toContain('1  Ended after registration')
})

it('a file that is read again with a column of status is told as treated as active no more', async () => {
  configure('columns: { status: none }')
  save(
    'export.csv',
    ['A', 'A', 'Z'].map((Status, at) => mandate(at + 1, { Status })),
  )
  await expectRun(['export.csv', '--limit', '1'], 5, [mandate(1)])
  expect(place.read('report.html')).toContain('every mandate is treated as active')
  configure(WORDS('active: [A], notActive: [Z]'))
  await place.program('run', 'export.csv')
  expect(registered()).toHaveLength(2)
  expect(place.read('report.html')).not.toContain('every mandate is treated as active')
})

describe('a crosswalk', () => {
  const KEYS = ['K1,1,1', 'K2,5,2', 'K3,6,3']
  const reading = (column: string): void =>
    configure(`crosswalk: { file: keys.csv, from: Old, key: old, customer_no: ${column} }`)
  const keys = (...lines: readonly string[]): void =>
    write('keys.csv', ['old,debtor,no', ...lines, ''].join('\n'))
  /** Read by that column at first, of which the one of debtors is wrong. */
  const begin = (column: string, rows: readonly Row[] = [1, 2, 3].map((n) => keyed(n))) => {
    reading(column)
    keys(...KEYS)
    save('export.csv', rows)
  }

  // run/read-again-draws.ts has every key, and another file.
  it.each([{ files: [] }, { files: ['export.csv'] }])(
    'of which the column was wrong, with %j',
    async ({ files }) => {
      begin('debtor')
      await expectRun(['export.csv', '--limit', '1'], 5, [mandate(1)])
      reading('no')
      const told = await expectRun(files, 3, mandates(1, 2, 3))
      expect(told.stdout).toContain('2 have another customer.\n1 mandate was sent as read before')
      expect((await expectRun(files, 3, mandates(1, 2, 3))).stdout).not.toContain('1 mandate was')
      await compareLast(told)
      await expectRun(files, 0, mandates(1, 2, 3))
    },
  )

  it.each([
    ['was signed', days('2023-06-12'), 3, '2 the same'],
    ['was collected last', { last_collection_date: '2023-06-12' }, 1, '0 the same, 2 have lapsed since'],
  ])('doubts nothing where a mandate %s more than 36 months ago by now', async (_, more, sent, told) => {
    const all = [1, 2, 3].map((n) => keyed(n, days('2020-01-31'), more))
    begin('no', all)
    await expectRun(['export.csv', '--limit', '1', '--as-of', '2026-06-10'], 5, all.slice(0, 1))
    keys(...KEYS, 'K4,0,4')
    const { stdout } = await expectRun(['--as-of', '2026-06-17'], 0, all.slice(0, sent))
    expect(stdout).toContain(`has changed: ${told}.`)
    expect(stdout).not.toContain('sent as read before')
  })

  it.each([
    ['a date', { signed_date: '2029-01-01' }, { signed_date: mandate(2)['signed_date'] ?? '' }],
    ['the word send', { Status: 'X' }, { migration_decision: 'send', migration_reason: 'asked' }],
  ])('that was corrected when a list comes back, with %s in it', async (_, wrong, right) => {
    const Status = 'active'
    begin('debtor', [keyed(1, { Status }), keyed(2, { Status }, wrong), keyed(3, { Status })])
    await expectRun(['export.csv', '--limit', '1'], 5, [mandate(1)])
    edit('corrections.csv', right)
    reading('no')
    const checked = await place.ends(0, 'check', inReport('corrections.csv'), '--ledger', 'sepa-migrate.db')
    expect(checked.stdout).not.toContain('Error')
    // What was sent before with the wrong crosswalk is open until it is compared.
    await expectRun([inReport('corrections.csv')], 3, mandates(1, 2, 3))
  })

  describe('by which most mandates would be of other customers', () => {
    const all = mandates(1, 2, 3, 4, 5, 6, 7, 8, 9)
    const moveBy = (by: number): void => crosswalk(...all.map((_, at) => at + 1 + by))
    const start = async (before: number, after: number) => {
      configure(KEYED)
      save(
        'export.csv',
        all.map((_, at) => keyed(at + 1)),
      )
      moveBy(before)
      await place.program('run', 'export.csv', '--limit', '1')
      moveBy(after)
    }

    it.each([['run'], ['run', 'export.csv'], ['plan'], ['compare', 'export.csv']])(
      'nothing goes with %s %s, until a person has looked',
      async (...command) => {
        await start(0, 100)
        const { status, stderr } = await place.program(...command)
        expect([status, stderr]).toEqual([
          2,
          expect.stringContaining(
            '8 of 8 mandates of "export.csv" that were not sent would go to another customer or account, because "keys.csv" has changed ' +
              '("MND-0002" to customer 102, "MND-0003" to customer 103, "MND-0004" to customer 104, …)',
          ),
        ])
        // Put right in the file, it is as if nothing had happened.
        moveBy(0)
        expect((await place.program('run')).status).toBe(0)
        expect(registered()).toEqual(linesOf(all))
      },
    )

    it('goes on with the pilot that it names, which sends what was read again', async () => {
      await start(100, 0)
      const { stderr } = await place.program('run', '--limit', '5')
      const [, limit = '', path = ''] = /sepa-migrate run --limit (\d+) --config "([^"]+)"/.exec(stderr) ?? []
      expect(limit).toBe('4')
      await place.program('run', '--limit', limit, '--config', path)
      expect(registered()).toHaveLength(5)
      await place.program('run')
      expect(registered().slice(1)).toEqual(linesOf(all.slice(1)))
    })
  })

  it('that is gone is no change', async () => {
    begin('no')
    await expectRun(['export.csv', '--limit', '1'], 5, [mandate(1)])
    rmSync(place.path('keys.csv'))
    await expectRun([], 0, mandates(1, 2, 3))
  })
})

describe('what stays as it was read', () => {
  /** The second one has ended. */
  const ended = ['', 'cancelled', ''].map((Remark, at) => mandate(at + 1, { Remark }))

  describe('where the configuration was forgotten', () => {
    it.each([
      ['with the column of the status', 'columns: { status: Remark }'],
      [
        'with a rule that leaves rows out',
        'columns: { status: none }\nexclude: [{ column: Remark, equals: [cancelled], reason: it is over }]',
      ],
    ])('%s', async (_, yaml) => {
      write('ours.yaml', `${yaml}\n`)
      save('export.csv', ended)
      await expectRun(['export.csv', '--config', 'ours.yaml', '--limit', '1'], 5, [mandate(1)])
      const { status, stderr } = await place.program('run', 'export.csv')
      expect([status, registered()], stderr).toEqual([0, linesOf(mandates(1, 3))])
      const stay = '2 records of "export.csv" stay as they were read with "ours.yaml"'
      expect(stderr).toContain(`${stay}: sepa-migrate run export.csv --config ours.yaml has them read again`)
    })

    it('and one that names the column no more is asked about it', async () => {
      write('ours.yaml', 'columns: { status: Remark }\n')
      write('bare.yaml', 'columns: { iban: iban }\n')
      save('export.csv', ended)
      await expectRun(['export.csv', '--config', 'ours.yaml', '--limit', '1'], 5, [mandate(1)])
      const asked = 'Column "Remark" looks like status'
      expect((await place.ends(7, 'run', 'export.csv', '--config', 'bare.yaml')).stderr).toContain(asked)
      write('ours.yaml', place.read('bare.yaml'))
      expect((await place.ends(7, 'run', '--config', 'ours.yaml')).stderr).toContain(asked)
      expect(registered()).toEqual(linesOf([mandate(1)]))
    })
  })

  it('of a stream that was piped in says that it has to come as a file', async () => {
    write('ours.yaml', 'columns: { status: Remark }\n')
    save('export.csv', ended)
    const input = place.read('export.csv')
    const piped = await place.piping(input, 'run', '-', '--config', 'ours.yaml', '--limit', '1')
    expect([piped.status, registered()], piped.stderr).toEqual([5, linesOf([mandate(1)])])
    const ours = (source: string) =>
      write('ours.yaml', `columns: { status: Remark }\nsource: { ${source} }\n`)
    ours('delimiter: ";", skipLines: 0')
    const told = await place.program('status', '--config', 'ours.yaml')
    expect(nextOf(told)).toBe('sepa-migrate run FILE --config ours.yaml')
    const refused = await place.ends(2, 'run', '--config', 'ours.yaml')
    expect(refused.stderr).toContain('(sepa-migrate run FILE --config "')
    expect(told.stdout + told.stderr + refused.stderr).not.toMatch(/run ['"]?standard input/)
    ours('delimiter: ",", skipLines: 0, encoding: windows-1252')
    await place.ends(0, 'run', 'export.csv', '--config', 'ours.yaml')
    expect(registered()).toEqual(linesOf([mandate(1), mandate(3)]))
  })

  describe('by the word of a person', () => {
    /** The third mandate has a word that nobody knows, and waits to be sent by the word of a person. */
    const begin = async () => {
      configure(`${KEYED}\ncolumns: { status: Status }`)
      crosswalk(1, 2, 3)
      save(
        'export.csv',
        ['active', 'active', 'X'].map((Status, at) => keyed(at + 1, { Status })),
      )
      await expectRun(['export.csv', '--limit', '1'], 5, mandates(1))
      edit('corrections.csv', { migration_decision: 'send', migration_reason: 'asked' })
      await expectRun([inReport('corrections.csv'), '--limit', '1'], 5, mandates(1, 2))
    }

    it.each(['', 'rules: { IBAN_SHARED: error }', 'words: { status: { active: [Y] } }'])(
      'as long as its values are the same (%s)',
      async (rule) => {
        await begin()
        configure(`${KEYED}\ncolumns: { status: Status }\n${rule}`)
        await expectRun([], 0, mandates(1, 2, 3))
      },
    )

    it('and no longer where it is of another customer now', async () => {
      await begin()
      crosswalk(1, 2, 7)
      await expectRun([], 3, mandates(1, 2))
    })
  })
})

describe('what only the file can tell', () => {
  it('is refused without it, and read in the place of the former reading with it', async () => {
    const all = [1, 2, 3].map((n) => mandate(n, { Note: '' }))
    configure('source: { skipFooterLines: 0 }')
    save('export.csv', [...all, { ...EMPTY, Note: 'end of the list' }])
    await expectRun(['export.csv', '--limit', '1'], 5, [mandate(1)])
    expect((await json('status')).totals).toMatchObject({ ready: 2, invalid: 1 })
    configure('source: { skipFooterLines: 1, delimiter: "," }')
    const looked = await place.program('status')
    expect(looked.stderr).toContain('3 records will be read again, because "sepa-migrate.yaml" has changed')
    expect(looked.stdout).toContain('Next: sepa-migrate run export.csv\n')
    const refused = await expectRun([], 2, [mandate(1)])
    expect(refused.stderr).toContain(
      '3 records of "export.csv" cannot be read again without the file, because "sepa-migrate.yaml" has changed source.skipFooterLines; nothing was sent',
    )
    expect(refused.stderr).toMatch(
      /Give .* \(sepa-migrate run "export\.csv" --config ".*sepa-migrate\.yaml"\)/,
    )
    const given = await expectRun(['export.csv'], 0, all)
    expect(given.stdout).toContain('"export.csv" was read again, because "sepa-migrate.yaml" has changed')
    const { totals, balanced } = await json('status')
    expect([totals, balanced]).toMatchObject([{ registered: 3, invalid: 0 }, true])
    await expectRun([], 0, all)
  })

  it('of several files is one way out, whichever is given first, also where one was compared', async () => {
    const format = (name: string): void =>
      configure(`columns: { signed_date: { column: signed_date, format: ${name} } }`)
    const all = [1, 2, 3, 4].map((n) => mandate(n, days(`2024-01-2${n}`)))
    format('dd.mm.yyyy')
    save(
      'export.csv',
      all.slice(0, 3).map((row, at) => ({ ...row, ...days(`2${at + 1}.01.2024`) })),
    )
    save('final.csv', all)
    await expectRun(['export.csv', '--limit', '1'], 5, all.slice(0, 1))
    await place.program('compare', 'final.csv', '--yes-it-is-final')
    format('auto')
    const compared = await place.ends(2, 'run', 'export.csv')
    expect(compared.stderr).toContain('in one command: sepa-migrate run export.csv final.csv')
    format('dd.mm.yyyy')
    await expectRun(['final.csv'], 3, all.slice(0, 1))
    format('auto')
    for (const words of [['compare', 'final.csv'], ['run'], ['run', 'export.csv'], ['run', 'final.csv']])
      expect((await place.ends(2, ...words)).stderr).toContain('(sepa-migrate run "export.csv" "final.csv" ')
    await expectRun(['export.csv', 'final.csv'], 3, [...all.slice(0, 1), ...all.slice(3)])
    await place.ends(5, 'compare', 'final.csv')
    await expectRun([], 0, all)
  })

  it('and a line that was sent is not sent as another mandate', async () => {
    configure('columns: { signed_date: { column: signed_date, format: dd/mm/yyyy } }')
    const dated = (...all: readonly string[]) => all.map((day, at) => mandate(at + 1, days(day)))
    save('export.csv', dated('03/04/2024', '04/05/2024', '25/12/2023'))
    await expectRun(['export.csv', '--limit', '1'], 5, dated('2024-04-03'))
    configure('columns: { signed_date: { column: signed_date, format: auto } }')
    expect((await expectRun([], 2, dated('2024-04-03'))).stderr).toContain('format: auto')
    await expectRun(['export.csv'], 0, dated('2024-04-03', '2024-05-04', '2023-12-25'))
  })

  it('and what stands in that reading follows every later correction', async () => {
    const by = (words: string, skip = 1) => configure(`source: { skipFooterLines: ${skip} }\n${WORDS(words)}`)
    const rows = ['A', 'A', 'Y', 'Z'].map((Status, index) => mandate(index + 1, { Status, Note: '' }))
    save('export.csv', [...rows, { ...EMPTY, Status: '', Note: 'end of the list' }])
    by('active: [A, Y, Z]', 0)
    await expectRun(['export.csv', '--limit', '1'], 5, [mandate(1)])
    by('active: [A, Y, Z]')
    await expectRun(['export.csv', '--limit', '1'], 5, mandates(1, 2))
    by('active: [A, Y], notActive: [Z]')
    expect((await place.ends(5, 'compare', 'export.csv')).stdout).toContain('1 the same, 1 has ended')
    by('active: [A], notActive: [Y, Z]')
    await place.program('run')
    expect(registered()).toEqual(linesOf(mandates(1, 2)))
  })

  it('and by the header of that reading', async () => {
    const all = ['A', 'A', 'Q'].map((Status, at) => mandate(at + 1, { Status }))
    const names = Object.keys(all[0] ?? {})
    const sheetOf = (header: readonly string[]): string =>
      rowsOf([header, ...all.map((row) => header.map((name) => row[name] ?? ''))])
    const sheets = { One: sheetOf(names), Two: sheetOf(names.toReversed()) }
    writeFileSync(place.path('export.xlsx'), workbookBytes({ sheets }))
    const by = (sheet: string, words: string) => configure(`source: { sheet: ${sheet} }\n${WORDS(words)}`)
    by('One', 'active: [A], notActive: [X]')
    await expectRun(['export.xlsx', '--limit', '1'], 5, [mandate(1)])
    by('Two', 'active: [A], notActive: [X]')
    await expectRun(['export.xlsx'], 3, mandates(1, 2))
    by('Two', 'active: [A, Q], notActive: [X]')
    await place.program('run')
    expect(registered()).toEqual(linesOf(mandates(1, 2, 3)))
  })

  it('repeats of what was sent among it', async () => {
    configure('columns: { unique_mandate_reference: Member }')
    const twin = { ...account(1), customer_no: '1', signed_date: mandate(1)['signed_date'] ?? '' }
    save('export.csv', [mandate(1, { Member: 'A-1' }), mandate(2, { Member: 'A-1' }, twin)])
    await expectRun(['export.csv'], 0, [mandate(1, { unique_mandate_reference: 'A-1' })])
    configure('columns: { unique_mandate_reference: unique_mandate_reference }')
    const told = await place.program('run')
    expect(told.stdout + told.stderr).toContain('1 record can only be read again from "export.csv"')
  })
})

const LEFT_OUT = 'rules: { FILE_ROW_LEFT_OUT: warning }'

describe('a file that is given again counts nothing twice', () => {
  const done = { migration_decision: 'done', migration_reason: 'right as it is' }
  const read = () => json('status').then(({ totals, balanced }) => ({ ...totals, balanced }))
  const several = async (yaml: string): Promise<void> => {
    configure(yaml)
    const of = (...accounts: readonly number[]) => accounts.map((no, at) => keyed(at + 1, account(no)))
    save('a.csv', of(1, 2, 3))
    save('b.csv', of(101, 102, 103))
    const sent = of(1, 202, 203)
    save('c.csv', sent)
    await place.program('run', 'a.csv', '--limit', '1', '--no-report')
    await place.program('run', 'b.csv', '--no-report')
    await expectRun(['c.csv', '--newer'], 3, sent)
    edit('cut-over.csv', done)
    await place.ends(0, 'resolve', '--from', inReport('cut-over.csv'))
  }

  it('and nobody is asked for one because of a crosswalk, which names no mandate', async () => {
    crosswalk(1, 2, 3)
    await several(KEYED)
    const before = await read()
    crosswalk(1, 2, 3, 4)
    expect((await place.ends(0, 'run')).stdout).not.toContain('Give the file again')
    for (const file of ['a.csv', 'b.csv', 'c.csv']) {
      await place.ends(0, 'run', file)
      expect(await read()).toEqual(before)
    }
  })

  it('where another column names its mandates, and newer exports took the place of its records', async () => {
    await several('columns: { unique_mandate_reference: unique_mandate_reference }')
    const before = await read()
    const more = 'transform: [{ stripPrefix: X }]'
    configure(`columns: { unique_mandate_reference: { column: unique_mandate_reference, ${more} } }`)
    expect((await place.program('run')).stdout).toContain('Give the file again')
    for (const file of ['b.csv', 'c.csv', 'b.csv']) {
      await place.ends(0, 'run', file)
      expect(await read()).toEqual(before)
    }
    configure('columns: { unique_mandate_reference: { column: unique_mandate_reference } }')
    await place.ends(3, 'run', 'b.csv', '--newer')
    expect(await read()).toMatchObject({ read: 9, superseded: 2, conflict: 2, registered: 3, balanced: true })
    expect(place.listOf('cut-over.csv')).toHaveLength(2)
  })

  it('each time that its last lines are left out, and read again', async () => {
    const footer = (lines: number) => configure(`source: { skipFooterLines: ${lines} }\n${LEFT_OUT}`)
    footer(0)
    save('export.csv', mandates(1, 2, 3, 4, 5))
    await expectRun(['export.csv', '--limit', '1'], 5, [mandate(1)])
    footer(2)
    await expectRun(['export.csv', '--limit', '1'], 5, mandates(1, 2))
    footer(1)
    await expectRun(['export.csv', '--limit', '1'], 5, mandates(1, 2, 3))
    expect(await read()).toMatchObject({ balanced: true, read: 5, registered: 3, ready: 1, duplicate: 0 })
    footer(0)
    await expectRun(['export.csv'], 0, mandates(1, 2, 3, 4, 5))
    expect(await read()).toMatchObject({ balanced: true, read: 5, registered: 5, superseded: 0 })
  })
})

describe('a record that the service refused', () => {
  const place = placeForEach({
    sandbox: { faults: [{ match: { customer_no: 1 }, times: 1, fault: { kind: 'refuse', status: 422 } }] },
  })

  it('keeps its place where its file is given again and says the same', async () => {
    place.save('export.csv', mandates(1, 2))
    const footer = (lines: number) =>
      place.write('sepa-migrate.yaml', `source: { skipFooterLines: ${lines} }\n${LEFT_OUT}`)
    footer(1)
    await place.expectRun(['export.csv'], 3, [])
    footer(0)
    await place.expectRun(['export.csv'], 3, [mandate(2)])
    expect((await place.json('status')).totals).toMatchObject({ read: 2, registered: 1, refused: 1 })
  })
})

describe('all was sent and compared, and then read otherwise', () => {
  beforeEach(async () => {
    configure(KEYED)
    crosswalk(1, 2)
    save('export.csv', [keyed(1), keyed(2)])
    await expectRun(['export.csv'], 0, mandates(1, 2))
  })

  it('is compared again before anybody signs', async () => {
    await place.ends(0, 'compare', 'export.csv')
    crosswalk(1, 9)
    for (const command of [['status'], ['run'], ['report'], ['run', 'export.csv']]) {
      const ended = await place.ends(3, ...command)
      expect(ended.stdout).not.toContain('Nothing is open')
      expect(ended.stderr).toMatch(/"export\.csv" was compared before ".*" was changed/)
      expect(nextOf(ended)).toMatch(/^sepa-migrate compare export\.csv( --config|$)/)
    }
    await place.ends(3, 'compare', 'export.csv')
    expect(place.listOf('cut-over.csv')).toHaveLength(1)
    expect(nextOf(await place.program('status'))).toBe(`sepa-migrate run ${inReport('to-do.xlsx')}`)
    expect(registered()).toEqual(linesOf(mandates(1, 2)))
  })

  it('what has a customer now is open on page 1, too', async () => {
    save('final.csv', [keyed(1), keyed(2), keyed(3)])
    await place.program('compare', 'final.csv')
    await expectRun(['final.csv'], 3, mandates(1, 2))
    crosswalk(1, 2, 3)
    await place.expectRun([], 3, mandates(1, 2, 3))
    expect(JSON.parse(place.read('summary.json'))).toMatchObject({ asReadBefore: 2 })
    await place.ends(0, 'compare', 'final.csv')
    expect(JSON.parse(place.read('summary.json'))).toMatchObject({ asReadBefore: 0 })
  })

  it('what was taken in since as it is read now is told already', async () => {
    save('final.csv', [keyed(1), keyed(2), keyed(3, { Old: 'K1' })])
    await place.program('compare', 'final.csv')
    crosswalk(1, 9)
    const taken = await place.ends(3, 'run', 'final.csv')
    expect(taken.stderr).not.toContain('was compared before')
    expect(nextOf(taken)).toBe(`sepa-migrate run ${inReport('to-do.xlsx')}`)
  })
})

describe('what is read again is told', () => {
  const [A, B] = [WORDS('active: [A, X]'), WORDS('active: [A], notActive: [X]')]
  const rows = [mandate(1, { Status: 'A' }), mandate(2, { Status: 'X' }), mandate(3, { Status: 'A' })]
  const SOON = '2 records will be read again, because "sepa-migrate.yaml" has changed'
  const DONE = 'read again, because "sepa-migrate.yaml" has changed: 1 the same, 1 has ended'

  const pilot = async () => {
    configure(A)
    save('export.csv', rows)
    await expectRun(['export.csv', '--limit', '1'], 5, [mandate(1)])
    configure(B)
  }

  it('by what only looks, and by what reads', async () => {
    await pilot()
    for (const command of ['status', 'report']) {
      const { warnings } = await json(command)
      expect(warnings.join(), command).toContain(SOON)
    }
    const checked = await place.program('check', 'export.csv', '--ledger', 'sepa-migrate.db')
    expect(checked.stdout, checked.stderr).toContain(DONE)
    expect((await place.program('plan')).stdout).toContain(DONE)
    expect((await json('status')).warnings.join()).toContain(SOON)
    save('final.csv', rows.slice(0, 1))
    const compared = await place.program('compare', 'final.csv', '--yes-it-is-final')
    expect(compared.stdout, compared.stderr).toContain(DONE)
    expect((await json('status')).warnings.join()).not.toContain(SOON)
  })

  it('in the customer and in the report', async () => {
    await pilot()
    const { stdout } = await place.ends(3, 'run')
    expect(stdout).toContain(`"export.csv" was ${DONE}`)
    expect(place.read('report.html')).toContain('before it was read again otherwise, compare it: 1')
    expect(JSON.parse(place.read('summary.json'))).toMatchObject({ asReadBefore: 1 })
    expect(place.read('report.html').includes('has changed: 1 the same, 1 has ended')).toBe(true)
    const shown = (await place.program('customer', 'show', '2')).stdout
    expect(shown).toContain('replaced by row: 4\n  changed: rule "" → "STATUS_NOT_ACTIVE"')
  })

  it('field by field, with what was read before and now', async () => {
    const read = (format: string, customer: string): void =>
      configure(
        `columns: { signed_date: { column: signed_date, format: ${format} }, customer_no: ${customer} }`,
      )
    read('dd/mm/yyyy', 'Debtor')
    save(
      'export.csv',
      [1, 2].map((n) => mandate(n, days(`0${n}/03/2024`), { Debtor: `${n + 6}` })),
    )
    await expectRun(['export.csv', '--limit', '1'], 5, [mandate(1, days('2024-03-01'), { customer_no: '7' })])
    read('mm/dd/yyyy', 'customer_no')
    await place.program('run')
    const { customer } = await json<{ customer: { rows: { changes: unknown[] }[] } }>('customer', 'show', '8')
    const changed = { field: 'signed_date', before: '2024-03-02', after: '2024-02-03' }
    const changes = [{ field: 'customer_no', before: '8', after: '2' }, changed]
    expect(customer.rows.map((row) => row.changes)).toEqual([changes])
    const { stdout } = await place.program('customer', 'show', '8')
    const told = ['customer_no "8" → "2"', 'signed_date "2024-03-02" → "2024-02-03"']
    expect(stdout).toContain(told.map((change) => `  changed: ${change}\n`).join(''))
  })

  it('by an approved plan, from which a later correction is a drift by name', async () => {
    await pilot()
    await place.ends(0, 'plan')
    expect(place.read('plan.json')).toContain('export.csv (read again)')
    await place.program('approve', 'plan.json', '--yes', '--by', 'Ada', '--reference', 'mail of today')
    configure(A)
    expect((await place.ends(2, 'run', '--plan', 'plan.json')).stderr).toContain('setting changed: words')
    configure(B)
    await compareLast(await expectRun(['--plan', 'plan.json'], 3, mandates(1, 3)))
  })
})

describe('a doubt that is to be sent once more', () => {
  const lost = placeForEach({
    sandbox: { faults: [{ match: { customer_no: 7 }, fault: { kind: 'reset', applied: false } }] },
  })
  const read = (column: string): void =>
    lost.write('sepa-migrate.yaml', `columns: { customer_no: ${column} }\n`)
  const resend = async (): Promise<void> => {
    const decision = ['--row', '1', '--as', 'resend', '--reason', 'asked', '--force']
    const named = ['--yes-resend', mandate(1)['unique_mandate_reference']!]
    await lost.ends(5, 'resolve', ...decision, ...named)
  }

  it('goes with the customer as it is read now', async () => {
    lost.save('export.csv', [mandate(1, { Debtor: '7' }), mandate(2, { Debtor: '8' })])
    read('Debtor')
    await lost.expectRun(['export.csv', '--limit', '1'], 4, [])
    read('customer_no')
    await resend()
    await lost.expectRun([], 0, mandates(1, 2))
  })

  it('is told to be read again because of what changed while it was in doubt', async () => {
    const customers = (...numbers: readonly number[]): void =>
      lost.write('keys.csv', ['old,no', ...numbers.map((n, at) => `K${at + 1},${n}`), ''].join('\n'))
    lost.write('sepa-migrate.yaml', KEYED)
    lost.save('export.csv', [keyed(1), keyed(2)])
    customers(7, 8)
    await lost.expectRun(['export.csv', '--limit', '1'], 4, [])
    customers(1, 2)
    const because = 'read again, because "keys.csv" has changed'
    expect((await lost.expectRun([], 4, [mandate(2)])).stdout).toContain(because)
    await resend()
    expect((await lost.expectRun([], 0, mandates(2, 1))).stdout).toContain(because)
  })
})

it('what was corrected and sent stays, where the file is given again with a longer crosswalk', async () => {
  configure(KEYED)
  crosswalk(1, 2)
  // What repeats a registered mandate can be read again from the file alone.
  save('export.csv', [keyed(1), keyed(1), keyed(2, days('2024-02-30')), keyed(3)])
  await expectRun(['export.csv'], 3, [mandate(1)])
  edit('corrections.csv', (one) =>
    one['Old'] === 'K2' ? { ...one, signed_date: mandate(2)['signed_date'] ?? '' } : one,
  )
  await expectRun([inReport('corrections.csv')], 3, mandates(1, 2))
  crosswalk(1, 2, 3)
  await expectRun(['export.csv'], 0, mandates(1, 2, 3))
  expect((await json('status')).totals['read']).toBe(4)
})

it('an end that a joined file does not tell any more stays, until its export is called newer', async () => {
  configure('join: [{ file: states.csv, on: { Old: ref }, take: { status: status } }]')
  const states = (...all: readonly string[]): void =>
    write('states.csv', `ref,status\n${all.map((status, at) => `K${at + 1},${status}\n`).join('')}`)
  const rows = [1, 2, 3, 4, 5].map((n) => mandate(n, { Old: `K${n}` }))
  const sent = (...which: readonly number[]) => which.map((n) => mandate(n))
  save('export.csv', rows)
  states('active', 'cancelled', 'strange', 'cancelled', 'active')
  await expectRun(['export.csv', '--limit', '1'], 5, sent(1))
  states('active', '', 'active', 'cancelled', 'active')
  const { stdout } = await expectRun([], 3, sent(1, 5))
  expect(stdout).toContain('2 stay ended (if that was wrong, give "export.csv" once more with --newer)')
  // Whatever is read again beside it: another mandate's record, or the file itself.
  save('more.csv', [mandate(2, { Old: 'K2', ...account(9) }), mandate(7, { Old: 'K1' })])
  await expectRuns([['more.csv'], ['export.csv'], []], 3, sent(1, 5, 7))
  write('states.csv', 'ref,status\nK1,active\nK2,\nK3,active\nK4,active\nK5,active\n')
  expect((await expectRun(['export.csv'], 3, sent(1, 5, 7))).stdout).toContain('3 stay ended')
  await expectRun([], 3, sent(1, 5, 7))
  await expectRun(['export.csv', '--newer'], 0, sent(1, 5, 7, 2, 3, 4))
})

it('an empty word of a joined file beside those that live revives nothing in another export, however new', async () => {
  configure('join: [{ file: states.csv, on: { Old: ref }, take: { status: status } }]')
  const rows = [1, 2, 3].map((n) => mandate(n, { Old: `K${n}` }))
  save('export.csv', rows)
  write('states.csv', 'ref,status\nK1,active\nK2,cancelled\nK3,active\n')
  await expectRun(['export.csv', '--limit', '1'], 5, [mandate(1)])
  save('final.csv', [...rows, mandate(4, { Old: 'K1' })])
  write('states.csv', 'ref,status\nK1,active\nK2,NULL\nK3,active\n')
  await place.ends(5, 'compare', 'final.csv')
  await expectRun(['final.csv'], 3, [mandate(1), mandate(3), mandate(4)])
  const rules = place.rows('corrections.csv').map((row) => row['migration_rule'])
  expect(rules).toEqual(['MANDATE_ENDED_ELSEWHERE'])
})

it('a later export that could not be read holds what it may change until the configuration reads it, and then nothing', async () => {
  save('export.csv', mandates(1, 2, 3))
  await place.program('run', 'export.csv', '--limit', '1')
  const [Note, other] = ['x', account(9)]
  save('later.csv', [mandate(1, { Note }), mandate(2, { Note }), mandate(3, { Note }, other)])
  configure('columns: { iban: Note, status: none }')
  const held = await place.program('run', 'later.csv')
  expect([held.status, registered().length]).toEqual([3, 1])
  configure('columns: { iban: iban, status: none }')
  const read = await place.program('run')
  expect(registered()).toHaveLength(2) // the account of the third differs
  expect((await json('status')).totals).toMatchObject({ conflict: 2 })
  expect(read.stdout).not.toContain('open in the cut-over')
})
