import { expect, it } from 'vitest'
import { admit, registered, send, running } from '../campaign-setup.js'

it('26.2 tells what people changed in rows that wait to be sent, and of no other', async () => {
  const ledger = running()
  const rows = [1, 2, 3].map((n) => ({ customerNo: n, reference: `M-${n}`, verdict: 'invalid' as const }))
  admit(ledger, rows)
  const given = rows.map((row, at) => ({ ...row, verdict: 'sendable' as const, corrects: at + 1 }))
  admit(ledger, [
    { ...given[0], signedDate: '2020-02-01' },
    { ...given[1], signedDate: '2020-02-02' },
    { ...given[2], verdict: 'invalid', signedDate: '2020-02-03' },
  ])
  const date = (day: string): string => `signed_date "2020-01-31" → "${day}"`
  const told = { by: 'operator', at: expect.any(String) as string, reason: 'no reason given' }
  expect(ledger.view.correctionsToSend(1)).toEqual({
    rows: 2,
    fields: [{ field: 'signed_date', count: 2 }],
    first: [{ ...told, row: 1, changes: date('2020-02-01') }],
  })
  await send(ledger, registered('NEW-1'))
  expect(ledger.view.correctionsToSend(9)).toMatchObject({ rows: 1, first: [{ row: 2 }] })
})
