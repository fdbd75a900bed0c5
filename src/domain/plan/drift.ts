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

/** One way in which things are no longer as they were planned, in words, its name first. */
export interface Drift {
  readonly kind: 'source' | 'rows' | 'target' | 'setting' | 'version' | 'approval' | 'limit'
  readonly text: string
}

export const drift = (kind: Drift['kind'], text: string): Drift => ({ kind, text })

const valueText = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value))

const rowsText = ({ count, digest }: PlannedRows): string =>
  `${plural(count, 'row', 'rows')} (${shortDigest(digest)})`

interface ChangedSource {
  readonly how: 'changed' | 'missing' | 'added'
  readonly name: string
}

/** A source is known by its bytes; the name only says which one was meant. */
export function changedSources(
  planned: readonly PlannedSource[],
  now: readonly PlannedSource[],
): ChangedSource[] {
  const isIn = (sources: readonly PlannedSource[], { sha256 }: PlannedSource): boolean =>
    sources.some((other) => other.sha256 === sha256)
  const isNamed = (sources: readonly PlannedSource[], { name }: PlannedSource): boolean =>
    sources.some((other) => other.name === name)
  const added = now.filter((source) => !isIn(planned, source))
  const gone = planned.filter((source) => !isIn(now, source) && !isNamed(added, source))
  return [
    ...gone.map(({ name }) => ({ how: 'missing' as const, name })),
    ...added.map((source) => ({
      how: isNamed(planned, source) ? ('changed' as const) : ('added' as const),
      name: source.name,
    })),
  ]
}

const HOW = {
  changed: 'is not the file that was planned',
  missing: 'was planned and is not here',
  added: 'was not planned',
} as const

export const sourceDrifts = (planned: readonly PlannedSource[], now: readonly PlannedSource[]): Drift[] =>
  changedSources(planned, now).map(({ how, name }) => drift('source', `source ${how}: "${name}" ${HOW[how]}`))

/** Names of the settings that differ. */
export const changedSettings = (planned: PlannedSettings, now: PlannedSettings): string[] =>
  [...new Set([...Object.keys(planned), ...Object.keys(now)])].filter(
    (name) => JSON.stringify(planned[name]) !== JSON.stringify(now[name]),
  )

export const settingDrifts = (planned: PlannedSettings, now: PlannedSettings): Drift[] =>
  changedSettings(planned, now).map((name) =>
    drift('setting', `setting changed: ${name} from ${valueText(planned[name])} to ${valueText(now[name])}`),
  )

const targetText = ({ baseUrl, username }: PlanDocument['target']): string => `${baseUrl} as ${username}`

export function targetDrifts(planned: PlanDocument['target'], now: PlanDocument['target']): Drift[] {
  const [before, after] = [targetText(planned), targetText(now)]
  return before === after ? [] : [drift('target', `target changed: from ${before} to ${after}`)]
}

export const versionDrifts = (planned: string, now: string): Drift[] =>
  planned === now ? [] : [drift('version', `version changed: planned with ${planned}, this is ${now}`)]

export const rowDrifts = (planned: PlannedRows, now: PlannedRows): Drift[] =>
  planned.count === now.count && planned.digest === now.digest
    ? []
    : [
        drift(
          'rows',
          `rows changed: ${rowsText(planned)} planned, ${rowsText(now)} now${planned.count === now.count ? ', and not the same ones' : ''}`,
        ),
      ]

/** What decides whether an approval counts. */
interface Given {
  readonly approvedBy: string
  readonly expiresAt: string
  /** Fingerprint of the key that signed it; null where none did. */
  readonly key: string | null
}

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
  if (ended !== undefined) return [drift('approval', `approval expired: at ${timeText(ended)}`)]
  const given = approvals.at(-1)
  if (given === undefined) return [drift('approval', 'not approved: nobody has approved this plan')]
  const how = given.key === null ? 'without a key' : `with the key ${given.key}`
  return [
    drift(
      'approval',
      `not approved: ${given.approvedBy} approved ${how}, and the keys of these alone count: ${approversText(approvers)}`,
    ),
  ]
}
