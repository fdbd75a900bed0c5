import { describe, expect, it } from 'vitest'
import { PAYER_FIELDS } from '../../../src/domain/mandate/mandate.js'
import { isUsualName } from '../../../src/source/columns/mapping.js'
import { exportOf, readText, refusal } from '../../support/sources.js'

const meaning = (name: string) => PAYER_FIELDS.find((field) => isUsualName(name, field)) ?? null

describe('who pays', () => {
  it.each(['payer_name', 'Kontoinhaber', 'Name of the debtor', 'Titulaire du compte', 'Name', 'debtor_name'])(
    '%s is a column of the name',
    (name) => expect(meaning(name)).toBe('payer_name'),
  )

  it.each(['payer_org_no', 'Org.nr', 'USt-IdNr.'])('%s is a column of the organisation', (name) =>
    expect(meaning(name)).toBe('payer_org_no'),
  )

  it.each(['IBAN', 'Vorname', 'customer_no', 'Ort'])('%s is none', (name) => expect(meaning(name)).toBe(null))

  const text = exportOf(2)
    .split('\n')
    .map((line, at) =>
      line === '' ? '' : at === 0 ? `${line},Vorname,Zahler,Org.nr` : `${line},Ada,Nord,55`,
    )
    .join('\n')
  const columnsOf = async (yaml = '') => {
    const { opened, records } = await readText(text, yaml)
    expect(records.map(({ verdict }) => verdict.kind)).toEqual(['sendable', 'sendable'])
    const { payer_name: name, payer_org_no: orgNo } = opened.columns
    return { name, orgNo, records }
  }

  it('is found by the first usual name, and two such columns are no question', async () => {
    expect(await columnsOf()).toMatchObject({ name: 'name', orgNo: 'Org.nr' })
  })

  it('is what the configuration says; of several columns all count', async () => {
    expect(await columnsOf('columns: { payer_name: Zahler, payer_org_no: none }')).toMatchObject({
      name: 'Zahler',
      orgNo: undefined,
    })
    const several = await columnsOf('columns: { payer_name: [Vorname, Zahler, Firma] }')
    expect(several.name).toBe('{Vorname} {Zahler}')
    expect((await columnsOf('columns: { payer_name: none }')).name).toBe(undefined)
    const error = await refusal(readText(text, 'columns: { payer_name: Firma }'))
    expect(error).toMatchObject({ rule: 'FILE_HEADER_MISSING' })
    expect(error.message).toContain('no column "Firma" for payer_name')
  })

  it('is in no finding and no value of a record, but in its cells', async () => {
    const { records } = await columnsOf('columns: { payer_name: Zahler }')
    const [{ cells, ...rest }] = records as [(typeof records)[0]]
    expect(cells).toContain('Nord')
    expect(JSON.stringify(rest)).not.toContain('Nord')
  })
})
