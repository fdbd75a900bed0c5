/**
 * Says once that the disk of the ledger holds the run up. A commit stands between every answer and the next request,
 * so a disk that takes long for one bounds the rows a second, whatever the concurrency.
 */

/** So many commits are looked at together: one that is slow is no finding. */
const WINDOW = 20
/** A disk of its own takes 0.2 to 10 ms; one behind a network, or busy, takes more. */
const SLOW_MS = 25
/** Of the time that passed: below, the run waits for the service and not for the disk. */
const SHARE = 0.5

/** One commit, in milliseconds of a monotonic clock. */
export interface Commit {
  readonly endedMs: number
  readonly tookMs: number
}

/** The latest commits, with one more. */
export const noteCommit = (latest: readonly Commit[], commit: Commit): readonly Commit[] => [
  ...latest.slice(1 - WINDOW),
  commit,
]

/** The median of the latest commits, milliseconds, where the run is bound by them; otherwise null. */
export function slowCommitMs(latest: readonly Commit[]): number | null {
  const [first] = latest
  const last = latest.at(-1)
  if (first === undefined || last === undefined || latest.length < WINDOW) return null
  if (last.tookMs < SLOW_MS) return null // nearly always, and the next slow one will tell
  const sorted = latest.map(({ tookMs }) => tookMs).sort((a, b) => a - b)
  const median = sorted[WINDOW / 2] ?? 0
  const passed = last.endedMs - (first.endedMs - first.tookMs)
  const within = sorted.reduce((sum, tookMs) => sum + tookMs, 0)
  return median >= SLOW_MS && within >= passed * SHARE ? median : null
}

/** How many commits there were, what they took together, and how many intents and outcomes they held. */
export interface CommitCounts {
  readonly commits: number
  readonly events: number
  readonly milliseconds: number
}

export interface CommitWatch {
  /** For the ledger, after each commit. */
  readonly committed: (tookMs: number, events: number) => void
  readonly counts: () => CommitCounts
}

export function watchCommits(monotonic: () => number, warn: (text: string) => void): CommitWatch {
  let latest: readonly Commit[] = []
  let isTold = false
  let commits = 0
  let events = 0
  let milliseconds = 0
  return {
    committed: (tookMs, held) => {
      commits += 1
      events += held
      milliseconds += tookMs
      if (isTold) return
      latest = noteCommit(latest, { endedMs: monotonic(), tookMs })
      const slow = slowCommitMs(latest)
      if (slow === null) return
      isTold = true
      warn(slowText(slow))
    },
    counts: () => ({ commits, events, milliseconds: Math.round(milliseconds) }),
  }
}

const slowText = (ms: number): string =>
  `The disk of the ledger takes ${Math.round(ms)} ms for a commit, and the run is bound by it: nothing is unsafe, it only takes longer. A higher concurrency puts more rows into one commit; a local disk that is not busy or nearly full takes a few milliseconds`
