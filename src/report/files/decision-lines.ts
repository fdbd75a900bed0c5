import { createHash } from 'node:crypto'
import type { DecisionRecord } from '../../ledger/read/reader.js'
import { maskedText } from '../page/plain-text.js'
import { BYTE_ORDER_MARK, csvHeader, csvLine, messageCell, neutralCell } from './csv.js'

/** Every decision of the ledger in the order in which it was recorded. */
export const DECISIONS_FILE = 'decisions.csv'

/** What somebody typed, with account numbers masked once more. */
const typedCell = (text: string): string => neutralCell(maskedText(text))

const COLUMNS = [
  ['id', ({ id }) => String(id)],
  ['row', ({ rowId }) => String(rowId)],
  ['attempt', ({ attemptId }) => (attemptId === null ? '' : String(attemptId))],
  ['time', ({ at }) => at],
  ['by', ({ by }) => typedCell(by)],
  ['as', ({ as }) => typedCell(as ?? '')],
  ['decision', ({ decision }) => decision],
  ['from', ({ from }) => from],
  ['to', ({ to }) => to],
  ['reason', ({ reason }) => typedCell(reason)],
  ['evidence', ({ evidence }) => messageCell(evidence ?? '')],
] as const satisfies readonly (readonly [name: string, cell: (decision: DecisionRecord) => string])[]

/** In the order of the hash; `hash` stands behind them. */
const DECISION_COLUMN_NAMES = COLUMNS.map(([name]) => name)

/** All of decisions.csv. */
export const DECISION_FILE_COLUMNS = [...DECISION_COLUMN_NAMES, 'hash'] as const

/** The cells of a decision as they stand in the file, under `DECISION_COLUMN_NAMES`. */
const decisionCells = (decision: DecisionRecord): readonly string[] =>
  COLUMNS.map(([, cell]) => cell(decision))

/** How many decisions a chain has, and the hash of the last one: 64 hexadecimal digits. */
export interface ChainEnd {
  readonly count: number
  readonly head: string
}

/** SHA-256 of the JSON array of these texts without blanks, as UTF-8. */
const hashOf = (texts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(texts)).digest('hex')

/** The first decision stands behind the ledger: a chain of another ledger is another chain. */
const chainStart = (ledgerId: string): string => hashOf([ledgerId])

/**
 * Each decision is hashed with the hash of the one before it, so that none can go, change or move without changing all
 * behind it.
 */
const chainLink = (before: string, cells: readonly string[]): string => hashOf([before, ...cells])

export interface DecisionLines {
  /** The line of the next decision. */
  readonly next: (decision: DecisionRecord) => string
  readonly end: () => ChainEnd
}

export const decisionHeader = (): string => BYTE_ORDER_MARK + csvHeader(DECISION_FILE_COLUMNS)

export function decisionLines(ledgerId: string): DecisionLines {
  let count = 0
  let head = chainStart(ledgerId)
  return {
    next: (decision) => {
      const cells = decisionCells(decision)
      count += 1
      head = chainLink(head, cells)
      return csvLine([...cells, head])
    },
    end: () => ({ count, head }),
  }
}
