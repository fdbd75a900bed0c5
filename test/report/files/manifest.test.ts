import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readManifest, renderManifest } from '../../../src/report/files/manifest.js'
import { factsOf } from '../facts-value.js'
import { NO_RECORDS, registeredRow, sourceOf } from '../ledger-value.js'

const FILE = { name: 'registered.csv', bytes: 7, sha256: 'b'.repeat(64) }
const DECISIONS = { count: 0, head: 'c'.repeat(64) }
const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string
}
const text = async (): Promise<string> =>
  renderManifest(
    await factsOf({ ...NO_RECORDS, sources: [sourceOf({ records: 1 })], rows: [registeredRow(1)] }),
    { files: [FILE], decisions: DECISIONS, language: 'de', absentAfterMs: 86_400_000 },
  )

describe('manifest.json', () => {
  it('names files and sources by size and hash, where the ledger stood, and the end of the decisions', async () => {
    expect(JSON.parse(await text())).toMatchObject({
      schemaVersion: 1,
      version,
      ledgerId: '7f3b7c1e',
      language: 'de',
      absentAfterMs: 86_400_000,
      changedWhileReading: false,
      changedAt: '2026-06-15T12:00:00.000Z',
      campaign: { baseUrl: 'https://billing.example', username: 'migration' },
      totals: { read: 1, registered: 1, refused: 0 },
      notTaken: 0,
      decisions: DECISIONS,
      files: [FILE],
      sources: [{ name: 'export.csv', bytes: 1234, sha256: 'a'.repeat(64) }],
    })
  })

  it('has the digest of all its other lines on the first of them', async () => {
    const [open, digest, ...others] = (await text()).split('\n')
    const rest = [open, ...others].join('\n')
    expect(digest).toBe(`  "digest": "${createHash('sha256').update(rest).digest('hex')}",`)
  })

  it('is read back whole, and not so with a byte more, less or other', async () => {
    const written = await text()
    expect(readManifest(written)).toMatchObject({ isCanonical: true, isDigestRight: true })
    const isWhole = (changed: string): boolean => {
      const read = readManifest(changed)
      return read !== null && read !== 'no_json' && read.isCanonical && read.isDigestRight
    }
    for (let at = 0; at < written.length; at += 1) {
      expect(isWhole(written.slice(0, at) + written.slice(at + 1)), `without byte ${at}`).toBe(false)
      expect(isWhole(`${written.slice(0, at)} ${written.slice(at)}`), `a blank at ${at}`).toBe(false)
      expect(isWhole(`${written.slice(0, at)}~${written.slice(at + 1)}`), `another byte ${at}`).toBe(false)
    }
  })

  it('is told from other JSON, and what is none', () => {
    for (const other of ['{"schemaVersion":1,"ledgerId":"x","files":[]}', '{}', 'null', '[]', '7'])
      expect(readManifest(other)).toBeNull()
    expect(readManifest('{')).toBe('no_json')
  })
})
