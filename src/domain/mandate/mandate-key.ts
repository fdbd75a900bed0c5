import { upperCase } from '../text/text.js'

/**
 * The creditor that a cleaned creditor identifier names: `country|national part`.
 * Check digits and business code are no part of the identity.
 */
export const creditorOf = (creditorIdentifier: string): string =>
  `${creditorIdentifier.slice(0, 2)}|${creditorIdentifier.slice(7)}`

/** What identifies a mandate in the ledger and on resume (domain/rulebook.md#mandate-key), from cleaned values. */
export const mandateKey = (creditorIdentifier: string, mandateReference: string): string =>
  `${creditorOf(creditorIdentifier)}|${upperCase(mandateReference)}`
