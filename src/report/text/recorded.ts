import { STILL_NOT_SENT } from '../../domain/rule/finding.js'
import { isRuleId, RULES } from '../../domain/rule/rules.js'
import { plainText } from '../page/plain-text.js'
import type { Texts } from './en.js'

interface Recorded {
  readonly rule: string
  readonly message: string
  readonly remedy: string
}

/**
 * What was found, in a language: the rule's own text is put into it, what was noted about this one value stands as it was
 * recorded. So does all of it where a version with other texts recorded it.
 */
export function problemMessage({ rule, message }: Recorded, { rules, stillNotSent }: Texts): string {
  if (!isRuleId(rule) || !message.startsWith(RULES[rule].message)) return message
  const detail = message.slice(RULES[rule].message.length)
  const rest = detail.endsWith(STILL_NOT_SENT)
    ? `${detail.slice(0, -STILL_NOT_SENT.length)}${stillNotSent}`
    : detail
  return `${rules[rule].message}${rest}`
}

/** What to do about it: the same. */
export const problemRemedy = ({ rule, remedy }: Recorded, { rules }: Texts): string =>
  isRuleId(rule) && remedy === RULES[rule].remedy ? rules[rule].remedy : remedy

/** What a person decided; the word of another version stands as it was recorded. */
export const decisionWord = (decision: string, { decisionWords }: Texts): string =>
  new Map(Object.entries(decisionWords)).get(decision) ?? plainText(decision).replaceAll('_', ' ')
