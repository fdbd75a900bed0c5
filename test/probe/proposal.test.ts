import { describe, expect, it } from 'vitest'
import { findingsOf, type Findings } from '../../src/probe/findings.js'
import { contradicted, proposalOf } from '../../src/probe/proposal.js'
import { createStatusTable } from '../../src/service/status-table.js'
import { observed } from './outcomes.js'

const found = findingsOf(observed())
type Duplicate = Findings['duplicate']

describe('proposed outcomes', () => {
  it.each<[Duplicate['finding'], number | null, object]>([
    ['conflict', 409, { '409': 'in_doubt' }],
    ['refused', 400, { '400': 'in_doubt' }],
    ['refused', 404, { '404': 'in_doubt' }],
    ['unclear', 412, { '412': 'in_doubt' }],
    ['turned_away', 404, { '404': 'in_doubt' }],
    ['exists', 400, {}], // its word goes before the table
    ['second_mandate', 200, {}],
    ['same_reference', 200, {}],
    ['not_known', 500, {}],
    ['varies', 409, {}],
    ['not_asked', null, {}],
  ])('of a duplicate that is %s with %s', (finding, status, outcomes) => {
    const proposal = proposalOf({ ...found, duplicate: { ...found.duplicate, finding, status } })
    expect(proposal.outcomes).toEqual(outcomes)
    expect(createStatusTable(proposal.outcomes).overrides).toEqual(outcomes)
  })

  it('are never refused, whatever was found', () => {
    for (const finding of ['refused', 'conflict', 'unclear'] as const)
      for (let status = 400; status < 600; status += 1) {
        const { outcomes } = proposalOf({ ...found, duplicate: { ...found.duplicate, finding, status } })
        expect(new Set(Object.values(outcomes)).has('refused' as never)).toBe(false)
        expect(() => createStatusTable(outcomes)).not.toThrow()
      }
  })

  it('are contradicted by a configuration that says something else of them', () => {
    const proposal = { readBack: true, outcomes: { '409': 'in_doubt' } } as const
    expect(contradicted(proposal)).toEqual([])
    expect(contradicted(proposal, { '409': 'in_doubt', '503': 'turned_away' })).toEqual([])
    expect(contradicted(proposal, { '409': 'refused' })).toEqual(['409'])
    expect(contradicted(proposal, { '409': 'turned_away' })).toEqual(['409'])
  })
})

describe('proposed reading back', () => {
  type ReadBack = Findings['readBack']
  it.each<[ReadBack['finding'], ReadBack['verdict'], boolean | null]>([
    ['available', 'proven', true],
    ['available', 'other', false],
    ['available', 'unreadable', false],
    ['available', 'not_known', null],
    ['missing', 'not_asked', false],
    ['refused', 'not_asked', false],
    ['not_shown', 'not_asked', null],
    ['not_known', 'not_asked', null],
    ['not_asked', 'not_asked', null],
  ])('that is %s, with the verdict %s', (finding, verdict, readBack) => {
    expect(proposalOf({ ...found, readBack: { ...found.readBack, finding, verdict } }).readBack).toBe(
      readBack,
    )
  })
})
