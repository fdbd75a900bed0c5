import type { Absence } from '../../domain/proof/read-back.js'
import type { ClosedLines, ComparedLine } from '../../ledger/compare/comparison-reads.js'
import { waitingText } from '../../domain/row/cut-over.js'
import type { RowState } from '../../domain/row/row-state.js'
import type {
  CampaignRecord,
  PlanRecord,
  RowRecord,
  RunRecord,
  DecisionRecord,
  ProblemRecord,
  VerifiedRow,
} from '../../ledger/read/reader.js'
import { comparedReference, type KeptSource } from '../../domain/proof/match-sources.js'
import { maskedText } from '../../domain/text/accounts.js'
import { isRuleId, RULES } from '../../domain/rule/verdict.js'
import { timeText } from '../../domain/text/text.js'

/** A row as a list to decide in names it. */
export interface NamedRow {
  readonly row: RowRecord
  readonly campaign: CampaignRecord
}

export interface OpenRow extends NamedRow {
  readonly explanation: Explanation
  /** Null where the service was not asked about it. */
  readonly absence: Absence | null
}

/** A line of a comparison that nobody has closed. */
export interface CutOverLine extends NamedRow {
  readonly compared: ComparedLine
  /** Ids of payment sources that a read-back showed of it. */
  readonly paymentSources: readonly string[]
}

/**
 * The parts the rows of a ledger fall into; each row is in exactly one. States stand in the order of a report: what was
 * achieved, what is open, what is closed.
 */
export const PART_OF_STATE = {
  registered: 'registered',
  in_doubt: 'inDoubt',
  sending: 'inDoubt',
  refused: 'refused',
  ready: 'notSent',
  invalid: 'corrections',
  conflict: 'corrections',
  excluded: 'notSent',
  duplicate: 'notSent',
  superseded: 'closed',
  written_off: 'closed',
} as const satisfies Record<RowState, string>
export const REPORT_ORDER = Object.keys(PART_OF_STATE) as readonly RowState[]

export type ReportPart = (typeof PART_OF_STATE)[RowState]

/** A line that was given back and could not be taken: the row it names stays as it was. */
export const isNotTaken = ({ corrects, countedIn, state }: RowRecord): boolean =>
  corrects !== null && countedIn === null && state !== 'duplicate' && state !== 'superseded'

/**
 * Of a row that a page brings whole: those that are registered and count come without their requests. Rows that no total
 * counts are history, but for a correction that was not taken, of which somebody should read.
 */
export function partOf(row: RowRecord): Exclude<ReportPart, 'registered'> {
  const part = PART_OF_STATE[row.state]
  if (row.countedIn !== null && part !== 'registered') return part
  return isNotTaken(row) ? 'notSent' : 'closed'
}

/** The folder of the lists to work in: no manifest names them, so that working in them changes no report. */
export const TO_DO = 'to-do'

/** Where the file of each part is in the folder of a report. */
export const PLACE_OF_PART = {
  registered: 'registered.csv',
  refused: `${TO_DO}/refused.csv`,
  corrections: `${TO_DO}/corrections.csv`,
  inDoubt: `${TO_DO}/in-doubt.csv`,
  notSent: `${TO_DO}/not-sent.csv`,
} as const satisfies Record<Exclude<ReportPart, 'closed'>, string>

/** What belongs to the pack, and what it was made from. */
export const MANIFEST_FILE = 'manifest.json'

/** Written only where registered rows were read back. */
export const VERIFICATION_FILE = 'verification.csv'

/** Every decision of the ledger in the order in which it was recorded. */
export const DECISIONS_FILE = 'decisions.csv'

/** Written only where something of the cut-over is open. */
export const CUT_OVER_FILE = `${TO_DO}/cut-over.csv`

/** Written where it is asked for: what one run registered. */
export const TO_CANCEL_FILE = `${TO_DO}/to-cancel.csv`

/** The lists of what is open as sheets of one workbook. */
export const TO_DO_WORKBOOK = `${TO_DO}/to-do.xlsx`

/** Languages in which people can read a report. The files that programs read are the same in all of them. */
export const LANGUAGES = ['en', 'de', 'fr', 'it', 'es', 'sv'] as const
export type Language = (typeof LANGUAGES)[number]

export const NOTHING_TOLD = {
  /** Whose mandates these are. */
  company: null as string | null,
  /** The former provider. */
  from: null as string | null,
}
/** What a report is told besides the ledger: its manifest holds it, so that the report can be written again. */
export type Told = Readonly<typeof NOTHING_TOLD>

export const idsText = (runs: readonly RunRecord[]): string => runs.map(({ id }) => id).join(', ')

/** Mandates on those lines of a comparison. */
export const countedOn = (lines: readonly ClosedLines[], isOne: (line: ClosedLines) => boolean): number =>
  lines.reduce((sum, line) => sum + (isOne(line) ? line.count : 0), 0)

export const hasSent = ({ attempts }: RunRecord): boolean =>
  Object.values(attempts).some((count) => count > 0)

/** The runs that sent something under a plan. */
export const runsUnder = ({ digest }: PlanRecord, runs: readonly RunRecord[]): string =>
  idsText(runs.filter((run) => run.settings.plan === digest && hasSent(run)))

/** Why a row is where it is and what a person should do, for the result files and the lists. */
export interface Explanation {
  readonly rule: string
  /** HTTP status of the last answer, or empty. */
  readonly status: string
  readonly message: string
  readonly remedy: string
  /** Columns of the export, or fields, whose cells are wrong. */
  readonly wrong: readonly string[]
}

/** What the ledger knows of a row besides the row itself. */
interface RowBackground {
  readonly problems: readonly ProblemRecord[]
  /** The latest decision of a person. */
  readonly decision: DecisionRecord | null
  /** What the latest comparison says of its mandate. */
  readonly compared: Parameters<typeof waitingText>[0] | null
}

/** What a state says of a row; what is left out is empty. */
type Stated = Partial<Explanation> & Pick<Explanation, 'message'>

/** In English, on the page of every language too: what was recorded stands as it was recorded, and advice beside it. */
export function explain(row: RowRecord, background: RowBackground): Explanation {
  const [said, former] = [explainState(row, background), formerDoubt(row)]
  const compared = background.compared === null ? null : waitingText(background.compared)
  const begun = said.message === '' ? '' : `${said.message.replace(/[.!]?$/, '.')} `
  const more = [former, compared?.message].filter((text) => text != null)
  return {
    ...{ rule: row.rule ?? '', status: String(row.lastAttempt?.status ?? ''), remedy: '', wrong: [] },
    ...said,
    ...(more.length === 0 ? {} : { message: begun + more.join(' ') }),
    ...(compared?.remedy === undefined ? {} : { remedy: compared.remedy }),
  }
}

/** What was ever in doubt says so, whatever it was called since: the late request may have been applied. */
function formerDoubt({ id, state, formerDoubt: decidedOn, lastAttempt }: RowRecord): string | null {
  const isClosed = state === 'written_off' && lastAttempt?.outcome === 'in_doubt'
  const former = isClosed ? { ...lastAttempt, rowId: id } : decidedOn
  if (former === null) return null
  const which = former.rowId === id ? 'It' : `Row ${former.rowId} of this mandate`
  const doubt = `${which} was in doubt: ${leftText(former.started)} ${timeText(former.startedAt)} (id ${former.requestId})`
  return state === 'registered' || former.started === false
    ? `${doubt}.`
    : `${doubt} and may have been applied.`
}

/** @param started whether a byte left; null where that is not known, as after a kill */
function leftText(started: boolean | null): string {
  if (started === null) return 'its request may have left'
  return started ? 'its request left' : 'the service held it already, and nothing was sent'
}

function explainState(row: RowRecord, background: RowBackground): Stated {
  const decision = decided(row, background.decision)
  switch (row.state) {
    case 'invalid':
    case 'duplicate':
    case 'conflict':
    case 'excluded':
      return explainAdmission(row, background)
    case 'ready':
      return { message: readyMessage(row, decision), remedy: 'Run again to send it.' }
    case 'sending':
      return {
        message: 'A run is sending this row, or ended while it did',
        remedy: 'If no run is going, run again: the row becomes in doubt and is not sent.',
      }
    case 'in_doubt':
      return {
        message: serviceSaid(row),
        remedy:
          'Look the mandate up at the service. Then fill in decision and reason, and give to-do.xlsx to "sepa-migrate run", or a CSV to "sepa-migrate resolve --from". Never feed it back into another ledger.',
      }
    case 'refused':
      return {
        message: decision ?? serviceSaid(row),
        remedy:
          'Correct the value and give this file back. If the cause was at the service, run again with --retry-refused.',
        wrong: [row.lastAttempt?.field?.split('.').at(-1) ?? ''],
      }
    case 'registered':
      return { message: decision ?? 'Registered' }
    case 'superseded': {
      const by = row.supersededBy === null ? '' : `row ${row.supersededBy} of `
      return { message: `Replaced by ${by}a later file` }
    }
    case 'written_off':
      return { message: decision ?? 'Written off by a person' }
  }
}

/** The decision of a person, unless a later attempt has overtaken it. */
function decided(row: RowRecord, decision: DecisionRecord | null): string | null {
  if (decision === null || decision.attemptId !== (row.lastAttempt?.id ?? null)) return null
  const { by, at, decision: word, reason } = decision
  return maskedText(`Decided by ${by} on ${at.slice(0, 10)} (${word}): ${reason}`)
}

/** Code, field and words of the service, then what this program made of it. */
function serviceSaid({ lastAttempt: attempt }: RowRecord): string {
  if (attempt === null) return ''
  const field = attempt.field === null ? null : `field ${attempt.field}`
  const parts = [attempt.serviceCode, field, attempt.message].filter((part) => part !== null && part !== '')
  const words = maskedText(parts.join(', '))
  if (attempt.reason === null || attempt.reason === attempt.message) return words
  const reason = maskedText(attempt.reason)
  return words === '' ? reason : `${reason}. The service said: ${words}`
}

function readyMessage(row: RowRecord, decision: string | null): string {
  const last = serviceSaid(row)
  switch (row.lastAttempt?.outcome ?? null) {
    case null:
      return 'Not sent yet'
    case 'released':
      return `To be sent again. ${decision ?? 'A person decided so'}`
    case 'refused':
      return `To be sent again after it was refused: ${last}`
    default:
      return `Not registered yet, the last attempt was not carried out: ${last}`
  }
}

function explainAdmission(row: RowRecord, { problems }: RowBackground): Stated {
  const errors = problems.filter(({ severity }) => severity === 'error')
  const rules = new Set([row.rule ?? '', ...errors.map(({ rule }) => rule)].filter((rule) => rule !== ''))
  const own = row.rule !== null && isRuleId(row.rule) ? RULES[row.rule] : null
  const messages = errors.map(({ column, message }) => (column === '' ? message : `${column}: ${message}`))
  const remedies = errors.length > 0 ? errors.map(({ remedy }) => remedy) : [own?.remedy ?? '']
  return {
    rule: [...rules].join(' '),
    status: '',
    message: errors.length > 0 ? messages.join(' ') : (own?.message ?? row.rule ?? ''),
    remedy: [...new Set(remedies)].join(' '),
    wrong: errors.map(({ column }) => column),
  }
}

/** What was seen of a row, and what a person may do about it; English in every language. */
export function explainVerified(row: VerifiedRow): string {
  switch (row.verdict) {
    case 'absent':
      return 'The service shows no payment source of this customer. Ask it: the mandate may have been cancelled, or shows late.'
    case 'twice':
      return `The service shows this mandate ${row.sources.length > 1 ? `${row.sources.length} times` : 'more than once'}. ${doubleText(row)}`
    case 'other':
      return differenceText(row)
    case 'unreadable':
      return `It could not be compared, so it is not proven: ${maskedText(row.why ?? 'no list came')}.`
    case 'decided':
      return 'Somebody said that it was cancelled or changed at the service, and the service shows it so.'
    case 'proven':
      return ''
  }
}

function doubleText(row: VerifiedRow): string {
  const own = ownOf(row)
  if (own === null || row.cancellable.length === 0)
    return 'Which of them may be cancelled cannot be told here: look them up at the service.'
  return `${own.id ?? 'One without an id'} is the one of this ledger; a person may cancel ${row.cancellable.join(', ')}.`
}

/** The one with the reference that the ledger has. */
const ownOf = ({ sources, assignedMandateReference }: VerifiedRow): KeptSource | null =>
  sources.find(
    ({ reference }) =>
      reference !== null && comparedReference(reference) === comparedReference(assignedMandateReference),
  ) ?? null

function differenceText(row: VerifiedRow): string {
  const own = ownOf(row)
  if (row.why === 'ended')
    return `The service shows this mandate as ended (${maskedText(own?.status ?? row.sources[0]?.status ?? 'no status')}).`
  if (row.why === 'not_ended')
    return 'Somebody said that it was cancelled at the service, and the service shows it active: have it cancelled there.'
  if (row.why === 'not_changed')
    return 'Somebody said that it was changed at the service, and the service shows it as it was sent: have it changed there.'
  if (row.why === 'ambiguous')
    return 'Another row of this customer has the same account and date, and no reference tells them apart.'
  if (own === null)
    return 'The service shows payment sources of this customer, and none with account, date and reference of this mandate.'
  const of = (account: string | null, date: string | null): string =>
    `account ${account ?? 'unknown'}, signed ${date ?? 'unknown'}`
  return `The service shows it with ${of(own.accountMasked, own.signedDate)}; the ledger has ${of(row.ibanMasked, row.signedDate)}.`
}
