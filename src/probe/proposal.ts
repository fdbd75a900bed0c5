import { createStatusTable, OVERRIDABLE_STATUS } from '../service/status-table.js'
import type { Findings } from './findings.js'

/** The settings that follow from what was found out. */
export interface Proposal {
  /** Whether the service can be asked what it holds; null where that is not known. */
  readonly readBack: boolean | null
  /** What single statuses mean. A handful of answers proves no refusal, so it never says anything but this. */
  readonly outcomes: Readonly<Record<string, 'in_doubt'>>
}

/**
 * Pure. A status that a mandate got which the service had already is in doubt whatever else gets it: "refused" would hide a
 * live mandate. What the program holds in doubt anyway is proposed too, so that nobody changes it.
 */
export const proposalOf = ({ duplicate, readBack }: Findings): Proposal => ({
  readBack: readBackOf(readBack),
  outcomes: isTurnedDown(duplicate) && duplicate.status !== null ? inDoubt(duplicate.status) : {},
})

/** With the word that says so the program holds any status in doubt (service/README.md#outcomes). */
const TURNED_DOWN: ReadonlySet<string> = new Set(['conflict', 'refused', 'unclear', 'turned_away'])
const isTurnedDown = ({ finding }: Findings['duplicate']): boolean => TURNED_DOWN.has(finding)

function inDoubt(status: number): Proposal['outcomes'] {
  return OVERRIDABLE_STATUS.test(String(status)) ? { [status]: 'in_doubt' } : {}
}

function readBackOf({ finding, verdict }: Findings['readBack']): boolean | null {
  switch (finding) {
    case 'available':
      return verdict === 'proven' ? true : verdict === 'not_known' ? null : false
    case 'missing':
    case 'refused':
      return false
    case 'not_shown':
    case 'not_known':
    case 'not_asked':
      return null
  }
}

/** Statuses that the settings of today call refused or turned away, and the proposal in doubt. */
export const contradicted = (
  { outcomes }: Proposal,
  today: Readonly<Record<string, string>> = {},
): readonly string[] => {
  const table = createStatusTable(today)
  return Object.keys(outcomes).filter(
    (status) => table.isOverridden(Number(status)) && table.lineOf(Number(status)).kind !== 'in_doubt',
  )
}
