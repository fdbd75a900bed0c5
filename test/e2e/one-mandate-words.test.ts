import { describe, expect, it } from 'vitest'
import {
  account,
  DATE,
  ENDED,
  linesOf,
  mandate,
  named,
  TYPED_WRONG,
  withStatus,
} from '../support/mandates.js'
import { placeForEach } from '../support/place.js'
import { inReport } from '../support/program.js'

/** Customer 31 is refused once. */
const FAULTS = [{ match: { customer_no: 31 }, times: 1, fault: { kind: 'refuse' } }] as const
const place = placeForEach({ sandbox: { faults: FAULTS } })
const { save, edit, json } = place
const { decide, expectRun, listOf, registered, waiting, expectRuns } = place

describe('a word of a person is about the mandate that it names, and about no other', () => {
  it('what was refused is closed with the record that says it has ended', async () => {
    save('export.csv', [mandate(31), mandate(2)])
    save('status.csv', withStatus(mandate(31, ENDED), mandate(2)))
    await expectRuns([['export.csv'], ['status.csv']], 3, [mandate(2)])
    await place.program('resolve', '--row', '3', '--as', 'written-off', '--reason', 'it is over')
    await expectRun(['--retry-refused'], 0, [mandate(2)])
  })

  it('a list that has lost the numbers of its rows revives nothing that has ended', async () => {
    save('export.csv', [mandate(1), mandate(2)])
    save('status.csv', withStatus(mandate(1, ENDED), mandate(2)))
    await expectRun(['export.csv', 'status.csv'], 3, [mandate(2)])
    edit('corrections.csv', (row) => ({ ...row, migration_row: '', Status: '' }), 'list.csv')
    await expectRuns([['list.csv'], []], 3, [mandate(2)])
  })

  it('"send" beside each of two records of one mandate is told as taken beside none', async () => {
    save('export.csv', [mandate(1), mandate(1, account(901)), mandate(2)])
    await expectRun(['export.csv'], 3, [mandate(2)])
    edit('corrections.csv', (row) => ({ ...row, migration_decision: 'send' }))
    const { stderr } = await expectRun([inReport('corrections.csv')], 3, [mandate(2)])
    expect(stderr).toContain('2 lines in "corrections.csv" with "send" wait all the same')
  })

  it.each([
    ['', 3, ['--retry-refused']],
    ['send', 0, []],
  ])(
    'a correction to what counts already answers the record that said something else (%s)',
    async (word, status, args) => {
      save('export.csv', [mandate(31), mandate(2)])
      save('other.csv', [mandate(31, account(901)), mandate(2)])
      await expectRuns([['export.csv'], ['other.csv']], 3, [mandate(2)])
      edit('corrections.csv', (row) => ({ ...row, ...mandate(31), migration_decision: word }))
      const sent = status === 0 ? [mandate(31), mandate(2)] : [mandate(2)]
      await expectRun([inReport('corrections.csv')], status, sent)
      expect(listOf('corrections.csv')).toEqual([])
      await expectRun(args, 0, [mandate(31), mandate(2)])
    },
  )
})

describe('a line of the cut-over stays open until somebody acts, or an export answers it', () => {
  it('one that does not say which have ended answers no end', async () => {
    save('export.csv', [mandate(1), mandate(2)])
    save('status.csv', withStatus(mandate(1, ENDED), mandate(2)))
    await expectRun(['export.csv'], 0, [mandate(1), mandate(2)])
    await expectRun(['status.csv'], 3, [mandate(1), mandate(2)])
    save('final.csv', [mandate(2), mandate(1)])
    expect(await json('compare', 'final.csv', '--yes-it-is-final')).toMatchObject({ exitCode: 3 })
    expect(listOf('cut-over.csv')).toMatchObject([{ customer_no: '1' }])
    save('last.csv', withStatus(mandate(2), mandate(1)))
    expect(await json('compare', 'last.csv')).toMatchObject({ exitCode: 0, classes: { unchanged: 2 } })
    expect(listOf('cut-over.csv')).toEqual([])
  })

  it('a record that is written off leaves it open', async () => {
    save('export.csv', [mandate(1), mandate(2)])
    save('status.csv', withStatus(mandate(1, ENDED), mandate(2)))
    await expectRun(['export.csv'], 0, [mandate(1), mandate(2)])
    await expectRun(['status.csv'], 3, [mandate(1), mandate(2)])
    await decide('written-off', [mandate(1)])
    expect(await json('status')).toMatchObject({ exitCode: 3, cutOver: { open: 1 } })
    edit('cut-over.csv', (row) => ({
      ...row,
      migration_decision: 'done',
      migration_reason: 'cancelled there',
    }))
    await place.program('resolve', '--from', inReport('cut-over.csv'))
    expect(await json('status')).toMatchObject({ exitCode: 0, cutOver: { open: 0 } })
  })

  it('a typing error of two exports is the same one once it was corrected', async () => {
    const all = (reference: string) => [mandate(1, TYPED_WRONG, named(reference)), mandate(2)]
    save('one.csv', all('MND-0001'))
    save('two.csv', all('mnd-0001'))
    await expectRuns([['one.csv'], ['two.csv', '--newer']], 3, [mandate(2)])
    edit('corrections.csv', (row) => ({ ...row, ...account(1) }))
    await expectRun([inReport('corrections.csv')], 0, [mandate(1, named('mnd-0001')), mandate(2)])
    save('final.csv', [...all('MND-0001')].reverse())
    expect(await json('compare', 'final.csv')).toMatchObject({ exitCode: 0, classes: { unchanged: 2 } })
  })
})

it.each([
  ['another date', DATE],
  ['a typing error, too', { ...DATE, ...TYPED_WRONG }],
])(
  'a correction to what was written off answers the record that said something else (%s)',
  async (_, said) => {
    save('export.csv', [mandate(31), mandate(2)])
    save('older.csv', [mandate(31, said), mandate(2)])
    await expectRun(['export.csv'], 3, [mandate(2)])
    await place.program('resolve', '--row', '1', '--as', 'written-off', '--reason', 'it is over')
    await expectRun(['older.csv'], 3, [mandate(2)])
    edit('corrections.csv', (row) => ({ ...row, ...mandate(31) }))
    await expectRuns([[inReport('corrections.csv')], ['--retry-refused']], 0, [mandate(2)])
  },
)

it('a mandate is held for its other spelling, though others of its customer look like it as well', async () => {
  const like = (reference: string) => mandate(1, named(reference))
  save('export.csv', [mandate(2), like('A-1'), like('A-3')])
  save('other.csv', [like('00A-3')])
  await expectRun(['export.csv', '--limit', '1'], 5, [mandate(2)])
  await expectRun(['other.csv'], 3, [mandate(2)])
  expect(waiting()).toEqual(linesOf([like('00A-3'), like('A-1'), like('A-3')]))
})

it.each([[['active.csv', 'unclear.csv', 'other.csv']], [['other.csv', 'unclear.csv', 'active.csv']]])(
  'a correction that gives another row the reference of a conflict decides nothing about it (%s)',
  async (files) => {
    place.write('sepa-migrate.yaml', 'words: { status: { active: [active] } }\n')
    save('active.csv', withStatus(mandate(1), mandate(2)))
    save('unclear.csv', withStatus(mandate(1, { Status: 'S' }), mandate(2)))
    save('other.csv', [mandate(1, named('00MND-0001'))])
    await expectRun(files, 3, [mandate(2)])
    edit('corrections.csv', (row) =>
      row['unique_mandate_reference'] === '00MND-0001' ? { ...row, ...named('MND-0001') } : row,
    )
    await expectRuns([[inReport('corrections.csv')], ['--retry-refused']], 3, [mandate(2)])
  },
)

it('of two exports that were compared together neither is the newer one', async () => {
  save('export.csv', [mandate(3)])
  await expectRun(['export.csv'], 0, [mandate(3)])
  save('active.csv', withStatus(mandate(1), mandate(3)))
  save('ended.csv', withStatus(mandate(1, ENDED), mandate(3)))
  await place.program('compare', 'active.csv', 'ended.csv', '--yes-it-is-final')
  await expectRuns([['ended.csv'], ['active.csv']], 3, [mandate(3)])
  expect(registered()).toEqual(linesOf([mandate(3)]))
})

it.each([[['wrong.csv', 'export.csv']], [['export.csv', 'wrong.csv']]])(
  'a record of unknown status speaks under its other spelling, though its account cannot be read (%s)',
  async ([first = '', second = '']) => {
    place.write('sepa-migrate.yaml', 'words: { status: { active: [active] } }\n')
    save('export.csv', withStatus(mandate(1, TYPED_WRONG), mandate(2)))
    save('wrong.csv', withStatus(mandate(1, named('MND 0001'), TYPED_WRONG, { Status: 'S' }), mandate(3)))
    const [one, other] = first === 'export.csv' ? [2, 3] : [3, 2]
    await expectRun([first], 3, [mandate(one)])
    await expectRun([second], 3, [mandate(one), mandate(other)])
    edit('corrections.csv', (row) =>
      'MND-0001' === row['unique_mandate_reference'] ? { ...row, ...account(1) } : row,
    )
    await expectRun([inReport('corrections.csv')], 3, [mandate(2), mandate(3)])
  },
)

it('what had ended in the last export is not sent by an older one that comes in later', async () => {
  save('first.csv', withStatus(mandate(3)))
  await expectRun(['first.csv'], 0, [mandate(3)])
  save('final.csv', withStatus(mandate(1, ENDED), mandate(2), mandate(3)))
  await json('compare', 'final.csv', '--yes-it-is-final')
  save('older.csv', withStatus(mandate(1), mandate(2), mandate(3)))
  const { stdout } = await expectRun(['older.csv'], 3, [mandate(2), mandate(3)])
  expect(stdout).toContain('1 ready, and held back')
  await expectRun(['final.csv'], 3, [mandate(2), mandate(3)])
  expect(await json('compare', 'final.csv')).toMatchObject({ exitCode: 0 })
})
