import type { Worker } from 'node:worker_threads'
import type { SourceSummary } from '../../domain/rule/verdict.js'
import { startThread } from '../../second-thread.js'
import type { FromReader, Prepared, ReadingJob, ToReader } from './job.js'

/** A file that is read and prepared in a second thread while this one puts rows into the ledger. */
export interface Aside {
  /**
   * Batches in the order of the file.
   * @throws {Error} where the thread cannot tell, which says nothing of the file
   * @throws {unknown} the reason of the signal
   */
  readonly prepared: (secret: Uint8Array, signal: AbortSignal) => AsyncIterable<Prepared>
  /** Once all batches were taken. */
  readonly summary: () => SourceSummary
  readonly stop: () => Promise<void>
}

/** A smaller file is read before another thread has started. */
const SMALLEST_BYTES = 1024 * 1024
/** Beside what this thread holds, so that both together stay flat. */
const LIMITS = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 64 }

const READER = new URL('./reader.js', import.meta.url)

export interface AsideOptions {
  /** The module of the other thread. */
  readonly reader?: URL
  readonly smallestBytes?: number
}

/**
 * Starts to read where that is of use: a file of some size, and a second core.
 * @returns null where this thread has to read
 */
export function startAside(
  job: ReadingJob,
  { reader = READER, smallestBytes = SMALLEST_BYTES }: AsideOptions = {},
): Aside | null {
  const worker = startThread(reader, job, { file: job.path, smallestBytes, limits: LIMITS })
  if (worker === null) return null
  const inbox = inboxOf(worker)
  const tell = (message: ToReader): void => worker.postMessage(message)
  let summary: SourceSummary | null = null

  async function* prepared(secret: Uint8Array, signal: AbortSignal): AsyncGenerator<Prepared> {
    tell({ kind: 'secret', secret })
    for (;;) {
      const message = await inbox.next(signal)
      signal.throwIfAborted()
      switch (message.kind) {
        case 'doubt':
          throw new Error('The second thread cannot tell')
        case 'end':
          summary = message.summary
          return
        case 'rows':
        case 'records':
          yield message
          tell({ kind: 'taken' })
      }
    }
  }

  return {
    prepared,
    summary: () => {
      if (summary === null) throw new Error('The second thread has not read to the end')
      return summary
    },
    stop: async () => {
      await worker.terminate()
    },
  }
}

/** Messages until somebody asks for them; the end of the thread, however it came, is a doubt. */
function inboxOf(worker: Worker) {
  const waiting: FromReader[] = []
  let wake = (): void => undefined
  const put = (message: FromReader): void => {
    waiting.push(message)
    wake()
  }
  worker.on('message', put)
  worker.on('error', () => put({ kind: 'doubt' }))
  worker.on('exit', () => put({ kind: 'doubt' }))
  return {
    next: async (signal: AbortSignal): Promise<FromReader> => {
      const stop = (): void => wake()
      signal.addEventListener('abort', stop)
      try {
        while (waiting.length === 0 && !signal.aborted)
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        return waiting.shift() ?? { kind: 'doubt' }
      } finally {
        signal.removeEventListener('abort', stop)
      }
    },
  }
}
