// Begins 64 rows, fills the disk, and settles them all at once; prints how many answers the emergency file keeps.
import { existsSync, openSync, readFileSync, writeSync } from 'node:fs'
import { openLedger } from '../../../dist/ledger/file/open-ledger.js'

const UNDER_WAY = 64
const [file] = process.argv.slice(2)
const clock = { now: () => Date.now(), monotonic: () => performance.now() }
// As large as the service's words and its answer can become: every character doubled by JSON.
const evidence = {
  started: true,
  status: 200,
  errorCode: null,
  serviceCode: '"'.repeat(512),
  field: '"'.repeat(512),
  message: '"'.repeat(512),
  answer: '"'.repeat(2_048),
  durationMs: 1,
  retryAfterMs: null,
}
const registered = (reference) => ({
  kind: 'registered',
  value: { creditorIdentifier: 'DE79ZZZ01234567890', mandateReference: reference },
  notes: [],
  evidence,
  reason: '"'.repeat(1_700),
  halt: null,
})

function fill(path) {
  const descriptor = openSync(path, 'w', 0o600)
  for (const bytes of [65_536, 4_096, 1]) {
    try {
      for (;;) writeSync(descriptor, Buffer.alloc(bytes))
    } catch (error) {
      if (error.code !== 'ENOSPC') throw error
    }
  }
}

const answersIn = (path) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(
      (line) => line.includes('"outcome"') && JSON.parse(line).assignedMandateReference.startsWith('NEW-'),
    ).length

const ledger = openLedger({ file, clock, pid: process.pid })
const settings = { version: '0', host: 'h', pid: process.pid, asOf: '2026-06-15', zone: 'UTC', settings: {} }
try {
  ledger.startRun(settings, UNDER_WAY)
} catch (error) {
  process.stdout.write(`${error.message}\nemergency file: ${existsSync(`${file}.emergency.jsonl`)}\n`)
  ledger.close()
  process.exit()
}
const attempts = await Promise.all(ledger.ready(0, UNDER_WAY).map((row) => ledger.begin(row)))
fill(`${file}.filler`)
const settled = await Promise.allSettled(
  attempts.map((attempt) => ledger.settle(attempt, registered(`NEW-${attempt.rowId}`))),
)
const failed = settled.filter(({ status }) => status === 'rejected').length
process.stdout.write(`begun ${attempts.length}, not committed ${failed}\n`)
process.stdout.write(`kept while open: ${answersIn(`${file}.emergency.jsonl`)}\n`)
ledger.close()
process.stdout.write(`kept: ${answersIn(`${file}.emergency.jsonl`)}\n`)
