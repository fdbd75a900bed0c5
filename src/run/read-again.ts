import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import {
  showValue,
  type CheckedRecord,
  type LayoutReading,
  type SourceReading,
} from '../domain/rule/verdict.js'
import type { Admission, SourceAdmission } from '../ledger/admit/admission.js'
import {
  type Change,
  isHeldByOthers,
  type ReadSource,
  ruleOfVerdict,
  type UnsentRow,
  type Way,
} from '../ledger/admit/again.js'
import type { LedgerReader } from '../ledger/read/open-reader.js'
import { countText, fold, plural } from '../domain/text/text.js'
import { maskIban } from '../domain/text/accounts.js'
import { refuse, SourceError, UsageError } from '../errors.js'
import { fileDigest, nameOf, sizeOf, typedName } from '../source/bytes/input.js'
import type { SecondFile } from '../source/columns/second-files.js'
import { NONE, type SourceOptions } from '../source/options.js'
import type { CheckedAgainst } from '../source/record-check.js'
import type { OpenedSource } from '../source/read-source.js'

/**
 * What each key of the configuration has to do with records that came in before. `cells`: they are read again from what the
 * ledger holds of them. `file`: only the file itself tells how they read now. All others change no reading.
 */
export const READING_KEYS = {
  cells:
    `profile columns crosswalk join exclude words rules timezone dormantSoonDays service.creditorIdentifier
    source.ignoreColumns source.dates source.exportDay source.fillerDates`.split(/\s+/),
  file: `source.sheet source.hidden source.delimiter source.encoding source.skipLines source.skipFooterLines
    source.multilineColumns`.split(/\s+/),
}

/** Those, beside a joined file, by which a record may be of another mandate. */
const NAMING_KEYS = ['profile', 'columns', 'join', 'service.creditorIdentifier', 'source.ignoreColumns']

/** Opens a file of the command once more. */
type Open = (known?: Pick<CheckedAgainst, 'earlier' | 'lastCollected'>) => Promise<OpenedSource>

/** What a command line says of how its files are read, besides the configuration. */
export type ReadingFlags = NonNullable<SourceReading['byFlag']>

export const withFlags = (
  options: SourceOptions,
  { sheet, ignoreColumns = [] }: ReadingFlags,
): SourceOptions => {
  const { source } = options
  const ignored = [...source.ignoreColumns, ...ignoreColumns]
  return { ...options, source: { ...source, sheet: sheet ?? source.sheet, ignoreColumns: ignored } }
}

/** How a command reads: what its configuration says, and which file that is. */
export interface ReadBy {
  readonly options: SourceOptions
  /** What holds besides for the files of the command. */
  readonly byFlag?: ReadingFlags
  readonly against: Omit<CheckedAgainst, 'second'>
  /** Null where no file says it. */
  readonly configuration: string | null
  /** The path of the ledger: what lies beside it is moved with it. */
  readonly ledger: string
  /** How another configuration reads now, by its path, or what is read without one; null where nobody can tell. */
  readonly readWith?: ((configuration: string | null) => ReadBy | null) | undefined
}

const CHANGES: Readonly<Record<Change, string>> = {
  ended: 'have ended',
  found: 'have a customer now',
  customer: 'have another customer',
  account: 'have another account',
  date: 'have another date',
  collected: 'have another last collection',
  lapsed: 'have lapsed since',
  mandate: 'have another reference or creditor',
  goes: 'can be sent now',
  waits: 'wait now',
}
/** What was sent may be wrong, too; that more can be sent now tells nothing of it before a comparison, which it outdates. */
const isDoubtful = ({ again }: Admission, change: Change | null): boolean =>
  change !== null && change !== 'lapsed' && ((change !== 'found' && change !== 'goes') || again.isCompared())

const doubtsOf = (
  { again }: Admission,
  { reading: { configuration = null } }: ReadSource,
): SourceReading['doubts'] => ({ attempt: again.lastAttempt(), configuration })

const ofOne = (more: string): string =>
  more
    .replace(/^have/, 'has')
    .replace(/^(wait|stay)/, '$1s')
    .replace(/^were/, 'was')

function againText(
  { because }: Pick<Readable, 'because'>,
  same: number,
  changed: readonly (readonly [number, string])[],
): string {
  const told = changed.flatMap(([count, more]) => (count === 0 ? [] : [plural(count, ofOne(more), more)]))
  return `read again, because ${because} has changed: ${[`${countText(same)} the same`, ...told].join(', ')}`
}

const digestOf = (value: unknown): string => hash('sha256', JSON.stringify(value ?? null))

/** What an export remembers of how it was read. */
export function readingBy(
  { options: configured, byFlag, against, configuration, ledger }: ReadBy,
  flags: ReadingFlags = byFlag ?? {},
) {
  const { crosswalk, join, ...options } = withFlags(configured, flags)
  const path = configuration === null ? null : resolve(configuration)
  // A folder that was moved reads the same; what lies in another file is seen by its bytes.
  const byName = (file: SecondPath) => ({ ...file, file: nameOf(file.file) })
  const { newCreditorIdentifier, dormantSoonDays, severities, zone } = against
  const columns = Object.entries(options.columns)
  const said = new Map<string, unknown>([
    ...Object.entries(options),
    ['crosswalk', crosswalk && byName(crosswalk)],
    ['join', join.map(byName)],
    ...Object.entries(options.source).map(([key, value]) => [`source.${key}`, value] as const),
    ['rules', Object.entries(severities).sort()],
    ['service.creditorIdentifier', newCreditorIdentifier],
    ['timezone', options.source.dates === 'utc' ? zone : undefined],
    ['dormantSoonDays', dormantSoonDays],
    // All dates of a column together decide its format.
    [
      AUTO,
      columns.filter(
        ([, column]) => typeof column === 'object' && 'format' in column && column.format === 'auto',
      ),
    ],
    // Fields of which was said that no column has them.
    [ASKED, columns.filter(([, column]) => column === NONE)],
  ])
  const keys = [...READING_KEYS.cells, ...READING_KEYS.file, AUTO, ASKED]
  return {
    configuration: path,
    fromLedger: path && relative(dirname(resolve(ledger)), path),
    said: Object.fromEntries(keys.map((key) => [key, digestOf(said.get(key)).slice(0, 16)])),
    byFlag: flags,
  }
}

const AUTO = 'format: auto'
const ASKED = 'column: none'

type SecondPath = NonNullable<SourceOptions['crosswalk']> | SourceOptions['join'][number]

/** Null where none has changed; one that is gone is no change. */
async function changedSecondFile(
  { crosswalk, joined = [] }: LayoutReading,
  files: readonly SecondPath[],
  signal: AbortSignal,
): Promise<string | null> {
  const known = new Map(
    [crosswalk, ...joined].flatMap((file) => (file == null ? [] : [[file.name, file.sha256]])),
  )
  for (const { file: path } of files) {
    // What cannot be read is told by what reads it.
    const unread = (error: unknown): null => {
      if (error instanceof SourceError) return null
      throw error
    }
    if (
      (await sizeOf(path)) !== null &&
      known.get(nameOf(path)) !== (await fileDigest(path, signal).catch(unread))
    )
      return `"${nameOf(path)}"`
  }
  return null
}

/**
 * Reads records of earlier commands again whose mandates were not sent, where the configuration that read their export has
 * changed since, or where the export is given once more with another one. What a record says now takes its place; one that
 * says the same keeps it.
 * @param given the files of this command that the ledger has, by their SHA-256
 * @param limit how many mandates the command sends at most; null where it may send all
 * @returns what became of them, in sentences
 * @throws {UsageError} where the configuration names a column that an export does not have, and where most mandates would be
 *   somebody else's and the command is no pilot
 */
export async function readAgain(
  admission: Admission,
  by: ReadBy,
  {
    given,
    signal,
    limit,
  }: {
    readonly given: ReadonlyMap<string, Open>
    readonly signal: AbortSignal
    readonly limit: number | null
  },
): Promise<readonly string[]> {
  const results: string[] = []
  const moved: Moved[] = []
  const lacking: Lacking[] = []
  const { again } = admission
  const readable: Readable[] = []
  let hasCome = false as boolean
  let second: readonly SecondFile[] | null = null
  const load = async (): Promise<readonly SecondFile[]> =>
    (second ??= await (await import('../source/columns/second-files.js')).loadSecondFiles(by.options, signal))
  const reread = async (one: Readable, way: Way, mustCome: Reading['mustCome']) =>
    readOne(admission, { ...one, by, second: await load(), signal, way, mustCome })
  const sources = again.sources()
  const isNewer = ({ sha256 }: ReadSource): boolean => given.has(sha256) && admission.isNewer(sha256)
  const readSource = async (source: ReadSource): Promise<void> => {
    const open = given.get(source.sha256)
    const { configuration = null, said, byFlag } = source.reading
    const isForgotten = configuration !== null && by.configuration === null
    const isGiven = open !== undefined
    if (said === undefined || !((isGiven && !isForgotten) || isItsOwn(source, by))) return
    const found = await changeBy(source, by, signal, isGiven ? (by.byFlag ?? {}) : byFlag)
    const { areRulesChanged, isChanged, ofFile, now } = found
    const ofFileAlone = found.mayBeOthers ? again.count('repeat', source) : 0
    const name = `"${source.name}"`
    const one = {
      ...found,
      source,
      isNewer: isNewer(source),
      moved: { name, because: found.because, all: 0, others: 0, first: [] },
    }
    moved.push(one.moved)
    const ways: readonly Way[] = one.isNewer ? ['newest'] : isChanged ? ['unsent'] : ['resend', 'collected']
    // Nothing is kept of what was sent, and of what repeats it.
    const isOfFile =
      ofFile.length > 0 ||
      ofFileAlone > 0 ||
      (isChanged && !source.isList && again.count('unsent', source) === 0)
    const isSaidOtherwise = one.isNewer && admission.isNewerByWord && again.count('sentOtherwise', source) > 0
    if (open !== undefined && (isOfFile || isSaidOtherwise)) {
      lacking.push({ source, keys: ofFile, waiting: 0 })
      const because = isOfFile ? one.because : 'which export is the newest'
      results.push(await readFile(admission, { ...one, because, open, signal }))
      hasCome = true
      return
    }
    const waiting = ofFile.length === 0 ? 0 : again.count('unsent', source)
    if (waiting > 0) {
      lacking.push({ source, keys: ofFile, waiting })
      return
    }
    readable.push(one)
    if (ofFileAlone > 0)
      results.push(
        `${plural(ofFileAlone, 'record', 'records')} can only be read again from "${source.name}": nothing is kept of what repeats a registered mandate. Give the file again.`,
      )
    for (const way of ways) {
      const [first] = again.rows(way, source, by.against.today).next().value ?? []
      if (first === undefined) continue
      const mustCome: Reading['mustCome'] = (row, record) =>
        row.state === 'refused' || row.isByWord === 1
          ? false
          : // Some rules speak of several rows at once.
            areRulesChanged ||
            (isChanged && isHeldByOthers(row, record)) ||
            (one.isNewer && row.waits === 1) ||
            (way === 'collected' && row.rule !== null && row.rule !== ruleOfVerdict(record))
      // The export of a row that was in doubt may have been read again meanwhile.
      const change =
        way === 'resend'
          ? await changeBy({ ...source, reading: again.readingOf(first) }, by, signal, now.byFlag)
          : one
      const because = change.isChanged || one.isNewer ? change.because : EVIDENCE
      const { came, told } = await reread({ ...one, because }, way, mustCome)
      hasCome ||= came > 0
      results.push(...told)
    }
  }
  for (const source of sources.filter((each) => !isNewer(each))) await readSource(source)
  if (hasCome) again.noteMet()
  for (const one of hasCome ? readable : [])
    if (again.rows('met', one.source).next().done !== true)
      await reread(one, 'met', (row) => row.isByWord === 0 && row.state !== 'refused')
  // What is newer comes last: it takes the place of what was read again before it.
  for (const source of sources.filter(isNewer)) await readSource(source)
  refuseLacking(lacking, by)
  assertSameOwners(moved, by, limit)
  const before = results.length === 0 ? 0 : again.asReadBefore()
  if (before > 0)
    results.push(
      `${plural(before, 'mandate was', 'mandates were')} sent as read before; whether that was right is not known: compare tells what differs.`,
    )
  return results
}

/** Of the mandates of an export that could be sent, those that would be of another customer or account, and the first of them. */
interface Moved {
  readonly name: string
  readonly because: string
  all: number
  others: number
  readonly first: string[]
}

const MOST_NAMED = 3

function noteOwner(moved: Moved, { verdict }: CheckedRecord, change: Change | null): void {
  if (verdict.kind !== 'sendable') return
  const { customerNo, iban, original } = verdict.mandate
  moved.all += 1
  if (change !== 'customer' && change !== 'account') return
  moved.others += 1
  if (moved.first.length < MOST_NAMED)
    moved.first.push(
      `"${showValue(original.mandateReference)}" to ${change === 'customer' ? `customer ${customerNo}` : maskIban(iban)}`,
    )
}

/** From so many mandates on it is no chance that most of them move. */
const FEW = 5
/** So many a person looks at, one by one. */
const LARGEST_LOOK = 10

/** A column of a crosswalk that moved by a line looks as one that was put right: only what a pilot registered shows which. */
function assertSameOwners(moved: readonly Moved[], { configuration }: ReadBy, limit: number | null): void {
  const most = moved.find(({ all, others }) => others >= FEW && others * 2 > all)
  if (most === undefined) return
  const { name, because, all, others, first } = most
  const pilot = Math.min(LARGEST_LOOK, Math.floor(others / 2))
  if (limit !== null && limit <= pilot) return
  const read = configuration === null ? '' : ` --config "${configuration}"`
  throw new UsageError(
    `Read again, ${countText(others)} of ${plural(all, 'mandate', 'mandates')} of ${name} that were not sent would go to another customer or account, because ${because} has changed (${first.join(', ')}${others > first.length ? ', …' : ''}): a column may have moved by a line; nothing was sent`,
    `Look there whose these are. Where it is right by now, send a few and compare them with the service (sepa-migrate run --limit ${pilot}${read}), then go on with the rest`,
  )
}

/** Where the configuration that reads an export is now; null where it is gone, or there was none. */
export const placeOf = (
  { configuration = null, fromLedger = null }: Pick<SourceReading, 'configuration' | 'fromLedger'>,
  { ledger }: Pick<ReadBy, 'ledger'>,
): string | null =>
  [fromLedger && resolve(dirname(ledger), fromLedger), configuration].find(
    (path) => path !== null && existsSync(path),
  ) ?? null

/** It is read by the configuration of the command, which may have another name or place by now. */
export function isItsOwn({ reading }: Pick<ReadSource, 'reading'>, by: ReadBy): boolean {
  const { configuration = null, said = {}, byFlag } = reading
  const now = readingBy(by, byFlag)
  const place = placeOf(reading, by)
  if (configuration === now.configuration) return true
  if (place !== null) return place === now.configuration
  return Object.entries(now.said).every(([key, digest]) => said[key] === digest)
}

/** How a command reads an export, and what has changed since it was read last. */
async function changeBy(
  { reading, isList = false }: Pick<ReadSource, 'reading'> & Partial<Pick<ReadSource, 'isList'>>,
  by: ReadBy,
  signal: AbortSignal,
  byFlag = reading.byFlag,
) {
  const { said = {}, sheet, encoding, delimiter, hidden } = reading
  const now = readingBy(by, byFlag)
  const { options } = by
  const { crosswalk, join } = options
  const isOther = (key: string): boolean => now.said[key] !== said[key]
  // Somebody may have written down what was found out; beside a byte order mark it counts for nothing.
  const found = new Map<string, unknown>([
    ['source.sheet', sheet],
    ['source.encoding', encoding?.by === 'byte order mark' ? options.source.encoding : encoding?.encoding],
    ['source.delimiter', delimiter?.delimiter],
    ['source.hidden', hidden?.decided],
    [AUTO, []],
  ])
  const ofFile = [...READING_KEYS.file, AUTO].filter(
    (key) => isOther(key) && !(found.has(key) && now.said[key] === digestOf(found.get(key)).slice(0, 16)),
  )
  const isOtherwise = READING_KEYS.cells.some(isOther)
  const joined = await changedSecondFile(reading, join, signal)
  const second =
    joined ?? (await changedSecondFile(reading, crosswalk === undefined ? [] : [crosswalk], signal))
  return {
    now,
    /** What has changed, for people. */
    because: (isOtherwise ? null : second) ?? nameOfConfiguration(now),
    areRulesChanged: READING_KEYS.cells.includes('rules') && isOther('rules'),
    isChanged: isOtherwise || second !== null,
    /** What repeats a mandate may be another one. */
    mayBeOthers: joined !== null || NAMING_KEYS.some(isOther),
    ofFile: isList ? [] : ofFile,
    /** Where it is said no more that no column is one, every other one is asked about. */
    areAllAsked: isOther(ASKED),
  }
}

/** An export of which records wait, beside the configuration of a command. */
export type Waiting = Awaited<ReturnType<typeof waitingBeside>>[number]

/**
 * What waits, where a run reads any of it otherwise than it was read, or not at all.
 */
export async function waitingBeside(
  reader: Pick<LedgerReader, 'readSources' | 'countUnsent' | 'countAlive'>,
  by: ReadBy,
  signal: AbortSignal,
) {
  const { readWith = () => null } = by
  const found = []
  const sources = reader.readSources().filter(({ reading }) => reading.said !== undefined)
  const isSystem = sources.some((source) => isItsOwn(source, by))
  for (const source of sources) {
    const { configuration = null } = source.reading
    const isOwn = isItsOwn(source, by)
    /** The path of what it was read with, as it is now; null where that is gone, or was none. */
    const place = isOwn ? by.configuration : placeOf(source.reading, by)
    /** What it was called; null where there was none. */
    const told = configuration === null ? null : `"${nameOf(configuration)}"`
    const changed = async (one: ReadBy) => {
      const change = await changeBy(source, one, signal)
      return change.isChanged || change.ofFile.length > 0 ? change : null
    }
    const read = isOwn ? by : place === null ? null : readWith(place)
    const change = read === null ? null : await changed(read)
    const alive = read === null || change !== null ? 0 : reader.countAlive(source, read.against.today)
    found.push({
      ...{ source, alive },
      ...{ name: source.name, sha256: source.sha256, place, readWith: told },
      /** The next run with it reads them again, because this has changed, in words; null where nothing has. */
      because: change?.because ?? (alive > 0 ? EVIDENCE : place !== null && read === null ? told : null),
      /** Its file is needed for that. */
      isOfFile: (change?.ofFile.length ?? 0) > 0,
      isItsOwn: isOwn,
      /** The configuration of the command reads other exports, so that this one may be of another system. */
      isSystem,
      /** The configuration of the command would read it the same. */
      isAlike: isOwn || (await changed(by)) === null,
    })
  }
  // Counting records whose mandates were not sent takes a while.
  if (found.every(({ because, isAlike }) => because === null && isAlike)) return []
  return found.flatMap(({ source, alive, ...one }) => {
    const count = alive > 0 ? alive : reader.countUnsent(source)
    return count === 0 ? [] : [{ ...one, count }]
  })
}

/** Files of the latest comparison that would be read otherwise by now, and why, in words. */
export async function comparedOtherwise(
  reader: Pick<LedgerReader, 'comparedReadings'>,
  by: ReadBy,
  signal: AbortSignal,
) {
  const found = []
  for (const { name, sha256, isTakenIn, reading } of reader.comparedReadings()) {
    if (reading.said === undefined) continue
    const isOwn = isItsOwn({ reading }, by)
    const place = isOwn ? by.configuration : placeOf(reading, by)
    const isGone = place === null && reading.configuration != null
    const read = isOwn ? by : isGone ? null : (by.readWith?.(place) ?? null)
    if (read === null) continue
    const { isChanged, ofFile, because } = await changeBy({ reading }, read, signal)
    if (isChanged || ofFile.length > 0) {
      // What was not sent of it a run reads again; whether the rest was sent rightly, only another comparison tells.
      found.push({ name, sha256, place, because, isTakenIn: isTakenIn === 1 })
    }
  }
  return found
}

/**
 * Under another heading the column of a position may be another one, and its mandates would go to others.
 * @param before exports that the same configuration has read
 * @throws {SourceError}
 */
export function assertSameHeadings(
  { name, byPosition }: Pick<OpenedSource, 'name' | 'byPosition'>,
  before: readonly Pick<ReadSource, 'name' | 'header' | 'reading'>[],
): void {
  for (const { file, where, position, heading } of byPosition)
    for (const { name: earlier, header, reading } of before) {
      const { crosswalk, joined = [] } = reading
      const second = [crosswalk, ...joined].find((one) => one?.name === file)
      const had = (file === null ? header : second?.header)?.[position - 1]
      if (had === undefined || fold(had) === fold(heading)) continue
      const [own, other] = file === null ? ['', ` in "${earlier}"`] : [` of "${file}"`, ` for "${earlier}"`]
      throw refuse(
        name,
        'FILE_HEADER_AMBIGUOUS',
        `column ${position}${own}, which ${where} gives by its position, has the heading "${showValue(heading)}" and had "${showValue(had)}"${other}: it may be another column`,
        {
          next: `Name the column by its heading in ${where}${file === null ? `, both where only that has changed (["${showValue(had)}", "${showValue(heading)}"]); or read this file with a copy of the configuration under another name that has the columns of this file (--config COPY)` : ''}`,
        },
      )
    }
}

const EVIDENCE = 'what the evidence says'

/** What only its file tells, which is given or, where records of it wait, is not. */
interface Lacking {
  readonly source: ReadSource
  readonly keys: readonly string[]
  readonly waiting: number
}

/** @throws {UsageError} that names all files which are needed, those that were given too */
function refuseLacking(all: readonly Lacking[], { configuration }: ReadBy): void {
  const waiting = all.reduce((sum, one) => sum + one.waiting, 0)
  if (waiting === 0) return
  const named = new Set(all.filter((one) => one.waiting > 0).map(({ source }) => `"${source.name}"`))
  const keys = [...new Set(all.flatMap((one) => one.keys))]
  throw new UsageError(
    `${plural(waiting, 'record', 'records')} of ${[...named].join(', ')} cannot be read again without the file, because ${nameOfConfiguration({ configuration })} has changed ${keys.join(', ')}; nothing was sent`,
    `Give what is read otherwise in one command (sepa-migrate run ${[...new Set(all.map(({ source }) => typedName(source.name)))].join(' ')}${configuration === null ? '' : ` --config "${configuration}"`}). If only a new file is written otherwise, undo the change, and read that file with a copy of the configuration under another name (--config COPY)`,
  )
}

const nameOfConfiguration = ({ configuration = null }: Pick<SourceReading, 'configuration'>): string =>
  configuration === null ? 'the configuration' : `"${nameOf(configuration)}"`

/**
 * Takes records into a source of their own, where any comes.
 * @param placed a record as it comes, null for one that does not
 */
async function takeIn(
  admission: Admission,
  about: Parameters<Admission['open']>[0],
  records: AsyncIterable<readonly CheckedRecord[]>,
  placed: (record: CheckedRecord) => CheckedRecord | null,
) {
  let target: SourceAdmission | null = null
  let [came, read] = [0, 0]
  for await (const batch of records) {
    const taken = batch.flatMap((record) => placed(record) ?? [])
    if (taken.length > 0) (target ??= admission.open(about)).add(taken)
    read += batch.length
    came += taken.length
  }
  return { target, came, read }
}

/**
 * Reads the file itself in the place of what came in of it: a record takes the place of the one that stood on its line, what was
 * sent of it stays, and what is there no more gives way. What it says otherwise than what was sent is a line of the cut-over, where
 * a person calls it newer.
 */
async function readFile(
  admission: Admission,
  one: Readable & { readonly open: Open; readonly signal: AbortSignal },
): Promise<string> {
  const { again } = admission
  const { source, now, isNewer, signal } = one
  const opened = await one.open(admission.collections.known())
  const { sheet } = opened.reading
  const about = { ...opened, again: source.id }
  again.noteFormer(source.id, { sheet, isNewer, isByWord: isNewer && admission.isNewerByWord })
  let isDoubted = false as boolean
  let other = 0
  const { target, came, read } = await takeIn(admission, about, opened.records(signal), (record) => {
    const { corrects, change } = again.meet(record, opened, isNewer)
    noteOwner(one.moved, record, change)
    isDoubted ||= (corrects !== undefined && sheet !== source.reading.sheet) || isDoubtful(admission, change)
    if (corrects !== undefined) return { ...record, corrects }
    if (change !== null) other += 1
    return null
  })
  signal.throwIfAborted()
  const told = againText(one, read - came - other, [
    [came, 'were read from the file'],
    [other, 'have other values than what was sent or decided, which stays'],
  ])
  const summary = opened.summary()
  const reading = {
    ...{ ...summary.reading, ...now, again: told },
    wasGiven: one.ofFile.length > 0 ? (true as const) : undefined,
    doubts: isDoubted ? doubtsOf(admission, source) : undefined,
  }
  const sha256 = digestOf([source.sha256, source.parts.length, now, 'given'])
  const whole = target ?? admission.open(about)
  whole.close({ ...summary, bytes: 0, records: came, sha256, reading }, isNewer)
  again.giveWay(whole.id)
  return `"${source.name}" was ${told}.`
}

/** What waits stays as it is: nothing of the command has happened. */
function cannotRead({ message, next }: SourceError, count: number, { because }: Readable): UsageError {
  const waiting = plural(count, 'record of it waits, and is', 'records of it wait, and are')
  const title = `${message}. ${waiting} read again, because ${because} has changed; nothing was sent`
  return new UsageError(title, next)
}

/** An export that the configuration of the command reads. */
interface Readable extends Awaited<ReturnType<typeof changeBy>> {
  readonly source: ReadSource
  readonly isNewer: boolean
  readonly moved: Moved
}

interface Reading extends Readable {
  readonly by: ReadBy
  readonly second: readonly SecondFile[]
  readonly signal: AbortSignal
  readonly way: Way
  /** Although it says the same. */
  readonly mustCome: (row: UnsentRow, record: CheckedRecord) => boolean
}

/**
 * Of what columns are for somebody decided when an export came in. Of some of its records alone no other column is asked about,
 * unless all of them were answered at once then.
 */
function askedColumns({
  source: { header, reading },
  areAllAsked,
}: Readable): Pick<CheckedAgainst, 'undecided'> {
  const { columns = {}, exclude = [], ignoredColumns = [] } = reading
  if (areAllAsked) return {}
  const refs = [...Object.values(columns), ...exclude.map(({ column }) => column), ...ignoredColumns]
  return { undecided: refs.map((ref) => fold(String(typeof ref === 'number' ? header[ref - 1] : ref))) }
}

async function readOne(admission: Admission, one: Reading) {
  const { source, by, now, second, isNewer, isChanged, signal, way, mustCome, because } = one
  const { again, collections } = admission
  const { openStored } = await import('../source/read-source.js')
  /** What was given out to be checked, once it is known how to read. */
  const given: UnsentRow[] = []
  let isKnown = false
  function* rows(): ReturnType<typeof again.rows> {
    for (const page of again.rows(way, source, by.against.today)) {
      if (isKnown) given.push(...page)
      yield page
    }
  }
  const inLists = admission.inLists((reading) => isItsOwn({ reading }, by))
  const against = { ...by.against, ...collections.known(), second, ...askedColumns(one), inLists }
  const options = withFlags(by.options, now.byFlag)
  const stored = await openStored(source, rows, { options, against, signal }).catch((error: unknown) => {
    if (!(error instanceof SourceError)) throw error
    // A list has the columns that people left in it.
    if (source.isList) return null
    throw cannotRead(error, again.count('unsent', source), one)
  })
  if (stored === null) return { came: 0, told: [] }
  assertSameHeadings(stored, [source])
  const about = { name: source.name, header: stored.header, columns: stored.columns, again: source.id }
  // Another configuration may leave out the column that kept mandates behind, so all that is left of an export is looked at. A
  // list has the rows that people left in it.
  const isPart = source.isList || way === 'met' || way === 'collected'
  const records = stored.records(signal, isPart ? () => true : undefined)
  const changes: Partial<Record<Change, number>> = {}
  let [same, ended] = [0, 0]
  isKnown = true
  const taken = await takeIn(admission, about, records, (record) => {
    const row = given.shift()
    if (row === undefined) throw new Error(`A record of "${source.name}" has no row`)
    if (!isNewer && again.staysEnded(row.id, record, stored.reading)) {
      ended += 1
      return null
    }
    const change = again.differs(row.id, record, about)
    noteOwner(one.moved, record, change)
    if (change !== null) changes[change] = (changes[change] ?? 0) + 1
    else same += 1
    if (change === null && !mustCome(row, record)) return null
    const place = { record: row.record, line: row.line, corrects: row.id }
    return { ...record, ...place, isUnchanged: false, isDecided: false }
  })
  signal.throwIfAborted()
  const { came } = taken
  const told = againText(one, same, [
    ...Object.entries(CHANGES).map(([kind, more]) => [changes[kind as Change] ?? 0, more] as const),
    [ended, `stay ended (if that was wrong, give "${source.name}" once more with --newer)`],
  ])
  // Of all that is left of it: what the configuration uses now may be another column.
  const { silent } = isPart ? {} : stored.summary().reading
  const isDoubted =
    isChanged && Object.keys(changes).some((change) => isDoubtful(admission, change as Change))
  const reading = {
    ...{ ...source.reading, ...stored.reading, ...(silent && { silent }), ...now, again: told },
    wasGiven: undefined,
    doubts: isDoubted ? doubtsOf(admission, source) : undefined,
  }
  const sha256 = digestOf([source.sha256, source.parts.length, now, way === 'met', because])
  const summary = { sha256, bytes: 0, records: came, blankLines: 0, reading, findings: [] }
  // How it was read, and that it was called newer or compared, is kept also where all of it says the same.
  const isWord = isNewer && (admission.isNewerByWord || !again.isSaidSince(source))
  const isKept = (isChanged || isWord) && way !== 'met'
  const target = taken.target ?? (isKept ? admission.open(about) : null)
  target?.close(summary, isNewer)
  const isTold = isChanged || (came > 0 && (way === 'resend' || way === 'collected'))
  return { came, told: isTold ? [`"${source.name}" was ${told}.`] : [] }
}
