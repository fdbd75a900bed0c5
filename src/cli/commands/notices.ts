import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import {
  CONTACT_VALUES,
  usualContactColumns,
  withContacts,
  type ContactColumns,
  type ContactValue,
  type RowWithContact,
} from '../../decisions/contacts.js'
import { parseLocalDate } from '../../domain/mandate/local-date.js'
import type { LocalDate } from '../../domain/mandate/mandate.js'
import { lapsesBefore, NOTICE_DAYS, shortNotice } from '../../domain/mandate/notice.js'
import { fold } from '../../domain/text/text.js'
import { countText, plural } from '../../domain/text/wording.js'
import { SourceError, UsageError } from '../../errors.js'
import type { Ledger } from '../../ledger/ledger.js'
import type { LedgerReader } from '../../ledger/read/reader.js'
import { notifiedPages } from '../../report/facts/pages.js'
import type { Notice } from '../../report/files/notice-lines.js'
import type { OpenedSource } from '../../source/read-source.js'
import { actorOf, ownText, ownTexts, type Command, type Context } from '../command.js'
import { openExisting } from '../existing-ledger.js'
import { OLDER_STATUS, olderOf } from '../older.js'
import { noteOutputs } from '../privacy/remains.js'
import { EXITS, EXIT_STATUSES } from '../settings/exit-statuses.js'
import { namedFiles } from '../settings/named-files.js'
import { openers } from '../settings/sources.js'
import { emptyResult, type CommandResult } from '../terminal/result.js'

export const noticesCommand: Command = {
  usage: 'notices [files...]',
  summary: 'write the merge file for the letters that tell customers their new reference and creditor',
  examples: [
    'sepa-migrate notices export.csv --first-debit 2027-02-01',
    'sepa-migrate notices export.csv --first-debit 2027-02-01 --to letters.csv --name account_holder',
  ],
  options: ['config', 'ledger', 'json', 'quiet', 'verbose', 'noColor', 'logFile', 'sharedFolder', 'asOf'],
  own: [
    ['--first-debit <date>', 'the date of the first debit that the letters name, YYYY-MM-DD'],
    ['--to <file>', 'where to write (default notices-DATE.csv beside the ledger); nothing is replaced'],
    ['--name <column>', 'column of the exports with the name; several are joined', 'repeatable'],
    ['--email <column>', 'column with the e-mail address'],
    ['--language <column>', 'column with the language'],
    ['--by <name>', 'who made them (default: the user)'],
  ],
  epilogue: [
    'One line for each registered row: old and new reference and creditor identifier, masked account, first debit.',
    'The ledger keeps no names: give the exports again, and name, e-mail address and language are taken from there.',
    'Nothing is sent to anybody. That the file was made stays on record, and the report names it.',
  ],
  exits: {
    ...EXITS.plain,
    0: 'the file is written; what needs a look first stands in its column "warning"',
    7: EXIT_STATUSES[7],
    8: EXIT_STATUSES[8],
  },
  json: ['notices'],
  run,
}

interface Tally {
  rows: number
  withoutContact: number
  lapsing: number
  /** Asked about at the service, and not proven. */
  unproven: number
  notAsked: number
}

async function run(context: Context): Promise<CommandResult> {
  const { settings } = context
  const firstDebit = firstDebitOf(context)
  const to = freePlace(ownText(context, 'to') ?? join(dirname(settings.ledger), `notices-${firstDebit}.csv`))
  const ledger = openExisting(context)
  try {
    const exports = await openExports(context, ledger.view)
    const columns = columnsOf(context, [...exports.values()])
    const tally = { rows: 0, withoutContact: 0, lapsing: 0, unproven: 0, notAsked: 0 }
    const rows = withContacts(
      notifiedPages(ledger.view),
      (sourceId) => exports.get(sourceId) ?? null,
      columns,
      context.world.signals.drain,
    )
    const file = await write(context, ledger, { to, firstDebit, tally, rows })
    return conclude(context, ledger.view, { file, tally, firstDebit, columns })
  } finally {
    ledger.close()
  }
}

function firstDebitOf(context: Context): LocalDate {
  const text = ownText(context, 'firstDebit')
  const { asOf } = context.settings
  const date = text === null ? null : parseLocalDate(text)
  if (date === null)
    throw new UsageError(
      text === null
        ? 'There is no date of the first debit; no file was written'
        : `Cannot read --first-debit: "${text}" is no date; no file was written`,
      'Give it as YYYY-MM-DD with --first-debit: the letters name it',
    )
  if (date < asOf)
    throw new UsageError(
      `The first debit on ${date} is over (today is ${asOf}); no file was written`,
      'Give the date on which the first debit will run',
    )
  return date
}

function freePlace(to: string): string {
  if (!existsSync(to)) return to
  throw new UsageError(
    `"${to}" exists and is not replaced: letters may have been printed from it`,
    'Rename it, or name another file with --to',
  )
}

/** The exports that were given, by the source of the ledger that they are. */
async function openExports(
  context: Context,
  reader: LedgerReader,
): Promise<ReadonlyMap<number, OpenedSource>> {
  const ids = new Map(reader.sources().map(({ id, sha256 }) => [sha256, id]))
  const found = new Map<number, OpenedSource>()
  for (const open of openers(context)) {
    const source = await open()
    const id = source.sha256 === null ? undefined : ids.get(source.sha256)
    if (id === undefined)
      throw new SourceError(
        `"${source.name}" is none of the files that were admitted into "${context.settings.ledger}", or was changed since; no file was written`,
        'Give the exports as they were when they were admitted: names must not come from another file',
        { source: source.name },
      )
    found.set(id, source)
  }
  return found
}

/** As asked for, and where nothing was asked for, the usual names. */
function columnsOf(context: Context, exports: readonly OpenedSource[]): ContactColumns {
  const asked: Record<ContactValue, readonly string[]> = {
    name: ownTexts(context, 'name'),
    email: [ownText(context, 'email')].filter((name) => name !== null),
    language: [ownText(context, 'language')].filter((name) => name !== null),
  }
  const headers = exports.map(({ header }) => header)
  const known = new Set(headers.flat().map(fold))
  const missing = Object.values(asked)
    .flat()
    .find((name) => !known.has(fold(name)))
  if (missing !== undefined)
    throw new UsageError(
      exports.length === 0
        ? `There is no export to take the column "${missing}" from; no file was written`
        : `No file has a column "${missing}"; no file was written`,
      exports.length === 0
        ? 'Give the exports too'
        : `The columns are: ${[...new Set(headers.flat())].join(', ')}`,
    )
  const usual = usualContactColumns(headers)
  const of = (value: ContactValue): readonly string[] =>
    asked[value].length === 0 ? usual[value] : asked[value]
  return { name: of('name'), email: of('email'), language: of('language') }
}

interface ToWrite {
  readonly to: string
  readonly firstDebit: LocalDate
  readonly tally: Tally
  readonly rows: AsyncIterable<readonly RowWithContact[]>
}

async function write(context: Context, ledger: Ledger, { to, firstDebit, tally, rows }: ToWrite) {
  const out = dirname(to)
  noteOutputs(context, out, [{ kind: 'letters', path: to }])
  const { writeNotices } = await import('../../report/pack/notices.js')
  return writeNotices(noticesOf(rows, firstDebit, tally), {
    out,
    name: basename(to),
    forbidden: namedFiles(context, null),
    complete: ({ name, sha256, bytes }) => {
      if (tally.rows === 0)
        throw new UsageError(
          'No mandate is registered yet, so there is nobody to write to; no file was written',
          'See where the campaign stands',
          { ways: ['status'] },
        )
      const { rows: count } = tally
      const made = {
        by: ownText(context, 'by') ?? actorOf(context),
        version: context.world.version,
        firstDebit,
      }
      ledger.noteNotices({ ...made, file: name, sha256, bytes, rows: count })
    },
  })
}

/** Counts on the way what needs a look. */
async function* noticesOf(
  pages: ToWrite['rows'],
  firstDebit: LocalDate,
  tally: Tally,
): AsyncGenerator<readonly Notice[]> {
  for await (const page of pages) {
    for (const { row, contact } of page) {
      tally.rows += 1
      if (contact === null) tally.withoutContact += 1
      if (lapsesBefore(row.latestFirstDebit, firstDebit)) tally.lapsing += 1
      if (row.verdict === null) tally.notAsked += 1
      else if (row.verdict !== 'proven') tally.unproven += 1
    }
    yield page.map(({ row, contact }) => ({ row, contact, firstDebit }))
  }
}

interface Made {
  readonly file: Awaited<ReturnType<typeof write>>
  readonly tally: Tally
  readonly firstDebit: LocalDate
  readonly columns: ContactColumns
}

function conclude(context: Context, reader: LedgerReader, made: Made): CommandResult {
  const { file, tally, firstDebit, columns } = made
  const path = join(file.folder, file.name)
  const older = olderOf(context.world, reader)
  return {
    ...emptyResult,
    exitCode: older.isOlder ? OLDER_STATUS : 0,
    campaign: { ledger: context.settings.ledger, baseUrl: reader.campaign().baseUrl },
    totals: reader.totals(),
    files: { [file.name]: path },
    warnings: [...older.warnings, ...warningsOf(context, reader, made)],
    lines: [
      `Wrote ${path}: ${plural(tally.rows, 'mandate', 'mandates')}, first debit on ${firstDebit}.`,
      ...CONTACT_VALUES.map((value) => columnText(value, columns)),
      '',
      'Nothing was sent to anybody. That it was made is on record; the next report names it.',
      'What has to be told to whom differs by country, and by whether only the provider or the creditor itself changes.',
    ],
    details: { notices: { file: path, sha256: file.sha256, firstDebit, ...tally, columns } },
  }
}

const columnText = (value: ContactValue, columns: ContactColumns): string =>
  columns[value].length === 0
    ? `  ${value}: empty; no column is named so, or several are (--${value})`
    : `  ${value}: from ${columns[value].map((name) => `"${name}"`).join(' and ')}`

function warningsOf({ settings }: Context, reader: LedgerReader, { tally, firstDebit }: Made): string[] {
  const days = shortNotice(settings.asOf, firstDebit)
  const { inDoubt } = reader.totals()
  const mandates = (count: number): string => plural(count, 'mandate', 'mandates')
  return [
    ...(days === null
      ? []
      : [
          `The first debit is ${days === 0 ? 'today' : `in ${plural(days, 'day', 'days')}`}: unless another period was agreed, customers learn of a debit ${NOTICE_DAYS} days before it`,
        ]),
    ...(tally.lapsing === 0
      ? []
      : [`${mandates(tally.lapsing)} will have lapsed by ${firstDebit}: see the column "warning"`]),
    ...(tally.unproven === 0
      ? []
      : [
          `${mandates(tally.unproven)} could not be proven at the service: look at them before anybody is told a reference (column "warning")`,
        ]),
    ...(tally.notAsked === 0
      ? []
      : [
          `The service was not asked about ${countText(tally.notAsked)} of ${mandates(tally.rows)}: verify --at-service shows whether it holds them`,
        ]),
    ...(tally.withoutContact === 0
      ? []
      : [
          `${mandates(tally.withoutContact)} stand without name, e-mail and language: the export they came from was not given`,
        ]),
    ...(inDoubt === 0 ? [] : [`${plural(inDoubt, 'row is', 'rows are')} in doubt and not in the file`]),
  ]
}
