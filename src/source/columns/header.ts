import { isSepaIban } from '../../domain/value/identifiers.js'
import { CUSTOMER_COLUMN, HEADINGS } from '../../domain/row/list-columns.js'
import { cleanCell, cleanIban, findName, firstOf, fold } from '../../domain/text/text.js'
import type { ColumnRef } from '../options.js'
import { refuse } from '../../errors.js'
import { showValue } from '../../domain/rule/verdict.js'
import { FIELDS, PAYER_FIELDS, type ColumnField } from '../../domain/mandate/mandate.js'
import headers from './headers.json' with { type: 'json' }
import mandateNames from './mandate-names.json' with { type: 'json' }

/** The columns of a source. Those that this program's own result files add are left out of `names`. */
export type Header = ReturnType<typeof readHeader> & {
  /** In a list of ours: what columns of an export are called there, by their folded names. */
  readonly inLists?: ReadonlyMap<string, string>
}

const OF_HEADINGS = new Map([...HEADINGS].map(([name, heading]) => [fold(heading), name]))

/** The name of a column of ours as files have it, also where a tool put blanks or hyphens into it, and that of a heading. */
export const ownName = (name: string): string =>
  OF_HEADINGS.get(fold(name)) ??
  cleanCell(name)
    .toLowerCase()
    .replace(/^migration[\s-]+(?=row$|state$|decision$|reason$|by$)/, 'migration_')

/** A column that only this program's result files have; that of the customer is kept with the cells of a line. */
export const isOwnColumn = (name: string): boolean => {
  const own = ownName(name)
  return own.startsWith('migration_') && own !== CUSTOMER_COLUMN
}

/**
 * Reads the cells of the header record; of the columns that begin with `migration_` only those of a decision are looked at.
 * @param isSkipped whether nothing is taken from the column at a position unless somebody names it
 */
export function readHeader(cells: readonly string[], isSkipped: (position: number) => boolean = () => false) {
  const all = cells.map((cell, position) => {
    const name = cleanCell(cell)
    return { name: ownName(name) === CUSTOMER_COLUMN ? CUSTOMER_COLUMN : name, position }
  })
  const kept = all.filter(({ name }) => !isOwnColumn(name))
  // Of several of one name the first.
  const owned = new Map(all.toReversed().map(({ name, position }) => [ownName(name), position]))
  const own = (wanted: string): number | null => owned.get(wanted) ?? null
  return {
    /** In file order; a column without a name is the empty text. */
    names: kept.map(({ name }) => name),
    /** The same without the names of columns that are skipped. */
    seen: kept.map(({ name, position }) => (isSkipped(position) ? '' : name)),
    /** Where each of them stands in a record, from 0. */
    positions: kept.map(({ position }) => position),
    /** Cells of the header record. */
    width: cells.length,
    /** Where `migration_row` stands in a record. */
    migrationRow: own('migration_row'),
    /** Where another of our columns does, by its name. */
    own,
  }
}

/**
 * Refuses a list of ours of which nobody can tell whose rows its lines are: each would be a new mandate.
 * @throws {SourceError} FILE_HEADER_DUPLICATE or FILE_HEADER_MISSING
 */
export function refuseUnclearList(label: string, line: number, cells: readonly string[]): void {
  const names = cells.map(ownName)
  const rows = names.filter((name) => name === 'migration_row').length
  if (rows > 1)
    throw refuse(label, 'FILE_HEADER_DUPLICATE', 'it has the column migration_row twice', {
      line,
      next: 'Give one result file at a time; nobody can tell which of the two numbers counts.',
    })
  if (rows > 0 || !names.includes('migration_decision')) return
  const what = 'it is a list of this program without its column migration_row'
  const next =
    'Work in the list as it was written: in to-do.xlsx that column is hidden. Copy your changes there and give it back.'
  throw refuse(label, 'FILE_HEADER_MISSING', what, { line, next })
}

/** The headings in words stand below the names of the columns: no record. */
export const isHeading = ({ migrationRow }: Header, cells: readonly string[]): boolean =>
  migrationRow !== null && ownName(cells[migrationRow] ?? '') === 'migration_row'

/** A header by which one of this program's own result files is recognised, also where somebody deleted columns. */
export const isResultHeader = (cells: readonly string[]): boolean =>
  cells.some((cell) => ownName(cell) === 'migration_row')

/** Of these, one in which rows are decided about and nothing is corrected. */
export const isDecisionHeader = (cells: readonly string[]): boolean =>
  isResultHeader(cells) &&
  cells.map(ownName).some((name) => /^migration_(?:assigned_mandate_reference|class)$/.test(name))

/** Index in `names` of the column that the configuration names: by position, else as written, else folded; skipped ones last. */
export function findColumn({ names, seen, positions, inLists }: Header, ref: ColumnRef): number | null {
  if (typeof ref === 'string') {
    const name = inLists?.get(fold(ref)) ?? ref
    return findName(seen, name) ?? findName(names, name)
  }
  const index = positions.indexOf(ref - 1)
  return index < 0 ? null : index
}

/** Where in a record that column stands. */
export function positionOf(header: Header, ref: ColumnRef): number | undefined {
  return header.positions[findColumn(header, ref) ?? -1]
}

/** Groups of columns whose names are equal after folding; those without a name are no group. */
export function duplicateColumns({ seen }: Header): readonly (readonly number[])[] {
  const groups = new Map<string, number[]>()
  seen.forEach((name, index) => {
    const key = fold(name)
    if (key !== '') groups.set(key, [...(groups.get(key) ?? []), index])
  })
  return [...groups.values()].filter((group) => group.length > 1)
}

const MOST_SHOWN = 20

/** The names as a message may show them; account numbers are masked, for the file may have no header at all. */
export function showNames({ names }: Header): string {
  const shown = names.slice(0, MOST_SHOWN).map((name) => `"${showValue(name)}"`)
  return firstOf(shown, MOST_SHOWN, names.length)
}

const isAccount = (name: string): boolean => isSepaIban(cleanIban(name))

/** True when the first record holds an account number where names should be. */
export const holdsAccount = ({ names }: Header): boolean => names.some(isAccount)

const VALUE = /^(?=[-.,:/ ]*[0-9])[-0-9.,:/ ]*$/

/** A number, a date or an account: nobody calls the column of a field like that. */
export const looksLikeValue = (name: string): boolean => VALUE.test(name) || isAccount(name)

/**
 * Puts the cells of records in the order of the header's names, or says null for a record with another number of
 * columns. One empty field behind the last name is tolerated where every row has it (ROW_FIELD_COUNT); which of the
 * two holds for the file, the first record of either shape decides. To accept both would hide a shifted row.
 */
export function alignRows({
  names,
  positions,
  width,
}: Header): (cells: readonly string[]) => readonly string[] | null {
  const isWhole = positions.length === width
  const endsUnnamed = isWhole && names[width - 1] === ''
  let expected: number | null = null
  const recognise = (cells: readonly string[]): number | null => {
    if (cells.length === width) return width
    if (cells.length === width + 1 && cells[width] === '') return width + 1
    return endsUnnamed && cells.length === width - 1 ? width - 1 : null
  }
  return (cells) => {
    const found = recognise(cells)
    expected ??= found
    if (found === null || found !== expected) return null
    if (isWhole && found === width) return cells
    return positions.map((position) => cells[position] ?? '')
  }
}

const naming = (stems: readonly string[]): ((header: string) => boolean) => {
  const pattern = new RegExp(stems.join('|'))
  return (header) => pattern.test(fold(header))
}

const namesLast = naming(headers.last)
const namesOtherLast = naming(headers.other_last)

/** A header that may name the last collection; none of the last change or the last contact. */
export const namesLastCollection = (header: string): boolean => namesLast(header) && !namesOtherLast(header)

/** A header that tells of a debit, not of what else comes last. */
export const namesDebit = naming(headers.debit)

/** A header that tells of a signature. */
export const namesSigning = naming(headers.signing)

/** A header that names a time in which a mandate is not to be used. */
export const namesBlock = naming(headers.block)

/** A header that names the day on which a mandate ended. */
export const namesEnd = naming([...headers.end, ...headers.block])

const namesMark = naming(headers.flag)

/** A header of a mark beside the status, such as a block or a return, or of whether a debit pays. */
export const namesFlag = (header: string): boolean => namesEnd(header) || namesMark(header)

const namesCustomer = naming(headers.customer)
/** A header that tells of a mandate, by its name in some language. */
export const namesMandate = naming(headers.mandate)
/** Whether a header tells of customers; null for one of mandates. Of `mandates.customer_id` the last part counts. */
export function tellsOfCustomer(header: string): boolean | null {
  const own = header.split('.').findLast((part) => fold(part) !== '') ?? ''
  const [told = header] = [own, header].filter((name) => namesMandate(name) || namesCustomer(name))
  return namesMandate(told) ? null : namesCustomer(told)
}

/** Keys of the previous system are for a crosswalk only and never mapped by themselves; a second key guards one. */
type HeaderMeaning =
  | { readonly kind: 'field'; readonly field: ColumnField }
  | { readonly kind: 'old_key' | 'second_key' | 'unused' | 'unknown' }

const meaningsOf = (headers: readonly string[], meaning: HeaderMeaning): [string, HeaderMeaning][] =>
  headers.map((header) => [fold(header), meaning])

/** What mandates call a field in the official languages of the Economic Area. */
const inEachLanguage = (name: string): string[] =>
  Object.values(mandateNames).flatMap((names) => (names as Readonly<Record<string, string[]>>)[name] ?? [])

/** The usual names of a field. */
export const headersOf = (field: ColumnField): readonly string[] => [
  ...headers.field[field],
  ...inEachLanguage(field),
]

/** An explicit mapping in the configuration always wins over these (domain/rulebook.md#header-folding). */
const MEANINGS: ReadonlyMap<string, HeaderMeaning> = new Map([
  ...[...FIELDS, ...PAYER_FIELDS].flatMap((field) => meaningsOf(headersOf(field), { kind: 'field', field })),
  ...meaningsOf(headers.old_key, { kind: 'old_key' }),
  ...meaningsOf([...headers.second_key, ...inEachLanguage('holder')], { kind: 'second_key' }),
  ...meaningsOf(headers.unused, { kind: 'unused' }),
])

const UNKNOWN: HeaderMeaning = { kind: 'unknown' }

/** What a header of an export stands for; one such as `Riferimento mandato (UMR)` names the same thing twice. */
export function meaningOfHeader(header: string): HeaderMeaning {
  const names = [header, ...header.split(/[(/)]/)].map(fold).filter((name) => name !== '')
  const [whole = UNKNOWN, first, ...others] = names.map((name) => MEANINGS.get(name) ?? UNKNOWN)
  const isTwice = whole === UNKNOWN && others.length > 0 && others.every((other) => other === first)
  return isTwice ? (first ?? whole) : whole
}

/** What a name usually stands for, in any language; of two keys of the previous system nobody knows whether they are one. */
export function usualMeaning(name: string): string | null {
  const meaning = meaningOfHeader(name)
  if (meaning.kind === 'field') return meaning.field
  return meaning.kind === 'old_key' ? `key ${fold(name)}` : null
}

const FIRMEN_MANDAT = fold('FirmenMandat')

/** A scheme column of this name says only whether the mandate is business-to-business. */
export const isFirmenMandat = (header: string): boolean => fold(header) === FIRMEN_MANDAT
