import type { SeverityOverrides } from '../../domain/rule/rules.js'
import type { Finding } from '../../domain/rule/verdict.js'
import { findingOf } from '../source-finding.js'

/** What neither of the next two says anything of. */
const PLAIN = /^[ -~]*$/

/** U+FFFD, or the start of a UTF-8 character that was read byte by byte, such as `Ã¼`. */
const MOJIBAKE = /\uFFFD|[ÃÂ][\u0080-\u00BF]/

/** Control characters other than tab and line ends. */
const CONTROL = /(?![\t\r\n])\p{Cc}/u

export interface DamageWatch {
  readonly note: (line: number, cells: readonly string[]) => void
  readonly findings: (names: readonly string[], severities: SeverityOverrides) => readonly Finding[]
  /** Cells with control characters, mapped or not. */
  readonly controlCells: () => number
}

/**
 * Looks at every cell, also those that feed no field. In the cells that are sent, such characters break the rules of
 * their field; in the others they only show how well the file was decoded.
 */
export function watchDamage(): DamageWatch {
  let cellsSeen = 0
  let controlCells = 0
  let first: { line: number; column: number; cell: string } | null = null
  return {
    note: (line, cells) => {
      for (let column = 0; column < cells.length; column += 1) {
        const cell = cells[column] ?? ''
        if (PLAIN.test(cell)) continue
        if (CONTROL.test(cell)) controlCells += 1
        if (!MOJIBAKE.test(cell)) continue
        cellsSeen += 1
        first ??= { line, column, cell }
      }
    },
    findings: (names, severities) => {
      if (first === null) return []
      const detail = `${cellsSeen} cells show it, the first in line ${first.line}, column "${names[first.column] ?? ''}".`
      return findingOf('FILE_MOJIBAKE', severities, { value: first.cell, detail })
    },
    controlCells: () => controlCells,
  }
}
