import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { renderManifest, renderSummary } from '../../../src/report/pack/pack.js'
import { readManifest } from '../../../src/report/proof/prove-pack.js'
import { factsOf, plannedOf, registeredRow, verifiedRow, type LedgerValue } from '../ledger-value.js'

const manifestOf = async (value: LedgerValue): Promise<string> =>
  renderManifest(await factsOf(value), { files: [], language: 'de', absentAfterMs: 86_400_000 })

describe('manifest.json', () => {
  const text = manifestOf({ rows: [registeredRow(1)] })

  it('says where the ledger stood, and how many decisions there are', async () => {
    const root = new URL('../../../package.json', import.meta.url)
    const { version } = JSON.parse(readFileSync(root, 'utf8')) as { version: string }
    expect(JSON.parse(await text)).toMatchObject({
      schemaVersion: 1,
      version,
      ledgerId: '7f3b7c1e',
      language: 'de',
      changedAt: '2026-06-15T12:00:00.000Z',
      campaign: { baseUrl: 'https://billing.example', username: 'migration' },
      totals: { read: 1, registered: 1, refused: 0 },
      notTaken: 0,
      decisions: { count: 0 },
    })
  })

  it('is told from other JSON, and what is none', () => {
    for (const other of ['{"schemaVersion":1,"ledgerId":"x","files":[]}', '{}', 'null', '[]', '7', '{'])
      expect(readManifest(other)).toBeNull()
  })
})

describe('summary.json', () => {
  const summaryOf = async (value: LedgerValue) =>
    JSON.parse(renderSummary(await factsOf(value))) as Record<string, Record<string, unknown>>

  it('names plans and approvals, as the manifest does', async () => {
    const planned = plannedOf()
    const value = { plans: [planned] }
    const { plans } = await summaryOf(value)
    const { digest, document } = planned
    expect(plans).toMatchObject([{ digest, rows: document.rows, approvals: [{ approvedBy: 'Grace' }] }])
    expect((JSON.parse(await manifestOf(value)) as { plans: object[] }).plans).toEqual(plans)
  })

  it('says how many registered rows were proven at the service, and nothing where nobody asked', async () => {
    const rows = [registeredRow(1), registeredRow(2)]
    const unasked = await summaryOf({ rows })
    expect(unasked).toMatchObject({ verification: null, notTaken: 0 })
    expect(unasked['files']).not.toHaveProperty('verification.csv')
    const { verification, files } = await summaryOf({ rows, verified: [verifiedRow(1)], sample: 1 })
    const at = '2026-06-15T11:00:00.000Z'
    expect(verification).toEqual({
      ...{ registered: 2, missing: 0, twice: 0, different: 0, unreadable: 0, decided: 0 },
      ...{ proven: 1, notAsked: 1, sample: 1, firstAt: at, lastAt: at },
    })
    expect(files).toMatchObject({ 'verification.csv': { rows: 1 } })
  })
})
