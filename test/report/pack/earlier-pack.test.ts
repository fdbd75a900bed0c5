import { createHash } from 'node:crypto'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  findPack,
  keptFile,
  NOTE,
  noteText,
  pathInPack,
  WORKSHOP_PREFIX,
} from '../../../src/report/pack/earlier-pack.js'
import { freshFolder } from '../../support/folder.js'

const fileOf = (name: string, text: string) => ({
  name,
  bytes: text.length,
  sha256: createHash('sha256').update(text).digest('hex'),
})
const NEXT = [fileOf('refused.csv', 'the next one'), fileOf('manifest.json', 'the next manifest')]

const manifestOf = (...files: readonly { name: string; sha256: string }[]): string =>
  JSON.stringify({ schemaVersion: 1, ledgerId: 'x', files })

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = freshFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

describe('a result file may be replaced', () => {
  it('where there is none', async () => {
    expect(await keptFile(freshFolder(), NEXT)).toBeNull()
  })

  it('where the manifest proves that it is as this program wrote it', async () => {
    const written = manifestOf(fileOf('refused.csv', 'written'))
    expect(
      await keptFile(folderWith({ 'refused.csv': 'written', 'manifest.json': written }), NEXT),
    ).toBeNull()
  })

  it('where it is what would be written', async () => {
    expect(await keptFile(folderWith({ 'refused.csv': 'the next one' }), NEXT)).toBeNull()
  })

  it('where a report that was killed while it gave the files their names says so', async () => {
    const folder = folderWith({ 'refused.csv': 'written' })
    mkdirSync(join(folder, `${WORKSHOP_PREFIX}abc`))
    writeFileSync(
      join(folder, `${WORKSHOP_PREFIX}abc`, 'manifest.json'),
      manifestOf(fileOf('refused.csv', 'written')),
    )
    expect(await keptFile(folder, NEXT)).toBeNull()
  })
})

describe('a result file is kept', () => {
  it('where a person changed one letter of it', async () => {
    const written = manifestOf(fileOf('refused.csv', 'written'))
    expect(await keptFile(folderWith({ 'refused.csv': 'Written', 'manifest.json': written }), NEXT)).toBe(
      'refused.csv',
    )
  })

  it('where the manifest speaks of that text under another name', async () => {
    const written = manifestOf(fileOf('registered.csv', 'written'))
    expect(await keptFile(folderWith({ 'refused.csv': 'written', 'manifest.json': written }), NEXT)).toBe(
      'refused.csv',
    )
  })

  it.each(['', 'null', '{}', '{"schemaVersion":2,"ledgerId":"x","files":[]}'])(
    'with a manifest.json that is none of ours: %s',
    async (manifest) => {
      expect(await keptFile(folderWith({ 'manifest.json': manifest }), NEXT)).toBe('manifest.json')
    },
  )

  it('where its name is to go, and it is not as a report wrote it', async () => {
    const written = manifestOf(fileOf('verification.csv', 'written'))
    const holding = (text: string) => folderWith({ 'verification.csv': text, 'manifest.json': written })
    expect(await keptFile(holding('written'), NEXT, ['verification.csv'])).toBeNull()
    expect(await keptFile(holding('Written'), NEXT, ['verification.csv'])).toBe('verification.csv')
    expect(await keptFile(holding('Written'), NEXT)).toBeNull()
  })

  it('where it is a link', async () => {
    const folder = freshFolder()
    symlinkSync('/etc/hostname', join(folder, 'refused.csv'))
    expect(await keptFile(folder, NEXT)).toBe('refused.csv')
  })
})

describe('what lies beside a note', () => {
  const next = [fileOf('problems.csv', 'next'), fileOf(NOTE, 'x')]
  const note = noteText('', [fileOf('problems.csv', 'listed')])

  it('may be replaced as long as the note is about it', async () => {
    const holding = (text: string) => folderWith({ 'problems.csv': text, [NOTE]: note })
    expect(await keptFile(holding('listed'), next)).toBeNull()
    expect(await keptFile(holding('edited'), next)).toBe('problems.csv')
  })

  it('is proven by no note that only looks like one', async () => {
    const other = folderWith({ 'problems.csv': 'listed', [NOTE]: note.replace('files', 'names') })
    expect(await keptFile(other, next)).toBe('problems.csv')
  })
})

describe('the newest lists', () => {
  it('are those with the highest number, and only they are looked for there', () => {
    const out = freshFolder()
    expect(pathInPack(out, 'to-do/refused.csv')).toBe(join(out, 'to-do', 'refused.csv'))
    for (const name of ['to-do', 'to-do-2', 'to-do-10', 'to-do-x', 'to-do-1']) mkdirSync(join(out, name))
    expect(pathInPack(out, 'to-do/refused.csv')).toBe(join(out, 'to-do-10', 'refused.csv'))
    expect(pathInPack(out, 'registered.csv')).toBe(join(out, 'registered.csv'))
  })
})

it('a pack is of the ledger as it is where ledger and moment are those of its manifest', () => {
  const manifest = { schemaVersion: 1, ledgerId: 'x', changedAt: '2026', files: [] }
  const out = folderWith({ 'manifest.json': JSON.stringify({ ...manifest, changedAt: '2025' }) })
  mkdirSync(join(out, 'report-2'))
  writeFileSync(join(out, 'report-2', 'manifest.json'), JSON.stringify(manifest))
  expect(findPack([out], { ledgerId: 'x', changedAt: '2026' })).toBe(join(out, 'report-2'))
  expect(findPack([out], { ledgerId: 'y', changedAt: '2026' })).toBeNull()
})
