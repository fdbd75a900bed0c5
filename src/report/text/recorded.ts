import { STILL_NOT_SENT } from '../../domain/rule/finding.js'
import { NO_REASON } from '../../domain/row/correction.js'
import { isRuleId, RULES } from '../../domain/rule/rules.js'
import { plainText } from '../page/plain-text.js'
import { en, type Texts } from './en.js'

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

/** Why somebody decided, in their own words; that nobody said so is told in the language of the page. */
export const decisionReason = (reason: string, { decisions }: Texts): string =>
  reason === NO_REASON ? decisions.noReason : reason

type Reasons = Texts['reasons']
type Form = string | ((...parts: string[]) => string)
type Forms = Readonly<Record<string, Form>>
type Group = Exclude<keyof Reasons, 'withoutId' | 'noError'>
type Part = Group | 'number' | 'text' | 'said' | 'sources' | 'id' | 'code'

/** What stands in the parts of a form, in their order; a form that is not here has nothing but text in it. */
const PARTS: Readonly<Partial<Record<string, readonly Part[]>>> = {
  'unsent.proxyAnswered': ['number'],
  'source.withReference': ['id', 'text'],
  'source.alone': ['id'],
  'unread.nothingSent': ['unsent', 'code'],
  'unread.broken': ['broken', 'code'],
  'unread.notWhole': ['number', 'broken', 'code'],
  'unread.answeredSaying': ['number', 'said'],
  'unread.answered': ['number'],
  'unread.notAList': ['number', 'text'],
  'unread.notComparable': ['compared'],
  'sentence.nothingSent': ['unsent', 'code'],
  'sentence.mayBeApplied': ['broken', 'code'],
  'sentence.cutProbablyApplied': ['number', 'broken', 'code'],
  'sentence.cut': ['number', 'broken', 'code'],
  'sentence.answeredSaying': ['number', 'said', 'consequence'],
  'sentence.answered': ['number', 'consequence'],
  'sentence.complete': ['number'],
  'sentence.nothingElse': ['number'],
  'sentence.notJson': ['number'],
  'sentence.notUsable': ['number', 'text'],
  'sentence.otherField': ['number', 'text'],
  'sentence.heldBack': ['held', 'sources'],
  'sentence.askedFirst': ['unread'],
}

/**
 * Why a row is in doubt, was refused or not sent. A form of words is known by the whole of its English text; what this
 * version does not know stands as it was recorded.
 */
export const reasonText = (reason: string, texts: Texts): string =>
  texts.reasons === en.reasons ? reason : inGroup('sentence', reason, texts)

function inGroup(group: Group, text: string, texts: Texts): string {
  for (const [key, { parts, pattern }] of patternsOf(group)) {
    const found = pattern.exec(text)
    const form = found === null ? undefined : formsOf(texts.reasons, group)[key]
    if (found === null || form === undefined) continue
    return typeof form === 'string'
      ? form
      : form(...found.slice(1).map((part, n) => partText(parts[n] ?? 'text', part, texts)))
  }
  return text
}

/** A question that did not leave says so in the words of a mandate that did not. */
const formsOf = (reasons: Reasons, group: Group): Forms =>
  group === 'unread' ? { nothingSent: reasons.sentence.nothingSent, ...reasons.unread } : reasons[group]

function partText(kind: Part, text: string, texts: Texts): string {
  switch (kind) {
    case 'number':
    case 'text':
      return text
    case 'code':
      return text === en.reasons.noError ? texts.reasons.noError : text
    case 'said':
      // Code, field and words of the service: one word of it is ours, which tells that the second is a field.
      return text.replace(
        /^([^\s,]+, )?field ([^\s,]+)(?=, |$)/,
        (_, code: string | undefined, field: string) => `${code ?? ''}${texts.explanation.field(field)}`,
      )
    case 'sources':
      return text
        .split('; ')
        .map((source) => inGroup('source', source, texts))
        .join('; ')
    case 'id': {
      const { withoutId } = en.reasons
      return text.startsWith(withoutId) ? `${texts.reasons.withoutId}${text.slice(withoutId.length)}` : text
    }
    default:
      return inGroup(kind, text, texts)
  }
}

interface Pattern {
  readonly parts: readonly Part[]
  readonly pattern: RegExp
}

const known = new Map<Group, ReadonlyMap<string, Pattern>>()

function patternsOf(group: Group): ReadonlyMap<string, Pattern> {
  const made =
    known.get(group) ??
    new Map(
      Object.entries(formsOf(en.reasons, group)).map(([key, form]) => {
        const parts = PARTS[`${group}.${key}`] ?? []
        return [key, { parts, pattern: new RegExp(`^${sourceOf(form, parts, '(')}$`, 's') }]
      }),
    )
  known.set(group, made)
  return made
}

/** @param open how a part begins: `(` where it is to be read */
function sourceOf(form: Form, parts: readonly Part[], open: '(' | '(?:'): string {
  const said = typeof form === 'string' ? form : form(...Array<string>(form.length).fill('\0'))
  const [first = '', ...others] = said.split('\0').map((text) => text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'))
  return first + others.map((text, n) => `${open}${partSource(parts[n] ?? 'text')})${text}`).join('')
}

function partSource(kind: Part): string {
  switch (kind) {
    case 'number':
      return '\\d+'
    case 'text':
    case 'code':
    case 'said':
    case 'sources':
    case 'id':
      return '.*'
    default:
      return Object.entries(formsOf(en.reasons, kind))
        .map(([key, form]) => sourceOf(form, PARTS[`${kind}.${key}`] ?? [], '(?:'))
        .join('|')
  }
}
