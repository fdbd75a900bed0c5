import { checkCreditorIdentifier, isSameCreditor } from './creditor-identifier.js'
import { checkMandateReference } from './mandate-reference.js'
import type { AssignedIdentity, Mandate } from '../mandate/mandate.js'
import { severityOf, type RuleId, type SeverityOverrides } from '../rule/rules.js'
import { cleanCell, printable, upperCase } from '../text/text.js'

const isSameReference = (a: string, b: string): boolean => upperCase(cleanCell(a)) === upperCase(cleanCell(b))

const hasUsualForm = ({ creditorIdentifier, mandateReference }: AssignedIdentity): boolean =>
  checkCreditorIdentifier(creditorIdentifier).usable && checkMandateReference(mandateReference).usable

/** A SEPA identifier has at most 35 characters; this is room for a service that sees it otherwise. */
const LONGEST_IDENTIFIER = 140

/**
 * Why an assigned identifier cannot be taken as it stands: people could not tell it from another one, or it is no
 * identifier at all. Completes "it …"; null where it can.
 */
export function whyUnusable(identifier: string): string | null {
  if (identifier.trim() !== identifier) return 'begins or ends with a blank'
  if (printable(identifier) !== identifier) return 'holds a control or an invisible character'
  if (identifier.length > LONGEST_IDENTIFIER) return `is longer than ${LONGEST_IDENTIFIER} characters`
  return null
}

/**
 * What is odd about the identifiers the service assigned (domain/rulebook.md#answers). They are kept as they came and
 * never fail a row. The form is judged by the default severities: an override meant for the old identifiers says
 * nothing here.
 * @returns the rules that were seen, without those that are off
 */
export function noteAssigned(
  request: Mandate,
  assigned: AssignedIdentity,
  severities: SeverityOverrides = {},
): RuleId[] {
  const { original } = request
  const seen: RuleId[] = []
  if (isSameCreditor(original.creditorIdentifier, assigned.creditorIdentifier))
    seen.push('RESPONSE_CI_UNCHANGED')
  if (isSameReference(original.mandateReference, assigned.mandateReference))
    seen.push('RESPONSE_UMR_UNCHANGED')
  if (!hasUsualForm(assigned)) seen.push('RESPONSE_IDENTIFIER_FORMAT')
  return seen.filter((rule) => severityOf(rule, severities) !== 'off')
}
