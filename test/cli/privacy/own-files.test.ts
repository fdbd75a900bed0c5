import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TO_DO_FILES, writeReport } from '../../../src/report/pack/pack.js'
import { admit, open } from '../../ledger/campaign-setup.js'
import { look } from '../../ledger/ledger-views.js'
import { freshFolder } from '../../support/folder.js'
import { removeOwn, type Owner } from '../../../src/cli/privacy/remains.js'

const LISTS = [...TO_DO_FILES, 'problems.csv', 'decisions.csv']

/** A campaign with one row to correct, and its report. */
async function campaign(out: string | null = null): Promise<{ owner: Owner; out: string }> {
  const ledger = open()
  admit(ledger, [{ reference: 'M-1' }, { reference: 'M-2', customerNo: 2, verdict: 'invalid' }], {
    sha256: '1'.repeat(64),
  })
  const folder = out ?? join(dirname(ledger.file), 'pack')
  await writeReport(ledger.file, { out: folder })
  const owner = { ledger: ledger.file, campaign: look(ledger.file, (view) => view.campaign()) }
  return { owner, out: folder }
}

const inFolder = (folder: string, names: readonly string[] = LISTS): string[] =>
  names.map((name) => join(folder, name))

describe('26.3 what a purge may delete', () => {
  it('is what the manifest or the note of a report of this ledger names, byte for byte', async () => {
    const { owner, out } = await campaign()
    expect(await removeOwn(inFolder(out), owner)).toEqual({ removed: inFolder(out), left: [] })
    expect([...inFolder(out), join(out, 'to-do')].filter((path) => existsSync(path))).toEqual([])
  })

  it('is not the report of another campaign, whatever its files are called', async () => {
    const [{ owner }, other] = [await campaign(), await campaign()]
    const { removed, left } = await removeOwn(inFolder(other.out), owner)
    expect(removed).toEqual([])
    expect(left.map(({ file }) => file)).toEqual(inFolder(other.out))
    expect(new Set(left.map(({ why }) => why))).toEqual(new Set(['it lies in the report of another ledger']))
    expect(inFolder(other.out).filter((path) => !existsSync(path))).toEqual([])
  })

  it('is a list that somebody filled in or renamed, by the mark in each of its lines', async () => {
    const { owner, out } = await campaign()
    const list = join(out, 'to-do', 'corrections.csv')
    writeFileSync(list, readFileSync(list, 'utf8').replace('M-2', 'M-2-mended'))
    const renamed = join(out, 'to-do', 'not-sent (1).csv')
    renameSync(join(out, 'to-do', 'not-sent.csv'), renamed)
    expect((await removeOwn([list, renamed], owner)).removed).toEqual([list, renamed])
  })

  it('is no list made by hand, none with a line without a mark, and none of another ledger', async () => {
    const [{ owner, out }, other] = [await campaign(), await campaign()]
    const byHand = join(freshFolder(), 'refused.csv')
    writeFileSync(byHand, 'customer_no,note\n1,called twice\n')
    const mixed = join(out, 'to-do', 'corrections.csv')
    const text = readFileSync(mixed, 'utf8')
    const [, line = ''] = text.split('\n')
    writeFileSync(mixed, `${text}${line.replace(/L-[0-9a-z-]+/i, '')}\n`)
    const theirs = join(freshFolder(), 'corrections.csv')
    writeFileSync(theirs, readFileSync(join(other.out, 'to-do', 'corrections.csv')))
    const files = [byHand, mixed, theirs]
    const { removed, left } = await removeOwn(files, owner)
    expect(removed).toEqual([])
    expect(left.map(({ why }) => why.slice(0, 46))).toEqual(
      files.map(() => 'nothing proves that it is of this ledger: no m'),
    )
  })

  it('is nothing behind a link: neither the file nor its folder', async () => {
    const { owner, out } = await campaign()
    const elsewhere = freshFolder()
    renameSync(out, join(elsewhere, 'pack'))
    symlinkSync(join(elsewhere, 'pack'), out)
    mkdirSync(join(elsewhere, 'links'))
    const link = join(elsewhere, 'links', 'refused.csv')
    symlinkSync(join(elsewhere, 'pack', 'to-do', 'refused.csv'), link)
    const { removed, left } = await removeOwn([join(out, 'to-do', 'refused.csv'), link], owner)
    expect(removed).toEqual([])
    expect(left.map(({ why }) => why)).toEqual([
      'its folder is reached by a link',
      'it cannot be opened, or is a link',
    ])
    expect(existsSync(join(elsewhere, 'pack', 'to-do', 'refused.csv'))).toBe(true)
  })

  it('is no pipe, which would hold it up, and the other name of a file stays', async () => {
    const { owner, out } = await campaign()
    const second = join(freshFolder(), 'kept.csv')
    linkSync(join(out, 'to-do', 'refused.csv'), second)
    expect((await removeOwn([join(out, 'to-do', 'refused.csv')], owner)).removed).toHaveLength(1)
    expect(existsSync(second)).toBe(true)
    mkdirSync(join(out, 'to-do', 'refused.csv'))
    expect((await removeOwn([join(out, 'to-do', 'refused.csv')], owner)).left[0]?.why).toBe(
      'it is not a regular file',
    )
  })
})
