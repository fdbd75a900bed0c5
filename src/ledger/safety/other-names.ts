import { readFileSync, readlinkSync, type Stats, statSync } from 'node:fs'
import { LedgerError } from '../../errors.js'

/** `38:01` of a device number, as the kernel prints it; node gives it in the encoding of the C library. */
function deviceText(dev: number): string {
  const number = BigInt(dev)
  const major = ((number >> 8n) & 0xfffn) | ((number >> 32n) & 0xfffff000n)
  const minor = (number & 0xffn) | ((number >> 12n) & 0xffffff00n)
  const text = (part: bigint): string => part.toString(16).padStart(2, '0')
  return `${text(major)}:${text(minor)}`
}

const nameOf = ({ dev, ino }: Stats): string => `${deviceText(dev)}:${ino}`

/** One held lock: proc_locks(5) `1: POSIX  ADVISORY  READ 4711 fe:00:2672129 128 128`. */
function readLocks(): { pid: number; file: string }[] {
  let text: string
  try {
    text = readFileSync('/proc/locks', 'utf8')
  } catch {
    return [] // a system that does not say
  }
  return text.split('\n').flatMap((line) => {
    const [, pid, file] = /^\d+: \S+ +\S+ +\S+ +(-?\d+) (\S+)/.exec(line) ?? []
    return pid === undefined || file === undefined ? [] : [{ pid: Number(pid), file }]
  })
}

/** A reader that opens or closes the ledger has the one lock a moment without the other. */
const LOOKS = 5
const BETWEEN_MS = 100

const pause = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BETWEEN_MS)

/** A process that holds a lock on the ledger and none on the shared memory beside it; null where there is none. */
function findStranger(file: string): number | null {
  const locks = readLocks()
  const memory = statSync(`${file}-shm`, { throwIfNoEntry: false })
  if (locks.length === 0 || memory === undefined) return null
  const own = Number(readlinkSync('/proc/self')) // as this list counts processes
  const beside = new Set(locks.filter((lock) => lock.file === nameOf(memory)).map(({ pid }) => pid))
  const ledger = nameOf(statSync(file))
  return locks.find((lock) => lock.file === ledger && lock.pid !== own && !beside.has(lock.pid))?.pid ?? null
}

/**
 * The lock of a ledger lies beside it, and so do the log and the shared memory of SQLite: under another name of the
 * same file (one that was mounted, say) there would be others. Everybody who has the ledger open holds a lock on the
 * file itself, and one on the shared memory beside the name that they know. Who holds the first and not the second
 * came by another name. Call it while this process holds its own, so that of two at least one sees the other.
 * @throws {LedgerError} `locked`
 */
export function assertNoOtherName(file: string): void {
  let stranger = findStranger(file)
  for (let looks = 1; stranger !== null && looks < LOOKS; looks += 1) {
    pause()
    stranger = findStranger(file)
  }
  if (stranger === null) return
  throw new LedgerError(
    'locked',
    `Cannot open the ledger "${file}": process ${stranger} uses the same file under another name, where its lock and its log are not seen`,
    'End that process, and give every run the same path of the ledger. Nothing was sent',
  )
}
