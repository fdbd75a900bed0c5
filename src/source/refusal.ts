import { SourceError } from '../errors.js'
import { type Finding, ruleOf, type RuleId } from '../domain/rule/verdict.js'

/** Sources are admitted all together or not at all, so one that is refused keeps everything back. */
const refusal = (source: string, detail: string): string =>
  `Cannot read the source "${source}": ${detail}; nothing was sent`

/**
 * A file-level rule was broken (domain/rulebook.md#file-rules), so the whole source is refused.
 * @param line physical line in the source, from 1
 * @param next what the operator should do; the rule's remedy when left out
 */
export function refuse(
  source: string,
  rule: RuleId,
  detail: string,
  { next = ruleOf(rule).remedy, ...rest }: { line?: number; next?: string; cause?: unknown } = {},
): SourceError {
  return new SourceError(refusal(source, detail), next, { source, rule, ...rest })
}

/** The source cannot be opened or read at all, or is not what the configuration says; no rule describes it. */
export const unreadable = (source: string, detail: string, next: string, cause?: unknown): SourceError =>
  new SourceError(refusal(source, detail), next, { source, cause })

/** A broken file rule keeps the whole file back, by default or because the configuration raised it to an error. */
export function refuseByFinding(source: string, findings: readonly Finding[]): void {
  const errors = findings.filter(({ severity }) => severity === 'error')
  const [first] = errors
  if (first === undefined) return
  const rules = [...new Set(errors.map(({ rule }) => rule))]
  const texts = rules.map((rule) => tellAll(rule, errors)).join('; ')
  const isRaised = ruleOf(first.rule).severity !== 'error'
  throw refuse(source, first.rule, `${isRaised ? 'the configuration makes this an error: ' : ''}${texts}`)
}

/** What a rule says, once, and then each thing it says it of. */
function tellAll(rule: RuleId, findings: readonly Finding[]): string {
  const { message: general } = ruleOf(rule)
  const [first = '', ...others] = findings.filter((one) => one.rule === rule).map(({ message }) => message)
  return [first, ...others.map((message) => message.replace(general, '').trim())]
    .map((message) => message.replace(/\.$/, ''))
    .join('. ')
    .concat(` (${rule})`)
}
