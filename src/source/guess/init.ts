import { REQUIRED_FIELDS, type Field } from '../../domain/mandate/mandate.js'
import { fold } from '../../domain/text/text.js'
import type { RuleId } from '../../domain/rule/rules.js'
import type { ColumnGuess } from './column-guess.js'
import type { ColumnKind } from './column-kind.js'
import type { Inspection } from './inspect.js'
import { showValue } from '../../domain/rule/verdict.js'

/** Marks the lines that only a person can complete. */
const EDIT = '# EDIT:'

/**
 * A commented configuration file for an inspected source. What could not be told is marked
 * with `EDIT`; everything else says why it stands there.
 */
export function draftConfiguration(inspection: Inspection): string {
  const { name, sha256, records } = inspection
  return [
    `# How "${comment(showValue(name))}" is read (${records} records, SHA-256 ${sha256.slice(0, 12)}).`,
    `# Drafted from what the file shows. Lines marked "EDIT" need a person; then run: sepa-migrate check`,
    '',
    '# service: { baseUrl: "https://…", username: … }',
    '',
    ...sourceSection(inspection),
    '',
    ...columnsSection(inspection),
    '',
    ...customerSection(inspection),
    ...excludeSection(inspection),
    '',
    '# rules: { CUSTOMER_MULTIPLE_MANDATES: error }   # severity of single rules: error, warning or off',
    '',
  ].join('\n')
}

function sourceSection({ encoding, delimiter, preamble, footer, multilineColumns }: Inspection): string[] {
  return [
    'source:',
    ...(encoding === null ? [] : [`  encoding: ${encoding.value}   # ${encoding.evidence}`]),
    ...(delimiter === null
      ? []
      : [
          `  delimiter: ${delimiter.value === '\t' ? 'tab' : JSON.stringify(delimiter.value)}   # ${delimiter.evidence}`,
        ]),
    `  skipLines: ${preamble.lines}   # ${preamble.evidence}`,
    `  skipFooterLines: ${footer.lines}   # ${footerEvidence(footer)}`,
    ...(multilineColumns.length === 0
      ? []
      : [`  multilineColumns: ${JSON.stringify(multilineColumns)}   # declared`]),
  ]
}

const footerEvidence = ({ lines, shown }: Inspection['footer']): string =>
  lines === 0 ? 'the last record looks like the others' : `left out: ${shown.map(comment).join(' / ')}`

function columnsSection(inspection: Inspection): string[] {
  const { columns } = inspection
  const lines = columns.flatMap((column) =>
    column.field === null ? [] : [mappedLine(column.field, column, columns)],
  )
  const missing = REQUIRED_FIELDS.filter(
    (field) => field !== 'customer_no' && columns.every((column) => column.field !== field),
  )
  return [
    'columns:',
    ...lines,
    ...missing.map((field) => missingLine(field, inspection)),
    ...statusLines(inspection),
  ]
}

function mappedLine(field: Field, column: ColumnGuess, columns: readonly ColumnGuess[]): string {
  const isDate = field === 'signed_date' || field === 'last_collection_date'
  const reference = columnReference(column, columns)
  const value = isDate ? `{ column: ${reference}, format: ${column.dateFormat ?? 'iso'} }` : reference
  const rivals =
    isDate && column.rivalFormats.length > 0
      ? [`${EDIT} ${column.rivalFormats.join(', ')} would fit too`]
      : []
  const guess = `# ${column.evidence}`
  return `  ${field}: ${value}   ${[...rivals, guess].join(' ')}`
}

function missingLine(field: Field, { creditorIdentifier }: Inspection): string {
  if (field !== 'sepa_creditor_identifier')
    return `  ${field}: "the name of its column"   ${EDIT} no column could be told to hold it`
  if (creditorIdentifier !== null)
    return `  ${field}: { constant: ${creditorIdentifier.value} }   # no column has one; found in line ${creditorIdentifier.line}`
  return `  ${field}: { constant: "the previous creditor's identifier" }   ${EDIT} no column has one; take it from a bank statement`
}

/** Columns that may say which mandates are active, where none is known to. */
function statusLines({ columns, mayBeStatus }: Inspection): string[] {
  if (mayBeStatus.length === 0 || columns.some(({ field }) => field === 'status')) return []
  const named = mayBeStatus.map(({ name, values }) => `${comment(name)} (${comment(values)})`)
  return [
    `  # status: none   ${EDIT} name the column that says which mandates are active; "none" where no column does: ${named.join('; ')}`,
  ]
}

function customerSection({ columns }: Inspection): string[] {
  if (columns.some(({ field }) => field === 'customer_no')) return []
  const key = columns.find(({ role }) => role === 'key')
  const from = key === undefined ? '"the column of the old key"' : columnReference(key, columns)
  return [
    "# The invoicing service's customer number. The previous creditor's export does not know it: a second file has to",
    '# say which customer each old key is. Its columns are named here, too.',
    `crosswalk: { file: customers.csv, from: ${from}, key: old_key, customer_no: customer_no }   ${EDIT} file and its columns`,
    `# If a column of this export truly holds the service's number, remove the crosswalk and add to the columns above:`,
    `#   customer_no: { column: ${from}, transform: [stripPrefix: C-] }`,
  ]
}

function excludeSection({ columns }: Inspection): string[] {
  const excludes = columns.flatMap((column) =>
    column.field === null && column.kind !== null ? excludeLines(column, column.kind, columns) : [],
  )
  return [
    ...(excludes.length === 0
      ? []
      : [
          '',
          '# Rows that stay behind by the words of a column that feeds no field.',
          'exclude:',
          ...excludes,
        ]),
    ...wordsSection(columns),
  ]
}

/** One rule per reason; a column in which nothing is kept back needs none. */
function excludeLines(
  column: ColumnGuess,
  { form, staysBehind }: ColumnKind,
  columns: readonly ColumnGuess[],
): string[] {
  const rules = [...new Set(staysBehind.map(({ rule }) => rule))]
  return rules.map((rule) => {
    const words = staysBehind.filter((entry) => entry.rule === rule)
    const values = words.map(({ word }) => JSON.stringify(word)).join(', ')
    const which = form === 'ends' ? 'filled: true' : `equals: [${values}]`
    const rows = words.reduce((sum, { count }) => sum + count, 0)
    return `  - { column: ${columnReference(column, columns)}, ${which}, reason: ${REASONS[rule] ?? 'not to be migrated'} }   # ${rows} of the records`
  })
}

const REASONS: Readonly<Partial<Record<RuleId, string>>> = {
  STATUS_NOT_ACTIVE: 'ended at the previous creditor',
  SEQUENCE_ONE_OFF: 'one-off mandate',
  SEQUENCE_FINAL: 'the final collection was made',
  SCHEME_B2B: 'business-to-business mandate',
}

const LISTS: Readonly<Record<string, string>> = {
  status: 'status: { active: [], notActive: [] }',
  sequence: 'sequence: { recurrent: [], oneOff: [], final: [] }',
  scheme: 'scheme: { core: [], b2b: [] }',
}

/** Where the words that were not understood are to be sorted in. */
function wordsSection(columns: readonly ColumnGuess[]): string[] {
  const unknown = columns.filter(({ field, kind }) => field !== null && (kind?.unknown.length ?? 0) > 0)
  if (unknown.length === 0) return []
  const lists = unknown.map(({ field }) => LISTS[field ?? ''] ?? '').join(', ')
  const words = unknown.flatMap(({ kind }) => kind?.unknown ?? [])
  const shown = words.map(({ word, count }) => `${comment(showValue(word))} (${count})`).join(', ')
  return ['', `# words: { ${lists} }   ${EDIT} sort in: ${shown}`]
}

/** By name, or by position where the name is empty or occurs twice. */
function columnReference({ name, position }: ColumnGuess, columns: readonly ColumnGuess[]): string {
  const isUnique = columns.filter((other) => fold(other.name) === fold(name)).length === 1
  return fold(name) !== '' && isUnique ? scalar(name) : `${position}`
}

const PLAIN = /^\p{L}[\p{L}\p{N}_. -]*[\p{L}\p{N}]$/u
const RESERVED = /^(?:true|false|null|yes|no|on|off)$/i

/** A YAML scalar that is safe inside a flow mapping. */
const scalar = (text: string): string =>
  PLAIN.test(text) && !RESERVED.test(text) ? text : JSON.stringify(text)

/** Text for the rest of a comment line. */
const comment = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
