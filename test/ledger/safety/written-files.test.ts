import { appendFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freshFile } from '../campaign-setup.js'
import { freshFolder } from '../../support/folder.js'
import { ledgerFiles, noteWritten, readWritten } from '../../../src/ledger/safety/side-files.js'

describe('what the commands of a campaign wrote', () => {
  it('is noted once each, by its absolute path', () => {
    const ledger = freshFile()
    for (const path of ['out', 'out', './out/']) noteWritten(ledger, { kind: 'report', path })
    noteWritten(ledger, { kind: 'log', path: 'out' })
    expect(readWritten(ledger)).toEqual([
      { kind: 'report', path: resolve('out') },
      { kind: 'log', path: resolve('out') },
    ])
  })

  it('nothing is noted beside a ledger that wrote nothing', () => {
    expect(readWritten(freshFile())).toEqual([])
  })

  it('lines that are cut or foreign are passed over, and the list goes on', () => {
    const ledger = freshFile()
    noteWritten(ledger, { kind: 'report', path: '/reports' })
    appendFileSync(
      `${ledger}.files.jsonl`,
      ['{"kind":"rep', 'null', '[]', '{"kind":"other","path":"/x"}', '{"kind":"log","path":7}', ''].join(
        '\n',
      ),
    )
    expect(noteWritten(ledger, { kind: 'log', path: '/run.log' })).toBe(true)
    expect(readWritten(ledger)).toEqual([
      { kind: 'report', path: '/reports' },
      { kind: 'log', path: '/run.log' },
    ])
  })

  it('a list that cannot be written does not stop the command', () => {
    const ledger = freshFile()
    mkdirSync(`${ledger}.files.jsonl`)
    expect(noteWritten(ledger, { kind: 'log', path: '/run.log' })).toBe(false)
    expect(readWritten(ledger)).toEqual([])
  })

  it('a link in its place is neither read nor written through', () => {
    const ledger = freshFile()
    const target = join(freshFolder(), 'target.jsonl')
    writeFileSync(target, '{"kind":"log","path":"/etc/passwd"}\n')
    symlinkSync(target, `${ledger}.files.jsonl`)
    expect(readWritten(ledger)).toEqual([])
    expect(noteWritten(ledger, { kind: 'log', path: '/run.log' })).toBe(false)
    expect(readFileSync(target, 'utf8')).not.toContain('run.log')
  })
})

describe('the files that belong to a ledger', () => {
  it('are those beside it', () => {
    const ledger = freshFile()
    const files = ledgerFiles(ledger)
    expect(files).toEqual(expect.arrayContaining([ledger, `${ledger}-wal`, `${ledger}.lock`]))
    expect(files).toContain(`${ledger}.files.jsonl`)
  })

  it('are known where its folder is not there yet', () => {
    expect(ledgerFiles('/nowhere/at/all/campaign.db')).toContain('/nowhere/at/all/campaign.db')
  })
})
