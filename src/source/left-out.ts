import { fold, cleanCell, said } from '../domain/text/text.js'
import type { MappedColumn } from './columns/mapping.js'
import { isNull, isPlainStart, isRuleLine, judgeHeaders } from '../domain/text/no-record.js'
import {
  type Finding,
  findingOf,
  showValue,
  type SeverityOverrides,
  type SourceReading,
} from '../domain/rule/verdict.js'
import { isHeading, usualMeaning } from './columns/header.js'
import { piecesOf, type Pieces } from './bytes/text.js'
import { refuse } from './refusal.js'
import type { NoRecords, RawRecord, Table, TableEnd } from './table.js'
import { holdsIban } from '../domain/text/masking.js'
import totals from './totals.json' with { type: 'json' }

/** Words that totals begin with, and what they count; folded. */
const BEGINNINGS: ReadonlySet<string> = new Set(totals.beginnings.split(' '))
const ALL_WORDS: ReadonlySet<string> = new Set([...BEGINNINGS, ...totals.counted.split(' ')])

const FIGURE = /^[0-9][0-9.,' ]{0,14}$/
const AMOUNTS: ReadonlySet<string> = new Set('eur euro chf sek dkk pln gbp'.split(' '))

/** `25`, `25 mandati`, `1.250,00 EUR`: a figure, and at most a word of what it counts. */
function isFigure(cell: string): boolean {
  const [word, ...others] = cell.match(/[\p{L}\p{M}]+/gu) ?? []
  if (others.length > 0) return false
  const isNamed = word === undefined || ALL_WORDS.has(fold(word)) || AMOUNTS.has(fold(word))
  const figure = cell.replace(word ?? '', '').replace('€', '')
  return isNamed && FIGURE.test(figure.trim())
}

/** So many lines of totals may stand at the end. */
export const MOST_TOTALS = 8

/** A record with no more in these than the word and one figure could be no mandate. */
const TELLING = ['iban', 'unique_mandate_reference', 'signed_date', 'sepa_creditor_identifier'] as const

/**
 * True for a record such as `Summe;;;;20000`: its first cell that holds something says that totals follow, in words
 * of totals alone, and of account, reference, date and creditor no more than one is filled, by a figure that may say what it counts.
 */
export function isBareTotals(
  cells: readonly string[],
  fields: readonly Pick<MappedColumn, 'field' | 'position'>[],
): boolean {
  const first = cells.findIndex((cell) => cell.trim() !== '')
  const told = fields
    .filter(({ field, position }) => position !== first && TELLING.some((telling) => telling === field))
    .map(({ position }) => (cells[position] ?? '').trim())
    .filter((cell) => cell !== '')
  if (told.length > 1 || !told.every(isFigure)) return false
  const words = (cells[first] ?? '').match(/[\p{L}\p{M}]+/gu)?.map(fold) ?? []
  const [beginning] = words
  return beginning !== undefined && BEGINNINGS.has(beginning) && words.every((word) => ALL_WORDS.has(word))
}

/** What a totals line of an export says, in the languages of the exports. */

const word = (texts: readonly string[]): string => String.raw`(?<!\p{L})(?:${texts.join('|')})(?!\p{L})`

const TOTALS_LINE = new RegExp(
  `${word([...totals.count, ...totals.records, ...totals.other, ...totals.made])}|^[*=-]{3}`,
  'iu',
)
const NUMBER = String.raw`\d(?:[\d.,'’\u00a0\u202f ]{0,24}\d)?`
// From the word to its number: at most into the next cell.
const BEHIND_WORD = new RegExp(
  String.raw`${word(totals.count)}([^\d;]{0,60};?[^\d;]{0,20})(${NUMBER})([^\d;]{0,8})`,
  'giu',
)
const NAMED = new RegExp(String.raw`${word(totals.records)}(\s*[:=;]\s*)(${NUMBER})([^\d;]{0,8})`, 'giu')
const BEFORE_WORD = new RegExp(String.raw`()(?<![\d.,'’])(${NUMBER})(\s*)${word(totals.records)}`, 'giu')
const OF_MONEY = new RegExp(`${word(totals.money)}|€`, 'iu')
const DATE = /\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d{1,2}:\d{2}(?::\d{2})?/g
const GROUPED = /^\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+$/

const ROWS_SAID = new RegExp(
  String.raw`^(\d+)\s*(?:${totals.records.join('|')}|row|record|zeile)(?!\p{L})`,
  'iu',
)

/**
 * The number of rows that a database writes behind them: `(3 rows affected)`, `(2 Zeilen)` in brackets whatever the
 * language, `3 rows selected.` in words of rows. Null for any other cell.
 */
function rowsSaid(cell: string): number | null {
  const [, inner = ''] = /^\((.{3,60})\)$/.exec(cell.trim()) ?? []
  const said = inner.replace(/\([^()]*\)/g, '')
  const numbers = said.match(/\d+/g) ?? []
  if (numbers.length === 1 && /\p{L}/u.test(said)) return Number(numbers[0])
  const [, number] = ROWS_SAID.exec(cell) ?? []
  return number === undefined ? null : Number(number)
}

const PAGES = word(totals.pages)
const PAGE = new RegExp(
  String.raw`^(?:.{0,99}?(?:${DATE.source}).{0,99}?)?[^\p{L}\d]*(?:${PAGES}[^\p{L}\d]*\d{1,4}(?!\d)|\d{1,4}\W*${PAGES})|^[-–] ?\d{1,4} ?[-–]$`,
  'iu',
)

/** `Page 2 of 7`, `Stand: 25.11.2026;;;Seite 2`: a page is numbered, and no other number stands beside it but a day. */
const isPageBreak = (cells: readonly string[]): boolean =>
  cells.some((cell) => PAGE.test(cell)) &&
  cells.every((cell) => !(PAGE.test(cell) ? /\d{5}/ : /\d{3}/).test(cell.replaceAll(DATE, '')))

/** A line that sums up, or ends, or dates the export: its first filled cell says so. */
export const isTotalsLine = (cells: readonly string[]): boolean =>
  TOTALS_LINE.test(cells.find((cell) => cell !== '') ?? '')

/** The whole numbers that a line calls a count; none of sums of money and dates. */
function statedCounts(cells: readonly string[]): readonly number[] {
  const text = cells.map((cell) => cell.replaceAll(';', ' ').replaceAll(DATE, ' ')).join(';')
  const found = [BEHIND_WORD, NAMED, BEFORE_WORD].flatMap((pattern) => [...text.matchAll(pattern)])
  return found.flatMap(([, before = '', number = '', after = '']) => {
    if (OF_MONEY.test(before) || OF_MONEY.test(after)) return []
    if (/^\d+$/.test(number)) return [Number(number)]
    return GROUPED.test(number) ? [Number(number.replaceAll(/\D/g, ''))] : []
  })
}

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
  const above = new Set(linesOf(preamble).map((line) => filledIn(split(line)).join('\n')))
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

const MOST_TOLD = 5

function linesText(lines: readonly number[], one: string, several: string): string | false {
  if (lines.length <= 1) return lines.length === 1 && `Line ${lines.join()} ${one}.`
  const more = lines.length > MOST_TOLD ? ` and ${lines.length - MOST_TOLD} more` : ''
  return `Lines ${lines.slice(0, MOST_TOLD).join(', ')}${more} ${several}.`
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
      : findingOf('FILE_LINES_LEFT_OUT', severities, { detail: told.slice(0, MOST_TOLD).join(' ') })),
  ]
}

const MOST_SHOWN = 20

const linesOf = (text: string): string[] => text.split(/[\r\n]+/).filter((line) => line.trim() !== '')

/** What was left out, as a report may show it: accounts masked, capped; empty where nothing was. */
export function showLeftOut(preamble: string, footer: string): NonNullable<SourceReading['leftOut']> {
  const shown = { beforeHeader: showLines(preamble), atEnd: showLines(footer) }
  return Object.fromEntries(Object.entries(shown).filter(([, lines]) => lines.length > 0))
}

function showLines(text: string): string[] {
  const lines = linesOf(text)
  const shown = lines.slice(0, MOST_SHOWN).map((line) => showValue(line.trim()))
  return lines.length > MOST_SHOWN ? [...shown, `and ${lines.length - MOST_SHOWN} more`] : shown
}

const isToken = (cell: string): boolean => /^(?=\D*\d)\S*$/.test(cell)
const isAccount = (cell: string): boolean => /^\p{L}{2}\s?\d\d/u.test(cell) && holdsIban(cell)

/** A mandate may have any mistake, so a footer line has to look like a footer to be left out. */
function couldBeRow(cells: readonly string[], keys: readonly string[], account: string): boolean {
  if (cells.some(isAccount)) return true
  const filled = keys.length + (account === '' ? 0 : 1)
  if (isTotalsLine(cells)) return filled > 2
  return filled > 1 || keys.some(isToken) || /\d/.test(account)
}

/** A preamble may name the creditor's own account, so there a row shows by two of its values. */
const couldBeEarlyRow: typeof couldBeRow = (_, keys, account) =>
  keys.filter(isToken).length + (isAccount(account) || /\d{5}/.test(account) ? 1 : 0) > 1

interface LeftOut extends Pick<Table, 'preamble' | 'split'> {
  /** Of the configuration, where it says what is left out. */
  readonly section: string
  readonly footer: string
  /** Positions of customer number (or old key), reference and account; of a crosswalk, of its two columns. */
  readonly keys: readonly number[]
  readonly account: number | null
}

/** What speaks against leaving those lines out before the header and behind the last record. */
export function leftOutFindings(
  { section, preamble, footer, split, keys, account }: LeftOut,
  records: number,
  severities: SeverityOverrides,
): readonly Finding[] {
  const judged = (text: string, key: string, isLost: typeof couldBeRow) =>
    linesOf(text).map((line) => {
      const cells = split(line).map(cleanCell)
      const at = (position: number | null): string => cells[position ?? -1] ?? ''
      const detail = `${section}.${key} leaves out "${showValue(line)}".`
      const filled = keys.map(at).filter((cell) => cell !== '')
      const isRow = isLost(cells, filled, at(account))
      return { cells, lost: isRow ? findingOf('FILE_ROW_LEFT_OUT', severities, { value: line, detail }) : [] }
    })
  const lines = [
    ...judged(preamble, 'skipLines', couldBeEarlyRow),
    ...judged(footer, 'skipFooterLines', couldBeRow),
  ]
  return [
    ...lines.flatMap(({ lost }) => lost),
    ...lines.flatMap(({ cells }) => countFindings(cells, records, severities)),
  ]
}

/** A count that the file states of itself, against the records that were read. */
export function countFindings(
  cells: readonly string[],
  records: number,
  severities: SeverityOverrides,
): readonly Finding[] {
  const stated = statedCounts(cells)
  if (stated.length === 0 || stated.includes(records)) return []
  const value = cells.filter((cell) => cell !== '').join(' ')
  const detail = `It says "${showValue(value)}", and ${records} records were read.`
  return findingOf('FILE_COUNT_MISMATCH', severities, { value, detail })
}
