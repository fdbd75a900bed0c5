import { type ByteSource, type Pieces, piecesOf, type ReadEnd } from './bytes/input.js'
import { type Header, readHeader, isHeading, usualMeaning } from './columns/header.js'
import type { LayoutOptions, LimitOptions } from './options.js'
import { refuse } from '../errors.js'
import type { Amendment, Field } from '../domain/mandate/mandate.js'
import {
  type LayoutReading,
  type RuleId,
  type Finding,
  findingOf,
  ruleOf,
  showValue,
  type SeverityOverrides,
  type SourceReading,
} from '../domain/rule/verdict.js'
import { cleanCell, firstOf, said, fold } from '../domain/text/text.js'
import { holdsIban } from '../domain/text/accounts.js'
import totals from './totals.json' with { type: 'json' }

/** One record as it stands in the file. */
export interface RawRecord {
  /** Physical line on which it begins, from 1; of a format without lines, its place in the file. */
  readonly line: number
  readonly cells: string[]
  /** The text ended within it: it has no line end. */
  readonly isOpen?: boolean
  /** It stands in a piece of text without signs of damage and without words for nothing; what is not told may have both. */
  readonly isClean?: boolean
  /** Positions of formulas that nobody computed, from 0. */
  readonly uncomputed?: readonly number[]
}

/** A source whose header was found, in whatever format: an export, a crosswalk, a list, decisions of a person. */
export interface Table {
  readonly name: string
  /** The name that messages show. */
  readonly label: string
  /** Hash of the file as given; null for a stream until it was read. */
  readonly sha256: string | null
  readonly header: Header
  /** The cells of the header record, those of our own columns too. */
  readonly headerCells: readonly string[]
  /** Physical line on which the header begins. */
  readonly headerLine: number
  /** One of this program's own result files: what the configuration says of the export does not hold for it. */
  readonly isResultFile: boolean
  /** Of a workbook of ours, all sheets with anything in them: those to decide in have columns of their own. */
  readonly sheets?: readonly string[]
  /** How it is written, as reports are told; a format leaves out what it does not have. */
  readonly written: Pick<
    LayoutReading,
    'encoding' | 'delimiter' | 'sheet' | 'hidden' | 'collections' | 'skipLines' | 'skipFooterLines'
  >
  /** Why that is believed, for `inspect`. */
  readonly evidence: TableEvidence
  /** What had to be assumed in order to read it. */
  readonly assumed: readonly { readonly rule: RuleId; readonly value: string; readonly detail: string }[]
  /** The lines before the header as they stand; empty where the format has none. */
  readonly preamble: string
  /** The cells of a line that was left out before the header or at the end. */
  readonly split: (line: string) => readonly string[]
  /**
   * What people call a cell, such as `B17`, where the format has names for them. Its cells have types then: a day stands
   * there as `YYYY-MM-DD`, whatever the format of its column.
   */
  readonly cellName?: (line: number, position: number) => string
  /** Of records that are read again: what the whole column decided, of which not all may be left. */
  readonly decidedFormats?: LayoutReading['dateFormats']
  /** Of a format that knows no customer numbers, what to do and the line to write, so that a crosswalk tells them. */
  readonly withoutCustomers?: string
  /** Mandates of collections that had another key before. */
  readonly amendments?: readonly Amendment[]
  /** Records in batches, without preamble, header, blank lines and footer; of a stream only once. */
  readonly read: (signal?: AbortSignal) => Pieces<RawRecord[], TableEnd>
}

type Named = Pick<Table, 'name' | 'label' | 'sha256' | 'headerCells'>

/** A table as a format gives it: what it does not have is left out. */
export interface FormatTable extends Named, Partial<Omit<Table, keyof Named | 'read'>> {
  readonly read: (signal?: AbortSignal) => AsyncGenerator<RawRecord[], TableEnd>
}

export const tableOf = ({ read, ...given }: FormatTable): Table => ({
  header: readHeader(given.headerCells),
  headerLine: 1,
  ...{ isResultFile: false, written: {}, assumed: [], preamble: '', split: (line) => [line] },
  evidence: { preamble: { lines: 0, evidence: 'none' } },
  ...given,
  read: (signal) => piecesOf(read(signal)),
})

interface TableEvidence {
  readonly sheet?: string
  /** Rows and columns that a person does not see. */
  readonly hidden?: string
  /** Lines before the header, and why it is believed to be where it is. */
  readonly preamble: { readonly lines: number; readonly evidence: string }
}

/** Lines among the records that are none. */
export interface NoRecords {
  readonly lines: Readonly<Record<'rule' | 'header', number[]>>
  /** Counts that the file states of its rows, and how many were read up to there. */
  readonly counts: { line: number; text: string; isRight: boolean; records: number }[]
}

/** What is known of a table once it was read to its end. */
export interface TableEnd extends ReadEnd {
  /** Lines without any cell. */
  readonly blankLines: number
  /** Physical lines up to the end, a preamble that was cut off included. */
  readonly lines: number
  /** Where the record begins that the text ended within; null where it ended with a line end, and of a format without lines. */
  readonly openLine?: number | null
  /** The lines that `skipFooterLines` left out; empty where the format has none. */
  readonly footer: string
  /** Lines among the records that are none. */
  readonly noRecords?: NoRecords
}

export interface TableOptions {
  readonly layout: LayoutOptions
  readonly limits: LimitOptions
  /** True for a column name that somebody expects in this file. */
  readonly isKnown: (name: string) => boolean
  /** The configuration may not say where the header is: look for it. */
  readonly seeksHeader?: boolean
  /** Our own files repeat what an export holds; where that is not declared, no cell over several lines is in doubt. */
  readonly trustsOwnQuotes?: boolean
}

/** One way in which a source may be written. */
export interface InputFormat {
  /** Whether a source is written so, by its first unpacked bytes: of a file at most 256 KiB, of a stream some 64. */
  readonly recognises: (start: Uint8Array) => boolean
  /**
   * Finds the header and says how records are read. It refuses what it cannot read whole and keeps to `limits`.
   * @throws {SourceError} for a source that cannot be trusted
   */
  readonly open: (
    bytes: ByteSource,
    options: TableOptions,
    signal: AbortSignal | undefined,
  ) => FormatTable | Promise<FormatTable>
}

/**
 * A ragged line of a list or a crosswalk could name the wrong person, as one could whose formula nobody computed.
 * @throws {SourceError} ROW_FIELD_COUNT or ROW_FORMULA_UNCOMPUTED
 */
export function refuseRagged({ label, header }: Table, record: RawRecord, what: string): void {
  const { line, cells, uncomputed } = record
  const refused = (rule: RuleId, has: string): Error => refuse(label, rule, `${what} has ${has}`, { line })
  if (uncomputed !== undefined)
    throw refused('ROW_FORMULA_UNCOMPUTED', 'a formula that no program has computed')
  if (cells.length !== header.width)
    throw refused('ROW_FIELD_COUNT', `${cells.length} columns instead of ${header.width}`)
}

/** What is found of a whole file; nothing where there is no detail. */
export type Report = (rule: RuleId, value: string, detail: string | false) => readonly Finding[]

export const reportWith =
  (severities: SeverityOverrides): Report =>
  (rule, value, detail) =>
    detail === false ? [] : findingOf(rule, severities, { value, detail })

/** What had to be assumed; what a person does not see was read all the same, by the word of the configuration. */
export const assumedFindings = (assumed: Table['assumed'], report: Report): Finding[] =>
  assumed
    .flatMap(({ rule, value, detail }) => report(rule, value, detail))
    .map((found) => (found.rule === 'FILE_HIDDEN' ? { ...found, severity: 'warning' } : found))

/** A broken file rule keeps the whole file back, by default or because the configuration raised it to an error. */
export function refuseByFinding(source: string, findings: readonly Finding[]): void {
  const errors = findings.filter(({ severity }) => severity === 'error')
  const [first] = errors
  if (first === undefined) return
  const rules = [...new Set(errors.map(({ rule }) => rule))]
  const texts = rules.map((rule) => tellAll(rule, errors)).join('; ')
  const isRaised = ruleOf(first.rule).severity !== 'error'
  throw refuse(source, first.rule, `${isRaised ? 'the configuration makes this an error: ' : ''}${texts}`)
}

/** What a rule says, once, and then each thing it says it of. */
function tellAll(rule: RuleId, findings: readonly Finding[]): string {
  const { message: general } = ruleOf(rule)
  const [first = '', ...others] = findings.filter((one) => one.rule === rule).map(({ message }) => message)
  return [first, ...others.map((message) => message.replace(general, '').trim())]
    .map((message) => message.replace(/\.$/, ''))
    .join('. ')
    .concat(` (${rule})`)
}

/** So many lines of totals may stand at the end. */
export const MOST_TOTALS = 8

/** A table whose records are records: what is none is left out and told, and what says "nothing" is empty. */
export const withoutNoRecords = (table: Table): Table => ({
  ...table,
  read: (signal) => piecesOf(judge(table, table.read(signal))),
})

async function* judge(
  { label, header: names, headerCells }: Table,
  batches: Pieces<RawRecord[], TableEnd>,
): AsyncGenerator<RawRecord[], TableEnd> {
  const noRecords: NoRecords = { lines: { rule: [], header: [] }, counts: [] }
  const headerOf = judgeHeaders(headerCells, usualMeaning)
  let records = 0
  let sinceCount = 0
  /** What sums up the rows above it, until it is known whether rows follow; those at the end are judged with the mapping. */
  const sums: { record: RawRecord; isOfAll: boolean; told: NoRecords['counts'][number] }[] = []
  const tellSums = (some: typeof sums): number => noRecords.counts.push(...some.map(({ told }) => told))

  function isRecord(record: RawRecord): boolean {
    const { line, cells, isClean } = record
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
      const few = cells.map(cleanCell).filter((cell) => cell !== '')
      const sum = sumIn(few, records, sinceCount)
      if (sum !== null) {
        const { isOfAll, isRight } = sum
        const told = { line, text: showValue(few.join(' ')), isRight, records: sinceCount }
        sums.push({ record, isOfAll, told })
        sinceCount = 0
        return false
      }
    }
    tellSums(sums.splice(0))
    records += 1
    sinceCount += 1
    if (isClean !== true)
      for (let at = 0; at < cells.length; at += 1) if (isNull(cells[at] ?? '')) cells[at] = ''
    return true
  }

  for await (const batch of batches) yield batch.filter(isRecord)
  tellSums(sums.filter(({ isOfAll }) => !isOfAll))
  yield sums.flatMap(({ record, isOfAll }) => (isOfAll ? record : []))
  return { ...batches.end(), noRecords }
}

const MOST_TOLD = 5

function linesText(lines: readonly number[], one: string, several: string): string | false {
  if (lines.length <= 1) return lines.length === 1 && `Line ${lines.join()} ${one}.`
  return `Lines ${firstOf(lines.map(String), MOST_TOLD)} ${several}.`
}

/** What is told of the lines that were left out, and where one states another count than was read. */
export function noRecordFindings({ lines, counts }: NoRecords, report: Report): readonly Finding[] {
  const told = said([
    linesText(lines.rule, 'rules off the table', 'rule off the table'),
    linesText(lines.header, 'repeats the header', 'repeat the header'),
    ...counts.map(({ line, text }) => `Line ${line} sums up: "${text}".`),
  ])
  return [
    ...counts.flatMap(({ text, records, isRight }) => (isRight ? [] : otherCount(text, records, report))),
    ...report('FILE_LINES_LEFT_OUT', '', told.length > 0 && told.slice(0, MOST_TOLD).join(' ')),
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
  readonly keys: readonly (number | undefined)[]
  readonly account: number | undefined
}

/** What speaks against leaving those lines out before the header and behind the last record. */
export function leftOutFindings(leftOut: LeftOut, records: number, report: Report): readonly Finding[] {
  const { section, preamble, footer, split, keys, account } = leftOut
  const judged = (text: string, key: string, isLost: typeof couldBeRow) =>
    linesOf(text).map((line) => {
      const cells = split(line).map(cleanCell)
      const at = (position = -1): string => cells[position] ?? ''
      const detail = `${section}.${key} leaves out "${showValue(line)}".`
      const filled = keys.map((key) => at(key)).filter((cell) => cell !== '')
      const isRow = isLost(cells, filled, at(account))
      return { cells, lost: report('FILE_ROW_LEFT_OUT', line, isRow && detail) }
    })
  const lines = [
    ...judged(preamble, 'skipLines', couldBeEarlyRow),
    ...judged(footer, 'skipFooterLines', couldBeRow),
  ]
  return [
    ...lines.flatMap(({ lost }) => lost),
    ...lines.flatMap(({ cells }) => countFindings(cells, records, report)),
  ]
}

/** A count that the file states of itself, against the records that were read. */
export function countFindings(cells: readonly string[], records: number, report: Report): readonly Finding[] {
  const stated = statedCounts(cells)
  if (stated.length === 0 || stated.includes(records)) return []
  return otherCount(cells.filter((cell) => cell !== '').join(' '), records, report)
}

const otherCount = (value: string, records: number, report: Report): readonly Finding[] =>
  report('FILE_COUNT_MISMATCH', value, `It says "${showValue(value)}", and ${records} records were read.`)

/** What stands among the records of a table and is none (source/README.md#formats). */

/** Of hyphens, boxes and what tables are ruled with otherwise. */
const RULED = /^[-=_+|*~:\s\u2010-\u2015\u2500-\u257F]*$/
const RULE = /([-=_*~\u2010-\u2015\u2500-\u257F])\1{2}/

/** `-----;----`, `---+---`, `├───┼───┤`: every cell is ruled, and one of them is a rule. */
export const isRuleLine = (cells: readonly string[]): boolean =>
  cells.every((cell) => RULED.test(cell)) && cells.some((cell) => RULE.test(cell))

/** A letter or a digit of ASCII, with which no rule begins. */
const isPlainStart = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)

/** How databases and their tools write that there is no value. */
const NULLS: ReadonlySet<string> = new Set(
  String.raw`NULL null \N (null) (NULL) [NULL] <null> <NULL>`.split(' '),
)

function isNull(cell: string): boolean {
  const { length } = cell
  return (length === 2 || length === 4 || length === 6) && NULLS.has(cell)
}

/** A date, an account or a number, as every mandate has one and few names do. */
const VALUE = /[0-9]{4}|^[0-9]+$/

/** Words that all differ, as names of columns do, and none of what every mandate has. */
export const mayBeNames = (cells: readonly string[]): boolean =>
  new Set(cells).size === cells.length && !cells.some((cell) => VALUE.test(cell))

/**
 * Whether a record is the header once more; `other` where it has other columns, or has them in another order.
 * @param meaningOf what a name means in any language; null where it is no usual one
 */
function judgeHeaders(headerCells: readonly string[], meaningOf: (name: string) => string | null) {
  const names = headerCells.map(fold)
  const known = new Set(names.filter((name) => name !== ''))
  const numbered = new Set([...known].filter((name) => /[0-9]/.test(name)))
  const isValue = (cell: string): boolean =>
    VALUE.test(cell) && (numbered.size === 0 || !numbered.has(fold(cell)))
  return (cells: readonly string[]): 'same' | 'other' | null => {
    if (cells.some(isValue)) return null
    const found = cells
      .map((cell, place) => ({ name: fold(cell), place, meaning: meaningOf(cell) }))
      .filter(({ name }) => name !== '')
    const hits = found.filter(({ name, meaning }) => known.has(name) || meaning !== null).length
    if (hits < Math.min(2, known.size) || hits * 2 < found.length) return null
    const isSame = found.every(
      ({ name, place, meaning }) =>
        names[place] === name || (meaning !== null && meaning === meaningOf(headerCells[place] ?? '')),
    )
    return isSame ? 'same' : 'other'
  }
}

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

/** A record with no more in these than the word and one figure could be no mandate. */
const TELLING = ['iban', 'unique_mandate_reference', 'signed_date', 'sepa_creditor_identifier'] as const

/**
 * True for a record such as `Summe;;;;20000`: its first cell that holds something says that totals follow, in words
 * of totals alone, and of account, reference, date and creditor no more than one is filled, by a figure that may say what it counts.
 */
export function isBareTotals(
  cells: readonly string[],
  fields: readonly { readonly field: Field; readonly position: number }[],
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

/**
 * The number of rows that a database writes behind them: `(3 rows affected)`, `(2 Zeilen)` in brackets whatever the
 * language, `3 rows selected.` in words of rows. Null for any other cell.
 */
function rowsSaid(cell: string): number | null {
  const [, inner = ''] = /^\((.{3,60})\)$/.exec(cell.trim()) ?? []
  const said = inner.replace(/\([^()]*\)/g, '')
  const numbers = said.match(/\d+/g) ?? []
  if (numbers.length === 1 && /\p{L}/u.test(said)) return Number(numbers[0])
  return /^\d/.test(cell) ? (statedCounts([cell])[0] ?? null) : null
}

/** A line that sums up, or ends, or dates the export: its first filled cell says so. */
export const isTotalsLine = (cells: readonly string[]): boolean =>
  TOTALS_LINE.test(cells.find((cell) => cell !== '') ?? '')

const MONEY = /^[€A-Z]{0,3} ?\d[\d.,' ]*[.,]\d{2}(?: ?[€A-Z]{1,3})?$/

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

/**
 * What a line of few cells says of the rows above it: a database's count of them, or a sum that counts them rightly or is
 * of money. Null for any other line.
 */
function sumIn(cells: readonly string[], records: number, sinceCount: number) {
  const said = cells.length === 1 ? rowsSaid(cells[0] ?? '') : null
  const stated = said === null ? statedCounts(cells) : [said]
  const isOfAll = said === null && (stated.includes(records) || MONEY.test(cells[1] ?? ''))
  const isRight = isOfAll || stated.includes(records) || stated.includes(sinceCount)
  const isSum = said !== null || (isRight && cells.length <= 2 && isBareTotals(cells, []))
  return isSum ? { isOfAll, isRight } : null
}
