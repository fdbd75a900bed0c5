import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isPrivateGroup } from '../../src/trust/entry.js'
const folder = mkdtempSync(join(tmpdir(), 'groups-'))
const files = { users: join(folder, 'passwd'), groups: join(folder, 'group') }
writeFileSync(
  files.users,
  'root:x:0:0::/root:/bin/sh\nanna:x:1000:1000::/:\nbob:x:1001:1001::/:\nola:x:1002:50::/:\n',
)
writeFileSync(
  files.groups,
  'root:x:0:\nanna:x:1000:\nbob:x:1001:anna\nself:x:60:anna\nstaff:x:50:\nempty:x:70:\n',
)

describe('a group', () => {
  it.each([
    { group: 'of the same name, nobody else in it', gid: 1000, isPrivate: true },
    { group: 'that lists the user alone', gid: 60, isPrivate: true },
    { group: 'without members', gid: 70, isPrivate: true },
    { group: 'that lists somebody else', gid: 1001, isPrivate: false },
    { group: 'that is the first group of somebody else', gid: 50, isPrivate: false },
    { group: 'that the files of this machine do not name', gid: 4711, isPrivate: false },
  ])('$group: private $isPrivate', ({ gid, isPrivate }) => {
    expect(isPrivateGroup(gid, 1000, files)).toBe(isPrivate)
  })

  it('may hold anybody where the files cannot be read', () => {
    expect(isPrivateGroup(1000, 1000, { users: '/nowhere', groups: '/nowhere' })).toBe(false)
  })
})
