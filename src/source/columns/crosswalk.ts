import { cleanCell, cleanIban, fold } from '../../domain/text/text.js'
import { type Finding, type RuleId, type SeverityOverrides, findingOf } from '../../domain/rule/verdict.js'
import { findColumn, showNames } from './header.js'
import type { Mapping } from './mapping.js'
import type { SourceInput } from '../bytes/input.js'
import type { ColumnRef, CrosswalkOptions, LimitOptions } from '../options.js'
import { leftOutFindings } from '../csv/left-out.js'
import { refuse, refuseByFinding, unreadable } from '../refusal.js'
import { refuseRagged, type Table } from '../table.js'
import { openTable } from '../formats.js'
/** What a crosswalk says of one old key (domain/rulebook.md#crosswalk). */
type CrosswalkAnswer =
  | { readonly kind: 'found'; readonly customerNo: string; readonly secondKeys: readonly string[] }
  | { readonly kind: 'no_match' }
  | { readonly kind: 'ambiguous' }

/** A crosswalk in memory. It remembers which lines were used, over all the sources it is given to. */
export type Crosswalk = Awaited<ReturnType<typeof loadCrosswalk>>

interface OldKey {
  readonly customerNo: string
  secondKeys: string[]
  lines: number
  isAmbiguous: boolean
  isUsed: boolean
}

/**
 * Reads a crosswalk into memory: about 300 bytes a line, at most `limits.crosswalkLines`.
 * @throws {SourceError} when the file cannot be trusted; a ragged line could debit the wrong person
 */
export async function loadCrosswalk(
  input: SourceInput,
  options: CrosswalkOptions,
  limits: LimitOptions,
  signal?: AbortSignal,
) {
  const wanted = [options.key, options.customer_no].flatMap((ref) =>
    typeof ref === 'string' ? [fold(ref)] : [],
  )
  const isKnown = (name: string): boolean => wanted.includes(fold(name))
  const table = await openTable(input, { layout: options, limits, isKnown }, signal)
  const { name, label } = table
  const columns = locateColumns(table, options)
  const entries = new Map<string, OldKey>()
  let lines = 0
  let repeated = 0
  const batches = table.read(signal)
  for await (const records of batches)
    for (const record of records) {
      refuseRagged(table, record, `line ${record.line} of the crosswalk`)
      lines += 1
      if (lines > limits.crosswalkLines) throw tooLong(label, limits)
      if (addLine(entries, columns, record.cells) === 'repeated') repeated += 1
    }
  const { sha256, footer } = batches.end()
  refuseByFinding(label, leftOutOf(table, columns, footer, lines))
  if (lines === 0) throw refuse(label, 'FILE_EMPTY', 'the crosswalk has no lines')
  return {
    name,
    sha256,
    lines,
    /** Marks the line as used. */
    find: (oldKey: string): CrosswalkAnswer => find(entries, oldKey),
    /** Lines that repeat a pair, and lines without an export row, counted once all sources were read. */
    findings: (severities: SeverityOverrides): readonly Finding[] =>
      crosswalkFindings(name, entries, repeated, severities),
  }
}

const tooLong = (source: string, { crosswalkLines }: LimitOptions): Error =>
  unreadable(
    source,
    `the crosswalk has more than ${crosswalkLines} lines`,
    'Raise limits.crosswalkLines if there is enough memory (about 300 bytes a line).',
  )

type Columns = ReturnType<typeof locateColumns>

function locateColumns({ label, header, headerLine }: Table, options: CrosswalkOptions) {
  const locate = (ref: ColumnRef, purpose: string): number => {
    const index = findColumn(header, ref)
    const position = index === null ? undefined : header.positions[index]
    if (position !== undefined) return position
    throw refuse(
      label,
      'FILE_HEADER_MISSING',
      `the crosswalk has no column "${ref}" for ${purpose}; its header has ${showNames(header)}`,
      { line: headerLine, next: 'Correct the crosswalk section of the configuration.' },
    )
  }
  return {
    key: locate(options.key, 'the old key'),
    customerNo: locate(options.customer_no, 'customer_no'),
    secondKey: options.secondKey === undefined ? null : locate(options.secondKey.column, 'the second key'),
  }
}

/** A line of the crosswalk that is left out would leave its mandate behind. */
const leftOutOf = (
  { preamble, split }: Table,
  columns: Columns,
  footer: string,
  records: number,
): readonly Finding[] =>
  leftOutFindings({
    preamble,
    footer,
    columns: { split, keys: [columns.key, columns.customerNo], account: null },
    records,
    severities: {},
  })

function addLine(
  entries: Map<string, OldKey>,
  columns: Columns,
  cells: readonly string[],
): 'added' | 'repeated' {
  const key = cleanCell(cells[columns.key] ?? '')
  const customerNo = cleanCell(cells[columns.customerNo] ?? '')
  const secondKey = columns.secondKey === null ? '' : cleanCell(cells[columns.secondKey] ?? '')
  const secondKeys = secondKey === '' ? [] : [secondKey]
  const entry = entries.get(key)
  if (entry === undefined) {
    entries.set(key, { customerNo, secondKeys, lines: 1, isAmbiguous: false, isUsed: false })
    return 'added'
  }
  entry.lines += 1
  if (entry.customerNo !== customerNo) {
    entry.isAmbiguous = true
    return 'added'
  }
  // The same customer may be listed once per account, each with its own second key.
  const isNew = secondKey !== '' && !entry.secondKeys.includes(secondKey)
  if (isNew) entry.secondKeys = [...entry.secondKeys, secondKey]
  return isNew ? 'added' : 'repeated'
}

function find(entries: ReadonlyMap<string, OldKey>, oldKey: string): CrosswalkAnswer {
  const entry = oldKey === '' ? undefined : entries.get(oldKey)
  if (entry === undefined) return { kind: 'no_match' }
  entry.isUsed = true
  if (entry.isAmbiguous) return { kind: 'ambiguous' }
  return { kind: 'found', customerNo: entry.customerNo, secondKeys: entry.secondKeys }
}

const MOST_KEYS_SHOWN = 5

function crosswalkFindings(
  name: string,
  entries: ReadonlyMap<string, OldKey>,
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
  const count = (lines: number): string => (lines === 1 ? '1 line' : `${lines} lines`)
  return [
    ...(repeated === 0
      ? []
      : findingOf('CROSSWALK_DUPLICATE_LINE', severities, {
          value: count(repeated),
          detail: `${count(repeated)} of ${name}.`,
        })),
    ...(unused === 0
      ? []
      : findingOf('CROSSWALK_UNUSED_LINE', severities, {
          value: keys.join(', '),
          detail: `${count(unused)} of ${name}.`,
        })),
  ]
}

/** How the second key of a row is compared with that of its crosswalk line. */
export function matchesSecondKey(
  by: 'ibanEnd' | 'cell',
  ofRow: string,
  ofCrosswalk: readonly string[],
): boolean {
  if (ofCrosswalk.length === 0) return true
  if (by === 'cell') return ofCrosswalk.some((key) => fold(key) === fold(ofRow))
  const iban = cleanIban(cleanCell(ofRow))
  return ofCrosswalk.some((key) => iban.endsWith(cleanIban(key)))
}

/** What the crosswalk says of the customer of one row, its second key compared. */
export function askCrosswalk(
  crosswalk: Crosswalk | undefined,
  oldKey: string,
  {
    read,
    mapping: { secondKey },
    severities,
  }: { read: readonly string[]; mapping: Pick<Mapping, 'secondKey'>; severities: SeverityOverrides },
): { readonly customerNo: string | null; readonly findings: readonly Finding[] } {
  const answer = crosswalk?.find(oldKey) ?? { kind: 'no_match' }
  const report = (rule: RuleId): readonly Finding[] =>
    findingOf(rule, severities, { field: 'customer_no', value: oldKey })
  if (answer.kind === 'no_match') return { customerNo: null, findings: report('CROSSWALK_NO_MATCH') }
  if (answer.kind === 'ambiguous') return { customerNo: null, findings: report('CROSSWALK_AMBIGUOUS') }
  const isSame =
    secondKey === null || matchesSecondKey(secondKey.by, read[secondKey.position] ?? '', answer.secondKeys)
  return { customerNo: answer.customerNo, findings: isSame ? [] : report('CROSSWALK_MISMATCH') }
}
