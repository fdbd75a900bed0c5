import { describe, expect, it } from 'vitest'
import { approvalDrifts, sourceDrifts, type Drift } from '../../../src/domain/plan/plan.js'
const source = (name: string, sha256: string) => ({ name, sha256, bytes: 1, records: 1 })
const texts = (drifts: readonly Drift[]): string[] => drifts.map(({ text }) => text)

describe('sources', () => {
  it('are known by their bytes, whatever they are called', () => {
    expect(sourceDrifts([source('a.csv', '1')], [source('b.csv', '1')])).toEqual([])
  })

  it('are named where one changed, is missing or came to them', () => {
    const planned = [source('a.csv', '1'), source('b.csv', '2')]
    const [changed] = texts(sourceDrifts(planned, [source('a.csv', '9'), source('b.csv', '2')]))
    expect(changed).toBe('source changed: "a.csv" is not the file that was planned')
    expect(texts(sourceDrifts(planned, [source('b.csv', '2'), source('c.csv', '3')]))).toEqual([
      'source missing: "a.csv" was planned and is not here',
      'source added: "c.csv" was not planned',
    ])
  })
})

describe('an approval', () => {
  const NOW = '2026-06-15T10:00:00.000Z'
  const GRACE = [{ name: 'Grace', key: 'a1' }]
  const APPROVED = { approvedBy: 'Grace', approvedAt: '2026-06-12T10:00:00.000Z', recordedAs: 'grace' }
  const until = (expiresAt: string, key: string | null = null) => ({ ...APPROVED, expiresAt, key })
  const told = (...given: Parameters<typeof approvalDrifts>): string[] => texts(approvalDrifts(...given))

  it('is missing where nobody gave one, and one that counts makes up for those that do not any more', () => {
    expect(told([], [], NOW)).toEqual(['not approved: nobody has approved this plan'])
    const old = until('2026-06-14T10:00:00.000Z')
    expect(told([old, until('2026-06-16T10:00:00.000Z'), old], [], NOW)).toEqual([])
    const expired = told([until('2026-06-13T10:00:00.000Z'), old], [], NOW)
    expect(expired).toEqual(['approval expired: at 2026-06-14 10:00:00 UTC'])
  })

  it('does not count before it was given', () => {
    const early = { ...until('2026-06-18T10:00:00.000Z'), approvedAt: '2026-06-15T10:00:00.001Z' }
    expect(told([early], [], NOW)[0]).toMatch(/^not approved yet: the approval is from 2026-06-15/)
  })

  it('does not count from the planner, by name or by user, where one is required', () => {
    const given = until('2026-06-16T10:00:00.000Z')
    const why = ['not approved: Ada planned it, and somebody else has to approve it']
    const by = (plannedBy: string, plannedAs: string) => told([given], [], NOW, { plannedBy, plannedAs })
    expect(by('Ada', 'ada')).toEqual([])
    expect(by('Ada', 'grace')).toEqual(why)
    expect(told([given], [], NOW, { plannedBy: ' GRACE', plannedAs: null })).toHaveLength(1)
    expect(told([{ ...given, key: 'a1' }], [], NOW, { plannedBy: 'Ada', plannedAs: 'grace' })).toEqual([])
  })

  it('counts with a key of the approvers alone, where there are any', () => {
    const later = '2026-06-16T10:00:00.000Z'
    expect(told([until(later, 'a1')], GRACE, NOW)).toEqual([])
    expect(told([until(later), until(later, 'b2')], GRACE, NOW)).toEqual([
      'not approved: Grace approved with the key b2, and the keys of these alone count: Grace (key a1)',
    ])
    expect(told([until(later)], GRACE, NOW)[0]).toContain('Grace approved without a key')
    expect(told([until(later), until(NOW, 'a1')], GRACE, NOW)[0]).toContain('approval expired')
  })
})
