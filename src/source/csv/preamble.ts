import type { LayoutOptions } from '../options.js'
import type { TableEvidence } from '../table.js'
import { DELIMITERS, splitLine } from './delimiter.js'

const SEARCHED_LINES = 60

/** The header is where most names are known; failing that, the first line as wide as most lines are. */
export function guessPreamble(
  head: string,
  { skipLines, delimiter: declared }: LayoutOptions,
  isKnown: (name: string) => boolean,
): TableEvidence['preamble'] {
  if (skipLines > 0) return { lines: skipLines, evidence: 'declared' }
  const lines = head.split(/\r\n|\n|\r/, SEARCHED_LINES)
  const delimiters = declared === undefined ? Object.values(DELIMITERS) : [DELIMITERS[declared]]
  const known = lines.map((line) =>
    Math.max(...delimiters.map((delimiter) => splitLine(line, delimiter).filter(isKnown).length)),
  )
  const most = Math.max(...known)
  if (most >= 2)
    return {
      lines: known.indexOf(most),
      evidence: `line ${known.indexOf(most) + 1} holds ${most} known column names`,
    }
  const widths = lines.map((line) =>
    Math.max(...delimiters.map((delimiter) => splitLine(line, delimiter).length)),
  )
  const first = widths.indexOf(mostFrequent(widths.filter((width) => width > 1)))
  return {
    lines: Math.max(0, first),
    evidence: `line ${Math.max(0, first) + 1} is the first as wide as most lines`,
  }
}

function mostFrequent(values: readonly number[]): number {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 0
}
