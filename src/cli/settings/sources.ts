import { type OpenNext, sourceOpeners } from '../../run/admit-sources.js'
import type { SourceInput } from '../../source/bytes/input.js'
import type { SourceOptions } from '../../source/options.js'
import { ownTexts, type Context, type OwnFlag } from '../command.js'

/** The files of the command line as sources of which everything is told, and nothing is sent. */
export function openers(context: Context): OpenNext[] {
  const { settings, world, args } = context
  const check = {
    today: settings.asOf,
    severities: settings.severities,
    newCreditorIdentifier: settings.get('creditorIdentifier'),
    undecided: 'tell' as const,
    dormantSoonDays: settings.get('dormantSoonDays'),
  }
  return sourceOpeners(
    args.map((file) => inputOf(context, file)),
    sourceOptions(context),
    check,
    world.signals.drain,
  )
}

/** `-` is standard input. */
export const inputOf = ({ world }: Context, file: string): SourceInput =>
  file === '-' ? { name: 'standard input', stream: world.stdin } : file

/** The source sections of the configuration, with paths made absolute. */
export function sourceOptions(context: Context): SourceOptions {
  const { values, locate } = context.settings.configuration
  const ignored = ownTexts(context, 'ignoreColumn')
  const { source, columns, exclude, limits, words, crosswalk } = values
  return {
    source: { ...source, ignoreColumns: [...source.ignoreColumns, ...ignored] },
    columns,
    exclude,
    limits,
    words,
    ...(crosswalk === undefined ? {} : { crosswalk: { ...crosswalk, file: locate(crosswalk.file) } }),
  }
}

/** The first records of each source only. What needs the whole file, its hash among it, is not known then. */
export function sampled(files: readonly OpenNext[], count: number | null): readonly OpenNext[] {
  if (count === null) return files
  return files.map((open) => async (earlier) => {
    const source = await open(earlier)
    let records = 0
    return {
      ...source,
      sha256: null,
      records: async function* (signal) {
        for await (const batch of source.records(signal)) {
          const taken = batch.slice(0, count - records)
          records += taken.length
          yield taken
          if (records === count) return
        }
      },
      summary: () => ({
        sha256: `sample of ${source.name}`,
        bytes: 0,
        records,
        blankLines: 0,
        reading: { ...source.reading, sample: count },
        findings: [],
      }),
    }
  })
}

/** Said of one of our own files that lists no row. */
export const nothingToCorrect = (name: string): string =>
  `"${name}" lists no row: there is nothing to correct in it.`

export const IGNORE_COLUMN: OwnFlag = [
  '--ignore-column <name>',
  'this column does not say which mandates stay behind; may be given several times',
  'repeatable',
]
