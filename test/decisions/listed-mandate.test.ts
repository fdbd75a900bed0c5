import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { UsageError } from '../../src/errors.js'
import type { LedgerReader, RowRecord } from '../../src/ledger/read/reader.js'
import { openLedgerReader } from '../../src/ledger/read/open-reader.js'
import { openList } from '../../src/source/list.js'
import { DEFAULT_SOURCE_OPTIONS } from '../../src/source/options.js'
import { admit, IBAN, open, OTHER_IBAN, registered, send, SETTINGS } from '../ledger/campaign-setup.js'
import { rowsOf } from '../ledger/ledger-views.js'
import { fileOf } from '../support/sources.js'
import { compareWith, LIST_NAMES, readListed, type ListEntry } from '../../src/decisions/read-decisions.js'

async function read(...lines: string[]): Promise<ListEntry[]> {
  const list = await openList(
    fileOf([...lines, ''].join('\n'), 'list.csv'),
    DEFAULT_SOURCE_OPTIONS.limits,
    LIST_NAMES,
  )
  const entryOf = readListed(list.name)
  const entries: ListEntry[] = []
  for await (const row of list.rows()) entries.push(entryOf(row))
  return entries
}

describe('a line of a list', () => {
  it('is read by the names of the service, of its exports and of our own result files', async () => {
    const listed = { customerNo: 17, mandateReference: 'NEW-1', creditorIdentifier: 'SE97ZZZ5560000001' }
    const headers = [
      'customer_no,sepa_creditor_identifier,unique_mandate_reference',
      'customer_no,assigned_creditor_identifier,assigned_mandate_reference',
    ]
    for (const header of headers)
      expect(await read(header, '17,SE97ZZZ5560000001,NEW-1')).toMatchObject([
        { ...listed, line: 2, account: null },
      ])
  })

  it('has nothing where a cell is empty', async () => {
    const [entry] = await read(
      'customer_no,unique_mandate_reference,iban,original_mandate_reference',
      '17,NEW-1,, ',
    )
    expect(entry).toMatchObject({ account: null, originalMandateReference: null, creditorIdentifier: '' })
  })

  it('our own original identifiers are not taken for those that the service gave', async () => {
    const [entry] = await read(
      'customer_no,original_mandate_reference,assigned_mandate_reference',
      '17,OLD-1,NEW-1',
    )
    expect(entry).toMatchObject({ mandateReference: 'NEW-1', originalMandateReference: 'OLD-1' })
  })

  it.each([
    ['no customer number', ',NEW-1'],
    ['a customer number that is none', 'seventeen,NEW-1'],
    ['no reference', '17,'],
  ])('with %s makes the list useless, and nothing is recorded', async (_, line) => {
    const reading = read('customer_no,unique_mandate_reference', line)
    await expect(reading).rejects.toThrow(UsageError)
    await expect(reading).rejects.toThrow('Line 2 of "list.csv" has no customer_no or no assigned')
  })
})

/** Row 1 in a real ledger, one for each test. */
const opened = new Map<boolean, { reader: LedgerReader; row: RowRecord }>()
beforeEach(() => opened.clear())

async function openRow(isRegistered: boolean): Promise<{ reader: LedgerReader; row: RowRecord }> {
  const ledger = open()
  admit(ledger, [{}])
  if (isRegistered) {
    ledger.startRun(SETTINGS)
    await send(ledger, registered('NEW-1'))
  }
  const reader = openLedgerReader(ledger.file)
  onTestFinished(() => reader.close())
  const [row] = rowsOf(ledger.file)
  if (row === undefined) throw new Error('The test expected a row')
  opened.set(isRegistered, { reader, row })
  return { reader, row }
}

/** How an entry stands to it. */
async function compare(entry: Partial<ListEntry>, { isRegistered = false } = {}) {
  const { reader, row } = opened.get(isRegistered) ?? (await openRow(isRegistered))
  return compareWith(reader, row, {
    line: 2,
    customerNo: 1000,
    mandateReference: 'NEW-1',
    creditorIdentifier: 'SE97ZZZ5560000001',
    signedDate: null,
    originalCreditorIdentifier: null,
    originalMandateReference: null,
    account: null,
    ...entry,
  })
}

const PROVES = { differing: [], isSpecific: true }
const FITS = { differing: [], isSpecific: false }

describe('the account of an entry', () => {
  it('proves the row where it is whole, also after it was removed here', async () => {
    expect(await compare({ account: 'de89 3704 0044 0532 0130 00' })).toEqual(PROVES)
    expect(await compare({ account: IBAN }, { isRegistered: true })).toEqual(PROVES)
  })

  it('proves nothing where only its end is shown', async () => {
    for (const account of ['DE** **** 3000', 'DE…3000', '3000', '013000', 'xxxxxxxx3000'])
      expect(await compare({ account }), account).toEqual(FITS)
  })

  it('contradicts where country or end are others', async () => {
    for (const account of [
      OTHER_IBAN,
      'NL…3000',
      'DE…3001',
      '3001',
      'DE89370400440532013000'.replace('89', '62'),
    ])
      expect((await compare({ account })).isSpecific, account).toBe(false)
    for (const account of [OTHER_IBAN, 'NL…3000', 'DE…3001', '3001'])
      expect((await compare({ account })).differing, account).toEqual(['iban'])
  })

  it('an account of the same bank and the same end is another account', async () => {
    // Invented: differs from the row's in the middle and passes its checksum.
    const twin = 'DE44370400440532913000'
    const { differing, isSpecific } = await compare({ account: twin })
    expect(isSpecific).toBe(false)
    expect(differing).toEqual(['iban'])
  })

  it('says nothing where a mask leaves no end', async () => {
    expect(await compare({ account: 'DE****' })).toEqual(FITS)
    expect(await compare({ account: 'secret' })).toEqual(FITS)
  })
})

describe('the original reference of an entry', () => {
  it('proves the row in any case of its letters', async () => {
    expect(await compare({ originalMandateReference: 'm-1' })).toEqual(PROVES)
  })

  it('contradicts where it is another', async () => {
    expect(await compare({ originalMandateReference: 'M-2' })).toEqual({
      differing: ['original reference'],
      isSpecific: false,
    })
  })

  it('says nothing where a spreadsheet made a number of it', async () => {
    expect(await compare({ originalMandateReference: '1.2E+14' })).toEqual(FITS)
  })
})

describe('the date of an entry', () => {
  it('may stand in any notation, and two readings are enough not to contradict', async () => {
    for (const signedDate of ['2020-01-31', '31.01.2020', '01/31/2020', '2020-01-30T23:00:00Z'])
      expect((await compare({ signedDate })).differing, signedDate).toEqual([])
  })

  it('contradicts in every reading, or says nothing', async () => {
    expect((await compare({ signedDate: '2020-01-30' })).differing).toEqual(['signed_date'])
    expect((await compare({ signedDate: 'last winter' })).differing).toEqual([])
  })
})

it('the creditor is compared without its business code, and one that cannot be read says nothing', async () => {
  expect((await compare({ originalCreditorIdentifier: 'DE98ABC09999999999' })).differing).toEqual([])
  expect((await compare({ originalCreditorIdentifier: 'unknown' })).differing).toEqual([])
  expect((await compare({ originalCreditorIdentifier: 'DE79ZZZ01234567890' })).differing).toEqual([
    'original creditor',
  ])
})

it('another customer contradicts whatever else agrees', async () => {
  expect(await compare({ customerNo: 1001, account: IBAN })).toEqual({
    differing: ['customer_no'],
    isSpecific: true,
  })
})
