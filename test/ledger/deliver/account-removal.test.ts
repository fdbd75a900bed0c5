import { describe, expect, it } from 'vitest'
import { refused, registered, send, running } from '../campaign-setup.js'
import { byHand } from '../ledger-views.js'

/** Which rows still hold an account, and which still hold cells. */
const held = (file: string) =>
  byHand(file, (connection) =>
    connection
      .prepare<[], { id: number; state: string; iban: string | null; cells: string | null }>(
        'select id, state, iban, cells from row order by id',
      )
      .all()
      .map(
        ({ id, state, iban, cells }) =>
          `${id} ${state}${iban === null ? '' : ' account'}${cells === null ? '' : ' cells'}`,
      ),
  )

describe('when a mandate is registered, its account goes', () => {
  it('from its duplicates, and from no other row', async () => {
    const ledger = running([{}, {}, { reference: 'M-2', customerNo: 2 }])
    await send(ledger, registered('NEW-1'))
    expect(held(ledger.file)).toEqual(['1 registered', '2 duplicate', '3 ready account cells'])
  })

  it('from every row that it replaced, however long the chain, also of another mandate', async () => {
    const ledger = running(
      [{ verdict: 'invalid', reference: '', mandateKey: null }],
      [{ verdict: 'invalid', reference: 'M-ONE', corrects: 1 }],
      [{ reference: 'M-1', corrects: 1 }],
    )
    await send(ledger, registered('NEW-1'))
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
    const ledger = running([{}, {}])
    await send(ledger, refused())
    expect(held(ledger.file)).toEqual(['1 refused account cells', '2 duplicate account cells'])
  })
})
