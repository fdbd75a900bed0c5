import { startThread } from '../../second-thread.js'
import type { DistinctCounts } from './distinct-counts.js'

/** What another thread needs to know to count. */
export interface CountingJob {
  readonly file: string
  readonly sharedFolder: boolean
}

/** Counts in a second thread while this one reads the rows. */
export interface CountAside {
  /** Null where the thread cannot tell, which says nothing of the ledger. */
  readonly counts: Promise<DistinctCounts | null>
  readonly stop: () => Promise<void>
}

/** Some twenty thousand rows. Fewer are counted before another thread has started. */
const SMALLEST_BYTES = 16 * 1024 * 1024

const COUNTER = new URL('./counter.js', import.meta.url)

/** @returns null where that is of no use: a small ledger, or no second core */
export function countAside(
  job: CountingJob,
  { counter = COUNTER, smallestBytes = SMALLEST_BYTES } = {},
): CountAside | null {
  const worker = startThread(counter, job, { file: job.file, smallestBytes })
  if (worker === null) return null
  const counts = new Promise<DistinctCounts | null>((resolve) => {
    worker.on('message', resolve)
    worker.on('error', () => resolve(null))
    worker.on('exit', () => resolve(null))
  })
  return {
    counts,
    stop: async () => {
      await worker.terminate()
    },
  }
}
