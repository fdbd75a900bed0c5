import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  freeFolder,
  keptFile,
  problemsNote,
  PROBLEMS_NOTE,
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

describe('the problem list of a check', () => {
  const next = [fileOf('problems.csv', 'next'), fileOf(PROBLEMS_NOTE, 'x')]
  const sha256 = fileOf('', 'listed').sha256

  it('may be replaced as long as its note is about it', async () => {
    expect(
      await keptFile(folderWith({ 'problems.csv': 'listed', [PROBLEMS_NOTE]: problemsNote(sha256) }), next),
    ).toBeNull()
    expect(
      await keptFile(folderWith({ 'problems.csv': 'edited', [PROBLEMS_NOTE]: problemsNote(sha256) }), next),
    ).toBe('problems.csv')
  })

  it('a note that only looks like one proves nothing', async () => {
    const note = `${sha256}  other.csv\n`
    expect(await keptFile(folderWith({ 'problems.csv': 'listed', [PROBLEMS_NOTE]: note }), next)).toBe(
      'problems.csv',
    )
  })
})

describe('the folder beside', () => {
  it('is the first in which nothing stands in the way', async () => {
    const out = folderWith({ 'report-2': 'a file of that name' })
    mkdirSync(join(out, 'report-3'))
    writeFileSync(join(out, 'report-3', 'refused.csv'), 'filled in')
    mkdirSync(join(out, 'report-4'))
    writeFileSync(join(out, 'report-4', 'notes.txt'), 'something else')
    expect(await freeFolder(out, NEXT)).toBe(join(out, 'report-4'))
    writeFileSync(join(out, 'report-4', 'refused.csv'), 'filled in')
    expect(await freeFolder(out, NEXT)).toBe(join(out, 'report-5'))
    expect(readdirSync(join(out, 'report-5'))).toEqual([])
  })
})
