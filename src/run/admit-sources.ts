import { createHash } from 'node:crypto'
import type { Corrector } from '../domain/row/correction.js'
import {
  showValue,
  type CheckedRecord,
  type LayoutReading,
  type SourceSummary,
  type SeverityOverrides,
} from '../domain/rule/verdict.js'
import { fold, plural } from '../domain/text/text.js'
import { UsageError } from '../errors.js'
import {
  type Admission,
  type GivenBack,
  NONE_GIVEN_BACK,
  type SourceAdmission,
} from '../ledger/admit/admission.js'
import type { Ledger } from '../ledger/file/writer.js'
import type { LedgerReader } from '../ledger/read/open-reader.js'
import { fileDigest, nameOf, sizeOf, type SourceInput } from '../source/bytes/input.js'
import type { SecondFile } from '../source/columns/second-files.js'
import type { SourceOptions } from '../source/options.js'
import type { CollectionFile } from '../source/pain008.js'
import type { OpenedSource } from '../source/read-source.js'
import { refuse } from '../source/refusal.js'
import type { CheckedAgainst } from '../source/record-check.js'

/** What the ledger says of earlier rows, with which corrections are compared, and of collections. */
type KnownBefore = Pick<CheckedAgainst, 'earlier' | 'lastCollected'>

/**
 * Opens the n-th file of the command; called once per file, in order. What has a `path` can be opened again, as a stream cannot.
 */
export type OpenNext = ((known?: KnownBefore) => Promise<AdmittableSource>) & {
  readonly path?: string
  /** Of a workbook, where one is named. */
  readonly sheet?: string | undefined
  /** The crosswalk and the joined files. */
  readonly second?: readonly string[]
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
  let readToEnd = 0
  let areExports = true
  const load = (): Promise<readonly SecondFile[]> =>
    (shared ??= import('../source/columns/second-files.js').then(({ loadSecondFiles }) =>
      loadSecondFiles(options, signal),
    ))

  const opener =
    (input: SourceInput, index: number) =>
    async (before?: KnownBefore): Promise<OpenedSource> => {
      const known = { ...against, ...before }
      // A file that is in the ledger already is not opened, and the room takes a while to load.
      const { openSource } = await import('../source/read-source.js')
      const second = await load()
      const source = await openSource(input, options, { ...known, second }, signal)
      const summary = (): SourceSummary => {
        const own = source.summary()
        readToEnd += 1
        areExports &&= !source.isResultFile
        const isComplete = areExports && index === inputs.length - 1 && readToEnd === inputs.length
        return isComplete
          ? {
              ...own,
              findings: [...own.findings, ...second.flatMap((file) => file.findings(against.severities))],
            }
          : own
      }
      return { ...source, summary }
    }
  return inputs.map((input, index) =>
    Object.assign(
      opener(input, index),
      typeof input === 'string'
        ? {
            path: input,
            sheet: options.source.sheet,
            second: secondPaths(options),
          }
        : {},
    ),
  )
}

const secondPaths = ({ crosswalk, join }: SourceOptions): string[] =>
  [crosswalk, ...join].flatMap((one) => one?.file ?? [])

/** Opens a collection file that is given beside the exports. */
export type OpenCollected = (signal: AbortSignal) => Promise<CollectionFile>

export const collectionOpeners = (
  paths: readonly string[],
  { limits }: Pick<SourceOptions, 'limits'>,
): OpenCollected[] =>
  paths.map((path) => async (signal) => {
    const { openCollections } = await import('../source/pain008.js')
    return openCollections(path, limits, signal)
  })

export interface AdmitOptions {
  /** Collection files of the former creditor, which are compared with the exports. */
  readonly evidence?: readonly OpenCollected[] | undefined
  readonly severities: SeverityOverrides
  readonly corrector?: Corrector
  /** A person said that the exports are newer than what came in before. */
  readonly isNewer?: boolean
  readonly signal: AbortSignal
  readonly watch: (source: string, records: number) => void
  /** What was collected and is in no export becomes a finding, in a ledger that nobody keeps. */
  readonly tellsMissing?: boolean
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
  /** Of a file that came in before, second files that are not what they were then: its rows keep what those said. */
  readonly changed?: readonly string[]
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
  const admission = ledger.admit(options)
  try {
    const admitted = await addSources(admission, files, options)
    if (admission.collections.isNew()) admission.compareEarlier()
    if (options.tellsMissing === true) admission.tellMissing()
    admission.commit()
    return admitted
  } catch (error) {
    admission.rollback()
    throw error
  }
}

/**
 * Reads all files of a command into an admission that is open, and leaves it open.
 * @throws {SourceError} for a file that cannot be read whole; the caller rolls back
 */
export async function addSources(
  admission: Admission,
  files: readonly OpenNext[],
  options: AddOptions,
): Promise<AdmittedSource[]> {
  const admitted: Added[] = []
  for (const open of options.evidence ?? [])
    await addCollected(admission, await open(options.signal), options)
  admission.collections.close()
  for (const open of files) {
    const known = await knownFile(admission, open, options.signal)
    if (known !== null && known.ready > 0 && !known.isResultFile)
      assertReadAlike(known, (await open()).reading, () => known.ready)
    const changed = known === null || known.changed.length === 0 ? {} : { changed: known.changed }
    if (known === null || admission.heldIn(known.sha256) !== null)
      admitted.push({ ...(await addSource(admission, open, options)), ...changed })
    else {
      const { name, isResultFile } = known
      admitted.push({ id: null, name, kind: 'known', records: 0, isResultFile, ...changed })
    }
  }
  const givenBack = admission.decide()
  return admitted.map(({ id, ...source }) => ({
    ...source,
    ...((id === null ? undefined : givenBack.get(id)) ?? NONE_GIVEN_BACK),
  }))
}

/** A file that was read; the id of its source, or null where nothing of it came in. */
type Added = Omit<AdmittedSource, keyof GivenBack> & { readonly id: number | null }

/** @throws {SourceError} for a file that is an export of this campaign too */
async function addCollected(
  { collections, isKnown }: Admission,
  file: CollectionFile,
  { signal, watch }: AddOptions,
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
async function knownFile(
  admission: Admission,
  { path, sheet, second = [] }: Pick<OpenNext, 'path' | 'sheet' | 'second'>,
  signal: AbortSignal,
) {
  const size = path === undefined ? null : await sizeOf(path)
  if (path === undefined || size === null) return null
  const alike = admission.ofSize(size)
  if (alike.length === 0) return null
  const sha256 = await fileDigest(path, signal)
  const source = alike.find((known) => known.sha256 === sha256)
  if (source === undefined) return null
  const { resultFile: isResultFile = false, sheet: before } = source.reading
  // A file is known by its bytes: another sheet of it would be passed over without a word.
  if (sheet !== undefined && !isResultFile && fold(sheet) !== fold(before ?? sheet))
    throw refuse(path, 'FILE_SHEET_UNCLEAR', `its sheet "${showValue(before ?? '')}" came in before`, {
      next: `Save the sheet "${sheet}" as a workbook of its own, and give that.`,
    })
  const changed = await changedFiles(source.reading, second, signal)
  return { name: nameOf(path), ...source, isResultFile, changed }
}

/** Names of second files that are not what a source was read with. */
async function changedFiles(
  { crosswalk, joined = [] }: LayoutReading,
  second: readonly string[],
  signal: AbortSignal,
) {
  const digests = [crosswalk, ...joined].map((known) => known?.sha256)
  const changed: string[] = []
  for (const file of second)
    if ((await sizeOf(file)) !== null && !digests.includes(await fileDigest(file, signal)))
      changed.push(nameOf(file))
  return changed
}

type KnownFile = NonNullable<Awaited<ReturnType<typeof knownFile>>>

/**
 * What says which rows of a file are sent, and with which values, each behind the name of its setting. What words mean is
 * not among it: rows that are held for a word may be understood later.
 */
const decidedBy = (reading: LayoutReading): string[] =>
  [
    ['source', reading.encoding?.encoding, reading.hidden?.decided, reading.skipFooterLines],
    ['profile', reading.profile?.id],
    ['columns', reading.constantCreditorIdentifier, reading.dateFormats, reading.transforms],
    ...Object.entries(reading.columns ?? {}).map((column) => ['columns', ...column]),
    ...(reading.exclude ?? []).map((rows) => ['exclude', { ...rows, reason: '' }]),
  ].map((decided) => JSON.stringify(decided))

/**
 * Rows of a file that came in before are sent as they were read then, so a configuration that would leave some behind or
 * read them otherwise must not seem to count. What it no longer says stops no row that is ready.
 * @throws {UsageError}
 */
function assertReadAlike(
  { name, reading, changed }: Pick<KnownFile, 'name' | 'reading' | 'changed'>,
  now: LayoutReading,
  countReady: () => number,
): void {
  const before = decidedBy(reading)
  const settings = decidedBy(now).flatMap((decided) =>
    before.includes(decided) ? [] : (/\w+/.exec(decided) ?? []),
  )
  const differing = new Set([...settings, ...changed])
  const ready = differing.size === 0 ? 0 : countReady()
  if (ready === 0) return
  throw new UsageError(
    `"${name}" came into the ledger under another configuration (${[...differing].join(', ')}), and ${plural(ready, 'row that is ready', 'rows that are ready')} would be sent as read then; nothing was sent`,
    'Go on with the former configuration, give a newer export, whose rows replace those not sent, or write single rows off',
    { suggestions: ['resolve'] },
  )
}

/**
 * The same for exports of earlier commands, by what the configuration says of columns that they have: a campaign may mix
 * systems, each with a configuration of its own. A row that a later export has too was read as that one was.
 * @param last the latest source of earlier commands
 * @throws {UsageError}
 */
export async function assertStillReadAlike(
  { sources, lastToHold }: Pick<LedgerReader, 'sources' | 'lastToHold'>,
  { configured, last }: { readonly configured: SourceOptions; readonly last: number },
  signal: AbortSignal,
): Promise<void> {
  const { columnsSaid } = await import('../source/columns/mapping.js')
  for (const { id, name, header, columns, reading: read } of sources()) {
    if (id > last || read.resultFile === true || read.collections !== undefined) continue
    const names = [read.crosswalk, ...(read.joined ?? [])].map((file) => file?.name)
    const second = secondPaths(configured).filter((path) => names.includes(nameOf(path)))
    const reading = { ...read, columns }
    const known = { name, reading, changed: await changedFiles(read, second, signal) }
    const countReady = (): number => lastToHold().find((one) => one.id === id)?.ready ?? 0
    assertReadAlike(known, { ...reading, ...columnsSaid(header, configured) }, countReady)
  }
}

async function addSource(admission: Admission, open: OpenNext, options: AddOptions): Promise<Added> {
  const { known, isKnown } = admission.collections
  const earlier = options.onTheirOwn === true ? {} : { earlier: admission.earlier }
  const source = await open({ ...earlier, ...known() })
  const { name, isResultFile } = source
  if (source.sha256 !== null && isKnown(source.sha256)) throw asBoth(open.path ?? name)
  if (source.sha256 !== null && admission.isKnown(source.sha256))
    return takeUp(admission, source, source.sha256, options)
  const { target, records } = await addRecords(admission, source, options)
  options.signal.throwIfAborted()
  if (target === null) return { id: null, name, kind: 'empty', records: 0, isResultFile }
  const kind = target.close(source.summary())
  return { id: target.id, name, kind, records: records + (source.counted ?? 0), isResultFile }
}

/**
 * Of a file that came in before, the rows that were held for a word and are understood now, or that waited to learn that
 * this is the newer export. Each comes in once more in its own place, so the rules across rows speak again, and no total counts it twice. What comes in has a hash of its own, of
 * the file's and of the records: a file is known by its hash once.
 */
async function takeUp(
  admission: Admission,
  source: AdmittableSource,
  sha256: string,
  { signal, watch }: AddOptions,
): Promise<Added> {
  const { name, header, columns, isResultFile } = source
  const nothing = { id: null, name, kind: 'known', records: 0, isResultFile } as const
  const held = admission.heldIn(sha256)
  if (held === null) return nothing
  const digest = createHash('sha256').update(sha256)
  let target: SourceAdmission | null = null
  let taken = 0
  for await (const batch of source.records(signal)) {
    const again = batch.flatMap((record): CheckedRecord[] => {
      if (record.verdict.kind !== 'sendable' && record.verdict.kind !== 'excluded') return []
      const corrects = held(record)
      return corrects === null ? [] : [{ ...record, corrects, isUnchanged: false, isDecided: false }]
    })
    watch(name, batch.at(-1)?.record ?? 0)
    if (again.length === 0) continue
    target ??= admission.open({ name, header, columns, kind: 'again' })
    target.add(again)
    taken += again.length
    for (const { record } of again) digest.update(` ${record}`)
  }
  signal.throwIfAborted()
  if (target === null) return nothing
  const summary = source.summary()
  const own = { sha256: digest.digest('hex'), records: taken, blankLines: 0, findings: [] }
  const kind = target.close({ ...summary, ...own }, admission.isNewer(sha256))
  return { id: target.id, name, kind, records: taken, isResultFile }
}

type AddOptions = Omit<AdmitOptions, 'severities' | 'corrector' | 'isNewer'>

/** @returns null for `target` where there was no record */
async function addRecords(
  admission: Admission,
  { name, header, columns, amendments, counted, isResultFile, records: read }: AdmittableSource,
  { signal, onTheirOwn, watch }: AddOptions,
): Promise<{ target: SourceAdmission | null; records: number }> {
  const kind = isResultFile && onTheirOwn !== true ? 'list' : 'export'
  const about = { name, header, columns, amendments, kind } as const
  let target = counted === undefined ? null : admission.open({ ...about, counted })
  let records = 0
  for await (const batch of read(signal)) {
    target ??= admission.open(about)
    target.add(onTheirOwn === true ? batch.map(asNew) : batch)
    records += batch.length
    watch(name, batch.at(-1)?.record ?? records)
  }
  return { target, records }
}

const asNew = (record: CheckedRecord): CheckedRecord =>
  record.corrects === null ? record : { ...record, corrects: null, isUnchanged: false }
