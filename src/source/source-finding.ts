import type { Field } from '../domain/mandate/mandate.js'
import { ruleOf, severityOf, type RuleId, type SeverityOverrides } from '../domain/rule/rules.js'
import { type Finding, showValue, STILL_NOT_SENT } from '../domain/rule/verdict.js'

interface FindingDetails {
  readonly field?: Field
  /** As it was read; it is masked here. */
  readonly value?: string
  /** What is seen beyond the rule's text; never an account number. */
  readonly detail?: string
  /** Stands in for the rule's text. */
  readonly message?: string
}

/** A finding of the source itself, on a record or on the file; none when the rule is switched off. */
export function findingOf(
  rule: RuleId,
  severities: SeverityOverrides,
  { field, value = '', detail, message }: FindingDetails,
): readonly Finding[] {
  const severity = severityOf(rule, severities)
  const { unusable = false, ...text } = ruleOf(rule)
  if (severity === 'off' && !unusable) return []
  return [
    {
      rule,
      severity: severity === 'error' ? 'error' : 'warning',
      field: field ?? null,
      value: showValue(value, field),
      message: [
        message ?? text.message,
        ...(message === undefined && detail !== undefined ? [detail] : []),
        ...(unusable && severity !== 'error' ? [STILL_NOT_SENT] : []),
      ].join(' '),
      remedy: text.remedy,
    },
  ]
}
