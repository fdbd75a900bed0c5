import { existsSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Worker, type ResourceLimits } from 'node:worker_threads'

export interface ThreadOptions {
  /** What it works on. A smaller file is done with before another thread has started. */
  readonly file: string
  readonly smallestBytes: number
  readonly limits?: ResourceLimits
}

/**
 * Starts a module in a second thread where that is of use. Whoever gets none does the work by itself, and says what there
 * is to be said of the file.
 * @param module missing where this program was put into one file with others, and in TypeScript as written
 * @param job nothing but data
 * @returns null for one core, a missing module, a file that is small or cannot be looked at, or a job that is more than data
 */
export function startThread(
  module: URL,
  job: unknown,
  { file, smallestBytes, limits = {} }: ThreadOptions,
): Worker | null {
  if (availableParallelism() < 2 || !existsSync(fileURLToPath(module))) return null
  try {
    const found = statSync(file)
    if (!found.isFile() || found.size < smallestBytes) return null
    return new Worker(module, { workerData: job, resourceLimits: limits, execArgv: [] })
  } catch {
    return null
  }
}
