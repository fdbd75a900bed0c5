import { createHash } from 'node:crypto'
import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { decisionOf } from '../ledger-value.js'
import { decisionList } from '../../../src/report/files/lists.js'

const recordsOf = (text: string): Record<string, string>[] => parse(text, { columns: true, bom: true })
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

describe('decisions.csv', () => {
  it('links each decision with the one before it, as its page says, so that anybody can compute it', () => {
    const lines = decisionList('7f3b7c1e')
    const decisions = [
      decisionOf({ reason: 'a "quoted" reason; and =1+1' }),
      decisionOf({ id: 2, attemptId: null, as: null, evidence: 'list.csv (SHA-256 ab)' }),
    ]
    const records = recordsOf(lines.header + decisions.map(lines.line).join(''))
    let before = sha256('["7f3b7c1e"]')
    for (const record of records) {
      const cells = Object.values(record).slice(0, -1)
      before = sha256(JSON.stringify([before, ...cells]))
      expect(record['hash']).toBe(before)
    }
    expect(lines.end()).toEqual({ count: 2, head: before })
    expect(records[0]).toMatchObject({
      id: '1',
      row: '1',
      attempt: '77',
      by: 'A. Reviewer',
      as: 'reviewer',
      decision: 'refused',
      from: 'in_doubt',
      to: 'refused',
    })
    expect(records[1]).toMatchObject({ attempt: '', as: '', evidence: 'list.csv (SHA-256 ab)' })
  })

  it('begins with the ledger, so that an empty chain is one of its own too', () => {
    const ends = ['one', 'other'].map((ledgerId) => decisionList(ledgerId).end())
    expect(ends.map(({ count }) => count)).toEqual([0, 0])
    expect(new Set(ends.map(({ head }) => head)).size).toBe(2)
  })
})
