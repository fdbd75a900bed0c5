import { REQUIRED_FIELDS, type Field } from '../../domain/mandate/mandate.js'
import { fold } from '../../domain/text/text.js'
import { findColumn, type Header } from '../columns/header.js'
import { type Ask, columnsIn } from '../columns/mapping.js'
import { NONE, type ColumnRef, type ColumnsOptions, type SourceOptions } from '../options.js'
import { refuse } from '../refusal.js'
import type { Table } from '../table.js'
import type { Profile } from './profiles.js'

/** A profile as it counts for one source. */
export interface AppliedProfile extends Profile {
  /** Columns that would keep rows back, that the source does not have and nobody decided to do without. */
  readonly lacks: readonly string[]
}

/** What is read of a source: the configuration, completed by a profile where it leaves that open (source/README.md#profiles). */
export async function readAs({ label, header, isResultFile }: Table, given: SourceOptions) {
  const profile = await profileFor(header, given)
  if (profile === null) return { options: given, profile, ask: () => null }
  const missing = profile.headers.find((name) => findColumn(header, name) === null)
  // One of ours has the columns of several exports.
  if (missing !== undefined && !isResultFile) {
    const why = `it is no export of ${profile.name} (profile ${profile.id}): it has no column "${missing}"`
    throw refuse(label, 'FILE_HEADER_MISSING', why, { next: 'Correct "profile" in the configuration.' })
  }
  const { options, lacks } = applyProfile(profile, header, given)
  return {
    options,
    profile: { ...profile, lacks: isResultFile ? [] : lacks },
    ask: (field: Field) => askOf(profile, header, field),
  }
}

/** Profiles are loaded only where their headers are compared. @throws {UsageError} for a name that is none */
export async function profileFor(header: Header, { profile: named }: SourceOptions) {
  const isOurs = REQUIRED_FIELDS.every((field) => header.seen.some((name) => name.toLowerCase() === field))
  if (named === NONE || (named === undefined && isOurs)) return null
  const { profileOf, recognise } = await import('./profiles.js')
  return named === undefined ? recognise(header) : profileOf(named)
}

/** The columns and rules of a profile, as far as the source has them and the configuration says nothing of them. */
export function applyProfile(profile: Profile, header: Header, given: SourceOptions) {
  const { columns, exclude = [], never = [] } = profile
  const at = (ref: ColumnRef): number | null => findColumn(header, ref)
  const said = new Set(
    [
      ...Object.values(given.columns).flatMap(columnsIn),
      ...given.exclude.map(({ column }) => column),
      ...given.source.ignoreColumns,
    ].map(at),
  )
  const joined = new Set(given.join.flatMap(({ take }) => Object.keys(take)))
  const isFree = (ref: ColumnRef): boolean => at(ref) !== null && !said.has(at(ref))
  const usable: ColumnsOptions = Object.fromEntries(
    Object.entries(columns).filter(([field, option]) => !joined.has(field) && columnsIn(option).some(isFree)),
  )
  const hasStatus = given.columns.status !== undefined || joined.has('status')
  const status = hasStatus ? [] : columnsIn(columns.status).slice(0, 1)
  const guards = [...exclude.map(({ column }) => column), ...status].map(String)
  const ignored = given.source.ignoreColumns.map((ref) => fold(String(ref)))
  const options: SourceOptions = {
    ...given,
    columns: { ...usable, ...given.columns },
    exclude: [...given.exclude, ...exclude.filter(({ column }) => isFree(column))],
    source: { ...given.source, ignoreColumns: [...given.source.ignoreColumns, ...never.filter(isFree)] },
  }
  return { options, lacks: guards.filter((name) => at(name) === null && !ignored.includes(fold(name))) }
}

/** What is asked where no column feeds a required field. */
export function askOf(profile: Profile, header: Header, field: Field): Ask {
  const { name, columns, customer = [], asks = {} } = profile
  const asked = asks[field]
  if (asked !== undefined) return asked
  if (field === 'customer_no') {
    const column = [customer].flat().find((one) => findColumn(header, one) !== null)
    return column === undefined
      ? { why: `${name} does not know the number at the new service`, write: '…' }
      : { why: `"${column}" is the number of the customer at ${name}`, write: column }
  }
  const [usual] = columnsIn(columns[field])
  if (usual !== undefined) return { why: `${name} has it in "${usual}", which is not in this file` }
  return { why: `${name} does not export it; take it from a bank statement`, write: '{ constant: … }' }
}
