import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import type { CheckedRecord } from '../../domain/rule/verdict.js'
import { createFingerprints } from '../../ledger/admit/fingerprints.js'
import { buffersOf, packRows } from '../../ledger/load/packed-rows.js'
import { prepareReadyRow } from '../../ledger/load/ready-row.js'
import { openSource } from '../../source/read-source.js'
import { BATCHES_UNDER_WAY, type FromReader, type ReadingJob, type ToReader } from './job.js'

/*
 * The second thread of an admission (run/README.md#read-aside): reads a file quickly and prepares its rows. It opens the
 * file at once and waits for the secret of the ledger. Whatever goes wrong here is a doubt and no more: the first thread
 * then reads the file by itself, and what it says is what people are told.
 */
const ROWS = 1_000

/** Fingerprints of accounts are made by the first thread. */
const NOT_YET = new Uint8Array()

if (parentPort !== null) {
  const port = parentPort
  const tell = (message: FromReader, buffers: ArrayBuffer[] = []): void => port.postMessage(message, buffers)
  try {
    await readAside(workerData as ReadingJob, tell)
  } catch {
    tell({ kind: 'doubt' })
  }
  port.close()
}

async function readAside(
  { path, options, against }: ReadingJob,
  tell: (message: FromReader, buffers?: ArrayBuffer[]) => void,
): Promise<void> {
  const inbox = openInbox()
  const source = await openSource(path, options, against)
  if (source.quickRecords === null || source.quickRecords === undefined) {
    tell({ kind: 'doubt' })
    return
  }
  const readyRow = prepareReadyRow(createFingerprints(await inbox.secret()), () => NOT_YET)
  const packer = packRows(ROWS)
  const send = async (message: FromReader, buffers: ArrayBuffer[] = []): Promise<void> => {
    tell(message, buffers)
    await inbox.room()
  }
  const sendPacked = async (): Promise<void> => {
    if (packer.rows() === 0) return
    const rows = packer.take()
    await send({ kind: 'rows', rows }, buffersOf(rows))
  }
  const sendRecords = async (records: CheckedRecord[]): Promise<void> => {
    await sendPacked()
    await send({ kind: 'records', records })
  }
  for await (const batch of source.quickRecords()) {
    let others: CheckedRecord[] = []
    for (const record of batch) {
      const ready = record.findings.length === 0 ? readyRow(record) : null
      if (ready === null) {
        others.push(record)
        continue
      }
      if (others.length > 0) {
        await sendRecords(others)
        others = []
      }
      packer.add(ready)
      if (packer.rows() === ROWS) await sendPacked()
    }
    if (others.length > 0) await sendRecords(others)
  }
  await sendPacked()
  tell({ kind: 'end', summary: source.summary() })
}

/** What the first thread says: the secret once, then how many batches it has taken. */
function openInbox() {
  let secret: Uint8Array | null = null
  let underWay = 0
  const port = parentPort
  port?.on('message', (message: ToReader) => {
    if (message.kind === 'secret') secret = message.secret
    else underWay -= 1
  })
  const heard = async (): Promise<void> => {
    if (port !== null) await once(port, 'message')
  }
  return {
    secret: async (): Promise<Uint8Array> => {
      while (secret === null) await heard()
      return secret
    },
    /** Counts a batch, and waits until few enough are under way. */
    room: async (): Promise<void> => {
      underWay += 1
      while (underWay >= BATCHES_UNDER_WAY) await heard()
    },
  }
}
