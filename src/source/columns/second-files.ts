import { cleanCell, cleanIban, fold, plural } from '../../domain/text/text.js'
import { type Finding, NO_FINDINGS, type SeverityOverrides, findingOf } from '../../domain/rule/verdict.js'
import type { Field } from '../../domain/mandate/mandate.js'
import { CUSTOMER_COLUMN } from '../../domain/row/list-columns.js'
import { withoutDecimals } from '../../domain/row/correction.js'
import type { RawValues } from '../../domain/value/check-mandate.js'
import { profileColumn } from '../guess/column-profile.js'
import { wordOf, wordsWith } from '../../domain/value/words.js'
import { positionOf, showNames } from './header.js'
import { headingAt, lookupsOf, type Lookup, type Mapping } from './mapping.js'
import type { ColumnRef, SourceOptions } from '../options.js'
import {
  refuseRagged,
  type RawRecord,
  type Table,
  assumedFindings,
  leftOutFindings,
  refuseByFinding,
  reportWith,
} from '../table.js'
import { refuse, unreadable } from '../../errors.js'
import { openTable } from '../formats.js'

/**
 * Files that rows of an export are looked up in: the crosswalk, and what is joined (domain/rulebook.md#crosswalk). They
 * are kept in memory, and remember which lines were used, over all the sources they are given to.
 */
export type SecondFile = Awaited<ReturnType<typeof loadSecondFile>>

interface Entry {
  /** In the order of what is taken. */
  readonly values: readonly string[]
  readonly line: number
  secondKeys: string[]
  lines: number
  /** A line of the same key that says something else. */
  contradiction: number | null
  /** The text ends within a line that it was made of. */
  mayBeCut?: true
  isUsed: boolean
}

/** In the order of `Mapping.lookups`. @throws {SourceError} */
export async function loadSecondFiles(options: SourceOptions, signal?: AbortSignal) {
  const files: SecondFile[] = []
  const lookups = lookupsOf(options)
  for (const lookup of lookups) {
    const ofFile = lookups.filter(({ file, sheet }) => file === lookup.file && sheet === lookup.sheet)
    files.push(await loadSecondFile(lookup, ofFile, options, signal))
  }
  return files
}

/**
 * Reads a second file into memory: about 300 bytes a line, at most `limits.crosswalkLines`.
 * @param ofFile all lookups in the same file, of which the first asks about the columns that none uses
 * @throws {SourceError} when the file cannot be trusted; a ragged line could debit the wrong person
 */
async function loadSecondFile(
  lookup: Lookup,
  ofFile: Lookup[],
  { limits, words }: SourceOptions,
  signal?: AbortSignal,
) {
  const wanted = [...lookup.keys, ...lookup.take].flatMap(({ column }) =>
    typeof column === 'string' ? [fold(column)] : [],
  )
  const isKnown = (name: string): boolean => wanted.includes(fold(name))
  const table = await openTable(lookup.file, { layout: lookup, limits, isKnown }, signal)
  const { name, label } = table
  const columns = locateColumns(table, lookup)
  const entries = new Map<string, Entry>()
  const { names, positions } = table.header
  const used = new Set(ofFile.flatMap((one) => Object.values(locateColumns(table, one)).flat()))
  // Of all lines, in bounded memory: which of them are used is known when they are gone, and the next export uses others.
  const unused = (ofFile[0] === lookup ? names : [])
    .map((column, at) => ({ name: column, position: positions[at] ?? 0, ...profileColumn(column) }))
    .filter(({ position }) => !used.has(position))
  let lines = 0
  let repeated = 0
  let [lastLine, lastEntry]: [number, Entry | null] = [0, null]
  const batches = table.read(signal)
  for await (const records of batches)
    for (const record of records) {
      refuseRagged(table, record, `line ${record.line} of ${lookup.what}`)
      lines += 1
      if (lines > limits.crosswalkLines)
        throw unreadable(
          label,
          `${lookup.what} has more than ${limits.crosswalkLines} lines`,
          'Raise limits.crosswalkLines if there is enough memory (about 300 bytes a line).',
        )
      for (const { position, note } of unused) note(record.cells[position] ?? '')
      lastLine = record.line
      lastEntry = addTo(entries, columns, record)
      if (lastEntry === null) repeated += 1
    }
  const { sha256, footer, openLine } = batches.end()
  // Its encoding is seen where a key is not found.
  const assumed = (ofFile[0] === lookup ? table.assumed : [])
    .filter(({ rule }) => rule !== 'FILE_ENCODING_ASSUMED')
    .map((one) => ({ ...one, detail: `In ${name}: ${one.detail}` }))
  const lasts = [...columns.keys, ...columns.take, columns.secondKey].includes(table.header.width - 1)
  if (lasts && lastLine === openLine && lastEntry !== null) lastEntry.mayBeCut = true
  // A line that is left out would leave its mandate behind.
  const { section, secondKey } = lookup
  const byPosition = [
    ...lookup.keys,
    ...lookup.take,
    ...(secondKey === undefined ? [] : [secondKey]),
  ].flatMap(({ column: position }) =>
    typeof position === 'number'
      ? [{ where: section, position, ...headingAt(table.header, position, name) }]
      : [],
  )
  const leftOut = { ...table, section, footer, keys: [...columns.keys, ...columns.take], account: undefined }
  refuseByFinding(label, leftOutFindings(leftOut, lines, reportWith({})))
  if (lines === 0) throw refuse(label, 'FILE_EMPTY', `${lookup.what} has no lines`)
  const status = lookup.take.findIndex(({ field }) => field === 'status')
  const said = status < 0 ? [] : [...entries.values()].map(({ values }) => wordOf(values[status] ?? ''))
  const meanings = wordsWith(words).status
  return {
    ...{ section, what: lookup.what, names, unused },
    reading: {
      ...{ name, sha256, lines },
      ...(byPosition.length === 0 ? {} : { header: names }),
      ...(said.includes('') &&
        said.some((word) => word !== '' && meanings.get(word) === null) && { hasNoWord: true as const }),
    },
    byPosition,
    /** Marks the line as used. A key of which a part is empty is none. */
    find: (key: readonly string[]): Entry | undefined => {
      const entry = key.includes('') ? undefined : entries.get(keyOf(key))
      if (entry !== undefined) entry.isUsed = true
      return entry
    },
    /** Where the n-th of what is taken stands. */
    placeOf: ({ line }: Entry, nth: number): string => {
      const cell = table.cellName?.(line, columns.take[nth] ?? 0)
      return `${cell === undefined ? `line ${line}` : `cell ${cell}`} of ${name}`
    },
    /** Lines of a crosswalk that repeat a pair, or have no export row, counted once all sources were read. */
    findings: (severities: SeverityOverrides): readonly Finding[] => [
      ...assumedFindings(assumed, reportWith(severities)),
      ...(section === 'crosswalk' ? crosswalkFindings(name, entries, repeated, severities) : []),
    ],
  }
}

/** One column is a key as it stands. */
const keyOf = (parts: readonly string[]): string =>
  parts.length === 1 ? (parts[0] ?? '') : JSON.stringify(parts)

type Columns = ReturnType<typeof locateColumns>

function locateColumns({ label, header, headerLine }: Table, lookup: Lookup) {
  const locate = (column: ColumnRef, purpose: string): number => {
    const position = positionOf(header, column)
    if (position !== undefined) return position
    const what = `${lookup.what} has no column "${column}" for ${purpose}; its header has ${showNames(header)}`
    const next = `Correct the ${lookup.section} section of the configuration.`
    throw refuse(label, 'FILE_HEADER_MISSING', what, { line: headerLine, next })
  }
  const { keys, take, secondKey } = lookup
  return {
    keys: keys.map(({ column, purpose }) => locate(column, purpose)),
    take: take.map(({ column, field }) => locate(column, field)),
    secondKey: secondKey === undefined ? null : locate(secondKey.column, 'the second key'),
  }
}

/** Adds a line. @returns the entry that it makes or changes; null where it says what another one says */
function addTo(entries: Map<string, Entry>, columns: Columns, { cells, line }: RawRecord): Entry | null {
  const at = (position: number): string => cleanCell(cells[position] ?? '')
  const key = keyOf(columns.keys.map(at))
  const values = columns.take.map(at)
  const secondKey = columns.secondKey === null ? '' : at(columns.secondKey)
  const secondKeys = secondKey === '' ? [] : [secondKey]
  const entry = entries.get(key)
  if (entry === undefined) {
    const made = { values, line, secondKeys, lines: 1, contradiction: null, isUsed: false }
    entries.set(key, made)
    return made
  }
  entry.lines += 1
  const isOther = entry.values.some((value, nth) => value !== values[nth])
  if (isOther) entry.contradiction ??= line
  // The same customer may be listed once per account, each with its own second key.
  const isNew = !isOther && secondKey !== '' && !entry.secondKeys.includes(secondKey)
  if (isNew) entry.secondKeys = [...entry.secondKeys, secondKey]
  return isNew || isOther ? entry : null
}

const MOST_KEYS_SHOWN = 5

const linesText = (lines: number): string => plural(lines, 'line', 'lines')

function crosswalkFindings(
  name: string,
  entries: ReadonlyMap<string, Entry>,
  repeated: number,
  severities: SeverityOverrides,
): readonly Finding[] {
  let unused = 0
  const keys: string[] = []
  for (const [key, entry] of entries) {
    if (entry.isUsed) continue
    unused += entry.lines
    if (keys.length < MOST_KEYS_SHOWN) keys.push(key)
  }
  const report = reportWith(severities)
  const detailOf = (lines: number) => lines > 0 && `${linesText(lines)} of ${name}.`
  return [
    ...report('CROSSWALK_DUPLICATE_LINE', linesText(repeated), detailOf(repeated)),
    ...report('CROSSWALK_UNUSED_LINE', keys.join(', '), detailOf(unused)),
  ]
}

/** How the second key of a row is compared with that of its crosswalk line. */
function matchesSecondKey(isIbanEnd: boolean, ofRow: string, ofCrosswalk: readonly string[]): boolean {
  if (ofCrosswalk.length === 0) return true
  if (!isIbanEnd) return ofCrosswalk.some((key) => fold(key) === fold(ofRow))
  const iban = cleanIban(cleanCell(ofRow))
  return ofCrosswalk.some((key) => iban.endsWith(cleanIban(key)))
}

const CUT = { remedy: 'Complete the file, or end its last line with a line break, and run again.' }
const RULES = { crosswalk: 'CROSSWALK', join: 'JOIN' } as const
const NO_PLACES: ReadonlyMap<Field, string> = new Map()

export type LookedUp = ReturnType<typeof lookUp>

/**
 * What the second files say of one row: its values are completed, and where they stand is told.
 * @param read the cells of the row
 * @param isCorrection a person typed the customer beside that row; else it may be what stood beside another row once
 */
export function lookUp(
  files: readonly SecondFile[],
  read: readonly string[],
  mapped: RawValues,
  { lookups, secondKey, customer }: Mapping,
  severities: SeverityOverrides,
  isCorrection: boolean,
) {
  const typed = customer === null ? '' : withoutDecimals(cleanCell(read[customer] ?? ''))
  if (lookups.length === 0 && typed === '') return { raw: mapped, findings: NO_FINDINGS, places: NO_PLACES }
  const raw: { -readonly [Name in keyof RawValues]: RawValues[Name] } = { ...mapped }
  const isOver = isCorrection && typed !== ''
  if (isOver) raw.customer_no = typed
  const findings: Finding[] = []
  const places = new Map<Field, string>()
  for (const [index, { section, keys, take }] of lookups.entries()) {
    if (section === 'crosswalk' && isOver) continue
    const file = files[index]
    const key = keys.map(({ position }) => cleanCell(read[position] ?? ''))
    // A table library makes 1007.0 of 1007, and a key may end so.
    const entry = file?.find(key) ?? (isCorrection ? file?.find(key.map(withoutDecimals)) : undefined)
    const report = (rule: 'NO_MATCH' | 'AMBIGUOUS', detail: string, more = {}): void => {
      const told = section === 'join' ? { detail } : ({ field: 'customer_no' } as const)
      const value = key.join(', ')
      findings.push(...findingOf(`${RULES[section]}_${rule}`, severities, { value, ...told, ...more }))
    }
    const fields = take.map(({ field }) => field).join(', ')
    const name = file?.reading.name ?? ''
    if (entry === undefined)
      report('NO_MATCH', `It is ${keys.map((column) => column.name).join(', ')}, for ${fields} of ${name}.`)
    else if (entry.mayBeCut)
      report('NO_MATCH', '', {
        ...CUT,
        detail: `The last line of ${name} has no line end, so it may be cut: complete it, or end that line.`,
      })
    else if (entry.contradiction !== null)
      report('AMBIGUOUS', `Lines ${entry.line} and ${entry.contradiction} of ${name} differ in ${fields}.`)
    else
      for (const [nth, { field }] of take.entries()) {
        raw[field] = entry.values[nth] ?? ''
        if (section === 'join') places.set(field, file?.placeOf(entry, nth) ?? '')
        else if (secondKey !== null) {
          const ofRow = secondKey === 'ibanEnd' ? raw.iban : read[secondKey.position]
          if (!matchesSecondKey(secondKey === 'ibanEnd', ofRow ?? '', entry.secondKeys))
            findings.push(...findingOf('CROSSWALK_MISMATCH', severities, { field, value: key.join() }))
        }
      }
  }
  const known = withoutDecimals(cleanCell(raw.customer_no ?? ''))
  if (typed !== '' && known !== '' && known !== typed)
    findings.push(
      ...findingOf('CORRECTION_TAKES_CUSTOMER', severities, {
        ...{ field: 'customer_no', value: typed },
        detail: `${CUSTOMER_COLUMN} has another one than the export or its crosswalk, in a line that names no row.`,
      }),
    )
  return { raw, findings, places }
}
