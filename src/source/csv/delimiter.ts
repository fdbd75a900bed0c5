import { refuse } from '../refusal.js'

/** The separators a source may have, by the spellings of the configuration. */
export const DELIMITERS = { ',': ',', ';': ';', '\t': '\t', '|': '|', tab: '\t' } as const
export type DelimiterName = keyof typeof DELIMITERS

const CANDIDATES = [',', ';', '\t', '|'] as const
export type Delimiter = (typeof CANDIDATES)[number]

export interface DelimiterChoice {
  readonly delimiter: Delimiter
  readonly by: 'declared' | 'sep= line' | 'header line'
}

const SEP_LINE = /^\s*"?sep=([,;|\t])"?\s*$/i

/** The separator that a spreadsheet's `sep=;` line names, or null for any other line. */
export const readSepLine = (line: string): Delimiter | null =>
  CANDIDATES.find((delimiter) => delimiter === SEP_LINE.exec(line)?.[1]) ?? null

/**
 * Decides by the header line: the one separator outside quotes or, of several, the one that gives the most column
 * names that `isKnown` recognises. @throws {SourceError} FILE_DELIMITER
 */
export function detectDelimiter(
  source: string,
  headerLine: string,
  line: number,
  isKnown: (name: string) => boolean,
): Delimiter {
  const plausible = CANDIDATES.map((delimiter) => ({ delimiter, names: splitLine(headerLine, delimiter) }))
    .filter(({ names }) => names.length > 1)
    .map(({ delimiter, names }) => ({ delimiter, known: names.filter(isKnown).length }))
  if (headerLine === '') throw refuse(source, 'FILE_EMPTY', 'it has no header line')
  const [first] = plausible
  if (first === undefined)
    throw refuse(source, 'FILE_DELIMITER', `its header line ${line} has no comma, semicolon, tab or pipe`, {
      line,
      next: 'Declare source.delimiter, and source.skipLines if the header is not on this line.',
    })
  if (plausible.length === 1) return first.delimiter
  const most = Math.max(...plausible.map(({ known }) => known))
  const best = plausible.filter(({ known }) => known === most)
  const [winner] = best
  if (winner !== undefined && best.length === 1) return winner.delimiter
  throw refuse(source, 'FILE_DELIMITER', `its header line ${line} can be split in several ways`, { line })
}

/** Splits one line outside quotes, for a look ahead of the real parser; cells keep their blanks. */
export function splitLine(line: string, delimiter: string): string[] {
  const cells: string[] = []
  for (let start = 0; start <= line.length;) {
    const end = endOutsideQuotes(line, start, delimiter)
    cells.push(line.slice(start, end).replaceAll('"', ''))
    start = end + 1
  }
  return cells
}

/** The offset of the first of these characters outside quotes, from `start` on, or the end of the text. */
export function endOutsideQuotes(text: string, start: number, characters: string): number {
  let isQuoted = false
  for (let at = start; at < text.length; at += 1) {
    const character = text.charAt(at)
    if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && characters.includes(character)) return at
  }
  return text.length
}
