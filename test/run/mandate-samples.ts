import type { Mandate } from '../../src/domain/mandate/mandate.js'
import type { CheckedRecord } from '../../src/domain/rule/verdict.js'
import type { Ledger } from '../../src/ledger/file/writer.js'
import type { OpenedSource } from '../../src/source/read-source.js'
import { admit } from '../ledger/campaign-setup.js'
import { recordOf as checkedRecord, summaryOf, type Values } from '../ledger/records.js'
import { germanIban } from '../support/export.js'

/** The mandate of the nth invented customer. */
export const mandateOf = (n: number): Mandate =>
  ({
    customerNo: n,
    iban: germanIban(n),
    signedDate: '2020-02-29',
    original: { creditorIdentifier: 'DE98ZZZ09999999999', mandateReference: `OLD-${n}` },
  }) as Mandate

/** The same, but every third belongs to the customer before it, and every sixth has the account of that one too. */
export const familyMandateOf = (n: number): Mandate => ({
  ...mandateOf(n),
  customerNo: n % 3 === 0 ? n - 1 : n,
  iban: mandateOf(n % 6 === 0 ? n - 1 : n).iban,
})

const HEADER = ['customer_no', 'iban'] as const
const COLUMNS = { customer_no: 'customer_no', iban: 'iban' }

const valuesOf = ({ customerNo, iban, signedDate, original }: Mandate): Values => ({
  customerNo,
  iban,
  signedDate,
  creditor: original.creditorIdentifier,
  reference: original.mandateReference,
  cells: [String(customerNo), iban],
})

/** A record of an export with nothing wrong. */
export const recordOf = (mandate: Mandate, record: number): CheckedRecord =>
  checkedRecord(valuesOf(mandate), record)

/** So many ready rows, out of one export. */
export function admitRows(ledger: Ledger, rows: number, ofNumber = mandateOf): void {
  const values = Array.from({ length: rows }, (_, n) => valuesOf(ofNumber(n + 1)))
  admit(ledger, values, { sha256: 'ab'.repeat(32), header: HEADER, columns: COLUMNS, reading: {} })
}

interface SourceParts {
  readonly isStream?: boolean
  readonly failing?: Error
  readonly onBatch?: () => void
  readonly header?: readonly string[]
}

/** A source with these mandates or records, as if it had been read from a file; `sha256` null as for a stream. */
export function sourceOf(
  name: string,
  given: readonly (number | CheckedRecord)[],
  { isStream = false, failing, onBatch, header = HEADER }: SourceParts = {},
): OpenedSource {
  const sha256 = Buffer.from(name).toString('hex').padEnd(64, '0').slice(0, 64)
  return {
    name,
    sha256: isStream ? null : sha256,
    header: [...header],
    columns: COLUMNS,
    amendments: [],
    byPosition: [],
    isResultFile: false,
    ofOthers: new Map(),
    reading: {},
    records: async function* (signal) {
      for (const [index, one] of given.entries()) {
        await Promise.resolve()
        signal?.throwIfAborted()
        yield [typeof one === 'number' ? recordOf(mandateOf(one), index + 1) : one]
        onBatch?.()
      }
      if (failing !== undefined) throw failing
    },
    summary: () => ({ ...summaryOf(given.length, sha256), reading: {} }),
  }
}
