import { RULES, type RuleId } from '../../domain/rule/rules.js'
import { countText, plural } from '../../domain/text/wording.js'
import type { LedgerReader } from '../../ledger/read/reader.js'
import { type Line, type Tone, toned } from './line.js'
import { STILL_NOT_SENT } from '../../domain/rule/verdict.js'

const EXAMPLES = 3
/** Each column of a file wants a decision of its own. */
const MOST_OF_FILE = 20

/** What a rule found, as somebody works it off. */
export interface Todo {
  readonly rule: RuleId
  readonly severity: 'error' | 'warning'
  /** `asked`: the row stays behind because the file or the configuration says so, which is no fault. */
  readonly kind: 'error' | 'warning' | 'asked'
  readonly count: number
}

const ORDER: readonly Todo['kind'][] = ['error', 'warning', 'asked']

/** Every rule with findings: errors first, then warnings, then what the operator asked for; the most frequent first. */
export function todosOf(reader: LedgerReader): Todo[] {
  const todos = reader
    .problemCounts()
    .map(({ rule, severity, count }) => ({ rule, severity, count, kind: kindOf(rule, severity) }))
  return ORDER.flatMap((kind) => todos.filter((todo) => todo.kind === kind))
}

/** An excluded row stays behind on purpose, and of a duplicate the other row is sent. */
function kindOf(id: RuleId, severity: Todo['severity']): Todo['kind'] {
  const rule = RULES[id]
  const isAsked = 'state' in rule && rule.state !== 'conflict'
  return severity === 'error' && isAsked ? 'asked' : severity
}

const HEADINGS = { error: 'error', warning: 'warning', asked: 'left out' } as const
const TONES: Readonly<Record<Todo['kind'], Tone>> = { error: 'bad', warning: 'open', asked: 'soft' }

/** The list for people: rule, count, what it says, three examples with their lines, remedy. */
export function todoLines(reader: LedgerReader, todos: readonly Todo[]): Line[] {
  if (todos.length === 0) return [[toned('good', 'No problems.')]]
  const hasSeveral = reader.sources().length > 1
  const ofKind = (kind: Todo['kind']): number => todos.filter((todo) => todo.kind === kind).length
  const counts = [
    ...(ofKind('error') === 0 ? [] : [plural(ofKind('error'), 'rule is broken', 'rules are broken')]),
    ...(ofKind('warning') === 0 ? [] : [plural(ofKind('warning'), 'warning', 'warnings')]),
    ...(ofKind('asked') === 0
      ? []
      : [plural(ofKind('asked'), 'reason to leave rows out', 'reasons to leave rows out')]),
  ]
  return [
    '',
    [toned('strong', 'To do'), `: ${counts.join(', ')}`],
    ...todos.flatMap((todo) => ['', ...linesOf(reader, todo, hasSeveral)]),
  ]
}

function linesOf(reader: LedgerReader, { rule, severity, kind, count }: Todo, hasSeveral: boolean): Line[] {
  const { message, remedy, ...more } = RULES[rule]
  const examples = reader.problemsOfRule(rule, severity, rule.startsWith('FILE_') ? MOST_OF_FILE : EXAMPLES)
  const isHeld = severity === 'warning' && 'unusable' in more
  const remedies = new Set(examples.map((example) => example.remedy))
  const [only = remedy] = remedies
  return [
    [toned(TONES[kind], HEADINGS[kind].padEnd(8)), ` ${rule}, ${plural(count, 'time', 'times')}`],
    `  ${message}${isHeld ? ` ${STILL_NOT_SENT}` : ''}`,
    ...examples.map((example) => `    ${exampleText(example, message, hasSeveral)}`),
    ...(count > examples.length ? [`    … and ${countText(count - examples.length)} more`] : []),
    `  → ${remedies.size === 1 ? only : remedy}`,
  ]
}

/** Where it is, what was found there, and what the message says beyond the rule. */
function exampleText(
  { source, line, column, value, message }: ReturnType<LedgerReader['problemsOfRule']>[number],
  general: string,
  hasSeveral: boolean,
): string {
  const place = line === null ? [source] : [...(hasSeveral ? [source] : []), `line ${line}`]
  const detail = message.replace(general, '').replace(STILL_NOT_SENT, '').trim()
  const isSaid = value === '' || (line === null && detail.includes(value))
  const found = [...(column === '' ? [] : [column]), ...(isSaid ? [] : [`"${value}"`])].join(' ')
  return [[...place, ...(found === '' ? [] : [found])].join(', '), ...(detail === '' ? [] : [detail])].join(
    ': ',
  )
}
