import type { Ledger } from '../../src/ledger/file/writer.js'
import type {
  CreditorIdentifier,
  Iban,
  LocalDate,
  Mandate,
  MandateReference,
} from '../../src/domain/mandate/mandate.js'
import type { CheckedRecord } from '../../src/domain/rule/verdict.js'
import { mandateKey } from '../../src/domain/value/identifiers.js'

/** An invented German account number that passes its checksum. */
function ibanOf(account: number): Iban {
  const bban = `37040044${String(account).padStart(10, '0')}`
  const check = 98n - (BigInt(`${bban}131400`) % 97n)
  return `DE${String(check).padStart(2, '0')}${bban}` as Iban
}

/** The mandate of the nth invented customer. */
export const mandateOf = (n: number): Mandate => ({
  customerNo: n,
  iban: ibanOf(n),
  signedDate: '2020-02-29' as LocalDate,
  original: {
    creditorIdentifier: 'DE98ZZZ09999999999' as CreditorIdentifier,
    mandateReference: `OLD-${n}` as MandateReference,
  },
})

/** The same, but every third belongs to the customer before it, and every sixth has the account of that one too. */
export const familyMandateOf = (n: number): Mandate => ({
  ...mandateOf(n),
  customerNo: n % 3 === 0 ? n - 1 : n,
  iban: ibanOf(n % 6 === 0 ? n - 1 : n),
})

export const RECORD_HEADER = ['customer_no', 'iban'] as const

/** The nth record of an export, with nothing wrong. */
export function recordOf(n: number, mandate = mandateOf(n)): CheckedRecord {
  const { creditorIdentifier, mandateReference } = mandate.original
  return {
    record: n,
    line: n + 1,
    cells: [String(mandate.customerNo), mandate.iban],
    verdict: { kind: 'sendable', mandate },
    values: {
      customerNo: mandate.customerNo,
      iban: mandate.iban,
      signedDate: mandate.signedDate,
      creditorIdentifier,
      mandateReference,
    },
    mandateKey: mandateKey(creditorIdentifier, mandateReference),
    corrects: null,
    latestFirstDebit: null,
    findings: [],
  }
}

/** So many ready rows, out of one export. */
export function admitRows(ledger: Ledger, rows: number, ofNumber = mandateOf): void {
  const admission = ledger.admit({ severities: {} })
  const columns = { customer_no: 'customer_no', iban: 'iban' }
  const source = admission.open({ name: 'export.csv', header: RECORD_HEADER, columns })
  source.add(Array.from({ length: rows }, (_, n) => recordOf(n + 1, ofNumber(n + 1))))
  source.close({
    sha256: 'ab'.repeat(32),
    bytes: rows * 40,
    records: rows,
    blankLines: 0,
    reading: {},
    findings: [],
  })
  admission.commit()
}
