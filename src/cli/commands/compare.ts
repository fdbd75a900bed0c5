import { CUT_OVER_CLASSES } from '../../domain/row/cut-over.js'
import { countText, fold, plural, said } from '../../domain/text/text.js'
import { SourceError, UsageError } from '../../errors.js'
import type { CheckedRecord } from '../../domain/rule/verdict.js'
import type { LedgerReader } from '../../ledger/read/open-reader.js'
import type { SourceRecord } from '../../ledger/read/reader.js'
import { assertSameHeadings, isItsOwn, placeOf, type ReadBy, readingBy } from '../../run/read-again.js'
import { fileDigest, nameOf } from '../../source/bytes/input.js'
import { ENGLISH } from '../../report/text/texts.js'
import { admitSources, readAgainFirst, readAs, type OpenNext } from '../../run/admit-sources.js'
import {
  closingLines,
  fileWarnings,
  leftAsRead,
  lookedAt,
  oldPages,
  writePack,
  noteOutputs,
} from '../closing.js'
import { IGNORE_COLUMN, openers, readByOf, decideIn, SHEET, type Command, type Context } from '../command.js'
import { EXITS, SHARED, usual } from '../settings/declared.js'

export const compareCommand: Command = {
  usage: 'compare <files...>',
  summary: 'set the last export of the former system against the ledger; sends nothing',
  examples: [
    'sepa-migrate compare final.csv',
    'sepa-migrate resolve --from sepa-migrate-report/to-do/cut-over.csv',
  ],
  options: [...SHARED, 'asOf'],
  own: [
    SHEET,
    IGNORE_COLUMN,
    ['--by <name>', 'who compares (default: the user)'],
    ['--yes-it-is-final', 'it is the last export although it does not look so'],
  ],
  epilogue: [
    'The export is read as run reads it; no row changes, and the latest comparison counts. The last exports of several systems',
    'are given together: each is read as the exports with its columns were. A mandate is known by creditor and reference; one',
    'that is registered or in doubt also by customer, account and date, where that is one on either side.',
    'Rows that ended, are gone or are in doubt otherwise than they are there now are held: no run sends them.',
    'A reference that changed before sending is a mandate that is gone and a new one: write the old one off first.',
    'to-do/cut-over.csv, like the sheet Cut-over of to-do.xlsx, has a line for each mandate that a person must act on: done (or',
    'written-off) with a reason, then resolve --from.',
  ],
  exits: {
    ...EXITS.standing,
    2: 'it does not look like the last export, or a usage error; nothing was recorded',
    3: 'something of the cut-over is open, or some rows are invalid, in conflict, refused or held',
    ...usual(7, 130, 143),
  },
  run: compare,
}

async function compare(context: Context) {
  const { settings, world, progress } = context
  const { severities } = settings
  const { drain: signal } = world.signals
  noteOutputs(context, settings.out)
  const readBy = readByOf(context)
  const left = await leftAsRead(context, 'compare')
  const { ledger, comparison, looked, again, settled, misread } = await decideIn(
    context,
    async (ledger) => {
      const final = ledger.comparisons.open()
      try {
        const again = await readAgainFirst(ledger, { severities, readBy, signal })
        const { files, readings, told } = await asBefore(context, ledger.view)
        const admitted = await admitSources(final, files, {
          ...{ severities, signal },
          watch: progress.reading,
          onTheirOwn: true,
        })
        assertExports(admitted)
        const terms = { by: context.actor(), isFinal: context.flag('yesItIsFinal'), readings }
        const settled = ledger.comparisons.record(final, terms)
        const comparison = ledger.view.comparison()
        const misread = fileWarnings(final.reader)
        const looked = await lookedAt(context, ledger.view)
        return { ledger, comparison, looked, again: [...again, ...told], settled, misread }
      } finally {
        final.close()
      }
    },
    { ofLatest: true },
  )
  const { result, status } = looked
  const { files, warnings, proposed } = await writePack(settings)
  if (comparison === null) throw new Error('The comparison is not on record')
  const { classes, ledgerMandates, finalMandates, sources } = comparison
  const mandates = { ledger: ledgerMandates, final: finalMandates }
  return {
    ...result,
    files,
    warnings: [...misread, ...result.warnings, ...warnings, ...oldPages(ledger)],
    lines: said([
      ...again,
      ...left,
      `The last export beside the ledger: ${countText(finalMandates)} mandates there, ${countText(ledgerMandates)} here.`,
      ...CUT_OVER_CLASSES.map(
        (name) => `  ${countText(classes[name]).padStart(9)}  ${ENGLISH.say(`cutOver.${name}`)}`,
      ),
      settled > 0 &&
        `${plural(settled, 'line', 'lines')} of the comparison before ${settled === 1 ? 'was' : 'were'} open and closed by nobody: in this export the mandate is as in the ledger again.`,
      ...closingLines(context, { ...status, files, notes: proposed }),
    ]),
    details: { classes, mandates, sources, cutOver: status.cutOver },
  }
}

/**
 * Each export as that of its columns was read which came in before: those of several systems are compared in one command. A
 * configuration that was named and read none of them takes the place of the one that did.
 * @returns also how each is read, by its SHA-256, and what is read otherwise than the command says, in sentences
 * @throws {UsageError} where it could take the place of several
 */
async function asBefore(context: Context, reader: LedgerReader) {
  const own = readByOf(context)
  const readings = new Map<string, ReturnType<typeof readingBy>>()
  const systems = new Map<string | null, System>([[own.configuration, { by: own, exports: [] }]])
  const sources = reader.readSources().filter(({ isList }) => !isList)
  const isSystem = sources.some((source) => isItsOwn(source, own))
  const isFirst = !isSystem && context.settings.isNamed('config')
  for (const source of sources) {
    const isOwn = isItsOwn(source, own)
    const path = isOwn ? own.configuration : placeOf(source.reading, own)
    const isGone = !isOwn && path === null && (source.reading.configuration != null || !(isSystem || isFirst))
    const by = isGone ? null : (systems.get(path)?.by ?? own.readWith?.(path) ?? null)
    if (by === null) continue
    if (!systems.has(path)) systems.set(path, { by, exports: [] })
    systems.get(path)?.exports.push(source)
  }
  /** A row has the mandate with its account. */
  const agrees = ({ verdict, mandateKey }: CheckedRecord): boolean =>
    verdict.kind === 'sendable' &&
    reader
      .rowsOfCustomer(verdict.mandate.customerNo)
      .some(
        (row) => row.mandateKey === mandateKey && reader.isAccountOf(row.id, verdict.mandate.iban) === true,
      )
  const openBy = async (
    open: OpenNext,
    { by, exports }: System,
    known: Parameters<OpenNext>[0] = {},
  ): ReturnType<OpenNext> => {
    const opened = by === own ? await open(known) : await open.as?.(by, known)
    if (opened !== undefined) assertSameHeadings(opened, exports)
    if (opened?.sha256 != null) readings.set(opened.sha256, readingBy(by))
    return opened ?? open(known)
  }
  const opens = openers(context, 'refuse')
  const found: (System | undefined)[] = []
  for (const open of opens)
    found.push(
      systems.size === 1
        ? undefined
        : await systemOf(open, [...systems.values()], { openBy: (system) => openBy(open, system), agrees }),
    )
  // Where it read none of them, it may be what they lacked, or is for the file whose columns no export had.
  if (isFirst && systems.size > 1 && !found.includes(undefined)) {
    if ([...systems.keys()].filter((path) => path !== null).length > 2) throw replacesSeveral(own)
    found.fill(undefined)
  }
  const told = found.flatMap((system, at) =>
    system === undefined || system.by === own
      ? []
      : [
          `"${nameOf(context.args[at] ?? '')}" was read ${readAs(system.by.configuration)}, as "${system.exports[0]?.name ?? ''}" was.`,
        ],
  )
  const files = opens.map(
    (open, at): OpenNext =>
      (known) =>
        openBy(open, found[at] ?? systems.get(own.configuration) ?? { by: own, exports: [] }, known),
  )
  return { files, readings, told }
}

const replacesSeveral = ({ configuration }: ReadBy): UsageError =>
  new UsageError(
    `"${nameOf(configuration ?? '')}" has read no export here, and the exports here are of several configurations: nobody can tell which of them it takes the place of; nothing was recorded`,
    `Correct the configuration that read them, and compare with that. Or give the export that it reads by now to a run with it first (sepa-migrate run FILE --config "${configuration ?? ''}")`,
  )

interface System {
  readonly by: ReadBy
  readonly exports: Pick<SourceRecord, 'name' | 'sha256' | 'header' | 'reading'>[]
}

/** Enough to tell two systems apart. */
const MOST_RECORDS = 100

/** By the very file, else by its columns; of several that fit, the one with whose rows most of the first records agree. */
async function systemOf(
  { path }: OpenNext,
  systems: readonly System[],
  {
    openBy,
    agrees,
  }: { openBy: (system: System) => ReturnType<OpenNext>; agrees: (record: CheckedRecord) => boolean },
): Promise<System | undefined> {
  const sha256 = path === undefined ? null : await fileDigest(path)
  const known = systems.find((system) => system.exports.some((one) => one.sha256 === sha256))
  if (known !== undefined) return known
  const columnsOf = (header: readonly string[]): string => header.map(fold).sort().join()
  /** What is found in the file as that system reads it; null where it cannot be read so. */
  const triedBy = async <Found>(system: System, find: (opened: Opened) => Promise<Found> | Found) => {
    try {
      return await find(await openBy(system))
    } catch (error) {
      if (error instanceof SourceError) return null
      throw error
    }
  }
  const fit: System[] = []
  for (const system of systems) {
    const header = await triedBy(system, (opened) => columnsOf(opened.header))
    if (system.exports.some((one) => columnsOf(one.header) === header)) fit.push(system)
  }
  let [best, most] = [fit[0], 0]
  for (const system of fit.length > 1 ? fit : []) {
    const count = await triedBy(system, (opened) => countFirst(opened, agrees))
    if (count !== null && count > most) [best, most] = [system, count]
  }
  return best
}

type Opened = Awaited<ReturnType<OpenNext>>

/** Of the first records, such ones. */
async function countFirst(opened: Opened, isSuch: (record: CheckedRecord) => boolean): Promise<number> {
  let [count, left] = [0, MOST_RECORDS]
  for await (const batch of opened.records()) {
    count += batch.slice(0, left).filter(isSuch).length
    left -= batch.length
    if (left <= 0) break
  }
  return count
}

/** Lines that a person works in say nothing of what the former system holds. @throws {UsageError} */
function assertExports(admitted: Awaited<ReturnType<typeof admitSources>>): void {
  const list = admitted.find(({ isResultFile }) => isResultFile)
  if (list === undefined) return
  throw new UsageError(
    `"${list.name}" is a list of this program and no export; nothing was recorded`,
    'Compare the last export of the former system',
  )
}
