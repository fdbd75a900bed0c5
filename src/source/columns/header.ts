import { isSepaIban } from '../../domain/value/iban.js'
import { cleanCell, cleanIban, findName, fold } from '../../domain/text/text.js'
import type { ColumnRef } from '../options.js'
import { showValue } from '../../domain/rule/verdict.js'

/** The columns of a source. Those that this program's own result files add are left out of `names`. */
export interface Header {
  /** In file order; a column without a name is the empty text. */
  readonly names: readonly string[]
  /** Where each of them stands in a record, from 0. */
  readonly positions: readonly number[]
  /** Cells of the header record. */
  readonly width: number
  /** Where `migration_row` stands in a record. */
  readonly migrationRow: number | null
  /** Where `migration_decision` stands in a record. */
  readonly migrationDecision: number | null
  /** Where `migration_reason` and `migration_by` stand in a record. */
  readonly migrationReason: number | null
  readonly migrationBy: number | null
}

/** The name of a column of ours as we write it, also where a tool put blanks or hyphens into it. */
const ownName = (name: string): string =>
  cleanCell(name)
    .toLowerCase()
    .replace(/^migration[\s-]+(?=row$|state$|decision$|reason$|by$)/, 'migration_')

/** A column that only this program's result files have. */
export const isOwnColumn = (name: string): boolean => ownName(name).startsWith('migration_')

/** Reads the cells of the header record; of the columns that begin with `migration_` only those of a decision are looked at. */
export function readHeader(cells: readonly string[]): Header {
  const all = cells.map((cell, position) => ({ name: cleanCell(cell), position }))
  const kept = all.filter(({ name }) => !isOwnColumn(name))
  const own = (wanted: string): number | null =>
    all.find(({ name }) => ownName(name) === wanted)?.position ?? null
  return {
    names: kept.map(({ name }) => name),
    positions: kept.map(({ position }) => position),
    width: cells.length,
    migrationRow: own('migration_row'),
    migrationDecision: own('migration_decision'),
    migrationReason: own('migration_reason'),
    migrationBy: own('migration_by'),
  }
}

/** True where two columns say which row a line corrects. */
export const hasTwoRowNumbers = (cells: readonly string[]): boolean =>
  cells.filter((cell) => ownName(cell) === 'migration_row').length > 1

/** A header by which one of this program's own result files is recognised. */
export const isResultHeader = (cells: readonly string[]): boolean => {
  const names = new Set(cells.map(ownName))
  return names.has('migration_row') && names.has('migration_state')
}

/** Index in `names` of the column that the configuration names: by position, else as written, else folded. */
export function findColumn({ names, positions }: Header, ref: ColumnRef): number | null {
  return typeof ref === 'number' ? indexOrNull(positions.indexOf(ref - 1)) : findName(names, ref)
}

const indexOrNull = (index: number): number | null => (index < 0 ? null : index)

/** Groups of columns whose names are equal after folding; those without a name are no group. */
export function duplicateColumns({ names }: Header): readonly (readonly number[])[] {
  const groups = new Map<string, number[]>()
  names.forEach((name, index) => {
    const key = fold(name)
    if (key !== '') groups.set(key, [...(groups.get(key) ?? []), index])
  })
  return [...groups.values()].filter((group) => group.length > 1)
}

const MOST_SHOWN = 20

/** The names as a message may show them; account numbers are masked, for the file may have no header at all. */
export function showNames({ names }: Header): string {
  const shown = names.slice(0, MOST_SHOWN).map((name) => `"${showValue(name)}"`)
  return names.length > MOST_SHOWN
    ? `${shown.join(', ')} and ${names.length - MOST_SHOWN} more`
    : shown.join(', ')
}

const isAccount = (name: string): boolean => isSepaIban(cleanIban(name))

/** True when the first record holds an account number where names should be. */
export const holdsAccount = ({ names }: Header): boolean => names.some(isAccount)

const VALUE = /^[-0-9.,:/ ]*[0-9][-0-9.,:/ ]*$/

/** A number, a date or an account: nobody calls the column of a field like that. */
export const looksLikeValue = (name: string): boolean => VALUE.test(name) || isAccount(name)
