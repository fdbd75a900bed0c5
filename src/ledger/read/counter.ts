import { parentPort, workerData } from 'node:worker_threads'
import type { CountingJob } from './count-aside.js'
import { prepareDistinctCounts } from './distinct-counts.js'
import { readingLedger } from './open-reader.js'

/*
 * The second thread of a report (report/README.md#what-must-hold): counts over a connection of its own. Where it cannot,
 * it ends without a word, and the first thread counts by itself.
 */
if (parentPort !== null) {
  const port = parentPort
  const { file, sharedFolder } = workerData as CountingJob
  const connection = readingLedger(file, { sharedFolder }, (ledger) => ledger)
  try {
    port.postMessage(prepareDistinctCounts(connection)())
  } finally {
    connection.close()
  }
}
