import type { Field, LocalDate, Mandate } from '../mandate/mandate.js'
import { maskAccountCell, maskAccounts } from '../text/accounts.js'
import { firstOf, plural, printable, said } from '../text/text.js'
import type { DecidedFormat } from '../mandate/date.js'
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

/** What may be set. The rulebook has one more, of a second opinion on accounts, which nobody asks for. */
export const SETTABLE_RULES = Object.keys({ ...RULES, IBAN_LIBRARY_DISAGREES: null }) as [RuleId, ...RuleId[]]

/** Severities the configuration changed. */
export type SeverityOverrides = Readonly<Partial<Record<RuleId, Severity>>>

export const ruleOf = (id: RuleId): Rule => RULES[id]

export const isRuleId = (text: string): text is RuleId => Object.hasOwn(RULES, text)

export const severityOf = (id: RuleId, overrides: SeverityOverrides): Severity =>
  overrides[id] ?? RULES[id].severity

/** One problem of one value, row or file. It never holds a full account number. */
export interface Finding {
  readonly rule: RuleId
  readonly severity: 'error' | 'warning'
  readonly field: Field | null
  /** The value as the report may show it: accounts masked, unprintable characters as code points. */
  readonly value: string
  readonly message: string
  readonly remedy: string
}

/**
 * What the checks of one record say on its own; rules across rows come at admission
 * (domain/rulebook.md#rules-across-rows).
 */
export type Verdict =
  | { readonly kind: 'sendable'; readonly mandate: Mandate }
  | { readonly kind: 'invalid' }
  /** Complete, and a person has to say whether it may be sent. */
  | { readonly kind: 'conflict'; readonly rule: RuleId }
  | { readonly kind: 'excluded'; readonly rule: RuleId; readonly reason: string }

/** The required values as far as they could be read, for display and for rules across rows. */
export interface ReadableValues {
  readonly customerNo: number | null
  readonly iban: string | null
  readonly signedDate: LocalDate | null
  readonly creditorIdentifier: string | null
  readonly mandateReference: string | null
}

/** One CSV record after all its own checks: what `source` hands to `ledger.admit`. */
export interface CheckedRecord {
  /** Counts data records from 1. */
  readonly record: number
  /** Physical line of the file, from 1, where the record begins. */
  readonly line: number
  /** The cells as they were read, in the order of the header. */
  readonly cells: readonly string[]
  readonly verdict: Verdict
  readonly values: ReadableValues
  /** `country|national part|UPPER-CASED UMR` when both can be read (domain/rulebook.md#mandate-key), else null. */
  readonly mandateKey: string | null
  /** The ledger row this record says it corrects (`migration_row`); 0 where it does not say which; null for an export. */
  readonly corrects: number | null
  /** Given back as it was: every cell that counts is the one of the row it names, however it was saved since. */
  readonly isUnchanged?: boolean
  /** A person wrote beside the row that it is right as it stands (`migration_decision`: send). */
  readonly isDecided?: boolean
  /** What the line says of who corrected it, why, and which comparison and problem its list knows of as the latest (0: of none). */
  readonly said?: Readonly<
    Record<'by' | 'reason', string | null> & Partial<Record<'comparison' | 'problem', number>>
  >
  /** Until when the first debit must run (domain/rulebook.md#last-collection), where it can be told. */
  readonly latestFirstDebit: LocalDate | null
  /** In rule order; the column each belongs to is known from the header mapping of the source. */
  readonly findings: readonly Finding[]
}

/** What is known of a source once it was read to its end. */
export interface SourceSummary {
  readonly sha256: string
  readonly bytes: number
  /** Data records read: the control total that the states must add up to. */
  readonly records: number
  readonly blankLines: number
  readonly reading: SourceReading
  /** FILE_* and crosswalk findings on the whole file. */
  readonly findings: readonly Finding[]
}

/**
 * What the checks of one value say (domain/rulebook.md#order-of-evaluation). `value` is the cleaned value as far as
 * it could be read, also when an error keeps it from being sent; `usable` is true when nothing does.
 */
export type Checked<Usable, Readable = Usable> =
  | { readonly usable: true; readonly value: Usable; readonly findings: readonly Finding[] }
  | { readonly usable: false; readonly value: Readable | null; readonly findings: readonly Finding[] }

const LONGEST_SHOWN = 120
/** Shared, since most values have none. */
export const NO_FINDINGS: readonly Finding[] = []
/** Most records have none. */
export function joinFindings(...lists: readonly (readonly Finding[])[]): readonly Finding[] {
  for (const list of lists) if (list.length > 0) return lists.flat()
  return NO_FINDINGS
}

/** Of a rule that leaves nothing to send, whatever its severity. */
export const STILL_NOT_SENT = 'Its severity was lowered, but no usable value is left, so the row is not sent.'

/** A value as a report may show it: accounts masked, unprintable characters as code points, capped. */
export function showValue(raw: string, field: Field | null = null): string {
  const masked = field === 'iban' ? maskAccountCell(raw) : maskAccounts(raw)
  if (masked.length <= LONGEST_SHOWN) return printable(masked)
  return `${printable(masked.slice(0, LONGEST_SHOWN))}…`
}

interface FindingDetails {
  readonly field?: Field
  /** As it was read; it is masked here. */
  readonly value?: string
  /** What is seen beyond the rule's text; never an account number. */
  readonly detail?: string | undefined
  /** Stand in for the rule's own. */
  readonly message?: string
  readonly remedy?: string | undefined
}

/** What a rule says of a value, a record or a file; none when it is switched off. */
export function findingOf(
  rule: RuleId,
  severities: SeverityOverrides,
  { field, value = '', detail, message, remedy }: FindingDetails,
): readonly Finding[] {
  const severity = severityOf(rule, severities)
  const { unusable = false, ...text } = ruleOf(rule)
  if (severity === 'off' && !unusable) return NO_FINDINGS
  const isError = severity === 'error'
  const parts = [message ?? text.message, message === undefined ? detail : undefined]
  if (unusable && !isError) parts.push(STILL_NOT_SENT)
  return [
    {
      rule,
      severity: isError ? 'error' : 'warning',
      field: field ?? null,
      value: showValue(value, field),
      message: parts.filter((part) => part !== undefined).join(' '),
      remedy: remedy ?? text.remedy,
    },
  ]
}

/** The checks of one value under way. */
export type ValueCheck = ReturnType<typeof startCheck>

export function startCheck(field: Field, value: string, severities: SeverityOverrides) {
  const findings: Finding[] = []

  /**
   * Notes that the value broke a rule.
   * A rule marked † leaves no value, so it is reported and ends the checks whatever its severity.
   * @param detail what this value shows beyond the rule's text; never an account number
   * @param remedy what to do about this value, where the rule's own is too general
   * @returns true when this ends the checks of the field
   */
  function breaks(rule: RuleId, detail?: string, remedy?: string): boolean {
    const [finding] = findingOf(rule, severities, { field, value, detail, remedy })
    if (finding === undefined) return false
    findings.push(finding)
    return finding.severity === 'error' || ruleOf(rule).unusable === true
  }

  const unusable = <Readable>(read: Readable | null): Checked<never, Readable> => ({
    usable: false,
    value: read,
    findings,
  })
  return {
    findings,
    breaks,
    /** An error ended the checks; `read` is what could be read until then. */
    unusable,
    /** What was read may be sent unless an error ended the checks. */
    checked: <Read>(ended: boolean, read: Read): Checked<Read> =>
      ended ? unusable(read) : { usable: true, value: read, findings },
    /** A rule is broken, and nothing can be read. */
    lost: (...broken: Parameters<typeof breaks>): Checked<never, never> => {
      breaks(...broken)
      return unusable(null)
    },
  }
}

/** The short answer to a plain value, of which no rule says anything whatever its severity. */
export const plainlyUsable = <Usable>(value: Usable): Checked<Usable, never> => ({
  usable: true,
  value,
  findings: NO_FINDINGS,
})

/** What was found out about a source before its first record: how it is written, and which column feeds which field. */
export interface LayoutReading {
  readonly encoding?: { readonly encoding: string; readonly by: string }
  readonly delimiter?: { readonly delimiter: string; readonly by: string }
  /** The sheet of a workbook. */
  readonly sheet?: string
  /** What of it a person does not see, and whether that counts, as the configuration says. */
  readonly hidden?: { readonly what: string; readonly decided: 'read' | 'skip' }
  /** Of a collection file: its version, and how much it holds. */
  readonly collections?: string
  /** Physical line on which the header begins. */
  readonly headerLine?: number
  readonly skipLines?: number
  readonly skipFooterLines?: number
  /** One of this program's own files, given back. */
  readonly resultFile?: boolean
  /** The known system that the source was read as, and what it says of a mandate that this source does not. */
  readonly profile?: { readonly id: string; readonly name: string; readonly lacks: readonly string[] }
  /** The header name that feeds each field, or the template that makes the reference. */
  readonly columns?: Readonly<Record<string, string>>
  /** The creditor identifier of every row, where no column gives it. */
  readonly constantCreditorIdentifier?: string | null
  readonly dateFormats?: { readonly signedDate?: DecidedFormat; readonly lastCollection?: DecidedFormat }
  readonly transforms?: Readonly<Record<string, readonly unknown[]>>
  readonly exclude?: readonly { readonly column: unknown; readonly reason: string }[]
  readonly ignoredColumns?: readonly unknown[]
  readonly crosswalk?: SecondReading | null
  readonly joined?: readonly SecondReading[]
}

interface SecondReading extends Readonly<Record<'name' | 'sha256', string>> {
  readonly lines: number
  /** Where columns of it are given by their position. */
  readonly header?: readonly string[]
  /** It names a status of some mandates that live, and none of others: of these it says nothing. */
  readonly hasNoWord?: true
}

/** What the words of one column were understood to say, with how many cells hold each. */
export interface WordsReading {
  readonly column: string
  /** Set where the column holds more different words than are counted. */
  readonly tooManyWords?: string
  /** In words: what stays behind by this column. */
  readonly staysBehind?: string
  readonly keptBack?: Readonly<Record<string, number>>
  readonly goes?: Readonly<Record<string, number>>
  readonly notUnderstood?: Readonly<Record<string, number>>
  /** Rows in which a status is left empty. */
  readonly empty?: number
}

/** A column that tells which mandates have ended, of which an empty cell tells nothing. */
export interface SilentColumn {
  /** As the configuration names it for an exclude rule. */
  readonly column: string | number
  readonly field?: 'status' | 'sequence' | 'scheme'
  /** Where its cells stand, from 0. */
  readonly at: number
  /** All of its cells are empty; else others have words for what lives. */
  readonly isWhole: boolean
}

/**
 * How a source was read, for the operator and for reports: names, settings and counts, never a whole cell. Everything is
 * optional, because a ledger of an earlier version holds less.
 */
export interface SourceReading extends LayoutReading {
  /** The configuration that it was read by, and a digest of what that said under each key that has to do with it. */
  readonly configuration?: string | null
  /** Where that lay from the folder of the ledger. */
  readonly fromLedger?: string | null
  readonly said?: Readonly<Record<string, string>>
  /** What the command line said besides, which holds when its records are read again. */
  readonly byFlag?: { readonly sheet?: string | undefined; readonly ignoreColumns?: readonly string[] }
  /** The file itself was read, in the place of all that was not sent. */
  readonly wasGiven?: true | undefined
  /** What that changed. */
  readonly again?: string
  /** It says otherwise: what was sent up to this attempt, as this configuration read it, may be wrong. */
  readonly doubts?: { readonly attempt: number; readonly configuration: string | null } | undefined
  /** Lines before the header and behind the last record, masked and capped. */
  readonly leftOut?: { readonly beforeHeader?: readonly string[]; readonly atEnd?: readonly string[] }
  /** Columns that nobody decided about, each with what to write. */
  readonly undecided?: readonly string[]
  /** Columns of few values that nothing uses, where another one is used as status; each with its values. */
  readonly mayBeStatus?: readonly string[]
  /** All other columns that nothing uses, each with why it needs no answer. */
  readonly notUsed?: readonly string[]
  /** By field: status, sequence, scheme. */
  readonly words?: Readonly<Record<string, WordsReading>>
  readonly silent?: readonly SilentColumn[]
  /** The first references that a template made. */
  readonly references?: readonly string[]
}

/** What a source was taken for, what of it was left out, and what its references were made of; nothing of most. */
export const readAsTexts = ({
  again,
  profile,
  columns = {},
  references = [],
  joined,
  hidden,
}: SourceReading): string[] =>
  said([
    again !== undefined && again,
    hidden?.decided === 'skip' && `left out, as source.hidden says: ${hidden.what}`,
    ...(joined ?? []).map(({ name, lines }) => `joined with ${name} (${plural(lines, 'line', 'lines')})`),
    profile !== undefined && `looks like ${profile.name}, read by the profile ${profile.id}`,
    profile !== undefined &&
      profile.lacks.length > 0 &&
      `has no column ${profile.lacks.join(', ')}, by which ${profile.name} keeps mandates back`,
    references.length > 0 &&
      `references made as ${columns['unique_mandate_reference'] ?? ''}: ${references.join(', ')}`,
  ])

/** Names of exports in which no column says which mandates are active, as they were read last; one that keeps rows back says so too. */
export const treatedAsActive = (
  sources: readonly { readonly name: string; readonly origin: number; readonly reading: SourceReading }[],
): readonly string[] => {
  const latest = [...new Map(sources.map((source) => [source.origin, source])).values()]
  const isAsked = ({ columns, exclude = [], resultFile = false }: SourceReading): boolean =>
    columns === undefined || resultFile || exclude.length > 0 || columns['status'] !== undefined
  return [...new Set(latest.flatMap(({ name, reading }) => (isAsked(reading) ? [] : [name])))]
}

const MOST_NAMED = 3

/** The same for people who are about to send or to sign; empty where every export says it. */
export function treatedAsActiveText(names: readonly string[]): string {
  if (names.length === 0) return ''
  const named = names.map((name) => `"${name}"`)
  return `No column of ${firstOf(named, MOST_NAMED)} says which mandates are active: every mandate is treated as active`
}

/** What is said of a creditor, a filler or a day of collection holds for all rows that have it. */
const OF_THE_VALUE: ReadonlySet<RuleId> = new Set([
  'CI_LENGTH_UNCONFIRMED',
  'CI_LENGTH_UNKNOWN',
  'DATE_LEGACY_DEFAULT',
  'LAST_COLLECTION_FUTURE',
])
/** A file with more such values than these is damaged as a whole. */
const MOST_VALUES = 1000

/** Leaves warnings about such a value to the first record of a file that has it. Errors stay with each row. */
export function tellOnce(): (checked: CheckedRecord) => CheckedRecord {
  const told = new Set<string>()

  function isNew({ rule, severity, value }: Finding): boolean {
    if (severity === 'error' || !OF_THE_VALUE.has(rule)) return true
    const key = `${rule} ${value}`
    if (told.has(key)) return false
    if (told.size < MOST_VALUES) told.add(key)
    return true
  }

  return (checked) => {
    if (checked.findings.length === 0) return checked
    const findings = checked.findings.filter(isNew)
    return findings.length === checked.findings.length ? checked : { ...checked, findings }
  }
}
