import { execFileSync } from 'node:child_process'

const MARK_AT = 'drwxrwxrwx'.length
const MOST_MS = 5_000

/**
 * True where an access list stands behind the group's bits of a mode, which show no more than the most that it gives to
 * anybody (acl(5)). Node cannot read such a list; ls(1) marks it with a plus. Where it cannot be asked there may be one.
 */
export function hasAccessList(path: string): boolean {
  try {
    const line = execFileSync('ls', ['-ld', '--', path], {
      encoding: 'latin1',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: MOST_MS,
    })
    return line.charAt(MARK_AT) === '+'
  } catch {
    return true
  }
}
