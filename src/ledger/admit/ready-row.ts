import type { Mandate } from '../../domain/mandate/mandate.js'
import type { CheckedRecord } from '../../domain/rule/verdict.js'
import { maskIban } from '../../domain/text/masking.js'
import { upperCase } from '../../domain/text/text.js'
import { FINGERPRINT_BYTES, type Fingerprints } from './fingerprints.js'
import { ROWS_AT_ONCE, type ReadyRow } from '../schema/row-columns.js'

/**
 * With the rules on the creditor identifier lowered, a row may be sent although its key cannot be told. Its two
 * values as they are then stand in for it, so that it is not sent twice either.
 */
export const keyOf = (key: string | null, { original }: Mandate): string =>
  key ?? `?|${original.creditorIdentifier}|${upperCase(original.mandateReference)}`

/** Buffers of a fingerprint that are written over in turn: a row waits together with fewer than ROWS_AT_ONCE others. */
function spareKeys(): () => Buffer {
  const spare = Array.from({ length: 2 * ROWS_AT_ONCE }, () => Buffer.allocUnsafe(FINGERPRINT_BYTES))
  let used = 0
  return () => spare[(used = (used + 1) % spare.length)] ?? Buffer.allocUnsafe(FINGERPRINT_BYTES)
}

/** @returns null for a record that is held back or corrects a row; fingerprints are good for the next rows at once only */
export function prepareReadyRow({
  account,
  content,
}: Fingerprints): (record: CheckedRecord) => ReadyRow | null {
  const accountKey = spareKeys()
  const contentKey = spareKeys()
  return ({ record, line, verdict, corrects, mandateKey, latestFirstDebit, cells }) => {
    if (verdict.kind !== 'sendable' || corrects !== null) return null
    const { mandate } = verdict
    const { customerNo, iban, signedDate, original } = mandate
    return {
      record,
      line,
      customerNo,
      iban,
      ibanMasked: maskIban(iban),
      ibanKey: account(iban, accountKey()),
      signedDate,
      originalCreditorIdentifier: original.creditorIdentifier,
      originalMandateReference: original.mandateReference,
      mandateKey: keyOf(mandateKey, mandate),
      latestFirstDebit,
      cells: JSON.stringify(cells),
      contentKey: content(mandate, contentKey()),
    }
  }
}
