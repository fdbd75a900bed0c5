import type { CountedChoice } from '../row/choice.js'
import type { Corrections } from '../row/correction.js'
import type { RowState, Totals } from '../row/row-state.js'
import { plural, timeText } from '../text/text.js'

/**
 * What a run would do, written down before it does it. Nothing in it is an account number, and nothing in it lets one be
 * guessed. Times are ISO 8601 in UTC. A later version of it adds keys and changes none.
 */
export interface PlanDocument {
  readonly kind: 'sepa-migrate-plan'
  readonly schemaVersion: 1
  /** SHA-256 of the document without this key: the name of the plan. 64 hexadecimal digits. */
  readonly digest: string
  readonly ledgerId: string
  readonly plannedAt: string
  /** Who planned, and the user of the operating system; null where it has none. */
  readonly plannedBy: string
  readonly plannedAs: string | null
  /** Of the program. */
  readonly version: string
  readonly target: { readonly baseUrl: string; readonly username: string }
  /** Every source of the ledger, with those that the run would admit. */
  readonly sources: readonly PlannedSource[]
  /** As they would be before the first request. */
  readonly totals: Totals
  readonly rows: PlannedRows
  /** At most so many of the rows, in all runs under the plan; null for all. */
  readonly limit: number | null
  /** Rows that the service refused are among them. */
  readonly retriesRefused: boolean
  /** Which of the ready rows are meant, and how many are not; null for all. */
  readonly choice: CountedChoice | null
  readonly creditors: readonly { readonly creditorIdentifier: string; readonly count: number }[]
  readonly warnings: readonly { readonly rule: string; readonly count: number }[]
  readonly staysBehind: readonly StaysBehind[]
  /** Rows among them that people gave back with other values. */
  readonly corrections: Corrections
  /** Sources in which no column says which mandates are active. */
  readonly treatedAsActive: readonly string[]
  /** Sources read as exports of a known system, references made from columns. */
  readonly readAs: readonly string[]
  /** Files that others can write, by the paths that were given. */
  readonly sharedFiles: readonly string[]
  /** The "today" of the date rules. What another day changes shows in the rows. */
  readonly asOf: string
  /** All that bears on what is sent, where to and how; no secrets. */
  readonly settings: PlannedSettings
  /** Names of settings that are not the default. */
  readonly changedSettings: readonly string[]
  /** How long sending may take at the usual pace of a service, in milliseconds. */
  readonly expectedMs: number
}

export interface PlannedSource {
  readonly name: string
  readonly sha256: string
  readonly bytes: number
  readonly records: number
}

/** The rows that would be sent: how many, and a keyed digest that does not depend on the order in which they came in. */
export interface PlannedRows {
  readonly count: number
  readonly digest: string
}

/** Rows that no run sends as they are, by state and by the (first) rule that decided it; null where an answer or a person did. */
export interface StaysBehind {
  readonly state: RowState
  readonly rule: string | null
  readonly count: number
}

export type PlannedSettings = Readonly<Record<string, unknown>>

/** How many rows a run under the plan may send. */
export const toSend = ({ rows, limit }: PlanDocument): number => Math.min(rows.count, limit ?? rows.count)

/** A source of a plan, and a previous creditor, as one line. */
export const sourceLine = ({ name, records, bytes, sha256 }: PlannedSource): string =>
  `${name}: ${plural(records, 'record', 'records')}, ${plural(bytes, 'byte', 'bytes')}, SHA-256 ${sha256}`
export const creditorLine = ({ creditorIdentifier, count }: PlanDocument['creditors'][number]): string =>
  `previous creditor ${creditorIdentifier}: ${plural(count, 'row', 'rows')}`

/** The bytes of a plan as they stand in its file and in the ledger; without its digest, what that is made of. */
export const textOfPlan = (document: PlanDocument | Omit<PlanDocument, 'digest'>): string =>
  `${JSON.stringify(document, null, 2)}\n`

/** Enough of a digest to tell plans apart on a page. */
export const shortDigest = (digest: string): string => digest.slice(0, 12)

/** What an approver says of a plan, and signs. Times are ISO 8601 in UTC. */
export interface ApprovalStatement {
  /** Digest of the plan. */
  readonly plan: string
  readonly approvedBy: string
  readonly approvedAt: string
  readonly expiresAt: string
}

/** The text that is signed: no other text that this program signs begins so. */
export const textOfStatement = ({ plan, approvedBy, approvedAt, expiresAt }: ApprovalStatement): string =>
  `${JSON.stringify({ kind: 'sepa-migrate-approval', schemaVersion: 1, plan, approvedBy, approvedAt, expiresAt }, null, 2)}\n`

/** Somebody whose key counts, by the name in the configuration. */
export interface Approver {
  readonly name: string
  /** SHA-256 of the public key in DER, 64 hexadecimal digits. */
  readonly key: string
}

/** Whose keys count, as a plan names them. */
export const approversIn = ({ settings }: Pick<PlanDocument, 'settings'>): Approver[] =>
  Object.entries(settings['approvers'] ?? {}).map(([name, key]) => ({ name, key: String(key) }))

export const approversText = (approvers: readonly Approver[]): string =>
  approvers.map(({ name, key }) => `${name} (key ${key})`).join(', ')

/** One way in which things are no longer as they were planned, in words, its name first. */
export interface Drift {
  readonly kind: 'source' | 'rows' | 'target' | 'setting' | 'version' | 'approval' | 'limit'
  readonly text: string
}

const drift = (kind: Drift['kind'], text: string): Drift => ({ kind, text })

/** The one drift, where it is one. */
export const driftIf = (isDrift: boolean, kind: Drift['kind'], text: string): Drift[] =>
  isDrift ? [drift(kind, text)] : []

const valueText = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value))

const rowsText = ({ count, digest }: PlannedRows): string =>
  `${plural(count, 'row', 'rows')} (${shortDigest(digest)})`

/** A source is known by its bytes; the name only says which one was meant. */
export function sourceDrifts(planned: readonly PlannedSource[], now: readonly PlannedSource[]): Drift[] {
  const isIn = (sources: readonly PlannedSource[], one: PlannedSource, by: 'sha256' | 'name'): boolean =>
    sources.some((other) => other[by] === one[by])
  const added = now.filter((source) => !isIn(planned, source, 'sha256'))
  const gone = planned.filter((source) => !isIn(now, source, 'sha256') && !isIn(added, source, 'name'))
  return [
    ...gone.map(({ name }) => `missing: "${name}" was planned and is not here`),
    ...added.map((source) =>
      isIn(planned, source, 'name')
        ? `changed: "${source.name}" is not the file that was planned`
        : `added: "${source.name}" was not planned`,
    ),
  ].map((text) => drift('source', `source ${text}`))
}

export const settingDrifts = (planned: PlannedSettings, now: PlannedSettings): Drift[] =>
  [...new Set([...Object.keys(planned), ...Object.keys(now)])]
    .map((name) => ({ name, from: valueText(planned[name]), to: valueText(now[name]) }))
    .filter(({ from, to }) => from !== to)
    .map(({ name, from, to }) => drift('setting', `setting changed: ${name} from ${from} to ${to}`))

const targetText = ({ baseUrl, username }: PlanDocument['target']): string => `${baseUrl} as ${username}`

export function targetDrifts(planned: PlanDocument['target'], now: PlanDocument['target']): Drift[] {
  const [before, after] = [targetText(planned), targetText(now)]
  return driftIf(before !== after, 'target', `target changed: from ${before} to ${after}`)
}

export const versionDrifts = (planned: string, now: string): Drift[] =>
  driftIf(planned !== now, 'version', `version changed: planned with ${planned}, this is ${now}`)

/** What the run does not find out again: who planned, when and from where, and what has a comparison of its own. */
const COMPARED_ELSEWHERE = new Set(
  'digest plannedAt plannedBy plannedAs asOf sharedFiles target version rows settings retriesRefused'.split(
    ' ',
  ),
)

/** What every row that is sent changes. */
const MOVING = new Set('totals choice creditors warnings staysBehind corrections expectedMs'.split(' '))

/** Rules whose warnings come and go as days pass: a promise of no plan. What they do to a row shows in the rows. */
const BY_THE_DAY = /DORMAN|_FUTURE$/

/** Files by their bytes; corrections without who made them and when, which an import that is rolled back does not keep. */
const compared = (
  { sources, corrections, warnings, ...plan }: PlanDocument,
  isSameDay: boolean,
): Readonly<Record<string, unknown>> => ({
  ...plan,
  warnings: warnings.filter(({ rule }) => isSameDay || !BY_THE_DAY.test(rule)),
  sources: sources.map(({ sha256, bytes, records }) => [sha256, bytes, records].join()).toSorted(),
  corrections: { ...corrections, first: corrections.first.map(({ row, changes }) => [row, changes]) },
})

/** What the approver was shown and is not so. @param isBegun rows were sent under the plan */
export function shownDrifts(planned: PlanDocument, now: PlanDocument, isBegun: boolean): Drift[] {
  const isSameDay = planned.asOf === now.asOf
  const [then, there] = [compared(planned, isSameDay), compared(now, isSameDay)]
  const others = Object.keys({ ...then, ...there }).filter(
    (name) =>
      !COMPARED_ELSEWHERE.has(name) &&
      !(isBegun && MOVING.has(name)) &&
      JSON.stringify(then[name]) !== JSON.stringify(there[name]),
  )
  return driftIf(
    others.length > 0,
    'rows',
    `the plan shows something else than there is: ${others.join(', ')}`,
  )
}

export function rowDrifts(planned: PlannedRows, now: PlannedRows): Drift[] {
  const others = planned.count === now.count ? ', and not the same ones' : ''
  const text = `rows changed: ${rowsText(planned)} planned, ${rowsText(now)} now${others}`
  return driftIf(planned.count !== now.count || planned.digest !== now.digest, 'rows', text)
}

/** What decides whether an approval counts; with the fingerprint of the key that signed it, null where none did. */
type Given = Omit<ApprovalStatement, 'plan'> & {
  readonly key: string | null
  /** The user who put it on record. */
  readonly recordedAs: string | null
}

/** Where keys are named, an approval without one of them does not count. */
export const isCounted = ({ key }: Pick<Given, 'key'>, approvers: readonly Approver[]): boolean =>
  approvers.length === 0 || approvers.some((approver) => approver.key === key)

/** The name that a key is bound to, whatever name was signed with it. */
export const approverOf = ({ key, approvedBy }: Given, approvers: readonly Approver[]): string =>
  approvers.find((approver) => approver.key === key)?.name ?? approvedBy

type Planner = Pick<PlanDocument, 'plannedBy' | 'plannedAs'>

/** Who planned has approved: by the name, or, where nobody signed, by the user who put it on record. */
export const isByPlanner = (
  { approvedBy, key, recordedAs }: Given,
  { plannedBy, plannedAs }: Planner,
): boolean =>
  approvedBy.trim().toLowerCase() === plannedBy.trim().toLowerCase() ||
  (key === null && plannedAs !== null && recordedAs === plannedAs)

/**
 * One approval that counts is enough; of several that do not, the one that counted longest is named.
 * @param planner must not have given it; null where that is allowed
 */
export function approvalDrifts(
  approvals: readonly Given[],
  approvers: readonly Approver[],
  nowAt: string,
  planner: Planner | null = null,
): Drift[] {
  const given = approvals.at(-1)
  const counted = approvals.filter((one) => isCounted(one, approvers))
  const others = counted.filter((one) => planner === null || !isByPlanner(one, planner))
  if (others.some(({ approvedAt, expiresAt }) => approvedAt <= nowAt && nowAt < expiresAt)) return []
  const last = others.toSorted((a, b) => (a.expiresAt < b.expiresAt ? -1 : 1)).at(-1)
  if (last !== undefined)
    return told(
      last.approvedAt > nowAt
        ? `not approved yet: the approval is from ${timeText(last.approvedAt)}, and it is ${timeText(nowAt)}`
        : `approval expired: at ${timeText(last.expiresAt)}`,
    )
  if (counted.length > 0)
    return told(`not approved: ${planner?.plannedBy ?? ''} planned it, and somebody else has to approve it`)
  if (given === undefined) return told('not approved: nobody has approved this plan')
  const how = given.key === null ? 'without a key' : `with the key ${given.key}`
  return told(
    `not approved: ${given.approvedBy} approved ${how}, and the keys of these alone count: ${approversText(approvers)}`,
  )
}

const told = (text: string): Drift[] => [drift('approval', text)]
