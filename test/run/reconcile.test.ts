import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { maskIban } from '../../src/domain/masking.js'
import { UsageError } from '../../src/errors.js'
import type { LedgerReader } from '../../src/ledger/reader.js'
import { openLedgerReader } from '../../src/ledger/open-reader.js'
import { reconcile, type Reconciliation } from '../../src/run/reconcile.js'
import { openDeliveryWorld, registeredAs, type DeliveryWorld } from './delivery-world.js'
import { mandateOf } from './mandate-samples.js'
import { inDoubt, refused } from './outcome-samples.js'

const CREDITOR = 'DE79ZZZ01234567890'

interface Entry {
  readonly customer_no: number
  readonly iban?: string
  readonly signed_date?: string
  readonly sepa_creditor_identifier?: string
  readonly unique_mandate_reference?: string
  readonly original_mandate_reference?: string
}

/** The nth mandate as the service lists it. */
const listed = (n: number, given: Partial<Entry> = {}): Entry => ({
  customer_no: n,
  iban: mandateOf(n).iban,
  signed_date: mandateOf(n).signedDate,
  sepa_creditor_identifier: CREDITOR,
  unique_mandate_reference: `NEW-${n}`,
  original_mandate_reference: `OLD-${n}`,
  ...given,
})

/** Rows 1 and 2 registered, 3 and 4 in doubt, 5 refused, 6 ready. */
async function openCampaign(): Promise<{ world: DeliveryWorld; reader: LedgerReader }> {
  const world = openDeliveryWorld(6)
  await world.deliver(
    (request) => ({
      outcome: request.row <= 2 ? registeredAs(request) : request.row <= 4 ? inDoubt() : refused(),
    }),
    { policy: { limit: 5, concurrency: 1 } },
  )
  const reader = openLedgerReader(world.file)
  onTestFinished(() => reader.close())
  return { world, reader }
}

async function compare(
  entries: readonly Entry[],
  campaign?: { world: DeliveryWorld; reader: LedgerReader },
): Promise<Reconciliation> {
  const { world, reader } = campaign ?? (await openCampaign())
  const columns = Object.keys(entries[0] ?? listed(1)) as (keyof Entry)[]
  const lines = entries.map((entry) => columns.map((column) => entry[column] ?? '').join(','))
  const file = join(dirname(world.file), 'list.csv')
  writeFileSync(file, [columns.join(','), ...lines, ''].join('\n'))
  return reconcile(reader, file, 'Ada', new AbortController().signal)
}

/** The differences as `kind row-or-customer`. */
const outline = ({ differences }: Reconciliation): string[] =>
  differences.map((difference) =>
    difference.kind === 'unknown_here'
      ? `unknown_here ${difference.listed.customerNo}`
      : `${difference.kind} ${difference.row.id}`,
  )

const detailsOf = ({ differences }: Reconciliation): string[] =>
  differences.flatMap((difference) => ('detail' in difference ? [difference.detail] : []))

describe('registered rows', () => {
  it('match a list that shows them', async () => {
    const result = await compare([listed(1), listed(2), listed(3), listed(4)])
    expect(result).toMatchObject({ listed: 4, matched: 2, differences: [] })
  })

  it('match a list with masked account numbers, and references in other case', async () => {
    const masked = (n: number): Entry =>
      listed(n, { iban: maskIban(mandateOf(n).iban), unique_mandate_reference: `new-${n}` })
    expect((await compare([masked(1), masked(2), listed(3), listed(4)])).matched).toBe(2)
  })

  it('that the list does not show are missing there', async () => {
    expect(outline(await compare([listed(2), listed(3), listed(4)]))).toEqual(['missing_there 1'])
  })

  it('that the list shows with other values differ, and say in what', async () => {
    const result = await compare([
      listed(1, { signed_date: '2020-03-01', iban: mandateOf(9).iban }),
      listed(2, { customer_no: 22, original_mandate_reference: 'OLD-22' }),
      listed(3),
      listed(4),
    ])
    expect(outline(result)).toEqual(['differs 1', 'differs 2'])
    expect(detailsOf(result)).toEqual(['iban, signed_date differ', 'customer_no, original reference differ'])
  })
})

describe('an entry of the list', () => {
  it('that no row explains is unknown here', async () => {
    const entries = [listed(1), listed(2), listed(3), listed(4), listed(99)]
    expect(outline(await compare(entries))).toEqual(['unknown_here 99'])
  })

  it('for a row that is refused or ready here differs, for it must not exist', async () => {
    const result = await compare([listed(1), listed(2), listed(3), listed(4), listed(5), listed(6)])
    expect(outline(result)).toEqual(['differs 5', 'differs 6'])
    expect(detailsOf(result)).toEqual(['the ledger calls the row refused', 'the ledger calls the row ready'])
  })

  it('without customer number or reference makes the list unusable', async () => {
    for (const given of [{ customer_no: 0 }, { unique_mandate_reference: '' }]) {
      const compared = compare([listed(1), listed(2, given)])
      await expect(compared).rejects.toThrow(UsageError)
      await expect(compared).rejects.toThrow('Line 3 of "list.csv"')
    }
  })
})

describe('a row in doubt', () => {
  it('is proven registered by the one entry that shows it, and the proposal can be recorded', async () => {
    const campaign = await openCampaign()
    const result = await compare([listed(1), listed(2), listed(3), listed(4)], campaign)
    expect(result.proposals).toMatchObject([
      {
        rowId: 3,
        decision: 'registered',
        by: 'Ada',
        reason: 'The list from the service shows it in line 4',
        assigned: { creditorIdentifier: CREDITOR, mandateReference: 'NEW-3' },
        attempt: 1,
      },
      { rowId: 4, assigned: { mandateReference: 'NEW-4' } },
    ])
    expect(result.proposals[0]?.evidence).toMatch(/^list\.csv \(SHA-256 [0-9a-f]{64}\)$/)
    const report = campaign.world.ledger.resolve(result.proposals, { dryRun: false })
    expect(report.isApplied).toBe(true)
    expect(campaign.world.totals()).toMatchObject({ registered: 4, inDoubt: 0 })
  })

  it('that the list does not show stays in doubt', async () => {
    const result = await compare([listed(1), listed(2), listed(4)])
    expect(outline(result)).toEqual(['still_in_doubt 3'])
    expect(detailsOf(result)[0]).toMatch(/^the list does not show it/)
    expect(result.proposals.map(({ rowId }) => rowId)).toEqual([4])
  })

  it('that the list shows twice stays in doubt', async () => {
    const again = listed(3, { unique_mandate_reference: 'NEW-3-B' })
    const result = await compare([listed(1), listed(2), listed(3), listed(4), again])
    expect(outline(result)).toEqual(['still_in_doubt 3'])
    expect(detailsOf(result)).toEqual(['the list shows it 2 times: it may be registered twice'])
  })

  it('that the list shows without the assigned creditor stays in doubt', async () => {
    const entries = [listed(1), listed(2), listed(3, { sepa_creditor_identifier: '' }), listed(4)]
    const result = await compare(entries)
    expect(outline(result)).toEqual(['still_in_doubt 3'])
    expect(detailsOf(result)).toEqual(['the list shows it without an assigned creditor identifier'])
  })

  it('is not proven by an entry with another account or another original reference', async () => {
    for (const given of [{ iban: mandateOf(9).iban }, { original_mandate_reference: 'OLD-9' }]) {
      const result = await compare([listed(1), listed(2), listed(3, given), listed(4)])
      expect(outline(result)).toEqual(['unknown_here 3', 'still_in_doubt 3'])
    }
  })

  it('is not proven by its customer alone, who may have another mandate', async () => {
    const bare = (n: number): Entry => ({
      customer_no: n,
      sepa_creditor_identifier: CREDITOR,
      unique_mandate_reference: `NEW-${n}`,
    })
    const result = await compare([bare(1), bare(2), bare(3), bare(4)])
    expect(result.matched).toBe(2)
    expect(result.proposals).toEqual([])
    expect(outline(result)).toEqual(['still_in_doubt 3', 'still_in_doubt 4'])
    expect(detailsOf(result)[0]).toBe(
      'the list shows a mandate of this customer, but neither its account nor its original reference',
    )
  })

  it.each<keyof Entry>(['iban', 'original_mandate_reference'])(
    'is proven by its customer and %s',
    async (name) => {
      const some = (n: number): Entry => ({
        customer_no: n,
        sepa_creditor_identifier: CREDITOR,
        unique_mandate_reference: `NEW-${n}`,
        [name]: listed(n)[name],
      })
      const result = await compare([some(1), some(2), some(3), some(4)])
      expect(result.proposals.map(({ rowId }) => rowId)).toEqual([3, 4])
    },
  )
})
