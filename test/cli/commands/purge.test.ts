import { expect, it, describe } from 'vitest'
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
import { commands, main, noLog } from '../../../src/cli/main.js'
import { setAside } from '../../../src/report/pack/pack-folder.js'
import { validExport } from '../../support/export.js'
import { placeForEach } from '../../support/place.js'
import { inReport } from '../../support/program.js'
import { answering, worldOf } from '../world.js'
import { contextOf, type Context } from '../../../src/cli/command.js'
import { noteOutputs } from '../../../src/cli/closing.js'
import { listsIn, remainLines, remainsOf, removeOwn } from '../../../src/cli/commands/purge.js'
import { noConfiguration, readSettings } from '../../../src/cli/settings/settings.js'
import { wordsOf, lineProgress } from '../../../src/cli/terminal/world.js'
import { TO_DO_FILES, writeReport } from '../../../src/report/pack/pack.js'
import { admit, freshFile, open } from '../../ledger/campaign-setup.js'
import { look } from '../../ledger/ledger-views.js'
import { freshFolder } from '../../support/folder.js'

const OWNER = { ledgerId: 'of-this-ledger' }

function contextFor(ledger: string, flags: Readonly<Record<string, string>> = {}): Context {
  const world = worldOf()
  const settings = readSettings({ ledger, ...flags }, world, noConfiguration)
  const progress = lineProgress(world, () => undefined)
  return contextOf({ world, settings, args: [], own: {}, progress, log: noLog })
}

describe('what a campaign left beside its ledger', () => {
  function campaign(): { ledger: string; elsewhere: string; log: string } {
    const ledger = open().file
    const [elsewhere, log] = [freshFolder(), join(freshFolder(), 'run.log')]
    noteOutputs(contextFor(ledger, { logFile: log }), elsewhere)
    for (const name of ['refused.csv', 'problems.csv', 'report.html', 'registered.csv'])
      writeFileSync(join(elsewhere, name), '')
    writeFileSync(log, '')
    return { ledger, elsewhere, log }
  }

  it('is found where its commands wrote it, though this one names another folder', () => {
    const { ledger, elsewhere, log } = campaign()
    expect(remainsOf(contextFor(ledger, { out: freshFolder() }), OWNER)).toMatchObject({
      cells: [join(elsewhere, 'refused.csv')],
      values: [join(elsewhere, 'problems.csv'), join(elsewhere, 'report.html')],
      references: [join(elsewhere, 'registered.csv')],
      logs: [log],
      removed: [],
    })
  })

  it('is found beside the ledger without any note, and a log that is gone is none', () => {
    const ledger = open().file
    noteOutputs(contextFor(ledger, { logFile: join(freshFolder(), 'gone.log') }), null)
    const list = join(dirname(ledger), 'in-doubt.csv')
    writeFileSync(list, '')
    expect(remainsOf(contextFor(ledger), OWNER)).toMatchObject({ cells: [list], logs: [] })
  })

  it('is told while it is written where it cannot be noted, since a purge would not name it', () => {
    const ledger = open().file
    mkdirSync(`${ledger}.files.jsonl`)
    const notes: string[] = []
    const progress = lineProgress(worldOf(), (line) => void notes.push(wordsOf(line)))
    noteOutputs({ ...contextFor(ledger, { logFile: '/elsewhere/run.log' }), progress }, '/elsewhere/reports')
    const told = (name: string): string =>
      `Cannot note beside the ledger that this command writes to "/elsewhere/${name}": purge will not name it, so remember it`
    expect(notes).toEqual(['run.log', 'reports'].map(told))
  })

  it('is not called nothing where a folder cannot be looked into', () => {
    const ledger = open().file
    const loop = join(freshFolder(), 'reports')
    symlinkSync(loop, loop)
    noteOutputs(contextFor(ledger), loop)
    const remains = remainsOf(contextFor(ledger), OWNER)
    expect(remains.unread).toEqual([loop])
    expect(remainLines(ledger, remains).join('\n')).toMatch(/reports\n +CANNOT BE LOOKED INTO/)
  })

  it('is not noted beside a ledger that does not exist', () => {
    const ledger = freshFile()
    noteOutputs(contextFor(ledger), '/reports')
    expect(existsSync(`${ledger}.files.jsonl`)).toBe(false)
  })

  it('is named file by file by the closing statement, which says what it cannot know', () => {
    const { ledger, elsewhere } = campaign()
    const text = remainLines(ledger, remainsOf(contextFor(ledger), OWNER)).join('\n')
    const told = [ledger, join(elsewhere, 'refused.csv'), 'ORIGINAL CELLS', 'Not known to this ledger: your']
    for (const words of told) expect(text).toContain(words)
    const none = remainsOf(contextFor(open().file), OWNER)
    expect(remainLines(ledger, none).join('\n')).not.toContain('ORIGINAL CELLS')
  })

  it('is removed only where it is proven to be of this ledger, and the rest is told', async () => {
    const { ledger, elsewhere } = campaign()
    const owner = { ledger, campaign: look(ledger, (view) => view.campaign()) }
    const { removed, left } = await removeOwn(listsIn(remainsOf(contextFor(ledger), OWNER)), owner)
    const files = ['refused.csv', 'problems.csv'].map((name) => join(elsewhere, name))
    expect([removed, left.map(({ file }) => file)]).toEqual([[], files])
  })
})

describe('what a purge may delete', () => {
  /** A campaign with one row to correct, and its report: how it removes files, and where they are. */
  async function campaign() {
    const ledger = open()
    const invalid = { reference: 'M-2', customerNo: 2, verdict: 'invalid' } as const
    admit(ledger, [{ reference: 'M-1' }, invalid], { sha256: '1'.repeat(64) })
    const out = join(dirname(ledger.file), 'pack')
    await writeReport(ledger.file, { out })
    const owner = { ledger: ledger.file, campaign: look(ledger.file, (view) => view.campaign()) }
    const remove = async (...files: string[]) => {
      const { removed, left } = await removeOwn(files, owner)
      return { removed, left: left.map(({ file }) => file), why: left.map(({ why }) => why) }
    }
    const lists = [...TO_DO_FILES, 'problems.csv', 'decisions.csv'].map((name) => join(out, name))
    return { out, lists, remove, list: (name: string) => join(out, 'to-do', name) }
  }

  it('is what the manifest or the note of a report of this ledger names, byte for byte', async () => {
    const { lists, remove } = await campaign()
    expect(await remove(...lists)).toEqual({ removed: lists, left: [], why: [] })
    expect(lists.filter((path) => existsSync(path))).toEqual([])
  })

  it('is not the report of another campaign, whatever its files are called', async () => {
    const [{ remove }, { lists }] = [await campaign(), await campaign()]
    const why = lists.map(() => 'it lies in the report of another ledger')
    expect(await remove(...lists)).toEqual({ removed: [], left: lists, why })
    expect(lists.filter((path) => !existsSync(path))).toEqual([])
  })

  it('is a list that somebody filled in or renamed, by the mark in each of its lines', async () => {
    const { list, remove } = await campaign()
    const [filled, renamed] = [list('corrections.csv'), list('not-sent (1).csv')]
    writeFileSync(filled, readFileSync(filled, 'utf8').replace('M-2', 'M-2-mended'))
    renameSync(list('not-sent.csv'), renamed)
    expect((await remove(filled, renamed)).removed).toEqual([filled, renamed])
  })

  it('is no list made by hand, none with a line without a mark, and none of another ledger', async () => {
    const [{ list, remove }, other] = [await campaign(), await campaign()]
    const [byHand, mixed] = [join(freshFolder(), 'refused.csv'), list('corrections.csv')]
    const theirs = join(freshFolder(), 'corrections.csv')
    writeFileSync(byHand, 'customer_no,note\n1,called twice\n')
    const text = readFileSync(mixed, 'utf8')
    writeFileSync(mixed, `${text}${(text.split('\n')[1] ?? '').replace(/L-[0-9a-z-]+/i, '')}\n`)
    writeFileSync(theirs, readFileSync(other.list('corrections.csv')))
    const why = expect.stringMatching(/^nothing proves that it is of this ledger: no m/) as string
    const left = [byHand, mixed, theirs]
    expect(await remove(...left)).toEqual({ removed: [], left, why: [why, why, why] })
  })

  it('is nothing behind a link: neither the file nor its folder', async () => {
    const { out, list, remove } = await campaign()
    const elsewhere = freshFolder()
    renameSync(out, join(elsewhere, 'pack'))
    symlinkSync(join(elsewhere, 'pack'), out)
    mkdirSync(join(elsewhere, 'links'))
    const [kept, link] = [join(elsewhere, 'pack/to-do/refused.csv'), join(elsewhere, 'links/refused.csv')]
    symlinkSync(kept, link)
    const { removed, why } = await remove(list('refused.csv'), link)
    expect([removed, existsSync(kept)]).toEqual([[], true])
    expect(why).toEqual(['its folder is reached by a link', 'it cannot be opened, or is a link'])
  })

  it('is no pipe, which would hold it up, and the other name of a file stays', async () => {
    const { list, remove } = await campaign()
    const [file, second] = [list('refused.csv'), join(freshFolder(), 'kept.csv')]
    linkSync(file, second)
    expect((await remove(file)).removed).toEqual([file])
    expect(existsSync(second)).toBe(true)
    mkdirSync(file)
    expect((await remove(file)).why).toEqual(['it is not a regular file'])
  })
})

describe('a purge', () => {
  const { path, write, program, totals } = placeForEach({ rows: 2, ownState: true, sandbox: {} })

  it.each([
    [['--with-open-rows'], 'These files stay (--remove-files deletes them):', 'no'],
    [['--with-open-rows', '--remove-files'], 'These files, where they are of this ledger:', 'Purge'],
  ])('shows what goes (%j), and another word removes nothing', async (flags, files, word) => {
    write('export.csv', `${validExport(2)}3,DE00,2024-01-01,DE98ZZZ09999999999,M-3\n`)
    await program('run', 'export.csv')
    setAside(path(inReport('corrections.csv')))
    const terminal = answering([['Type "purge"', `${word}\r`]])
    const typed = ['purge', '--ledger', path('sepa-migrate.db'), ...flags]
    expect(await main(typed, commands, terminal.world)).toBe(2)
    const shown = terminal.shown().replaceAll(/\s+/g, ' ')
    const [before = ''] = shown.split('Type "purge"')
    expect(before).toContain('account numbers, original cells, quoted values and words of 3 rows')
    expect(before).toContain(files)
    expect(before).toContain('to-do/done/corrections.csv')
    expect(shown).toContain('nothing was removed')
    expect(totals()).toMatchObject({ invalid: 1 })
    expect((await program('customer', 'show', '3')).stdout).not.toContain('not held any more')
  })
})
