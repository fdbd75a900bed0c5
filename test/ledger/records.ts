import { type LocalDate, type Mandate, REQUIRED_FIELDS } from '../../src/domain/mandate/mandate.js'
import type { CheckedRecord, RuleId, SourceSummary, Verdict } from '../../src/domain/rule/verdict.js'

/** Invented accounts that pass their checksums. */
export const IBAN = 'DE89370400440532013000'
export const OTHER_IBAN = 'NL91ABNA0417164300'
export const CREDITOR = 'DE98ZZZ09999999999'

export const HEADER = REQUIRED_FIELDS
export const COLUMNS = Object.fromEntries(HEADER.map((name) => [name, name]))

/** So many mandates, each of a customer of its own. */
export const mandates = (count: number, from = 1): Values[] =>
  Array.from({ length: count }, (_, n) => ({ reference: `M-${from + n}`, customerNo: from + n }))

type GivenBack = 'corrects' | 'isUnchanged' | 'isDecided' | 'said'

/** A record; what is not said is that of an ordinary one. */
export interface Values extends Partial<
  Pick<CheckedRecord, GivenBack | 'mandateKey' | 'findings' | 'cells' | 'latestFirstDebit'>
> {
  readonly customerNo?: number
  readonly iban?: string
  readonly signedDate?: string
  readonly creditor?: string
  readonly reference?: string
  /** Default: sendable. */
  readonly verdict?: Verdict['kind']
  /** Of a record that is held back. */
  readonly rule?: RuleId
  /** What could not be read: null. */
  readonly values?: Partial<CheckedRecord['values']>
}

/** A checked record as `source` would hand it over; `record` counts from 1 in `admit`. */
export function recordOf(given: Values = {}, record = 1): CheckedRecord {
  const { customerNo = 1000, iban = IBAN, signedDate = '2020-01-31', creditor = CREDITOR, ...others } = given
  const { reference = 'M-1', verdict = 'sendable', values, rule, ...more } = others
  const original = { creditorIdentifier: creditor, mandateReference: reference }
  const verdicts: Record<typeof verdict, Verdict> = {
    sendable: { kind: 'sendable', mandate: { customerNo, iban, signedDate, original } as Mandate },
    invalid: { kind: 'invalid' },
    conflict: { kind: 'conflict', rule: rule ?? 'STATUS_UNKNOWN' },
    excluded: { kind: 'excluded', rule: rule ?? 'STATUS_NOT_ACTIVE', reason: 'cancelled' },
  }
  return {
    ...{ record, line: record + 1, corrects: null, isUnchanged: false, isDecided: false },
    cells: [String(customerNo), iban, signedDate, creditor, reference],
    verdict: verdicts[verdict],
    values: { ...original, customerNo, iban, signedDate: signedDate as LocalDate, ...values },
    mandateKey: `${creditor.slice(0, 2)}|${creditor.slice(7)}|${reference.toUpperCase()}`,
    latestFirstDebit: null,
    findings: [],
    ...more,
  }
}

export function mandateOf(values: Values = {}): Mandate {
  const { verdict } = recordOf(values)
  if (verdict.kind !== 'sendable') throw new Error('The test expected a mandate')
  return verdict.mandate
}

let files = 0

export function summaryOf(records: number, sha256 = `sha-${String((files += 1))}`): SourceSummary {
  return {
    sha256,
    bytes: records * 80,
    records,
    blankLines: 0,
    reading: {
      encoding: { encoding: 'utf-8', by: 'strict UTF-8' },
      delimiter: { delimiter: ',', by: 'header line' },
    },
    findings: [],
  }
}
