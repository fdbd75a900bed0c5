import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { configurationSchema } from '../../src/cli/settings/configuration.js'
import { READING_KEYS } from '../../src/run/read-again.js'
import { folder, partsOf, range } from '../e2e/seeds.js'
import { collectionFile, type Debit } from '../support/collections.js'
import { creditorIdentifierOf } from '../support/sample-values.js'
import { germanIban } from '../support/export.js'
import { mandateCells, sheetOf, workbookBytes } from '../support/workbook.js'
import { type Draw, drawOf, FORMATS, type Key, KEYS, type Said } from './read-again-draws.js'
import { campaignIn, play } from './read-again-play.js'

/** Draws of configurations; 2,000 in the long test. A failure names its seed, which READING_SEED repeats. */
const SEEDS = Number(process.env['READING_SEEDS'] ?? 25)
const FROM = Number(process.env['READING_SEED'] ?? 1)
const PART = 100

const about = (seed: number, { key, format, way }: Draw): string =>
  `READING_SEED=${seed}: ${key} of a ${format} file, then ${way}`

it.each(partsOf(SEEDS, PART, FROM))(
  'a pilot as it was read at first and the rest as it reads now send what one campaign would from seed %i',
  async (from) => {
    let compared = 0
    const seeds = range(from, Math.min(PART, FROM + SEEDS - from))
    for (const seed of seeds) {
      const draw = drawOf(seed)
      const played = await play(draw, folder)
      expect(played.wrong, about(seed, draw)).toEqual([])
      if ((played.compared ?? 0) > 0) compared += 1
    }
    if (seeds.length > 10) expect(compared).toBeGreaterThan(seeds.length / 3)
  },
)

/** Where the configuration says what a draw corrects. */
const PLACES: Readonly<Partial<Record<Key, string>>> = {
  ...Object.fromEntries(
    ['customer', 'iban', 'date', 'constant', 'reference', 'status', 'last'].map((key) => [key, 'columns']),
  ),
  ...{ words: 'words', furtherWords: 'words', exclude: 'exclude', rules: 'rules', crosswalk: 'crosswalk' },
  ...{ secondKey: 'crosswalk', join: 'join', profile: 'profile', dates: 'source.dates', zone: 'timezone' },
  ...{ creditorIdentifier: 'service.creditorIdentifier', ignored: 'source.ignoreColumns' },
}
/** The first seeds that miss them, where it is not one of the first five; where a change lets it not, the next ones do. */
const FIRST: Readonly<Partial<Record<Key, number>>> = {
  ...{ iban: 6, date: 12, last: 8, furtherWords: 7, secondKey: 27, dates: 81, ignored: 35 },
}
const MOST_SEEDS = 200

it.each(KEYS.filter((key) => PLACES[key] !== undefined))(
  'a key of the configuration that is not looked at is missed: %s',
  async (key) => {
    const { cells } = READING_KEYS
    const at = cells.indexOf(PLACES[key] ?? '')
    const [name = ''] = cells.splice(at, 1)
    try {
      for (const n of range((FIRST[key] ?? 1) - 1, MOST_SEEDS))
        if ((await play(drawOf(1 + (n % MOST_SEEDS), key), folder)).wrong.length > 0) return
      expect.fail(`None of ${MOST_SEEDS} seeds missed "${name}"`)
    } finally {
      cells.splice(at, 0, name)
    }
  },
)

/** It keeps back nothing, so that the configuration is another one and reads the same. */
const IDLE = { column: 'scheme', equals: ['never'], reason: 'nothing' }

it.each(FORMATS)('what says the same when it is read again keeps its place of a %s file', async (format) => {
  let read = 0
  for (let seed = 1, played = 0; played < 12; seed += 1) {
    const draw = drawOf(seed)
    if (draw.format !== format) continue
    played += 1
    const own = mkdtempSync(join(folder, 'same-'))
    const [{ name, bytes }] = draw.files
    writeFileSync(join(own, name), bytes)
    const campaign = campaignIn(own, 'campaign.db')
    if ((await campaign.run([name], draw.first, 1)) === null) {
      const before = campaign.rows().filter(({ state }) => state !== 'registered')
      const { reading } = draw.first
      const then = { ...draw.first, reading: { ...reading, exclude: [...(reading.exclude ?? []), IDLE] } }
      expect(await campaign.run([], then, 1), about(seed, draw)).toBeNull()
      for (const told of campaign.readAgain().filter((one) => one.includes('was read again'))) {
        const [, same = ''] =
          /has changed: (\d+) the same\.$/.exec(told) ?? expect.fail(`${about(seed, draw)}: ${told}`)
        read += Number(same)
      }
      const placed = campaign.rows().map(({ source, record }) => `${source} ${record}`)
      for (const row of before) expect(placed).toContain(`${row.source} ${row.record}`)
    }
    campaign.ledger.close()
  }
  expect(read).toBeGreaterThan(20)
})

it('a formula that nobody computed, and that may keep a mandate back, does so when its record is read again', async () => {
  const own = mkdtempSync(join(folder, 'formula-'))
  const cells = [{}, { 5: '<c><f>1+1</f></c>' }, { 5: 'left' }, {}].map((changed, at) =>
    mandateCells(at + 1, changed),
  )
  writeFileSync(join(own, 'a.xlsx'), workbookBytes({ sheets: { A: sheetOf(...cells) } }))
  const exclude = [{ column: 'note', equals: ['left'], reason: 'left' }]
  const first = { reading: { exclude }, rules: {}, zone: 'UTC', newCreditorIdentifier: null, seconds: {} }
  const then = { ...first, reading: { exclude: [...exclude, { ...IDLE, column: 'note' }] } }
  const campaign = campaignIn(own, 'campaign.db')
  onTestFinished(() => campaign.ledger.close())
  expect(await campaign.run(['a.xlsx'], first, 1)).toBeNull()
  for (const given of [[], ['a.xlsx']]) {
    expect(await campaign.run(given, then)).toBeNull()
    expect(campaign.rows().map(({ customerNo, state }) => `${customerNo ?? 0} ${state}`)).toEqual([
      ...['1 registered', '2 invalid', '3 excluded', '4 registered'],
    ])
  }
})

/** Keys that say nothing of how a file is read. */
const NOTHING = `ledger out lang logFile approval approvalValidFor approvers outcomes readBack campaign limits
    service.baseUrl service.username service.passwordFile service.concurrency service.customers service.rate service.timeout
    service.connectTimeout service.readBack service.testHost service.maxInDoubt service.maxRefused service.ca
    service.clientCertificate service.clientKey service.proxy service.freshConnections`.split(/\s+/)

/** Sections of which each key has an answer of its own. */
const SECTIONS = ['service', 'source']

it('every key of the configuration says once what it has to do with records that came in before', () => {
  const { properties = {} } = z.toJSONSchema(configurationSchema, { io: 'input' })
  const keysOf = (name: string): string[] => {
    const inner = properties[name]
    const keys = typeof inner === 'object' ? Object.keys(inner.properties ?? {}) : []
    return SECTIONS.includes(name) ? keys.map((key) => `${name}.${key}`) : [name]
  }
  const all = Object.keys(properties).flatMap(keysOf)
  expect([...Object.values(READING_KEYS).flat(), ...NOTHING].sort()).toEqual(all.sort())
})

describe('what was collected and comes in later', () => {
  /** A mandate whose export knows an old collection; of one the status has ended it, too. */
  interface Exported {
    readonly last: string
    readonly status?: string
    readonly signed?: string
  }

  const SAID: Said = {
    reading: {
      columns: {
        signed_date: { column: 'signed_date', format: 'iso' },
        last_collection_date: { column: 'last_collection_date', format: 'iso' },
      },
      exclude: [{ column: 'status', equals: ['ended'], reason: 'ended' }],
      crosswalk: { file: 'customers.csv', from: 'key', key: 'key', customer_no: 'no' },
    },
    ...{ rules: {}, zone: 'UTC', newCreditorIdentifier: null },
    seconds: { 'customers.csv': 'key,no\nK1,101\nK2,102\nK3,103\nK4,104\n' },
  }
  const CORRECTED: Said = {
    ...SAID,
    seconds: { 'customers.csv': 'key,no\nK1,101\nK2,102\nK3,103\nK4,999\n' },
  }

  const OLD = { last: '2022-01-15' }
  const RECENT = { last: '2026-01-15' }
  /** The first is the pilot; the second has lapsed by its export, the fourth has not. */
  const ROWS: readonly Exported[] = [RECENT, OLD, { ...OLD, status: 'ended' }, RECENT]

  const signedOf = (n: number): string => `2020-03-0${n}`
  const exportOf = (rows: readonly Exported[]): string =>
    [
      'key,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,last_collection_date,status',
      ...rows.map(({ last, status = 'active', signed }, at) =>
        [
          ...[`K${at + 1}`, germanIban(at + 1), signed ?? signedOf(at + 1), 'DE98ZZZ09999999999'],
          ...[`M-${at + 1}`, last, status],
        ].join(),
      ),
      '',
    ].join('\n')
  const debit = (n: number, more: Partial<Debit> = {}): Debit => ({
    ...{ reference: `M-${n}`, signed: signedOf(n), iban: germanIban(n), day: '2026-05-05' },
    ...more,
  })
  const ALL = [1, 2, 3, 4].map((n) => debit(n))

  function begin(debits: readonly Debit[] = ALL, rows: readonly Exported[] = ROWS) {
    const own = mkdtempSync(join(folder, 'later-'))
    writeFileSync(join(own, 'a.csv'), exportOf(rows))
    writeFileSync(join(own, 'e.xml'), collectionFile([...debits]))
    const campaign = campaignIn(own, 'campaign.db')
    onTestFinished(() => campaign.ledger.close())
    /** Of each mandate the row that counts. */
    const fates = (): string[] =>
      campaign
        .rows()
        .map(
          ({ originalMandateReference, state, rule, latestFirstDebit }) =>
            `${originalMandateReference ?? ''} ${[state, rule, latestFirstDebit].filter((one) => one !== null).join(' ')}`,
        )
        .sort()
    return { ...campaign, fates, write: (name: string, text: string) => writeFileSync(join(own, name), text) }
  }

  const BOTH_WAYS = [
    'M-1 registered 2029-05-05',
    'M-2 registered 2029-05-05',
    'M-3 excluded EXCLUDED_BY_CONFIGURATION 2029-05-05',
    'M-4 registered 2029-05-05',
  ]

  it('what was collected sends what it sends beside the export, in whatever order both come in', async () => {
    const together = begin()
    expect(await together.run(['a.csv'], SAID, null, ['e.xml'])).toBeNull()
    expect(together.fates()).toEqual(BOTH_WAYS)

    const later = begin()
    expect(await later.run(['a.csv'], SAID, 1)).toBeNull()
    expect(later.fates()[1]).toBe('M-2 excluded MANDATE_DORMANT 2025-01-15')
    expect(await later.run([], SAID, null, ['e.xml'])).toBeNull()
    expect(later.fates()).toEqual([
      'M-1 registered 2029-01-15',
      'M-2 registered 2029-05-05',
      'M-3 excluded EXCLUDED_BY_CONFIGURATION 2025-01-15',
      'M-4 registered 2029-05-05',
    ])
    expect(later.readAgain()).toEqual([
      '"a.csv" was read again, because what the evidence says has changed: 0 the same, 1 has another last collection, 1 can be sent now.',
    ])
    expect(await later.run(['a.csv'], SAID)).toBeNull()
    expect(later.ledger.view.readSources()[0]?.parts).toHaveLength(2)
  })

  it('records that are read again are checked beside what was collected', async () => {
    const campaign = begin()
    expect(await campaign.run(['a.csv'], SAID, 1, ['e.xml'])).toBeNull()
    expect(await campaign.run([], CORRECTED)).toBeNull()
    expect(campaign.fates()).toEqual(BOTH_WAYS)
    expect(campaign.readAgain()[0]).toBe(
      '"a.csv" was read again, because "customers.csv" has changed: 2 the same, 1 has another customer.',
    )
  })

  it.each<[string, Partial<Debit>, string]>([
    ['another account', { iban: germanIban(9) }, 'conflict EVIDENCE_ACCOUNT_DIFFERS 2029-05-05'],
    ['another date of signature', { signed: '2019-01-01' }, 'conflict EVIDENCE_DATE_DIFFERS 2029-05-05'],
    ['a last one', { sequence: 'FNAL' }, 'conflict EVIDENCE_ENDED 2029-05-05'],
    ['one before it was signed', { day: '2020-01-05' }, 'excluded MANDATE_DORMANT 2025-01-15'],
    ['one that has lapsed, too', { day: '2022-06-05' }, 'excluded MANDATE_DORMANT 2025-01-15'],
    ['one of another mandate', { reference: 'M-7' }, 'excluded MANDATE_DORMANT 2025-01-15'],
  ])('a lapsed mandate of which %s was collected is not sent', async (_, more, expected) => {
    const campaign = begin([debit(2, more)])
    await campaign.run(['a.csv'], SAID, 1)
    expect(await campaign.run([], SAID, null, ['e.xml'])).toBeNull()
    expect(campaign.fates()[1]).toBe(`M-2 ${expected}`)
    expect([...campaign.sent().values()].filter((line) => line.includes('M-2'))).toEqual([])
  })

  it('a mandate that waits for a collection with another date of signature is not let go by an older one', async () => {
    const campaign = begin(
      [debit(1), debit(2, { signed: '2019-01-01', day: '2026-07-05' })],
      [RECENT, RECENT],
    )
    await campaign.run(['a.csv'], SAID, null, ['e.xml'])
    campaign.write('older.xml', collectionFile([debit(2)]))
    expect(await campaign.run([], SAID, null, ['older.xml'])).toBeNull()
    expect(campaign.fates()[1]).toBe('M-2 conflict EVIDENCE_DATE_DIFFERS 2029-07-05')
  })

  it.each<[string, Partial<Debit>]>([
    ['another account', { iban: germanIban(9) }],
    ['another reference', { reference: 'M-22' }],
  ])('a mandate that waits for a collection of %s is sent once a later one is like it', async (_, more) => {
    const campaign = begin([debit(1), debit(2, more)], [RECENT, RECENT])
    await campaign.run(['a.csv'], SAID, null, ['e.xml'])
    expect(campaign.fates()[1]).toMatch(/^M-2 conflict EVIDENCE_/)
    campaign.write('later.xml', collectionFile([debit(2, { day: '2026-06-05' })]))
    expect(await campaign.run([], SAID, null, ['later.xml'])).toBeNull()
    expect(campaign.fates()[1]).toBe('M-2 registered 2029-06-05')
  })

  it('what was sent for another customer under another creditor is not sent once more for the right one', async () => {
    const campaign = begin([], [RECENT, RECENT, RECENT])
    const under = (said: Said, constant: string): Said => {
      const { columns } = said.reading
      const sepa_creditor_identifier = { constant }
      return { ...said, reading: { ...said.reading, columns: { ...columns, sepa_creditor_identifier } } }
    }
    const shifted = { 'customers.csv': 'key,no\nK1,102\nK2,103\nK3,104\n' }
    const withoutCreditor = (rows: readonly Exported[]): string =>
      exportOf(rows).replaceAll(/,(?:sepa_creditor_identifier|DE98ZZZ09999999999)(?=,)/g, '')
    campaign.write('a.csv', withoutCreditor([RECENT, RECENT, RECENT]))
    await campaign.run(['a.csv'], under({ ...SAID, seconds: shifted }, 'DE98ZZZ09999999999'), 2)
    expect(campaign.sent().size).toBe(2)
    const right = under(SAID, creditorIdentifierOf('DE', '01234567890'))
    campaign.write('b.csv', withoutCreditor([RECENT, RECENT, RECENT, RECENT]))
    expect(await campaign.run(['b.csv'], right)).toBeNull()
    const held = campaign.rows().filter(({ rule }) => rule === 'MANDATE_RESEMBLES_SENT')
    expect(
      held.map(({ customerNo, originalMandateReference }) => [customerNo, originalMandateReference]),
    ).toEqual([
      [101, 'M-1'],
      [102, 'M-2'],
    ])
    expect(campaign.sent().size).toBe(4)
  })

  it('a mandate of which nobody knew a collection lapses with the one that is known later', async () => {
    const campaign = begin([debit(2, { day: '2022-06-05' })], [RECENT, { last: '' }])
    await campaign.run(['a.csv'], SAID, 1)
    expect(campaign.fates()[1]).toBe('M-2 ready')
    expect(await campaign.run([], SAID, null, ['e.xml'])).toBeNull()
    expect(campaign.fates()[1]).toBe('M-2 excluded MANDATE_DORMANT 2025-06-05')
  })

  it('the few that were collected since are asked nothing that a whole export is asked', async () => {
    const said = {
      ...SAID,
      reading: { ...SAID.reading, exclude: [], columns: { ...SAID.reading.columns, status: 'status' } },
    }
    const campaign = begin(ALL, [RECENT, { ...OLD, status: 'odd' }, { ...OLD, status: 'cancelled' }])
    expect(await campaign.run(['a.csv'], said)).toBeNull()
    expect(await campaign.run([], said, null, ['e.xml'])).toBeNull()
    expect(campaign.fates()).toEqual([
      'M-1 registered 2029-01-15',
      'M-2 conflict STATUS_UNKNOWN 2029-05-05',
      'M-3 excluded STATUS_NOT_ACTIVE 2029-05-05',
    ])
    expect(await campaign.run([], said, null, ['e.xml'])).toBeNull()
    expect(campaign.ledger.view.readSources()[0]?.parts).toHaveLength(2)
  })
})
