// Opens the ledger, begins as many attempts as there are ready rows, says so, and stays until it is killed.
import { openLedger } from '../../../dist/ledger/file/open-ledger.js'

const [file] = process.argv.slice(2)
const clock = { now: () => Date.now(), monotonic: () => performance.now() }
try {
  const ledger = openLedger({ file, clock, pid: process.pid })
  ledger.startRun({
    version: '0',
    host: 'h',
    pid: process.pid,
    asOf: '2026-06-15',
    zone: 'UTC',
    settings: {},
  })
  const rows = ledger.ready(0, 100)
  await Promise.all(rows.map((row) => ledger.begin(row)))
  process.stdout.write(`held ${rows.length}\n`)
  setInterval(() => undefined, 60_000)
} catch (error) {
  process.stdout.write(`${error.problem ?? 'unexpected'}: ${error.message}\n`)
  process.exitCode = error.exitCode ?? 1
}
