import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  assertNoLeftovers,
  ledgerFiles,
  noteWritten,
  readWritten,
  assertLocalFolder,
  assertPrivateFile,
  createPrivateFile,
} from '../../../src/ledger/safety/side-files.js'
import { openLedgerReader } from '../../../src/ledger/read/open-reader.js'
import { closedFile, faultOf, freshFile, open } from '../campaign-setup.js'
import { freshFolder } from '../../support/folder.js'
import { entryAt } from '../../../src/trust/trusted-file.js'

const ANOTHER_USER = 65_534
const needsRoot = process.getuid?.() === 0 ? false : 'only root can make files of another user'

function expectUnsafe(file: string, message: RegExp): void {
  for (const work of [() => open({ file }), () => openLedgerReader(file)]) {
    const fault = faultOf(work)
    expect(fault.problem).toBe('unsafe')
    expect(fault.message).toMatch(message)
  }
}

const SIDE_FILES = ['-wal', '-shm', '-journal', '.lock', '.lock-journal', '.lock-wal', '.lock-shm']
const OWN_FILES = ['', ...SIDE_FILES, '.emergency.jsonl', '.files.jsonl']

describe.each(OWN_FILES)('a file "%s" of a ledger', (ending) => {
  it.skipIf(needsRoot)('is refused when it belongs to another user', () => {
    const file = closedFile()
    writeFileSync(file + ending, '', { mode: 0o600 })
    chownSync(file + ending, ANOTHER_USER, ANOTHER_USER)
    expectUnsafe(file, /it belongs to another user/)
  })

  it('is refused when others may open it', () => {
    const file = closedFile()
    writeFileSync(file + ending, '')
    chmodSync(file + ending, 0o666)
    expectUnsafe(file, /other users may open it \(mode 0666\)/)
  })

  it('is refused as a link, and under a second name', () => {
    const file = closedFile()
    const target = join(freshFolder(), 'target')
    writeFileSync(target, '', { mode: 0o600 })
    const hard = closedFile()
    linkSync(target, join(dirname(target), 'hard'))
    for (const path of [hard, file]) if (existsSync(path + ending)) rmSync(path + ending)
    symlinkSync(target, hard + ending)
    expectUnsafe(hard, /it is a symbolic link/)
    linkSync(target, file + ending)
    expectUnsafe(file, /it has a second name/)
  })
})

describe('the folder of a ledger', () => {
  it('is refused when anybody can write to it, unless the operator knows better', () => {
    const file = closedFile()
    chmodSync(dirname(file), 0o777)
    expectUnsafe(file, /folder ".*" of the ledger: anybody on this machine can write to it/)
    expect(faultOf(() => open({ file })).next).toContain('--shared-folder allows it')
    open({ file, sharedFolder: true }).close()
    openLedgerReader(file, { sharedFolder: true }).close()
  })

  it('is refused when a folder above it can be exchanged', () => {
    const outer = freshFolder()
    const file = join(outer, 'inner', 'campaign.db')
    mkdirSync(dirname(file), { mode: 0o700 })
    chmodSync(outer, 0o777)
    expect(faultOf(() => open({ file })).message).toMatch(/the folder ".*" above it: anybody/)
  })

  it.skipIf(needsRoot)('is refused when a group with other members can write to it', () => {
    const file = closedFile()
    chownSync(dirname(file), 0, ANOTHER_USER)
    chmodSync(dirname(file), 0o770)
    expectUnsafe(file, /other members of its group can write to it/)
  })

  it('does not allow a side file of others, whatever the operator knows', () => {
    const file = closedFile()
    writeFileSync(`${file}-wal`, '')
    chmodSync(`${file}-wal`, 0o666)
    expect(faultOf(() => open({ file, sharedFolder: true })).message).toMatch(/other users may open it/)
  })
})

describe('beside a ledger that is to be made', () => {
  it.each(['-wal', '-journal'])('a left "%s" is refused, and nothing is made', (ending) => {
    const file = freshFile()
    writeFileSync(file + ending, 'of another ledger', { mode: 0o600 })
    const fault = faultOf(() => open({ file }))
    expect(fault.problem).toBe('unsafe')
    expect(fault.message).toMatch(`"campaign.db${ending}" is there without it`)
  })

  it('an empty log, which every reader leaves, is no hindrance', () => {
    const file = freshFile()
    writeFileSync(`${file}-wal`, '', { mode: 0o600 })
    open({ file }).close()
  })
})

it('a log beside a ledger is no leftover once the ledger came meanwhile: then another process is making it', () => {
  const file = freshFile()
  writeFileSync(`${file}-journal`, 'of another ledger')
  expect(faultOf(() => assertNoLeftovers(file)).message).toContain('is there without it')
  writeFileSync(file, '')
  expect(() => assertNoLeftovers(file)).not.toThrow()
})

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

  it('lines that are cut or foreign are passed over, and the list goes on', () => {
    const ledger = freshFile()
    expect(readWritten(ledger)).toEqual([])
    noteWritten(ledger, { kind: 'report', path: '/reports' })
    const foreign = [
      '{"kind":"rep',
      'null',
      '[]',
      '{"kind":"other","path":"/x"}',
      '{"kind":"log","path":7}',
      '',
    ]
    appendFileSync(`${ledger}.files.jsonl`, foreign.join('\n'))
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

it('the files that belong to a ledger are those beside it, also where its folder is not there yet', () => {
  const ledger = freshFile()
  const beside = [ledger, `${ledger}-wal`, `${ledger}.lock`, `${ledger}.files.jsonl`]
  expect(ledgerFiles(ledger)).toEqual(expect.arrayContaining(beside))
  expect(ledgerFiles('/nowhere/at/all/campaign.db')).toContain('/nowhere/at/all/campaign.db')
})

it('a file of the ledger is made for its owner alone, and is not touched when it is there', () => {
  const file = freshFile()
  createPrivateFile(file)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  writeFileSync(file, 'kept')
  createPrivateFile(file)
  expect(statSync(file).size).toBe(4)
})

it('a file of the ledger is refused when it belongs to another user', () => {
  const file = freshFile()
  createPrivateFile(file)
  const entry = entryAt(file)!
  expect(() => assertPrivateFile(file, entry)).not.toThrow()
  entry.uid += 1
  expect(() => assertPrivateFile(file, entry)).toThrow('it belongs to another user')
})

it.each([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xff534d42 | 0, 'CIFS'], // as a signed number, the way some systems give it
])('the folder of a ledger may not be on a network file system (%i)', (type, name) => {
  expect(() => assertLocalFolder('/mnt/share/march.db', () => type)).toThrow(
    `on a network file system (${name}): its locks do not hold there`,
  )
})
