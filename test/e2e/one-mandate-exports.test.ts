import { describe, expect, it } from 'vitest'
import {
  account,
  customer,
  DATE,
  ENDED,
  linesOf,
  mandate,
  mandates,
  named,
  type Row,
  TYPED_WRONG,
  withStatus,
} from '../support/export.js'
import { GIVE_BACK, nextOf, placeForEach, type Told } from '../support/place.js'
import { type Ended, inReport } from '../support/program.js'

describe('exports', () => {
  /** Customer 7 is refused once. */
  const REFUSED = { match: { customer_no: 7 }, times: 1, fault: { kind: 'refuse', status: 422 } } as const
  const place = placeForEach({ sandbox: { faults: [REFUSED] } })
  const { save, read, write, edit, program, ends, json, pasteNext } = place
  const { decide, expectRun, expectRuns, listOf, registered, heldBy, waiting } = place

  interface Compared extends Told {
    readonly classes: Readonly<Record<string, number>>
    readonly cutOver: Readonly<Record<string, number>>
  }
  const compare = (...files: string[]) => json<Compared>('compare', ...files)

  const AS_BEFORE = mandates(5, 6)
  /** Mandates 1 to 4 as the older export has them, and as the newer one does. */
  const OLDER = mandates(1, 2, 3, 4)
  const CHANGED = [mandate(2, account(902)), mandate(3, DATE), mandate(4, customer(904))]
  const older = withStatus(...AS_BEFORE, ...OLDER)
  const newer = withStatus(...AS_BEFORE, mandate(1, ENDED), ...CHANGED)
  const [first = {}] = AS_BEFORE
  const GIVEN = { migration_decision: 'done', migration_reason: 'told the service' }

  describe('one command with two exports that contradict each other', () => {
    const FILES = ['export-10.csv', 'export-9.csv']
    const begin = (): void => {
      save('export-9.csv', older)
      save('export-10.csv', newer)
    }

    it.each([[FILES], [FILES.toReversed()]])(
      'nothing of what they contradict is sent, the rest goes, and a person says which is right (%s)',
      async (files) => {
        begin()
        const ended = await expectRun(files, 3, AS_BEFORE)
        expect(waiting()).toEqual(expect.arrayContaining(linesOf([...OLDER, ...CHANGED])))
        expect(nextOf(ended)).toBe(GIVE_BACK)
        await expectRun([], 3, AS_BEFORE)
        await expectRun(files.toReversed(), 3, AS_BEFORE)

        expect((await decide('send', [...OLDER.slice(1), ...CHANGED])).status).toBe(3)
        expect(registered()).toEqual(linesOf(AS_BEFORE))
        expect((await decide('send', CHANGED)).status).toBe(3)
        expect(registered()).toEqual(linesOf([...AS_BEFORE, ...CHANGED]))
        expect(waiting()).toEqual(expect.arrayContaining(linesOf([mandate(1)])))
        expect((await decide('written-off', place.rows('corrections.csv'))).status).toBe(0)
      },
    )

    it('compare calls them contradictory, each with a line, and closes them with done', async () => {
      begin()
      await expectRun(['export-9.csv'], 0, [...AS_BEFORE, ...OLDER])
      const { exitCode, classes, cutOver } = await compare(...FILES)
      expect([exitCode, classes]).toEqual([3, expect.objectContaining({ contradictory: 4, unchanged: 2 })])
      expect(Object.values(classes).reduce((sum, count) => sum + count)).toBe(6)
      expect(cutOver).toMatchObject({ open: 4 })
      const lines = listOf('cut-over.csv')
      expect(lines.map((row) => row['migration_class'])).toEqual(Array(4).fill('contradictory'))
      expect(linesOf(lines).map((line) => line.split(' ', 1)[0])).toEqual(
        OLDER.map((row) => row['unique_mandate_reference']),
      )
      edit('cut-over.csv', GIVEN)
      await ends(0, 'resolve', '--from', inReport('cut-over.csv'))
    })
  })

  it('the last export came in before another that was called newer: what changed waits for a run of its file', async () => {
    save('first.csv', older)
    save('wrong.csv', newer)
    await expectRun(['first.csv', '--limit', '1', '--no-report'], 5, [first])
    await expectRun(['wrong.csv', '--newer', '--only', 'unique_mandate_reference=MND-0006'], 5, AS_BEFORE)
    const { classes, cutOver } = await compare('first.csv', '--yes-it-is-final')
    expect([classes, cutOver]).toMatchObject([{ changed_before_sending: 4 }, { untaken: 4 }])
    await expectRun(['wrong.csv'], 3, AS_BEFORE)
    const status = await program('status')
    expect(nextOf(status)).toBe('sepa-migrate run first.csv')
    expect((await pasteNext(status)).status).toBe(0)
    expect(registered()).toEqual(linesOf([...AS_BEFORE, ...OLDER]))
  })

  describe('january.csv is read after february.csv', () => {
    const FEBRUARY = [...AS_BEFORE, ...CHANGED]
    const JANUARY = [...AS_BEFORE, ...OLDER]
    /** The pilot sends the first row of February alone. */
    const begin = async (january = older) => {
      save('february.csv', newer)
      save('january.csv', january)
      await expectRun(['february.csv', '--limit', '1', '--no-report'], 5, [first])
    }

    it('what differs waits, however often January is given, until the printed command says which is newer', async () => {
      await begin()
      const ended = await expectRun(['january.csv'], 3, AS_BEFORE)
      const [over, order] = ['MANDATE_ENDED_ELSEWHERE', 'EXPORT_ORDER_UNKNOWN']
      const held = { 'MND-0001': over, 'MND-0002': order, 'MND-0003': order, 'MND-0004': order }
      expect(heldBy()).toMatchObject(held)
      const again = [['january.csv', '--yes'], [], ['february.csv'], ['january.csv', 'february.csv']]
      await expectRuns(again, 3, AS_BEFORE)
      const next = nextOf(ended)
      expect(next).toMatch(/^sepa-migrate run \w+\.csv --newer$|^sepa-migrate run --newer \w+\.csv$/)
      expect((await pasteNext(ended)).status).toBe(0)
      expect(registered()).toEqual(linesOf(next.includes('january.csv') ? JANUARY : FEBRUARY))
    })

    it('February is the newer one although somebody had called January that, and January again', async () => {
      await begin()
      const none = ['--newer', '--only', 'unique_mandate_reference=MND-0006']
      const files = ['january.csv', 'february.csv', 'january.csv']
      await expectRuns(
        files.map((file) => [file, ...none]),
        5,
        AS_BEFORE,
      )
      await expectRuns([['february.csv', '--newer'], []], 0, FEBRUARY)
    })

    it.each([
      ['has ended', 'cancelled'],
      ['is not understood', 'XK7'],
    ])(
      'waits where two exports are compared, and under another spelling it %s in one of them',
      async (_, said) => {
        save('a.csv', [...AS_BEFORE, { ...mandate(1), unique_mandate_reference: '00MND-0001' }])
        save('b.csv', withStatus(...AS_BEFORE, { ...mandate(1), Status: said }))
        await expectRun(['a.csv', '--limit', '2'], 5, AS_BEFORE)
        await program('compare', 'a.csv', 'b.csv', '--yes-it-is-final')
        await expectRuns([[], ['a.csv'], ['b.csv']], 3, AS_BEFORE)
        expect(Object.keys(heldBy())).toContain('00MND-0001')
      },
    )
  })

  describe('rows were taken out of an export, and it is given again under its name', () => {
    const all = [...AS_BEFORE, ...OLDER]
    const rest = all.filter((_, at) => at !== 3 && at !== 4)
    const begin = async (...args: string[]): Promise<void> => {
      save('export.csv', all)
      await expectRun(['export.csv', '--limit', '1', '--no-report'], 5, [first])
      save('export.csv', rest)
      const { stderr } = await expectRun(['export.csv', ...args], 2, [first])
      expect(stderr).toMatch(/2 mandates of an earlier "export\.csv" .* \(rows 4, 5\); nothing was sent/)
      expect(stderr).toContain('sepa-migrate compare "export.csv"')
      expect(stderr).toContain('sepa-migrate resolve --row 4 --as written-off')
    }

    const writeOff = (status: number, row: string) =>
      ends(status, 'resolve', '--row', row, '--as', 'written-off', '--reason', 'not theirs')

    it('nothing is sent before a comparison holds them', async () => {
      await begin()
      await ends(5, 'compare', 'export.csv')
      await expectRun(['export.csv'], 3, rest)
      save('export.csv', all.slice(0, 2))
      await expectRun(['export.csv'], 3, rest)
    })

    it('nothing is sent before a person writes them off, however new it is', async () => {
      await begin('--newer')
      for (const row of ['4', '5']) await writeOff(5, row)
      await expectRun(['export.csv'], 0, rest)
    })

    /** The fourth has left in the second week, and one has come. */
    const WEEK = mandates(1, 2, 3, 4, 5, 6)
    const NEXT = mandates(1, 2, 3, 5, 6, 9)

    it('whoever is in the export of the next week no more is asked about, whatever its name', async () => {
      save('week 1.csv', WEEK)
      await expectRun(['week 1.csv', '--limit', '1'], 5, mandates(1))
      save('week 2.csv', NEXT)
      for (const more of [[], ['--newer']]) {
        const { stderr } = await expectRun(['week 2.csv', ...more], 2, mandates(1))
        expect(stderr).toContain('1 mandate of "week 1.csv" may be sent and is not in "week 2.csv" (row 4)')
        expect(stderr).toContain('lists all of them in to-do/cut-over.csv (sepa-migrate compare')
      }
      await ends(5, 'compare', 'week 2.csv')
      expect(place.rows('cut-over.csv')).toMatchObject([
        { migration_row: '4', migration_class: 'gone_unsent' },
      ])
      await expectRun(['week 2.csv'], 3, NEXT)
    })

    it('two weeks are not taken in one command, in neither order', async () => {
      const files = ['week 1.csv', 'week 2.csv']
      save('week 1.csv', WEEK)
      save('week 2.csv', NEXT)
      const asked = /1 mandate of "week \d\.csv" may be sent .* nobody said which; nothing was sent/
      for (const order of [files, files.toReversed()])
        expect((await expectRun(order, 2, [])).stderr).toMatch(asked)
      await expectRun(['week 2.csv'], 0, NEXT)
    })

    it.each([
      ['only what is active, beside what had ended as well', ['week 2.csv']],
      ['two parts', ['a.csv', 'b.csv']],
    ])('the next week is %s', async (_title, files) => {
      const next = withStatus(...mandates(1, 2, 3, 5, 6))
      save('week 1.csv', withStatus(...WEEK, ...[11, 12, 13, 14].map((n) => mandate(n, ENDED))))
      await expectRun(['week 1.csv', '--limit', '1'], 5, mandates(1))
      save('week 2.csv', next)
      save('a.csv', next.slice(0, 2))
      save('b.csv', next.slice(2))
      expect((await expectRun(files, 2, mandates(1))).stderr).toContain('(row 4); nothing was sent')
      save('moved.csv', withStatus(mandate(4)))
      await expectRun([...files, 'moved.csv'], 0, WEEK)
    })

    it('what a person corrected is in the export of the next week as it was before', async () => {
      const week = WEEK.map((row, at) => (at === 3 ? { ...row, ...named('') } : row))
      save('week 1.csv', week)
      await expectRun(['week 1.csv', '--limit', '1'], 5, mandates(1))
      edit('corrections.csv', named('MND-0004'))
      await expectRun([inReport('corrections.csv'), '--limit', '1'], 5, mandates(1, 2))
      save('week 2.csv', [...week, mandate(9)])
      await expectRun(['week 2.csv'], 0, [...WEEK, mandate(9)])
    })

    it('what was refused is asked about, too', async () => {
      const kept = mandates(1, 2, 8)
      save('export.csv', [...kept, mandate(7)])
      await expectRun(['export.csv'], 3, kept)
      save('export.csv', kept)
      for (const more of [[], ['--retry-refused']])
        expect((await expectRun(['export.csv', ...more], 2, kept)).stderr).toContain('(row 4)')
      await writeOff(0, '4')
      await expectRun(['export.csv', '--retry-refused'], 0, kept)
    })

    it('they are sent where the file is a part beside the earlier one, or another holds them', async () => {
      await begin()
      save('second.csv', rest)
      await expectRun(['second.csv', '--limit', '1'], 5, all.slice(0, 2))
      save('export.csv', mandates(8, 9, 6))
      await expectRun(['export.csv', '--limit', '1'], 5, [...all.slice(0, 2), mandate(8)])
      save('export.csv', [...rest, mandate(9)])
      save('moved.csv', all.slice(3, 5))
      await expectRun(['export.csv', 'moved.csv'], 0, [...all, mandate(8), mandate(9)])
    })
  })

  it('what the comparison calls changed before sending waits for that export', async () => {
    save('export.csv', [...AS_BEFORE, ...OLDER])
    const final = [...AS_BEFORE, mandate(1), ...CHANGED]
    save('final.csv', final)
    await expectRun(['export.csv', '--limit', '1'], 5, [first])
    expect((await compare('final.csv')).classes).toMatchObject({ changed_before_sending: 3, unchanged: 3 })
    await program('plan', '--to', 'plan.json')
    expect(JSON.parse(read('plan.json'))).toMatchObject({
      rows: { count: 2 },
      staysBehind: [{ rule: 'CHANGED_SINCE_COMPARED', count: 3 }],
    })
    const unchanged = [...AS_BEFORE, mandate(1)]
    const ended = await expectRun([], 3, unchanged)
    await expectRun(['export.csv'], 3, unchanged)
    expect((await program('status')).stdout).toContain('3 ready, and held back')
    expect(nextOf(ended)).toBe('sepa-migrate run final.csv')
    expect((await pasteNext(ended)).status).toBe(0)
    expect(registered()).toEqual(linesOf(final))
  })

  it('what a list or a corrected configuration makes of that waits as well, unless it says the same', async () => {
    const unread = { signed_date: '2024-02-30' }
    const rows = [...AS_BEFORE, mandate(2, unread), mandate(3, { Status: 'paid' }), mandate(4, unread)]
    save('export.csv', withStatus(...rows))
    save('final.csv', withStatus(...AS_BEFORE, mandate(2, account(902)), mandate(3, DATE), mandate(4)))
    await expectRun(['export.csv'], 3, AS_BEFORE)
    await compare('final.csv')
    edit('corrections.csv', (row) =>
      row['signed_date'] === unread.signed_date
        ? { ...row, signed_date: mandate(Number(row['customer_no']))['signed_date'] ?? '' }
        : row,
    )
    await expectRun([inReport('corrections.csv')], 3, [...AS_BEFORE, mandate(4)])
    write('sepa-migrate.yaml', 'words: { status: { active: [paid] } }\n')
    await expectRun(['--yes'], 3, [...AS_BEFORE, mandate(4)])
    await expectRun(['final.csv', '--yes'], 2, [...AS_BEFORE, mandate(4)])
    await compare('final.csv')
    await expectRun(['final.csv', '--yes'], 3, [...AS_BEFORE, mandate(4), mandate(3, DATE)])
    expect(heldBy()).toEqual({ 'MND-0002': 'CONFLICT_MANDATE' })
  })

  describe('an empty cell in the column that says which mandates have ended', () => {
    const saying = (column: string, word: string, ended: string, ...which: number[]): Row[] =>
      [...AS_BEFORE, ...OLDER].map((row, at) => ({ ...row, [column]: which.includes(at) ? ended : word }))
    const CASES = [
      ['status', 'active', 'cancelled', ''],
      ['Sequenz', 'RCUR', 'FNAL', 'NULL'],
      ['Gesperrt', 'N', 'J', ''],
    ] as const
    const configure = (column: string): void => {
      if (column === 'Gesperrt')
        write('sepa-migrate.yaml', 'exclude: [{ column: Gesperrt, equals: [J], reason: blocked }]\n')
    }
    const alive = mandates(5, 6, 2, 3, 4)

    it.each(CASES)('%s: revives nothing that ended before', async (...[column, word, ended, empty]) => {
      configure(column)
      save('export.csv', saying(column, word, ended, 2))
      save('final.csv', [...saying(column, word, empty, 2), { ...mandate(8), [column]: empty }])
      await expectRun(['export.csv', '--limit', '1'], 5, [first])
      await compare('final.csv')
      await expectRun(['final.csv'], 3, [...alive, mandate(8)])
      expect(heldBy()).toEqual({ 'MND-0001': 'MANDATE_ENDED_ELSEWHERE' })
      await expectRuns([['final.csv', '--newer'], []], 3, [...alive, mandate(8)])
      save('final.csv', saying(column, word, ended))
      await expectRun(['final.csv', '--newer'], 3, [...alive, mandate(8), mandate(1)])
      expect(waiting()).toEqual([])
    })

    it.each(CASES)('%s: nor what a comparison knows as ended', async (...[column, word, ended, empty]) => {
      configure(column)
      save('export.csv', saying(column, word, ended))
      save('final.csv', [...saying(column, word, ended, 2), { ...mandate(8), [column]: ended }])
      save('later.csv', [...saying(column, word, empty, 2), { ...mandate(8), [column]: empty }])
      await expectRun(['export.csv', '--limit', '1'], 5, [first])
      expect((await compare('final.csv')).classes).toMatchObject({ gone_unsent: 1, new: 1 })
      expect((await compare('later.csv')).classes).toMatchObject({ gone_unsent: 1, new: 1, unchanged: 5 })
      await expectRuns([[], ['later.csv'], ['later.csv', '--newer']], 3, alive)
      save('living.csv', [...saying(column, word, ended), { ...mandate(8), [column]: word }])
      expect((await compare('living.csv')).classes).toMatchObject({ unchanged: 7 })
      await expectRun(['living.csv'], 0, [...alive, mandate(1), mandate(8)])
    })

    it.each([
      ['status', 'cancelled', ''],
      ['Ende', '2024-05-31', 'exclude: [{ column: Ende, filled: true, reason: ended }]\n'],
    ])('%s: says nothing where the whole column is empty', async (column, ended, configuration) => {
      write('sepa-migrate.yaml', configuration)
      save('export.csv', saying(column, '', ended, 2))
      save('final.csv', saying(column, '', ''))
      await expectRun(['export.csv', '--limit', '1'], 5, [first])
      const { stderr } = await ends(2, 'compare', 'final.csv')
      expect(stderr).toContain(`its column "${column}" is empty in every row`)
      await ends(5, 'compare', 'final.csv', '--yes-it-is-final')
      await expectRun(['final.csv'], 3, alive)
      expect(heldBy()).toEqual({ 'MND-0001': 'MANDATE_ENDED_ELSEWHERE' })
    })

    it('says that it lives where only ended ones are marked', async () => {
      save('export.csv', saying('status', '', 'cancelled', 2, 3))
      save('final.csv', saying('status', '', 'cancelled', 3))
      await expectRun(['export.csv', '--limit', '1'], 5, [first])
      await ends(5, 'compare', 'final.csv')
      await expectRun(['final.csv'], 0, mandates(5, 6, 1, 3, 4))
    })
  })

  describe('a record of the last export that nobody can read, and that is shown to be a mandate', () => {
    const UNREAD = named('')
    /** One mandate was sent, the other waits, and the last export has both without their references. */
    const begin = async (): Promise<void> => {
      save('export.csv', mandates(1, 2, 3))
      await expectRun(['export.csv', '--limit', '1'], 5, [mandate(1)])
      save('final.csv', [mandate(1, UNREAD), mandate(2, UNREAD), mandate(3)])
      expect((await compare('final.csv', '--yes-it-is-final')).cutOver).toMatchObject({ open: 2 })
      await expectRun(['final.csv'], 3, mandates(1, 3))
    }
    const correct = (changed: Row = {}): Promise<Ended> => {
      edit('corrections.csv', (row) => ({ ...row, ...mandate(Number(row['customer_no'])), ...changed }))
      return program('run', inReport('corrections.csv'))
    }

    it('settles its line, and the next comparison, which knows the record, lets the mandate go', async () => {
      await begin()
      const corrected = await correct()
      expect(corrected.stdout).not.toContain('changed no value')
      expect([corrected.status, listOf('cut-over.csv')]).toEqual([3, []])
      expect(nextOf(corrected)).toBe('sepa-migrate compare final.csv')
      const compared = await program('compare', 'final.csv')
      expect(compared.stdout).toContain('3  Unchanged')
      expect(nextOf(compared)).toBe('sepa-migrate run')
      await expectRun([], 0, mandates(1, 2, 3))
      write('copy.csv', `${read('final.csv')}\n`)
      expect((await compare('copy.csv')).classes).toMatchObject({ unchanged: 3 })
    })

    it('settles nothing with another value', async () => {
      await begin()
      await correct(DATE)
      expect(listOf('cut-over.csv')).toHaveLength(2)
      await expectRun([], 3, mandates(1, 3))
    })
  })

  it.each([
    ['was refused', 7, ['export.csv'], 3],
    ['was not sent', 8, ['export.csv', '--only', 'unique_mandate_reference=MND-0006'], 5],
  ] as const)(
    'files that one command calls newer contradict each other, also where one of them came in before and %s',
    async (_, n, args, status) => {
      save('export.csv', [mandate(n), mandate(6)])
      save('other.csv', [mandate(n, DATE), mandate(6)])
      await expectRun(args, status, [mandate(6)])
      await expectRun(['other.csv', 'export.csv', '--newer'], 3, [mandate(6)])
      await expectRun(['other.csv', '--newer'], 0, [mandate(n, DATE), mandate(6)])
    },
  )
})

describe('words', () => {
  /** Customer 31 is refused once. */
  const FAULTS = [{ match: { customer_no: 31 }, times: 1, fault: { kind: 'refuse' } }] as const
  const place = placeForEach({ sandbox: { faults: FAULTS } })
  const { save, edit, json } = place
  const { expectRun, listOf, ends, registered, expectRuns } = place

  describe('a word of a person is about the mandate that it names, and about no other', () => {
    it('what was refused is closed with the record that says it has ended', async () => {
      save('export.csv', mandates(31, 2))
      save('status.csv', withStatus(mandate(31, ENDED), mandate(2)))
      await expectRuns([['export.csv'], ['status.csv']], 3, [mandate(2)])
      await place.program('resolve', '--row', '3', '--as', 'written-off', '--reason', 'it is over')
      await expectRun(['--retry-refused'], 0, [mandate(2)])
    })

    it('a list that has lost the numbers of its rows revives nothing that has ended', async () => {
      save('export.csv', mandates(1, 2))
      save('status.csv', withStatus(mandate(1, ENDED), mandate(2)))
      await expectRun(['export.csv', 'status.csv'], 3, [mandate(2)])
      edit('corrections.csv', { migration_row: '', Status: '' }, 'list.csv')
      await expectRuns([['list.csv'], []], 3, [mandate(2)])
    })

    it('"send" beside each of two records of one mandate is told as taken beside none', async () => {
      save('export.csv', [mandate(1), mandate(1, account(901)), mandate(2)])
      await expectRun(['export.csv'], 3, [mandate(2)])
      edit('corrections.csv', { migration_decision: 'send' })
      const { stderr } = await expectRun([inReport('corrections.csv')], 3, [mandate(2)])
      expect(stderr).toContain('2 lines in "corrections.csv" with "send" wait all the same')
    })
  })

  it('one account and date under two spellings, for two customers, wait until a person separates them', async () => {
    const { rows, read, decide, waiting } = place
    const TWINS = [mandate(11), mandate(11, named('MND0011'), customer(1011))]
    const [one = {}, other = {}] = TWINS
    save('export.csv', [...TWINS, mandate(2)])
    const ended = await expectRun(['export.csv'], 3, [mandate(2)])
    expect(waiting()).toEqual(linesOf(TWINS))
    expect(nextOf(ended)).toBe(GIVE_BACK)
    expect((await decide('send', [other])).status).toBe(3)
    expect(registered()).toEqual(linesOf([mandate(2), other]))
    expect(waiting()).toEqual(linesOf([one]))
    expect((await decide('send', [one])).status).toBe(0)
    expect(registered()).toEqual(linesOf([mandate(2), ...TWINS]))
    expect(rows('decisions.csv').map(({ reason }) => reason)).toContain('the customer was asked')
    expect(read('report.html')).toContain('the customer was asked')
  })

  it('of two exports that were compared together neither is the newer one', async () => {
    save('export.csv', [mandate(3)])
    await expectRun(['export.csv'], 0, [mandate(3)])
    save('active.csv', withStatus(mandate(1), mandate(3)))
    save('ended.csv', withStatus(mandate(1, ENDED), mandate(3)))
    await place.program('compare', 'active.csv', 'ended.csv', '--yes-it-is-final')
    await expectRuns([['ended.csv'], ['active.csv']], 3, [mandate(3)])
    expect(registered()).toEqual(linesOf([mandate(3)]))
  })

  it('a line about two exports that contradict each other stays open where a run takes one of them', async () => {
    save('export.csv', withStatus(mandate(3), mandate(1)))
    await place.program('run', 'export.csv', '--limit', '1', '--yes')
    save('active.csv', withStatus(mandate(1), mandate(3)))
    save('ended.csv', withStatus(mandate(1, ENDED), mandate(3)))
    expect(await json('compare', 'active.csv', 'ended.csv')).toMatchObject({ classes: { contradictory: 1 } })
    await place.program('run', 'ended.csv', '--newer', '--yes')
    expect(await json('status')).toMatchObject({ cutOver: { open: 1 }, totals: { excluded: 1 } })
  })

  it('what two people corrected otherwise waits for a person, whatever a newer export says', async () => {
    save('export.csv', [mandate(1), mandate(2, TYPED_WRONG)])
    await expectRun(['export.csv'], 3, [mandate(1)])
    const list = place.read(inReport('corrections.csv'))
    for (const n of [901, 902]) {
      edit('corrections.csv', account(n))
      place.write(`${n}.csv`, place.read(inReport('corrections.csv')))
      place.write(inReport('corrections.csv'), list)
    }
    await expectRun(['901.csv', '902.csv'], 3, [mandate(1)])
    save('newer.csv', [mandate(1), mandate(2, account(903))])
    await expectRun(['newer.csv', '--newer'], 3, [mandate(1)])
  })

  it('what somebody corrects of the compared export is no change of it', async () => {
    save('export.csv', mandates(1, 2, 3))
    await expectRun(['export.csv', '--limit', '1'], 5, [mandate(1)])
    save('final.csv', [mandate(1), mandate(2), mandate(3, TYPED_WRONG)])
    await json('compare', 'final.csv')
    await expectRun(['final.csv'], 3, mandates(1, 2))
    edit('corrections.csv', account(3))
    await expectRun([inReport('corrections.csv')], 0, mandates(1, 2, 3))
  })

  it('a next step that changes nothing is not told twice', async () => {
    save('first.csv', withStatus(mandate(1), mandate(2, ENDED)))
    save('second.csv', mandates(1, 2))
    await expectRun(['first.csv'], 0, [mandate(1)])
    await expectRun(['second.csv'], 3, [mandate(1)])
    save('final.csv', mandates(1, 2, 4))
    await json('compare', 'final.csv', '--yes-it-is-final')
    const ended = await expectRun(['final.csv'], 3, mandates(1, 4))
    expect(nextOf(ended)).toBe(GIVE_BACK)
  })

  it('an export that is called newer although it came in before says what the service has to change', async () => {
    save('first.csv', withStatus(mandate(1), mandate(2), mandate(3), mandate(4, ENDED)))
    const sent = [mandate(1), mandate(2, account(902)), mandate(3, customer(903)), mandate(4)]
    save('second.csv', withStatus(...sent))
    await expectRun(['first.csv', '--limit', '1'], 5, [mandate(1)])
    await expectRun(['second.csv', '--newer'], 0, sent)
    const { stdout } = await expectRun(['first.csv', '--newer'], 3, sent)
    expect(stdout).toContain('which export is the newest has changed: 1 the same, 3 were read from the file.')
    const changed = ['has another account', 'has another customer number', 'has ended']
    const listed = listOf('cut-over.csv').map((row) => row['migration_change'])
    expect(listed).toEqual(changed.map((what) => `it ${what} there`))
    const done = { migration_decision: 'done', migration_reason: 'told the service' }
    edit('cut-over.csv', done)
    await ends(0, 'resolve', '--from', inReport('cut-over.csv'))
    await expectRun(['first.csv', '--newer'], 0, sent)
  })

  it('what comes in after a comparison waits until it is called newer, and not where another configuration reads it', async () => {
    place.write('b.yaml', 'dormantSoonDays: 3\n')
    save('first.csv', [mandate(3)])
    save('older.csv', [mandate(4)])
    save('other.csv', [mandate(5)])
    await expectRun(['first.csv'], 0, [mandate(3)])
    await json('compare', 'first.csv')
    await expectRun(['older.csv'], 3, [mandate(3)])
    await expectRun(['other.csv', '--config', 'b.yaml'], 3, mandates(3, 5))
    await expectRun(['older.csv', '--newer'], 3, mandates(3, 4, 5))
  })
})
