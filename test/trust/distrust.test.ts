import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  assertReportFolder,
  distrustFolder,
  distrustInstructions,
  distrustPrivateFile,
  distrustSecret,
  entryAt,
  hasAccessList,
  isOthersPort,
  isPrivateGroup,
  makeFolder,
} from '../../src/trust/trusted-file.js'
import { freshFolder } from '../support/folder.js'
import { execFileSync, spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { IS_ROOT, listenAs } from '../support/listener.js'

describe('a folder that is made', () => {
  it('is made with those above it, for this user alone; one that is there stays as it is', () => {
    const folder = freshFolder()
    const deep = join(folder, 'a', 'b', 'c')
    makeFolder(deep)
    makeFolder(deep)
    for (const path of ['a', 'a/b', 'a/b/c']) expect(statSync(join(folder, path)).mode & 0o777).toBe(0o700)
    chmodSync(folder, 0o755)
    makeFolder(folder)
    expect(statSync(folder).mode & 0o777).toBe(0o755)
  })

  it('is refused at once where none can be: below a file, behind a broken link, below /proc', () => {
    const folder = freshFolder()
    writeFileSync(join(folder, 'file'), '')
    symlinkSync(join(folder, 'nowhere'), join(folder, 'link'))
    expect(() => makeFolder(join(folder, 'file', 'x'))).toThrow('ENOTDIR')
    expect(() => makeFolder(join(folder, 'link'))).toThrow('EEXIST')
    expect(() => makeFolder('/proc/sepa-migrate/checked')).toThrow('ENOENT')
  })
})

it('a folder for a report is one that only this user can write, or that can be made; looking leaves nothing behind', () => {
  const above = freshFolder()
  const folder = join(above, 'pack')
  expect(() => assertReportFolder(join(folder, 'night'))).not.toThrow()
  expect(readdirSync(above)).toEqual([])
  writeFileSync(join(above, 'file'), '')
  for (const place of ['/proc/sepa-migrate/pack', join(above, 'file', 'pack')])
    expect(() => assertReportFolder(place)).toThrow(`"${place}": it cannot be made, or not be written to`)
  mkdirSync(folder)
  expect(() => assertReportFolder(folder)).not.toThrow()
  chmodSync(folder, 0o777)
  expect(() => assertReportFolder(folder)).toThrow('anybody on this machine can write to it')
})

describe('a group', () => {
  const USERS = 'root:x:0:0::/root:/bin/sh\nanna:x:1000:1000::/:\nbob:x:1001:1001::/:\nola:x:1002:50::/:\n'
  const GROUPS = 'root:x:0:\nanna:x:1000:\nbob:x:1001:anna\nself:x:60:anna\nstaff:x:50:\nempty:x:70:\n'
  it.each([
    { group: 'of the same name, nobody else in it', gid: 1000, isPrivate: true },
    { group: 'that lists the user alone', gid: 60, isPrivate: true },
    { group: 'without members', gid: 70, isPrivate: true },
    { group: 'that lists somebody else', gid: 1001, isPrivate: false },
    { group: 'that is the first group of somebody else', gid: 50, isPrivate: false },
    { group: 'that the files of this machine do not name', gid: 4711, isPrivate: false },
  ])('$group: private $isPrivate', ({ gid, isPrivate }) => {
    const folder = freshFolder()
    const files = { users: join(folder, 'passwd'), groups: join(folder, 'group') }
    writeFileSync(files.users, USERS)
    writeFileSync(files.groups, GROUPS)
    expect(isPrivateGroup(gid, 1000, files)).toBe(isPrivate)
  })

  it('may hold anybody where the files cannot be read', () => {
    expect(isPrivateGroup(1000, 1000, { users: '/nowhere', groups: '/nowhere' })).toBe(false)
  })
})

/** Debian's package acl, and a file system that keeps such lists. */
function cannotSetLists(): string | false {
  const folder = mkdtempSync(join(tmpdir(), 'access-list-'))
  const { status } = spawnSync('setfacl', ['-m', 'u:65534:r', folder])
  rmSync(folder, { recursive: true })
  return status === 0 ? false : 'setfacl (package acl) is not here, or the file system keeps no access lists'
}
const needsLists = cannotSetLists()

const give = (path: string, entry: string): void => void execFileSync('setfacl', ['-m', entry, path])

describe('an access list', () => {
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
    execFileSync('setfacl', ['-b', file])
    give(folder, 'u:65534:rwx')
    expect(distrustFolder(folder)?.why).toBe('its access list may let others write to it (mode 0770+)')
    const inner = join(folder, 'inner')
    mkdirSync(inner, { mode: 0o700 })
    expect(distrustFolder(inner)?.why).toContain('above it: its access list may let others write to it')
  })

  it.skipIf(needsLists)(
    'that lets another user read is no fault, and neither is a group of one’s own',
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

const NOBODY = 65_534
const SHARED_GROUP = 54_321 // no group of this machine, so anybody may be in it

function freshFile(mode = 0o600): string {
  const file = join(freshFolder(), 'file')
  writeFileSync(file, 'x')
  chmodSync(file, mode)
  return file
}

describe('a private file', () => {
  const check = (path: string) => distrustPrivateFile(entryAt(path)!)?.why ?? null

  it('is trusted when it is ours alone', () =>
    expect([freshFile(), freshFile(0o400)].map(check)).toEqual([null, null]))

  it('is not trusted when others may open it, as a link, as a folder, under two names', () => {
    for (const mode of [0o640, 0o604, 0o660, 0o644, 0o602])
      expect(check(freshFile(mode))).toBe(`other users may open it (mode 0${mode.toString(8)})`)
    const file = freshFile()
    symlinkSync(file, `${file}-link`)
    expect(check(`${file}-link`)).toBe('it is a symbolic link')
    expect(check(freshFolder())).toBe('it is not a regular file')
    linkSync(file, `${file}-second`)
    expect(check(file)).toContain('it has a second name')
  })
})

describe('a folder', () => {
  const check = (path: string) => distrustFolder(path)?.why ?? null

  it('is trusted when it is ours, also below a sticky folder that anybody can write', () => {
    expect(check(freshFolder())).toBeNull()
  })

  it.each([0o777, 0o1777])(
    'is not trusted when anybody can write to it, sticky or not, itself or above: %o',
    (mode) => {
      const folder = freshFolder()
      const inner = join(folder, 'inner')
      mkdirSync(inner, { mode: 0o700 })
      chmodSync(folder, mode)
      const why = `anybody on this machine can write to it (mode ${mode.toString(8).padStart(4, '0')})`
      expect(check(folder)).toBe(why)
      expect(check(inner)).toBe(mode === 0o777 ? `the folder "${folder}" above it: ${why}` : null)
      symlinkSync(folder, `${inner}-link`)
      expect(check(`${inner}-link`)).toBe(why)
    },
  )

  it.skipIf(!IS_ROOT)(
    'is not trusted when another user or a shared group can write to it (root only)',
    () => {
      const folder = freshFolder()
      chownSync(folder, 0, SHARED_GROUP)
      chmodSync(folder, 0o750)
      expect(check(folder)).toBeNull()
      chmodSync(folder, 0o770)
      expect(check(folder)).toBe(
        `other members of its group can write to it (mode 0770, group ${SHARED_GROUP})`,
      )
      chownSync(folder, 0, 0)
      expect(check(folder)).toBeNull()
      chownSync(folder, NOBODY, 0)
      expect(check(folder)).toBe(`it belongs to another user (number ${NOBODY})`)
    },
  )
})

describe.each([
  ['of instructions', distrustInstructions],
  ['with a secret', distrustSecret],
])('a file %s', (_, distrust) => {
  const check = (path: string) => distrust(path)?.why ?? null

  it('is trusted also through a link of ours, may be missing, and be read by others where it holds no secret', () => {
    const file = freshFile(0o400)
    symlinkSync(file, `${file}-link`)
    expect([check(file), check(`${file}-link`), check(`${file}-none`)]).toEqual([null, null, null])
    const others = distrust === distrustSecret ? 'other users may open it (mode 0644)' : null
    expect(check(freshFile(0o644))).toBe(others)
  })

  it('is not trusted when others can write it, or exchange it or the link to it', () => {
    const [open, closed, shared] = [freshFile(0o666), freshFile(), freshFolder()]
    symlinkSync(closed, join(shared, 'link'))
    symlinkSync(open, `${open}-link`)
    writeFileSync(join(shared, 'file'), 'x', { mode: 0o600 })
    chmodSync(shared, 0o777)
    const why =
      distrust === distrustSecret ? 'other users may open it' : 'anybody on this machine can write to it'
    for (const path of [open, `${open}-link`]) expect(check(path)).toContain(why)
    for (const path of ['link', 'file'])
      expect(check(join(shared, path))).toContain('anybody on this machine can write to it')
  })

  it.skipIf(!IS_ROOT)('is not trusted when it belongs to another user (root only)', () => {
    const file = freshFile()
    chownSync(file, NOBODY, NOBODY)
    expect(check(file)).toBe(`it belongs to another user (number ${NOBODY})`)
    expect(distrustPrivateFile(entryAt(file)!)?.why).toBe('it belongs to another user')
  })
})

it.runIf(process.platform === 'linux').each(['127.0.0.1', '::1'])(
  "the port of a program of one's own is nobody else's (%s)",
  async (host) => {
    const server = createServer().listen(0, host)
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    expect(isOthersPort(port)).toBe(false)
    await new Promise((resolve) => server.close(resolve))
    expect(isOthersPort(port)).toBe(false)
  },
)

it.runIf(IS_ROOT)('the port of a program of another user is', async () => {
  const { port } = await listenAs(65_534)
  expect(isOthersPort(port)).toBe(true)
})
