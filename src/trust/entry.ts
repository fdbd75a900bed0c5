import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { hasAccessList } from './access-list.js'
import { isPrivateGroup } from './groups.js'

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

/** The entry at a path, or null where there is none. A link is not followed. */
export const entryAt = (path: string): Stats | null => lstatSync(path, { throwIfNoEntry: false }) ?? null

/** The number of this user; a container may run under a number that has no name. Null where there are none. */
export function ownUserId(): number | null {
  try {
    const { uid } = userInfo()
    return uid < 0 ? null : uid
  } catch {
    return statSync('/proc/self', { throwIfNoEntry: false })?.uid ?? null
  }
}

const modeText = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, '0')

const isForeign = (entry: Stats): boolean => {
  const own = ownUserId()
  return own !== null && entry.uid !== own
}

/** Why somebody who is neither this user nor root may change the entry itself. Without a path, the group's right counts. */
function writers(entry: Stats, path: string | null): Distrust | null {
  const own = ownUserId()
  if (own === null) return null
  if (entry.uid !== own && entry.uid !== ROOT)
    return {
      why: `it belongs to another user (number ${entry.uid})`,
      next: 'Run the command as the user who owns it',
      isForeign: true,
    }
  if ((entry.mode & ANYBODY_WRITE) !== 0)
    return {
      why: `anybody on this machine can write to it (mode ${modeText(entry.mode)})`,
      next: 'Take that right away with "chmod o-w"',
    }
  if ((entry.mode & GROUP_WRITE) === 0) return null
  if (path === null || !isPrivateGroup(entry.gid, own))
    return {
      why: `other members of its group can write to it (mode ${modeText(entry.mode)}, group ${entry.gid})`,
      next: 'Take that right away with "chmod g-w"',
    }
  return hasAccessList(path)
    ? {
        why: `its access list may let others write to it (mode ${modeText(entry.mode)}+)`,
        next: 'Take the list away with "setfacl -b"',
      }
    : null
}

const form = (entry: Stats): Distrust | null => {
  if (entry.isSymbolicLink())
    return { why: 'it is a symbolic link', next: 'Give the path of the file itself' }
  if (!entry.isFile()) return { why: 'it is not a regular file', next: 'Give the path of a file' }
  return null
}

const secondName = (entry: Stats): Distrust | null =>
  entry.nlink > 1
    ? {
        why: 'it has a second name (a hard link), so its lock does not protect it',
        next: 'Remove the other name',
      }
    : null

const owner = (entry: Stats): Distrust | null =>
  isForeign(entry)
    ? { why: 'it belongs to another user', next: 'Run the command as the user who owns it' }
    : null

/**
 * A file that is ours alone: regular, one name, this user's, closed to everybody else (mode 0600 or less).
 * For everything that the program writes, and for secrets.
 */
export function distrustPrivateFile(entry: Stats): Distrust | null {
  const fault = form(entry)
  if (fault !== null) return fault
  if ((entry.mode & OTHERS) !== 0)
    return {
      why: `other users may open it (mode ${modeText(entry.mode)})`,
      next: 'Make it private with "chmod 600", and ask who may have read it',
    }
  return secondName(entry) ?? owner(entry)
}

/**
 * A file that only this user may write, under one name; others may read what is in it. For notes without secrets.
 * @param path where an access list is looked for; without it no group may write
 */
export const distrustOwnFile = (entry: Stats, path: string | null = null): Distrust | null =>
  form(entry) ?? secondName(entry) ?? owner(entry) ?? writers(entry, path)

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

/** A file with a password or a key: nobody but this user and root may have read or written it. */
export function distrustSecret(
  path: string,
  entry = statSync(path, { throwIfNoEntry: false }),
): Distrust | null {
  if (entry === undefined || ownUserId() === null) return null
  if ((entry.mode & OTHERS) !== 0)
    return {
      why: `other users may open it (mode ${modeText(entry.mode)})`,
      next: 'Make it private with "chmod 600", and ask who may have read it',
    }
  return distrustInstructions(path, entry)
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
