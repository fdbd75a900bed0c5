import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  freeFolder,
  isOneLedger,
  isWorkedIn,
  keptFiles,
  leftNumbered,
  numberedNames,
  pathInPack,
  plainName,
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
    expect(await keptFiles(freshFolder(), NEXT)).toEqual([])
  })

  it('where the manifest proves that it is as this program wrote it', async () => {
    const written = manifestOf(fileOf('refused.csv', 'written'))
    expect(await keptFiles(folderWith({ 'refused.csv': 'written', 'manifest.json': written }), NEXT)).toEqual(
      [],
    )
  })

  it('where it is what would be written', async () => {
    expect(await keptFiles(folderWith({ 'refused.csv': 'the next one' }), NEXT)).toEqual([])
  })

  it('where a report that was killed while it gave the files their names says so', async () => {
    const folder = folderWith({ 'refused.csv': 'written' })
    mkdirSync(join(folder, `${WORKSHOP_PREFIX}abc`))
    writeFileSync(
      join(folder, `${WORKSHOP_PREFIX}abc`, 'manifest.json'),
      manifestOf(fileOf('refused.csv', 'written')),
    )
    expect(await keptFiles(folder, NEXT)).toEqual([])
  })
})

describe('a result file is kept', () => {
  it('where a person changed one letter of it', async () => {
    const written = manifestOf(fileOf('refused.csv', 'written'))
    expect(await keptFiles(folderWith({ 'refused.csv': 'Written', 'manifest.json': written }), NEXT)).toEqual(
      ['refused.csv'],
    )
  })

  it('where the manifest speaks of that text under another name', async () => {
    const written = manifestOf(fileOf('registered.csv', 'written'))
    expect(await keptFiles(folderWith({ 'refused.csv': 'written', 'manifest.json': written }), NEXT)).toEqual(
      ['refused.csv'],
    )
  })

  it.each(['', 'null', '{}', '{"schemaVersion":2,"ledgerId":"x","files":[]}'])(
    'with a manifest.json that is none of ours: %s',
    async (manifest) => {
      expect(await keptFiles(folderWith({ 'manifest.json': manifest }), NEXT)).toEqual(['manifest.json'])
    },
  )

  it('where its name is to go, and it is not as a report wrote it', async () => {
    const written = manifestOf(fileOf('verification.csv', 'written'))
    const holding = (text: string) => folderWith({ 'verification.csv': text, 'manifest.json': written })
    expect(await keptFiles(holding('written'), NEXT, ['verification.csv'])).toEqual([])
    expect(await keptFiles(holding('Written'), NEXT, ['verification.csv'])).toEqual(['verification.csv'])
    expect(await keptFiles(holding('Written'), NEXT)).toEqual([])
  })

  it('where it is a link', async () => {
    const folder = freshFolder()
    symlinkSync('/etc/hostname', join(folder, 'refused.csv'))
    expect(await keptFiles(folder, NEXT)).toEqual(['refused.csv'])
  })
})

describe('the problem list of a check', () => {
  const next = [fileOf('problems.csv', 'next'), fileOf(PROBLEMS_NOTE, 'x')]
  const sha256 = fileOf('', 'listed').sha256

  it('may be replaced as long as its note is about it', async () => {
    expect(
      await keptFiles(folderWith({ 'problems.csv': 'listed', [PROBLEMS_NOTE]: problemsNote(sha256) }), next),
    ).toEqual([])
    expect(
      await keptFiles(folderWith({ 'problems.csv': 'edited', [PROBLEMS_NOTE]: problemsNote(sha256) }), next),
    ).toEqual(['problems.csv'])
  })

  it('a note that only looks like one proves nothing', async () => {
    const note = `${sha256}  other.csv\n`
    expect(await keptFiles(folderWith({ 'problems.csv': 'listed', [PROBLEMS_NOTE]: note }), next)).toEqual([
      'problems.csv',
      PROBLEMS_NOTE,
    ])
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

describe('a file that somebody works in', () => {
  const manifest = manifestOf(fileOf('in-doubt.csv', 'written'), fileOf('in-doubt-2.csv', 'written too'))
  const folder = (files: Readonly<Record<string, string>>) =>
    folderWith({ 'manifest.json': manifest, ...files })

  it('is one of four, numbered or not', () => {
    expect(['refused.csv', 'corrections-2.csv', 'in-doubt-17.csv', 'not-sent.csv'].every(isWorkedIn)).toBe(
      true,
    )
    expect(['registered.csv', 'problems-2.csv', 'in-doubt (1).csv', 'my-refused.csv'].some(isWorkedIn)).toBe(
      false,
    )
    expect(['in-doubt-17.csv', 'in-doubt.csv', 'report.html'].map(plainName)).toEqual([
      'in-doubt.csv',
      'in-doubt.csv',
      'report.html',
    ])
  })

  it.each([
    ['2', {}],
    ['2', { 'in-doubt-2.csv': 'written too' }],
    ['3', { 'in-doubt-2.csv': 'filled in as well' }],
    ['4', { 'in-doubt-2.csv': 'filled in as well', 'in-doubt-3.csv': 'mine' }],
  ])('gets company under the number %s beside %j', async (number, others) => {
    const at = folder({ 'in-doubt.csv': 'filled in', ...others })
    expect(await numberedNames(at, ['in-doubt.csv'])).toEqual(
      new Map([['in-doubt.csv', `in-doubt-${number}.csv`]]),
    )
  })

  it('gets none in a folder without a pack of ours', async () => {
    expect(await numberedNames(folderWith({ 'in-doubt.csv': 'filled in' }), ['in-doubt.csv'])).toBeNull()
  })

  it('leaves its number behind, to be removed where it is as it was written', async () => {
    expect(await leftNumbered(folder({ 'in-doubt-2.csv': 'written too' }), NEXT)).toEqual(['in-doubt-2.csv'])
    expect(await leftNumbered(folder({ 'in-doubt-2.csv': 'filled in' }), NEXT)).toEqual([])
    const list = [fileOf('problems.csv', 'of a check')]
    expect(await leftNumbered(folder({ 'in-doubt-2.csv': 'written too' }), list)).toEqual([])
    expect(await leftNumbered(folder({ 'in-doubt.csv': 'written' }), NEXT)).toEqual([])
  })

  it('is found under its number', () => {
    const at = folderWith({
      'manifest.json': manifestOf(fileOf('in-doubt-2.csv', 'x'), fileOf('refused.csv', 'y')),
    })
    expect(pathInPack(at, 'in-doubt.csv')).toBe(join(at, 'in-doubt-2.csv'))
    expect(pathInPack(at, 'refused.csv')).toBe(join(at, 'refused.csv'))
    expect(pathInPack('/nowhere', 'refused.csv')).toBe('/nowhere/refused.csv')
  })
})

it('two packs are of one ledger where both manifests say so', () => {
  const [one, other] = [
    folderWith({ 'manifest.json': manifestOf() }),
    folderWith({ 'manifest.json': manifestOf() }),
  ]
  expect(isOneLedger(one, other)).toBe(true)
  writeFileSync(join(other, 'manifest.json'), manifestOf().replace('"x"', '"y"'))
  expect(isOneLedger(one, other)).toBe(false)
  expect(isOneLedger('/nowhere', '/nowhere')).toBe(false)
})
