import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import type { CheckedRecord, LayoutReading, SourceReading } from '../domain/rule/verdict.js'
import type { Admission, SourceAdmission } from '../ledger/admit/admission.js'
import { type Change, isHeldByOthers, type ReadSource, type UnsentRow } from '../ledger/admit/again.js'
import type { LedgerReader } from '../ledger/read/open-reader.js'
import { countText, fold, plural } from '../domain/text/text.js'
import { SourceError, UsageError } from '../errors.js'
import { fileDigest, nameOf, sizeOf } from '../source/bytes/input.js'
import type { SecondFile } from '../source/columns/second-files.js'
import { NONE, type ReadingFlags, type SourceOptions, withFlags } from '../source/options.js'
import type { CheckedAgainst } from '../source/record-check.js'
import type { OpenNext } from './admit-sources.js'
import { READING_KEYS } from './reading-keys.js'

/** How a command reads: what its configuration says, and which file that is. */
export interface ReadBy {
  readonly options: SourceOptions
  /** What holds besides for the files of the command. */
  readonly byFlag?: ReadingFlags
  readonly against: Omit<CheckedAgainst, 'second'>
  /** Null where no file says it. */
  readonly configuration: string | null
}

/** What became of the records of one export. */
export interface ReadAgain {
  readonly name: string
  /** In words: why it was read again, and what that changed. */
  readonly again?: string
  /** Repeats of what was sent, of which nothing is kept. */
  readonly ofFileAlone?: number
  /** The configuration that read it, where the command has none and so leaves it as it is. */
  readonly staysAsRead?: string
}

const CHANGES: Readonly<Record<Change, string>> = {
  ended: 'have ended',
  found: 'have a customer now',
  customer: 'have another customer',
  account: 'have another account',
  date: 'have another date',
  mandate: 'have another reference or creditor',
  goes: 'can be sent now',
  waits: 'wait now',
}

function againText(
  now: Readable['now'],
  same: number,
  changed: readonly (readonly [number, string])[],
): string {
  const told = changed.flatMap(([count, more]) =>
    count === 0
      ? []
      : [plural(count, more.replace(/^have/, 'has').replace(/^wait/, 'waits').replace(/^were/, 'was'), more)],
  )
  return `read again, because ${nameOfConfiguration(now)} has changed: ${[`${countText(same)} the same`, ...told].join(', ')}`
}

const digestOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

const { cells, file } = READING_KEYS

/** What an export remembers of how it was read. */
export function readingBy(
  { options: configured, byFlag, against, configuration }: ReadBy,
  flags: ReadingFlags = byFlag ?? {},
): Pick<SourceReading, 'configuration' | 'settings' | 'rules' | 'layout' | 'auto' | 'none' | 'byFlag'> {
  const options = withFlags(configured, flags)
  const { newCreditorIdentifier, dormantSoonDays, severities, zone } = against
  const said = new Map<string, unknown>([
    ...Object.entries(options),
    ...Object.entries(options.source).map(([key, value]) => [`source.${key}`, value] as const),
    ['rules', Object.entries(severities).sort()],
    ['service.creditorIdentifier', newCreditorIdentifier],
    ['timezone', options.source.dates === 'utc' ? zone : null],
    ['dormantSoonDays', dormantSoonDays],
  ])
  const digestIn = (keys: readonly string[]): string => digestOf(keys.map((key) => said.get(key) ?? null))
  const columns = Object.entries(options.columns)
  return {
    configuration: configuration === null ? null : resolve(configuration),
    settings: digestIn(cells.filter((key) => key !== 'rules')),
    rules: digestIn(cells.filter((key) => key === 'rules')),
    layout: Object.fromEntries(
      file.flatMap((key) => (said.get(key) === undefined ? [] : [[key, said.get(key)]])),
    ),
    auto: columns.flatMap(([, column]) =>
      typeof column === 'object' && 'format' in column && column.format === 'auto'
        ? [JSON.stringify(column.column)]
        : [],
    ),
    none: columns.flatMap(([field, column]) => (column === NONE ? [field] : [])),
    byFlag: flags,
  }
}

const secondPaths = ({ crosswalk, join }: Pick<SourceOptions, 'crosswalk' | 'join'>): string[] =>
  [crosswalk, ...join].flatMap((one) => one?.file ?? [])

/** One that is gone is no change. */
async function isSecondFileChanged(
  { crosswalk, joined = [] }: LayoutReading,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const known = new Map(
    [crosswalk, ...joined].flatMap((file) => (file == null ? [] : [[file.name, file.sha256]])),
  )
  for (const path of paths)
    if ((await sizeOf(path)) !== null && known.get(nameOf(path)) !== (await fileDigest(path, signal)))
      return true
  return false
}

/**
 * Reads records of earlier commands again whose mandates were not sent, where the configuration that read their export has
 * changed since, or where the export is given once more with another one. What a record says now takes its place; one that
 * says the same keeps it.
 * @param given the files of this command that the ledger has, by their SHA-256
 * @throws {UsageError} where the configuration names a column that an export does not have
 */
export async function readAgain(
  admission: Admission,
  by: ReadBy,
  { given, signal }: { readonly given: ReadonlyMap<string, OpenNext>; readonly signal: AbortSignal },
): Promise<ReadAgain[]> {
  const results: ReadAgain[] = []
  const { again } = admission
  const readable: Readable[] = []
  let hasCome = false
  let second: readonly SecondFile[] | null = null
  const load = async (): Promise<readonly SecondFile[]> =>
    (second ??= await (await import('../source/columns/second-files.js')).loadSecondFiles(by.options, signal))
  for (const source of again.sources()) {
    const open = given.get(source.sha256)
    const { configuration } = source.reading
    if (open !== undefined && isForgotten(source, by))
      results.push({ name: source.name, staysAsRead: nameOf(configuration ?? '') })
    const found = await changeOf(source, by, { isGiven: open !== undefined, signal })
    if (found === null) continue
    const { areRulesChanged, isChanged, ofFile } = found
    const isNewer = open !== undefined && admission.isNewer(source.sha256)
    const one = { ...found, source, isNewer }
    if (open !== undefined && (ofFile.length > 0 || (isChanged && again.repeats(source) > 0))) {
      results.push(
        await readFile(admission, one, { open, signal, isOtherSheet: ofFile.includes('source.sheet') }),
      )
      hasCome = true
      continue
    }
    if (ofFile.length > 0 && again.unsent(source).next().done !== true)
      throw needsFile(ofFile, again.unsent(source), one)
    readable.push(one)
    const ofFileAlone = isChanged ? again.repeats(source) : 0
    if (ofFileAlone > 0) results.push({ name: source.name, ofFileAlone })
    if ((!isChanged && !isNewer) || again.unsent(source).next().done === true) continue
    const mustCome = (row: UnsentRow, record: CheckedRecord): boolean =>
      row.state === 'refused' || row.isByWord === 1
        ? false
        : // Some rules speak of several rows at once.
          areRulesChanged || (isChanged && isHeldByOthers(row, record)) || (isNewer && row.waits === 1)
    const { came, told } = await readOne(admission, {
      ...one,
      by,
      second: await load(),
      signal,
      rows: again.unsent,
      mustCome,
    })
    hasCome ||= came > 0
    results.push(...told)
  }
  if (!hasCome) return results
  again.noteMet()
  for (const one of readable)
    if (again.met(one.source).next().done !== true)
      await readOne(admission, {
        ...one,
        ...{ by, second: await load(), signal, rows: again.met },
        mustCome: (row) => row.isByWord === 0 && row.state !== 'refused',
      })
  return results
}

/** Its configuration is not that of the command, which has none. */
const isForgotten = ({ reading: { configuration = null } }: ReadSource, by: ReadBy): boolean =>
  configuration !== null && by.configuration === null

/** How the command reads an export, and what has changed since it was read last; null where that is not its to say. */
async function changeOf(
  source: ReadSource,
  by: ReadBy,
  { isGiven, signal }: { readonly isGiven: boolean; readonly signal: AbortSignal },
) {
  const { configuration = null, settings, rules, byFlag } = source.reading
  if (settings === undefined) return null
  const now = readingBy(by, isGiven ? by.byFlag : byFlag)
  if (isForgotten(source, by) || (!isGiven && configuration !== now.configuration)) return null
  const areRulesChanged = rules !== now.rules
  const isChanged =
    areRulesChanged ||
    settings !== now.settings ||
    (await isSecondFileChanged(source.reading, secondPaths(by.options), signal))
  return { now, areRulesChanged, isChanged, ofFile: source.isList ? [] : changedOfFile(source.reading, now) }
}

/** How many records the next run reads again, for commands that change nothing. */
export async function countToReadAgain(
  reader: Pick<LedgerReader, 'readSources' | 'countUnsent'>,
  by: ReadBy,
  signal: AbortSignal,
): Promise<number> {
  let count = 0
  for (const source of reader.readSources()) {
    const found = await changeOf(source, by, { isGiven: false, signal })
    if (found?.isChanged === true || (found?.ofFile.length ?? 0) > 0) count += reader.countUnsent(source)
  }
  return count
}

/** Keys that only the file itself can answer, where they say something else than was said or found out then. */
function changedOfFile(
  reading: SourceReading,
  { layout: now = {}, auto: looked = [] }: Readable['now'],
): string[] {
  const { layout = {}, auto = [], sheet, encoding, delimiter, hidden } = reading
  const found = {
    sheet,
    encoding: encoding?.encoding,
    delimiter: delimiter?.delimiter,
    hidden: hidden?.decided,
  }
  const known = Object.fromEntries(Object.entries(found).map(([key, value]) => [`source.${key}`, value]))
  const isSame = (one: unknown, other: unknown): boolean => digestOf(one ?? null) === digestOf(other ?? null)
  const keys = file.filter((key) => !isSame(now[key], layout[key]) && !isSame(now[key], known[key]))
  return looked.every((column) => auto.includes(column)) ? keys : [...keys, 'format: auto']
}

const countOf = (pages: Iterable<readonly unknown[]>): number => {
  let count = 0
  for (const page of pages) count += page.length
  return count
}

const needsFile = (
  keys: readonly string[],
  rows: Iterable<readonly unknown[]>,
  { source, now }: Readable,
): UsageError =>
  new UsageError(
    `${plural(countOf(rows), 'record', 'records')} of "${source.name}" cannot be read again without the file, because ${nameOfConfiguration(now)} has changed ${keys.join(', ')}; nothing was sent`,
    `Give "${source.name}" again`,
    { suggestions: ['run_file'] },
  )

const nameOfConfiguration = ({ configuration = null }: Pick<SourceReading, 'configuration'>): string =>
  configuration === null ? 'the configuration' : `"${nameOf(configuration)}"`

/**
 * Reads the file itself in the place of what came in of it: a record takes the place of the one that stood on its line, what was
 * sent of it stays, and what is there no more gives way.
 */
async function readFile(
  admission: Admission,
  { source, now }: Readable,
  { open, signal, isOtherSheet }: { open: OpenNext; signal: AbortSignal; isOtherSheet: boolean },
): Promise<ReadAgain> {
  const { again, collections } = admission
  const opened = await open(collections.known())
  const target = admission.open({ ...opened, kind: 'again' })
  again.noteFormer(source, isOtherSheet)
  let [came, read] = [0, 0]
  for await (const batch of opened.records(signal)) {
    read += batch.length
    const taken = batch.flatMap((record) => {
      const corrects = again.takes(record, opened)
      return corrects === false ? [] : [{ ...record, corrects }]
    })
    target.add(taken)
    came += taken.length
  }
  signal.throwIfAborted()
  const summary = opened.summary()
  const told = againText(now, read - came, [[came, 'were read from the file']])
  const reading = { ...summary.reading, ...now, readFrom: source.id, wasGiven: true, again: told } as const
  const sha256 = digestOf([source.sha256, source.parts.length, now, 'given'])
  target.close({ ...summary, sha256, bytes: 0, records: came, reading }, admission.isNewer(source.sha256))
  again.giveWay(target.id)
  return { name: source.name, again: told }
}

/** What waits stays as it is: nothing of the command has happened. */
function cannotRead(
  { message, next }: SourceError,
  rows: Iterable<readonly unknown[]>,
  now: Readable['now'],
): UsageError {
  const waiting = plural(countOf(rows), 'record of it waits, and is', 'records of it wait, and are')
  return new UsageError(
    `${message}. ${waiting} read again, because ${nameOfConfiguration(now)} has changed; nothing was sent`,
    next,
  )
}

/** An export that the configuration of the command reads. */
interface Readable {
  readonly source: ReadSource
  readonly now: ReturnType<typeof readingBy>
  readonly isNewer: boolean
  readonly isChanged: boolean
}

interface Reading extends Readable {
  readonly by: ReadBy
  readonly second: readonly SecondFile[]
  readonly signal: AbortSignal
  readonly rows: Admission['again']['unsent']
  /** Although it says the same. */
  readonly mustCome: (row: UnsentRow, record: CheckedRecord) => boolean
}

/**
 * Of what columns are for somebody decided when an export came in. Of some of its records alone no other column is asked about,
 * unless all of them were answered at once then.
 */
function askedColumns(
  { header, reading }: ReadSource,
  now: Pick<SourceReading, 'none'>,
): Pick<CheckedAgainst, 'undecided'> {
  const { columns = {}, exclude = [], ignoredColumns = [], none = [] } = reading
  if (none.some((field) => now.none?.includes(field) !== true)) return {}
  const refs = [...Object.values(columns), ...exclude.map(({ column }) => column), ...ignoredColumns]
  return { undecided: refs.map((ref) => fold(String(typeof ref === 'number' ? header[ref - 1] : ref))) }
}

async function readOne(
  admission: Admission,
  { source, by, now, second, isNewer, isChanged, signal, rows: rowsOf, mustCome }: Reading,
): Promise<{ readonly came: number; readonly told: readonly ReadAgain[] }> {
  const { again } = admission
  const { openStored } = await import('../source/stored.js')
  const rows = () => rowsOf(source)
  const against = { ...by.against, second, ...askedColumns(source, now) }
  const options = withFlags(by.options, now.byFlag ?? {})
  const stored = await openStored(source, rows, { options, against, signal }).catch((error: unknown) => {
    if (!(error instanceof SourceError)) throw error
    // A list has the columns that people left in it.
    if (source.isList) return null
    throw cannotRead(error, rows(), now)
  })
  if (stored === null) return { came: 0, told: [] }
  const about = { name: source.name, header: stored.header, columns: stored.columns, kind: 'again' } as const
  let target: SourceAdmission | null = null
  // Another configuration may leave out the column that kept mandates behind, so all that is left of an export is looked at. A
  // list has the rows that people left in it.
  const isPart = source.isList || rowsOf === again.met
  const [unsent, records] = [rows(), stored.records(signal, isPart ? () => true : undefined)]
  const changes: Partial<Record<Change, number>> = {}
  let [came, same] = [0, 0]
  let page: UnsentRow[] = []
  let at = 0
  for await (const batch of records) {
    const differing = batch.flatMap((record) => {
      if (at === page.length) [page, at] = [unsent.next().value ?? [], 0]
      const row = page[at]
      at += 1
      if (row === undefined) throw new Error(`A record of "${source.name}" has no row`)
      const change = again.differs(row.id, record, about)
      if (change !== null) changes[change] = (changes[change] ?? 0) + 1
      else {
        same += 1
        if (!mustCome(row, record)) return []
      }
      return [
        {
          ...record,
          record: row.record,
          line: row.line,
          corrects: row.id,
          isUnchanged: false,
          isDecided: false,
        },
      ]
    })
    if (differing.length > 0) (target ??= admission.open(about)).add(differing)
    came += differing.length
  }
  signal.throwIfAborted()
  const told = againText(
    now,
    same,
    Object.entries(CHANGES).map(([kind, more]) => [changes[kind as Change] ?? 0, more]),
  )
  const reading = { ...source.reading, ...stored.reading, ...now, readFrom: source.id, again: told }
  const sha256 = digestOf([source.sha256, source.parts.length, now, rowsOf === again.met])
  const summary = { sha256, bytes: 0, records: came, blankLines: 0, reading, findings: [] }
  // How it was read is kept, also where all of it says the same.
  if (isChanged && rowsOf === again.unsent) target ??= admission.open(about)
  target?.close(summary, isNewer)
  return { came, told: isChanged ? [{ name: source.name, again: told }] : [] }
}
