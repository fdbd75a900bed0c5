import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  distrustFolder,
  distrustInstructions,
  distrustOwnFile,
  entryAt,
  hasAccessList,
} from '../../src/trust/entry.js'
import { freshFolder } from '../support/folder.js'

/** Debian's package acl, and a file system that keeps such lists. */
function cannotSetLists(): string | false {
  const folder = mkdtempSync(join(tmpdir(), 'access-list-'))
  const { status } = spawnSync('setfacl', ['-m', 'u:65534:r', folder])
  rmSync(folder, { recursive: true })
  return status === 0 ? false : 'setfacl (package acl) is not here, or the file system keeps no access lists'
}
const needsLists = cannotSetLists()

const give = (path: string, entry: string): void => void execFileSync('setfacl', ['-m', entry, path])

describe('26.3 an access list', () => {
  it('is none where nobody made one, and may be there where ls cannot tell', () => {
    expect(hasAccessList(freshFolder())).toBe(false)
    expect(hasAccessList('/nowhere/at/all')).toBe(true)
  })

  it.skipIf(needsLists)('that lets another user write makes folder and configuration distrusted', () => {
    const folder = freshFolder()
    const file = join(folder, 'sepa-migrate.yaml')
    writeFileSync(file, '', { mode: 0o600 })
    expect([distrustFolder(folder), distrustInstructions(file)]).toEqual([null, null])
    give(file, 'u:65534:rw')
    expect(hasAccessList(file)).toBe(true)
    expect(distrustInstructions(file)?.why).toBe('its access list may let others write to it (mode 0660+)')
    expect(distrustOwnFile(entryAt(file)!, file)?.why).toContain('its access list')
    execFileSync('setfacl', ['-b', file])
    give(folder, 'u:65534:rwx')
    expect(distrustFolder(folder)?.why).toBe('its access list may let others write to it (mode 0770+)')
    const inner = join(folder, 'inner')
    mkdirSync(inner, { mode: 0o700 })
    expect(distrustFolder(inner)?.why).toContain('above it: its access list may let others write to it')
  })

  it.skipIf(needsLists)(
    'that only lets another user read is no fault, and neither is a group of one’s own',
    () => {
      const folder = freshFolder()
      give(folder, 'u:65534:rx')
      expect(distrustFolder(folder)).toBeNull()
      execFileSync('setfacl', ['-b', folder])
      chownSync(folder, process.getuid?.() ?? 0, process.getgid?.() ?? 0)
      chmodSync(folder, 0o770)
      expect(distrustFolder(folder)).toBeNull()
    },
  )
})
