import { SourceError } from '../errors.js'
import { ruleOf, type RuleId } from '../domain/rules.js'

interface RefusalDetails {
  /** Physical line in the source, from 1. */
  readonly line?: number
  /** What the operator should do; the rule's remedy when left out. */
  readonly next?: string
  readonly cause?: unknown
}

const CONSEQUENCE = 'none of its mandates is sent'

/** A file-level rule was broken (sepa-rules.md 9), so the whole source is refused. */
export function refuse(
  source: string,
  rule: RuleId,
  detail: string,
  details: RefusalDetails = {},
): SourceError {
  const { next = ruleOf(rule).remedy, ...rest } = details
  return new SourceError(`Cannot read the source "${source}": ${detail}, ${CONSEQUENCE}`, next, {
    source,
    rule,
    ...rest,
  })
}

/** The source cannot be opened or read at all; no rule of the rulebook describes it. */
export function unreadable(source: string, detail: string, next: string, cause?: unknown): SourceError {
  return new SourceError(`Cannot open the source "${source}": ${detail}, ${CONSEQUENCE}`, next, {
    source,
    ...(cause === undefined ? {} : { cause }),
  })
}
