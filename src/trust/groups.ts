import { readFileSync } from 'node:fs'

const readLines = (file: string): string[] => {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch {
    return []
  }
}

/**
 * True when a group is known to hold nobody but the given user: the private group that most Linux systems make for
 * each user. A group that this machine's files do not name (one of a directory service, say) may hold anybody.
 * Formats: passwd(5) `name:x:uid:gid:…`, group(5) `name:x:gid:member,member`.
 */
export function isPrivateGroup(
  gid: number,
  uid: number,
  files = { users: '/etc/passwd', groups: '/etc/group' },
): boolean {
  const users = readLines(files.users).map((line) => line.split(':'))
  const group = readLines(files.groups)
    .map((line) => line.split(':'))
    .find(([, , id]) => id === String(gid))
  if (group === undefined) return false
  const names = new Set(users.filter(([, , id]) => id === String(uid)).map(([name]) => name))
  const listed = (group[3] ?? '').split(',').filter((name) => name !== '')
  const byDefault = users.filter(([, , , primary]) => primary === String(gid)).map(([name]) => name)
  return [...listed, ...byDefault].every((name) => names.has(name))
}
