import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { freshFolder } from '../../support/folder.js'
import { roomWarning } from '../../../src/ledger/safety/emergency-file.js'

const disk = (bytes: number) => () => ({ bavail: bytes / 4096, bsize: 4096, blocks: 1e6 })

it('tells where the disk has less than log, rows and what was admitted will take', () => {
  const ledger = join(freshFolder(), 'a.db')
  expect(roomWarning(ledger, 1_000, disk(11e6))).toBeNull()
  writeFileSync(`${ledger}-wal`, Buffer.alloc(2e6))
  expect(roomWarning(ledger, 1_000, disk(11e6))).toMatch(/^The disk of the ledger has 11 MB free, .*12 MB/)
  expect(roomWarning(ledger, 1_000_000, disk(900e6))).not.toBeNull()
})

it('says nothing where the file system does not say what is free, and on the disk of this test', () => {
  const ledger = join(freshFolder(), 'a.db')
  expect(roomWarning(ledger, 1e9, () => ({ bavail: 0, bsize: 4096, blocks: 0 }))).toBeNull()
  expect(
    roomWarning(ledger, 1e9, () => {
      throw new Error('ENOSYS')
    }),
  ).toBeNull()
  expect(roomWarning(ledger, 1)).toBeNull()
})
