import { createReadStream } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { UsageError } from '../../errors.js'
import type { DecisionRecord } from '../../ledger/read/reader.js'
import type { LedgerReader } from '../../ledger/read/open-reader.js'
import { PLACE_OF_PART, partOf } from '../facts/facts.js'
import { MANIFEST_FILE, readManifest, type Manifest } from '../files/manifest.js'
import { writeManifestAgain } from '../pack/pack.js'
import { decisionPages, rowPages } from '../facts/row-walk.js'
import { DECISION_LIST, DECISIONS_FILE, REGISTERED_LIST } from '../files/lists.js'
import { timeText } from '../../domain/text/text.js'
import { readVersion } from '../../packaged.js'

/** What of a pack does not hold. */
export interface Discrepancy {
  readonly kind:
    | 'manifest_changed'
    | 'not_named'
    | 'missing'
    | 'changed'
    | 'other_ledger'
    | 'other_version'
    | 'signature_missing'
    | 'signature_changed'
    | 'signature_of_another_key'
    | 'ledger_differs'
  /** Name in the folder. */
  readonly file: string
  /** What was found and what it means, without account numbers. */
  readonly message: string
  readonly next: string
}

export type Tell = (discrepancy: Discrepancy) => void

/** How the ledger stands beside the pack: as it was then, or further on. */
type LedgerStanding = 'unchanged' | 'moved_on' | 'behind' | 'another' | 'not_compared'

interface Compared {
  readonly standing: LedgerStanding
  /** The files of which every byte was compared. */
  readonly compared: readonly string[]
}

interface Pack {
  readonly folder: string
  readonly manifest: Manifest
  /** The bytes of manifest.json. */
  readonly text: string
  readonly ledger: LedgerReader
}

const namesIn = ({ files }: Manifest): string[] => [MANIFEST_FILE, ...files.map(({ name }) => name)]

type Differ = (file: string, message: string) => void

/**
 * Writes the report of a ledger that has not changed since again, and compares every byte. Where the ledger has moved on,
 * what was registered and decided until then is compared, and nothing else.
 */
export async function compareWithLedger(pack: Pack, tell: Tell): Promise<Compared> {
  const { manifest, ledger } = pack
  const { ledgerId, changedAt } = ledger.campaign()
  const differ: Differ = (file, message) =>
    tell({
      kind: 'ledger_differs',
      file,
      message,
      next: 'Trust the ledger, not this pack: write the report again, and ask who had access to this folder',
    })
  if (ledgerId !== manifest.ledgerId) {
    tell({
      kind: 'other_ledger',
      file: MANIFEST_FILE,
      message: `The pack is of another ledger (${manifest.ledgerId}) than the one that was given (${ledgerId})`,
      next: 'Give the ledger of this campaign',
    })
    return { standing: 'another', compared: [] }
  }
  if (changedAt < manifest.changedAt) {
    differ(
      MANIFEST_FILE,
      `The ledger (${timeText(changedAt)}) is older than the pack (${timeText(manifest.changedAt)}): it is an older copy, or the pack was made up`,
    )
    return { standing: 'behind', compared: [] }
  }
  if (manifest.version !== readVersion() || manifest.changedWhileReading) {
    tell({
      kind: 'other_version',
      file: MANIFEST_FILE,
      message: manifest.changedWhileReading
        ? 'The pack was written while a run changed the ledger, so it cannot be written again'
        : `The pack says that version ${manifest.version} wrote it, and this is ${readVersion()}, which may write other bytes`,
      next: 'Write the report again, or verify it with the version that wrote it',
    })
    return { standing: 'not_compared', compared: [] }
  }
  if (changedAt === manifest.changedAt) {
    await compareBytes(pack, differ)
    return { standing: 'unchanged', compared: namesIn(manifest) }
  }
  return { standing: 'moved_on', compared: await compareLists(pack, differ) }
}

/** What the manifest says of each file was compared with its bytes: the manifest stands for all of them. */
async function compareBytes({ folder, manifest, text, ledger }: Pack, differ: Differ): Promise<void> {
  const again = await writtenAgain(ledger, manifest, folder)
  if (again === text) return
  const read = readManifest(again)
  if (read === null || read === 'no_json') throw new Error('The manifest that was written again is none')
  const names = new Set([...manifest.files, ...read.files].map(({ name }) => name))
  const shaIn = ({ files }: Manifest, name: string) => files.find((file) => file.name === name)?.sha256
  const other = [...names].filter((name) => shaIn(manifest, name) !== shaIn(read, name))
  for (const name of other)
    differ(name, `${name} is not what the ledger says: written again from it, the file has other bytes`)
  const keys = Object.keys({ ...manifest, ...read }).filter(
    (key) => key !== 'files' && JSON.stringify(manifest[key]) !== JSON.stringify(read[key]),
  )
  if (keys.length > 0 || other.length === 0)
    differ(MANIFEST_FILE, `${MANIFEST_FILE} is not what the ledger says (${keys.join(', ')})`)
}

/** In a hidden folder beside the ledger, whose disk holds the same data already, or beside the pack; it is removed again. */
async function writtenAgain(ledger: LedgerReader, manifest: Manifest, folder: string): Promise<string> {
  const { language, absentAfterMs, told } = manifest
  const reader = { ...ledger, file: manifest.ledger }
  const write = (out: string): Promise<string> =>
    writeManifestAgain(reader, { out, language, absentAfterMs, told })
  try {
    return await write(dirname(resolve(ledger.file)))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return write(dirname(resolve(folder)))
  }
}

/** registered.csv and decisions.csv, line by line, with what was registered and decided until then. */
async function compareLists({ folder, manifest, ledger }: Pack, differ: Differ): Promise<string[]> {
  const then = manifest.changedAt
  const lists = new Map<string, Generator<string, void, undefined>>([
    [PLACE_OF_PART.registered, registeredLines(ledger, then)],
  ])
  // Words of decisions go with a purge or an erasure, and are then not proven.
  const isErased = [...decisionsOf(ledger)].some(({ decision, at }) => decision === 'erased' && at > then)
  if (!isErased && (ledger.campaign().purgedAt ?? '') <= then)
    lists.set(DECISIONS_FILE, decisionLinesUntil(ledger, then))
  for (const [name, lines] of lists) {
    const path = join(folder, name)
    if ((await lstat(path).catch(() => null))?.isFile() !== true) continue // which was told
    const at = await firstOtherLine(path, lines)
    if (at !== null)
      differ(
        name,
        `Line ${at} of ${name} is not what the ledger says of ${timeText(then)}: an entry was changed, added, removed or moved`,
      )
  }
  return [...lists.keys()]
}

function* decisionsOf(ledger: LedgerReader): Generator<DecisionRecord, void, undefined> {
  for (const page of decisionPages(ledger)) yield* page
}

function* registeredLines(ledger: LedgerReader, then: string): Generator<string, void, undefined> {
  yield REGISTERED_LIST.header
  for (const { rows, registered } of rowPages(ledger))
    for (const row of [...rows.filter((each) => partOf(each) === 'registered'), ...registered])
      if ((row.registeredAt ?? '') <= then) yield REGISTERED_LIST.line(row)
}

function* decisionLinesUntil(ledger: LedgerReader, then: string): Generator<string, void, undefined> {
  yield DECISION_LIST.header
  for (const each of decisionsOf(ledger)) if (each.at <= then) yield DECISION_LIST.line(each)
}

async function firstOtherLine(
  path: string,
  expected: Generator<string, void, undefined>,
): Promise<number | null> {
  let at = 0
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    at += 1
    const next = expected.next()
    if (next.done === true || line !== next.value.trimEnd()) return at
  }
  return expected.next().done === true ? null : at + 1
}
