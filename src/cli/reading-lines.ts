import type { LedgerReader } from '../index.js'

type Source = ReturnType<LedgerReader['sources']>[number]

const partsOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : []

const PLACES: Readonly<Record<string, string>> = {
  beforeHeader: 'left out before the header',
  atEnd: 'left out at the end',
}

const WORD_KEYS: Readonly<Record<string, string>> = {
  status: 'words.status.active or words.status.notActive',
  sequence: 'words.sequence.recurrent, oneOff or final',
  scheme: 'words.scheme.core or b2b',
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const counted = (counts: unknown): string =>
  partsOf(counts)
    .map(([word, count]) => `"${word}" ${String(count)}`)
    .join(', ')

/** What the words of one column were understood to say, and those that were not understood. */
function wordLines([field, read]: [string, unknown]): string[] {
  const parts = Object.fromEntries(partsOf(read))
  const column = `"${textOf(parts['column'])}"`
  const unknown = counted(parts['notUnderstood'])
  return [
    ...(parts['staysBehind'] === undefined
      ? []
      : [`  ${textOf(parts['staysBehind'])} by column ${column}: ${counted(parts['keptBack'])}`]),
    ...(unknown === ''
      ? []
      : [`  not understood in column ${column}: ${unknown}; to teach: ${WORD_KEYS[field] ?? field}`]),
    ...(parts['tooManyWords'] === undefined
      ? []
      : [`  column ${column} holds ${textOf(parts['tooManyWords'])} different words: is it the ${field}?`]),
  ]
}

/** Columns that nobody decided about: `run` refuses the file for them. */
const undecidedIn = ({ reading }: Source): readonly string[] =>
  Array.isArray(reading['undecided']) ? reading['undecided'].map(String) : []

/** What a person has to see of how a source was read: lines that were left out, words and what they keep back. */
export function readingLines(source: Source): string[] {
  const { reading } = source
  return [
    ...partsOf(reading['leftOut']).flatMap(([place, lines]) =>
      (Array.isArray(lines) ? lines : []).map((line) => `  ${PLACES[place] ?? place}: ${String(line)}`),
    ),
    ...partsOf(reading['words']).flatMap(wordLines),
    ...undecidedIn(source).map((text) => `  undecided: ${text}`),
  ]
}
