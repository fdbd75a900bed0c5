import { existsSync, constants, realpathSync, unlinkSync } from 'node:fs'
import { dirname, relative, resolve, basename, join } from 'node:path'
import { open, type FileHandle } from 'node:fs/promises'
import { fold, plural, said } from '../../domain/text/text.js'
import type { CampaignRecord } from '../../ledger/read/reader.js'
import {
  readNote,
  readWrittenFiles,
  sha256Of,
  findResultFiles,
  removeLeftovers,
  MANIFEST_FILE,
} from '../../report/pack/pack-folder.js'
import { openLists } from '../../source/list.js'
import { entryAt } from '../../trust/trusted-file.js'
import { readWritten, type WrittenPath } from '../../ledger/safety/side-files.js'
import { ledgerMark, readMark } from '../../domain/row/list-columns.js'
import { DECIDING_COLUMNS } from '../../report/files/lists.js'
import { shownPath } from '../terminal/next.js'
import { REGISTER_FILE } from '../../register/register-file.js'
import { type Command, type Context, lookInto, decideIn } from '../command.js'
import { campaignStatus } from '../closing.js'
import { totalsLines, assertTyped, canAsk } from '../terminal/world.js'
import { SHARED, EXITS } from '../settings/declared.js'
import { usualOut } from '../settings/settings.js'

export const purgeCommand: Command = {
  usage: 'purge',
  summary: 'after sign-off: remove the personal data still held',
  examples: ['sepa-migrate purge', 'sepa-migrate purge --remove-files --reason "signed off by finance"'],
  options: [...SHARED, 'yes'],
  own: [
    ['--reason <text>', 'why, kept in the ledger (default: signed off)'],
    ['--by <name>', 'who decided (default: the user)'],
    ['--with-open-rows', 'purge although invalid, conflicting or refused rows can never be corrected then'],
    [
      '--remove-files',
      'delete the result files that hold original cells, problems.csv and decisions.csv, too',
    ],
  ],
  epilogue: [
    'States, totals, references and times stay. Refused while rows are ready or in doubt. It cannot be undone.',
    'It ends with a list of what remains and why. Leftovers of reports that were killed are removed.',
    '--remove-files deletes what a manifest or the mark in each line proves to be of this ledger, and follows no link.',
  ],
  exits: EXITS.standing,
  run: purge,
}

async function purge(context: Context) {
  const { world, settings } = context
  const withFiles = context.flag('removeFiles')
  if (!(settings.get('yes') ?? false)) {
    const { read: rows } = await lookInto(settings, (reader) => reader.totals())
    if (canAsk(world)) for (const line of lossLines(context, { rows, withFiles })) context.progress.note(line)
    await assertTyped(world, {
      what: 'Purging',
      typed: 'purge',
      to: `remove personal data from ${settings.ledger} for good`,
      nothing: 'nothing was removed',
    })
  }
  return decideIn(context, async (ledger) => {
    const report = ledger.purge({
      by: context.actor(),
      reason: context.text('reason') ?? 'signed off',
      withOpenRows: context.flag('withOpenRows'),
    })
    const totals = ledger.totals()
    const campaign = ledger.view.campaign()
    const found = remainsOf(context, campaign)
    const lists = withFiles
      ? await removeOwn(listsIn(found), { ledger: settings.ledger, campaign })
      : { removed: [], left: [] }
    const removed = [...report.removedFiles, ...found.removed, ...lists.removed]
    const remains = remainsOf(context, campaign)
    return {
      ...campaignStatus(context, ledger.view).decided,
      warnings: report.isErased
        ? []
        : ['Another program is reading the ledger, so old pages may still hold account numbers. Purge again'],
      lines: [
        `Removed the account numbers and cells that were still held of ${plural(report.rows, 'row', 'rows')}, the values that problems`,
        'quoted, the words of the service and the reasons that people gave.',
        ...removed.map((file) => `Removed ${file}`),
        ...lists.left.map(({ file, why }) => `Left ${file}: ${why}`),
        ...totalsLines(totals),
        ...remainLines(settings.ledger, remains),
      ],
      details: { purge: { ...report, removedFiles: removed, leftFiles: lists.left, remaining: remains } },
    }
  })
}

const writtenAs = (wanted: WrittenPath['kind'], { settings }: Context): string[] =>
  readWritten(settings.ledger).flatMap(({ kind, path }) => (kind === wanted ? [path] : []))

/** Folders in which the commands of this campaign wrote. */
function foldersOf(context: Context): string[] {
  const { ledger, out } = context.settings
  const named = [dirname(ledger), usualOut(ledger), out, ...writtenAs('report', context)]
  return [...new Set(named.map((path) => resolve(path)))]
}

/** What the commands of this campaign wrote beside the ledger and where it still is. */
export function remainsOf(context: Context, { ledgerId }: Pick<CampaignRecord, 'ledgerId'>) {
  const folders = foldersOf(context)
  const there = (paths: readonly string[]): string[] => paths.filter((path) => existsSync(path))
  const { stateFolder } = context.world
  const { removed, left: leftovers } = removeLeftovers(folders, ledgerMark({ ledgerId }))
  return {
    ...{ removed, leftovers, ...findResultFiles(folders) },
    logs: there(writtenAs('log', context)),
    plans: there(writtenAs('plan', context)),
    register: stateFolder === null ? [] : there([join(stateFolder, REGISTER_FILE)]),
  }
}

/** The result files that --remove-files deletes, where they are proven to be of the ledger: not the signed page and workbook. */
export const listsIn = ({ cells, values }: ReturnType<typeof findResultFiles>): string[] => [
  ...cells,
  ...values.filter((path) => path.endsWith('.csv')),
]

/** What a purge will take away, for whoever is asked for a yes. */
function lossLines(context: Context, { rows, withFiles }: { rows: number; withFiles: boolean }): string[] {
  const lists = listsIn(findResultFiles(foldersOf(context)))
  return said([
    `From ${context.settings.ledger}: account numbers, original cells, quoted values and words of ${plural(rows, 'row', 'rows')}. Nothing can be corrected after that.`,
    lists.length > 0 &&
      (withFiles
        ? 'These files, where they are of this ledger:'
        : 'These files stay (--remove-files deletes them):'),
    ...lists.map((path) => `  ${shownPath(path)}`),
  ])
}

type Remains = ReturnType<typeof remainsOf>

const WHY_LEFT: Readonly<Record<'ledger' | Exclude<keyof Remains, 'removed'>, string>> = {
  ledger:
    'states, totals, customer numbers, references, dates, masked accounts, who decided what and when, plans as they were approved: the record of what became of each mandate',
  cells:
    'ORIGINAL CELLS. Made to be corrected; nothing can be corrected any more: delete them (--remove-files does, where they are proven to be of this ledger)',
  values:
    'single values as they were found (names, addresses), accounts masked: report.html, the workbook and the two JSON files are what was signed, keep them as long as your records; delete the others',
  references: 'customer numbers, old and new references, masked accounts: the first collections need them',
  logs: 'row numbers, outcomes, words of the service and new references, accounts masked: delete them when no question is open',
  plans:
    'names of planner and approver, values of --only, no account: what was approved. Keep them as long as the signed page',
  register:
    'keyed hashes of references and customers, with the key, and where ledgers are: without it an older copy could be sent again',
  leftovers:
    'LEFT BY A REPORT that was killed, or of one that is written now; nothing in it says that it is of this ledger: look, and delete it',
  unread: 'CANNOT BE LOOKED INTO, so nothing is known about it: look for result files there yourself',
}

/** The closing statement: what is still there and why. */
export function remainLines(ledger: string, remains: Remains): string[] {
  const left = { ...remains, ledger: [ledger] }
  return [
    '',
    'What remains, and why:',
    ...Object.entries(WHY_LEFT).flatMap(([name, why]) => {
      const files = left[name as keyof typeof left]
      return files.length === 0 ? [] : [...files.map((path) => `  ${shownPath(path)}`), `      ${why}`]
    }),
    '  Not known to this ledger: your exports, crosswalk and joined files (whole accounts), result files and logs that were moved, problems.csv',
    '  of a "check --out" elsewhere, the data files of rehearsals ("sandbox --data"), and copies of any of these.',
  ]
}

/** Whose files they must be, and where its ledger is. */
type Owner = Readonly<{ ledger: string; campaign: CampaignRecord }>

/**
 * Removes those of the files that are proven to be of this ledger: by the hash that a manifest of it names, or by its mark
 * in every line. A name proves nothing: other campaigns and people give the same ones.
 */
export async function removeOwn(files: readonly string[], owner: Owner) {
  const removed: string[] = []
  const left: { file: string; why: string }[] = []
  for (const file of files) {
    const why = await removeOne(file, owner)
    if (why === null) removed.push(file)
    else left.push({ file, why })
  }
  return { removed, left }
}

/** @returns why the file was left; null once it is gone */
async function removeOne(file: string, owner: Owner): Promise<string | null> {
  if (isBehindLink(dirname(file), dirname(resolve(owner.ledger)))) return 'its folder is reached by a link'
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => null)
  if (handle === null) return 'it cannot be opened, or is a link'
  try {
    const opened = await handle.stat()
    if (!opened.isFile()) return 'it is not a regular file'
    const why = await unproven(file, handle, owner)
    if (why !== null) return why
    const entry = entryAt(file)
    if (entry?.ino !== opened.ino || entry.dev !== opened.dev) return 'it was exchanged meanwhile'
    unlinkSync(file)
    return null
  } finally {
    await handle.close()
  }
}

/** Links above the folder of the ledger are the way to the ledger as well; any other may lead to files of others. */
function isBehindLink(folder: string, ledgerFolder: string): boolean {
  const [real, beside] = [realpathSync(folder), relative(ledgerFolder, resolve(folder))]
  return beside.startsWith('..')
    ? real !== resolve(folder)
    : real !== join(realpathSync(ledgerFolder), beside)
}

async function unproven(
  file: string,
  handle: FileHandle,
  { campaign: { ledgerId } }: Owner,
): Promise<string | null> {
  const written = readWrittenFiles(dirname(file), MANIFEST_FILE) ?? readNote(dirname(file))
  const named = written?.files.find(({ name }) => name === basename(file))
  if (written?.ledgerId === ledgerId && named?.sha256 === (await sha256Of(file, bytesOf(handle)))) return null
  if (/\.(?:csv|xlsx)$/.test(file) && (await isMarked(file, handle, fold(ledgerMark({ ledgerId })))))
    return null
  return written !== null && written.ledgerId !== ledgerId && written.ledgerId !== ''
    ? 'it lies in the report of another ledger'
    : 'nothing proves that it is of this ledger: no manifest names it as it is, and not every line has its mark'
}

/** From its beginning, of what is open. */
const bytesOf = (handle: FileHandle) => handle.createReadStream({ start: 0, autoClose: false })

/** Whether there are lines, and each names this ledger: a list that somebody filled in or saved anew. */
async function isMarked(file: string, handle: FileHandle, mark: string): Promise<boolean> {
  try {
    const input = () => ({ name: basename(file), stream: bytesOf(handle) })
    let lines = 0
    for (const list of await openLists(input, DECIDING_COLUMNS))
      for await (const line of list.rows()) {
        if (!readMark(line.cell('migration_ledger') ?? '').ledger.startsWith(mark)) return false
        lines += 1
      }
    return lines > 0
  } catch {
    return false // no list at all
  }
}
