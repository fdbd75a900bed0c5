// Admits ROWS made-up records into FILE and prints how fast, and how much memory the whole process took.
import { openLedger } from '../../../dist/ledger/file/open-ledger.js'
import { openScratchLedger } from '../../../dist/ledger/file/writer.js'

const [file, rowsText, kind] = process.argv.slice(2)
const rows = Number(rowsText)
const BATCH = 1_000
const clock = { now: () => Date.now(), monotonic: () => performance.now() }
const header = ['Kundennummer', 'IBAN', 'Mandatsdatum', 'Gläubiger-ID', 'Mandatsreferenz', 'Name', 'Ort']
const columns = {
  customer_no: 'Kundennummer',
  iban: 'IBAN',
  signed_date: 'Mandatsdatum',
  sepa_creditor_identifier: 'Gläubiger-ID',
  unique_mandate_reference: 'Mandatsreferenz',
}
const WARNING = {
  rule: 'UMR_SPACE',
  severity: 'warning',
  field: 'unique_mandate_reference',
  value: 'M 1',
  message: 'Some banks forbid or squeeze blanks.',
  remedy: 'Compare with an old bank statement.',
}

/** Keys in no order, as a real export has them: a multiplication modulo a prime walks through all of them. */
const scattered = (n) => Number((BigInt(n) * 7_919_333n) % 1_000_003n)

function recordOf(n) {
  const isRepeated = kind === 'pairs'
  const key = scattered(isRepeated ? n >> 1 : n)
  const customerNo = 100_000 + key
  const iban = `DE89370400${String(key).padStart(12, '0')}`
  const signedDate = `20${10 + (key % 15)}-0${1 + (key % 9)}-1${key % 10}`
  const reference = kind === 'filler' ? 'NOTPROVIDED' : `MND-2019-${String(key).padStart(8, '0')}`
  const creditorIdentifier = 'DE98ZZZ09999999999'
  return {
    record: n,
    line: n + 1,
    cells: [
      String(customerNo),
      iban,
      signedDate,
      creditorIdentifier,
      reference,
      'Erika Mustermann',
      'Heidesheim',
    ],
    verdict: {
      kind: 'sendable',
      mandate: {
        customerNo,
        iban,
        signedDate,
        original: { creditorIdentifier, mandateReference: reference },
      },
    },
    values: { customerNo, iban, signedDate, creditorIdentifier, mandateReference: reference },
    mandateKey: `DE|09999999999|${reference}`,
    corrects: null,
    latestFirstDebit: null,
    findings: n % 10 === 0 ? [WARNING] : [],
  }
}

const ledger = kind === 'scratch' ? openScratchLedger(clock) : openLedger({ file, clock })
const started = performance.now()
const admission = ledger.admit({ severities: {} })
const source = admission.open({ name: 'export.csv', header, columns })
for (let n = 1; n <= rows; n += BATCH) {
  source.add(Array.from({ length: Math.min(BATCH, rows - n + 1) }, (_, index) => recordOf(n + index)))
}
const added = performance.now()
source.close({
  sha256: 'made-up',
  bytes: rows * 100,
  records: rows,
  blankLines: 0,
  reading: {},
  findings: [],
})
const compared = performance.now()
admission.commit()
const seconds = (performance.now() - started) / 1_000
const totals = 'reader' in ledger ? ledger.reader.totals() : ledger.totals()
console.log(
  JSON.stringify({
    kind: kind ?? 'plain',
    rows,
    rowsPerSecond: Math.round(rows / seconds),
    addSeconds: Math.round((added - started) / 100) / 10,
    compareSeconds: Math.round((compared - added) / 100) / 10,
    commitSeconds: Math.round(seconds * 10 - (compared - started) / 100) / 10,
    peakMb: Math.round(process.resourceUsage().maxRSS / 1_024),
    ready: totals.ready,
  }),
)
ledger.close()
