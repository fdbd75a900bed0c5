import { describe, expect, it } from 'vitest'
import { evidenceOf } from '../../../src/domain/proof/evidence.js'
import type { ListedSource } from '../../../src/domain/proof/match-sources.js'

const IBAN = 'DE89370400440532013000'

const source = (values: Partial<ListedSource> = {}): ListedSource => ({
  id: 'ps-97e0mey93abcd0fghij',
  status: 'PENDING',
  scheme: 'SEPA_DIRECT_DEBIT',
  reference: 'NEW-1',
  iban: IBAN,
  signedAt: '2020-01-31T00:00:00',
  ...values,
})

const KEPT = {
  id: 'ps-97e0mey93abcd0fghij',
  status: 'PENDING',
  reference: 'NEW-1',
  accountMasked: 'DE…3000',
  signedDate: '2020-01-31',
}

describe('evidence', () => {
  it.each([
    [{ kind: 'proven', source: source() }, null, [KEPT]],
    [{ kind: 'twice', sources: [source()] }, null, [KEPT]],
    [{ kind: 'absent' }, null, []],
    [
      { kind: 'other', why: 'ended', sources: [source({ status: 'CANCELLED' })] },
      ...(['ended', [{ ...KEPT, status: 'CANCELLED' }]] as const),
    ],
    [
      { kind: 'unreadable', reason: `The service answered 500 (${IBAN})` },
      ...(['The service answered 500 (DE…3000)', []] as const),
    ],
  ] as const)('of %j is kept without an account number', (verdict, why, sources) => {
    expect(evidenceOf(verdict)).toEqual({ verdict: verdict.kind, why, sources })
  })

  it('keeps an id whole that merely looks like an account, and masks the account itself wherever it stands', () => {
    const { sources } = evidenceOf({
      kind: 'proven',
      source: source({ reference: `REF-${IBAN}`, status: `seen with ${IBAN}` }),
    })
    expect(sources).toEqual([{ ...KEPT, reference: 'REF-DE…3000', status: 'seen with DE…3000' }])
    expect(JSON.stringify(sources)).not.toContain(IBAN)
  })

  it('masks an account that another part quotes where the list shows a masked one', () => {
    const { sources } = evidenceOf({ kind: 'twice', sources: [source({ iban: 'DE…3000', id: IBAN })] })
    expect(JSON.stringify(sources)).not.toContain(IBAN)
  })

  it('keeps ten sources at most, and cuts what is no identifier', () => {
    const reference = 'X'.repeat(5_000)
    const sources = Array.from({ length: 11 }, (_, at) => source({ id: `${at}`, reference }))
    const kept = evidenceOf({ kind: 'twice', sources })
    expect(kept.sources.map(({ id }) => id)).toEqual(Array.from('0123456789'))
    expect(kept.sources[0]?.reference).toHaveLength(140)
  })
})
