// Begins and refuses row after row until the ledger gives up; prints one line per thing the ledger acknowledged.
import { openLedger } from '../../../dist/ledger/file/open-ledger.js'

const [file] = process.argv.slice(2)
const clock = { now: () => Date.now(), monotonic: () => performance.now() }
const evidence = {
  started: true,
  status: 422,
  errorCode: null,
  serviceCode: null,
  field: null,
  message: null,
  answer: 'x'.repeat(1_000),
  durationMs: 1,
  retryAfterMs: null,
}
const refused = { kind: 'refused', evidence, reason: 'refused', halt: null }

const ledger = openLedger({ file, clock, pid: process.pid })
ledger.startRun({ version: '0', host: 'h', pid: process.pid, asOf: '2026-06-15', zone: 'UTC', settings: {} })
process.stdout.write('started\n')
try {
  for (const row of ledger.ready(0, 100_000)) {
    const attempt = await ledger.begin(row)
    process.stdout.write(`begun ${row.id}\n`)
    await ledger.settle(attempt, refused)
    process.stdout.write(`refused ${row.id}\n`)
  }
  process.stdout.write('done\n')
} catch (error) {
  process.stdout.write(`${error.problem ?? 'unexpected'}: ${error.message}\n`)
}
ledger.close()
