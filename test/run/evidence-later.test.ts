import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { collectionFile, type Debit } from '../support/collections.js'
import { folder } from '../e2e/seeds.js'
import { germanIban } from '../support/export.js'
import type { Said } from './read-again-draws.js'
import { campaignIn } from './read-again-play.js'

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
const CORRECTED: Said = { ...SAID, seconds: { 'customers.csv': 'key,no\nK1,101\nK2,102\nK3,103\nK4,999\n' } }

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
    '"a.csv" was read again, because what the evidence says has changed: 0 the same, 1 has another date, 1 can be sent now.',
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
