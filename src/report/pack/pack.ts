import { assertKind, assertKnown, codeOf, onlyKnown } from '../../errors.js'
import type { KeyObject } from 'node:crypto'
import { USUAL_ABSENT_AFTER_MS } from '../../domain/proof/read-back.js'
import { type LedgerReader, openLedgerReader } from '../../ledger/read/open-reader.js'
import { basename } from 'node:path'
import type { PlanRecord, ProblemRecord, RunRecord, SourceRecord } from '../../ledger/read/reader.js'
import { readVersion } from '../../machine.js'
import { isAsExpected, isBalanced, TOTAL_OF_STATE, VERIFICATION_WORDS } from '../../domain/row/row-state.js'
import { pick, said } from '../../domain/text/text.js'
import { ledgerFiles, noteWritten } from '../../ledger/safety/side-files.js'
import {
  isList,
  NOTE,
  noteText,
  type PackFile,
  inPackFolder,
  type PackFolder,
  CUT_OVER_FILE,
  DECISIONS_FILE,
  type Language,
  LANGUAGES,
  MANIFEST_FILE,
  TO_CANCEL_FILE,
  NOTHING_TOLD,
  PLACE_OF_PART,
  TO_DO_WORKBOOK,
  type Told,
  VERIFICATION_FILE,
} from './pack-folder.js'
import { type OpenLists, type ReportFacts, rowsToCancel, walkLedger } from '../facts/facts.js'
import { renderPage } from '../page/page.js'
import { SIGNATURE_FILE, signText } from '../../trust/signature.js'
import { openToDo, openWorkbook, WORKBOOK_FILE } from '../workbook/workbook.js'
import { textsIn } from '../text/texts.js'
import {
  type List,
  LISTS,
  PROBLEM_LIST,
  type ReportList,
  TO_CANCEL_LIST,
  mergeColumns,
  type OriginalColumns,
} from '../files/lists.js'

const { registered, ...parts } = PLACE_OF_PART

/** The lists to work in, which no manifest names, by their place in the folder. */
export const TO_DO_FILES = [...Object.values(parts), TO_DO_WORKBOOK]

/** The same, with those that are not always written. */
export const TO_DO_NAMES = [...TO_DO_FILES, CUT_OVER_FILE, TO_CANCEL_FILE]

/** The files of every reconciliation pack (report/README.md#the-files). */
export const PACK_FILES = [
  registered,
  'problems.csv',
  DECISIONS_FILE,
  'report.html',
  WORKBOOK_FILE,
  'summary.json',
  MANIFEST_FILE,
] as const

/** Every name that a manifest may name, and those of itself and its signature. */
export const PACK_NAMES = [...PACK_FILES, VERIFICATION_FILE, SIGNATURE_FILE] as const

export type ReportResult = Awaited<ReturnType<typeof writePackOf>>

export interface ReportOptions {
  /** The folder; made with mode 0700 where it is missing. */
  readonly out: string
  /** Files that this command reads or keeps, besides the ledger: none of them is replaced. */
  readonly forbidden?: readonly string[]
  readonly signal?: AbortSignal
  /** How long after its latest request a row must still be absent, to be proposed to be sent again; in milliseconds. */
  readonly absentAfterMs?: number
  /** The ledger that is named by its path, and the folder, may lie where others can write. */
  readonly sharedFolder?: boolean
  /** An Ed25519 private key: `manifest.sig` is written beside the manifest. */
  readonly signWith?: KeyObject | undefined
  /** The number of a run, for a list of what it registered. */
  readonly toCancel?: number | undefined
  /** What page and manifest say besides the ledger. */
  readonly told?: Told
  /** What people read is in it: page and workbook; English where nothing is said. */
  readonly language?: Language
}

const REPORT_OPTIONS =
  'out:text forbidden:list signal:signal absentAfterMs:number sharedFolder:flag signWith:key toCancel told:object language'

/**
 * Writes the reconciliation pack of a ledger. Nothing in it depends on the time or the machine of writing: two
 * reports of the same ledger in one language are identical byte for byte, and the files that programs read are so in
 * every language. An earlier report is replaced only when every new file is complete on disk, and only where it is as it
 * was written: otherwise the new one goes to a folder `report-2`, `report-3`, … in it. Lists in which somebody works stay
 * as they are, and the new ones go to `to-do-2`, `to-do-3`, …
 * @param ledger its path, and then the folder is noted beside it, so that a purge can name it; or one that is open
 * @throws {UsageError} when the folder cannot be written or a name in it is taken by a link or folder, or there is no
 *   ledger
 * @throws {LedgerError} when the ledger cannot be read
 */
export async function writeReport(
  ledger: string | LedgerReader,
  given: ReportOptions,
): Promise<ReportResult> {
  const options = onlyKnown('writeReport', given, REPORT_OPTIONS)
  assertKind('out of writeReport', options.out, 'text')
  onlyKnown('told', options.told ?? {}, 'company from')
  assertKnown('There is no language', options.language ?? 'en', LANGUAGES)
  if (typeof ledger !== 'string') {
    assertKind(
      'the ledger, which is no path and no reader',
      (ledger as Partial<LedgerReader> | undefined)?.campaign,
      'function',
    )
    return writePackOf(ledger, options)
  }
  const reader = openLedgerReader(ledger, { sharedFolder: options.sharedFolder })
  try {
    noteWritten(ledger, { kind: 'report', path: options.out })
    return await writePackOf(reader, options)
  } finally {
    reader.close()
  }
}

async function writePackOf(reader: LedgerReader, options: ReportOptions) {
  const { out, sharedFolder, forbidden = [], signWith } = options
  const { ledgerId } = reader.campaign()
  const terms = { forbidden: [...ledgerFiles(reader.file), ...forbidden], ledgerId, sharedFolder }
  return inPackFolder(out, [...PACK_NAMES, NOTE], terms, async (folder) => {
    const { facts, manifest, failed } = await writeFiles(reader, folder, options, true)
    if (options.toCancel !== undefined)
      await writeList(folder, TO_CANCEL_FILE, TO_CANCEL_LIST, rowsToCancel(reader, options.toCancel))
    await folder.write(MANIFEST_FILE, manifest)
    if (signWith !== undefined) await folder.write(SIGNATURE_FILE, signText(manifest, signWith))
    const files = folder.finished()
    // Rows in doubt that `in-doubt.csv` proposes to send again, and what was read back of the registered ones; null where
    // nobody asked.
    const { totals, balanced, proposals, verification } = facts
    const published = await folder.publish()
    if (failed.length > 0)
      throw new Error(`A page of the report cannot be made; its lists are in "${published.folder}"`, {
        cause: failed[0],
      })
    return { files, totals, balanced, proposals, verification, ...published }
  })
}

/**
 * Writes what a manifest names again, without the lists to work in, and removes it.
 * @param out where that is done, in a hidden folder
 * @returns what the manifest says of it
 * @throws {UsageError} where the folder cannot be written
 */
export async function writeManifestAgain(
  reader: LedgerReader,
  { out, ...options }: Pick<ReportOptions, 'out' | 'language' | 'absentAfterMs' | 'told'>,
): Promise<string> {
  const terms = { ledgerId: reader.campaign().ledgerId, sharedFolder: true }
  const write = (folder: PackFolder) => writeFiles(reader, folder, options, false)
  return (await inPackFolder(out, [], terms, write)).manifest
}

/** All files but the manifest. */
async function writeFiles(
  reader: LedgerReader,
  folder: PackFolder,
  {
    language = 'en',
    absentAfterMs = USUAL_ABSENT_AFTER_MS,
    told = NOTHING_TOLD,
    signal,
  }: Pick<ReportOptions, 'language' | 'absentAfterMs' | 'told' | 'signal'>,
  hasLists: boolean,
) {
  const texts = textsIn(language, reader.runs().at(-1)?.zone)
  const sources = reader.sources()
  const columns = mergeColumns(sources)
  const lists = await openCsvLists(reader, columns, folder, hasLists)
  const workbook = openWorkbook(folder, texts)
  const toDo = hasLists ? openToDo(folder, columns) : null
  const files = [lists.lists, workbook.lists, toDo?.lists ?? {}]
  const facts = await walkLedger(reader, sources, { files, signal, absentAfterMs, told })
  await lists.finish()
  await toDo?.finish()
  const failed: unknown[] = []
  // A page that fails takes no list with it, whenever it does; what the system refuses is told as ever.
  const orTold = async (write: () => Promise<unknown>): Promise<void> => {
    try {
      await write()
    } catch (error) {
      if (codeOf(error) !== '') throw error
      failed.push(error)
    }
  }
  await orTold(async () => folder.write('report.html', await renderPage(facts, texts)))
  await orTold(() => workbook.finish(facts))
  await folder.write('summary.json', renderSummary(facts))
  const written = { files: folder.finished(), language, absentAfterMs }
  return { facts, manifest: renderManifest(facts, written), failed }
}

async function writeList<Of>(folder: PackFolder, name: string, list: List<Of>, lines: Iterable<Of>) {
  const { add, drain, finish } = await openCsv(folder, name, list)
  for (const of of lines) {
    add(of)
    await drain()
  }
  return finish()
}

async function openCsv<Of>(folder: PackFolder, name: string, { header, line }: List<Of>) {
  const output = await folder.create(name)
  output.put(header)
  return { ...output, add: (of: Of): void => output.put(line(of)) }
}

/** The CSV files of a report; `finish` once everything was handed over. */
async function openCsvLists(
  reader: LedgerReader,
  columns: OriginalColumns,
  folder: PackFolder,
  hasLists: boolean,
) {
  const leftOut = said<string>([
    reader.verificationCounts().length === 0 && VERIFICATION_FILE,
    reader.openCutOver().open === 0 && CUT_OVER_FILE,
  ])
  const outputs = new Map<string, Awaited<ReturnType<typeof openCsv<never>>>>()
  for (const [name, { file, written }] of Object.entries<ReportList<never>>(LISTS)) {
    if (file === null || written === undefined || leftOut.includes(file)) continue
    if (hasLists || !isList({ name: file })) outputs.set(name, await openCsv(folder, file, written(columns)))
  }
  const finish = async (): Promise<void> => {
    const all = [...outputs.values()]
    await Promise.all(all.map(({ flush }) => flush()))
    for (const output of all) await output.finish()
  }
  return { lists: Object.fromEntries(outputs) as OpenLists, finish }
}

/**
 * Writes problems.csv alone, for `check --out`: as safely as a whole pack. A hidden note beside it tells the next check or
 * report that nobody has written into it since.
 * @throws {UsageError} as `writeReport`
 */
export async function writeProblems(problems: Iterable<ProblemRecord>, options: ReportOptions) {
  const { out, forbidden, sharedFolder } = options
  return inPackFolder(out, ['problems.csv', NOTE], { forbidden, sharedFolder }, async (folder) => {
    const file = await writeList(folder, 'problems.csv', PROBLEM_LIST, problems)
    await folder.write(NOTE, noteText('', [file]))
    return { ...file, ...(await folder.publish()) }
  })
}

const canonical = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

interface Written extends Required<Pick<ReportOptions, 'language' | 'absentAfterMs'>> {
  readonly files: readonly PackFile[]
}

/** manifest.json: what belongs to the pack and what it was made from. It cannot list itself. */
export function renderManifest(facts: ReportFacts, { files, language, absentAfterMs }: Written): string {
  return canonical({
    schemaVersion: 1,
    version: readVersion(),
    ledger: facts.ledger,
    ...pick('ledgerId', 'changedAt')(facts.campaign),
    changedWhileReading: facts.changedWhileReading,
    // What a report that is written again must be told.
    ...{ language, absentAfterMs, told: facts.told },
    campaign: pick('baseUrl', 'username', 'createdAt', 'purgedAt')(facts.campaign),
    ...pick('totals', 'notTaken')(facts),
    plans: plansIn(facts.plans),
    decisions: { count: facts.decisions.total + facts.corrections.total },
    files,
    sources: facts.sources.map(pick('name', 'bytes', 'sha256')),
  })
}

/** summary.json: the figures of the pack for programs. */
export const renderSummary = (facts: ReportFacts): string =>
  canonical({
    schemaVersion: 1,
    campaign: {
      ledger: facts.ledger,
      ...pick('ledgerId', 'baseUrl', 'username', 'createdAt', 'changedAt', 'purgedAt')(facts.campaign),
    },
    /** `notTaken`: lines that were given back and could not be taken: the rows they name stay as they were. */
    ...pick('balanced', 'changedWhileReading', 'totals', 'mandates', 'notTaken', 'told')(facts),
    /** Totals of the former provider, each beside the records of its export. */
    expected: facts.expected.map((totals) => ({ ...totals, agrees: isAsExpected(totals) })),
    sources: facts.sources.map(sourceIn),
    plans: plansIn(facts.plans),
    /** Ready rows that the latest run was not told to send; null where it was told to send all. */
    leftByChoice: facts.leftByChoice,
    runs: facts.runs.map(runIn),
    files: rowsOfFiles(facts),
    /** Closed rows that no result file repeats, because feeding them back would undo a decision. */
    inNoFile: { superseded: facts.totals.superseded, writtenOff: facts.totals.writtenOff },
    /** Registered rows by what the service showed; null where nobody asked. */
    verification:
      facts.verification &&
      pick(
        'registered',
        ...VERIFICATION_WORDS,
        'notAsked',
        'firstAt',
        'lastAt',
        'sample',
      )(facts.verification),
    /** How the last export stood to the ledger, by class; null where nobody compared them. */
    cutOver: facts.cutOver,
    asReadBefore: facts.open.asReadBefore,
    distinct: facts.distinct,
    hashTotals: {
      read: facts.hashTotals.read,
      ...Object.fromEntries(
        [...facts.hashTotals.byState].map(([state, totals]) => [TOTAL_OF_STATE[state], totals]),
      ),
    },
    /** So that a third party needs nothing but the pack. */
    definitions: { customerNoSum: 'Sum of customer_no over the rows that have one, in decimal.' },
  })

const sourceIn = ({ totals, ...source }: SourceRecord) => ({
  ...pick('name', 'sha256', 'bytes', 'records', 'resubmitted', 'blankLines', 'admittedAt')(source),
  balanced: isBalanced(totals),
  totals,
})

/** The host says nothing to a program. */
const runIn = ({ id, ...run }: RunRecord) => ({
  run: id,
  ...pick('startedAt', 'startedAs', 'endedAt', 'version', 'asOf', 'zone')(run),
  ...pick('stoppedBy', 'exitCode', 'attempts', 'settings')(run),
})

/** What was planned and who approved it, as programs read it; the runs name the digest of their plan. */
const plansIn = (plans: readonly PlanRecord[]) =>
  plans.map(({ digest, document, approvals }) => ({
    digest,
    ...pick('plannedAt', 'plannedBy', 'plannedAs', 'rows', 'limit')(document),
    approvals: approvals.map(({ id: _, ...approval }) => approval),
  }))

const PARTS = Object.keys(PLACE_OF_PART) as (keyof typeof PLACE_OF_PART)[]

const rowsOfFiles = ({ parts, problems, verification }: ReportFacts) => ({
  ...Object.fromEntries(PARTS.map((part) => [basename(PLACE_OF_PART[part]), { rows: parts[part] }])),
  'problems.csv': { rows: problems },
  ...(verification === null
    ? {}
    : { [VERIFICATION_FILE]: { rows: verification.registered - verification.notAsked } }),
})
