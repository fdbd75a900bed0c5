import { readFileSync } from 'node:fs'
import { ownUserId } from './entry.js'

const LISTENS = '0A'
const ROOT = 0

const socketsIn = (table: string): string[] => {
  try {
    return readFileSync(`/proc/net/${table}`, 'utf8').split('\n').slice(1)
  } catch {
    return []
  }
}

/**
 * Whether a user of this machine other than this one and root may hear what is sent to that port of it.
 * @returns true where the system does not tell who listens, as only Linux does (proc_net(5))
 */
export function isOthersPort(port: number): boolean {
  const sockets = ['tcp', 'tcp6'].flatMap(socketsIn)
  if (sockets.length === 0) return true
  const own = ownUserId()
  return sockets.some((line) => {
    const [, local = '', , state, , , , uid] = line.trim().split(/\s+/)
    const isIt = state === LISTENS && Number.parseInt(local.split(':')[1] ?? '', 16) === port
    return isIt && Number(uid) !== own && Number(uid) !== ROOT
  })
}
