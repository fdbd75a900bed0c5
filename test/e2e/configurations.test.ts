import { mkdirSync, renameSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  germanIban,
  linesOf,
  mandate,
  mandates,
  TYPED_WRONG,
  validExport,
  validLine,
} from '../support/export.js'
import type { Row } from '../support/export.js'
import { GIVE_BACK, nextOf, placeForEach, type Told } from '../support/place.js'
import { inReport } from '../support/program.js'
import { openWork } from '../support/work.js'

describe('a configuration that is remembered', () => {
  /** An export was read with a configuration, and a later command says nothing of it. */
  const place = placeForEach({ sandbox: {} })
  const { write, save, program, ends, json, expectRun, registered, edit } = place

  const ALL = mandates(1, 2, 3)
  const [FIRST] = ALL as [Row]
  const AS_READ = [FIRST, mandate(2, { customer_no: '7' }), mandate(3, { customer_no: '8' })]
  const read = (words = 'active: [A], notActive: [X]'): string =>
    `crosswalk: { file: customers.csv, from: Old, key: old_no }\ncolumns: { status: Status }\nwords: { status: { ${words} } }\n`
  const customers = (from: number, folder = ''): void =>
    write(`${folder}customers.csv`, `old_no,customer_no\nK1,1\nK2,${from}\nK3,${from + 1}\n`)

  /** The first is right in any case, the others go to strangers unless they are read again. */
  async function pilot(folder = '', change: Row = {}): Promise<void> {
    write(`${folder}b.yaml`, read('active: [A, X]'))
    customers(7, folder)
    const keyed = ALL.map((row, at) => ({
      ...row,
      Old: `K${at + 1}`,
      customer_no: '',
      Status: 'AAX'[at] ?? '',
    }))
    save(`${folder}export.csv`, [...keyed.slice(0, 2), { ...keyed[2], ...change }])
    const config = ['--config', `${folder}b.yaml`, ...at(folder)]
    await expectRun([`${folder}export.csv`, '--limit', '1', ...config], 5, [FIRST])
  }
  const at = (folder: string): string[] => (folder === '' ? [] : ['--ledger', `${folder}sepa-migrate.db`])

  const SOON = (what: string): string =>
    `2 records will be read again, because "${what}" has changed: run and plan do so before anything is sent, with --config b.yaml`
  const STAYS = '2 records of "export.csv" stay as they were read with "b.yaml"'

  it.each([
    ['an export', {}],
    ['lines that name no row', { migration_row: '', migration_decision: '' }],
  ])('a typed customer number that moved beside other rows waits in %s', async (_, more) => {
    write('b.yaml', read())
    customers(2)
    const numbers = ['1', '3', '']
    const moved = ALL.map((row, at) => ({
      ...{
        ...row,
        customer_no: '',
        Old: `K${at + 1}`,
        Status: 'A',
        migration_customer_no: numbers[at] ?? '',
      },
      ...more,
    }))
    save('kept.csv', moved)
    const [one = {}, two = {}, three = {}] = ALL
    await expectRun(['kept.csv', '--config', 'b.yaml'], 3, [one, three])
    const list = [inReport('corrections.csv'), '--config', 'b.yaml', '--reason', 'asked']
    expect(place.heldBy()).toEqual({ 'MND-0002': 'CORRECTION_TAKES_CUSTOMER' })
    await expectRun(list, 3, [one, three])
    edit('corrections.csv', { migration_customer_no: '' })
    await expectRun(list, 0, [one, two, three])
  })

  describe('one that has changed and was forgotten', () => {
    const CHANGES: readonly (readonly [string, () => void, readonly Row[]])[] = [
      ['customers.csv', () => customers(2), ALL],
      ['b.yaml', () => write('b.yaml', read()), [FIRST, mandate(2, { customer_no: '7' })]],
      ['b.yaml', () => write('b.yaml', 'columns: [\n'), [FIRST]],
    ]
    it.each(CHANGES)(
      '%s: nothing is sent, and every command says how it goes on',
      async (what, correct, sent) => {
        await pilot()
        correct()
        for (const line of ['run', 'run export.csv', 'run --retry-refused', 'plan', 'compare export.csv']) {
          const { status, stderr } = await program(...line.split(' '))
          expect([status, registered()], line + stderr).toEqual([2, linesOf([FIRST])])
          const told = `2 records of "export.csv" that were not sent were read with "b.yaml", and "${what}" has changed`
          expect(stderr).toContain(`${told} since; nothing was sent`)
          const again = `sepa-migrate ${line.replace(' --retry-refused', '')} --config b.yaml`
          expect(stderr).toContain(`Give it, too: ${again}`)
        }
        for (const command of ['status', 'report']) {
          const looked = await program(command)
          expect(looked.stderr, command).toContain(SOON(what))
          expect(nextOf(looked)).toBe('sepa-migrate run --config b.yaml')
        }
        const checked = await json('check', 'export.csv', '--ledger', 'sepa-migrate.db')
        expect(checked.warnings.join('\n')).toContain(SOON(what))
        const pasted = await place.pasteNext(await program('status'))
        expect(registered(), pasted.stdout + pasted.stderr).toEqual(linesOf(sent))
      },
    )

    it('also with a list, which goes in with it', async () => {
      await pilot('', TYPED_WRONG)
      customers(2)
      edit('corrections.csv', { iban: mandate(3)['iban'] ?? '', migration_reason: 'asked' })
      await expectRun([inReport('corrections.csv')], 2, [FIRST])
      await expectRun(['--config', 'b.yaml'], 3, [FIRST, mandate(2)])
      await expectRun([inReport('corrections.csv'), '--config', 'b.yaml'], 3, ALL)
    })

    it('in a folder that somebody works beside, or has moved', async () => {
      mkdirSync(place.path('c'))
      await pilot('c/')
      customers(2, 'c/')
      for (const args of [['run'], ['plan']]) {
        const { stderr } = await ends(2, ...args, '--ledger', 'c/sepa-migrate.db')
        expect(stderr).toContain('--config c/b.yaml')
      }
      renameSync(place.path('c'), place.path('d'))
      const looked = await program('status', '--ledger', 'd/sepa-migrate.db')
      expect(nextOf(looked)).toBe('sepa-migrate run --config d/b.yaml --ledger d/sepa-migrate.db')
      await expectRun(['--ledger', 'd/sepa-migrate.db'], 2, [FIRST])
      await expectRun(['--ledger', 'd/sepa-migrate.db', '--config', place.path('d/b.yaml')], 3, ALL)
    })
  })

  describe('what is not given and has not changed', () => {
    it('reads on without a word, and is named by what to type', async () => {
      await pilot()
      customers(7)
      const looked = await program('status')
      expect(nextOf(looked)).toBe('sepa-migrate run --config b.yaml')
      expect(looked.stderr).toBe('')
      const { stderr } = await expectRun([], 0, AS_READ)
      expect(stderr).not.toContain('b.yaml')
    })

    it('also under another name of its path, or where its folder was moved', async () => {
      mkdirSync(place.path('c'))
      await pilot('c/')
      renameSync(place.path('c'), place.path('d'))
      const ledger = ['--ledger', 'd/sepa-migrate.db']
      for (const config of ['d/b.yaml', place.path('d/b.yaml')])
        expect((await program('status', ...ledger, '--config', config)).stderr).toBe('')
      const { stdout, stderr } = await expectRun(ledger, 0, AS_READ)
      expect(stdout + stderr).not.toContain('as they were read')
    })
  })

  describe('where another configuration reads', () => {
    it.each([false, true])(
      'one that was named (and the former has changed: %s), it says once what stays, or waits',
      async (hasChanged) => {
        await pilot()
        if (hasChanged) customers(2)
        write('other.csv', 'old_no,customer_no\nK1,1\nK2,2\nK3,3\n')
        write('c.yaml', read('active: [A, X]').replace('customers.csv', 'other.csv'))
        const changed =
          '2 records of "export.csv" wait, because "customers.csv" has changed: sepa-migrate run --config b.yaml'
        const told = hasChanged ? `${changed} has them read again` : STAYS
        for (const command of ['status', 'plan']) {
          const { stderr } = await program(command, '--config', 'c.yaml')
          const parts = stderr.split(hasChanged && command === 'status' ? SOON('customers.csv') : told)
          expect(parts, command).toHaveLength(2)
        }
        const { stderr } = hasChanged
          ? await expectRun(['--config', 'c.yaml'], 5, [FIRST])
          : await expectRun(['--config', 'c.yaml'], 0, AS_READ)
        expect(stderr.split(told)).toHaveLength(2)
      },
    )

    it('to which the export is moved by giving it', async () => {
      await pilot()
      write('other.csv', 'old_no,customer_no\nK1,1\nK2,2\nK3,3\n')
      write('c.yaml', read('active: [A, X]').replace('customers.csv', 'other.csv'))
      const { stderr } = await expectRun(['export.csv', '--config', 'c.yaml'], 3, ALL)
      expect(stderr).not.toContain('as they were read')
    })

    describe('one that was corrected, under a new name', () => {
      const correct = (): void => {
        write('other.csv', 'old_no,customer_no\nK1,1\nK2,2\nK3,3\n')
        write('c.yaml', read('active: [A, X]').replace('customers.csv', 'other.csv'))
      }

      it('reads the last export that is compared with it, and what it changes waits for that', async () => {
        await pilot()
        correct()
        write('last.csv', `${place.read('export.csv')}\n`)
        const compared = await program('compare', 'last.csv', '--config', 'c.yaml')
        expect(compared.stdout).toContain(' 2  Changed before sending')
        expect(nextOf(compared)).toBe('sepa-migrate run last.csv --config c.yaml')
        await expectRun(['--config', 'b.yaml'], 3, [FIRST])
        await place.pasteNext(compared)
        expect(registered()).toEqual(linesOf(ALL))
      })

      it('tells what was sent otherwise, and asks for a comparison', async () => {
        await pilot()
        await expectRun(['--config', 'b.yaml'], 0, AS_READ)
        correct()
        const ended = await expectRun(['export.csv', '--config', 'c.yaml'], 3, AS_READ)
        const told = '1 the same, 2 have other values than what was sent or decided, which stays'
        expect(ended.stdout).toContain(told)
        expect(nextOf(ended)).toBe('sepa-migrate compare export.csv --config c.yaml')
        const compared = await place.pasteNext(ended)
        expect(compared.stdout).toContain('2  Changed after registration')
        // The list has the columns of the first export.
        expect(nextOf(compared)).toBe(`${GIVE_BACK} --config b.yaml`)
        const work = openWork(place.path(inReport('to-do.xlsx')))
        for (const at of [0, 1])
          work.type('Cut-over', at, { migration_decision: 'done', migration_reason: 'told' })
        work.save()
        expect((await place.pasteNext(compared)).status).toBe(0)
      })
    })

    it('that is the former one under another name, what it read is read again', async () => {
      await pilot()
      renameSync(place.path('b.yaml'), place.path('sepa-migrate.yaml'))
      customers(2)
      expect((await program('status')).stderr).toContain(
        '2 records will be read again, because "customers.csv" has changed: run and plan do so before anything is sent\n',
      )
      await expectRun([], 3, ALL)
    })

    it('and the former is gone, that is said with the way back', async () => {
      await pilot()
      renameSync(place.path('b.yaml'), place.path('old.yaml'))
      customers(2)
      const told = `${STAYS}, which is gone: sepa-migrate run export.csv --config NEW has them read again`
      for (const command of ['status', 'plan']) expect((await program(command)).stderr).toContain(told)
      expect((await expectRun(['--limit', '1'], 5, AS_READ.slice(0, 2))).stderr).toContain(told)
      await expectRun(['export.csv', '--config', 'old.yaml'], 3, [...AS_READ.slice(0, 2), mandate(3)])
    })
  })
})

describe('a column that is given by its position', () => {
  const place = placeForEach({ sandbox: {} })
  const { write, program, ends, expectRun, pasteNext } = place

  const ALL = mandates(1, 2, 3, 4)
  const [FIRST, , , LAST] = ALL as [Row, Row, Row, Row]
  const CI = 'DE98ZZZ09999999999'
  const columns = (customer: string): string =>
    `columns: { customer_no: ${customer}, iban: IBAN, signed_date: Day, sepa_creditor_identifier: { constant: ${CI} }, unique_mandate_reference: Ref }\n`
  /** `K` and `Old` say one more than the number of the customer, and 500 more. */
  const table = (heads: string, rows: readonly Row[]): string => {
    const line = (row: Row): string => {
      const [no, ref] = [Number(row['customer_no']), row['unique_mandate_reference'] ?? '']
      const cells: Row = {
        ...{ Kunde: `${no}`, No: `${no}`, Old: `${no + 500}`, K: `K${no}` },
        ...{ IBAN: row['iban'] ?? '', Day: row['signed_date'] ?? '', Ref: ref },
      }
      return heads
        .split(',')
        .map((head) => cells[head])
        .join()
    }
    return `${[heads, ...rows.map(line)].join('\n')}\n`
  }
  const AS_BEFORE = 'No,Old,IBAN,Day,Ref'
  const MOVED = 'Old,No,IBAN,Day,Ref'
  const CONFIG = 'sepa-migrate.yaml'
  const pilot = async (): Promise<void> => {
    write(CONFIG, columns('1'))
    write('a.csv', table(AS_BEFORE, ALL.slice(0, 3)))
    await expectRun(['a.csv', '--limit', '1'], 5, [FIRST])
  }
  const MOVED_TEXT =
    'column 1, which columns.customer_no gives by its position, has the heading "Old" and had "No" in "a.csv": it may be another column; nothing was sent'

  it('is not read from an export in which another column stands there, until it is named', async () => {
    await pilot()
    write('b.csv', table(MOVED, ALL))
    for (const line of ['run', 'compare', 'check --ledger sepa-migrate.db', 'run a.csv']) {
      const { stderr } = await ends(7, ...line.split(' '), 'b.csv')
      expect(stderr).toContain(MOVED_TEXT)
      expect(stderr).toContain('Name the column by its heading in columns.customer_no, both where')
    }
    write(CONFIG, columns('No'))
    await expectRun(['b.csv'], 0, ALL)
  })

  it('is not read from two exports of one command that differ in it', async () => {
    write(CONFIG, columns('1'))
    write('a.csv', table(AS_BEFORE, ALL.slice(0, 3)))
    write('b.csv', table(MOVED, ALL.slice(3)))
    expect((await ends(7, 'run', 'a.csv', 'b.csv')).stderr).toContain(MOVED_TEXT)
  })

  it('is read where only its heading has changed, once both are named', async () => {
    await pilot()
    write('b.csv', table(AS_BEFORE.replace('No', 'Kunde'), ALL))
    const { stderr } = await ends(7, 'run', 'b.csv')
    const [names = ''] = /\["No", "Kunde"\]/.exec(stderr) ?? []
    write(CONFIG, columns(names))
    await expectRun(['b.csv'], 0, ALL)
  })

  it.each([
    ['a renamed one', 'Kunde,Old,IBAN,Day,Ref', '1'],
    ['one that moved', MOVED, '2'],
  ])('is read as a copy of the configuration says, also when it is compared (%s)', async (_, heads, at) => {
    await pilot()
    write('b.csv', table(heads, ALL))
    await ends(7, 'compare', 'b.csv')
    write('copy.yaml', columns(at))
    const compared = await ends(5, 'compare', 'b.csv', '--config', 'copy.yaml')
    const ended = await pasteNext(compared)
    expect([ended.status, place.registered()], ended.stdout + ended.stderr).toEqual([0, linesOf(ALL)])
  })

  it('ignores and excludes no other column, and one of a crosswalk stays', async () => {
    const config = (more: string): string =>
      `${columns('No').replace('customer_no: No, ', '')}crosswalk: { file: cw.csv, from: 1, key: 1, customer_no: 2 }\n${more}`
    const walk = (head: string, at: (no: number) => string): void =>
      write('cw.csv', `${head}\n${[1, 2, 3, 4].map((no) => `K${no},${at(no)}\n`).join('')}`)
    const WALK = 'key,new,old'
    const cells = (no: number): string => `${no},${no + 500}`
    write(CONFIG, config('source: { ignoreColumns: [2] }\n'))
    walk(WALK, cells)
    write('a.csv', table('K,Old,IBAN,Day,Ref', ALL.slice(0, 3)))
    await expectRun(['a.csv', '--limit', '1'], 5, [FIRST])
    write('b.csv', table('K,IBAN,Old,Day,Ref', ALL))
    expect((await ends(7, 'run', 'b.csv')).stderr).toMatch(
      /column 2, which source.ignoreColumns gives by its position, has the heading "IBAN" and had "Old"/,
    )
    walk('key,old,new', (no) => `${no + 500},${no}`)
    for (const files of [[], ['b.csv']])
      expect((await program('run', ...files)).stderr).toContain('has the heading')
    expect((await ends(7, 'run')).stderr).toContain(
      'column 2 of "cw.csv", which crosswalk gives by its position, has the heading "old" and had "new" for "a.csv"',
    )
    write(CONFIG, config('source: { ignoreColumns: [Old] }\n').replace('customer_no: 2', 'customer_no: new'))
    await expectRun(['b.csv'], 0, [...ALL.slice(0, 3), LAST])
  })
})

describe('two systems in one ledger', () => {
  /** Two systems with headings and date formats of their own in one ledger, each with its configuration. */
  const place = placeForEach({ sandbox: {} })
  const { write, program, ends, json, held, path, edit } = place

  const WRONG = (n: number): string => germanIban(n).replace(/^DE../, 'DE00')
  const CREDITOR = '  sepa_creditor_identifier: { constant: DE98ZZZ09999999999 }\n'
  const A = 'Kd,IBAN,Datum,Ref'
  const B = 'client,compte,signature,rum'
  const linesOfA = (two = germanIban(2)) => [`1,${germanIban(1)},01.02.2020,A-1`, `2,${two},02.02.2020,A-2`]
  const linesOfB = (two = germanIban(12)): string[] => {
    const numbers = [germanIban(11), two, germanIban(13)]
    return numbers.map((iban, at) => `${11 + at},${iban},03/2${1 + at}/2020,B-${1 + at}`)
  }
  const save = (name: string, header: string, lines: readonly string[]): void =>
    write(name, [header, ...lines, ''].join('\n'))

  function configure(): void {
    const columns = (names: readonly string[], format: string): string =>
      `columns:\n  customer_no: ${names[0] ?? ''}\n  iban: ${names[1] ?? ''}\n  unique_mandate_reference: ${names[3] ?? ''}\n  signed_date: { column: ${names[2] ?? ''}, format: ${format} }\n${CREDITOR}`
    write('a.yaml', columns(A.split(','), 'dd.mm.yyyy'))
    write('b.yaml', columns(B.split(','), 'mm/dd/yyyy'))
  }

  async function begin(): Promise<void> {
    configure()
    save('a.csv', A, linesOfA(WRONG(2)))
    save('b.csv', B, linesOfB(WRONG(12)))
    await program('run', 'a.csv', '--config', 'a.yaml')
    await ends(3, 'run', 'b.csv', '--config', 'b.yaml')
  }

  const TO_DO = inReport('to-do.xlsx')
  /** Types into the lines of the workbook, from the first. */
  const correct = (...lines: readonly Row[]): void => {
    const work = openWork(path(TO_DO))
    for (const [at, line] of lines.entries()) work.type('Corrections', at, line)
    work.save()
  }
  const dates = (): string => {
    const all = place.sandbox().mandates()
    return all
      .map(({ customer_no, signed_date }) => `${customer_no} ${signed_date}`)
      .sort()
      .join()
  }
  const CORRECTED = '1 2020-02-01,11 2020-03-21,12 2020-03-22,13 2020-03-23'

  it('each line of the list goes with the configuration of its export, whichever of the two is given', async () => {
    await begin()
    correct({ IBAN: germanIban(2) }, { IBAN: germanIban(12) })
    expect((await ends(7, 'run', TO_DO)).stderr).toContain('that the exports of its lines were read with')
    expect(held().sort()).toEqual([1, 11, 13])
    await ends(0, 'run', TO_DO, '--config', 'a.yaml')
    expect(dates()).toBe(`${CORRECTED},2 2020-02-02`)
  })

  describe('one mandate, of which their last exports say different things', () => {
    const STATUS = (name: string): string => place.read(name).replace('columns:', 'columns:\n  status: etat')
    const lineOf = (n: number, ref: string, etat = 'active', date = `0${n}.02.2020`): string =>
      `${n},${germanIban(n)},${date},${ref},${etat}`
    async function compared(first: readonly string[]): Promise<void> {
      configure()
      for (const name of ['a.yaml', 'b.yaml']) write(name, STATUS(name))
      save('a.csv', `${A},etat`, first)
      const eighth = lineOf(8, 'B-8', 'active', '03/08/2020')
      save('b.csv', `${B},etat`, [eighth])
      await program('run', 'a.csv', '--config', 'a.yaml', '--limit', '1')
      await program('run', 'b.csv', '--config', 'b.yaml', '--limit', '1')
      save('last-a.csv', `${A},etat`, [lineOf(1, 'A-1'), lineOf(2, 'X-2', 'cancelled')])
      const third = lineOf(2, 'X-2', 'active', '02/02/2020')
      save('last-b.csv', `${B},etat`, [eighth, third, lineOf(9, 'B-9', 'active', '03/09/2020')])
      await json('compare', 'last-a.csv', 'last-b.csv', '--config', 'a.yaml')
    }
    it.each([
      ['is a line until somebody decides, whichever is run', [lineOf(1, 'A-1'), lineOf(2, 'X-2')]],
      ['is not sent either where it is new', [lineOf(1, 'A-1')]],
    ])('%s', async (_, first) => {
      await compared(first)
      const one = await program('run', 'last-a.csv', '--config', 'a.yaml')
      expect([one.status, held()]).toEqual([3, expect.not.arrayContaining([2])])
      const other = await program('run', 'last-b.csv', '--config', 'b.yaml')
      expect([other.status, held().sort()]).toEqual([3, [1, 8, 9]])
    })
  })

  it('a comparison that was read otherwise is made again before anything is sent', async () => {
    configure()
    const lines = (second = 'active'): string[] =>
      [...linesOfA(), `3,${germanIban(3)},03.02.2020,A-3`].map(
        (line, at) => `${line},${at === 1 ? second : 'active'}`,
      )
    const COMPARE = 'sepa-migrate compare last.csv --config a.yaml'
    save('a.csv', `${A},etat`, lines())
    const own = place.read('a.yaml')
    write('a.yaml', own.replace('columns:', 'columns:\n  status: none'))
    await program('run', 'a.csv', '--config', 'a.yaml', '--limit', '1')
    save('last.csv', `${A},etat`, lines('cancelled'))
    await program('compare', 'last.csv', '--config', 'a.yaml')
    write('a.yaml', own.replace('columns:', 'columns:\n  status: etat'))
    const refused = await json('run', '--config', 'a.yaml')
    expect([refused.exitCode, held()]).toEqual([2, [1]])
    expect(nextOf(await program('status', '--config', 'a.yaml'))).toBe(COMPARE)
    await program('compare', 'last.csv', '--config', 'a.yaml')
    await program('run', '--config', 'a.yaml')
    expect(held().sort()).toEqual([1, 3])
    // Once all of it was sent, too: what it says may have been wrong.
    write('a.yaml', own)
    expect(nextOf(await program('status', '--config', 'a.yaml'))).toBe(COMPARE)
  })

  describe('one of them needs no configuration', () => {
    const OWN = 'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference'
    const own = (n: number, iban = germanIban(n)): string =>
      `${n},${iban},2020-05-0${n},DE98ZZZ09999999999,C-${n}`
    async function beginOwn(order: readonly string[]): Promise<void> {
      configure()
      write('b.yaml', place.read('b.yaml').replace('columns:', 'columns:\n  status: etat'))
      save('own.csv', OWN, [own(1), own(2, WRONG(2))])
      const living = linesOfB(WRONG(12)).map((line) => `${line},active`)
      save('b.csv', `${B},etat`, living)
      for (const file of order)
        await program('run', file, ...(file === 'b.csv' ? ['--config', 'b.yaml'] : []))
      expect(held().sort((a, b) => a - b)).toEqual([1, 11, 13])
    }

    it.each([
      { order: ['own.csv', 'b.csv'], flags: ['--config', 'b.yaml'] },
      { order: ['b.csv', 'own.csv'], flags: [] },
    ])('each line of a list is read by its own: $order $flags', async ({ order, flags }) => {
      await beginOwn(order)
      edit('corrections.csv', (row) => {
        const n = row['unique_mandate_reference'] === 'C-2' || row['rum'] === 'C-2' ? 2 : 12
        const column = 'iban' in row ? 'iban' : 'compte'
        return { ...row, [column]: germanIban(n) }
      })
      const list = inReport('corrections.csv')
      const ended = await program('run', list, ...flags)
      expect([ended.status, held().sort((a, b) => a - b)]).toEqual([0, [1, 2, 11, 12, 13]])
    })

    it.each([[[]], [['--config', 'b.yaml']]])(
      'both are compared together, and run as compared: %s',
      async (flags) => {
        await beginOwn(['own.csv', 'b.csv'])
        save('last.csv', OWN, [own(1), own(2)])
        write('c.yaml', 'dormantSoonDays: 3\n')
        const { classes } = await json<Told & { classes: object }>('compare', 'b.csv', 'last.csv', ...flags)
        expect(classes).toMatchObject({ unchanged: 4, changed_before_sending: 1 })
        const wrongly = await program('run', 'last.csv', '--config', 'c.yaml')
        expect([wrongly.status, held()]).toEqual([2, expect.not.arrayContaining([2])])
        expect(wrongly.stderr).toContain('was read without a configuration when it was compared')
        await program('run', 'last.csv')
        expect(held()).toContain(2)
      },
    )
  })

  it('a customer number beside a row is that of the customer, also where its system has no crosswalk', async () => {
    configure()
    const columns = place.read('b.yaml').replace(/ {2}customer_no: .*\n/, '')
    write('b.yaml', `${columns}crosswalk: { file: keys.csv, from: client, key: key, customer_no: no }\n`)
    write('keys.csv', 'key,no\n11,11\n13,13\n')
    const keyless = linesOfA().map((line) => line.replace(/^2,/, ','))
    save('a.csv', A, keyless)
    save('b.csv', B, linesOfB())
    await program('run', 'a.csv', '--config', 'a.yaml')
    await program('run', 'b.csv', '--config', 'b.yaml')
    correct({ migration_customer_no: '2' }, { migration_customer_no: '12' })
    await ends(0, 'run', TO_DO, '--config', 'b.yaml')
    expect(held().sort()).toEqual([1, 11, 12, 13, 2])
  })

  it('a pilot of the second sends its rows, not what is left of the first', async () => {
    configure()
    save('a.csv', A, linesOfA(germanIban(2)))
    save('b.csv', B, linesOfB(germanIban(12)))
    await program('run', 'a.csv', '--config', 'a.yaml', '--limit', '1')
    await ends(5, 'run', 'b.csv', '--config', 'b.yaml', '--limit', '1')
    expect(held()).toEqual([1, 11])
    // More rows than it has: the others follow.
    await ends(0, 'run', 'a.csv', '--config', 'a.yaml', '--limit', '9')
    expect(held().sort()).toEqual([1, 11, 12, 13, 2])
  })

  it('an export of one of them does not end the mandates of the other, and both are compared together', async () => {
    await begin()
    save('final-a.csv', A, [...linesOfA(germanIban(2)), `3,${germanIban(3)},03.02.2020,A-3`])
    save('final-b.csv', B, [...linesOfB(germanIban(12)).slice(1), `14,${germanIban(14)},04/05/2020,B-4`])
    const alone = await ends(2, 'compare', 'final-b.csv', '--config', 'b.yaml')
    expect(alone.stderr).toContain('Of 2 mandates that came in with "a.yaml" 2 are not in this export')
    expect(alone.stderr).not.toContain('--yes-it-is-final')
    const together = await program('compare', 'final-b.csv', 'final-a.csv', '--config', 'a.yaml')
    expect(await json('status')).toMatchObject({ cutOver: { open: 1, untaken: 4 } })
    edit('cut-over.csv', { migration_decision: 'done', migration_reason: 'cancelled there' })
    expect(together.status, together.stderr).toBe(3)
    await program('resolve', '--from', inReport('cut-over.csv'), '--config', 'a.yaml')
    const closed = await program('report', '--config', 'a.yaml')
    expect(nextOf(closed)).toBe('sepa-migrate run final-b.csv --config b.yaml')
    const first = await place.pasteNext(closed)
    expect(nextOf(first)).toBe('sepa-migrate run final-a.csv --config a.yaml')
    expect((await place.pasteNext(first)).status).toBe(0)
    expect(dates()).toBe(`${CORRECTED},14 2020-04-05,2 2020-02-02,3 2020-02-03`)
  })

  it('one that reads no export yet is not compared in the place of either', async () => {
    await begin()
    write('c.yaml', place.read('a.yaml').replace('Kd', 'Ref'))
    const files = ['a.csv', 'b.csv']
    expect((await ends(2, 'compare', ...files, '--config', 'c.yaml')).stderr).toContain(
      '"c.yaml" has read no export here, and the exports here are of several',
    )
    const told = await program('compare', ...files, '--config', 'a.yaml')
    expect(told.stdout).toContain('"b.csv" was read with "b.yaml", as "b.csv" was.')
    expect(told.stdout).not.toContain('"a.csv" was read')
  })

  it('a last export with columns of its own is compared by the configuration of the command, beside one that has none', async () => {
    configure()
    write('own.csv', validExport(2))
    save('b.csv', B, linesOfB())
    await program('run', 'own.csv', '--no-report')
    await ends(0, 'run', 'b.csv', '--config', 'b.yaml')
    const exclude = 'exclude: [{ column: fin, filled: true, reason: ended }]\n'
    write('b-ends.yaml', place.read('b.yaml') + exclude)
    const [first = '', ...others] = linesOfB()
    save('final-b.csv', `${B},fin`, [`${first},01/02/2026`, ...others.map((line) => `${line},`)])
    const told = await ends(3, 'compare', 'own.csv', 'final-b.csv', '--config', 'b-ends.yaml')
    expect(told.stdout).toContain('"own.csv" was read without a configuration, as "own.csv" was.')
    expect(await json('status')).toMatchObject({ cutOver: { open: 1 } })
  })

  it('exports of two with the same columns are each compared as those whose mandates they have', async () => {
    const of = (name: string, from: number): void => {
      write(
        `${name}.yaml`,
        `crosswalk: { file: keys-${name}.csv, from: Member, key: key, customer_no: no }\ncolumns: { signed_date: { column: signed, format: dd.mm.yyyy } }\n`,
      )
      write(`keys-${name}.csv`, `key,no\n${[1, 2, 3].map((n) => `K${n},${from + n}`).join('\n')}\n`)
    }
    const header = 'Member,iban,signed,sepa_creditor_identifier,unique_mandate_reference'
    const lines = (from: number, numbers: readonly number[]): string[] =>
      numbers.map((n) => `K${n},${germanIban(from + n)},0${n}.02.2020,DE98ZZZ09999999999,R-${from}-${n}`)
    of('a', 100)
    of('b', 200)
    save('jan-a.csv', header, lines(100, [1, 2]))
    save('jan-b.csv', header, lines(200, [1, 2]))
    await ends(0, 'run', 'jan-a.csv', '--config', 'a.yaml')
    await ends(0, 'run', 'jan-b.csv', '--config', 'b.yaml')
    save('feb-a.csv', header, lines(100, [1, 2, 3]))
    save('feb-b.csv', header, lines(200, [1, 3]))
    for (const config of ['a.yaml', 'b.yaml'])
      expect(await json('compare', 'feb-b.csv', 'feb-a.csv', '--config', config)).toMatchObject({
        classes: { unchanged: 3, new: 2, ended_after_registration: 1, changed_after_registration: 0 },
      })
    // What was compared as b reads it is brought in by b alone.
    for (const words of [['run'], ['check', '--ledger', 'sepa-migrate.db']]) {
      const refused = await ends(2, ...words, 'feb-a.csv', 'feb-b.csv', '--config', 'a.yaml')
      expect(refused.stderr).toMatch(
        /"feb-b\.csv" was read with "b\.yaml" when it was compared[^]*sepa-migrate run "[^"]*feb-b\.csv" --config "\/[^"]*b\.yaml"/,
      )
    }
    await ends(3, 'run', 'feb-b.csv', '--config', 'b.yaml')
    expect(held().sort()).toEqual([101, 102, 201, 202, 203])
    // A line that names no row may be of either.
    save('line.csv', `${header},migration_row,migration_ledger`, [`${lines(200, [2])[0] ?? ''},,`])
    const { stderr } = await ends(2, 'run', 'line.csv', '--config', 'a.yaml')
    expect(stderr).toContain('has lines without migration_row')
  })

  it('an export of one is not read as the other reads, unless a copy of that says so', async () => {
    const header = 'Member,iban,signed,sepa_creditor_identifier,unique_mandate_reference'
    const lines = (from: number, numbers: readonly number[]): string[] =>
      numbers.map((n) => `${n},${germanIban(from + n)},0${n}.02.2020,DE98ZZZ09999999999,R-${from}-${n}`)
    const date = 'signed_date: { column: signed, format: dd.mm.yyyy }'
    const keys = 'crosswalk: { file: keys.csv, from: Member, key: key, customer_no: no }'
    write('a.yaml', `columns: { customer_no: Member, ${date} }\n`)
    write('b.yaml', `${keys}\ncolumns: { ${date} }\n`)
    write('keys.csv', `key,no\n${[1, 2, 3, 4].map((n) => `${n},${20 + n}`).join('\n')}\n`)
    save('a1.csv', header, lines(10, [1, 2]))
    save('b1.csv', header, lines(20, [1, 2, 3]))
    await ends(0, 'run', 'a1.csv', '--config', 'a.yaml')
    await ends(0, 'run', 'b1.csv', '--config', 'b.yaml')
    save('b2.csv', header, lines(20, [2, 3, 4]))
    for (const words of [['run'], ['run', '--newer'], ['check', '--ledger', 'sepa-migrate.db']]) {
      const { stderr } = await ends(2, ...words, 'b2.csv', '--config', 'a.yaml')
      expect(stderr).toContain(
        '2 of 3 mandates of "b2.csv" came in with "b.yaml" before, and this command reads them with "a.yaml", as it does another system; nothing was sent',
      )
      expect(stderr).toContain('sepa-migrate run "b2.csv" --config ')
    }
    expect(held().sort((a, b) => a - b)).toEqual([1, 2, 21, 22, 23])
    // A corrected configuration may have another name.
    write('b3.yaml', place.read('b.yaml'))
    await ends(0, 'run', 'b2.csv', '--config', 'b3.yaml')
    expect(held()).toContain(24)
  })

  it('what the last export has and was misread in its file is open until another file brings it in', async () => {
    const read = (format: string, reference: string): void =>
      write(
        'sepa-migrate.yaml',
        `source: { ignoreColumns: [old_ref, ref] }\ncolumns: { signed_date: { column: signed, format: ${format} }, unique_mandate_reference: ${reference} }\n`,
      )
    const header = 'customer_no,iban,signed,sepa_creditor_identifier,old_ref,ref'
    const all = [1, 2, 3].map((n) => `${n},${germanIban(n)},02/0${n}/2020,DE98ZZZ09999999999,OLD-${n},R-${n}`)
    read('mm/dd/yyyy', 'old_ref')
    save('a.csv', header, all)
    await ends(5, 'run', 'a.csv', '--limit', '1')
    read('dd/mm/yyyy', 'ref')
    await ends(3, 'run')
    expect(await json('compare', 'a.csv', '--yes-it-is-final')).toMatchObject({ cutOver: { untaken: 1 } })
    // Under its right name it waits beside what was sent.
    save('more.csv', header, [...all, ''])
    await program('run', 'more.csv')
    expect(held().sort()).toEqual([1, 2, 3])
    expect(await json('compare', 'a.csv', '--yes-it-is-final')).toMatchObject({ cutOver: { open: 1 } })
    await program('resolve', '--row', '1', '--as', 'done', '--reason', 'cancelled there')
    expect(await json('status')).toMatchObject({ exitCode: 3 })
  })

  it('what to paste names the configuration of the file that it names, whatever was typed before', async () => {
    configure()
    write('jan.csv', validExport(3).replace(germanIban(2), WRONG(2)))
    await ends(3, 'run', 'jan.csv')
    // The list has the columns of the export.
    expect(nextOf(await program('status', '--config', 'a.yaml'))).toBe(`sepa-migrate run ${TO_DO}`)
    const final = [1, 2, 3, 4].map((n) => {
      const [customer, iban, date, , reference] = validLine(n).split(',')
      return `${customer ?? ''},${iban ?? ''},${(date ?? '').split('-').reverse().join('.')},${reference ?? ''}`
    })
    save('feb.csv', A, final)
    const compared = await program('compare', 'feb.csv', '--config', 'a.yaml')
    expect(nextOf(compared)).toBe('sepa-migrate run feb.csv --config a.yaml')
    const status = await program('status')
    expect(nextOf(status)).toBe('sepa-migrate run feb.csv --config a.yaml')
    write('other.yaml', 'source: { encoding: utf-8 }\n')
    expect(nextOf(await program('status', '--config', 'other.yaml'))).toContain('--config a.yaml')
    expect((await place.pasteNext(status)).status).toBe(0)
  })

  describe('both are corrected after their pilots', () => {
    const customers = (system: string, first: number, shift = 0): void => {
      const numbers = [0, shift, shift].map((by, at) => `K${first + at},${first + at + by}\n`)
      write(`${system}-no.csv`, `key,no\n${numbers.join('')}`)
    }
    const lines = (first: number, days: readonly string[]): string[] =>
      days.map((day, at) => `K${first + at},${germanIban(first + at)},${day},R-${first + at}`)
    /** The first of each is sent; of the others a crosswalk that is shifted names strangers. */
    async function pilots(): Promise<void> {
      configure()
      save('a.csv', A, lines(1, ['01.02.2020', '02.02.2020', '03.02.2020']))
      save('b.csv', B, lines(11, ['03/21/2020', '03/22/2020', '03/23/2020']))
      for (const [system, key] of Object.entries({ a: 'Kd', b: 'client' })) {
        const first = system === 'a' ? 1 : 11
        customers(system, first, 500)
        const columns = place.read(`${system}.yaml`).replace(`  customer_no: ${key}\n`, '')
        const crosswalk = `crosswalk: { file: ${system}-no.csv, from: ${key}, key: key, customer_no: no }\n`
        write(`${system}.yaml`, columns + crosswalk)
        const pilot = ['--config', `${system}.yaml`, '--only', `${key}=K${first}`]
        await ends(5, 'run', `${system}.csv`, ...pilot)
      }
      expect(held()).toEqual([1, 11])
    }
    const WAIT =
      '2 records of "b.csv" wait, because "b-no.csv" has changed: sepa-migrate run --config b.yaml has them read again'

    it('each is sent as its own configuration reads it, by what is printed to paste', async () => {
      await pilots()
      customers('a', 1)
      customers('b', 11)
      const first = await place.pasteNext(await program('status'))
      expect([first.status, held()], first.stdout + first.stderr).toEqual([5, [1, 11, 2, 3]])
      expect(first.stderr.split(WAIT)).toHaveLength(2)
      expect(first.stdout).toContain('2 ready: not sent yet')
      expect(nextOf(first)).toBe('sepa-migrate run --config b.yaml')
      expect(nextOf(await program('status'))).toBe(nextOf(first))
      const second = await place.pasteNext(first)
      expect(held(), second.stdout).toEqual([1, 11, 2, 3, 12, 13])
      expect(second.stderr).not.toContain('wait')
      // What was sent before may have been read wrongly, too.
      expect(second.status).toBe(3)
      expect(nextOf(second)).toMatch(/^sepa-migrate compare .* --config /)
      // What is gone is not named.
      for (const name of ['a', 'b']) renameSync(path(`${name}.yaml`), path(`${name}-old.yaml`))
      expect(nextOf(await program('status'))).toMatch(/^sepa-migrate compare .*csv$/)
    })

    it.each([
      ['a list of rows of one', [TO_DO]],
      ['refused rows once more', ['--retry-refused']],
      ['a pilot', ['--limit', '1']],
      ['a pilot that is spread', ['--limit', '1', '--spread']],
      ['the export of the one', ['a.csv']],
    ])('%s sends nothing of the other', async (_, args) => {
      await pilots()
      customers('b', 11)
      if (args[0] === TO_DO) {
        save('more.csv', A, [`K1,${WRONG(4)},04.02.2020,R-4`])
        await program('run', 'more.csv', '--config', 'a.yaml', '--only', 'Kd=none')
        correct({ IBAN: germanIban(4) })
      }
      const { status, stdout, stderr } = await program('run', ...args, '--config', 'a.yaml')
      const others = held().filter((customer) => customer > 10)
      expect([status, others], stdout).toEqual([5, expect.arrayContaining([11])])
      expect(others.filter((customer) => customer < 500 || customer > 510)).toEqual([11])
      expect(stderr).toContain(WAIT)
    })

    it('a plan is for the others alone and says so, and one from before is refused', async () => {
      await pilots()
      const plan = ['plan', '--config', 'a.yaml', '--to']
      const approve = (name: string) =>
        program('approve', name, '--by', 'Grace', '--reference', 'mail', '--yes')
      await program(...plan, 'before.json')
      await approve('before.json')
      customers('b', 11)
      const refused = await ends(2, 'run', '--plan', 'before.json', '--config', 'a.yaml')
      expect(refused.stderr).toMatch(/rows changed: 4 rows .* planned, 2 rows .* now/)
      customers('a', 1)
      const planned = await program(...plan, 'plan.json', '--retry-refused')
      expect(planned.stdout).toContain('To send: 2 rows')
      expect(planned.stdout).toContain(
        'only exports other than "b.csv", which waits to be read again with "b.yaml"; 2 other rows stay ready',
      )
      expect(planned.stderr).toContain(WAIT)
      await approve('plan.json')
      const ended = await program('run', '--config', 'a.yaml', '--plan', 'plan.json', '--retry-refused')
      expect([ended.status, held()], ended.stdout + ended.stderr).toEqual([5, [1, 11, 2, 3]])
      expect(nextOf(ended)).toContain('sepa-migrate plan --config b.yaml')
      await program('run', '--config', 'b.yaml')
      expect(held()).toEqual([1, 11, 2, 3, 12, 13])
    })

    it('one that was renamed, or came back as it was, holds nothing', async () => {
      await pilots()
      customers('b', 11)
      customers('b', 11, 500)
      renameSync(path('a.yaml'), path('c.yaml'))
      const { status, stderr } = await program('run', '--config', 'b.yaml')
      expect([status, held()], stderr).toEqual([0, [1, 11, 502, 503, 512, 513]])
    })
  })
})
