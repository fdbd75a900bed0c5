import { mkdirSync, renameSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { linesOf, mandate, TYPED_WRONG } from '../support/mandates.js'
import { nextOf, placeForEach, type Row } from '../support/place.js'
import { inReport } from '../support/program.js'

/** An export was read with a configuration, and a later command says nothing of it. */
const place = placeForEach({ sandbox: {} })
const { write, save, program, json, expectRun, registered, edit } = place

const ALL = [1, 2, 3].map((n) => mandate(n))
const [FIRST] = ALL as [Row]
const read = (words = 'active: [A], notActive: [X]'): string =>
  `crosswalk: { file: customers.csv, from: Old, key: old_no }\ncolumns: { status: Status }\nwords: { status: { ${words} } }\n`
const customers = (from: number, folder = ''): void =>
  write(`${folder}customers.csv`, `old_no,customer_no\nK1,1\nK2,${from}\nK3,${from + 1}\n`)

/** The first is right in any case, the others go to strangers unless they are read again. */
async function pilot(folder = '', change: Row = {}): Promise<void> {
  write(`${folder}b.yaml`, read('active: [A, X]'))
  customers(7, folder)
  const words = ['A', 'A', 'X']
  save(
    `${folder}export.csv`,
    ALL.map((row, at) => ({
      ...row,
      Old: `K${at + 1}`,
      customer_no: '',
      Status: words[at] ?? '',
      ...(at === 2 ? change : {}),
    })),
  )
  const ended = await program(
    'run',
    `${folder}export.csv`,
    '--limit',
    '1',
    '--config',
    `${folder}b.yaml`,
    ...at(folder),
  )
  expect([ended.status, registered()], ended.stdout + ended.stderr).toEqual([5, linesOf([FIRST])])
}
const at = (folder: string): string[] => (folder === '' ? [] : ['--ledger', `${folder}sepa-migrate.db`])

const SOON = (what: string): string =>
  `2 records will be read again, because "${what}" has changed: run and plan do so before anything is sent, with --config b.yaml`
const STAYS = '2 records of "export.csv" stay as they were read with "b.yaml"'

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
      for (const args of [
        ['run'],
        ['run', 'export.csv'],
        ['run', '--retry-refused'],
        ['plan'],
        ['compare', 'export.csv'],
      ]) {
        const { status, stderr } = await program(...args)
        expect([status, registered()], args.join(' ') + stderr).toEqual([2, linesOf([FIRST])])
        expect(stderr).toContain(
          `2 records of "export.csv" that were not sent were read with "b.yaml", and "${what}" has changed since; nothing was sent`,
        )
        expect(stderr).toContain(
          `Give it, too: sepa-migrate ${args.join(' ').replace(' --retry-refused', '')} --config b.yaml`,
        )
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
    edit('corrections.csv', (row) => ({ ...row, iban: mandate(3)['iban'] ?? '', migration_reason: 'asked' }))
    await expectRun([inReport('corrections.csv')], 2, [FIRST])
    await expectRun(['--config', 'b.yaml'], 3, [FIRST, mandate(2)])
    await expectRun([inReport('corrections.csv'), '--config', 'b.yaml'], 3, ALL)
  })

  it('in a folder that somebody works beside, or has moved', async () => {
    mkdirSync(place.path('c'))
    await pilot('c/')
    customers(2, 'c/')
    for (const args of [['run'], ['plan']]) {
      const { status, stderr } = await program(...args, '--ledger', 'c/sepa-migrate.db')
      expect([status, stderr]).toEqual([2, expect.stringContaining('--config c/b.yaml')])
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
    const { stderr } = await expectRun([], 0, [
      FIRST,
      mandate(2, { customer_no: '7' }),
      mandate(3, { customer_no: '8' }),
    ])
    expect(stderr).not.toContain('b.yaml')
  })

  it('also under another name of its path, or where its folder was moved', async () => {
    mkdirSync(place.path('c'))
    await pilot('c/')
    renameSync(place.path('c'), place.path('d'))
    const ledger = ['--ledger', 'd/sepa-migrate.db']
    for (const config of ['d/b.yaml', place.path('d/b.yaml')])
      expect((await program('status', ...ledger, '--config', config)).stderr).toBe('')
    const { stdout, stderr } = await expectRun(ledger, 0, [
      FIRST,
      mandate(2, { customer_no: '7' }),
      mandate(3, { customer_no: '8' }),
    ])
    expect(stdout + stderr).not.toContain('as they were read')
  })
})

describe('where another configuration reads', () => {
  const AS_READ = [FIRST, mandate(2, { customer_no: '7' }), mandate(3, { customer_no: '8' })]
  it.each([false, true])(
    'one that was named (and the former has changed: %s), it says once what stays, or waits',
    async (hasChanged) => {
      await pilot()
      if (hasChanged) customers(2)
      write('other.csv', 'old_no,customer_no\nK1,1\nK2,2\nK3,3\n')
      write('c.yaml', read('active: [A, X]').replace('customers.csv', 'other.csv'))
      const told = hasChanged
        ? '2 records of "export.csv" wait, because "customers.csv" has changed: sepa-migrate run --config b.yaml has them read again'
        : STAYS
      for (const command of ['status', 'plan']) {
        const { stderr } = await program(command, '--config', 'c.yaml')
        expect(
          stderr.split(hasChanged && command === 'status' ? SOON('customers.csv') : told),
          command,
        ).toHaveLength(2)
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
    expect((await expectRun(['--limit', '1'], 5, AS_READ.slice(0, 2))).stderr).toContain(
      told.replace('2 records', '2 records'),
    )
    await expectRun(['export.csv', '--config', 'old.yaml'], 3, [...AS_READ.slice(0, 2), mandate(3)])
  })
})
