import { describe, expect, it } from 'vitest'
import { account, customer, DATE, mandate, type Row } from '../support/export.js'
import { placeForEach } from '../support/place.js'
import { inReport } from '../support/program.js'

const place = placeForEach({ sandbox: {} })
const { save, write, edit, expectRun } = place

const NEVER: Row = { signed_date: '2024-02-30' }
/** As the exports show them: the crosswalk has the customers. */
const exported = (n: number, ...changes: readonly Row[]): Row =>
  mandate(n, { Old: `K${n}`, customer_no: '' }, ...changes)
const configure = (more = ''): void => {
  const read = 'crosswalk: { file: crosswalk.csv, from: Old, key: old_no, customer_no: customer_no }'
  write('sepa-migrate.yaml', `${read}\n${more}\n`)
}
const crosswalk = (ofSecond: number, ofThird = 3, more = ''): void => {
  write('crosswalk.csv', `old_no,customer_no\nK1,1\nK2,${ofSecond}\nK3,${ofThird}\nK4,4\n${more}`)
}

/** What was sent first, as the newer export shows the others, and what the list is about. */
const FIRST = mandate(1)
const MOVED = mandate(2, account(72))
const LAST = mandate(4)

/** The crosswalk is wrong of the second mandate, and the date of the third cannot be read. */
async function begin(ofThird: Row = NEVER): Promise<void> {
  configure()
  crosswalk(6)
  save('export.csv', [exported(1), exported(2), exported(3, NEVER), exported(4)])
  save('newer.csv', [exported(1), exported(2, account(72)), exported(3, ofThird), exported(4)])
  await expectRun(['export.csv', '--limit', '1'], 5, [FIRST])
}

const correct = (change: Row): string => {
  edit('corrections.csv', change, 'mended.csv')
  return 'mended.csv'
}

describe('what a newer export says counts over what the same command reads again', () => {
  it('where somebody calls it newer', async () => {
    await begin()
    crosswalk(2)
    await expectRun(['newer.csv', '--newer'], 3, [FIRST, MOVED, LAST])
  })

  it('where it was compared last', async () => {
    await begin()
    await place.ends(5, 'compare', 'newer.csv')
    crosswalk(2)
    await expectRun(['newer.csv'], 3, [FIRST, MOVED, LAST])
  })

  it('where there are two that say the same', async () => {
    await begin()
    save('beside.csv', [exported(5), exported(2, account(72))])
    crosswalk(2, 3, 'K5,5\n')
    await expectRun(['newer.csv', 'beside.csv', '--newer'], 3, [FIRST, MOVED, LAST, mandate(5)])
  })

  it('and none of two that differ', async () => {
    await begin()
    save('beside.csv', [exported(2, account(73))])
    crosswalk(2)
    await expectRun(['newer.csv', 'beside.csv', '--newer'], 3, [FIRST, LAST])
  })

  it('also of what could not be read', async () => {
    await begin({})
    crosswalk(2, 7)
    await expectRun(['newer.csv', '--newer'], 3, [FIRST, MOVED, mandate(3, customer(7)), LAST])
  })
})

describe('a list and a newer export in one command', () => {
  const ways = (file: string): readonly (readonly string[])[] => [
    [file, 'newer.csv', '--newer'],
    ['newer.csv', file, '--newer'],
  ]

  it.each([0, 1])('take what somebody corrected as it is, where both say the same (%s)', async (way) => {
    await begin(DATE)
    crosswalk(2)
    const all = [FIRST, MOVED, mandate(3, DATE), LAST]
    await expectRun(ways(correct(DATE))[way] ?? [], 3, all)
  })

  it.each([0, 1])('hold it where they differ (%s)', async (way) => {
    await begin({ signed_date: '2024-05-05' })
    crosswalk(2)
    await expectRun(ways(correct(DATE))[way] ?? [], 3, [FIRST, MOVED, LAST])
    expect(place.heldBy()).toEqual({ 'MND-0003': 'CONFLICT_MANDATE' })
  })

  it.each([
    [0, 6],
    [1, 6],
    [0, 2],
    [1, 2],
  ])('take the export where the line is still wrong (%s, customer %i)', async (way, ofSecond) => {
    await begin({})
    crosswalk(ofSecond)
    const file = correct({ signed_date: '2024-02-31' })
    const second = mandate(2, account(72), customer(ofSecond))
    await expectRun(ways(file)[way] ?? [], ofSecond === 6 ? 0 : 3, [FIRST, second, mandate(3), LAST])
  })

  it.each([
    ['is still wrong', { signed_date: '2024-02-31' }],
    ['was corrected', DATE],
  ])('which is the one that is read again, until the next list where the line %s', async (_, change) => {
    await begin()
    crosswalk(2, 7)
    const sent = [FIRST, mandate(2), LAST]
    await expectRun([correct(change), 'export.csv', '--newer'], 3, sent)
    await expectRun([correct(DATE)], 3, [...sent, mandate(3, customer(7), DATE)])
  })

  it('which is the one that is read again, and nothing goes that the line calls ended', async () => {
    configure('columns: { status: Status }')
    write('crosswalk.csv', 'old_no,customer_no\nK1,1\nK2,2\n')
    save(
      'export.csv',
      [1, 2, 3].map((n) => exported(n, { Status: 'active' })),
    )
    await expectRun(['export.csv', '--limit', '1'], 5, [FIRST])
    const file = correct({ Status: 'cancelled' })
    crosswalk(2)
    await expectRun([file, 'export.csv', '--newer'], 3, [FIRST, mandate(2)])
  })
})

it('the list of the report goes back beside the newer export', async () => {
  await begin(DATE)
  crosswalk(2)
  edit('corrections.csv', DATE)
  const all = [FIRST, MOVED, mandate(3, DATE), LAST]
  await expectRun([inReport('corrections.csv'), 'newer.csv', '--newer'], 3, all)
})

describe('a line of a list from before a re-reading, with a later correction of its row,', () => {
  const correctIn = (from: string, changes: Readonly<Record<string, Row>>, saved: string): string => {
    edit(from, (row) => ({ ...row, ...changes[row['unique_mandate_reference'] ?? ''] }), saved)
    return saved
  }

  /** Two dates cannot be read; somebody corrects the third mandate, whose customer was wrong, and a pilot is sent. */
  const correctThird = async (when: string): Promise<void> => {
    configure()
    crosswalk(2, 7)
    save('export.csv', [exported(1), exported(2), exported(3, NEVER), exported(4, NEVER)])
    await expectRun(['export.csv', '--limit', '1'], 5, [FIRST])
    edit('corrections.csv', (row) => row, 'yesterday.csv')
    if (when === 'after') crosswalk(2)
    const hers = correctIn('corrections.csv', { 'MND-0003': DATE }, 'hers.csv')
    await expectRun([hers, '--limit', '1'], 5, [FIRST, mandate(2)])
    crosswalk(2)
  }

  it.each(['before', 'after'])('adds nothing where it is unchanged (corrected %s it)', async (when) => {
    await correctThird(when)
    const his = correctIn('yesterday.csv', { 'MND-0004': DATE }, 'his.csv')
    await expectRun([his], 3, [FIRST, mandate(2), mandate(3, DATE), mandate(4, DATE)])
  })

  it.each(['before', 'after'])('waits, and its mandate is open, where it differs (%s)', async (when) => {
    await correctThird(when)
    const changes = { 'MND-0003': account(73), 'MND-0004': DATE }
    const his = correctIn('yesterday.csv', changes, 'his.csv')
    await expectRun([his], 3, [FIRST, mandate(2), mandate(4, DATE)])
    expect(place.heldBy()).toEqual({ 'MND-0003': 'DATE_INVALID CONFLICT_MANDATE' })
    expect(place.totals()).toMatchObject({ read: 4, registered: 3, invalid: 1 })
  })
})
