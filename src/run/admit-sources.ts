import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { showValue, type CheckedRecord, type SourceSummary } from '../domain/rule/verdict.js'
import { maskAccounts } from '../domain/text/accounts.js'
import { countText, nearest, orNearest, findName, fold, plural } from '../domain/text/text.js'
import { UsageError, refuse } from '../errors.js'
import type { Admission, GivenBack } from '../ledger/admit/admission.js'
import type { AdmitRequest, Ledger } from '../ledger/file/writer.js'
import type { Resolution } from '../ledger/ledger.js'
import { fileDigest, nameOf, sizeOf, typedName, type SourceInput } from '../source/bytes/input.js'
import type { SecondFile } from '../source/columns/second-files.js'
import type { SourceOptions } from '../source/options.js'
import type { CollectionFile } from '../source/pain008.js'
import type { OpenedSource } from '../source/read-source.js'
import type { CheckedAgainst } from '../source/record-check.js'
import { assertSameHeadings, isItsOwn, placeOf, readAgain, readingBy, type ReadBy } from './read-again.js'

/** What the ledger says of earlier rows, with which corrections are compared, and of collections. */
type KnownBefore = Pick<
  CheckedAgainst,
  'earlier' | 'ledger' | 'readBy' | 'inLists' | 'lastCollected' | 'otherOf'
>

/**
 * Opens the n-th file of the command; called once per file, in order. What has a `path` can be opened again, as a stream cannot.
 */
export type OpenNext = ((known?: KnownBefore) => Promise<AdmittableSource>) & {
  /** The same file, as another configuration reads it. */
  readonly as?: (by: ReadBy, known: KnownBefore) => Promise<OpenedSource>
  readonly path?: string
  /** Of a workbook, where one is named. */
  readonly sheet?: string | undefined
}

/** `counted`: records that are not handed over because they are ready whatever the others are (`rows-alone.ts`). */
export type AdmittableSource = OpenedSource & { readonly counted?: number }

/**
 * How to open each file of a command, in order. They share second files; of a crosswalk, unused lines are known once the last
 * file was read; they are reported with it, and only when no file was passed over as known and none holds corrections.
 */
export function sourceOpeners(
  inputs: readonly SourceInput[],
  options: SourceOptions,
  against: Omit<CheckedAgainst, 'second'>,
  signal: AbortSignal,
): OpenNext[] {
  let shared: Promise<readonly SecondFile[]> | null = null
  const opened: OpenedSource[] = []
  let readToEnd = 0
  let areExports = true
  const load = (): Promise<readonly SecondFile[]> =>
    (shared ??= import('../source/columns/second-files.js').then(({ loadSecondFiles }) =>
      loadSecondFiles(options, signal),
    ))

  return inputs.map((input, index) => {
    const open = async (before?: KnownBefore): Promise<OpenedSource> => {
      const known = { ...against, ...before }
      // A file that is in the ledger already is not opened, and the room takes a while to load.
      const { openSource } = await import('../source/read-source.js')
      const second = await load()
      const source = await openSource(input, options, { ...known, second }, signal)
      // A list of ours is read for what people decided in it, and then for what they corrected.
      if (source.isResultFile && (typeof input !== 'string' || (await sizeOf(input)) === null))
        throw new UsageError(
          `"${source.name}" is a list of this program, and what flows through a pipe can be read only once; nothing was sent`,
          'Give the file itself',
        )
      opened.push(source)
      if (index === inputs.length - 1) assertFound(opened, options, second)
      const summary = (): SourceSummary => {
        const own = source.summary()
        readToEnd += 1
        areExports &&= !source.isResultFile
        const isComplete = areExports && index === inputs.length - 1 && readToEnd === inputs.length
        const unused = isComplete ? second.flatMap((file) => file.findings(against.severities)) : []
        return { ...own, findings: [...own.findings, ...unused] }
      }
      return { ...source, summary }
    }
    if (typeof input !== 'string') return open
    const as = async (by: ReadBy, known: KnownBefore): Promise<OpenedSource> => {
      const { openSource } = await import('../source/read-source.js')
      return openSource(input, by.options, { ...by.against, ...known }, signal)
    }
    return Object.assign(open, { as, path: input, sheet: options.source.sheet })
  })
}

/**
 * A column to ignore or a sheet that no export has is a typing error, and what was meant would be decided otherwise.
 * @throws {UsageError}
 */
function assertFound(
  opened: readonly OpenedSource[],
  { source: { ignoreColumns, sheet } }: SourceOptions,
  second: readonly SecondFile[],
): void {
  const exports = opened.filter(({ isResultFile, reading: { collections } }) => !isResultFile && !collections)
  if (exports.length === 0) return
  const names = [...exports.flatMap(({ header }) => header), ...second.flatMap((file) => file.names)]
  const lacking = ignoreColumns.filter((ref) => typeof ref === 'string' && findName(names, ref) === null)
  // One configuration may read exports of which some have a column and some do not.
  const unknown =
    lacking.find((ref) => nearest(String(ref), names) !== null) ??
    (lacking.length === ignoreColumns.length ? lacking[0] : undefined)
  if (unknown !== undefined)
    throw new UsageError(
      `There is no column "${maskAccounts(String(unknown))}" to ignore${maskAccounts(orNearest(String(unknown), names))}; nothing was sent`,
      'Name a column of the export (--ignore-column, source.ignoreColumns)',
    )
  if (sheet !== undefined && exports.every(({ reading }) => reading.sheet === undefined))
    throw new UsageError(
      `There is no sheet "${maskAccounts(sheet)}": no file of this command is a workbook; nothing was sent`,
      'Leave it out (--sheet, source.sheet), or give the workbook',
    )
}

/** Opens a collection file that is given beside the exports. */
export type OpenCollected = (signal: AbortSignal) => Promise<CollectionFile>

export const collectionOpeners = (paths: readonly string[], { limits }: SourceOptions): OpenCollected[] =>
  paths.map((path) => async (signal) => {
    const { openCollections } = await import('../source/pain008.js')
    return openCollections(path, limits, signal)
  })

export interface AdmitOptions extends Omit<AdmitRequest, 'isRetry'> {
  /** Collection files of the former creditor, compared with the exports; what is in none of these becomes a finding. */
  readonly evidence?: readonly OpenCollected[] | undefined
  readonly signal: AbortSignal
  readonly watch: (source: string, records: number) => void
  /** What reads again what came in before; where it is left out, all of that stays as it was read. */
  readonly readBy?: ReadBy | undefined
  /** How many mandates the command sends at most. */
  readonly limit?: number | null
  /** There is no campaign to compare with: lines of our own files count as new ones. */
  readonly onTheirOwn?: boolean
}

export interface AdmittedSource extends GivenBack {
  readonly name: string
  /**
   * `known`: these bytes were admitted before, so nothing was added. `empty`: one of this program's own files without a
   * row, so there is nothing to add.
   */
  readonly kind: 'admitted' | 'known' | 'empty'
  readonly records: number
  readonly isResultFile: boolean
  /** Of its sources, one for each configuration that reads some of its lines. */
  readonly ids: readonly number[]
}

/**
 * Brings all files of a command into the ledger, or none of them: one file that cannot be trusted takes nothing
 * with it and leaves nothing behind.
 * @throws {SourceError} for a file that cannot be read whole; the ledger is as it was
 */
export async function admitSources(
  ledger: Pick<Ledger, 'admit'>,
  files: readonly OpenNext[],
  options: AdmitOptions,
): Promise<AdmittedSource[]> {
  const { evidence = [] } = options
  if (files.length + evidence.length === 0) return []
  return within(ledger.admit(options), async (admission) => {
    const { admitted } = await addSources(admission, files, options)
    if (admission.collections.isNew()) admission.compareEarlier()
    if (options.evidence !== undefined) admission.tellMissing()
    return admitted
  })
}

/** @throws {UsageError} that names each decision that cannot be taken */
export function decide(ledger: Pick<Ledger, 'resolve'>, decisions: readonly Resolution[]): void {
  if (decisions.length === 0) return
  const { results } = ledger.resolve(decisions, { dryRun: false })
  const rejected = results.flatMap((result) => (result.kind === 'rejected' ? [result] : []))
  if (rejected.length === 0) return
  const faults = [...new Set(rejected.map(({ message }) => message))]
  const next = [...new Set(rejected.map((each) => each.next))].join('. ')
  const title = `${plural(faults.length, 'decision', 'decisions')} cannot be taken; nothing was recorded or sent`
  throw new UsageError(title, next, { faults })
}

/** Kept whole, or after an error, and where `body` gives null, not at all. */
export async function within<Value>(
  admission: Admission,
  body: (admission: Admission) => Promise<Value>,
): Promise<Value> {
  let value: Value
  try {
    value = await body(admission)
    if (value !== null) admission.commit()
  } catch (error) {
    admission.rollback()
    throw error
  }
  if (value === null) admission.rollback()
  return value
}

/** Reads again what has changed, for a command that looks at what waits and brings in no file. */
export async function readAgainFirst(
  ledger: Pick<Ledger, 'admit'>,
  options: Pick<AdmitOptions, 'severities' | 'readBy' | 'signal'>,
): Promise<readonly string[]> {
  const admission = ledger.admit({ severities: options.severities, isRetry: true })
  const silent = { ...options, watch: () => undefined }
  return within(admission, async () => (await addSources(admission, [], silent)).readAgain)
}

/**
 * Reads all files of a command into an admission that is open, and leaves it open. What became of records that were read
 * again is told in sentences.
 * @throws {SourceError} for a file that cannot be read whole; the caller rolls back
 */
export async function addSources(admission: Admission, files: readonly OpenNext[], options: AdmitOptions) {
  const { readBy, signal, limit = null } = options
  const admitted: Added[] = []
  const given = new Map<string, OpenNext>()
  const opened: { readonly index: number; readonly source: NamedSource }[] = []
  for (const open of options.evidence ?? []) await addCollected(admission, await open(signal), options)
  admission.collections.close()
  for (const [index, open] of files.entries()) {
    const known = await knownFile(admission, open, options)
    if (known !== null) {
      const { name, isResultFile } = known
      given.set(known.sha256, open)
      admission.noteGiven(known.sha256)
      admitted[index] = { ids: [], name, kind: 'known', records: 0, isResultFile }
      continue
    }
    const source = await openSource(admission, open, options)
    assertAsBefore(
      admission,
      source,
      options,
      opened.map((one) => one.source),
    )
    opened.push({ index, source })
  }
  const again = readBy === undefined ? [] : await readAgain(admission, readBy, { given, signal, limit })
  // A line corrects its row as that is read by now, and an export may take the place of both: a row gives way to later ones alone.
  const listsFirst = opened.toSorted((a, b) => Number(b.source.isResultFile) - Number(a.source.isResultFile))
  for (const { index, source } of listsFirst) admitted[index] = await addSource(admission, source, options)
  admission.decide()
  for (const { index, source } of listsFirst)
    if (!source.isResultFile) assertOwnSystem(admission, source, options, admitted[index]?.ids ?? [])
  assertNoneLacking(admission, (id) => opened.find(({ index }) => admitted[index]?.ids.includes(id))?.source)
  const withLines = admitted.map((source) => ({ ...source, ...admission.givenBack(source.ids) }))
  return { admitted: withLines, readAgain: again, given: new Set(given.keys()) }
}

type Added = Omit<AdmittedSource, keyof GivenBack>

/** @throws {SourceError} for a file that is an export of this campaign too */
async function addCollected(
  { collections, isKnown }: Admission,
  file: CollectionFile,
  { signal, watch }: AdmitOptions,
): Promise<void> {
  const { name, label, sha256 } = file
  if (isKnown(sha256)) throw asBoth(label)
  if (collections.isKnown(sha256)) return
  const take = collections.open(file)
  let read = 0
  for await (const batch of file.read()) {
    take(batch)
    read += batch.length
    watch(name, read)
  }
  signal.throwIfAborted()
}

const asBoth = (label: string): Error =>
  refuse(label, 'FILE_FORMAT', 'it is an export and evidence at once, and would agree with itself', {
    next: 'Give it as one of the two.',
  })

/** Null where it may be new: a file that came in before is hashed, and neither recognised nor read. */
async function knownFile(admission: Admission, { path, sheet }: OpenNext, { signal, readBy }: AdmitOptions) {
  const size = path === undefined ? null : await sizeOf(path)
  if (path === undefined || size === null) return null
  const alike = admission.ofSize(size)
  if (alike.length === 0) return null
  const sha256 = await fileDigest(path, signal)
  const source = alike.find((known) => known.sha256 === sha256)
  if (source === undefined) return null
  const { resultFile: isResultFile = false, sheet: before } = source.reading
  const isCorrected = readBy?.configuration != null && readBy.byFlag?.sheet === undefined
  // A file is known by its bytes: another sheet of it would be passed over without a word.
  if (sheet !== undefined && !isCorrected && !isResultFile && fold(sheet) !== fold(before ?? sheet))
    throw refuse(path, 'FILE_SHEET_UNCLEAR', `its sheet "${showValue(before ?? '')}" came in before`, {
      next: `Save the sheet "${showValue(sheet)}" as a workbook of its own, and give that with the name of its sheet (--sheet).`,
    })
  return { name: nameOf(path), ...source, isResultFile }
}

/** `others`: by its path, how each configuration reads that read rows which the file may name. */
type NamedSource = AdmittableSource & {
  readonly open: OpenNext
  readonly others: ReadonlyMap<string, ReadBy>
}

async function openSource(admission: Admission, open: OpenNext, options: AdmitOptions): Promise<NamedSource> {
  const { readBy, onTheirOwn } = options
  const others = new Map<string, ReadBy>()
  const known = onTheirOwn === true ? {} : knownBy(admission, readBy)
  const otherOf =
    open.as === undefined || readBy === undefined ? {} : { otherOf: otherReading(admission, readBy, others) }
  return { ...(await open({ ...known, ...otherOf, ...admission.collections.known() })), open, others }
}

/** What is known of the rows that lines of our own files name. */
const knownBy = (admission: Admission, by: ReadBy | undefined): KnownBefore => ({
  ...{ earlier: admission.earlier, ledger: admission.mark() },
  ...(by === undefined
    ? {}
    : {
        readBy: readingBy(by),
        inLists: admission.inLists((reading) => isItsOwn({ reading }, by)),
      }),
})

/** The columns of the service, or a system that is recognised. */
const NO_CONFIGURATION = ''

/** Where the configuration lies now that read something, which is noted with how it reads; empty for none, null where it cannot be read. */
function otherReading(
  { again }: Admission,
  by: ReadBy,
  others: Map<string, ReadBy>,
): NonNullable<CheckedAgainst['otherOf']> {
  const known = new Map<string, string | null>()
  const isSystem = again.sources().some((source) => isItsOwn(source, by))
  const find = (read: Parameters<typeof placeOf>[0]): string | null => {
    // What one of the two lacks may have been forgotten, unless both read exports here.
    if (!isSystem && (read.configuration == null || by.configuration === null)) return null
    const path = read.configuration == null ? NO_CONFIGURATION : placeOf(read, by)
    const other = path === null ? null : (by.readWith?.(path || null) ?? null)
    if (path === null || other === null) return null
    others.set(path, other)
    return path
  }
  return (read) => {
    const configuration = read.configuration ?? ''
    if (!known.has(configuration)) known.set(configuration, find(read))
    return known.get(configuration) ?? null
  }
}

async function addSource(admission: Admission, source: NamedSource, options: AdmitOptions): Promise<Added> {
  const { name, isResultFile, open } = source
  if (source.sha256 !== null && admission.collections.isKnown(source.sha256)) throw asBoth(open.path ?? name)
  if (source.sha256 !== null && admission.isKnown(source.sha256))
    return { ids: [], name, kind: 'known', records: 0, isResultFile }
  if (!isResultFile) assertAsCompared(admission, source, options)
  const { target, records } = await addRecords(admission, source, options)
  options.signal.throwIfAborted()
  const kind = target?.close(readWith(source.summary(), options.readBy)) ?? 'empty'
  const ids = target === null || kind === 'known' ? [] : [target.id]
  const own: Added = { name, isResultFile, ids, records: records + (source.counted ?? 0), kind }
  const others = await addOthers(admission, source, options)
  if (others.length === 0) return own
  const count = others.reduce((sum, other) => sum + other.records, own.records)
  return { ...own, kind: 'admitted', ids: [...own.ids, ...others.map(({ id }) => id)], records: count }
}

/** @param beside of the same command @throws {SourceError} */
function assertAsBefore(
  { again }: Admission,
  source: NamedSource,
  { readBy }: AdmitOptions,
  beside: readonly NamedSource[],
): void {
  if (readBy === undefined || source.byPosition.length === 0) return
  const before = again.sources().filter((one) => !one.isList && isItsOwn(one, readBy))
  assertSameHeadings(source, [...before, ...beside.filter(({ isResultFile }) => !isResultFile)])
}

/** Another configuration makes other mandates of it than were compared. */
function assertAsCompared(
  admission: Admission,
  { sha256, name, open }: NamedSource,
  { readBy }: AdmitOptions,
): void {
  const compared = sha256 === null ? undefined : admission.comparedWith(sha256)
  if (readBy === undefined || compared === undefined) return
  const own = pathOf(readBy)
  if (compared === own || (compared !== null && !existsSync(compared))) return
  const path = open.path ?? name
  throw new UsageError(
    `"${name}" was read ${readAs(compared)} when it was compared, and this command reads it ${readAs(own)}; nothing was sent`,
    compared === null
      ? `Leave the configuration out, or compare the export as it is read with it first (sepa-migrate compare "${path}"${own === null ? '' : ` --config "${own}"`})`
      : `Give it alone, with that configuration (sepa-migrate run "${path}" --config "${compared}")`,
  )
}

const pathOf = ({ configuration }: ReadBy): string | null =>
  configuration === null ? null : resolve(configuration)

export const readAs = (path: string | null): string =>
  path === null ? 'without a configuration' : `with "${nameOf(path)}"`

/** An export of one system that is read as the other is gives its mandates to the customers of that. */
function assertOwnSystem(
  admission: Admission,
  { name, open }: NamedSource,
  { readBy }: AdmitOptions,
  ids: readonly number[],
): void {
  const [id] = ids
  if (id === undefined || readBy === undefined) return
  const { all, theirs, configuration } = admission.ofAnotherSystem(id) ?? {
    all: 0,
    theirs: 0,
    configuration: null,
  }
  if (theirs * 2 <= all) return
  const own = pathOf(readBy)
  throw new UsageError(
    `${countText(theirs)} of ${plural(all, 'mandate', 'mandates')} of "${name}" came in ${readAs(configuration)} before, and this command reads them ${readAs(own)}, as it does another system; nothing was sent`,
    `Give it alone, as they were read (sepa-migrate run ${typedName(open.path ?? name)}${configuration === null ? '' : ` --config "${configuration}"`}). If they belong to the other system by now, give it with a copy of that configuration under another name`,
  )
}

/** Who is in an export no more has left, or somebody took that row out: it was to stay behind, as a rule. */
function assertNoneLacking(admission: Admission, sourceOf: (id: number) => NamedSource | undefined): void {
  const lacking = admission.lacking()
  if (lacking === null) return
  const { name, count, rows, by, isBeside } = lacking
  const files = by.flatMap((id) => sourceOf(id) ?? [])
  const named = files.map((file) => `"${file.name}"`).join(', ')
  const isSame = files.some((file) => file.name === name)
  const told = `${plural(count, 'mandate', 'mandates')} of ${isSame ? 'an earlier ' : ''}"${name}" may be sent and ${count === 1 ? 'is' : 'are'} not in ${isSame ? 'this one' : named}`
  if (isBeside)
    throw new UsageError(
      `${told}, which repeats most of it: one of them is older, and nobody said which; nothing was sent`,
      'Give the newest alone; whoever is not in it has left',
    )
  const paths = files.map(({ name: file, open }) => typedName(open.path ?? file)).join(' ')
  throw new UsageError(
    `${told} (${count === 1 ? 'row' : 'rows'} ${rows.join(', ')}${count > rows.length ? ' …' : ''}); nothing was sent`,
    `If the export consists of several files, give all of them in one command. If they are not to be migrated, compare the whole export, which holds them and lists all of them in to-do/cut-over.csv (sepa-migrate compare ${paths}), or write each off (sepa-migrate resolve --row ${rows[0] ?? ''} --as written-off --reason "…"). If they are, go on without the file (sepa-migrate run)${isSame ? ', or save one that is a part beside the earlier one under another name' : ''}`,
  )
}

/** What is known of a source, with how it was read. */
const readWith = (summary: SourceSummary, by: ReadBy | undefined): SourceSummary => ({
  ...summary,
  reading: { ...summary.reading, ...(by === undefined ? {} : readingBy(by)) },
})

/** Lines of our own files whose rows another configuration read: as that reads them, a source for each. */
async function addOthers(
  admission: Admission,
  { open, others, ofOthers }: NamedSource,
  options: AdmitOptions,
) {
  const added = []
  for (const [path, wanted] of ofOthers) {
    const by = others.get(path)
    const source = by === undefined ? undefined : await open.as?.(by, knownBy(admission, by))
    if (source === undefined) throw new Error(`Nothing reads lines as "${path}" does`)
    const read = (signal?: AbortSignal) => source.records(signal, (record) => wanted.has(record), true)
    const { target, records } = await addRecords(admission, { ...source, records: read }, options)
    options.signal.throwIfAborted()
    target?.close(readWith(source.summary(), by))
    if (target !== null) added.push({ id: target.id, records })
  }
  return added
}

/** @returns null for `target` where there was no record */
async function addRecords(
  admission: Admission,
  { name, header, columns, amendments, counted, isResultFile, records: read }: AdmittableSource,
  { signal, onTheirOwn, watch }: AdmitOptions,
) {
  const kind = isResultFile && onTheirOwn !== true ? 'list' : 'export'
  const about = { name, header, columns, amendments, kind } as const
  let target: ReturnType<Admission['open']> | null =
    counted === undefined ? null : admission.open({ ...about, counted })
  let records = 0
  for await (const batch of read(signal)) {
    if (kind === 'list' && batch.some(({ corrects }) => corrects === null) && admission.hasSeveralSystems())
      throw new UsageError(
        `"${name}" has lines without migration_row, and the exports here are of several configurations: nobody can tell which of them reads such a line; nothing was sent`,
        'Write the number of its row into migration_row, as the newest list has it. A mandate that is in no list comes in with an export (sepa-migrate run FILE --config FILE)',
      )
    target ??= admission.open(about)
    target.add(onTheirOwn === true ? batch.map(asNew) : batch)
    records += batch.length
    watch(name, batch.at(-1)?.record ?? records)
  }
  return { target, records }
}

const asNew = (record: CheckedRecord): CheckedRecord =>
  record.corrects === null ? record : { ...record, corrects: null, isUnchanged: false }
