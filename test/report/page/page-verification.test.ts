import { describe, expect, it } from 'vitest'
import { renderPage } from '../../../src/report/page/page.js'
import { ENGLISH } from '../../../src/report/text/texts.js'
import { factsOf } from '../facts-value.js'
import {
  IBAN,
  keptSource,
  NO_RECORDS,
  registeredRow,
  rowOf,
  sourceOf,
  verifiedRow,
  type LedgerValue,
} from '../ledger-value.js'
import { contradictionText, proofText, verificationSection } from '../../../src/report/page/annex-rows.js'

const registered = (count: number, change: Partial<LedgerValue> = {}): LedgerValue => ({
  ...NO_RECORDS,
  sources: [sourceOf({ records: count })],
  rows: Array.from({ length: count }, (_, index) => registeredRow(index + 1)),
  ...change,
})

const DOUBLED = verifiedRow(3, {
  verdict: 'twice',
  sources: [keptSource('ps-3', { reference: 'NEW-3' }), keptSource('<ps>', { reference: 'X' })],
  cancellable: ['<ps>'],
})

const textOf = (page: string): string =>
  page
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')

describe('the proof at the service', () => {
  it('is said to be missing at the sign-off, and nowhere else, where nobody asked', async () => {
    const facts = await factsOf(registered(3))
    expect(proofText(facts, ENGLISH)).toBe('Read back at the service: not asked.')
    expect(contradictionText(facts, ENGLISH)).toBeNull()
    expect(verificationSection(facts, ENGLISH)).toBe('')
    const page = textOf(await renderPage(facts))
    expect(page).toContain('Balanced, nothing is open')
    expect(page.match(/Read back at the service/g)).toHaveLength(1)
    expect(page).not.toContain('Proof at the service')
  })

  it('is counted at the sign-off with its times, and leaves nothing open where all are proven', async () => {
    const facts = await factsOf(registered(2, { verified: [verifiedRow(1), verifiedRow(2)] }))
    const sentence =
      'Proven at the service: 2 of 2 registered mandates (15 June 2026 11:00:00 – 15 June 2026 11:00:00); not asked: 0.'
    expect(proofText(facts, ENGLISH)).toBe(sentence)
    const page = textOf(await renderPage(facts))
    expect(page).toContain('Balanced, nothing is open')
    expect(page.slice(page.indexOf('Sign-off'))).toContain(sentence)
  })

  it('names what is contradicted before every other open point, with what may be cancelled', async () => {
    const rows = [registeredRow(1), registeredRow(2), registeredRow(3), rowOf(4, { state: 'refused' })]
    const verified = [
      verifiedRow(1, { verdict: 'unreadable', why: `said ${IBAN}`, sources: [] }),
      verifiedRow(2, { verdict: 'absent', sources: [] }),
      DOUBLED,
    ]
    const facts = await factsOf(registered(4, { rows, verified }))
    const html = await renderPage(facts)
    expect(html).not.toContain('<ps>')
    expect(html).not.toContain(IBAN)
    const page = textOf(html)
    const places = [
      'Balanced, open points: 2',
      'Registered, but missing, twice or different at the service: 2',
      'Refused by the service: 1',
      'Proof at the service Proven at the service: 0 of 3 registered mandates; missing: 1; twice: 1; unreadable: 1;',
      'missing 1002',
      'twice 1003',
      'a person may cancel &lt;ps&gt;.',
      'unreadable 1001',
      'In doubt: 0',
    ].map((part) => page.indexOf(part))
    expect(places).not.toContain(-1)
    expect([...places].sort((a, b) => a - b)).toEqual(places)
  })

  it('names what could not be compared as not proven, which is no open point of a service without a read-back', async () => {
    const verified = [verifiedRow(1, { verdict: 'unreadable', why: 'The service answered 404', sources: [] })]
    const page = textOf(await renderPage(await factsOf(registered(1, { verified }))))
    expect(page).toContain('Balanced, nothing is open')
    expect(page).toContain('It could not be compared, so it is not proven: The service answered 404.')
    expect(
      page.match(/Proven at the service: 0 of 1 registered mandates; unreadable: 1; not asked: 0\./g),
    ).toHaveLength(2)
  })

  it('says that a sample was asked, and only while somebody was not', async () => {
    const verified = [verifiedRow(1)]
    expect(proofText(await factsOf(registered(3, { verified, sample: 1 })), ENGLISH)).toMatch(
      /; not asked: 2\. What was asked last is a sample, drawn at random: 1\.$/,
    )
    expect(proofText(await factsOf(registered(3, { verified })), ENGLISH)).toMatch(/; not asked: 2\.$/)
    expect(proofText(await factsOf(registered(1, { verified, sample: 1 })), ENGLISH)).toMatch(
      /; not asked: 0\.$/,
    )
  })

  it('shows the first of many, and says where the others are', async () => {
    const verified = Array.from({ length: 60 }, (_, index) => verifiedRow(index + 1, { verdict: 'absent' }))
    const page = textOf(await renderPage(await factsOf(registered(60, { verified }))))
    expect(page).toContain('Shown: 50 of 60.')
    expect(page.match(/missing 10\d\d /g)).toHaveLength(50)
  })
})
