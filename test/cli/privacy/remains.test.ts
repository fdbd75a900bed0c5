import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Context } from '../../../src/cli/command.js'
import { noteOutputs, remainLines, remainsOf, removeLists } from '../../../src/cli/privacy/remains.js'
import { noConfiguration } from '../../../src/cli/settings/configuration.js'
import { readSettings } from '../../../src/cli/settings/settings.js'
import { freshFile, open } from '../../ledger/campaign-setup.js'
import { look } from '../../ledger/ledger-views.js'
import { freshFolder } from '../../support/folder.js'
import { worldOf } from '../world.js'
import { type Line, wordsOf } from '../../../src/cli/terminal/world.js'
import { noLog, silentProgress } from '../../../src/cli/main.js'
const MARK = 'L-of-this-ledger'

function contextOf(ledger: string, flags: Readonly<Record<string, string>> = {}): Context {
  const world = worldOf()
  const settings = readSettings({ ledger, ...flags }, world, noConfiguration)
  return { world, settings, args: [], own: {}, progress: silentProgress, log: noLog }
}

function campaign(): { ledger: string; elsewhere: string; log: string } {
  const ledger = open().file
  const [elsewhere, logs] = [freshFolder(), freshFolder()]
  const log = join(logs, 'run.log')
  noteOutputs(contextOf(ledger, { logFile: log }), elsewhere)
  writeFileSync(log, '')
  for (const name of ['refused.csv', 'problems.csv', 'report.html', 'registered.csv'])
    writeFileSync(join(elsewhere, name), '')
  return { ledger, elsewhere, log }
}

describe('what a campaign left beside its ledger', () => {
  it('is found where its commands wrote it, though this one names another folder', () => {
    const { ledger, elsewhere, log } = campaign()
    const remains = remainsOf(contextOf(ledger, { out: freshFolder() }), MARK)
    expect(remains).toMatchObject({
      cells: [join(elsewhere, 'refused.csv')],
      values: [join(elsewhere, 'problems.csv'), join(elsewhere, 'report.html')],
      references: [join(elsewhere, 'registered.csv')],
      logs: [log],
      removed: [],
    })
  })

  it('is found beside the ledger without any note, and a log that is gone is none', () => {
    const ledger = open().file
    noteOutputs(contextOf(ledger, { logFile: join(freshFolder(), 'gone.log') }), null)
    writeFileSync(join(dirname(ledger), 'in-doubt.csv'), '')
    expect(remainsOf(contextOf(ledger), MARK)).toMatchObject({
      cells: [join(dirname(ledger), 'in-doubt.csv')],
      logs: [],
    })
  })

  it('is told while it is written where it cannot be noted, since a purge would not name it', () => {
    const ledger = open().file
    mkdirSync(`${ledger}.files.jsonl`)
    const notes: string[] = []
    const context = contextOf(ledger, { logFile: '/elsewhere/run.log' })
    const progress = { ...silentProgress, note: (line: Line) => void notes.push(wordsOf(line)) }
    noteOutputs({ ...context, progress }, '/elsewhere/reports')
    expect(notes).toEqual(
      ['run.log', 'reports'].map(
        (name) =>
          `Cannot note beside the ledger that this command writes to "/elsewhere/${name}": purge will not name it, so remember it`,
      ),
    )
  })

  it('is not called nothing where a folder cannot be looked into', () => {
    const ledger = open().file
    const loop = join(freshFolder(), 'reports')
    symlinkSync(loop, loop)
    noteOutputs(contextOf(ledger), loop)
    const remains = remainsOf(contextOf(ledger), MARK)
    expect(remains.unread).toEqual([loop])
    expect(remainLines(ledger, remains).join('\n')).toMatch(/reports\n +CANNOT BE LOOKED INTO/)
  })

  it('nothing is noted beside a ledger that does not exist', () => {
    const ledger = freshFile()
    noteOutputs(contextOf(ledger), '/reports')
    expect(existsSync(`${ledger}.files.jsonl`)).toBe(false)
  })
})

describe('--remove-files', () => {
  it('26.3 takes nothing that is not proven to be of this ledger, and says what it left', async () => {
    const { ledger, elsewhere } = campaign()
    const owner = { ledger, campaign: look(ledger, (view) => view.campaign()) }
    const { removed, left } = await removeLists(remainsOf(contextOf(ledger), MARK), owner)
    expect(removed).toEqual([])
    expect(left.map(({ file }) => file)).toEqual(
      ['refused.csv', 'problems.csv'].map((name) => join(elsewhere, name)),
    )
  })
})

it('the closing statement names each file, and says what it cannot know', () => {
  const { ledger, elsewhere } = campaign()
  const text = remainLines(ledger, remainsOf(contextOf(ledger), MARK)).join('\n')
  for (const path of [ledger, join(elsewhere, 'refused.csv')]) expect(text).toContain(path)
  expect(text).toContain('ORIGINAL CELLS')
  expect(text).toContain('Not known to this ledger: your exports')
  const none = {
    removed: [],
    leftovers: [],
    cells: [],
    values: [],
    references: [],
    logs: [],
    unread: [],
  }
  expect(remainLines(ledger, none).join('\n')).not.toContain('ORIGINAL CELLS')
})
