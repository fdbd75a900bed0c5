import type { Choice, ChosenColumn } from '../domain/row/choice.js'
import { SEPA_COUNTRIES } from '../domain/text/countries.js'
import { maskAccounts } from '../domain/text/masking.js'
import { cleanCell, findNames } from '../domain/text/text.js'
import { UsageError } from '../errors.js'
import type { LedgerReader, SourceRecord } from '../ledger/read/reader.js'

/** A choice as a caller gives it. */
export interface ChoiceOptions {
  readonly only?: readonly ChosenColumn[] | undefined
  readonly countries?: readonly string[] | undefined
}

/** @throws {UsageError} for what names no rows, and for an account number, since what a run was asked is kept */
export function readChoice({ only = [], countries = [] }: ChoiceOptions): Choice | null {
  if (!Array.isArray(only) || !Array.isArray(countries))
    throw wrong('only and countries are lists', 'Give them as { only: [{ column, values }], countries }')
  const codes = countries.map((code) => String(code).trim().toUpperCase())
  const unknown = codes.find((code) => !SEPA_COUNTRIES.has(code))
  if (unknown !== undefined)
    throw wrong(
      `"${maskAccounts(unknown)}" is no country of SEPA`,
      'Give two letters each, such as AT,DE: the first two of the account numbers',
    )
  const columns = only.map(readColumn)
  return columns.length + codes.length === 0
    ? null
    : { only: columns, countries: codes.length === 0 ? null : [...new Set(codes)] }
}

function readColumn({ column, values }: ChosenColumn): ChosenColumn {
  if (typeof column !== 'string' || !Array.isArray(values) || values.length === 0)
    throw wrong('a column without values', NAME_BOTH)
  const name = cleanCell(column)
  const cleaned = values.map((value) => cleanCell(String(value)))
  const texts = [name, ...cleaned]
  if (texts.some((text) => maskAccounts(text) !== text))
    throw wrong('an account number stands in it', 'Choose rows by another column')
  if (texts.includes('')) throw wrong(`"${name}" with an empty name or value`, NAME_BOTH)
  return { column: name, values: [...new Set(cleaned)] }
}

const NAME_BOTH = 'Name a column of the export and the values that its rows have'

/**
 * Of several sources one need not have the column: its rows are not chosen.
 * @throws {UsageError} for a column that no source has, or that one has twice
 */
export function assertChoosable(choice: Choice | null, ledger: Pick<LedgerReader, 'sources'>): void {
  if (choice === null || choice.only.length === 0) return
  const sources = ledger.sources()
  for (const { column } of choice.only) {
    const found = sources.map((source) => ({ source, count: findNames(source.header, column).length }))
    const twice = found.find(({ count }) => count > 1)
    if (twice !== undefined)
      throw wrong(
        `"${maskAccounts(twice.source.name)}" has more than one column "${column}"`,
        'Choose by another column',
      )
    if (!found.some(({ count }) => count > 0))
      throw wrong(`no file has a column "${column}"`, `The columns are ${columnsText(sources)}`)
  }
}

const MOST_SHOWN = 30

function columnsText(sources: readonly SourceRecord[]): string {
  const names = [...new Set(sources.flatMap(({ header }) => header))].filter((name) => name !== '')
  const shown = names.slice(0, MOST_SHOWN).map((name) => `"${maskAccounts(name)}"`)
  const more = names.length - shown.length
  return `${shown.join(', ')}${more === 0 ? '' : ` and ${more} more`}`
}

const wrong = (what: string, next: string): UsageError =>
  new UsageError(`Cannot choose rows: ${what}; nothing was sent`, next)
