import { describe, expect, it } from 'vitest'
import { draftConfiguration, inspectSource } from '../../../src/source/guess/inspect.js'
import { csv, OWN, type Column } from '../../support/columns.js'
import { AS_OF, optionsOf, readAll, refusal } from '../../support/sources.js'

describe('a column that feeds two fields', () => {
  const jtl = () => csv(3, [['Kundennummer', (n) => `${1000 + n}`], ...OWN.slice(1, 4)] as readonly Column[])

  it('does so where the configuration names it for both', async () => {
    const yaml = 'columns: { customer_no: Kundennummer, unique_mandate_reference: Kundennummer }'
    const { records, summary } = await readAll(jtl(), optionsOf(yaml))
    expect(records[0]?.values).toMatchObject({ customerNo: 1001, mandateReference: '1001' })
    expect(summary.findings.map(({ rule }) => rule)).toContain('FILE_UMR_EQUALS_CUSTOMER')
    const byPosition = 'columns: { customer_no: 1, unique_mandate_reference: 1 }'
    expect((await refusal(readAll(jtl(), optionsOf(byPosition)))).rule).toBe('FILE_HEADER_AMBIGUOUS')
  })

  it('is none where another field has it by name: a draft that maps by values is read by check', async () => {
    const path = csv(30, [...OWN, ['state', (n) => (n % 4 === 0 ? 'FRST' : 'RCUR')]])
    const draft = draftConfiguration(await inspectSource(path, { today: AS_OF }))
    expect(draft).toContain('  sequence: state ')
    expect((await readAll(path, optionsOf(draft))).opened.columns).toMatchObject({ sequence: 'state' })
  })
})
