import { createHash } from 'node:crypto'
import type { EarlierRows } from '../domain/row/earlier-row.js'
import type { Corrector } from '../domain/row/correction.js'
import type { SeverityOverrides } from '../domain/rule/rules.js'
import type { CheckedRecord, SourceSummary } from '../domain/rule/verdict.js'
import type { Admission, Ledger, RepeatedRecord, SourceAdmission } from '../ledger/ledger.js'
import { digestOf, nameOf, sizeOf } from '../source/bytes/input.js'
import type { OpenedSource } from '../source/read-source.js'
import { startAside, type Aside } from './aside/aside.js'
import type { Prepared, ReadingJob } from './aside/job.js'

/**
 * Opens the n-th file of the command; called once per file, in order. Corrections are compared with `earlier`. What has a
 * `path` can be opened again, as a stream cannot.
 */
export type OpenNext = ((earlier?: EarlierRows) => Promise<AdmittableSource>) & {
  readonly path?: string
  /** What another thread needs to know to read it; left out where only this one may. */
  readonly aside?: ReadingJob | null
}

/**
 * `counted`: records that are not handed over because they were shown to be ready. `repeats`: those of which it is enough
 * to know what they repeat, as far as they were come by since it was last asked. `survey-sources.ts` alone sets them.
 */
export type AdmittableSource = OpenedSource & {
  readonly counted?: number
  readonly repeats?: () => readonly RepeatedRecord[]
}

export interface AdmitOptions {
  readonly severities: SeverityOverrides
  readonly corrector?: Corrector
  readonly signal: AbortSignal
  readonly watch: (source: string, records: number) => void
  /** There is no campaign to compare with: lines of our own files count as new ones. */
  readonly onTheirOwn?: boolean
  /** Starts a second thread for a file, where that is of use; `startAside` when left out. */
  readonly startAside?: ((job: ReadingJob) => Aside | null) | undefined
}

export interface AdmittedSource {
  readonly name: string
  /**
   * `known`: these bytes were admitted before, so nothing was added. `empty`: one of this program's own files without a
   * row, so there is nothing to add.
   */
  readonly kind: 'admitted' | 'known' | 'empty'
  readonly records: number
  /** Lines that name a row of the ledger. */
  readonly resubmitted: number
  /** Those of them that could not be taken: the row they name stays as it was. */
  readonly notTaken: number
  readonly isResultFile: boolean
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
  if (files.length === 0) return []
  const admission = ledger.admit(options)
  try {
    const admitted = await addSources(admission, files, options)
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
  const { startAside: start = startAside } = options
  const admitted: AdmittedSource[] = []
  for (const open of files) {
    const known = await knownFile(admission, open, options.signal)
    if (known !== null && admission.heldIn(known.sha256) === null) {
      const { name, isResultFile } = known
      admitted.push({ name, kind: 'known', ...NOTHING, isResultFile })
      continue
    }
    // It starts while this thread opens the file too: what is refused is refused here.
    const isNew = known === null && open.aside !== undefined && open.aside !== null
    const aside = isNew ? start(open.aside) : null
    try {
      admitted.push(await addSource(admission, { open, aside }, options))
    } finally {
      await aside?.stop()
    }
  }
  return admitted
}

/** Null where it may be new: a file that came in before is hashed, and neither recognised nor read. */
async function knownFile(
  admission: Admission,
  { path }: Pick<OpenNext, 'path'>,
  signal: AbortSignal,
): Promise<{ name: string; sha256: string; isResultFile: boolean } | null> {
  const size = path === undefined ? null : await sizeOf(path)
  if (path === undefined || size === null) return null
  const alike = admission.ofSize(size)
  if (alike.length === 0) return null
  const sha256 = await digestOf(path, signal)
  const source = alike.find((known) => known.sha256 === sha256)
  return source === undefined ? null : { name: nameOf(path), ...source }
}

interface Opening {
  readonly open: OpenNext
  readonly aside: Aside | null
}

async function addSource(
  admission: Admission,
  { open, aside }: Opening,
  options: AddOptions,
): Promise<AdmittedSource> {
  const source = await open(options.onTheirOwn === true ? undefined : admission.earlier)
  const { name, isResultFile } = source
  if (source.sha256 !== null && admission.isKnown(source.sha256))
    return takeUp(admission, source, source.sha256, options)
  const { target, records, summary } = await addRecords(admission, source, aside, options)
  options.signal.throwIfAborted()
  if (target === null) return { name, kind: 'empty', ...NOTHING, isResultFile }
  const kind = target.close(summary())
  return { name, kind, records: records + (source.counted ?? 0), ...target.givenBack(), isResultFile }
}

/**
 * Of a file that came in before, the rows that were held for a word and are understood now. Each comes in as a correction
 * of itself, so the rules across rows speak again, and no total counts it twice. What comes in has a hash of its own, of
 * the file's and of the records: a file is known by its hash once.
 */
async function takeUp(
  admission: Admission,
  source: AdmittableSource,
  sha256: string,
  { signal, watch }: AddOptions,
): Promise<AdmittedSource> {
  const { name, header, columns, isResultFile } = source
  const held = admission.heldIn(sha256)
  if (held === null) return { name, kind: 'known', ...NOTHING, isResultFile }
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
    target ??= admission.open({ name, header, columns })
    target.add(again)
    taken += again.length
    for (const { record } of again) digest.update(` ${record}`)
  }
  signal.throwIfAborted()
  if (target === null) return { name, kind: 'known', ...NOTHING, isResultFile }
  const summary = source.summary()
  const own = { sha256: digest.digest('hex'), records: taken, blankLines: 0, findings: [] }
  const kind = target.close({ ...summary, ...own })
  return { name, kind, records: taken, ...target.givenBack(), isResultFile }
}

interface Added {
  /** Null where there was no record. */
  readonly target: SourceAdmission | null
  readonly records: number
  readonly summary: () => SourceSummary
}

type AddOptions = Omit<AdmitOptions, 'severities' | 'corrector'>

/** One way to come by the records of a source. */
interface Way {
  readonly batches: AsyncIterable<Prepared>
  readonly summary: () => SourceSummary
}

/** The quick way is taken back where it is in doubt, so that all that is ever said of a file comes from one reading. */
async function addRecords(
  admission: Admission,
  source: AdmittableSource,
  aside: Aside | null,
  options: AddOptions,
): Promise<Added> {
  const { signal } = options
  const quick = quickWay(admission, source, aside, signal)
  const full: Way = { batches: asPrepared(source.records(signal)), summary: source.summary }
  if (quick === null) return addBatches(admission, source, full, options)
  let target: SourceAdmission | null = null
  try {
    const way = { ...quick, batches: doubting(quick.batches, signal) }
    return await addBatches(admission, source, way, options, (opened) => (target = opened))
  } catch (error) {
    if (!(error instanceof InDoubt)) throw error
    ;(target as SourceAdmission | null)?.discard()
    return addBatches(admission, source, full, options)
  }
}

function quickWay(
  admission: Admission,
  { quickRecords, summary, sha256 }: AdmittableSource,
  aside: Aside | null,
  signal: AbortSignal,
): Way | null {
  if (quickRecords === undefined || quickRecords === null) return null
  if (aside === null) return { batches: asPrepared(quickRecords(signal)), summary }
  return { batches: readAside(aside, admission.secret, sha256, signal), summary: aside.summary }
}

async function* readAside(
  aside: Aside,
  secret: Uint8Array,
  sha256: string | null,
  signal: AbortSignal,
): AsyncGenerator<Prepared> {
  yield* aside.prepared(secret, signal)
  // What this thread has opened is what is refused, known and recorded.
  if (aside.summary().sha256 !== sha256) throw new Error('The second thread read another file')
}

async function* asPrepared(batches: AsyncIterable<CheckedRecord[]>): AsyncGenerator<Prepared> {
  for await (const records of batches) yield { kind: 'records', records }
}

async function addBatches(
  admission: Admission,
  source: AdmittableSource,
  { batches, summary }: Way,
  { onTheirOwn, watch }: AddOptions,
  onOpened: (target: SourceAdmission) => void = () => undefined,
): Promise<Added> {
  const { name, header, columns, counted, repeats } = source
  let target: SourceAdmission | null = null
  let records = 0
  /** How far the reading is. */
  let reached = 0
  for await (const batch of batches) {
    if (target === null) {
      target = admission.open({ name, header, columns, ...(counted === undefined ? {} : { counted }) })
      onOpened(target)
    }
    if (batch.kind === 'rows') {
      target.addPacked(batch.rows)
      records += batch.rows.rows
      reached = records
    } else {
      target.add(onTheirOwn === true ? batch.records.map(asNew) : batch.records)
      const repeated = repeats?.() ?? []
      if (repeated.length > 0) target.repeat(repeated)
      records += batch.records.length + repeated.length
      reached = Math.max(
        reached,
        counted === undefined ? records : (batch.records.at(-1)?.record ?? 0),
        repeated.at(-1)?.record ?? 0,
      )
    }
    watch(name, reached)
  }
  return { target, records, summary }
}

/** What went wrong with a quick reading, as far as it is not a stop. */
class InDoubt extends Error {}

/** Tells what a reading throws from what the ledger does with its records. */
async function* doubting(batches: AsyncIterable<Prepared>, signal: AbortSignal): AsyncGenerator<Prepared> {
  try {
    yield* batches
  } catch (error) {
    signal.throwIfAborted()
    throw new InDoubt('', { cause: error })
  }
}

const NOTHING = { records: 0, resubmitted: 0, notTaken: 0 } as const

const asNew = (record: CheckedRecord): CheckedRecord =>
  record.corrects === null ? record : { ...record, corrects: null, isUnchanged: false }
