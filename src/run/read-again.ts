import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import type { LayoutReading, SourceReading } from '../domain/rule/verdict.js'
import type { Admission, SourceAdmission } from '../ledger/admit/admission.js'
import type { ReadSource } from '../ledger/admit/again.js'
import { plural } from '../domain/text/text.js'
import { SourceError, UsageError } from '../errors.js'
import { fileDigest, nameOf, sizeOf } from '../source/bytes/input.js'
import type { SecondFile } from '../source/columns/second-files.js'
import type { SourceOptions } from '../source/options.js'
import type { CheckedAgainst } from '../source/record-check.js'

/** How a command reads: what its configuration says, and which file that is. */
export interface ReadBy {
  readonly options: SourceOptions
  readonly against: Omit<CheckedAgainst, 'second'>
  /** Null where no file says it. */
  readonly configuration: string | null
}

/** What became of the records of one export that were read again. */
export interface ReadAgain {
  readonly name: string
  readonly same: number
  readonly changed: number
  /** The configuration that read it, where the command has none and so leaves it as it is. */
  readonly staysAsRead?: string
}

const PAGE = 1_000

/** What the configuration says of the records themselves; what it says of the layout counts when a file is read. */
const settingsOf = ({ options, against }: ReadBy): string => {
  const { columns, crosswalk, join, exclude, words, profile, source } = options
  const { exportDay, fillerDates, dates } = source
  const { newCreditorIdentifier, zone } = against
  const said = [columns, crosswalk, join, exclude, words, profile, exportDay, fillerDates, dates]
  return digestOf([...said, newCreditorIdentifier, dates === 'utc' ? zone : null])
}

const digestOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

/** What an export remembers of how it was read. */
export const readingBy = (by: ReadBy): Pick<SourceReading, 'configuration' | 'settings' | 'rules'> => ({
  configuration: by.configuration === null ? null : resolve(by.configuration),
  settings: settingsOf(by),
  rules: digestOf(Object.entries(by.against.severities).sort()),
})

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
 * @param given the SHA-256 of the files of this command that the ledger has
 * @throws {UsageError} where the configuration names a column that an export does not have
 */
export async function readAgain(
  admission: Admission,
  by: ReadBy,
  { given, signal }: { readonly given: ReadonlySet<string>; readonly signal: AbortSignal },
): Promise<ReadAgain[]> {
  const now = readingBy(by)
  const paths = secondPaths(by.options)
  const results: ReadAgain[] = []
  let second: readonly SecondFile[] | null = null
  for (const source of admission.again.sources()) {
    const { configuration = null, settings, rules } = source.reading
    const isGiven = given.has(source.sha256)
    if (settings === undefined) continue
    const isForgotten = configuration !== null && now.configuration === null
    if (isForgotten && isGiven)
      results.push({ name: source.name, same: 0, changed: 0, staysAsRead: nameOf(configuration) })
    if (isForgotten || (!isGiven && configuration !== now.configuration)) continue
    const isNewer = isGiven && admission.isNewer(source.sha256)
    // Some rules speak of several rows at once.
    const areRulesChanged = rules !== now.rules
    const isChanged =
      areRulesChanged ||
      settings !== now.settings ||
      (await isSecondFileChanged(source.reading, paths, signal))
    if ((!isChanged && !isNewer) || admission.again.unsent(source.id, 0, 1).length === 0) continue
    const { loadSecondFiles } = await import('../source/columns/second-files.js')
    second ??= await loadSecondFiles(by.options, signal)
    const read = { source, by, second, isNewer, isChanged, areRulesChanged, signal }
    const result = await readOne(admission, read)
    if (result !== null) results.push(result)
  }
  return results
}

/** What waits stays as it is: nothing of the command has happened. */
function cannotRead(
  { message, next }: SourceError,
  rows: Iterable<readonly unknown[]>,
  { configuration }: ReadBy,
): UsageError {
  let waiting = 0
  for (const page of rows) waiting += page.length
  const which = configuration === null ? 'the configuration' : `"${nameOf(configuration)}"`
  return new UsageError(
    `${message}. ${plural(waiting, 'record of it waits, and is', 'records of it wait, and are')} read again, because ${which} has changed; nothing was sent`,
    next,
  )
}

interface Reading {
  readonly source: ReadSource
  readonly by: ReadBy
  readonly second: readonly SecondFile[]
  readonly isNewer: boolean
  readonly isChanged: boolean
  readonly areRulesChanged: boolean
  readonly signal: AbortSignal
}

async function readOne(
  admission: Admission,
  { source, by, second, isNewer, isChanged, areRulesChanged, signal }: Reading,
): Promise<ReadAgain | null> {
  const { again } = admission
  const { openStored } = await import('../source/stored.js')
  function* rows() {
    for (let after = 0; ;) {
      const page = again.unsent(source.id, after, PAGE)
      if (page.length === 0) return
      yield page
      after = page.at(-1)?.id ?? after
    }
  }
  const against = { ...by.against, second }
  const stored = await openStored(source, rows, { options: by.options, against, signal }).catch(
    (error: unknown) => {
      if (!(error instanceof SourceError)) throw error
      // A list has the columns that people left in it.
      if (source.isList) return null
      throw cannotRead(error, rows(), by)
    },
  )
  if (stored === null) return null
  const about = { name: source.name, header: stored.header, columns: stored.columns, kind: 'again' } as const
  let target: SourceAdmission | null = null
  const columns = { header: stored.header, columns: stored.columns }
  // Another configuration may leave out the column that kept mandates behind. A list has the rows that people left in it.
  const [unsent, records] = [rows(), stored.records(signal, source.isList ? () => true : undefined)]
  let [same, changed] = [0, 0]
  let page: ReturnType<typeof again.unsent> = []
  let at = 0
  for await (const batch of records) {
    const differing = batch.flatMap((record) => {
      if (at === page.length) [page, at] = [unsent.next().value ?? [], 0]
      const row = page[at]
      at += 1
      if (row === undefined) throw new Error(`A record of "${source.name}" has no row`)
      const mustCome = (areRulesChanged && row.isOfRules === 1) || (isNewer && row.waits === 1)
      const isLeft = row.isRefused === 1 || !mustCome
      const keeps = isLeft && again.isSame(row.id, record, columns)
      return keeps
        ? []
        : [
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
    const read = batch.length
    if (differing.length > 0) (target ??= admission.open(about)).add(differing)
    same += read - differing.length
    changed += differing.length
  }
  signal.throwIfAborted()
  const reading = { ...source.reading, ...stored.reading, ...readingBy(by), readFrom: source.id }
  const sha256 = createHash('sha256')
    .update(`${source.sha256} ${source.count + 1}`)
    .digest('hex')
  const summary = { sha256, bytes: 0, records: changed, blankLines: 0, reading, findings: [] }
  // How it was read is kept, also where all of it says the same.
  if (isChanged) target ??= admission.open(about)
  target?.close(summary, isNewer)
  return { name: source.name, same, changed }
}
