import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { maskIban } from '../../src/domain/text/masking.js'
import { UsageError } from '../../src/errors.js'
import type { LedgerReader } from '../../src/ledger/read/reader.js'
import { openLedgerReader } from '../../src/ledger/read/open-reader.js'
import { reconcile, type Reconciliation } from '../../src/decisions/reconcile.js'
import {
  admit,
  inDoubt as doubted,
  open,
  refused as no,
  registered as yes,
  send,
  SETTINGS,
  stoppedClock,
} from '../ledger/campaign-setup.js'
import type { Values } from '../ledger/campaign-setup.js'
import type { Ledger } from '../../src/ledger/ledger.js'
import { openDeliveryWorld, registeredAs, type DeliveryWorld } from '../run/delivery-world.js'
import { mandateOf } from '../run/mandate-samples.js'
import { inDoubt, refused } from '../run/outcome-samples.js'
import type { Outcome } from '../../src/domain/row/row-state.js'

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
    expect(detailsOf(result)).toEqual([
      'the list shows 2 mandates that could be it, in lines 4, 6: it may be registered twice',
    ])
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
      'the list shows a mandate of this customer, but neither its whole account nor its original reference',
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

/** Accounts that pass their checksums, of customer 7. */
const ACCOUNT = 'DE89370400440532013000'
const OTHER = 'NL91ABNA0417164300'
const DATE = '2020-01-31'

interface Case extends Values {
  /** What became of it; null: it was not sent. */
  readonly seen: Outcome | null
}

/** Rows of customer 7, on one account and of one date where nothing else is said; row 1 is always in doubt. */
async function customerWith(...cases: readonly Partial<Case>[]): Promise<{
  ledger: Ledger
  reader: LedgerReader
  against: (...list: readonly Record<string, string>[]) => Promise<Reconciliation>
}> {
  const clock = stoppedClock()
  const ledger = open({ clock })
  ledger.startRun(SETTINGS)
  const rows = [{ reference: 'A-1', seen: doubted() }, ...cases]
  admit(
    ledger,
    rows.map(({ seen: _seen, ...values }) => ({ customerNo: 7, iban: ACCOUNT, signedDate: DATE, ...values })),
  )
  for (const { seen } of rows) if (seen != null) await send(ledger, seen)
  clock.advance(15 * 60 * 1_000)
  const reader = openLedgerReader(ledger.file)
  onTestFinished(() => reader.close())
  return {
    ledger,
    reader,
    against: (...list) => {
      const columns = Object.keys(list[0] ?? {})
      const lines = list.map((entry) => columns.map((name) => entry[name] ?? '').join(';'))
      const file = join(dirname(ledger.file), 'list.csv')
      writeFileSync(file, [columns.join(';'), ...lines, ''].join('\n'))
      return reconcile(reader, file, 'Ada', new AbortController().signal)
    },
  }
}

/** What the service lists of customer 7. */
const entry = (reference: string, given: Record<string, string> = {}): Record<string, string> => ({
  customer_no: '7',
  iban: ACCOUNT,
  signed_date: DATE,
  sepa_creditor_identifier: CREDITOR,
  unique_mandate_reference: reference,
  original_mandate_reference: '',
  ...given,
})

const NOT_SHOWN = /^the list does not show it/

describe('8.2.2 "the list does not show it" is said only when nothing in the list could be it', () => {
  it('8.2.2 not of two rows of one customer on one account: two candidates are not none', async () => {
    const { against } = await customerWith({ reference: 'B-1', seen: doubted() })
    const result = await against(entry('NEW-1'), entry('NEW-2'))
    expect(result.proposals).toEqual([])
    expect(outline(result)).toEqual(['still_in_doubt 1', 'still_in_doubt 2'])
    for (const detail of detailsOf(result))
      expect(detail).toBe(
        'the list shows 2 mandates that could be it, in lines 2, 3: it may be registered twice',
      )
  })

  it('8.2.2 not where one entry could be either of two rows', async () => {
    const { against } = await customerWith({ reference: 'B-1', seen: doubted() })
    const result = await against(entry('NEW-1'))
    expect(result.proposals).toEqual([])
    expect(detailsOf(result)).toEqual([
      'the list shows it in line 2, but that could also be row 2, which is in doubt',
      'the list shows it in line 2, but that could also be row 1, which is in doubt',
    ])
  })

  it.each([
    '31.01.2020',
    '31/01/2020',
    '01/31/2020',
    '20200131',
    '31.01.20',
    '43861',
    '2020-01-30T23:00:00Z',
  ])('8.2.2 reads the date %s as an export is read', async (signed_date) => {
    const { against } = await customerWith()
    expect((await against(entry('NEW-1', { signed_date }))).proposals).toMatchObject([{ rowId: 1 }])
  })

  it.each([
    'DE…3000',
    '****3000',
    'DE** **** **** **** **30 00',
    'xxxxxxxx3000',
    '3000',
    '...3000',
    '•••• 3000',
  ])('8.2.2 takes %s for the account, which is no proof', async (iban) => {
    const { against } = await customerWith()
    const result = await against(entry('NEW-1', { iban }))
    expect(result.proposals).toEqual([])
    expect(detailsOf(result)).toEqual([
      'the list shows a mandate of this customer, but neither its whole account nor its original reference',
    ])
    const proven = await against(entry('NEW-1', { iban, original_mandate_reference: 'a-1' }))
    expect(proven.proposals).toMatchObject([{ rowId: 1 }])
  })

  it('8.2.2 takes an empty cell for a value that is not shown, in every column', async () => {
    const { against } = await customerWith()
    const blank = { iban: '', signed_date: '', original_mandate_reference: 'A-1' }
    expect((await against(entry('NEW-1', blank))).proposals).toMatchObject([{ rowId: 1 }])
    const nothing = await against(entry('NEW-1', { ...blank, original_mandate_reference: '' }))
    expect(nothing.proposals).toEqual([])
    expect(detailsOf(nothing)[0]).not.toMatch(NOT_SHOWN)
  })

  it('8.2.2 reads letters in any case, and customers as a spreadsheet saves them', async () => {
    const { against } = await customerWith()
    const saved = { customer_no: '7,0', iban: ACCOUNT.toLowerCase(), original_mandate_reference: ' a-1 ' }
    expect((await against(entry('NEW-1', saved))).proposals).toMatchObject([{ rowId: 1 }])
  })

  it('8.2.2 finds the columns by their usual names, and refuses two that could be one', async () => {
    const { against } = await customerWith()
    const named = { customer_no: '7', IBAN: ACCOUNT, Mandatsdatum: '31.01.2020', 'Gläubiger-ID': CREDITOR }
    const result = await against({ ...named, Mandatsreferenz: 'NEW-1' })
    expect(result.proposals).toMatchObject([{ rowId: 1, assigned: { mandateReference: 'NEW-1' } }])
    await expect(against({ ...named, Mandatsreferenz: 'NEW-1', RUM: 'A-1' })).rejects.toThrow(
      'could both be the assigned_mandate_reference',
    )
  })

  it('8.2.2 points at what the list shows of the customer when its values are others', async () => {
    const { against } = await customerWith()
    const result = await against(entry('NEW-1', { signed_date: '2019-05-05' }))
    expect(detailsOf(result)).toEqual([
      'the list shows this customer with other values in line 2 (signed_date differ): look at that first',
    ])
  })

  it('8.2.2 says it where no entry is of the customer, and where the entries are those of registered rows', async () => {
    const { against } = await customerWith({ reference: 'B-1', seen: yes('NEW-2') })
    for (const list of [[entry('NEW-8', { customer_no: '8' })], [entry('NEW-2')]]) {
      const result = await against(...list)
      expect(detailsOf(result).at(-1)).toMatch(NOT_SHOWN)
    }
  })

  it('8.2.2 knows a registered row whose assigned reference a spreadsheet has changed', async () => {
    const { against } = await customerWith({ reference: 'B-1', seen: yes('000123') })
    const result = await against(entry('123', { original_mandate_reference: 'B-1' }))
    expect(result.matched).toBe(1)
    expect(outline(result)).toEqual(['still_in_doubt 1'])
  })
})

describe('8.2.3 an entry proves at most one row, and a row is proven by at most one entry', () => {
  const masked = { iban: 'DE…3000' }

  it('8.2.3 a live mandate that a person called refused is no proof of another row of the customer', async () => {
    const { against, ledger } = await customerWith({ reference: 'B-1', seen: doubted() })
    const refusal = { rowId: 2, decision: 'refused' as const, by: 'Ada', reason: 'they said no' }
    ledger.resolve([{ ...refusal, assigned: null, evidence: null, attempt: 1 }], { dryRun: false })
    for (const given of [masked, {}]) {
      const result = await against(entry('NEW-B', given))
      expect(result.proposals).toEqual([])
      expect(detailsOf(result)).toEqual([
        'the list shows it in line 2, but that could also be row 2, which is refused',
      ])
    }
    const told = await against(entry('NEW-B', { ...masked, original_mandate_reference: 'B-1' }))
    expect(told.proposals).toEqual([])
    expect(outline(told)).toEqual(['differs 2', 'still_in_doubt 1'])
  })

  it.each<[string, Partial<Case>]>([
    ['ready', { reference: 'B-1' }],
    ['refused', { reference: 'B-1', seen: no() }],
    ['invalid', { reference: 'B-1', verdict: 'invalid' }],
    ['excluded', { reference: 'B-1', verdict: 'excluded' }],
    ['in doubt', { reference: 'B-1', seen: doubted() }],
    ['registered', { reference: 'B-1', seen: yes('NEW-B') }],
  ])('8.2.3 a row that is %s competes for an entry', async (state, rival) => {
    const { against } = await customerWith(rival)
    const result = await against(entry('NEW-1'))
    expect(result.proposals).toEqual([])
    expect(detailsOf(result).at(state === 'in doubt' ? 0 : -1)).toBe(
      `the list shows it in line 2, but that could also be row 2, which is ${state}`,
    )
  })

  it('8.2.3 a registered row that the list shows under its own reference does not', async () => {
    const { against } = await customerWith({ reference: 'B-1', seen: yes('NEW-B') })
    const result = await against(entry('NEW-B'), entry('NEW-1'))
    expect(result).toMatchObject({ matched: 1, proposals: [{ rowId: 1 }] })
  })

  it('8.2.3 but one that was sent again after a doubt does: it may be registered twice', async () => {
    const { against, ledger } = await customerWith({ reference: 'B-1', seen: doubted() })
    const resend = { rowId: 2, decision: 'resend' as const, by: 'Ada', reason: 'not there' }
    ledger.resolve([{ ...resend, assigned: null, evidence: null, attempt: 1 }], {
      dryRun: false,
      force: true,
    })
    await send(ledger, yes('NEW-B'))
    expect((await against(entry('NEW-B'), entry('NEW-1'))).proposals).toEqual([])
  })

  it('8.2.3 a second entry of a registered row is told as one', async () => {
    const { against } = await customerWith({ reference: 'B-1', seen: yes('NEW-B') })
    const result = await against(entry('NEW-X', { original_mandate_reference: 'B-1' }))
    expect(detailsOf(result)[0]).toBe(
      'the ledger has it registered as NEW-B: this may be a second registration',
    )
  })

  it('8.2.3 customer and four digits prove nothing, even where nothing competes', async () => {
    const { against } = await customerWith()
    expect((await against(entry('NEW-1', masked))).proposals).toEqual([])
  })

  it('8.2.3 an account with the same last digits is another account', async () => {
    const { against } = await customerWith()
    const other = await against(entry('NEW-1', { iban: 'DE20100000000002013000' }))
    expect(other.proposals).toEqual([])
    expect(outline(other)).toEqual(['unknown_here 7', 'still_in_doubt 1'])
  })

  it('8.2.3 an entry with the reference that another row has here proves nothing', async () => {
    const { against } = await customerWith({
      customerNo: 8,
      reference: 'B-1',
      iban: OTHER,
      seen: yes('NEW-1'),
    })
    const result = await against(entry('NEW-1'))
    expect(result.proposals).toEqual([])
    expect(outline(result)).toEqual(['differs 2', 'still_in_doubt 1'])
    expect(detailsOf(result)[1]).toBe(
      'the list shows it in line 2, with the assigned reference that row 2 has here',
    )
  })

  it('8.2.3 a line that the list has twice word by word is one entry', async () => {
    const { against } = await customerWith()
    expect((await against(entry('NEW-1'), entry('NEW-1'))).proposals).toMatchObject([{ rowId: 1 }])
  })

  it('8.2.3 the row that it replaced before it was sent does not compete with it', async () => {
    const ledger = open()
    ledger.startRun(SETTINGS)
    const values = { customerNo: 7, iban: ACCOUNT, signedDate: DATE }
    admit(ledger, [{ ...values, reference: 'A-0', verdict: 'invalid', mandateKey: null }])
    admit(ledger, [{ ...values, reference: 'A-1', corrects: 1 }])
    await send(ledger, doubted())
    const reader = openLedgerReader(ledger.file)
    onTestFinished(() => reader.close())
    const file = join(dirname(ledger.file), 'list.csv')
    writeFileSync(file, `${Object.keys(entry('')).join(',')}\n${Object.values(entry('NEW-1')).join(',')}\n`)
    const result = await reconcile(reader, file, 'Ada', new AbortController().signal)
    expect(result.proposals).toMatchObject([{ rowId: 2 }])
  })

  it('8.2.3 a reference that a spreadsheet rounded is not recorded', async () => {
    const { against } = await customerWith()
    const result = await against(entry('1.23457E+15'))
    expect(result.proposals).toEqual([])
    expect(detailsOf(result)[0]).toMatch(/rounded the assigned reference$/)
  })
})
