import { join } from 'node:path'
import { openLedgerReader, type Stop, type Totals, writeReport } from '../index.js'
import { totalsLines } from './output.js'
import type { Settings } from './settings.js'

export interface WrittenPack {
  /** The path of each file by its name. */
  readonly files: Readonly<Record<string, string>>
  readonly warnings: readonly string[]
}

/** Writes the reconciliation pack of a ledger. */
export async function writePack(
  settings: Pick<Settings, 'ledger' | 'out' | 'sharedFolder'>,
): Promise<WrittenPack> {
  const { ledger, out } = settings
  const reader = openLedgerReader(ledger, settings)
  try {
    const { files, folder, kept } = await writeReport(reader, { out })
    return {
      files: Object.fromEntries(files.map(({ name }) => [name, join(folder, name)])),
      warnings: kept === null ? [] : [keptText(kept, out, folder, 'report')],
    }
  } finally {
    reader.close()
  }
}

/** Tells that a file stood in the way, what was done with it, and where the new `written` is instead. */
export const keptText = (kept: string, out: string, folder: string, written: string): string =>
  `"${join(out, kept)}" was changed since this program wrote it, or is not of this program; it was left as it is, and the new ${written} is in "${folder}"`

export interface Closing {
  readonly totals: Totals
  readonly stop: Stop | null
  readonly files: Readonly<Record<string, string>>
  /** What else to show with the report. */
  readonly notes?: readonly string[]
}

/** The last lines for people: the result, what is open, the next command to type. */
export function closingLines({ totals, stop, files, notes = [] }: Closing): string[] {
  const report = files['report.html']
  return [
    '',
    ...totalsLines(totals),
    '',
    ...(stop === null ? [] : [`Stopped early: ${stop.why}.`]),
    ...openPoints(totals),
    ...notes,
    ...(report === undefined ? [] : [`Report: ${report}`]),
    `Next: ${nextStep(totals, stop, files['in-doubt.csv'] ?? 'in-doubt.csv')}`,
  ]
}

function openPoints(totals: Totals): string[] {
  const points: [number, string][] = [
    [totals.inDoubt, 'in doubt: may be registered, never sent again by the program (in-doubt.csv)'],
    [totals.ready, 'ready: not sent yet'],
    [totals.refused, 'refused by the service (refused.csv)'],
    [totals.conflict, 'in conflict: correct or decide (corrections.csv)'],
    [totals.invalid, 'invalid: a value is wrong (corrections.csv)'],
  ]
  const open = points.filter(([count]) => count > 0)
  if (open.length === 0) return ['Nothing is open.']
  return ['Open:', ...open.map(([count, text]) => `  ${count} ${text}`)]
}

function nextStep(totals: Totals, stop: Stop | null, inDoubt: string): string {
  if (stop !== null && stop.kind !== 'signal') return stop.next
  if (totals.inDoubt > 0)
    return `compare ${inDoubt} with the service, fill it in, then: sepa-migrate resolve --from ${inDoubt} --dry-run`
  if (totals.ready + totals.sending > 0) return 'sepa-migrate run   (continues where this run ended)'
  if (totals.invalid + totals.conflict > 0)
    return 'correct corrections.csv and give it back: sepa-migrate run corrections.csv'
  if (totals.refused > 0) return 'correct refused.csv and give it back: sepa-migrate run refused.csv'
  return 'have finance sign report.html; then sepa-migrate purge removes what personal data is still held'
}
