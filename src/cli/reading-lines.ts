import type { LedgerReader } from '../index.js'

type Source = ReturnType<LedgerReader['sources']>[number]

const partsOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : []

const PLACES: Readonly<Record<string, string>> = {
  beforeHeader: 'left out before the header',
  atEnd: 'left out at the end',
}

/** What a person has to see of how a source was read: the lines that were left out. */
export function readingLines({ reading }: Source): string[] {
  return partsOf(reading['leftOut']).flatMap(([place, lines]) =>
    (Array.isArray(lines) ? lines : []).map((line) => `  ${PLACES[place] ?? place}: ${String(line)}`),
  )
}
