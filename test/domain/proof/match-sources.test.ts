import { describe, expect, it } from 'vitest'
import {
  beforeSending,
  evidenceOf,
  heldBackBecause,
  matchSources,
} from '../../../src/domain/proof/match-sources.js'
import type { AskedRow, ListedSource, SourceVerdict } from '../../../src/domain/proof/match-sources.js'
import { maskIban } from '../../../src/domain/text/accounts.js'

const IBAN = 'DE89370400440532013000'
const OTHER_IBAN = 'NL91ABNA0417164300'
const DATE = '2024-03-01'

/** An in-doubt row; with a reference a registered one. */
const row = (values: Partial<AskedRow> & { iban?: string } = {}): AskedRow => {
  const { iban = IBAN, ...rest } = values
  return {
    ...{ rowId: 1, signedDate: DATE, reference: null, accountKey: iban, accountMasked: maskIban(iban) },
    isAccount: (other) => other === iban,
    ...rest,
  }
}
const registered = (reference: string, values: Parameters<typeof row>[0] = {}): AskedRow =>
  row({ reference, ...values })

let ids = 0
const source = (values: Partial<ListedSource> = {}): ListedSource => ({
  id: `s${(ids += 1)}`,
  status: 'PENDING',
  scheme: 'SEPA_DIRECT_DEBIT',
  reference: 'NEW-1',
  iban: IBAN,
  signedAt: `${DATE}T00:00:00`,
  ...values,
})

const verdictsOn = (rows: readonly AskedRow[], sources: readonly ListedSource[]): readonly SourceVerdict[] =>
  matchSources(rows, { kind: 'listed', sources })

/** One word for each verdict: its kind, and why where it is `other`. */
const wordsOn = (rows: readonly AskedRow[], sources: readonly ListedSource[]): string[] =>
  verdictsOn(rows, sources).map(({ verdict, why }) => (verdict === 'other' ? `other: ${why ?? ''}` : verdict))

/** With the last four of IBAN, and check digits that a masked middle happens to fit. */
const ZEROED = 'DE31000000000000003000'
const FRENCH_OF_X = 'FR853000600001XXXXXXXXXXX89'

describe('one row in doubt', () => {
  it.each<[string, Partial<ListedSource>[], string]>([
    ['no source at all', [], 'absent'],
    ['exactly its own', [{}], 'proven'],
    ['its own beside another account', [{}, { iban: OTHER_IBAN, reference: 'X' }], 'proven'],
    ['two of the same account and date', [{}, { reference: 'NEW-2' }], 'twice'],
    ['one that is listed twice', [{ id: 'a' }, { id: 'a' }], 'proven'],
    ['another account', [{ iban: OTHER_IBAN }], 'other: differs'],
    ['an account with blanks and small letters', [{ iban: 'de89 3704 0044 0532 0130 00' }], 'proven'],
    ['a day later', [{ signedAt: '2024-03-02T00:00:00' }], 'other: other_date'],
    ['the evening before in UTC', [{ signedAt: '2024-02-29T23:00:00Z' }], 'other: other_date'],
    ['its day with an offset that would move it', [{ signedAt: '2024-03-01T00:00:00+02:00' }], 'proven'],
    ['its day without a time', [{ signedAt: '2024-03-01' }], 'proven'],
    ['another scheme', [{ scheme: 'AUTOGIRO', iban: null }], 'other: differs'],
    ['another scheme with its account', [{ scheme: 'AUTOGIRO' }], 'unreadable'],
    ['a scheme of which nobody knows what it means', [{ scheme: 'SEPA_DD' }], 'unreadable'],
    ['such a scheme beside its own', [{}, { scheme: 'SEPA_DD' }], 'unreadable'],
    ['its scheme in small letters', [{ scheme: 'sepa_direct_debit' }], 'proven'],
    ['cancelled', [{ status: 'CANCELLED' }], 'other: ended'],
    ['a status that nobody has published', [{ status: 'MANDATE_ACTIVE' }], 'proven'],
    ['no status', [{ status: null }], 'proven'],
    ['a cancelled one beside a live one', [{ status: 'CANCELLED' }, {}], 'proven'],
    ['no reference', [{ reference: null }], 'proven'],
    ['two without an id', [{ id: null }, { id: null }], 'twice'],
    ['no account', [{ iban: null }], 'unreadable'],
    ['a masked account', [{ iban: 'DE…3000' }], 'unreadable'],
    ['a masked account and another day', [{ iban: 'DE…3000', signedAt: '2020-01-01' }], 'unreadable'],
    ['an account of X', [{ iban: 'DE89XXXXXXXXXXXXXX3000' }], 'unreadable'],
    ['an account of X where letters are allowed', [{ iban: FRENCH_OF_X }], 'unreadable'],
    ['an account of zeros', [{ iban: 'DE89000000000000003000' }], 'unreadable'],
    ['an account of zeros that passes its check digits', [{ iban: ZEROED }], 'unreadable'],
    ['an account with blanks for digits', [{ iban: 'DE89              3000' }], 'unreadable'],
    ['the last four alone', [{ iban: '3000' }], 'unreadable'],
    ['an account of stars', [{ iban: 'DE89**************3000' }], 'unreadable'],
    ['a hash, or nothing', [{ iban: '9f86d081884c7d65' }, { iban: '' }], 'unreadable'],
    ['a digit that was mistyped', [{ iban: 'DE89370400440532013001' }], 'unreadable'],
    ['a day that does not exist', [{ signedAt: '2024-02-30' }], 'unreadable'],
    ['an ended one of another day', [{ status: 'ENDED', signedAt: '2020-01-01' }], 'other: other_date'],
    ['two live ones under one id', [{ id: 'a' }, { id: 'a', reference: 'B' }], 'twice'],
    ['under one id itself and another account', [{ id: 'a', iban: OTHER_IBAN }, { id: 'a' }], 'proven'],
    ['one id in two spellings', [{ id: 'a' }, { id: 'a', iban: IBAN.toLowerCase() }], 'proven'],
    ['no date', [{ signedAt: null }], 'unreadable'],
    ['a date of another form', [{ signedAt: '01.03.2024' }], 'unreadable'],
    ['a date with something behind it', [{ signedAt: '2024-03-01x' }], 'unreadable'],
    ['no scheme', [{ scheme: null }], 'unreadable'],
    ['its own, and one that could be its own too', [{}, { iban: null }], 'unreadable'],
    ['its own, and one that cannot', [{}, { iban: null, scheme: 'CARD' }], 'proven'],
    ['cancelled and unreadable', [{ iban: null, status: 'CANCELLED' }], 'unreadable'],
    ['its own beside a cancelled one that cannot be read', [{ iban: null, status: 'ENDED' }, {}], 'proven'],
  ])('%s', (_, sources, expected) => expect(wordsOn([row()], sources.map(source))).toEqual([expected]))
})

describe('one registered row', () => {
  it.each<[string, Partial<ListedSource>[], string]>([
    ['no source at all', [], 'absent'],
    ['its own', [{}], 'proven'],
    ['its reference in another case, with blanks', [{ reference: ' new-1 ' }], 'proven'],
    ['another reference', [{ reference: 'NEW-2' }], 'other: differs'],
    ['its reference on another account', [{ iban: OTHER_IBAN }], 'other: differs'],
    ['its reference on another day', [{ signedAt: '2024-03-02' }], 'other: other_date'],
    ['beside its own, one of another day', [{}, { reference: 'B', signedAt: '2020-01-01' }], 'proven'],
    ['a second mandate with a reference of its own', [{}, { reference: 'NEW-2' }], 'twice'],
    ['its reference on two sources', [{}, {}], 'twice'],
    ['cancelled', [{ status: 'CANCELLED' }], 'other: ended'],
    ['a second one that was cancelled', [{}, { reference: 'N', status: 'CANCELLED' }], 'proven'],
    ['no reference', [{ reference: null }], 'unreadable'],
    ['its own, and one without a reference', [{}, { reference: null }], 'unreadable'],
  ])('%s', (_, sources, word) => expect(wordsOn([registered('NEW-1')], sources.map(source))).toEqual([word]))

  it('stands first among its doubles, so that a person cancels the others', () => {
    const [own, double] = [source(), source({ reference: 'NEW-2' })]
    const [verdict] = verdictsOn([registered('NEW-1')], [double, own])
    expect(verdict).toEqual({ verdict: 'twice', why: null, sources: [own, double] })
  })
})

describe('several rows of one customer', () => {
  const [first, second] = [source({ reference: 'NEW-1' }), source({ reference: 'NEW-2' })]

  const elsewhere = row({ iban: OTHER_IBAN })
  const later = row({ signedDate: '2024-03-02' })
  const [one, two] = [registered('NEW-1'), registered('NEW-2')]
  const another = registered('NEW-1', { iban: OTHER_IBAN })
  it.each<[string, AskedRow[], ListedSource[], string]>([
    ['two accounts', [row(), elsewhere], [first, source({ iban: OTHER_IBAN })], 'proven, proven'],
    ['two accounts, one of them there', [row(), elsewhere], [first], 'proven, other: differs'],
    ['two dates', [row(), later], [first, source({ signedAt: '2024-03-02' })], 'proven, proven'],
    // It is the other row's.
    ['two dates, one there', [row(), later], [source({ signedAt: '2024-03-02' })], 'other: differs, proven'],
    ['a third', [row(), later], [source({ signedAt: '2024-03-03' })], 'other: other_date, other: other_date'],
    [
      'the account of another row masked, by its reference',
      [row(), registered('NEW-2', { iban: OTHER_IBAN })],
      [source({ reference: 'NEW-2', iban: 'NL…4300' })],
      'other: differs, unreadable',
    ],
    ['registered twins, told apart by reference', [one, two], [second, first], 'proven, proven'],
    ['of registered twins one is missing', [one, two], [first], 'proven, other: differs'],
    ['twins in doubt, one source', [row(), row()], [first], 'other: ambiguous, other: ambiguous'],
    ['twins in doubt, two sources', [row(), row()], [first, second], 'other: ambiguous, other: ambiguous'],
    ['twins in doubt, nothing there', [row(), row()], [], 'absent, absent'],
    ['a registered one, and a twin that is not there', [one, row()], [first], 'proven, other: differs'],
    // The other source may be a second of the first.
    ['a registered one, and a twin in doubt', [one, row()], [first, second], 'proven, other: ambiguous'],
    [
      'a source too many',
      [one, row()],
      [first, second, source({ reference: 'X' })],
      'twice, other: ambiguous',
    ],
    ['the reference of another row', [row(), another], [first], 'other: differs, other: differs'],
  ])('%s', (_, rows, sources, expected) => expect(wordsOn(rows, sources).join(', ')).toBe(expected))

  it('never gives one source to two rows, whatever they say of their accounts', () => {
    const rows = [row({ accountKey: 'a' }), row({ accountKey: 'b' })]
    expect(wordsOn(rows, [first])).toEqual(['other: ambiguous', 'other: ambiguous'])
  })
})

describe('an answer', () => {
  it('that cannot be read says so for every row', () => {
    const reason = 'The service answered 500'
    const unreadable = { verdict: 'unreadable', why: reason, sources: [] }
    const verdicts = matchSources([row(), registered('NEW-1')], { kind: 'not_read', reason })
    expect(verdicts).toEqual([unreadable, unreadable])
  })

  it('of 3,000 sources is matched with 300 rows', () => {
    const day = (n: number): string => new Date(Date.UTC(1990, 0, 1 + n)).toISOString().slice(0, 10)
    const sources = Array.from({ length: 3_000 }, (_, n) => source({ reference: `R${n}`, signedAt: day(n) }))
    const rows = Array.from({ length: 300 }, (_, n) => registered(`R${n}`, { signedDate: day(n) }))
    expect(new Set(wordsOn(rows, sources))).toEqual(new Set(['proven']))
  })
})

const judged = (
  verdict: SourceVerdict['verdict'],
  sources: readonly ListedSource[],
  why: string | null = null,
): SourceVerdict => ({ verdict, why, sources })

/** Its id looks like an account, and is none. */
const SHOWN = source({ id: 'ps-97e0mey93abcd0fghij' })
const { id, status, reference } = SHOWN
const KEPT = { id, status, reference, accountMasked: 'DE…3000', signedDate: DATE }

describe('evidence', () => {
  it.each([
    [judged('proven', [SHOWN]), null, [KEPT]],
    [judged('twice', [SHOWN]), null, [KEPT]],
    [judged('absent', []), null, []],
    [
      judged('other', [{ ...SHOWN, status: 'CANCELLED' }], 'ended'),
      'ended',
      [{ ...KEPT, status: 'CANCELLED' }],
    ],
    [
      judged('unreadable', [], `The service answered 500 (${IBAN})`),
      'The service answered 500 (DE…3000)',
      [],
    ],
  ] as const)('of %j is kept without an account number', (verdict, why, sources) => {
    expect(evidenceOf(verdict)).toEqual({ verdict: verdict.verdict, why, sources })
  })

  it('keeps an id whole that merely looks like an account, and masks the account itself wherever it stands', () => {
    const quoting = { ...SHOWN, reference: `REF-${IBAN}`, status: `seen with ${IBAN}` }
    const { sources } = evidenceOf(judged('proven', [quoting]))
    expect(sources).toEqual([{ ...KEPT, reference: 'REF-DE…3000', status: 'seen with DE…3000' }])
    expect(JSON.stringify(sources)).not.toContain(IBAN)
  })

  it('masks an account that another part quotes where the list shows a masked one', () => {
    const { sources } = evidenceOf(judged('twice', [source({ iban: 'DE…3000', id: IBAN })]))
    expect(JSON.stringify(sources)).not.toContain(IBAN)
  })

  it('keeps ten sources at most, and cuts what is no identifier', () => {
    const reference = 'X'.repeat(5_000)
    const sources = Array.from({ length: 11 }, (_, at) => source({ id: `${at}`, reference }))
    const kept = evidenceOf(judged('twice', sources))
    expect(kept.sources.map(({ id }) => id)).toEqual(Array.from('0123456789'))
    expect(kept.sources[0]?.reference).toHaveLength(140)
  })
})

const ONE = source({ id: 'ps-1' })
const other = (why: string): SourceVerdict => judged('other', [ONE], why)
const proven = judged('proven', [ONE])
const twice = judged('twice', [ONE, { ...ONE, id: 'ps-2', reference: null }])

describe('a row that the service was asked about before it is sent', () => {
  it.each<[string, SourceVerdict, string]>([
    ['nothing is there', judged('absent', []), 'send'],
    ['others are there, and none is it', other('differs'), 'send'],
    ['it is there', proven, 'hold_back'],
    ['it is there twice', twice, 'hold_back'],
    ['it was there and is cancelled', other('ended'), 'hold_back'],
    ['its account is there with another date', other('other_date'), 'hold_back'],
    ['it or its twin is there', other('ambiguous'), 'hold_back'],
    ['nobody can tell', judged('unreadable', [], 'cut'), 'ask_again'],
  ])('%s', (_, verdict, then) => expect(beforeSending(verdict)).toBe(then))

  it('is held back with what the service shows, and no account number', () => {
    const verdicts = [proven, twice]
    for (const why of ['ended', 'other_date', 'ambiguous'] as const) verdicts.push(other(why))
    const texts = verdicts.map((verdict) => heldBackBecause(evidenceOf(verdict)))
    const shown = ', so it was not sent: payment source ps-1, reference NEW-1, PENDING'
    expect(texts).toEqual([
      `The service already holds this mandate${shown}`,
      `The service already holds this mandate more than once${shown}; payment source ps-2, PENDING`,
      `The service holds this mandate as one that was cancelled${shown}`,
      `The service holds a mandate with this account and another date${shown}`,
      `The service holds a mandate that is this one or that of another row with the same account and date${shown}`,
    ])
    expect(texts.join()).not.toContain('0532013000')
  })
})
