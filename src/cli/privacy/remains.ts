import { existsSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { findResultFiles, removeLeftovers } from '../../report/pack/earlier-pack.js'
import type { Context } from '../command.js'
import { usualOut } from '../settings/settings.js'
import { removeOwn, type Owner, type RemovedFiles } from './own-files.js'
import { noteWritten, readWritten, type WrittenPath } from '../../ledger/safety/side-files.js'

/** What this command writes elsewhere: its log, and the folder of a report. */
export function outputsOf({ settings }: Context, out: string | null): WrittenPath[] {
  const logFile = settings.get('logFile')
  return [
    ...(logFile === null ? [] : [{ kind: 'log', path: logFile } as const]),
    ...(out === null ? [] : [{ kind: 'report', path: out } as const]),
  ]
}

/** Notes it beside the ledger, so that a purge can name it. */
export function noteOutputs(context: Context, out: string | null): void {
  const { ledger } = context.settings
  if (!existsSync(ledger)) return
  tellNotNoted(
    context,
    outputsOf(context, out).filter((output) => !noteWritten(ledger, output)),
  )
}

export function tellNotNoted({ progress }: Pick<Context, 'progress'>, outputs: readonly WrittenPath[]): void {
  for (const { path } of outputs)
    progress.note(
      `Cannot note beside the ledger that this command writes to "${shown(path)}": purge will not name it, so remember it`,
    )
}

export interface Remains {
  readonly removed: readonly string[]
  /** Folders of reports that were killed, which do not say that they are of this ledger. */
  readonly leftovers: readonly string[]
  /** Result files that hold original cells. */
  readonly cells: readonly string[]
  /** Result files that quote single values. */
  readonly values: readonly string[]
  /** Result files with references and masked accounts. */
  readonly references: readonly string[]
  readonly logs: readonly string[]
  /** Folders that could not be looked into. */
  readonly unread: readonly string[]
}

/**
 * What the commands of this campaign wrote beside the ledger and where it still is.
 * @param mark of the ledger
 */
export function remainsOf({ settings }: Context, mark: string): Remains {
  const noted = readWritten(settings.ledger)
  const folders = [
    ...new Set([
      resolve(dirname(settings.ledger)),
      resolve(usualOut(settings.ledger)),
      resolve(settings.out),
      ...noted.filter(({ kind }) => kind === 'report').map(({ path }) => path),
    ]),
  ]
  const notedFiles = (asked: WrittenPath['kind']): string[] =>
    noted.filter(({ kind, path }) => kind === asked && existsSync(path)).map(({ path }) => path)
  const { removed, left: leftovers } = removeLeftovers(folders, mark)
  return { removed, leftovers, ...findResultFiles(folders), logs: notedFiles('log') }
}

/** Removes the result files with original cells or single values, except the signed page and workbook. */
export const removeLists = ({ cells, values }: Remains, owner: Owner): Promise<RemovedFiles> =>
  removeOwn([...cells, ...values.filter((path) => path.endsWith('.csv'))], owner)

const shown = (path: string): string => {
  const short = relative('.', path)
  return short.startsWith('..') ? path : short
}

const group = (files: readonly string[], why: string): string[] =>
  files.length === 0 ? [] : [...files.map((path) => `  ${shown(path)}`), `      ${why}`]

/** The closing statement: what is still there and why. */
export function remainLines(ledger: string, remains: Remains): string[] {
  return [
    '',
    'What remains, and why:',
    ...group(
      [ledger],
      'states, totals, customer numbers, references, dates, masked accounts, who decided what and when: the record of what became of each mandate',
    ),
    ...group(
      remains.cells,
      'ORIGINAL CELLS. Made to be corrected; nothing can be corrected any more: delete them (--remove-files does, where they are proven to be of this ledger)',
    ),
    ...group(
      remains.values,
      'single values as they were found (names, addresses), accounts masked: report.html and the workbook are what was signed, keep them as long as your records; delete the others',
    ),
    ...group(
      remains.references,
      'customer numbers, old and new references, masked accounts: the first collections need them',
    ),
    ...group(
      remains.logs,
      'row numbers, outcomes, words of the service and new references, accounts masked: delete them when no question is open',
    ),
    ...group(
      remains.leftovers,
      'LEFT BY A REPORT that was killed, or of one that is written now; nothing in it says that it is of this ledger: look, and delete it',
    ),
    ...group(
      remains.unread,
      'CANNOT BE LOOKED INTO, so nothing is known about it: look for result files there yourself',
    ),
    '  Not known to this ledger: your exports and crosswalk files, result files and logs that were moved, problems.csv',
    '  of a "check --out" elsewhere, the data files of rehearsals ("sandbox --data"), and copies of any of these.',
  ]
}
