import type { KeyObject } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { contradictedIn, contradictedText, type Verification } from '../domain/proof/verification.js'
import type { Totals } from '../domain/row/totals.js'
import { countText } from '../domain/text/wording.js'
import type { LedgerReader } from '../ledger/read/reader.js'
import type { Context } from './command.js'
import { proposedLines } from './prove/absent-lines.js'
import { verificationIn } from './prove/standing.js'
import { type Line, type Tone, toned } from './terminal/line.js'
import { nextLines, type CommandEnd } from './terminal/next.js'
import { totalsLines } from './terminal/output.js'
import type { Settings } from './settings/settings.js'

export interface Written {
  /** The path of each file by its name. */
  readonly files: Readonly<Record<string, string>>
  readonly warnings: readonly string[]
}

export interface WrittenPack extends Written {
  /** What `in-doubt.csv` proposes, in words; none where it proposes nothing. */
  readonly proposed: readonly string[]
  /** What it says of the registered rows; null where nobody asked the service. */
  readonly verification: Verification | null
}

/** Where no report was asked for. */
export const NO_PACK: WrittenPack = { files: {}, warnings: [], proposed: [], verification: null }

/** Writes the reconciliation pack of a ledger. */
export async function writePack(
  settings: Pick<Settings, 'ledger' | 'out' | 'sharedFolder' | 'absentAfterMs' | 'language'>,
  signWith: KeyObject | null = null,
): Promise<WrittenPack> {
  const { ledger, out, sharedFolder, absentAfterMs, language } = settings
  // Loaded here, for the commands that only show lines like those behind a report.
  const { writeReport } = await import('../report/pack/pack.js')
  const signing = signWith === null ? {} : { signWith }
  const written = await writeReport(ledger, { out, sharedFolder, absentAfterMs, language, ...signing })
  const { files, folder, kept, toDo, proposals, verification } = written
  return {
    files: Object.fromEntries([
      ...files.map(({ name }) => [name, join(folder, name)] as const),
      ...(toDo?.files ?? []).map(({ name }) => [name, join(toDo?.folder ?? folder, name)] as const),
    ]),
    warnings: [
      ...(kept === null ? [] : [keptText(kept, out, folder, 'report')]),
      ...(toDo === null || toDo.left === null ? [] : [workedInText(toDo.left, basename(toDo.folder))]),
    ],
    proposed: proposedLines(proposals),
    verification,
  }
}

/** Tells that a file stood in the way, what was done with it, and where the new `written` is instead. */
export const keptText = (kept: string, out: string, folder: string, written: string): string =>
  `"${join(out, kept)}" was changed since this program wrote it, or is not of this program; it was left as it is, and the new ${written} is in "${folder}"`

const workedInText = (left: string, folder: string): string =>
  `Somebody works in the lists of "${left}", so they were left as they are; the new ones are in "${folder}" beside them`

export interface Closing extends Omit<CommandEnd, 'pack'> {
  /** What was written, by name; empty where nothing was. */
  readonly files: Readonly<Record<string, string>>
  /** What else to show with the report. */
  readonly notes?: readonly string[]
}

/** The last lines for people: the result, what is open, the next command to type. */
export function closingLines(
  asked: Pick<Context, 'settings' | 'own'>,
  { files, notes = [], ...standing }: Closing,
): Line[] {
  const { totals, stop } = standing
  const report = files['report.html']
  return [
    '',
    ...totalsLines(totals),
    '',
    ...(stop === null ? [] : [[toned('open', 'Stopped early'), `: ${stop.why}.`]]),
    ...openPoints(totals, standing.verification ?? null),
    ...notes,
    ...(report === undefined ? [] : [`Report: ${report}`]),
    ...nextLines(asked, { ...standing, pack: report === undefined ? null : dirname(report) }),
  ]
}

/** The same at the end of a command that wrote no report, for the ledger as it is. */
export const closingAt = (asked: Pick<Context, 'settings' | 'own'>, reader: LedgerReader): Line[] =>
  closingLines(asked, {
    totals: reader.totals(),
    stop: null,
    campaign: reader.campaign(),
    files: {},
    verification: verificationIn(reader),
  })

function openPoints(totals: Totals, verification: Verification | null): Line[] {
  const points: [number, Tone, string, string][] = [
    [
      verification === null ? 0 : contradictedIn(verification),
      'bad',
      'registered, and not so at the service',
      `: ${verification === null ? '' : contradictedText(verification)} (verification.csv)`,
    ],
    [
      totals.inDoubt,
      'open',
      'in doubt',
      ': may be registered, never sent again by the program (to-do/in-doubt.csv)',
    ],
    [totals.ready, 'strong', 'ready', ': not sent yet'],
    [totals.refused, 'bad', 'refused', ' by the service (to-do/refused.csv)'],
    [totals.conflict, 'bad', 'in conflict', ': correct or decide (to-do/corrections.csv)'],
    [totals.invalid, 'bad', 'invalid', ': a value is wrong (to-do/corrections.csv)'],
  ]
  const open = points.filter(([count]) => count > 0)
  if (open.length === 0) return [[toned('good', 'Nothing is open.')]]
  return [
    [toned('strong', 'Open:')],
    ...open.map(([count, tone, name, text]) => ['  ', toned(tone, `${countText(count)} ${name}`), text]),
  ]
}
