import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { parseConfiguration } from '../../../src/cli/settings/configuration.js'
import { proposalText } from '../../../src/cli/prove/probe-proposal.js'
import { findingsOf } from '../../../src/probe/findings.js'
import { proposalOf, type Proposal } from '../../../src/probe/proposal.js'
import { observed, pairOf } from '../../probe/outcomes.js'

const asked = { host: 'test.example', now: Date.parse('2026-11-22T04:26:54Z') }
const found = findingsOf(observed())
const textOf = (proposal: Proposal): string => proposalText(asked, found, proposal)

describe('the proposed settings', () => {
  it.each<[Proposal, unknown]>([
    [
      { readBack: true, outcomes: { '409': 'in_doubt' } },
      { service: { readBack: true }, outcomes: { '409': 'in_doubt' } },
    ],
    [{ readBack: false, outcomes: {} }, { service: { readBack: false } }],
    [
      { readBack: null, outcomes: { '400': 'in_doubt', '404': 'in_doubt' } },
      { outcomes: { '400': 'in_doubt', '404': 'in_doubt' } },
    ],
    [{ readBack: null, outcomes: {} }, null],
  ])('%j are read as they are meant', (proposal, values) => {
    expect(parse(textOf(proposal))).toEqual(values)
  })

  it.each(['400', '404', '409', '422'])('are taken by the reader of the configuration: %s', (status) => {
    const outcomes = { [status]: 'in_doubt' } as const
    const text = textOf({ readBack: null, outcomes })
    expect(parseConfiguration(text, 'proposal.yaml').outcomes).toEqual(outcomes)
  })

  it.each([true, false])('are taken by that reader with readBack: %s', (readBack) => {
    const { service, outcomes } = parseConfiguration(
      textOf({ readBack, outcomes: OUTCOMES }),
      'proposal.yaml',
    )
    expect([service, outcomes]).toEqual([{ readBack }, OUTCOMES])
  })
  const OUTCOMES = { '409': 'in_doubt' } as const

  it('say where and when they were found out, and what they follow from', () => {
    const text = textOf(proposalOf(found))
    expect(text).toMatch(/^# A proposal, found out by a probe of test\.example on 2026-11-22\.\n/)
    expect(text).toContain('#   the same mandate twice: the service answered a conflict (409')
  })

  it('have nothing in them that the service wrote but in a comment of one line', () => {
    const status = "LIVE\nservice: { baseUrl: 'https://elsewhere.example' }"
    const findings = findingsOf(observed({ pairs: [pairOf({ listed: { status } })] }))
    const text = proposalText(asked, findings, proposalOf(findings))
    expect(text).toContain('LIVE')
    expect(parse(text)).toEqual({ service: { readBack: true }, outcomes: { '409': 'in_doubt' } })
  })
})
