import { readFileSync } from 'node:fs'

/** What a user without a name is called, here and where a program asks for its own. */
const numbered = (uid: number): string => `number ${uid}`

/** The name of a user of this machine by its number, passwd(5) `name:x:uid:…`; its number where the file has none. */
export function userName(uid: number, file = '/etc/passwd'): string {
  try {
    const line = readFileSync(file, 'utf8')
      .split('\n')
      .map((text) => text.split(':'))
      .find(([, , id]) => id === String(uid))
    return line?.[0] ?? numbered(uid)
  } catch {
    return numbered(uid)
  }
}
