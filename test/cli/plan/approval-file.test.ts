import { chmodSync, chownSync, linkSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readApproval, writeApproval, type ApprovalFile } from '../../../src/cli/plan/approval-file.js'
import { freshFolder } from '../../support/folder.js'

const APPROVAL: ApprovalFile = {
  kind: 'sepa-migrate-approval',
  schemaVersion: 1,
  plan: 'ab'.repeat(32),
  ledgerId: '7f3b7c1e',
  approvedAt: '2026-06-15T08:00:00.000Z',
  approvedBy: 'Grace',
  reason: 'compared',
}

const needsRoot = process.getuid?.() === 0 ? false : 'only root can make files of another user'
const written = (): string => {
  const file = join(freshFolder(), 'approval.json')
  writeApproval(file, APPROVAL)
  return file
}

describe('an approval in a file', () => {
  it('comes back as it was given, and others can read it', () => {
    const file = written()
    expect((statSync(file).mode & 0o777).toString(8)).toBe('644')
    expect(readApproval(file)).toMatchObject({ approval: APPROVAL, owner: null })
    expect(readApproval(file).evidence).toMatch(/^approval\.json \(SHA-256 [0-9a-f]{64}\)$/)
  })

  it('is not written over another file', () => {
    const file = written()
    expect(() => writeApproval(file, APPROVAL)).toThrow('exists and is not overwritten')
  })

  it.skipIf(needsRoot)('says whose file it is', () => {
    const file = written()
    chownSync(file, 65_534, 65_534)
    expect(readApproval(file).owner).toMatch(/^(nobody|number 65534)$/)
  })

  it.each([
    ['group', 0o664],
    ['others', 0o646],
  ])('that the %s can write is none', (_, mode) => {
    const file = written()
    chmodSync(file, mode)
    expect(() => readApproval(file)).toThrow('others than its owner can write to it')
  })

  it('that has a second name, or is a link, a folder or nowhere, is none', () => {
    const file = written()
    const link = join(freshFolder(), 'link.json')
    symlinkSync(file, link)
    expect(() => readApproval(link)).toThrow('Cannot read the approval')
    expect(() => readApproval(freshFolder())).toThrow('it is not a regular file')
    expect(() => readApproval(`${file}.nowhere`)).toThrow('Cannot read the approval')
    linkSync(file, `${file}.second`)
    expect(() => readApproval(file)).toThrow('it has a second name')
  })

  it.each([
    ['another key', (text: string) => text.replace('"kind"', '"kinds"')],
    ['a further key', (text: string) => text.replace('{', '{ "x": 1,')],
    ['a blank', (text: string) => `${text} `],
    ['a digest that is none', (text: string) => text.replace('abab', 'ABAB')],
    ['no reason', (text: string) => text.replace('compared', '')],
    ['half of it', (text: string) => text.slice(0, 40)],
  ])('with %s is none', (_, change) => {
    const file = written()
    writeFileSync(file, change(readFileSync(file, 'utf8')))
    expect(() => readApproval(file)).toThrow('is no approval as this program writes it')
  })
})
