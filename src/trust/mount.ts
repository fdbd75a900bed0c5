import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Octal escapes of blanks and backslashes in mountinfo, proc_pid_mountinfo(5). */
const unescape = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)))

/** Where something is mounted, as this process sees it; empty on systems that do not say. */
function mountPoints(): readonly string[] {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .map((line) => unescape(line.split(' ')[4] ?? ''))
      .filter((path) => path !== '')
  } catch {
    return []
  }
}

/**
 * True for a file that was mounted by itself, as `docker -v file:file` does. It is the same file under two paths, and
 * what a program keeps beside the one is not beside the other.
 */
export function isMountPoint(file: string, points = mountPoints()): boolean {
  const path = realpathSync(file)
  // Where there is no list the device tells; where there is one it does not, because layered file systems give a file
  // another device than its folder.
  return points.length > 0 ? points.includes(path) : statSync(path).dev !== statSync(dirname(path)).dev
}
