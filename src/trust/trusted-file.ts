import {
  lstatSync,
  realpathSync,
  type Stats,
  statSync,
  readFileSync,
  accessSync,
  constants,
  mkdirSync,
  rmdirSync,
  closeSync,
  fstatSync,
  openSync,
  readSync,
  fchmodSync,
  fsyncSync,
  writeFileSync,
} from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, resolve, basename, join } from 'node:path'
import { execFileSync } from 'node:child_process'
import { codeOf, UsageError } from '../errors.js'

/** Octal escapes of blanks and backslashes in mountinfo, proc_pid_mountinfo(5). */
const unescape = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)))

/** Where something is mounted, as this process sees it; empty on systems that do not say. */
const mountPoints = (): readonly string[] =>
  readLines('/proc/self/mountinfo')
    .map((line) => unescape(line.split(' ')[4] ?? ''))
    .filter((path) => path !== '')

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

const LISTENS = '0A'

/**
 * Whether a user of this machine other than this one and root may hear what is sent to that port of it.
 * @returns true where the system does not tell who listens, as only Linux does (proc_net(5))
 */
export function isOthersPort(port: number): boolean {
  const sockets = ['tcp', 'tcp6'].flatMap((table) => readLines(`/proc/net/${table}`).slice(1))
  if (sockets.length === 0) return true
  const own = ownUserId()
  return sockets.some((line) => {
    const [, local = '', , state, , , , uid] = line.trim().split(/\s+/)
    const isIt = state === LISTENS && Number.parseInt(local.split(':')[1] ?? '', 16) === port
    return isIt && Number(uid) !== own && Number(uid) !== ROOT
  })
}

/**
 * Who besides this user can read or change what stands at a path. *Others* are all users of the machine but this one
 * and root: anybody, or the members of a group that is not this user's own. POSIX owners, modes, links and sticky bits
 * (inode(7)) are looked at. What an access list gives shows in the group's bits of the mode; where those let this user's
 * own group write, the list is looked for. On a system without user numbers (Windows) nothing is known and nothing is
 * refused.
 */
export interface Distrust {
  /** Completes "Cannot trust …: ". */
  readonly why: string
  readonly next: string
  /** It, or a folder that it stands in, belongs to another user. */
  readonly isForeign?: true
}

const ROOT = 0
const GROUP_WRITE = 0o020
const ANYBODY_WRITE = 0o002
const STICKY = 0o1000
const OTHERS = 0o077

/** The entry at a path, or null where there is none, also below a file. A link is not followed. */
export function entryAt(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return null
    throw error
  }
}

/** The number of this user; a container may run under a number that has no name. Null where there are none. */
function ownUserId(): number | null {
  try {
    const { uid } = userInfo()
    return uid < 0 ? null : uid
  } catch {
    return statSync('/proc/self', { throwIfNoEntry: false })?.uid ?? null
  }
}

const modeText = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, '0')

const distrustIf = (isFault: boolean, why: string, next: string): Distrust | null =>
  isFault ? { why, next } : null

/** Why somebody who is neither this user nor root may change the entry itself. */
function writers({ uid, gid, mode }: Stats, path: string): Distrust | null {
  const own = ownUserId()
  if (own === null) return null
  if (uid !== own && uid !== ROOT)
    return {
      why: `it belongs to another user (number ${uid})`,
      next: 'Run the command as the user who owns it',
      isForeign: true,
    }
  const text = modeText(mode)
  const ofAnybody = distrustIf(
    (mode & ANYBODY_WRITE) !== 0,
    `anybody on this machine can write to it (mode ${text})`,
    'Take that right away with "chmod o-w"',
  )
  if (ofAnybody !== null || (mode & GROUP_WRITE) === 0) return ofAnybody
  return (
    distrustIf(
      !isPrivateGroup(gid, own),
      `other members of its group can write to it (mode ${text}, group ${gid})`,
      'Take that right away with "chmod g-w"',
    ) ??
    distrustIf(
      hasAccessList(path),
      `its access list may let others write to it (mode ${text}+)`,
      'Take the list away with "setfacl -b"',
    )
  )
}

const others = ({ mode }: Stats): Distrust | null =>
  distrustIf(
    (mode & OTHERS) !== 0,
    `other users may open it (mode ${modeText(mode)})`,
    'Make it private with "chmod 600", and ask who may have read it',
  )

/**
 * A file that is ours alone: regular, one name, this user's, closed to everybody else (mode 0600 or less).
 * For everything that the program writes, and for secrets.
 */
export const distrustPrivateFile = (entry: Stats): Distrust | null =>
  distrustIf(entry.isSymbolicLink(), 'it is a symbolic link', 'Give the path of the file itself') ??
  distrustIf(!entry.isFile(), 'it is not a regular file', 'Give the path of a file') ??
  others(entry) ??
  distrustIf(
    entry.nlink > 1,
    'it has a second name (a hard link), so its lock does not protect it',
    'Remove the other name',
  ) ??
  distrustIf(
    ![null, entry.uid].includes(ownUserId()),
    'it belongs to another user',
    'Run the command as the user who owns it',
  )

/**
 * A file that says what to do: nobody but this user and root may have written it. Others may read it, and a link is
 * followed, because what counts is the file that is read.
 * @param entry of the file once it is open; otherwise what stands at the path
 */
export function distrustInstructions(
  path: string,
  entry = statSync(path, { throwIfNoEntry: false }),
): Distrust | null {
  if (entry === undefined) return null
  const file = realpathSync(path)
  // A link is as good as the folder that it stands in: whoever writes there decides where it leads.
  const ofLink = realpathSync(dirname(path)) === dirname(file) ? null : distrustFolder(dirname(path))
  return writers(entry, file) ?? distrustFolder(dirname(file)) ?? ofLink
}

/**
 * Of files that decide whom a mandate debits, and what is decided about rows: what others can change in them. A pipe and
 * what is missing are for whoever reads them.
 * @returns a sentence for each that others can write
 * @throws {UsageError} for one that another user made, or that stands in a folder of theirs
 */
export const sharedFiles = (files: readonly string[]): string[] =>
  files.flatMap((file) => {
    const distrust = leadsTo(file)?.isFile() === true ? distrustInstructions(file) : null
    if (distrust === null) return []
    const told = `Others can change "${file}": ${distrust.why}`
    if (distrust.isForeign !== true) return [told]
    throw new UsageError(
      `${told}; they could put other accounts, customers and decisions into it; nothing was sent`,
      `${distrust.next}, or copy the file to a folder of your own and look through it`,
    )
  })

/** What stands where a path leads; null for what leads nowhere: a link to itself, a name that no file can have. */
function leadsTo(path: string): Stats | null {
  try {
    return statSync(path)
  } catch {
    return null
  }
}

/** A file with a password or a key: nobody but this user and root may have read or written it. */
export function distrustSecret(
  path: string,
  entry = statSync(path, { throwIfNoEntry: false }),
): Distrust | null {
  if (entry === undefined || ownUserId() === null) return null
  return others(entry) ?? distrustInstructions(path, entry)
}

/**
 * A folder in which others cannot put, replace or rename a file, and no folder above it that others could exchange.
 * Above, a sticky folder such as /tmp will do: there nobody renames what belongs to somebody else.
 */
export function distrustFolder(folder: string): Distrust | null {
  let path = realpathSync(folder)
  let entry = statSync(path)
  const own = writers(entry, path)
  if (own !== null) return own
  while (dirname(path) !== path) {
    path = dirname(path)
    entry = statSync(path)
    const above = (entry.mode & STICKY) !== 0 && entry.uid === ROOT ? null : writers(entry, path)
    if (above !== null) return { ...above, why: `the folder "${path}" above it: ${above.why}` }
  }
  return null
}

const PRIVATE_FOLDER = 0o700

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/**
 * Makes a folder, and those above it that are missing, for this user alone. One by one, because Node's own recursive call
 * never comes back where a folder is there and takes none, as below /proc.
 * @returns those that it made, the uppermost first
 * @throws the error of the system
 */
export function makeFolder(path: string): readonly string[] {
  const missing: string[] = []
  for (let at = resolve(path); !isFolder(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at)
  return missing.filter((folder) => {
    try {
      mkdirSync(folder, { mode: PRIVATE_FOLDER })
      return true
    } catch (error) {
      // Another process may just have made it.
      if (!isFolder(folder)) throw error
      return false
    }
  })
}

/**
 * People decide and sign by what lies there. Looked at before anything is sent, so that a night's work is not left without
 * its report.
 * @throws {UsageError} for a folder that others own or can write, and for one that cannot be made or written to
 */
export function assertReportFolder(out: string): void {
  const refuse = (why: string, next: string, cause?: unknown): never => {
    throw new UsageError(
      `Cannot write a report to the folder "${out}": ${why}`,
      `${next}; no report was written, and nothing was sent (--out DIR)`,
      { cause },
    )
  }
  try {
    const distrust = isFolder(out) ? distrustFolder(out) : null
    if (distrust !== null)
      refuse(
        `${distrust.why}. Others could put files of their own in place of the report`,
        `${distrust.next}, or give a folder of your own`,
      )
    const made = makeFolder(out)
    accessSync(out, constants.W_OK | constants.X_OK)
    for (const folder of made.toReversed()) rmdirSync(folder)
  } catch (error) {
    if (codeOf(error) === '') throw error
    refuse(`it cannot be made, or not be written to (${codeOf(error)})`, 'Give another folder', error)
  }
}

/** A file that somebody gives the program to read whole: a configuration, a secret, a plan, decisions. */
export interface GivenRequest {
  /** What the file is, for the error: `plan`. */
  readonly what: string
  /** What it means that it is not read: `nothing was sent`. */
  readonly nothing: string
  readonly mostBytes: number
  /** A link in the place of the file is refused. */
  readonly noLink?: boolean
  /** Why its owner or its mode does not do; asked of what was opened, which nobody can exchange any more. */
  readonly distrust?: (path: string, opened: Stats) => Distrust | null
}

const KIB = 1024
const MIB = KIB * KIB

/** Many times what such a file ever takes. */
export const MOST_BYTES = {
  secret: 64 * KIB,
  approval: 64 * KIB,
  configuration: 4 * MIB,
  certificates: 16 * MIB,
  plan: 16 * MIB,
  manifest: 16 * MIB,
  decisions: KIB * MIB,
} as const

/** Why a file cannot be opened, by the code of the system. */
export const OPEN_PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['ENOTDIR', 'there is no such file'],
  ['EACCES', 'this user may not read it'],
  ['EPERM', 'this user may not read it'],
  ['ELOOP', 'it is a symbolic link'],
  ['EISDIR', 'it is a directory'],
  ['ENXIO', 'it is not a regular file'],
])

const refusal = (path: string, { what, nothing }: GivenRequest, why: string, cause?: unknown): UsageError =>
  new UsageError(
    `Cannot read the ${what} "${path}": ${why}; ${nothing}`,
    'Check the path, and give the file itself',
    { cause },
  )

/**
 * Opens without waiting, since a named pipe would hold the program up for ever, and judges what was opened: a regular file,
 * no larger than such a file is, that can be trusted.
 */
function openGiven<Result>(
  path: string,
  request: GivenRequest,
  read: (descriptor: number, entry: Stats) => Result,
): Result {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW, O_NOCTTY } = constants
  const flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | (request.noLink === true ? O_NOFOLLOW : 0)
  let descriptor: number
  try {
    descriptor = openSync(path, flags)
  } catch (cause) {
    throw refusal(path, request, OPEN_PROBLEMS.get(codeOf(cause)) ?? 'the system refused', cause)
  }
  return closingFile(descriptor, () => {
    const entry = fstatSync(descriptor)
    if (!entry.isFile()) throw refusal(path, request, 'it is not a regular file')
    if (entry.size > request.mostBytes) throw tooLarge(path, request)
    const fault = request.distrust?.(path, entry) ?? null
    if (fault !== null)
      throw new UsageError(
        `Cannot trust the ${request.what} "${path}": ${fault.why}; ${request.nothing}`,
        fault.next,
      )
    return read(descriptor, entry)
  })
}

const tooLarge = (path: string, request: GivenRequest): UsageError =>
  refusal(path, request, `it is larger than ${request.mostBytes / KIB} KiB, which no such file is`)

/**
 * Its bytes, and the entry that was opened.
 * @throws {UsageError} for anything but a regular file of a sensible size that can be read and trusted
 */
export const readGiven = (path: string, request: GivenRequest) =>
  openGiven(path, request, (descriptor, entry) => {
    const chunks: Buffer[] = []
    for (let size = 0; ;) {
      const chunk = Buffer.allocUnsafe(64 * KIB)
      const read = readSync(descriptor, chunk)
      if (read === 0) return { bytes: Buffer.concat(chunks), entry }
      size += read
      // It may have grown since it was looked at; a file of /proc has no size at all.
      if (size > request.mostBytes) throw tooLarge(path, request)
      chunks.push(chunk.subarray(0, read))
    }
  })

/** The same as text. @throws {UsageError} as `readGiven` */
export const readGivenText = (path: string, request: GivenRequest): string =>
  readGiven(path, request).bytes.toString('utf8')

/** For a file that others read piece by piece. @throws {UsageError} as `readGiven` */
export const assertGiven = (path: string, request: GivenRequest): void =>
  openGiven(path, request, () => undefined)

const PRIVATE = 0o600

export interface OutputRequest {
  /** `append` goes on with a file of ours; `create` wants a name that is free. */
  readonly mode: 'append' | 'create'
  /** What the file is, for the error: `log file`. */
  readonly what: string
  /** Files that are read or kept in the same command: the inputs, the ledger and what belongs to it. */
  readonly forbidden?: readonly string[]
}

/** Where a path leads once its folder's links are followed; the name itself is not. */
function placeOf(path: string): string {
  const full = resolve(path)
  try {
    return join(realpathSync(dirname(full)), basename(full))
  } catch {
    return full
  }
}

const isSameFile = (a: Stats, b: Stats): boolean => a.dev === b.dev && a.ino === b.ino

/** By name, also where there is no file yet, and by what the name leads to. */
function isForbidden(path: string, entry: Stats | null, forbidden: string): boolean {
  if (placeOf(path) === placeOf(forbidden)) return true
  const other = entry === null ? null : leadsTo(forbidden)
  return entry !== null && other !== null && isSameFile(entry, other)
}

/** @throws {UsageError} for a path where the same command reads or keeps something else */
export function assertNotTaken(
  path: string,
  { what, forbidden = [] }: Omit<OutputRequest, 'mode'>,
  entry: Stats | null = entryAt(path),
): void {
  const taken = forbidden.find((other) => isForbidden(path, entry, other))
  if (taken === undefined) return
  throw new UsageError(
    `Cannot write the ${what} "${path}": this command reads or keeps "${taken}" there; nothing was sent`,
    `Name another place for the ${what}`,
  )
}

/**
 * The check for everything that the program writes to: no link, a regular file of this user alone with one name (mode
 * 0600 or less), none of the inputs, not the ledger.
 * @throws {UsageError} that says which of these it is not
 */
export function assertTrustedOutput(path: string, request: Omit<OutputRequest, 'mode'>): void {
  const entry = entryAt(path)
  assertNotTaken(path, request, entry)
  const fault = entry === null ? null : distrustPrivateFile(entry)
  if (fault !== null) refuse(path, request.what, fault)
}

function refuse(path: string, what: string, { why, next }: { why: string; next: string }): never {
  throw new UsageError(`Cannot write the ${what} "${path}": ${why}; nothing was sent`, next)
}

/**
 * Opens a file that passes the check, made with mode 0600 where there is none.
 * @returns its descriptor, open for writing at its end
 * @throws {UsageError} as `assertTrustedOutput`, and where it cannot be opened or, for `create`, exists
 */
export function openTrusted(path: string, request: OutputRequest): number {
  const { mode, what } = request
  if (mode === 'create' && entryAt(path) !== null)
    throw new UsageError(`"${path}" exists and is not overwritten`, 'Rename it, or name another file')
  assertTrustedOutput(path, request)
  const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants
  // Not blocking: a pipe put there meanwhile must not hold the program up.
  const flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | (mode === 'create' ? O_EXCL : 0)
  let descriptor: number
  try {
    descriptor = openSync(path, flags, PRIVATE)
  } catch (cause) {
    throw new UsageError(
      `Cannot open the ${what} "${path}"`,
      'Name a file in a folder that exists and can be written; nothing was sent',
      { cause },
    )
  }
  try {
    assertAsChecked(descriptor, path, what)
    return descriptor
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

/** Writes a new file that passes the check; it is on disk then. @throws as `openTrusted`, and the error of the system */
export function createTrusted(path: string, what: string, text: string): void {
  closingFile(openTrusted(path, { mode: 'create', what }), (descriptor) => {
    writeFileSync(descriptor, text)
    fsyncSync(descriptor)
  })
}

/** What was written is on disk then; of a folder, the names in it. */
export const flush = (path: string): void => closingFile(openSync(path, 'r'), fsyncSync)

/** Closes what was opened, whatever comes of it. */
export function closingFile<Result>(descriptor: number, body: (descriptor: number) => Result): Result {
  try {
    return body(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Again on what was opened: it may have been exchanged since it was looked at. */
function assertAsChecked(descriptor: number, path: string, what: string): void {
  const opened = fstatSync(descriptor)
  if (opened.size === 0) fchmodSync(descriptor, PRIVATE)
  const fault = distrustPrivateFile(fstatSync(descriptor))
  if (fault !== null) refuse(path, what, fault)
  const entry = entryAt(path)
  if (entry === null || !isSameFile(entry, opened))
    refuse(path, what, {
      why: 'it was exchanged while it was opened',
      next: 'Look who else writes to its folder',
    })
}
