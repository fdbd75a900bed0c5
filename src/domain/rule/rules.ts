import rules from './rules.json' with { type: 'json' }

/** Effect of a rule: an error keeps the row from being sent, a warning is reported, off is silent. */
export type Severity = 'error' | 'warning' | 'off'

interface Rule {
  /** The heading of domain/rulebook.md that says what is checked and where the fact comes from, as an anchor. */
  readonly section: string
  readonly severity: Severity
  /** The state a row takes by this rule as an error; `invalid` when left out. */
  readonly state?: 'excluded' | 'conflict' | 'duplicate'
  /** Marked †: no usable value is left, so the row or file is not sent whatever the severity. */
  readonly unusable?: true
  readonly message: string
  readonly remedy: string
}

/** Not by the import above: its attribute is lost in the declarations that other programs compile against. */
export type RuleId = keyof typeof import('./rules.json')

/** Every rule with its default severity and its text for the operator. */
export const RULES = rules as Readonly<Record<RuleId, Rule>>

/** Severities the configuration changed. */
export type SeverityOverrides = Readonly<Partial<Record<RuleId, Severity>>>

export const ruleOf = (id: RuleId): Rule => RULES[id]

export const isRuleId = (text: string): text is RuleId => Object.hasOwn(RULES, text)

export const severityOf = (id: RuleId, overrides: SeverityOverrides): Severity =>
  overrides[id] ?? RULES[id].severity
