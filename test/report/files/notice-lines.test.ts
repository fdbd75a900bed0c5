import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import type { LocalDate } from '../../../src/domain/mandate/mandate.js'
import type { NotifiedRow } from '../../../src/ledger/read/reader.js'
import { type Notice, noticeHeader, noticeLine } from '../../../src/report/files/notice-lines.js'

const ROW: NotifiedRow = {
  id: 1,
  sourceId: 1,
  record: 1,
  customerNo: 1001,
  ibanMasked: 'DE…3000',
  signedDate: '2020-01-31',
  originalCreditorIdentifier: 'DE98ZZZ09999999999',
  originalMandateReference: 'M-1',
  assignedCreditorIdentifier: 'SE97ZZZ5560000001',
  assignedMandateReference: 'NEW-1',
  latestFirstDebit: '2027-03-01',
  verdict: 'proven',
}

function lineOf(row: Partial<NotifiedRow>, contact: Notice['contact'] = null): Record<string, string> {
  const text =
    noticeHeader() + noticeLine({ row: { ...ROW, ...row }, contact, firstDebit: '2027-02-01' as LocalDate })
  const [line] = parse(text, { bom: true, columns: true }) as unknown as Record<string, string>[]
  return line ?? {}
}

describe('noticeLine', () => {
  it('has old and new side by side, the masked account and the first debit', () => {
    expect(lineOf({}, { name: 'Zoë Ångström', email: 'zoe@example.org', language: 'sv' })).toEqual({
      customer_no: '1001',
      name: 'Zoë Ångström',
      email: 'zoe@example.org',
      language: 'sv',
      original_creditor_identifier: 'DE98ZZZ09999999999',
      original_mandate_reference: 'M-1',
      assigned_creditor_identifier: 'SE97ZZZ5560000001',
      assigned_mandate_reference: 'NEW-1',
      iban_masked: 'DE…3000',
      signed_date: '2020-01-31',
      first_debit: '2027-02-01',
      verification: 'proven',
      warning: '',
    })
  })

  it('warns of a mandate that lapses before, and only before', () => {
    expect(lineOf({ latestFirstDebit: '2027-01-31' })['warning']).toContain('lapses on 2027-01-31')
    expect(lineOf({ latestFirstDebit: '2027-02-01' })['warning']).toBe('')
    expect(lineOf({ latestFirstDebit: null })['warning']).toBe('')
  })

  it.each([
    ['absent', 'missing'],
    ['twice', 'twice'],
    ['other', 'different'],
    ['unreadable', 'unreadable'],
  ] as const)('warns of a mandate that is not proven: %s', (verdict, word) => {
    expect(lineOf({ verdict })).toMatchObject({
      verification: word,
      warning: `Not proven at the service: ${word}.`,
    })
  })

  it('says where nobody asked, without a warning in every line', () => {
    expect(lineOf({ verdict: null })).toMatchObject({ verification: 'not asked', warning: '' })
  })

  it('runs nothing in a spreadsheet and shows no account, whatever the column was', () => {
    const contact = { name: '=cmd|calc', email: 'DE89370400440532013000', language: 'a\nb' }
    expect(lineOf({}, contact)).toMatchObject({ name: "'=cmd|calc", email: 'DE…3000', language: 'a b' })
  })
})
