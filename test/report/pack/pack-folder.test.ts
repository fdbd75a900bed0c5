import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  findPack,
  findResultFiles,
  keptFile,
  NOTE,
  noteText,
  pathInPack,
  removeLeftovers,
} from '../../../src/report/pack/pack-folder.js'
import { PACK_NAMES, TO_DO_NAMES } from '../../../src/report/pack/pack.js'
import { freshFolder } from '../../support/folder.js'

const fileOf = (name: string, text: string) => ({
  name,
  bytes: text.length,
  sha256: createHash('sha256').update(text).digest('hex'),
})
const manifestOf = (...files: readonly object[]): string =>
  JSON.stringify({ schemaVersion: 1, ledgerId: 'x', files })

function folderWith(files: Readonly<Record<string, string>>, folder = freshFolder()): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}
const fill = (folder: string, ...names: string[]): string =>
  folderWith(Object.fromEntries(names.map((name) => [name, ''])), folder)

const NEXT = [fileOf('refused.csv', 'the next one'), fileOf('manifest.json', 'the next manifest')]
const note = noteText('', [fileOf('problems.csv', 'listed')])
const list = [fileOf('problems.csv', 'next'), fileOf(NOTE, 'x')]
const ofAnother = manifestOf(fileOf('registered.csv', 'written'))
const ofOther = ofAnother.replace(/"ledgerId":\s*"[^"]*"/, '"ledgerId":""')

it.each<[string, Record<string, string>, string | null, typeof NEXT?]>([
  ['not where it is what would be written', { 'refused.csv': 'the next one' }, null],
  ['where another had that text', { 'refused.csv': 'written', 'manifest.json': ofOther }, 'refused.csv'],
  ['where it is of another ledger', { 'manifest.json': ofAnother }, 'manifest.json'],
  ...['', 'null', '{"schemaVersion":2,"ledgerId":"x","files":[]}'].map(
    (text): [string, Record<string, string>, string] => [
      `with a manifest that is none of ours: ${text}`,
      { 'manifest.json': text },
      'manifest.json',
    ],
  ),
  ['not where it is not to go', { 'verification.csv': 'Written' }, null],
  ['where the note is about another', { 'problems.csv': 'edited', [NOTE]: note }, 'problems.csv', list],
])('a result file is kept %s', async (_, files, kept, next = NEXT) => {
  expect(await keptFile(folderWith(files), next, { stale: [], ledgerId: '' })).toBe(kept)
})

it('the newest lists are those with the highest number, and only they are looked for there', () => {
  const out = freshFolder()
  expect(pathInPack(out, 'to-do/refused.csv')).toBe(join(out, 'to-do', 'refused.csv'))
  for (const name of ['to-do', 'to-do-2', 'to-do-10', 'to-do-x', 'to-do-1']) mkdirSync(join(out, name))
  expect(pathInPack(out, 'to-do/refused.csv')).toBe(join(out, 'to-do-10', 'refused.csv'))
  expect(pathInPack(out, 'registered.csv')).toBe(join(out, 'registered.csv'))
})

it('a pack is of the ledger as it is where ledger and moment are those of its manifest', () => {
  const of = (changedAt: string): string => JSON.stringify({ ...JSON.parse(manifestOf()), changedAt })
  const out = folderWith({ 'manifest.json': of('2025'), 'report-2/manifest.json': of('2026') })
  expect(findPack([out], { ledgerId: 'x', changedAt: '2026' })).toBe(join(out, 'report-2'))
  expect(findPack([out], { ledgerId: 'y', changedAt: '2026' })).toBeNull()
})

describe('result files that hold something of persons', () => {
  const names = (paths: readonly string[]): string[] => paths.map((path) => basename(path)).sort()

  it('are all files of a pack but its signature, each under what it holds', () => {
    const folder = fill(freshFolder(), ...PACK_NAMES, ...TO_DO_NAMES)
    const { cells, values, references } = findResultFiles([folder])
    expect(names(cells)).toEqual(names(TO_DO_NAMES).filter((name) => name !== 'to-cancel.csv'))
    const signed = ['manifest.json', 'reconciliation.xlsx', 'report.html', 'summary.json']
    expect(names(values)).toEqual(['decisions.csv', 'problems.csv', ...signed].toSorted())
    expect(names(references)).toEqual(['registered.csv', 'to-cancel.csv', 'verification.csv'])
    // But for the signature.
    expect(cells.length + values.length + references.length + 1).toBe(PACK_NAMES.length + TO_DO_NAMES.length)
  })

  it('are found below, under the names that people and browsers give to copies, and once where folders overlap', () => {
    const copies = ['corrections-mended.csv', 'in-doubt (1).csv', 'not-sent-2.csv']
    const folder = fill(freshFolder(), 'report-2/to-do-3/refused.csv', ...copies)
    const { cells } = findResultFiles([folder, join(folder, 'report-2'), folder])
    expect(names(cells)).toEqual([...copies, 'refused.csv'])
  })

  it('are not exports, folders or links of such a name, and none in a folder that is not there', () => {
    const folder = fill(freshFolder(), 'export.csv', 'my-refused.csv', 'refused.csv.bak')
    mkdirSync(join(folder, 'refused.csv'))
    symlinkSync('/etc/hostname', join(folder, 'not-sent.csv'))
    const nothing = { cells: [], values: [], references: [], unread: [] }
    expect(findResultFiles([folder, '/nowhere/at/all'])).toEqual(nothing)
  })
})

describe('what a killed report left', () => {
  it('is removed with its cells where it names this ledger; of another, or of none, it is told', () => {
    const folder = fill(freshFolder(), '.sepa-migrate-report-notes')
    const lefts = ['ours', 'theirs', 'unmarked'].map((name) =>
      join(folder, 'report-2', `.sepa-migrate-report-${name}`),
    )
    const [ours = '', ...others] = lefts.map((left) => fill(left, 'refused.csv'))
    writeFileSync(join(ours, 'ledger'), 'L-1\n')
    writeFileSync(join(others[0]!, 'ledger'), 'L-2\n')
    expect(removeLeftovers([folder], 'L-1')).toEqual({ removed: [ours], left: others })
    expect(lefts.map((left) => existsSync(left))).toEqual([false, true, true])
    expect(existsSync(join(folder, '.sepa-migrate-report-notes'))).toBe(true)
  })

  it('is not looked for behind a link', () => {
    const [folder, link] = [freshFolder(), join(freshFolder(), 'link')]
    const left = join(folder, '.sepa-migrate-report-ours')
    folderWith({ 'refused.csv': '', ledger: 'L-1\n' }, left)
    symlinkSync(folder, link)
    expect(removeLeftovers([link], 'L-1')).toEqual({ removed: [], left: [] })
    expect(existsSync(left)).toBe(true)
  })
})
