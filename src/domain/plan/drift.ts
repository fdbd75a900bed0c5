import { plural, timeText } from '../text/wording.js'
import {
  approversText,
  shortDigest,
  type Approver,
  type PlanDocument,
  type PlannedRows,
  type PlannedSettings,
  type PlannedSource,
} from './plan.js'

/** One way in which things are no longer as they were planned. */
export type Drift =
  | { readonly kind: 'source_changed'; readonly name: string }
  | { readonly kind: 'source_missing'; readonly name: string }
  | { readonly kind: 'source_added'; readonly name: string }
  | { readonly kind: 'rows'; readonly planned: PlannedRows; readonly now: PlannedRows }
  /** People decided since that rows are sent once more. */
  | { readonly kind: 'sent_again'; readonly count: number }
  | { readonly kind: 'retries_refused' }
  | { readonly kind: 'target'; readonly planned: string; readonly now: string }
  | { readonly kind: 'setting'; readonly name: string; readonly planned: unknown; readonly now: unknown }
  | { readonly kind: 'version'; readonly planned: string; readonly now: string }
  | { readonly kind: 'not_approved' }
  | { readonly kind: 'approval_expired'; readonly at: string }
  | { readonly kind: 'approval_without_key'; readonly given: Given; readonly approvers: readonly Approver[] }
  | { readonly kind: 'used_up'; readonly limit: number }

/** What decides whether an approval counts. */
interface Given {
  readonly approvedBy: string
  readonly expiresAt: string
  /** Fingerprint of the key that signed it; null where none did. */
  readonly key: string | null
}

const valueText = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value))

/** One of them in words, its name first. */
export function driftText(drift: Drift): string {
  switch (drift.kind) {
    case 'source_changed':
      return `source changed: "${drift.name}" is not the file that was planned`
    case 'source_missing':
      return `source missing: "${drift.name}" was planned and is not here`
    case 'source_added':
      return `source added: "${drift.name}" was not planned`
    case 'rows':
      return `rows changed: ${rowsText(drift.planned)} planned, ${rowsText(drift.now)} now${
        drift.planned.count === drift.now.count ? ', and not the same ones' : ''
      }`
    case 'sent_again':
      return `rows changed: ${plural(drift.count, 'row was', 'rows were')} decided to be sent once more since`
    case 'retries_refused':
      return 'rows changed: refused rows are to be sent once more, which was not planned'
    case 'target':
      return `target changed: from ${drift.planned} to ${drift.now}`
    case 'setting':
      return `setting changed: ${drift.name} from ${valueText(drift.planned)} to ${valueText(drift.now)}`
    case 'version':
      return `version changed: planned with ${drift.planned}, this is ${drift.now}`
    case 'not_approved':
      return 'not approved: nobody has approved this plan'
    case 'approval_expired':
      return `approval expired: at ${timeText(drift.at)}`
    case 'approval_without_key':
      return `not approved: ${drift.given.approvedBy} approved ${drift.given.key === null ? 'without a key' : `with the key ${drift.given.key}`}, and the keys of these alone count: ${approversText(drift.approvers)}`
    case 'used_up':
      return `used up: the plan is for ${plural(drift.limit, 'row', 'rows')}, and these were sent`
  }
}

const rowsText = ({ count, digest }: PlannedRows): string =>
  `${plural(count, 'row', 'rows')} (${shortDigest(digest)})`

/** A source is known by its bytes; the name only says which one was meant. */
export function sourceDrifts(planned: readonly PlannedSource[], now: readonly PlannedSource[]): Drift[] {
  const isIn = (sources: readonly PlannedSource[], { sha256 }: PlannedSource): boolean =>
    sources.some((other) => other.sha256 === sha256)
  const isNamed = (sources: readonly PlannedSource[], { name }: PlannedSource): boolean =>
    sources.some((other) => other.name === name)
  const added = now.filter((source) => !isIn(planned, source))
  const gone = planned.filter((source) => !isIn(now, source) && !isNamed(added, source))
  return [
    ...gone.map(({ name }): Drift => ({ kind: 'source_missing', name })),
    ...added.map((source): Drift => ({
      kind: isNamed(planned, source) ? 'source_changed' : 'source_added',
      name: source.name,
    })),
  ]
}

export function settingDrifts(planned: PlannedSettings, now: PlannedSettings): Drift[] {
  const names = [...new Set([...Object.keys(planned), ...Object.keys(now)])]
  return names
    .filter((name) => JSON.stringify(planned[name]) !== JSON.stringify(now[name]))
    .map((name): Drift => ({ kind: 'setting', name, planned: planned[name], now: now[name] }))
}

const targetText = ({ baseUrl, username }: PlanDocument['target']): string => `${baseUrl} as ${username}`

export function targetDrifts(planned: PlanDocument['target'], now: PlanDocument['target']): Drift[] {
  const [before, after] = [targetText(planned), targetText(now)]
  return before === after ? [] : [{ kind: 'target', planned: before, now: after }]
}

export const versionDrifts = (planned: string, now: string): Drift[] =>
  planned === now ? [] : [{ kind: 'version', planned, now }]

export const rowDrifts = (planned: PlannedRows, now: PlannedRows): Drift[] =>
  planned.count === now.count && planned.digest === now.digest ? [] : [{ kind: 'rows', planned, now }]

/** Where keys are named, an approval without one of them does not count. */
export const isCounted = ({ key }: Pick<Given, 'key'>, approvers: readonly Approver[]): boolean =>
  approvers.length === 0 || approvers.some((approver) => approver.key === key)

/** One approval that still counts is enough; of several that do not, the one that counted longest is named. */
export function approvalDrifts(
  approvals: readonly Given[],
  approvers: readonly Approver[],
  nowAt: string,
): Drift[] {
  const counted = approvals.filter((given) => isCounted(given, approvers))
  if (counted.some(({ expiresAt }) => expiresAt > nowAt)) return []
  const ended = counted
    .map(({ expiresAt }) => expiresAt)
    .toSorted()
    .at(-1)
  if (ended !== undefined) return [{ kind: 'approval_expired', at: ended }]
  const given = approvals.at(-1)
  return [given === undefined ? { kind: 'not_approved' } : { kind: 'approval_without_key', given, approvers }]
}
