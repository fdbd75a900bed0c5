import { homedir, hostname, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { After, Clock } from './domain/mandate/date.js'
import { readFileSync } from 'node:fs'

/** What a run takes from the machine it runs on. A test gives its own; everybody else has `thisMachine()`. */
export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly after: After
  /** In [0, 1). */
  readonly random: () => number
  /** IANA name of its time zone. */
  readonly zone: string
  readonly host: string
  readonly pid: number
  /** Name of this user in the operating system; null where it has none. */
  readonly user: string | null
  /** Of this package; sent in `User-Agent` and kept with each run. */
  readonly version: string
  /**
   * Where this user's programs keep what outlives a run: the register of campaigns. One folder for all programs of a
   * user, the command line among them, or none of them can tell an older copy of a ledger that another one has used.
   * Null where the environment names none.
   */
  readonly stateFolder: string | null
}

/** A container may run under a number that has no name. */
function systemUser(): string | null {
  try {
    return userInfo().username
  } catch {
    return process.getuid === undefined ? null : `number ${process.getuid()}`
  }
}

/** Only a whole path counts, so that a user has the same register in every folder and terminal. */
function stateFolderIn(stateHome: string): string | null {
  try {
    const home = isAbsolute(stateHome) ? stateHome : join(homedir(), '.local', 'state')
    return isAbsolute(home) ? join(home, 'sepa-migrate') : null
  } catch {
    return null // a user of the system without a name has no home either
  }
}

export const thisMachine = (): Machine => ({
  env: process.env,
  clock: { now: () => Date.now(), monotonic: () => performance.now() },
  after: (delayMs, wake) => {
    const timer = setTimeout(wake, delayMs)
    return () => clearTimeout(timer)
  },
  random: () => Math.random(),
  // A getter: it takes milliseconds, and most commands need none of it.
  get zone() {
    return Intl.DateTimeFormat().resolvedOptions().timeZone
  },
  host: hostname(),
  pid: process.pid,
  user: systemUser(),
  version: readVersion(),
  stateFolder: stateFolderIn(process.env['XDG_STATE_HOME'] ?? ''),
})

/** Files of this package, from beside its built code as from its source. */
const textOf = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

/** Of this package, as its package.json has it. */
export const readVersion = (): string => (JSON.parse(textOf('package.json')) as { version: string }).version

/** How a page looks. */
export const readStyle = (): string => textOf('src/report/page/look.css')
