import { randomBytes } from 'node:crypto'
import { severityOf } from '../domain/rule/rules.js'
import { createRowSet, type RowSet } from '../source/survey/row-set.js'
import type { Surveyed } from '../source/survey/survey.js'
import type { AdmitOptions, AdmittableSource, OpenNext } from './admit-sources.js'
import { compareKeys } from './repeated-keys.js'
import type { OpenedSource } from '../source/read-source.js'

type SurveyOptions = Pick<AdmitOptions, 'severities' | 'signal' | 'watch'>

/**
 * Looks over all files of a command before they are admitted to a ledger that nobody keeps. A record of which no rule has
 * anything to say, and of which no other record has a key, is ready whatever the others are: it is counted and not
 * admitted. All others go the way of every record. Where that cannot be shown of all files (source/README.md#surveyed),
 * or anything goes wrong, the files come back as they were, and what is wrong with them is found on the usual way.
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
  readonly first: number
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
  for (const open of files) {
    const source = await open()
    const { name, survey, sha256 } = source
    if (survey === undefined || survey === null || sha256 === null) return null
    if (known.has(sha256)) {
      parts.push({ source, surveyed: null, first })
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
    parts.push({ source, surveyed, first })
    first += surveyed.rows
  }
  keys.tell(look.add)
  return parts.map((part) => () => Promise.resolve(sourceOf(part, look)))
}

function sourceOf({ source, surveyed, first }: Part, look: RowSet): AdmittableSource {
  const { survey } = source
  if (surveyed === null || survey === null || survey === undefined) return source
  return {
    ...source,
    counted: surveyed.records - look.count(first, first + surveyed.rows),
    quickRecords: null,
    records: (signal) => survey.look(surveyed, { rows: look, first }, signal),
    summary: () => surveyed.summary,
  }
}
