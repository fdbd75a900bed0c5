import { findName, plural } from '../../domain/text/text.js'
import { showValue } from '../../domain/rule/verdict.js'
import { findHeader } from '../csv/csv.js'
import { isBlankRecord } from '../csv/records.js'
import { hasTwoRowNumbers, isResultHeader, readHeader } from '../columns/header.js'
import { piecesOf } from '../bytes/text.js'
import { refuse } from '../refusal.js'
import type { InputFormat, RawRecord, TableEnd, TableOptions } from '../table.js'
import { columnLetters, readRows, type SheetFacts, type SheetRow } from './sheet.js'
import { openWorkbook, type Sheet, type Workbook } from './workbook.js'

/** One sheet of an Excel workbook. Its lines are the numbers of its rows, and its cells keep their types. */
export const XLSX: InputFormat = {
  name: 'an Excel workbook (.xlsx)',
  recognises: (start) => {
    const text = Buffer.from(start.subarray(0, 65_536)).toString('latin1')
    return text.startsWith('PK\u0003\u0004') && /\[Content_Types\]\.xml|_rels\/|xl\//.test(text)
  },
  open: async (bytes, options) => {
    const { limits, seeksHeader, isKnown } = options
    const workbook = await openWorkbook(bytes, limits)
    const { label, end } = workbook
    const sheet = await chooseSheet(workbook, options)
    const survey = await surveySheet(workbook, sheet, options)
    const { head, lastRow, isOwn } = survey
    // What is declared of the export does not hold for a list of ours.
    const layout = isOwn ? OWN_LAYOUT : options.layout
    const { hidden: decided, skipFooterLines } = layout
    const preamble =
      seeksHeader === true && layout.skipLines === 0 && head.length > 0
        ? findHeader(
            head.map(({ cells }) => cells.filter(isKnown).length),
            head.map(({ cells }) => cells.length),
            (index) => head[index]?.line ?? 1,
          )
        : { lines: layout.skipLines, evidence: 'declared' }
    const top = head.find(({ line }) => line > preamble.lines)
    if (top === undefined)
      throw refuse(label, 'FILE_EMPTY', `its sheet "${showValue(sheet.name)}" has no header row`)
    const headerLine = top.line
    const hidden = hiddenText(survey, top)
    if (hidden !== null && decided === undefined && seeksHeader !== true)
      throw refuse(label, 'FILE_HIDDEN', `in its sheet "${showValue(sheet.name)}" ${hidden}`)
    refuseUnsound(label, sheet, survey, headerLine)
    const seen = (cells: string[]): string[] =>
      decided === 'skip' ? cells.map((cell, at) => (isIn(survey.hiddenColumns, at) ? '' : cell)) : cells
    const headerCells = withoutEmptyEnd(seen(top.cells))
    if (hasTwoRowNumbers(headerCells))
      throw refuse(label, 'FILE_HEADER_DUPLICATE', 'it has the column migration_row twice', {
        line: headerLine,
      })

    async function* readTable(signal: AbortSignal | undefined): AsyncGenerator<RawRecord[], TableEnd> {
      const footer: string[] = []
      let rows = 0
      for await (const batch of readRows(workbook, sheet, limits, { signal })) {
        const kept: RawRecord[] = []
        for (const { line, cells: read, isHidden, unvalued } of batch) {
          if (line <= headerLine) continue
          rows += 1
          if (isHidden && decided === 'skip') continue
          const cells = padded(withoutEmptyEnd(seen(read)), headerCells.length)
          if (line > lastRow - skipFooterLines) footer.push(lineOf(cells))
          else if (unvalued !== undefined || !isBlankRecord(cells))
            kept.push(unvalued === undefined ? { line, cells } : { line, cells, unvalued })
        }
        yield kept
      }
      const blankLines = lastRow - headerLine - rows
      return { ...end, blankLines, lines: lastRow, footer: footer.join('\n') }
    }

    return {
      name: bytes.name,
      label,
      sha256: end.sha256,
      header: readHeader(headerCells),
      headerCells,
      headerLine,
      isResultFile: isOwn,
      written: {
        sheet: sheet.name,
        ...(hidden === null || decided === undefined ? {} : { hidden: { what: hidden, decided } }),
        skipLines: preamble.lines,
        skipFooterLines,
      },
      evidence: { preamble, ...(hidden === null ? {} : { hidden }) },
      assumed: formulasOf(survey),
      preamble: head
        .filter(({ line }) => line < headerLine)
        .map(({ cells }) => lineOf(cells))
        .join('\n'),
      split: (line) => line.split('\t'),
      cellName: (line, position) => `${columnLetters(position)}${line}`,
      read: (signal) => piecesOf(readTable(signal)),
    }
  },
}

const OWN_LAYOUT = { skipLines: 0, skipFooterLines: 0, hidden: 'read' } as const

const lineOf = (cells: readonly string[]): string => cells.map((cell) => cell.replace(/\s+/g, ' ')).join('\t')

const padded = (cells: string[], width: number): string[] =>
  cells.length < width ? [...cells, ...Array<string>(width - cells.length).fill('')] : cells

function withoutEmptyEnd(cells: string[]): string[] {
  const end = cells.findLastIndex((cell) => cell !== '') + 1
  return end === cells.length ? cells : cells.slice(0, end)
}

const isIn = (ranges: SheetFacts['hiddenColumns'], position: number): boolean =>
  ranges.some(([from, to]) => position >= from && position <= to)

/** The sheet that is named, or the only one with anything in it. @throws {SourceError} FILE_SHEET_UNCLEAR or FILE_EMPTY */
async function chooseSheet(workbook: Workbook, { layout, limits }: TableOptions): Promise<Sheet> {
  const { label, sheets } = workbook
  const shown = (some: readonly Sheet[]): string =>
    some.map(({ name, isHidden }) => `"${showValue(name)}"${isHidden ? ' (hidden)' : ''}`).join(', ')
  if (layout.sheet !== undefined) {
    const named =
      sheets[
        findName(
          sheets.map(({ name }) => name),
          layout.sheet,
        ) ?? -1
      ]
    if (named !== undefined) return named
    throw refuse(label, 'FILE_SHEET_UNCLEAR', `it has no sheet "${layout.sheet}"; it has ${shown(sheets)}`)
  }
  const filled: Sheet[] = []
  for (const sheet of sheets) if (await hasRows(workbook, sheet, limits)) filled.push(sheet)
  const [first, ...others] = filled
  if (first === undefined) throw refuse(label, 'FILE_EMPTY', 'none of its sheets has anything in it')
  if (others.length === 0) return first
  throw refuse(label, 'FILE_SHEET_UNCLEAR', `it has ${filled.length} sheets with data: ${shown(filled)}`)
}

async function hasRows(workbook: Workbook, sheet: Sheet, limits: TableOptions['limits']): Promise<boolean> {
  for await (const batch of readRows(workbook, sheet, limits)) if (batch.length > 0) return true
  return false
}

/** Rows that are looked at for the header. */
const HEAD_ROWS = 60
const MOST_SHOWN = 5

type Survey = Awaited<ReturnType<typeof surveySheet>>

/** One look at all of a sheet, before any of it is believed. */
async function surveySheet(workbook: Workbook, sheet: Sheet, { layout, limits }: TableOptions) {
  const facts: SheetFacts = { hiddenColumns: [], merged: [], isFiltered: false }
  const head: SheetRow[] = []
  const filled = new Set<number>()
  const errors: string[] = []
  const counts = { hiddenRows: 0, errors: 0, formulas: 0 }
  let lastRow = 0
  let isOwn = false
  for await (const batch of readRows(workbook, sheet, limits, { facts }))
    for (const row of batch) {
      const { line, cells, formulas, isHidden } = row
      if (lastRow === 0) isOwn = isResultHeader(cells)
      lastRow = line
      if (head.length < HEAD_ROWS || line <= layout.skipLines + HEAD_ROWS) head.push(row)
      if (isHidden) counts.hiddenRows += 1
      if (isHidden && layout.hidden === 'skip' && !isOwn) continue
      counts.formulas += formulas.length
      cells.forEach((cell, at) => cell !== '' && filled.add(at))
      counts.errors += row.errors.length
      for (const at of row.errors) if (errors.length < MOST_SHOWN) errors.push(`${columnLetters(at)}${line}`)
    }
  return { ...facts, isOwn, head, lastRow, filled, counts, errorCells: errors }
}

/** What of the table a person does not see; null where that is nothing. */
function hiddenText(
  { counts, head, hiddenColumns, filled, isFiltered }: Survey,
  top: SheetRow,
): string | null {
  const before = head.filter(({ isHidden, line }) => isHidden && line <= top.line).length
  const rows = counts.hiddenRows - before
  const columns = [...filled].filter((at) => isIn(hiddenColumns, at)).length
  const parts = [
    ...(rows === 0 ? [] : [plural(rows, 'row', 'rows')]),
    ...(columns === 0 ? [] : [plural(columns, 'column', 'columns')]),
  ]
  if (parts.length === 0) return null
  const verb = rows + columns === 1 ? 'is' : 'are'
  return `${parts.join(' and ')} ${verb} hidden${rows > 0 && isFiltered ? ' (a filter is on)' : ''}`
}

/** Errors and merged cells leave values out that a person would look for. @throws {SourceError} FILE_FORMAT */
function refuseUnsound(
  label: string,
  sheet: Sheet,
  { merged, counts, errorCells }: Survey,
  top: number,
): void {
  const inSheet = `its sheet "${showValue(sheet.name)}"`
  if (counts.errors > 0)
    throw refuse(
      label,
      'FILE_FORMAT',
      `${inSheet} has ${plural(counts.errors, 'cell', 'cells')} with an error such as #REF! or #N/A: ${listed(errorCells, counts.errors)}`,
      { next: 'Correct them in the spreadsheet, save it and give it again.' },
    )
  const across = merged.filter(({ lastRow }) => lastRow > top)
  if (across.length === 0) return
  const refs = across.slice(0, MOST_SHOWN).map(({ ref }) => ref)
  throw refuse(
    label,
    'FILE_FORMAT',
    `${inSheet} has merged cells below its header: ${listed(refs, across.length)}`,
    {
      next: 'Unmerge them, fill in each cell, save it and give it again.',
    },
  )
}

const listed = (some: readonly string[], all: number): string =>
  `${some.join(', ')}${all > some.length ? ` and ${all - some.length} more` : ''}`

const formulasOf = ({ counts: { formulas } }: Survey) =>
  formulas === 0
    ? []
    : [
        {
          rule: 'FILE_FORMULAS' as const,
          value: `${formulas}`,
          detail: `There ${formulas === 1 ? 'is' : 'are'} ${formulas}.`,
        },
      ]
