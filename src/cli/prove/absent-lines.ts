import { plural, timeText } from '../../domain/text/wording.js'
import type { LedgerReader } from '../../ledger/read/reader.js'
import type { Settings } from '../settings/settings.js'
import { absences } from '../../ledger/read/read-proofs.js'

/** Rows in doubt of whose customers the service last listed nothing. */
export interface Absent {
  /** In-doubt.csv proposes to send them again. */
  readonly proposed: number
  /** They have to be asked about once more. */
  readonly waiting: number
  /** From when one question is enough for all that wait; ISO 8601, null where none does. */
  readonly askFrom: string | null
  /** Nothing that the same run sent was shown. */
  readonly nothingPresent: number
}

export function absentOf(
  reader: Pick<LedgerReader, 'shown'>,
  { absentAfterMs }: Pick<Settings, 'absentAfterMs'>,
): Absent {
  let [proposed, waiting, nothingPresent] = [0, 0, 0]
  let askFrom: string | null = null
  for (const { absence } of absences(reader, absentAfterMs)) {
    if (absence.kind === 'resend') proposed += 1
    if (absence.kind === 'nothing_present') nothingPresent += 1
    if (!('from' in absence)) continue
    waiting += 1
    if (askFrom === null || absence.from > askFrom) askFrom = absence.from
  }
  return { proposed, waiting, askFrom, nothingPresent }
}

export const absentLines = ({ proposed, waiting, askFrom, nothingPresent }: Absent): string[] => [
  ...proposedLines(proposed),
  ...(waiting === 0
    ? []
    : [`${rowsAre(waiting)} absent so far: ask again from ${timeText(askFrom)} (sepa-migrate read-back).`]),
  ...(nothingPresent === 0
    ? []
    : [
        `${rowsAre(nothingPresent)} absent, and no registered row of that run was shown with it: sepa-migrate read-back --of all shows whether this is the right place to ask.`,
      ]),
]

export const proposedLines = (count: number): string[] =>
  count === 0
    ? []
    : [
        `${rowsAre(count)} absent for long enough: to-do/in-doubt.csv proposes resend with the evidence, for a person to decide.`,
      ]

const rowsAre = (count: number): string => plural(count, 'row in doubt is', 'rows in doubt are')
