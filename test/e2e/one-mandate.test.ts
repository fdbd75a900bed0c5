import { rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { migrate } from '../../src/migrate/migrate.js'
import { newPlace } from '../migrate/place.js'
import {
  account,
  customer,
  DATE,
  ENDED,
  linesOf,
  mandate,
  named,
  type Row,
  TYPED_WRONG,
  withStatus,
} from '../support/export.js'
import { GIVE_BACK, nextOf, placeForEach, placeOfTest } from '../support/place.js'
import { inReport } from '../support/program.js'
import { rowsOf, workbookBytes } from '../support/workbook.js'

describe('spellings of one mandate', () => {
  /** Customer 31 is refused once, of customer 32 the answer is lost. */
  const FAULTS = [
    { match: { customer_no: 31 }, times: 1, fault: { kind: 'refuse', status: 422 } },
    { match: { customer_no: 32 }, times: 1, fault: { kind: 'reset', applied: false } },
  ] as const
  const place = placeForEach({ sandbox: { faults: FAULTS } })
  const { save, write, edit, read, rows, program, json, sandbox } = place
  const { decide, expectRun, registered, heldBy, waiting, expectRuns, listOf } = place

  const references = (): string[] => registered().map((line) => line.split(' ', 1)[0] ?? '')
  const once = (all: readonly string[]): void => expect(all).toEqual([...new Set(all)])

  describe('a refused mandate that a newer export spells otherwise', () => {
    const SPELT = [
      { what: 'another customer and date', ...named('MND0031'), ...customer(901), ...DATE },
      { what: 'lower case, another date', ...named('mnd0031'), ...DATE },
      { what: 'zeros in front, another account', ...named('00MND-0031'), ...account(901) },
    ].map(({ what, ...change }) => ({ what, newer: mandate(31, change) }))
    const RETRY = ['--retry-refused']

    const begin = async (newer: Row) => {
      save('export.csv', [mandate(31), mandate(2)])
      save('newer.csv', [newer, mandate(2)])
      await expectRun(['export.csv', '--no-report'], 3, [mandate(2)])
    }

    it.each(SPELT)(
      'is registered in its place once somebody says which export is newer, and the refused one not beside it ($what)',
      async ({ newer }) => {
        await begin(newer)
        const there = [newer, mandate(2)]
        await expectRuns([['newer.csv'], RETRY, []], 3, [mandate(2)])
        expect(waiting()).toEqual(linesOf([newer]))
        await expectRun(['newer.csv', '--newer'], 3, there)
        await expectRuns(
          [RETRY, ['newer.csv'], [...RETRY, 'newer.csv'], ['newer.csv', '--newer'], RETRY],
          3,
          there,
        )
      },
    )

    it.each(SPELT)('waits where the refused one was sent once more before ($what)', async ({ newer }) => {
      await begin(newer)
      const there = [mandate(31), mandate(2)]
      await expectRun(RETRY, 0, there)
      await expectRuns([['newer.csv'], RETRY, ['newer.csv', '--newer']], 3, there)
      expect(waiting()).toEqual(linesOf([newer]))
      expect((await decide('written-off', [newer])).status).toBe(0)
    })

    it.each(SPELT)('goes beside it by the word of a person ($what)', async ({ newer }) => {
      await begin(newer)
      await expectRun(['newer.csv', '--newer'], 3, [newer, mandate(2)])
      const corrected = mandate(31, { signed_date: '2024-05-15' })
      edit('refused.csv', corrected)
      await expectRun([inReport('refused.csv')], 3, [newer, mandate(2)])
      expect((await decide('send', [corrected])).status).toBe(0)
      expect(registered()).toEqual(linesOf([corrected, newer, mandate(2)]))
    })
  })

  it('a mandate that may have arrived, and was written off, is not sent under another spelling', async () => {
    const spelt = mandate(32, named('MND0032'), DATE)
    save('export.csv', [mandate(32), mandate(2)])
    save('newer.csv', [spelt, mandate(2)])
    await expectRun(['export.csv'], 4, [mandate(2)])
    await program('resolve', '--row', '1', '--as', 'written-off', '--reason', 'they do not show it')
    await expectRuns([['newer.csv'], ['newer.csv', '--newer'], []], 3, [mandate(2)])
    expect(waiting()).toEqual(linesOf([spelt]))
  })

  describe('ended in one system, spelt otherwise in another that has no status', () => {
    const OLD = withStatus(...[1, 2, 3, 6].map((n) => mandate(n, ENDED)), mandate(4))
    const SPELT = [
      mandate(1, named('MND0001')),
      mandate(2, named('00MND-0002'), DATE),
      mandate(3, named('MND 0003'), account(903)),
    ]
    const ALIVE = [...SPELT, mandate(6)]
    const begin = (): void => {
      save('old.csv', OLD)
      save('other.csv', [mandate(5), ...ALIVE])
    }
    const expectHeld = (): void => {
      expect(waiting()).toEqual(expect.arrayContaining(linesOf(ALIVE)))
      const rules = SPELT.map((row) => [row['unique_mandate_reference'], 'MANDATE_ENDED_ELSEWHERE'])
      expect(heldBy()).toMatchObject(Object.fromEntries(rules))
    }

    it.each([{ files: ['old.csv', 'other.csv'] }, { files: ['other.csv', 'old.csv'] }])(
      'is not registered from one command ($files)',
      async ({ files }) => {
        begin()
        const ended = await expectRun(files, 3, [mandate(4), mandate(5)])
        expectHeld()
        expect(nextOf(ended)).toBe(GIVE_BACK)
        await expectRun([], 3, [mandate(4), mandate(5)])
        await decide('send', ALIVE.slice(1, 2))
        expect(registered()).toEqual(linesOf([mandate(4), mandate(5), ...ALIVE.slice(1, 2)]))
      },
    )

    it('is not registered by a later command', async () => {
      begin()
      await expectRun(['old.csv'], 0, [mandate(4)])
      await expectRun(['other.csv'], 3, [mandate(4), mandate(5)])
      expectHeld()
    })

    it('is not registered where it was ready before', async () => {
      begin()
      await expectRun(['other.csv', '--limit', '1'], 5, [mandate(5)])
      await expectRun(['old.csv'], 3, [mandate(4), mandate(5)])
      expectHeld()
      await expectRun(['other.csv'], 3, [mandate(4), mandate(5)])
    })

    it('leaves a line open for each that was registered before', async () => {
      begin()
      await expectRun(['other.csv'], 0, [mandate(5), ...ALIVE])
      await expectRun(['old.csv'], 3, [mandate(4), mandate(5), ...ALIVE])
      const open = [...rows('corrections.csv'), ...listOf('cut-over.csv')]
      expect(new Set(open.map((row) => row['customer_no']))).toEqual(new Set(['1', '2', '3', '6']))
    })
  })

  describe('one account and date under two spellings, for two customers', () => {
    const TWINS = [mandate(11), mandate(11, named('MND0011'), customer(1011))]
    const [one = {}, other = {}] = TWINS

    it.each([{ files: [[...TWINS, mandate(2)]] }, { files: [[one, mandate(2)], [other]] }])(
      'both wait in one command, and a person separates them ($files.length files)',
      async ({ files }) => {
        files.forEach((file, n) => save(`${n}.csv`, file))
        const ended = await expectRun(
          [...files.keys()].map((n) => `${n}.csv`),
          3,
          [mandate(2)],
        )
        expect(waiting()).toEqual(linesOf(TWINS))
        expect(nextOf(ended)).toBe(GIVE_BACK)
        expect((await decide('send', [other])).status).toBe(3)
        expect(registered()).toEqual(linesOf([mandate(2), other]))
        expect(waiting()).toEqual(linesOf([one]))
        expect((await decide('send', [one])).status).toBe(0)
        expect(registered()).toEqual(linesOf([mandate(2), ...TWINS]))
        expect(rows('decisions.csv').map(({ reason }) => reason)).toContain('the customer was asked')
        expect(read('report.html')).toContain('the customer was asked')
      },
    )

    it('the second one waits in a later command', async () => {
      save('one.csv', [one, mandate(2)])
      save('other.csv', [other])
      await expectRun(['one.csv'], 0, [mandate(2), one])
      await expectRun(['other.csv'], 3, [mandate(2), one])
      expect((await decide('written-off', [other])).status).toBe(0)
    })

    it('a lowered rule lets both go and is in the report, and never two of one reference', async () => {
      write('sepa-migrate.yaml', 'rules: { MANDATE_RESEMBLES_SENT: warning, CONFLICT_MANDATE: warning }\n')
      save('export.csv', [...TWINS, mandate(2), mandate(2, account(902))])
      await program('run', 'export.csv')
      expect(registered()).toEqual(expect.arrayContaining(linesOf(TWINS)))
      expect(read('report.html')).toContain('MANDATE_RESEMBLES_SENT')
      save('newer.csv', [mandate(2, DATE), mandate(11, account(911))])
      await program('run', 'newer.csv')
      once(references())
    })
  })

  it.each(['date', 'account'])(
    'a lost ledger began it: the other spelling with another %s is not sent by the next one',
    async (what) => {
      const real = await placeOfTest({ truth: { isReal: true }, ownState: true })
      const run = (...args: string[]) => real.program('run', '--yes', ...args)
      real.save('export.csv', [mandate(1), mandate(2)])
      expect((await run('export.csv')).status).toBe(0)
      rmSync(real.path('sepa-migrate.db'))
      real.save('other.csv', [
        mandate(1, named('MND0001'), what === 'date' ? DATE : account(901)),
        mandate(3),
      ])
      await run('other.csv', '--another-ledger', '--reason', 'the disk is lost', '--ledger', 'next.db')
      await run('--ledger', 'next.db')
      expect([...real.truth().received()].sort()).toEqual([1, 2, 3].map((n) => [n, 1]))
      expect(real.totals('next.db')).toMatchObject({ registered: 1, ready: 0 })
    },
  )

  describe('controls', () => {
    const TWO = [mandate(1011, named('1-11')), mandate(1111, named('11-1'))]

    it.each([[['both.csv']], [['one.csv', 'other.csv']]])(
      'two customers whose references fold to one have two mandates (%s)',
      async (files) => {
        save('both.csv', TWO)
        TWO.forEach((row, at) => save(at === 0 ? 'one.csv' : 'other.csv', [row]))
        await expectRun(files, 0, TWO)
      },
    )

    it('mandates of one customer on one account are so many, in the last export too', async () => {
      const three = ['A-1', 'A-2', 'A-3'].map((reference) => mandate(7, named(reference)))
      save('export.csv', three)
      save('final.csv', three.toReversed())
      await expectRun(['export.csv'], 0, three)
      expect(await json('compare', 'final.csv')).toMatchObject({ exitCode: 0, classes: { unchanged: 3 } })
      await expectRun(['final.csv'], 0, three)
    })

    it('letter case alone makes no other mandate', async () => {
      const lower = mandate(2, named('mnd-0002'))
      save('export.csv', [mandate(2), lower])
      save('later.csv', [lower, mandate(3)])
      await expectRun(['export.csv'], 0, [mandate(2)])
      await expectRun(['later.csv'], 0, [mandate(2), mandate(3)])
    })
  })

  it('the library says which export is the newer one', async () => {
    const { at, asked } = newPlace()
    const csv = (date: string): string =>
      [
        Object.keys(mandate(2)),
        ...[2, 3].map((n) => Object.values(mandate(n, n === 3 ? { signed_date: date } : {}))),
      ]
        .map((cells) => cells.join())
        .join('\n')
    const { url, username, password } = sandbox()
    const ask = (file: string, date: string, more: object = {}) => {
      writeFileSync(at(file), `${csv(date)}\n`, { mode: 0o600 })
      const service = { baseUrl: url, username, password }
      return migrate({ ...asked(url), service, files: [at(file)], ...more })
    }
    expect((await ask('export.csv', '2024-03-04', { limit: 1 })).exitCode).toBe(5)
    expect((await ask('newer.csv', '2024-04-30')).exitCode).toBe(3)
    expect(registered()).toEqual(linesOf([mandate(2)]))
    expect((await ask('newer.csv', '2024-04-30', { newer: true })).exitCode).toBe(0)
    expect(registered()).toEqual(linesOf([mandate(2), mandate(3, DATE)]))
  })
})

describe('a mandate that was corrected or sent', () => {
  /** The answer for customer 22 is lost once. */
  const LOST = { match: { customer_no: 22 }, times: 1, fault: { kind: 'reset', applied: true } } as const
  const place = placeForEach({ sandbox: { faults: [LOST] } })
  const { save, edit, write, program, ends, json } = place
  const { mandateOf, expectRun, listOf, registered } = place

  const references = (rows: readonly Row[]): string[] =>
    rows.map((row) => row['unique_mandate_reference'] ?? '').sort()

  describe('the last export still shows what was corrected and registered', () => {
    const AUTO = 'columns: { signed_date: { column: signed_date, format: auto } }\n'
    /** What was wrong is row 1 of two. */
    const begin = async (wrong: Row) => {
      save('export.csv', [wrong, mandate(3)])
      await expectRun(['export.csv'], 3, [mandate(3)])
      edit('corrections.csv', mandate(1))
      await expectRun([inReport('corrections.csv')], 0, [mandate(1), mandate(3)])
    }
    const expectRepeated = async (file: string) => {
      expect(await json('compare', file)).toMatchObject({ exitCode: 0, classes: { unchanged: 2 } })
      await expectRun([file], 0, [mandate(1), mandate(3)])
      const totals = { read: 4, duplicate: 2, registered: 2, invalid: 0, conflict: 0 }
      expect(await json('status')).toMatchObject({ exitCode: 0, totals })
    }
    const dotted = (row: Row): Row => ({
      ...row,
      signed_date: (row['signed_date'] ?? '').split('-').reverse().join('.'),
    })
    const dayCell = (text = ''): string =>
      `<c s="1"><v>${Math.round((Date.parse(text) - Date.parse('1899-12-30')) / 86_400_000)}</v></c>`

    it.each([
      ['account', TYPED_WRONG],
      ['date', { signed_date: '2024-02-30' }],
      ['reference', named('MND_0001')],
      ['customer', { customer_no: '?' }],
    ])('it repeats: %s', async (_, change) => {
      await begin(mandate(1, change))
      save('final.csv', [mandate(3), mandate(1, change)])
      await expectRepeated('final.csv')
    })

    it('it repeats in another notation, as text and as a workbook', async () => {
      const all = [mandate(1, TYPED_WRONG), mandate(3)]
      write('sepa-migrate.yaml', AUTO)
      await begin(mandate(1, TYPED_WRONG))
      save('final.csv', all.map(dotted))
      await expectRepeated('final.csv')
      const cells = all.map((row) =>
        Object.entries(row).map(([name, text]) => (name === 'signed_date' ? dayCell(text) : text)),
      )
      const sheet = rowsOf([Object.keys(mandate(1)), ...cells])
      writeFileSync(place.path('final.xlsx'), workbookBytes({ sheets: { Mandates: sheet }, formats: [14] }))
      expect(await json('compare', 'final.xlsx')).toMatchObject({ exitCode: 0, classes: { unchanged: 2 } })
      await expectRun(['final.xlsx'], 0, [mandate(1), mandate(3)])
    })

    it.each([
      ['one that can be read', account(901)],
      ['one that cannot', { iban: (TYPED_WRONG['iban'] ?? '').replace('DE00', 'DE01') }],
    ])('a third value waits: %s', async (_, change) => {
      await begin(mandate(1, TYPED_WRONG))
      save('final.csv', [mandate(1, change), mandate(3)])
      await expectRun(['final.csv'], 3, [mandate(1), mandate(3)])
      expect(references(listOf('cut-over.csv'))).toEqual(['MND-0001'])
    })
  })

  describe('an export contradicts a mandate that was sent', () => {
    /** The answer for the second is lost, the rest stays as it is. */
    const SENT = [21, 22, 23, 24, 25, 26].map((n) => mandate(n))
    const [registeredOne = {}, doubtful = {}, ...rest] = SENT
    const resolveDoubt = (): Promise<unknown> => {
      const found = mandateOf(22)
      const assigned = ['--assigned-creditor-identifier', found?.sepa_creditor_identifier ?? '']
      assigned.push('--assigned-mandate-reference', found?.unique_mandate_reference ?? '')
      return program('resolve', '--row', '2', '--as', 'registered', '--reason', 'they hold it', ...assigned)
    }
    const open = (): string[] => references(listOf('cut-over.csv'))

    const LIST = inReport('cut-over.csv')
    const WHAT = [
      ['ended', ['run', 'compare'], ENDED, ENDED],
      ['ended', ['compare', 'run'], ENDED, ENDED],
      ['account', ['compare', 'run'], account(921), account(922)],
      ['date', ['run'], DATE, DATE],
      ['customer', ['run', 'compare'], customer(921), customer(922)],
    ] as const

    it.each(WHAT)(
      'one line each, conflict while it is open, and closed by done: %s, %j',
      async (_, order, one, other) => {
        save('export.csv', withStatus(...SENT))
        await expectRun(['export.csv'], 4, SENT)
        save('final.csv', withStatus({ ...registeredOne, ...one }, { ...doubtful, ...other }, ...rest))
        for (const command of order) {
          await ends(4, command, 'final.csv')
          expect(open()).toEqual(['MND-0021', 'MND-0022'])
        }
        expect(await json('status')).toMatchObject({ totals: { conflict: 2, duplicate: 4, inDoubt: 1 } })

        await resolveDoubt()
        const reported = await program('report')
        expect([reported.status, nextOf(reported)]).toEqual([3, GIVE_BACK])
        expect(open()).toEqual(['MND-0021', 'MND-0022'])
        edit('cut-over.csv', {
          migration_decision: 'done',
          migration_reason: 'told the service',
          migration_by: 'Ada',
        })
        await ends(0, 'resolve', '--from', LIST)
        const closed = { exitCode: 0, totals: { conflict: 0, duplicate: 6, registered: 6, excluded: 0 } }
        expect(await json('status')).toMatchObject(closed)
        for (const command of ['compare', 'run']) {
          await ends(0, command, 'final.csv')
          expect(open()).toEqual([])
        }
        expect(await json('status')).toMatchObject(closed)
        expect(registered()).toEqual(linesOf(SENT))
      },
    )
  })
})
