import { randomBytes } from 'node:crypto'
import type { RepeatedRecord } from '../ledger/ledger.js'
import { severityOf } from '../domain/rule/rules.js'
import { createRowSet, type RowSet } from '../source/survey/row-set.js'
import type { Surveyed } from '../source/survey/survey.js'
import type { PlainRepeat } from '../source/survey/second-look.js'
import type { AdmitOptions, AdmittableSource, OpenNext } from './admit-sources.js'
import type { ExactRepeats } from './exact-repeats.js'
import { compareKeys } from './repeated-keys.js'
import type { OpenedSource } from '../source/read-source.js'

type SurveyOptions = Pick<AdmitOptions, 'severities' | 'signal' | 'watch'>

/**
 * Looks over all files of a command before they are admitted to a ledger that nobody keeps. A record of which no rule has
 * anything to say, and of which no other record has a key, is ready whatever the others are: it is counted and not
 * admitted. Of records that say the same, where none but they have their keys, the first is counted too, and the others
 * are handed over as its repeats. All others go the way of every record. Where that cannot be shown of all files
 * (source/README.md#surveyed), or anything goes wrong, the files come back as they were, and what is wrong with them is
 * found on the usual way. To read the files that come back throws HashesMet where repeats turn out to be none: then nothing
 * is known of any file.
 */
export async function surveySources(
  files: readonly OpenNext[],
  options: SurveyOptions,
): Promise<readonly OpenNext[]> {
  // To look into a stream would use it up.
  if (!files.every(({ path }) => path !== undefined)) return files
  const keys = compareKeys()
  try {
    return (await surveyAll(files, options, keys)) ?? files
  } catch {
    options.signal.throwIfAborted()
    return files
  } finally {
    keys.close()
  }
}

interface Part {
  readonly source: OpenedSource
  /** Null for a file that was given twice. */
  readonly surveyed: Surveyed | null
  /** The row of its first record, lines of separators counted too. */
  readonly first: number
  /** Records of the files before it. */
  readonly recordsBefore: number
}

async function surveyAll(
  files: readonly OpenNext[],
  { severities, signal, watch }: SurveyOptions,
  keys: ReturnType<typeof compareKeys>,
): Promise<readonly OpenNext[] | null> {
  const look = createRowSet()
  const parts: Part[] = []
  const known = new Set<string>()
  const hashes = {
    seed: randomBytes(4).readInt32LE(),
    hasAccount: severityOf('IBAN_SHARED', severities) !== 'off',
  }
  let first = 0
  let recordsBefore = 0
  for (const open of files) {
    const source = await open()
    const { name, survey, sha256 } = source
    if (survey === undefined || survey === null || sha256 === null) return null
    if (known.has(sha256)) {
      parts.push({ source, surveyed: null, first, recordsBefore })
      continue
    }
    known.add(sha256)
    const surveyed = await survey.take({
      keys: hashes,
      compare: keys.compare,
      look,
      first,
      signal,
      watch: (records) => watch(name, records),
    })
    parts.push({ source, surveyed, first, recordsBefore })
    first += surveyed.rows
    recordsBefore += surveyed.records
  }
  const repeats = keys.tell(look, first)
  return parts.map((part) => () => Promise.resolve(sourceOf(part, look, repeats)))
}

function sourceOf(part: Part, look: RowSet, repeats: ExactRepeats): AdmittableSource {
  const { source, surveyed, first, recordsBefore } = part
  const { survey } = source
  if (surveyed === null || survey === null || survey === undefined) return source
  const end = first + surveyed.rows
  let found: RepeatedRecord[] = []
  const wanted = {
    rows: look,
    first,
    repeats: {
      has: repeats.has,
      take: (row: number, { record, line, cells, mandate }: PlainRepeat): void => {
        const original = repeats.take(row, cells, recordsBefore + record)
        if (original !== null) found.push({ record, line, ...mandate(), original })
      },
    },
  }
  return {
    ...source,
    counted: surveyed.records - look.count(first, end) - repeats.count(first, end),
    quickRecords: null,
    records: (signal) => survey.look(surveyed, wanted, signal),
    repeats: () => {
      const taken = found
      found = []
      return taken
    },
    summary: () => surveyed.summary,
  }
}
