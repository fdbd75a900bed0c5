import { readdirSync, statSync } from 'node:fs'
import { pid as ownPid } from 'node:process'
import { LedgerError } from '../../errors.js'
import type { Connection } from '../file/connection.js'

/** Whether a process of this machine has that very file open; false where the system does not say. */
function hasOpen(pid: number, file: string): boolean {
  const { dev, ino } = statSync(file)
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).some((name) => {
      const open = statSync(`${folder}/${name}`, { throwIfNoEntry: false })
      return open?.dev === dev && open.ino === ino
    })
  } catch {
    return false // it has ended, or it is of another user
  }
}

/**
 * The lock of a ledger lies beside it, so it stays behind where the file is moved away while a run goes on. The ledger
 * names the process that opened it last; where that one still has the file open, it came by another name.
 * @throws {LedgerError} `locked`
 */
export function assertNotHeld(connection: Connection, file: string): void {
  const pid = connection.prepare<[], number | null>('select pid from holder').pluck().get() ?? null
  if (pid === null || pid === ownPid || !hasOpen(pid, file)) return
  throw new LedgerError(
    'locked',
    `Cannot open the ledger "${file}": process ${pid} uses the same file under another name, where its lock is not seen`,
    'End that process, and give every run the same path of the ledger. Nothing was sent',
  )
}
