import type { KeyObject } from 'node:crypto'
import { USUAL_ABSENT_AFTER_MS } from '../../domain/proof/absence.js'
import type { Verification } from '../../domain/proof/verification.js'
import type { Totals } from '../../domain/row/totals.js'
import { openLedgerReader } from '../../ledger/read/open-reader.js'
import type { SourceRecord } from '../../ledger/read/reader.js'
import { ledgerFiles, noteWritten } from '../../ledger/safety/written-files.js'
import { type PackFile, problemsNote, PROBLEMS_NOTE } from './earlier-pack.js'
import { FILE_OF_PART, partOf, type ReportFacts } from '../facts/facts.js'
import { mergeColumns } from '../files/original-columns.js'
import { openPackFolder, type PackFolder, type Published } from './pack-folder.js'
import { relinked } from '../page/file-link.js'
import { renderPage } from '../page/page.js'
import type { ReportedLedger } from '../facts/pages.js'
import { problemHeader, problemLine, problemsCsv, type ProblemLine } from '../files/problem-lines.js'
import {
  inDoubtHeader,
  inDoubtLine,
  ledgerMark,
  openRowHeader,
  openRowLine,
  registeredHeader,
  registeredLine,
} from '../files/row-lines.js'
import { VERIFICATION_FILE, verificationHeader, verificationLine } from '../files/verification-lines.js'
import { walkLedger, type RowFiles } from '../facts/row-walk.js'
import { DECISIONS_FILE, decisionHeader, decisionLines, type ChainEnd } from '../files/decision-lines.js'
import { MANIFEST_FILE, renderManifest } from '../files/manifest.js'
import { SIGNATURE_FILE, signText } from '../../trust/signature.js'
import { renderSummary } from '../files/summary.js'
import { openWorkbook, WORKBOOK_FILE, type Workbook } from '../workbook/workbook.js'
import type { Language } from '../text/language.js'
import { type Texts, textsIn } from '../text/texts.js'

/** The files of every reconciliation pack (report/README.md#the-files). */
export const PACK_FILES = [
  FILE_OF_PART.registered,
  FILE_OF_PART.refused,
  FILE_OF_PART.corrections,
  FILE_OF_PART.inDoubt,
  FILE_OF_PART.notSent,
  'problems.csv',
  DECISIONS_FILE,
  'report.html',
  WORKBOOK_FILE,
  'summary.json',
  MANIFEST_FILE,
] as const

/** Every name that a pack may have. */
export const PACK_NAMES = [...PACK_FILES, VERIFICATION_FILE, SIGNATURE_FILE] as const

export interface ReportResult {
  readonly files: readonly PackFile[]
  readonly totals: Totals
  readonly balanced: boolean
  /** What was read back of the registered rows; null where nobody asked. */
  readonly verification: Verification | null
  /** Rows in doubt that `in-doubt.csv` proposes to send again. */
  readonly proposals: number
  /** Where the pack is: the folder that was asked for, or one in it. */
  readonly folder: string
  /** The file in that folder that was filled in, or is of somebody else, and so was not replaced. */
  readonly kept: string | null
  /** Files in that folder that somebody works in, and the names that the new ones have instead. */
  readonly numbered: ReadonlyMap<string, string>
}

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
  readonly signWith?: KeyObject
  /** What people read is in it: page and workbook; English where nothing is said. */
  readonly language?: Language
}

/**
 * Writes the reconciliation pack of a ledger. Nothing in it depends on the time or the machine of writing: two
 * reports of the same ledger in one language are identical byte for byte, and the files that programs read are so in
 * every language. Earlier files of the same names are replaced only when every new one is complete on disk, and only
 * where they are as a report wrote them: a file that somebody works in keeps its name and the new one gets a number, and
 * where any other was changed the whole pack goes to a folder `report-2`, `report-3`, … beside them.
 * @param ledger its path, and then the folder is noted beside it, so that a purge can name it; or one that is open
 * @throws {UsageError} when the folder cannot be written or a name in it is taken by a link or folder, or there is no
 *   ledger
 * @throws {LedgerError} when the ledger cannot be read
 */
export async function writeReport(
  ledger: string | ReportedLedger,
  options: ReportOptions,
): Promise<ReportResult> {
  if (typeof ledger !== 'string') return writePackOf(ledger, options)
  const reader = openLedgerReader(ledger, options)
  try {
    noteWritten(ledger, { kind: 'report', path: options.out })
    return await writePackOf(reader, options)
  } finally {
    reader.close()
  }
}

async function writePackOf(reader: ReportedLedger, options: ReportOptions): Promise<ReportResult> {
  const folder = await openPackFolder(
    options.out,
    PACK_NAMES,
    [...ledgerFiles(reader.file), ...(options.forbidden ?? [])],
    { mark: ledgerMark(reader.campaign()), sharedFolder: options.sharedFolder },
  )
  try {
    const texts = textsIn(options.language ?? 'en')
    const { facts, workbook, decisions } = await writeLists(reader, folder, texts, options)
    const numbered = await folder.settleNames()
    await folder.write('report.html', relinked(await renderPage(facts, texts), numbered))
    await workbook.finish(facts)
    await folder.write('summary.json', renderSummary(facts))
    const listed = folder.finished()
    const manifest = renderManifest(facts, listed, decisions)
    const files = [...listed, await folder.write(MANIFEST_FILE, manifest)]
    const { signWith } = options
    if (signWith !== undefined) files.push(await folder.write(SIGNATURE_FILE, signText(manifest, signWith)))
    const published = await folder.publish()
    const { totals, balanced, proposals, verification } = facts
    return { files, totals, balanced, proposals, verification, ...published }
  } finally {
    await folder.discard()
  }
}

/** The lists are written side by side while the ledger is walked over once. */
async function writeLists(
  reader: ReportedLedger,
  folder: PackFolder,
  texts: Texts,
  { signal, absentAfterMs = USUAL_ABSENT_AFTER_MS }: ReportOptions,
): Promise<{ facts: ReportFacts; workbook: Workbook; decisions: ChainEnd }> {
  const sources = reader.sources()
  const lists = await openCsvLists(reader, sources, folder)
  const workbook = openWorkbook(folder, texts)
  const facts = await walkLedger(reader, sources, inBoth(lists, workbook), {
    signal,
    absentAfterMs,
  })
  return { facts, workbook, decisions: await lists.finish() }
}

const inBoth = (one: RowFiles, other: RowFiles): RowFiles => ({
  registered: (row) => {
    one.registered(row)
    other.registered(row)
  },
  row: (row, explanation, absence) => {
    one.row(row, explanation, absence)
    other.row(row, explanation, absence)
  },
  problem: (problem) => {
    one.problem(problem)
    other.problem(problem)
  },
  decision: (decision) => {
    one.decision(decision)
    other.decision(decision)
  },
  verified: (row) => {
    one.verified(row)
    other.verified(row)
  },
  drain: async () => {
    await one.drain()
    await other.drain()
  },
})

/** The CSV files of a pack; `finish` once everything was handed over. */
interface CsvLists extends RowFiles {
  readonly finish: () => Promise<ChainEnd>
}

async function openCsvLists(
  reader: ReportedLedger,
  sources: readonly SourceRecord[],
  folder: PackFolder,
): Promise<CsvLists> {
  const columns = mergeColumns(sources)
  const campaign = reader.campaign()
  const registered = await folder.create(FILE_OF_PART.registered)
  const refused = await folder.create(FILE_OF_PART.refused)
  const corrections = await folder.create(FILE_OF_PART.corrections)
  const inDoubt = await folder.create(FILE_OF_PART.inDoubt)
  const notSent = await folder.create(FILE_OF_PART.notSent)
  const problems = await folder.create('problems.csv')
  const decisions = await folder.create(DECISIONS_FILE)
  const isVerified = reader.verificationCounts().length > 0
  const verified = isVerified ? await folder.create(VERIFICATION_FILE) : null
  const lists = [registered, refused, corrections, inDoubt, notSent, problems, decisions]
  const outputs = verified === null ? lists : [...lists, verified]
  const decided = decisionLines(campaign.ledgerId)

  registered.put(registeredHeader())
  refused.put(openRowHeader(columns))
  corrections.put(openRowHeader(columns))
  inDoubt.put(inDoubtHeader(columns))
  notSent.put(openRowHeader(columns))
  problems.put(problemHeader())
  decisions.put(decisionHeader())
  verified?.put(verificationHeader())

  return {
    registered: (row) => registered.put(registeredLine(row)),
    row: (row, explanation, absence) => {
      const part = partOf(row)
      if (part === 'refused') refused.put(openRowLine(columns, campaign, row, explanation))
      if (part === 'corrections') corrections.put(openRowLine(columns, campaign, row, explanation))
      if (part === 'inDoubt') inDoubt.put(inDoubtLine(columns, campaign, { row, explanation, absence }))
      if (part === 'notSent') notSent.put(openRowLine(columns, campaign, row, explanation))
    },
    problem: (problem) => problems.put(problemLine(problem)),
    decision: (decision) => decisions.put(decided.next(decision)),
    verified: (row) => verified?.put(verificationLine(row)),
    drain: async () => {
      for (const output of outputs) await output.drain()
    },
    finish: async () => {
      await Promise.all(outputs.map(({ flush }) => flush()))
      for (const output of outputs) await output.finish()
      return decided.end()
    },
  }
}

/**
 * Writes problems.csv alone, for `check --out`: as safely as a whole pack. A hidden note of its hash beside it tells
 * the next check or report that nobody has written into it since.
 * @throws {UsageError} as `writeReport`
 */
export async function writeProblems(
  problems: Iterable<ProblemLine> | AsyncIterable<ProblemLine>,
  options: ReportOptions,
): Promise<PackFile & Published> {
  const folder = await openPackFolder(options.out, ['problems.csv', PROBLEMS_NOTE], options.forbidden, {
    sharedFolder: options.sharedFolder,
  })
  try {
    const output = await folder.create('problems.csv')
    let waiting = 0
    for await (const text of problemsCsv(problems)) {
      options.signal?.throwIfAborted()
      output.put(text)
      waiting += 1
      if (waiting % 1000 === 0) await output.drain()
    }
    const file = await output.finish()
    await folder.write(PROBLEMS_NOTE, problemsNote(file.sha256))
    return { ...file, ...(await folder.publish()) }
  } finally {
    await folder.discard()
  }
}
