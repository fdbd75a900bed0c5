import { expect, it } from 'vitest'
import { germanIban } from '../../support/export.js'
import { placeForEach } from '../../support/place.js'

const { write, program, ends, json } = placeForEach({ ownState: true, sandbox: {} })

const HEADER = 'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference'
const line = (customer: string, reference: string, n: number): string =>
  `${customer},${germanIban(n)},2024-01-0${n},DE98ZZZ09999999999,${reference}`

it('finds a customer by an old or a new reference, also where no number or reference could be read, and erases by it', async () => {
  const others = [line('4', 'M-4', 3), line('Ada', 'M-5', 4), line('6', '/X7', 5)]
  const lines = [line('1', 'M-1', 1), line('1', 'M-2', 2), ...others]
  write('export.csv', `${[HEADER, ...lines].join('\n')}\n`)
  await program('run', 'export.csv')
  const of = async (...who: string[]) => {
    const { customer } = await json<{ customer: { customerNo: number; rows: { row: number }[] } }>(
      ...['customer', 'show', ...who],
    )
    return { customer: customer.customerNo, rows: customer.rows.map(({ row }) => row) }
  }
  const { customer } = await json<{ customer: { rows: { assignedMandateReference: string }[] } }>(
    ...['customer', 'show', '1'],
  )
  const assigned = customer.rows[1]?.assignedMandateReference ?? ''
  expect(await of('--reference', 'm-1')).toEqual({ customer: 1, rows: [1, 2] })
  expect(await of('--reference', assigned)).toEqual({ customer: 1, rows: [1, 2] })
  expect(await of('--reference', 'M-5')).toEqual({ customer: null, rows: [4] })
  expect(await of('--reference', '/X7')).toEqual({ customer: 6, rows: [5] })
  await ends(3, 'customer', 'show', '--reference', 'M')
  await ends(2, 'customer', 'show', '1', '--reference', 'M-1')

  const because = ['--reason', 'asked on 1 July', '--yes', '--with-open-rows']
  const erased = await program('customer', 'erase', '--reference', 'M-5', ...because)
  expect(erased.stdout).toContain('Reference M-5: removed what was held of 1 row.')
  expect(await of('--reference', 'M-4')).toEqual({ customer: 4, rows: [3] })
  const none = await program('customer', 'erase', '--reference', 'M-99', ...because)
  expect(none.stderr).toContain('no row of this reference; nothing was removed')
})

it('asks which customer is meant where two have a mandate with the same reference', async () => {
  const other = line('4', 'M-1', 3).replace('DE98ZZZ09999999999', 'AT61ZZZ01234567890')
  write('export.csv', `${[HEADER, line('1', 'M-1', 1), other].join('\n')}\n`)
  await program('run', 'export.csv')
  const erased = await ends(2, 'customer', 'erase', '--reference', 'M-1', '--reason', 'asked', '--yes')
  expect(erased.stderr).toContain('Customers 1 and 4 have a mandate with this reference')
})
