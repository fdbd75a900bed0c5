import { describe, expect, it } from 'vitest'
import type { Ledger } from '../../../src/ledger/file/writer.js'
import {
  holding,
  IBAN,
  OTHER_IBAN,
  played,
  send,
  turnedAway,
  mandates,
  running,
  refused,
  registered,
} from '../campaign-setup.js'
import { execute, query } from '../ledger-views.js'

/** Which rows still hold an account, and which still hold cells. */
const held = (file: string) =>
  query<{ text: string }>(
    file,
    `select id || ' ' || state || iif(iban is null, '', ' account') || iif(cells is null, '', ' cells') as text
       from row order by id`,
  ).map(({ text }) => text)

describe('when a mandate is registered, its account goes', () => {
  it('from its duplicates, and from no other row', async () => {
    const ledger = await played([{}, {}, { reference: 'M-2', customerNo: 2 }], registered('NEW-1'))
    expect(held(ledger.file)).toEqual(['1 registered', '2 duplicate', '3 ready account cells'])
  })

  it('from every row that it replaced, however long the chain, also of another mandate', async () => {
    const ledger = await played(
      [{ verdict: 'invalid', reference: '', mandateKey: null }],
      [{ verdict: 'invalid', reference: 'M-ONE', corrects: 1 }],
      [{ reference: 'M-1', corrects: 1 }],
      registered('NEW-1'),
    )
    expect(held(ledger.file)).toEqual(['1 superseded', '2 superseded', '3 registered'])
  })

  it('and is looked for elsewhere only where another row may hold it', async () => {
    const ledger = running(
      [{ verdict: 'invalid', reference: '', mandateKey: null, customerNo: 3 }],
      [{ customerNo: 3, reference: 'M-3', corrects: 1 }, {}, {}, { reference: 'M-2', customerNo: 2 }],
    )
    const copies = () => ledger.ready(0, 9).map(({ mandate, hasCopies }) => [mandate.customerNo, hasCopies])
    expect(copies()).toEqual([
      [3, true],
      [1000, true],
      [2, false],
    ])
    await send(ledger, registered('NEW-1'))
    await send(ledger, registered('NEW-2'))
    expect(held(ledger.file)).toEqual([
      '1 superseded',
      '2 registered',
      '3 registered',
      '4 duplicate',
      '5 ready account cells',
    ])
  })

  it('and a refused mandate keeps it, to be corrected', async () => {
    const ledger = await played([{}, {}], refused())
    expect(held(ledger.file)).toEqual(['1 refused account cells', '2 duplicate account cells'])
  })
})

const ids = (ledger: Ledger, after = 0, limit = 10): number[] =>
  ledger.ready(after, limit).map(({ id }) => id)

describe('the ready rows', () => {
  it('come page by page in the order of the file', () => {
    const ledger = holding([...mandates(4), { verdict: 'invalid', reference: 'M-9', customerNo: 9 }])
    expect(ids(ledger, 0, 3)).toEqual([1, 2, 3])
    expect(ids(ledger, 3, 3)).toEqual([4])
    expect(ids(ledger, 4, 3)).toEqual([])
    expect(ledger.countReady()).toBe(4)
  })

  it('a row that was turned away comes again at once, with its attempts', async () => {
    const ledger = await played(mandates(1), turnedAway())
    expect(ledger.ready(0, 1)).toMatchObject([{ id: 1, attempts: 1 }])
  })
})

describe('a row that does not hold what was admitted', () => {
  /** As any SQLite tool could, once the guards are gone. */
  function change(file: string, sql: string): void {
    const triggers = query<{ name: string }>(file, `select name from sqlite_schema where type = 'trigger'`)
    execute(file, [...triggers.map(({ name }) => `drop trigger "${name}"`), sql].join(';'))
  }

  it.each([
    `update row set iban = '${OTHER_IBAN}' where id = 2`,
    `update row set customer_no = 77 where id = 2`,
    `update row set signed_date = '2020-01-30' where id = 2`,
    `update row set original_mandate_reference = 'M-3' where id = 2`,
    `update row set original_creditor_identifier = 'DE98ABC09999999999' where id = 2`,
    'update row set content_key = (select content_key from row where id = 3) where id = 2',
  ])('is not given out, nor is its page: %s', (sql) => {
    const ledger = holding(mandates(3))
    change(ledger.file, sql)
    expect(ledger.ready(0, 1)).toHaveLength(1)
    const refusal = { problem: 'damaged', exitCode: 8 } as object
    expect(() => ledger.ready(0, 10)).toThrow(expect.objectContaining(refusal))
    expect(() => ledger.ready(0, 10)).toThrow(/Cannot send row 2 .* no longer holds what was admitted/)
    expect(() => ledger.ready(0, 10)).not.toThrow(new RegExp(`${IBAN}|${OTHER_IBAN}`))
  })

  it('28.6 a row whose fingerprint of all five values was taken away', () => {
    const ledger = holding(mandates(1))
    change(ledger.file, 'update row set content_key = null')
    expect(() => ids(ledger)).toThrow('no longer holds what was admitted')
  })
})
