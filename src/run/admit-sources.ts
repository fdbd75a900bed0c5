import type { EarlierRows } from '../domain/row/earlier-row.js'
import type { SeverityOverrides } from '../domain/rule/rules.js'
import type { CheckedRecord } from '../domain/rule/verdict.js'
import type { Admission, Ledger, SourceAdmission } from '../ledger/ledger.js'
import { digestOf, nameOf, sizeOf } from '../source/bytes/input.js'
import type { OpenedSource } from '../source/read-source.js'

/**
 * Opens the n-th file of the command; called once per file, in order. Corrections are compared with `earlier`. What has a
 * `path` can be opened again, as a stream cannot.
 */
export type OpenNext = ((earlier?: EarlierRows) => Promise<AdmittableSource>) & { readonly path?: string }

/** `counted`: records that are not handed over because they were shown to be ready; `survey-sources.ts` alone sets it. */
export type AdmittableSource = OpenedSource & { readonly counted?: number }

export interface AdmitOptions {
  readonly severities: SeverityOverrides
  readonly signal: AbortSignal
  readonly watch: (source: string, records: number) => void
  /** There is no campaign to compare with: lines of our own files count as new ones. */
  readonly onTheirOwn?: boolean
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
  const admission = ledger.admit({ severities: options.severities })
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
  const admitted: AdmittedSource[] = []
  for (const open of files) {
    const known = await knownFile(admission, open, options.signal)
    if (known !== null) {
      admitted.push(known)
      continue
    }
    const source = await open(options.onTheirOwn === true ? undefined : admission.earlier)
    const { name, isResultFile } = source
    if (source.sha256 !== null && admission.isKnown(source.sha256)) {
      admitted.push({ name, kind: 'known', ...NOTHING, isResultFile })
      continue
    }
    const { target, records } = await addRecords(admission, source, options)
    options.signal.throwIfAborted()
    if (target === null) {
      admitted.push({ name, kind: 'empty', ...NOTHING, isResultFile })
      continue
    }
    const kind = target.close(source.summary())
    admitted.push({
      name,
      kind,
      records: records + (source.counted ?? 0),
      ...target.givenBack(),
      isResultFile,
    })
  }
  return admitted
}

/** Null where it may be new: a file that came in before is hashed, and neither recognised nor read. */
async function knownFile(
  admission: Admission,
  { path }: Pick<OpenNext, 'path'>,
  signal: AbortSignal,
): Promise<AdmittedSource | null> {
  const size = path === undefined ? null : await sizeOf(path)
  if (path === undefined || size === null) return null
  const alike = admission.ofSize(size)
  if (alike.length === 0) return null
  const sha256 = await digestOf(path, signal)
  const source = alike.find((known) => known.sha256 === sha256)
  if (source === undefined) return null
  return { name: nameOf(path), kind: 'known', ...NOTHING, isResultFile: source.isResultFile }
}

interface Added {
  /** Null where there was no record. */
  readonly target: SourceAdmission | null
  readonly records: number
}

type AddOptions = Omit<AdmitOptions, 'severities'>

/** The quick way is taken back where it is in doubt, so that all that is ever said of a file comes from one reading. */
async function addRecords(
  admission: Admission,
  source: AdmittableSource,
  options: AddOptions,
): Promise<Added> {
  const { quickRecords } = source
  if (quickRecords === undefined || quickRecords === null)
    return addBatches(admission, source, source.records(options.signal), options)
  let target: SourceAdmission | null = null
  try {
    const records = doubting(quickRecords(options.signal), options.signal)
    return await addBatches(admission, source, records, options, (opened) => (target = opened))
  } catch (error) {
    if (!(error instanceof InDoubt)) throw error
    ;(target as SourceAdmission | null)?.discard()
    return addBatches(admission, source, source.records(options.signal), options)
  }
}

async function addBatches(
  admission: Admission,
  source: AdmittableSource,
  batches: AsyncIterable<CheckedRecord[]>,
  { onTheirOwn, watch }: AddOptions,
  onOpened: (target: SourceAdmission) => void = () => undefined,
): Promise<Added> {
  const { name, header, columns, counted } = source
  let target: SourceAdmission | null = null
  let records = 0
  for await (const batch of batches) {
    if (target === null) {
      target = admission.open({ name, header, columns, ...(counted === undefined ? {} : { counted }) })
      onOpened(target)
    }
    target.add(onTheirOwn === true ? batch.map(asNew) : batch)
    records += batch.length
    watch(name, counted === undefined ? records : (batch.at(-1)?.record ?? records))
  }
  return { target, records }
}

/** What went wrong with a quick reading, as far as it is not a stop. */
class InDoubt extends Error {}

/** Tells what a reading throws from what the ledger does with its records. */
async function* doubting(
  records: AsyncIterable<CheckedRecord[]>,
  signal: AbortSignal,
): AsyncGenerator<CheckedRecord[]> {
  try {
    yield* records
  } catch (error) {
    signal.throwIfAborted()
    throw new InDoubt('', { cause: error })
  }
}

const NOTHING = { records: 0, resubmitted: 0, notTaken: 0 } as const

const asNew = (record: CheckedRecord): CheckedRecord =>
  record.corrects === null ? record : { ...record, corrects: null, isUnchanged: false }
