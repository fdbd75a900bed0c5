import { isNull, isPlainStart, isRuleLine, judgeHeaders } from '../domain/text/no-record.js'
import { cleanCell, said } from '../domain/text/text.js'
import { type Finding, findingOf, showValue, type SeverityOverrides } from '../domain/rule/verdict.js'
import { isHeading, usualMeaning } from './columns/header.js'
import { piecesOf, type Pieces } from './bytes/text.js'
import { isPageBreak, rowsSaid } from './csv/totals.js'
import { refuse } from './refusal.js'
import type { NoRecords, RawRecord, Table, TableEnd } from './table.js'

/** A table whose records are records: what is none is left out and told, and what says "nothing" is empty. */
export const withoutNoRecords = (table: Table): Table => ({
  ...table,
  read: (signal) => piecesOf(judge(table, table.read(signal))),
})

async function* judge(
  { label, header: names, headerCells, preamble, split }: Table,
  batches: Pieces<RawRecord[], TableEnd>,
): AsyncGenerator<RawRecord[], TableEnd> {
  const noRecords: NoRecords = { lines: { rule: [], header: [], page: [] }, counts: [] }
  const headerOf = judgeHeaders(headerCells, usualMeaning)
  const filledIn = (cells: readonly string[]): string[] => cells.map(cleanCell).filter((cell) => cell !== '')
  const above = new Set(preamble.split(/[\r\n]+/).map((line) => filledIn(split(line)).join('\n')))
  let records = 0
  let sinceCount = 0

  function isRecord({ line, cells, isClean }: RawRecord): boolean {
    if (isHeading(names, cells)) return false
    const isLeftOutAs = (what: keyof NoRecords['lines']): boolean => noRecords.lines[what].push(line) > 0
    let filled = 0
    for (const cell of cells) if (cell !== '') filled += 1
    const first = cells[0] === '' ? (cells.find((cell) => cell !== '') ?? '') : (cells[0] ?? '')
    if (!isPlainStart(first.charCodeAt(0)) && isRuleLine(cells)) return !isLeftOutAs('rule')
    const header = headerOf(cells)
    if (header === 'same') return !isLeftOutAs('header')
    if (header === 'other') {
      const what = `its line ${line} is a second header, with other columns or another order`
      throw refuse(label, 'FILE_HEADER_SECOND', what, { line })
    }
    if (filled > 0 && headerCells.length > 1 && filled * 2 <= headerCells.length) {
      const few = filledIn(cells)
      if (isPageBreak(few) || above.has(few.join('\n'))) return !isLeftOutAs('page')
      const count = few.length === 1 ? rowsSaid(first) : null
      if (count !== null) {
        const isRight = count === sinceCount || count === records
        noRecords.counts.push({ line, text: showValue(cleanCell(first)), isRight, records: sinceCount })
        sinceCount = 0
        return false
      }
    }
    records += 1
    sinceCount += 1
    if (isClean !== true)
      for (let at = 0; at < cells.length; at += 1) if (isNull(cells[at] ?? '')) cells[at] = ''
    return true
  }

  for await (const batch of batches) yield batch.filter(isRecord)
  return { ...batches.end(), noRecords }
}

const MOST_SHOWN = 5

function linesText(lines: readonly number[], one: string, several: string): string | false {
  if (lines.length <= 1) return lines.length === 1 && `Line ${lines.join()} ${one}.`
  const more = lines.length > MOST_SHOWN ? ` and ${lines.length - MOST_SHOWN} more` : ''
  return `Lines ${lines.slice(0, MOST_SHOWN).join(', ')}${more} ${several}.`
}

/** What is told of the lines that were left out, and where one states another count than was read. */
export function noRecordFindings(
  { lines, counts }: NoRecords,
  severities: SeverityOverrides,
): readonly Finding[] {
  const told = said([
    linesText(lines.rule, 'rules off the table', 'rule off the table'),
    linesText(lines.header, 'repeats the header', 'repeat the header'),
    linesText(lines.page, 'belongs to a page break', 'belong to page breaks'),
    ...counts.map(({ line, text }) => `Line ${line} says how many rows there are: "${text}".`),
  ])
  return [
    ...counts.flatMap(({ text, records, isRight }) => {
      const detail = `It says "${text}", and ${records} records were read.`
      return isRight ? [] : findingOf('FILE_COUNT_MISMATCH', severities, { value: text, detail })
    }),
    ...(told.length === 0
      ? []
      : findingOf('FILE_LINES_LEFT_OUT', severities, { detail: told.slice(0, MOST_SHOWN).join(' ') })),
  ]
}
