import { join } from 'node:path'
import {
  admitSources,
  type AdmittedSource,
  type LedgerReader,
  openScratchCopy,
  openScratchLedger,
  problemPages,
  UsageError,
  writeProblems,
} from '../index.js'
import { ownText, type Command, type Context } from './command.js'
import { namedFiles } from './named-files.js'
import { totalsLines } from './output.js'
import { keptText, type WrittenPack } from './pack.js'
import { environmentName } from './options.js'
import { readingLines } from './reading-lines.js'
import { noteOutputs } from './remains.js'
import { emptyResult, type CommandResult } from './result.js'
import { IGNORE_COLUMN, openers, sampled } from './sources.js'
import { unlikelyShares } from './unlikely.js'

const SHOWN = 20

export const checkCommand: Command = {
  usage: 'check <files...>',
  summary: 'validate whole files; sends nothing, changes nothing, needs no network',
  options: ['config', 'ledger', 'out', 'json', 'quiet', 'verbose', 'noColor', 'logFile', 'asOf'],
  own: [IGNORE_COLUMN, ['--sample <n>', 'a first look: only the first n records of each file']],
  epilogue: [
    '--out writes every problem to problems.csv in that folder.',
    '--ledger compares the files with a campaign, as run would: above all corrections with the rows they name.',
    'Without it, files of this program that were filled in are checked on their own.',
    'Exit status: 0 nothing is wrong, 2 usage, 3 some rows are invalid or in conflict,',
    '7 input unreadable, or run would refuse it.',
  ],
  run: check,
}

async function check(context: Context): Promise<CommandResult> {
  const { world, settings, progress } = context
  const sample = readSample(ownText(context, 'sample'))
  const campaign = namedLedger(context)
  const ledger =
    campaign === null ? openScratchLedger(world.clock) : openScratchCopy(campaign, world.clock, settings)
  try {
    const admitted = await admitSources(ledger, sampled(openers(context, 'tell'), sample), {
      severities: settings.severities,
      signal: world.signals.drain,
      watch: progress.reading,
      onTheirOwn: campaign === null,
    })
    const out = settings.get('out')
    noteOutputs(context, out)
    const { files, warnings } =
      out === null ? { files: {}, warnings: [] } : await writeFiles(context, ledger.reader, out)
    const result = conclude(ledger.reader, { admitted, campaign, files, sample })
    return { ...result, warnings: [...result.warnings, ...warnings] }
  } finally {
    ledger.close()
  }
}

/** The ledger of a campaign only where it was asked for: a first check comes before any ledger. */
const namedLedger = ({ settings, world }: Context): string | null =>
  settings.flags.ledger !== undefined || world.env[environmentName('ledger')] !== undefined
    ? settings.ledger
    : null

async function writeFiles(context: Context, reader: LedgerReader, out: string): Promise<WrittenPack> {
  const forbidden = namedFiles(context, null)
  const { name, folder, kept } = await writeProblems(allProblems(reader), { out, forbidden })
  return {
    files: { [name]: join(folder, name) },
    warnings: kept === null ? [] : [keptText(kept, out, folder, 'list of problems')],
  }
}

function* allProblems(reader: LedgerReader) {
  for (const page of problemPages(reader)) yield* page
}

function readSample(text: string | null): number | null {
  if (text === null || /^[1-9]\d{0,8}$/.test(text)) return text === null ? null : Number(text)
  throw new UsageError(`Cannot read --sample: "${text}" is not a whole number from 1`, 'Correct the value')
}

interface Checked {
  readonly admitted: readonly AdmittedSource[]
  /** The ledger that the files were compared with. */
  readonly campaign: string | null
  readonly files: Readonly<Record<string, string>>
  readonly sample: number | null
}

function conclude(reader: LedgerReader, { admitted, campaign, files, sample }: Checked): CommandResult {
  const totals = reader.totals()
  const counts = reader.problemCounts()
  const problems = counts.reduce((sum, { count }) => sum + count, 0)
  const notTaken = admitted.reduce((sum, source) => sum + source.notTaken, 0)
  const isFaulty = totals.invalid + totals.conflict + notTaken > 0
  const isUndecided = counts.some(
    ({ rule, severity }) => rule === 'FILE_COLUMN_UNDECIDED' && severity === 'error',
  )
  const names = new Set(admitted.map(({ name }) => name))
  const sources = reader.sources().filter(({ name }) => names.has(name))
  return {
    ...emptyResult,
    exitCode: isUndecided ? 7 : isFaulty ? 3 : 0,
    campaign: { ledger: campaign, baseUrl: campaign === null ? null : reader.campaign().baseUrl },
    totals,
    files,
    warnings: [
      ...(sample === null ? [] : [`Only the first ${sample} records of each file were checked`]),
      ...(campaign === null ? ownFiles(admitted) : []),
      ...admitted
        .filter(({ kind }) => kind === 'known')
        .map(({ name }) => `"${name}" is in the ledger already; run would add nothing of it`),
      ...(campaign === null ? unlikelyShares(reader) : []),
    ],
    lines: [
      ...sourceLines(sources),
      ...problemLines(reader, problems),
      ...counts.map(
        ({ rule, severity, count }) => `  ${String(count).padStart(8)} ${severity.padEnd(7)} ${rule}`,
      ),
      '',
      ...(campaign === null ? [] : [`The campaign of ${campaign}, as it would be with these files:`]),
      ...totalsLines(totals),
      ...(notTaken === 0
        ? []
        : [`  ${notTaken} corrections cannot be taken; the rows they name stay as they are`]),
      '',
      ...Object.values(files).map((path) => `All problems: ${path}`),
      isUndecided ? UNDECIDED : nextLine(isFaulty, files),
    ],
    details: { problems: counts, sources, notTaken },
  }
}

const UNDECIDED =
  'Next: decide about each column that is called undecided above; until then run refuses the file and sends nothing'

const ownFiles = (admitted: readonly AdmittedSource[]): string[] =>
  admitted
    .filter(({ isResultFile }) => isResultFile)
    .map(
      ({ name }) =>
        `"${name}" holds corrections; it was checked on its own. check --ledger FILE compares it with the campaign`,
    )

function nextLine(isFaulty: boolean, files: Readonly<Record<string, string>>): string {
  if (!isFaulty)
    return 'Next: sepa-migrate run with the same files, first with --limit 10 against the test environment'
  return files['problems.csv'] === undefined
    ? 'Next: sepa-migrate check --out DIR writes every problem to a file; correct the export and check again'
    : 'Next: correct the export and check again, or run: rows with an error are left behind and reported'
}

function sourceLines(sources: ReturnType<LedgerReader['sources']>): string[] {
  return sources.flatMap((source) => {
    const { name, records, blankLines, reading } = source
    const { encoding, delimiter } = reading
    const how = [encoding, delimiter].filter((value) => typeof value === 'string').join(', ')
    return [
      `${name}: ${records} records, ${blankLines} blank lines${how === '' ? '' : ` (${how})`}`,
      ...readingLines(source),
    ]
  })
}

function problemLines(reader: LedgerReader, total: number): string[] {
  if (total === 0) return ['No problems.']
  const first = reader.problems(0, SHOWN)
  return [
    '',
    total > first.length ? `Problems: the first ${first.length} of ${total}` : `Problems: ${total}`,
    ...first.map(
      ({ source, line, severity, rule, column, value, message }) =>
        `  ${source}${line === null ? '' : `:${line}`} ${severity} ${rule}${column === '' ? '' : ` ${column}`}${
          value === '' ? '' : ` "${value}"`
        } ${message}`,
    ),
    '',
  ]
}
