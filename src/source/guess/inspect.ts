import { checkCreditorIdentifier, isSepaIban } from '../../domain/value/identifiers.js'
import { holdsIban, maskAccountCell, isAccountColumn, maskNumbers } from '../../domain/text/accounts.js'
import { type ColumnField, FIELDS, type LocalDate, REQUIRED_FIELDS } from '../../domain/mandate/mandate.js'
import { cleanIban, fold, said } from '../../domain/text/text.js'
import { guessColumns, KEPT_BACK, keptBackBy, staysBehindText } from './fate.js'
import { profileColumn } from './column-profile.js'
import { tellsOfCustomer, holdsAccount, positionOf, meaningOfHeader, type Header } from '../columns/header.js'
import type { SourceInput } from '../bytes/input.js'
import { columnsIn, headerless, isDateField, applyProfile, askOf, profileFor } from '../columns/mapping.js'
import { type ColumnRef, DEFAULT_SOURCE_OPTIONS, type SourceOptions } from '../options.js'
import { type RawRecord, type Table, MOST_TOTALS, isBareTotals } from '../table.js'
import { showValue } from '../../domain/rule/verdict.js'
import { openTable } from '../formats.js'
import { wordsWith } from '../../domain/value/words.js'

/** What can be told of a source without a configuration. Account numbers are masked. */
export type Inspection = Awaited<ReturnType<typeof inspectSource>>

interface InspectOptions {
  readonly today: LocalDate
  /** What is declared wins over what would be guessed. */
  readonly options?: SourceOptions
  readonly signal?: AbortSignal
}

const ROWS_SHOWN = 5
const LINES_SHOWN = 60
const FOOTER_RECORDS = 10 + MOST_TOTALS

/**
 * Looks at a whole source and guesses how it is to be read.
 * @throws {SourceError} for a file that cannot be opened, decoded or split
 */
export async function inspectSource(
  input: SourceInput,
  { today, options = DEFAULT_SOURCE_OPTIONS, signal }: InspectOptions,
) {
  const reading = { layout: options.source, limits: options.limits, isKnown, seeksHeader: true }
  const table = await openTable(input, reading, signal)
  const { name, headerLine, written, evidence } = table
  const { hidden } = evidence
  if (holdsAccount(table.header)) throw headerless(table)
  const before = table.preamble.split(/\r\n|\n|\r/, LINES_SHOWN).slice(0, table.headerLine - 1)
  const survey = await surveyRecords(table, today, signal)
  const system = await systemOf(table.header, options)
  const columns = guessColumns(survey.columns, system?.known)
  const fields = FIELDS.flatMap((wanted) =>
    columns.flatMap(({ field, position }) => (field === wanted ? [{ field, position: position - 1 }] : [])),
  )
  // Lines of totals at the end are no records for `check` either.
  const totals =
    survey.last.length - 1 - survey.last.findLastIndex(({ cells }) => !isBareTotals(cells, fields))
  // Positions of what holds an account number or a part of one, by name or as the guess has it.
  const accounts = new Set(
    columns.flatMap(({ name, field, position }) =>
      field === 'iban' || isAccountColumn(name) ? [position - 1] : [],
    ),
  )
  const missing = REQUIRED_FIELDS.filter((wanted) => columns.every(({ field }) => field !== wanted))
  const hasCreditor = columns.some(({ field }) => field === 'sepa_creditor_identifier')
  return {
    name,
    sha256: survey.end.sha256,
    bytes: survey.end.bytes,
    /** Null where the format has none, as the next. */
    encoding: told(written.encoding?.encoding, written.encoding?.by),
    delimiter: told(written.delimiter?.delimiter, written.delimiter?.by),
    /** Of a workbook, and what of it a person does not see. */
    sheet: told(written.sheet, evidence.sheet),
    hidden: hidden === undefined ? null : { value: options.source.hidden ?? null, evidence: hidden },
    collections: written.collections ?? null,
    /** What to write where the format has no customer numbers. */
    withoutCustomers: table.withoutCustomers ?? null,
    /** Lines before the header, and why the header is believed to be where it is. */
    preamble: { ...evidence.preamble, shown: before.map((line) => showValue(line)) },
    /** Lines behind the last record that are no records. */
    footer: survey.footer,
    headerLine,
    /** Records, the footer left out. */
    records: survey.records - totals,
    blankLines: survey.end.blankLines,
    columns: columns.map(({ first, ...column }) => ({
      ...column,
      values: first.map((cell) => shownCell(cell, accounts.has(column.position - 1))),
    })),
    /** Required fields that no column could be told to hold. */
    missing,
    /** Id of the known system that the file looks like. */
    profile: system?.profile.id ?? null,
    /** What that system is known for, and why it leaves fields open. */
    system: system && {
      name: system.profile.name,
      exclude: system.exclude,
      words: system.profile.words ?? {},
      asks: missing.map((field) => ({ field, ...askOf(system.profile, table.header, field) })),
    },
    /** What the words of the columns keep back, for example `2 ended, 1 one-off will not be migrated`; empty where nothing. */
    staysBehind: staysBehindText(
      columns.flatMap(({ kind }) => (kind === null || kind.form === 'terms' ? [] : kind)),
    ),
    /** Columns that were declared to hold text over several lines. */
    multilineColumns: options.source.multilineColumns,
    /** A creditor identifier in the lines before the header, where no column has one. */
    creditorIdentifier: hasCreditor ? null : findCreditor(before),
    /** The first rows, cell by cell. */
    rows: survey.rows.map((cells) => cells.map((cell, index) => shownCell(cell, accounts.has(index)))),
  }
}

const BY = 'by the profile'

/** The profile of a file, and what it says of its columns. */
async function systemOf(header: Header, options: SourceOptions) {
  const profile = await profileFor(header, options)
  if (profile === null) return null
  const { exclude, source, columns } = applyProfile(profile, header, DEFAULT_SOURCE_OPTIONS).options
  const at = (ref: ColumnRef): number => (positionOf(header, ref) ?? -1) + 1
  const fields = FIELDS.flatMap((field) => columnsIn(columns[field]).map((ref) => [at(ref), field] as const))
  return {
    profile,
    exclude,
    known: {
      fields: new Map(fields),
      others: new Map<number, string>([
        ...exclude.map(({ column, reason }): [number, string] => [
          at(column),
          `${BY}; stays behind: ${reason}`,
        ]),
        ...source.ignoreColumns.map((ref): [number, string] => [at(ref), `${BY}; not what its name says`]),
      ]),
      words: wordsWith({}, profile.words),
    },
  }
}

const told = (value: string | undefined, evidence = '') => (value === undefined ? null : { value, evidence })

/** IBANs and long numbers are masked anywhere, in such a column every number. */
function shownCell(cell: string, isAccount: boolean): string {
  if (!isAccount) return showValue(cell)
  const masked = maskAccountCell(cell)
  return showValue(masked === cell ? maskNumbers(cell) : masked)
}

const isKnown = (name: string): boolean => meaningOfHeader(name).kind !== 'unknown'

async function surveyRecords(table: Table, today: LocalDate, signal: AbortSignal | undefined) {
  const { header } = table
  const profiles = header.seen.map((name) => profileColumn(name))
  const rows: string[][] = []
  const last: RawRecord[] = []
  let records = 0
  const batches = table.read(signal)
  for await (const batch of batches)
    for (const record of batch) {
      records += 1
      if (record.cells.length === header.width)
        for (const [index, column] of profiles.entries())
          if (header.seen[index] === header.names[index])
            column.note(record.cells[header.positions[index] ?? 0] ?? '')
      if (rows.length < ROWS_SHOWN) rows.push(record.cells)
      last.push(record)
      if (last.length > FOOTER_RECORDS) last.shift()
    }
  const footer = guessFooter(last, header.width, records)
  const end = batches.end()
  return {
    end,
    records: records - footer.length,
    columns: profiles.map(({ profile }, index) => ({
      name: header.seen[index] ?? '',
      position: (header.positions[index] ?? 0) + 1,
      profile: profile(records - footer.length, today),
    })),
    rows,
    /** The last records before the footer. */
    last: last.slice(-MOST_TOTALS - footer.length, last.length - footer.length),
    footer: {
      lines: footer[0] === undefined ? 0 : end.lines - footer[0].line + 1,
      shown: footer.map(({ cells }) => showValue(cells.filter((cell) => cell !== '').join(' '))),
    },
  }
}

/** The last records that neither have the header's width nor hold an account: totals, remarks, end marks. */
function guessFooter(last: readonly RawRecord[], width: number, records: number): readonly RawRecord[] {
  if (records <= 1) return []
  const start = last.findLastIndex(({ cells }) => cells.length >= width || cells.some(holdsIban))
  return start < 0 ? [] : last.slice(start + 1)
}

const CREDITOR = /\b[A-Za-z]{2}[0-9]{2}[A-Za-z0-9]{3}[A-Za-z0-9]{1,28}\b/g

/** A creditor identifier in the lines before the header; the check digits keep other words out. */
function findCreditor(lines: readonly string[]) {
  for (const [index, line] of lines.entries())
    for (const [word] of line.matchAll(CREDITOR)) {
      const checked = checkCreditorIdentifier(word)
      if (checked.usable && !isSepaIban(cleanIban(word))) return { value: checked.value, line: index + 1 }
    }
  return null
}

/** Marks the lines that only a person can complete. */
const EDIT = '# EDIT:'

type InspectedColumn = Inspection['columns'][number]
type Draft = ReturnType<typeof draftOf>

const draftOf = (inspection: Inspection) => ({
  ...inspection,
  columns: inspection.columns.map(draftColumn),
})

function draftColumn(column: InspectedColumn, _: number, columns: readonly InspectedColumn[]) {
  const { name, position, field, fate, kind } = column
  const isUnique = columns.filter((other) => fold(other.name) === fold(name)).length === 1
  const open = fate?.kind === 'undecided' ? fate : null
  const isOfferable = open?.by === 'last' || open?.told?.staysBehind.length === 0
  return {
    ...column,
    /** By name, or by position where the name is empty or occurs twice. */
    reference: fold(name) !== '' && isUnique ? scalar(name) : `${position}`,
    /** An exclude rule of the draft keeps back what it says. */
    isExcluded: field === null && kind !== null && kind.form !== 'terms' && kind.staysBehind.length > 0,
    /** The field for which it is offered, since no column feeds that one. */
    offeredFor:
      open !== null && isOfferable && columns.every((other) => other.field !== open.field)
        ? open.field
        : null,
  }
}

/**
 * A commented configuration file for an inspected source. What could not be told is marked
 * with `EDIT`; everything else says why it stands there.
 */
export function draftConfiguration(inspection: Inspection): string {
  const { name, sha256, records } = inspection
  const draft = draftOf(inspection)
  const customer = customerLines(draft)
  return [
    `# How "${commentText(showValue(name))}" is read (${records} records, SHA-256 ${sha256.slice(0, 12)}).`,
    `# Drafted from what the file shows. Lines marked "EDIT" need a person; then run: sepa-migrate check`,
    '',
    '# service: { baseUrl: "https://…", username: … }',
    '',
    ...sourceSection(draft),
    ...ignoreLines(draft),
    '',
    ...profileSection(draft),
    ...columnsSection(draft, customer.column),
    ...customer.crosswalk,
    ...askedLines(draft),
    ...excludeSection(draft),
    '',
    '# rules: { CUSTOMER_MULTIPLE_MANDATES: error }   # severity of single rules: error, warning or off',
    '',
  ].join('\n')
}

function sourceSection(inspection: Draft): string[] {
  const { encoding, delimiter, sheet, hidden, preamble, footer, multilineColumns } = inspection
  const behind = `left out: ${footer.shown.map(commentText).join(' / ')}`
  // What each file shows by itself is found again: the next export may be written otherwise.
  const isSure = ({ evidence }: { readonly evidence: string }): string =>
    /^(?:assumed|declared)/.test(evidence) ? '' : '# '
  return said([
    'source:',
    encoding !== null && `  ${isSure(encoding)}encoding: ${encoding.value}   # ${encoding.evidence}`,
    delimiter !== null &&
      `  ${isSure(delimiter)}delimiter: ${delimiter.value === '\t' ? 'tab' : JSON.stringify(delimiter.value)}   # ${delimiter.evidence}`,
    sheet?.evidence === 'declared' && `  sheet: ${JSON.stringify(sheet.value)}   # declared`,
    hidden !== null &&
      (hidden.value === null
        ? `  # hidden:    ${EDIT} ${hidden.evidence}; "read" if that counts, "skip" if it stays behind, then remove the "#"`
        : `  hidden: ${hidden.value}   # declared: ${hidden.evidence}`),
    `  skipLines: ${preamble.lines}   # ${preamble.evidence}`,
    `  skipFooterLines: ${footer.lines}   # ${footer.lines === 0 ? 'the last record looks like the others' : behind}`,
    multilineColumns.length > 0 && `  multilineColumns: ${JSON.stringify(multilineColumns)}   # declared`,
  ])
}

/** One answer for all columns that nobody decided about, where the rest of the draft has none; `check` asks until then. */
function ignoreLines({ columns }: Draft): string[] {
  const open = columns.filter(
    ({ fate, isExcluded, offeredFor }) =>
      fate?.kind === 'undecided' && !isExcluded && offeredFor === null && fate.by !== 'second',
  )
  if (open.length === 0) return []
  const better = '; better export without those rows'
  return [
    `  # ignoreColumns: [${open.map(({ reference }) => reference).join(', ')}]   ${EDIT} remove the first "#" where none of these says which mandates stay behind or whose account is debited; take out the others, and name them under columns or exclude:`,
    ...open.map(
      ({ reference, evidence, kind }) =>
        `  #   ${reference}: ${commentText(evidence)}${kind?.form === 'terms' ? better : ''}`,
    ),
  ]
}

/** What counts by the profile, beside what the configuration says. */
function profileSection({ profile, system }: Draft): string[] {
  if (system === null) return []
  return [
    `profile: ${profile ?? ''}   # looks like ${system.name}; what is known of it counts, too:`,
    ...system.exclude.map((rule) => `# stays behind: ${JSON.stringify(rule)}`),
    ...Object.entries(system.words).map(([field, words]) => `# words of ${field}: ${JSON.stringify(words)}`),
    '',
  ]
}

const OFFER = `${EDIT} remove the first "#" to use it, or write "none";`

/** What feeds each field, what a person has to say, and what else there is. */
function columnsSection(draft: Draft, customer: readonly string[]): string[] {
  const { columns, missing, creditorIdentifier } = draft
  /** Columns that feed nothing, and may be what feeds a field. */
  const rivalsOf = (field: ColumnField): string[] =>
    columns.flatMap(({ fate, name }) =>
      fate?.kind === 'undecided' && fate.by === 'second' && fate.field === field
        ? `"${commentText(showValue(name))}"`
        : [],
    )
  const fed = columns.flatMap((column) =>
    column.field === null ? [] : mappedLine(column.field, column, rivalsOf(column.field)),
  )
  return [
    fed.length === 0 && creditorIdentifier === null ? '# columns:' : 'columns:',
    ...fed,
    ...missing.filter((field) => field !== 'customer_no').map((field) => missingLine(field, draft)),
    ...customer,
    ...columns.flatMap((column) =>
      column.offeredFor === null ? [] : mappedLine(column.offeredFor, column, [], OFFER),
    ),
  ]
}

/** @param rivals other columns that may be it */
function mappedLine(
  field: ColumnField,
  { reference, dateFormat, rivalFormats, isUnnamedDay, kind, doubt, evidence }: Draft['columns'][number],
  rivals: readonly string[],
  offer: string | false = false,
): string {
  const isDate = isDateField(field)
  const value = isDate ? `{ column: ${reference}, format: ${dateFormat ?? 'iso'} }` : reference
  const open = said([
    isUnnamedDay && 'its name does not say that the mandate was signed then; remove the first "#" if it was;',
    rivals.length > 0 && `${rivals.join(', ')} may be it, too; remove the first "#" or name the right one;`,
    isDate &&
      rivalFormats.length > 0 &&
      `${rivalFormats.join(', ')} would fit too; remove the first "#" or name the right format;`,
  ])
  const notes = said([
    offer,
    ...open.map((why) => `${EDIT} ${why}`),
    doubt !== null && `${EDIT} ${doubt};`,
    kind !== null && kind.unknown.length > 0 && `${EDIT} sort in under words: what is not understood;`,
    `# ${evidence}`,
  ])
  return `  ${offer !== false || open.length > 0 ? '# ' : ''}${field}: ${value}   ${notes.join(' ')}`
}

function missingLine(field: ColumnField, { creditorIdentifier, system }: Draft): string {
  const ask = (value: string, what: string): string => `  # ${field}: ${value}   ${EDIT} ${what}`
  const isCreditor = field === 'sepa_creditor_identifier'
  if (isCreditor && creditorIdentifier !== null)
    return `  ${field}: { constant: ${creditorIdentifier.value} }   # no column has one; found in line ${creditorIdentifier.line}`
  const asked = system?.asks.find((one) => one.field === field)
  if (asked !== undefined) return ask(asked.write ?? '', asked.why)
  if (isCreditor)
    return ask('{ constant:  }', 'no column has one; take it from a bank statement, then remove the "#"')
  return ask('', 'which column holds it? By name or position, then remove the "#"')
}

/** What the system keeps in a second file. */
const askedLines = ({ system }: Draft): string[] =>
  (system?.asks ?? []).flatMap(({ field, section }) =>
    section === undefined
      ? []
      : ['', `${EDIT} for ${field}, remove the "# " of the next line`, `# ${section}`],
  )

/** Nobody can tell from a file whether its customer numbers are those of the service, so none is chosen here. */
function customerLines({ columns, missing, system, withoutCustomers }: Draft) {
  if (!missing.includes('customer_no')) return { column: [], crosswalk: [] }
  if (withoutCustomers !== null)
    return { column: [], crosswalk: ['', `${EDIT} ${withoutCustomers.replace('\n', '\n# ')}`] }
  const known = system?.asks.find(({ field }) => field === 'customer_no')?.write
  const ofSystem = columns.filter(({ name }) => name === known)
  const keys = ofSystem.length > 0 ? ofSystem : columns.filter(({ role }) => role === 'key')
  // Where a heading tells of customers, no other one is meant.
  const told = keys.filter(({ name }) => tellsOfCustomer(name) === true)
  const likely = told.length > 0 ? told : keys
  const [key = null, ...others] = likely
  const isOpen = key === null || others.length > 0
  const from = isOpen ? '"…"' : key.reference
  const strip = isOpen || (key.prefix ?? '') === '' ? [] : [`stripPrefix: ${JSON.stringify(key.prefix)}`]
  const shown = (one: Draft['columns'][number]): string => ` (${one.values.map(commentText).join(', ')})`
  return {
    column: [
      `  ${EDIT} the customer number of the new service. Remove the "# " of the next line where that column holds it${isOpen ? '' : shown(key)},`,
      '  # or of the crosswalk below where it is a key of the old system.',
      ...(isOpen ? likely.map((one) => `  # It may be ${one.reference}${shown(one)}.`) : []),
      `  # customer_no: { column: ${from}, transform: [${[...strip, 'stripZeros'].join(', ')}] }`,
    ],
    crosswalk: [
      '',
      '# A second file says which customer each old key is; its columns are named here, too.',
      `# crosswalk: { file: customers.csv, from: ${from}, key: old_key, customer_no: customer_no }`,
    ],
  }
}

function excludeSection({ columns }: Draft): string[] {
  const excludes = columns.flatMap(excludeLines)
  const why = '# Rows that stay behind by the words of a column that feeds no field.'
  return excludes.length === 0 ? [] : ['', why, 'exclude:', ...excludes]
}

/** One rule per reason; a column in which nothing is kept back needs none. */
function excludeLines({ reference, isExcluded, kind }: Draft['columns'][number]): string[] {
  if (kind === null || !isExcluded) return []
  const rules = [...new Set(kind.staysBehind.map(({ rule }) => rule))]
  return rules.map((rule) => {
    const words = kind.staysBehind.filter((entry) => entry.rule === rule)
    const rows = words.reduce((sum, { count }) => sum + count, 0)
    const reason = KEPT_BACK[rule]?.[1] ?? 'not to be migrated'
    const doubt =
      rule === 'SEQUENCE_FINAL'
        ? ` ${EDIT.slice(2)} was the last collection made, or is it the next one?`
        : ''
    return `  - { column: ${reference}, ${keptBackBy(kind, words)}, reason: ${reason} }   #${doubt} ${rows} of the records`
  })
}

const PLAIN = /^\p{L}[\p{L}\p{N}_. -]*[\p{L}\p{N}]$/u
const RESERVED = /^(?:true|false|null|yes|no|on|off)$/i

/** A YAML scalar that is safe inside a flow mapping. */
const scalar = (text: string): string =>
  PLAIN.test(text) && !RESERVED.test(text) ? text : JSON.stringify(text)

/** Text for the rest of a commentText line. */
const commentText = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
