import type { Field } from '../mandate/mandate.js'
import { maskAccountCell, maskAccounts } from '../text/masking.js'
import { ruleOf, severityOf, type RuleId, type SeverityOverrides } from './rules.js'
import { printable } from '../text/text.js'
import type { Finding } from './verdict.js'

/**
 * What the checks of one value say (domain/rulebook.md#order-of-evaluation). `value` is the cleaned value as far as
 * it could be read, also when an error keeps it from being sent; `usable` is true when nothing does.
 */
export type Checked<Usable, Readable = Usable> =
  | { readonly usable: true; readonly value: Usable; readonly findings: readonly Finding[] }
  | { readonly usable: false; readonly value: Readable | null; readonly findings: readonly Finding[] }

/** The checks of one value under way. */
export interface ValueCheck {
  readonly field: Field
  readonly raw: string
  readonly severities: SeverityOverrides
  readonly findings: Finding[]
}

const LONGEST_SHOWN = 120
/** Shared, since most values have none. */
export const NO_FINDINGS: readonly Finding[] = []
/** Of a rule that leaves nothing to send, whatever its severity. */
export const STILL_NOT_SENT = 'Its severity was lowered, but no usable value is left, so the row is not sent.'

/** A value as a report may show it: accounts masked, unprintable characters as code points, capped. */
export function showValue(raw: string, field: Field | null = null): string {
  const masked = field === 'iban' ? maskAccountCell(raw) : maskAccounts(raw)
  if (masked.length <= LONGEST_SHOWN) return printable(masked)
  return `${printable(masked.slice(0, LONGEST_SHOWN))}…`
}

export const startCheck = (field: Field, raw: string, severities: SeverityOverrides): ValueCheck => ({
  field,
  raw,
  severities,
  findings: [],
})

/**
 * Notes that a value broke a rule.
 * A rule marked † leaves no value, so it is reported and ends the checks whatever its severity.
 * @param detail what this value shows beyond the rule's text; never an account number
 * @param better what to do about this value, where the rule's remedy is too general
 * @returns true when this ends the checks of the field
 */
export function breaks(check: ValueCheck, rule: RuleId, detail?: string, better?: string): boolean {
  const severity = severityOf(rule, check.severities)
  const { message, remedy, unusable = false } = ruleOf(rule)
  if (severity === 'off' && !unusable) return false
  const isError = severity === 'error'
  const parts = [message]
  if (detail !== undefined) parts.push(detail)
  if (unusable && !isError) parts.push(STILL_NOT_SENT)
  check.findings.push({
    rule,
    severity: isError ? 'error' : 'warning',
    field: check.field,
    value: showValue(check.raw, check.field),
    message: parts.join(' '),
    remedy: better ?? remedy,
  })
  return isError || unusable
}

/** No error was found: the value may be sent. */
export const usable = <Usable>(check: ValueCheck, value: Usable): Checked<Usable, never> => ({
  usable: true,
  value,
  findings: check.findings,
})

/** The short answer to a plain value, of which no rule says anything whatever its severity. */
export const plainlyUsable = <Usable>(value: Usable): Checked<Usable, never> => ({
  usable: true,
  value,
  findings: NO_FINDINGS,
})

/** An error ended the checks; `value` is what could be read until then. */
export const unusable = <Readable>(check: ValueCheck, value: Readable | null): Checked<never, Readable> => ({
  usable: false,
  value,
  findings: check.findings,
})
