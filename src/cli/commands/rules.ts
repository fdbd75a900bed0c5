import { UsageError } from '../../errors.js'
import type { Command, Context } from '../command.js'
import { orNearest } from '../../domain/text/text.js'
import { EXITS } from '../settings/declared.js'
import { isRuleId, RULES, type RuleId } from '../../domain/rule/verdict.js'

/** Of rules about answers, which come once the row was sent. */
const ofAnswer = (id: RuleId): string | null =>
  id === 'RESPONSE_ECHO_MISMATCH'
    ? 'the row is in doubt, and the run stops, whatever the configuration says'
    : id.startsWith('RESPONSE_')
      ? 'it is told, and the row is registered'
      : null

const EFFECTS = {
  excluded: 'the row is excluded: it stays behind',
  conflict: 'the row is in conflict: it is held back',
  duplicate: 'the row is a duplicate: another one is sent in its place',
} as const

/** A rule as the rulebook of this program has it, with the severity that the configuration gives it. */
function shown(id: RuleId, { settings }: Context) {
  const rule = RULES[id]
  const asError =
    'state' in rule
      ? EFFECTS[rule.state]
      : id.startsWith('FILE_')
        ? 'nothing of the file is admitted'
        : 'the row is invalid: it is not sent'
  const severity = settings.severities[id] ?? rule.severity
  const isHeld = severity === 'error' || 'unusable' in rule
  return {
    id,
    severity,
    default: rule.severity,
    /** What becomes of a row, or of the whole file, that breaks the rule as an error. */
    effect:
      ofAnswer(id) ??
      (isHeld ? asError : severity === 'off' ? 'nothing is told' : 'it is told, and the row is sent'),
    message: rule.message,
    remedy: rule.remedy,
  }
}

const ruleIds = (): RuleId[] => Object.keys(RULES).filter(isRuleId)

export const rulesCommand: Command = {
  usage: 'rules [rule]',
  summary: 'all rules, or what one means and what to do about it',
  examples: ['sepa-migrate rules', 'sepa-migrate rules IBAN_CHECKSUM'],
  options: ['config', 'json', 'noColor'],
  usesNoLedger: true,
  epilogue: ['Under "rules:" in sepa-migrate.yaml each can be set to error, warning or off.'],
  exits: EXITS.plain,
  run: (context) => {
    const [typed] = context.args
    return Promise.resolve(typed === undefined ? list(context) : explain(context, typed))
  },
}

function list(context: Context) {
  const rules = ruleIds().map((id) => shown(id, context))
  const width = Math.max(...rules.map(({ id }) => id.length))
  return {
    lines: [
      ...rules.map(({ id, severity, message }) => `${severity.padEnd(7)} ${id.padEnd(width)}  ${message}`),
      '',
      `One of them in full: sepa-migrate rules ${rules[0]?.id ?? ''}`,
    ],
    details: { rules },
  }
}

function explain(context: Context, typed: string) {
  const id = typed.trim().toUpperCase().replaceAll('-', '_')
  if (!isRuleId(id))
    throw new UsageError(
      `There is no rule "${typed}"${orNearest(id, ruleIds())}`,
      'See all of them with "sepa-migrate rules"',
    )
  const rule = shown(id, context)
  const isChanged = rule.severity !== rule.default
  return {
    lines: [
      `${rule.id} (${rule.severity}${isChanged ? `, by the configuration; ${rule.default} by default` : ''})`,
      `  What it says   ${rule.message}`,
      `  What follows   ${rule.effect}`,
      `  What to do     ${rule.remedy}`,
      `  To change it   rules: { ${rule.id}: ${rule.severity === 'error' ? 'warning' : 'error'} }   in sepa-migrate.yaml`,
    ],
    details: { rule },
  }
}
