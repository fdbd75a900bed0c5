import { UsageError, type SourceError, refuse } from '../../errors.js'
import {
  type ColumnField,
  FIELDS,
  PAYER_FIELDS,
  REQUIRED_FIELDS,
  type Field,
} from '../../domain/mandate/mandate.js'
import { CUSTOMER_COLUMN } from '../../domain/row/list-columns.js'
import { fold, cleanCell, namesInTemplate, orNearest } from '../../domain/text/text.js'
import {
  duplicateColumns,
  findColumn,
  holdsAccount,
  looksLikeValue,
  namesEnd,
  showNames,
  type Header,
  isFirmenMandat,
  meaningOfHeader,
} from './header.js'
import {
  NONE,
  type Candidates,
  type ColumnRef,
  type ColumnsOptions,
  type SourceOptions,
  type Transform,
  type ExcludeOptions,
} from '../options.js'
import type { Table } from '../table.js'
import {
  type Finding,
  NO_FINDINGS,
  ruleOf,
  type RuleId,
  type SeverityOverrides,
  findingOf,
  joinFindings,
  showValue,
} from '../../domain/rule/verdict.js'
import { isDamaged, keepsBack, mayMean, wordOf, WORDS, type WordField } from '../../domain/value/words.js'
import { isOpenEnd } from '../../domain/value/check-mandate.js'

interface MappedColumn {
  readonly field: Field
  /** Where the column stands in a record, from 0. */
  readonly position: number
  readonly name: string
  readonly transforms: readonly Transform[]
}

/** The dates of a mandate, by the names of their formats. */
export const DATES = { signed_date: 'signedDate', last_collection_date: 'lastCollection' } as const
export type DateField = keyof typeof DATES
export const isDateField = (field: ColumnField): field is DateField => field in DATES

/** Which column feeds which field. */
export type Mapping = ReturnType<typeof mapColumns>

/** Why no column of a known system feeds a field, and what a person may write for it. */
export interface Ask {
  readonly why: string
  readonly write?: string
  /** In place of a column, a line beside `columns`. */
  readonly section?: string
}

export const whyText = ({ why, section }: Ask): string => (section === undefined ? why : `${why}: ${section}`)

/** What a person said, where a profile says more. */
interface SaidOfColumns {
  readonly columns: ColumnsOptions
  readonly ask: (field: Field) => Ask | null
}

/** A second file that rows are looked up in, by these columns, and what is taken from there. */
export type Lookup = ReturnType<typeof lookupsOf>[number]

/** The crosswalk comes last: its second key may be compared with an account that is joined. */
export const lookupsOf = ({ crosswalk, join }: Pick<SourceOptions, 'crosswalk' | 'join'>) => [
  ...join.map(({ on, take, ...file }) => ({
    ...file,
    section: 'join' as const,
    what: 'the joined file',
    keys: Object.entries(on).map(([from, column]) => ({ from, column, purpose: `the key "${from}"` })),
    take: Object.entries(take).map(([field, option]) => ({
      field: field as Field,
      ...(typeof option === 'object' ? option : { column: option, format: 'iso' as const }),
    })),
    secondKey: undefined,
  })),
  ...(crosswalk === undefined
    ? []
    : [
        {
          ...crosswalk,
          section: 'crosswalk' as const,
          what: 'the crosswalk',
          keys: [{ from: crosswalk.from, column: crosswalk.key, purpose: 'the old key' }],
          take: [{ field: 'customer_no' as const, column: crosswalk.customer_no, format: 'iso' as const }],
          secondKey: crosswalk.secondKey,
        },
      ]),
]

/** The columns of the export that rows are looked up by. */
export const keyColumns = ({ keys }: Lookup): ColumnRef[] => keys.flatMap(({ from }) => from)

/** The columns of the export that the configuration gives by their position, and where it does. */
export function positionsIn(header: Header, { columns, exclude, source, crosswalk }: SourceOptions) {
  const second = crosswalk?.secondKey
  const wanted: (readonly [string, readonly ColumnRef[]])[] = [
    ...Object.entries(columns).map(([field, option]) => [`columns.${field}`, columnsIn(option)] as const),
    ...exclude.map(({ column }) => ['exclude', [column]] as const),
    ...source.ignoreColumns.map((ref) => ['source.ignoreColumns', [ref]] as const),
    ['crosswalk.from', candidatesOf(crosswalk?.from ?? [])],
    ['crosswalk.secondKey', candidatesOf(second !== undefined && 'from' in second ? second.from : [])],
  ]
  return wanted.flatMap(([where, refs]) => {
    const position = refs.find((ref) => findColumn(header, ref) !== null)
    return typeof position === 'number' ? [{ where, position, ...headingAt(header, position) }] : []
  })
}

/** What the header has at a position, of a second file with its name. */
export const headingAt = (header: Header, position: number, file: string | null = null) => ({
  heading: header.names[findColumn(header, position) ?? -1] ?? '',
  file,
})

interface Problem {
  readonly rule: RuleId
  readonly detail: string
  /** What a person may write in the configuration, under columns. */
  readonly write?: string
}

const unfed = (field: Field, ask: Ask | null): Problem => ({
  rule: 'FILE_HEADER_MISSING',
  detail: `it has no column for ${field}${ask === null ? '' : ` (${whyText(ask)})`}`,
  ...(ask?.write === undefined ? {} : { write: `${field}: ${ask.write}` }),
})

/**
 * Finds the column of every field, by the configuration first and by the usual names otherwise
 * (domain/rulebook.md#header-folding).
 * A column that it names for another field is none of those that need not be there.
 * @throws {SourceError} FILE_HEADER_MISSING, FILE_HEADER_DUPLICATE or FILE_HEADER_AMBIGUOUS, with all that is wrong
 * @throws {UsageError} when the configuration contradicts itself
 */
export function mapColumns(table: Table, options: SourceOptions, said: SaidOfColumns) {
  const { header } = table
  const { columns, crosswalk, exclude } = options
  const ignored = new Set(options.source.ignoreColumns.map((ref) => findColumn(header, ref)))
  const named = FIELDS.map((field) => located(header, readOption(columns[field]).candidates))
  const given = lookupsOf(options)
  const taken = new Set<Field>()
  for (const { section, take } of given)
    for (const { field } of take) {
      const isColumn = columns[field] !== undefined
      if (isColumn || taken.has(field))
        throw new UsageError(
          `The configuration gives ${field} twice: ${isColumn ? 'as a column and by a' : 'by more than one'} ${section}`,
          isColumn ? `Remove columns.${field} or the ${section} section.` : 'Take it from one file.',
        )
      taken.add(field)
    }
  const problems: Problem[] = []
  const fields: MappedColumn[] = []
  const creditor = readOption(columns.sepa_creditor_identifier)
  const { template } = readOption(columns.unique_mandate_reference)
  const find = (wanted: Candidates, purpose: string) => {
    const found = located(header, candidatesOf(wanted))
    if (found === null) problems.push(missing(purpose, candidatesOf(wanted)))
    return found === null ? [] : [at(header, found)]
  }
  const parts = namesInTemplate(template ?? '').flatMap((name) =>
    find(name, 'the template of unique_mandate_reference').map(({ position }) => ({ name, position })),
  )
  for (const field of FIELDS) {
    if (field === 'unique_mandate_reference' && template !== null) continue
    if (taken.has(field)) continue
    if (!isRequired(field) && columns[field] === NONE) continue
    const option = readOption(columns[field])
    const found =
      option.candidates.length > 0
        ? (located(header, option.candidates) ?? missing(field, option.candidates))
        : recognised(header, field, isRequired(field) ? ignored : new Set([...ignored, ...named]))
    if (typeof found === 'number') fields.push({ field, ...at(header, found), transforms: option.transforms })
    else if (found !== null) problems.push(found)
    else if (isRequired(field) && !(field === 'sepa_creditor_identifier' && creditor.constant !== null))
      problems.push(unfed(field, said.ask(field)))
  }
  const payer = PAYER_FIELDS.flatMap((field) => {
    const { candidates } = readOption(columns[field])
    const found = candidates.flatMap((ref) => (ref === NONE ? [] : (findColumn(header, ref) ?? [])))
    if (found.length === 0 && candidates.some((ref) => ref !== NONE))
      problems.push(missing(field, candidates))
    const usual = header.seen.findIndex((name, at) => isUsualName(name, field) && !ignored.has(at))
    const indexes = candidates.length > 0 ? found : usual === -1 ? [] : [usual]
    const names = indexes.map((index) => header.names[index] ?? '')
    const [name] = names.length > 1 ? [names.map((one) => `{${one}}`).join(' ')] : names
    return name === undefined ? [] : [{ field, name }]
  })
  const lookups = given.map(({ keys, ...lookup }) => ({
    ...lookup,
    keys: keys.flatMap(({ from, purpose }) => find(from, `${purpose} of the ${lookup.section}`)),
  }))
  const second = crosswalk?.secondKey
  const compared =
    second !== undefined && 'from' in second ? find(second.from, 'the second key of the crosswalk') : []
  for (const { column } of exclude) find(column, 'an exclude rule')
  if (holdsAccount(header) || fields.some(({ name }) => looksLikeValue(name))) throw headerless(table)
  problems.push(
    ...sharedColumns(fields, columns),
    ...duplicates(header, columns, taken, [
      ...given.flatMap(keyColumns),
      ...exclude.map(({ column }) => column),
    ]),
  )
  if (problems.length > 0) throw headerProblem(table, problems)
  const dated = (field: DateField) =>
    given.flatMap(({ take }) => take).find((one) => one.field === field)?.format ??
    readOption(columns[field]).format
  return {
    fields,
    /** Columns that say who pays, those of several as in a template: all count together. */
    payer,
    /** The reference is made of these columns. */
    template: template === null ? null : { text: template, parts },
    /** Fields that the configuration decides about: by a column, or that there is none. */
    decided: new Set(
      FIELDS.filter(
        (field) => said.columns[field] !== undefined || (taken.has(field) && field !== 'customer_no'),
      ),
    ),
    /** Fills empty cells of the creditor identifier. */
    constant: creditor.constant,
    /** How the dates are declared. */
    formats: { signedDate: dated('signed_date'), lastCollection: dated('last_collection_date') },
    /** The scheme column says yes or no. */
    schemeIsFirmenMandat: [...fields, ...given.flatMap(({ take }) => take)].some(
      (one) => one.field === 'scheme' && isFirmenMandat(String('name' in one ? one.name : one.column)),
    ),
    lookups,
    /** Fields that come from second files. */
    taken,
    /** The column with the old key that the crosswalk translates. */
    oldKey: lookups.find(({ section }) => section === 'crosswalk')?.keys[0] ?? null,
    /** Where a person says which customer it is. */
    customer: header.own(CUSTOMER_COLUMN),
    /** The cell that is compared with the second key of the crosswalk line, or the end of the account. */
    secondKey: second === undefined ? null : (compared[0] ?? ('ibanEnd' as const)),
    /** Columns that a field is made of or looked up by. */
    parts: [
      ...parts.map((part) => ({ ...part, field: 'unique_mandate_reference' as const })),
      ...lookups.flatMap(({ keys, take: [first] }) =>
        keys.map((part) => ({ ...part, field: first?.field ?? 'customer_no' })),
      ),
      ...compared.map((part) => ({ ...part, field: 'customer_no' as const })),
    ],
  }
}

/** A column or a second file feeds the field. */
export const isFed = ({ taken, fields }: Mapping, field: Field): boolean =>
  taken.has(field) || fields.some((column) => column.field === field)

/** The columns that an option names. */
export function columnsIn(option: ColumnsOptions[keyof ColumnsOptions]): readonly ColumnRef[] {
  const { candidates, template } = readOption(option)
  return template === null ? candidates : namesInTemplate(template)
}

const candidatesOf = (candidates: Candidates): readonly ColumnRef[] =>
  Array.isArray(candidates) ? candidates : [candidates]

function readOption(option: ColumnsOptions[keyof ColumnsOptions]) {
  const plain = { candidates: [], transforms: [], format: 'iso', constant: null, template: null } as const
  if (option === undefined) return plain
  if (typeof option !== 'object' || Array.isArray(option))
    return { ...plain, candidates: candidatesOf(option) }
  return {
    candidates: 'column' in option ? candidatesOf(option.column) : [],
    transforms: 'transform' in option ? (option.transform ?? []) : [],
    format: 'format' in option ? (option.format ?? 'iso') : 'iso',
    constant: 'constant' in option ? (option.constant ?? null) : null,
    template: 'template' in option ? option.template : null,
  }
}

const isRequired = (field: Field): boolean => REQUIRED_FIELDS.some((required) => required === field)

/** The first of the candidates that the file has. */
const located = (header: Header, candidates: readonly ColumnRef[]): number | null =>
  candidates.flatMap((candidate) => findColumn(header, candidate) ?? [])[0] ?? null

const missing = (purpose: string, candidates: readonly ColumnRef[]): Problem => ({
  rule: 'FILE_HEADER_MISSING',
  detail: `it has no column ${candidates.map((ref) => (typeof ref === 'number' ? `${ref}` : `"${ref}"`)).join(' or ')} for ${purpose}`,
})

/**
 * Folding would take "Customer No." for customer_no. In an export of the previous creditor that is the old key, and
 * sending it would debit strangers, so this one name must stand as it is.
 */
export function isUsualName(name: string, field: ColumnField): boolean {
  if (field === 'customer_no') return name.toLowerCase() === 'customer_no'
  const meaning = meaningOfHeader(name)
  if (meaning.kind === 'second_key') return field === 'payer_name'
  return meaning.kind === 'field' && meaning.field === field
}

function recognised(header: Header, field: Field, ignored: ReadonlySet<number | null>) {
  const listed = [...(header.inLists ?? [])].filter(([name]) => isUsualName(name, field))
  const [own] = listed
  if (own !== undefined && listed.every(([, name]) => name === own[1])) return findColumn(header, own[0])
  const matches = header.seen.flatMap((name, index) =>
    isUsualName(name, field) && !ignored.has(index) ? [index] : [],
  )
  const [index = null, ...others] = matches
  // Names that are equal after folding are reported as duplicates.
  const distinct = new Set(matches.map((match) => fold(header.names[match] ?? '')))
  if (others.length === 0 || distinct.size === 1) return index
  const names = matches.map((match) => `"${header.names[match] ?? ''}"`).join(' and ')
  return { rule: 'FILE_HEADER_AMBIGUOUS' as const, detail: `its columns ${names} could both be ${field}` }
}

const at = (header: Header, index: number): { position: number; name: string } => ({
  position: header.positions[index] ?? 0,
  name: header.names[index] ?? '',
})

/** One column for two fields, unless the configuration names it for both. */
function sharedColumns(fields: readonly MappedColumn[], columns: ColumnsOptions): Problem[] {
  const isNamed = ({ field }: MappedColumn): boolean =>
    readOption(columns[field]).candidates.some((ref) => typeof ref === 'string')
  return fields.flatMap((one, index) =>
    fields
      .slice(index + 1)
      .filter((other) => other.position === one.position && !(isNamed(one) && isNamed(other)))
      .map((other) => ({
        rule: 'FILE_HEADER_AMBIGUOUS' as const,
        detail: `its column "${one.name}" would be both ${one.field} and ${other.field}`,
      })),
  )
}

/**
 * Equal names are tolerated only where nothing is looked up by them: nothing is configured by one of those names, and all
 * required fields are, or none of the others is usually called so.
 */
function duplicates(header: Header, columns: ColumnsOptions, taken: Set<Field>, keys: ColumnRef[]) {
  const sought = [...FIELDS.filter((field) => !taken.has(field)), ...PAYER_FIELDS]
  const isConfigured = REQUIRED_FIELDS.every((field) => columns[field] !== undefined || taken.has(field))
  const named = [...Object.values(columns).flatMap(columnsIn), ...keys]
  const byName = new Set(named.flatMap((ref) => (typeof ref === 'string' ? [fold(ref)] : [])))
  return duplicateColumns(header).flatMap((group) => {
    const name = header.names[group[0] ?? 0] ?? ''
    const isUsual = sought.some((field) => columns[field] === undefined && isUsualName(name, field))
    if ((isConfigured || !isUsual) && !byName.has(fold(name))) return []
    const positions = group.map((index) => (header.positions[index] ?? 0) + 1).join(' and ')
    const detail = `the column name "${name}" occurs ${group.length} times (columns ${positions})`
    return [{ rule: 'FILE_HEADER_DUPLICATE' as const, detail }]
  })
}

/** Mapped by position, the first record of such a file would be lost as its header. */
export const headerless = ({ label, headerLine: line }: Table): SourceError =>
  refuse(label, 'FILE_HEADER_MISSING', `its line ${line} holds values where column names should be`, {
    line,
    next: 'Add a header line, or correct source.skipLines so that the header is read.',
  })

function headerProblem({ label, headerLine: line, header }: Table, problems: readonly Problem[]) {
  const rule = problems[0]?.rule ?? 'FILE_HEADER_MISSING'
  const details = problems.map(({ detail }) => detail).join('; ')
  const writes = problems.flatMap(({ write }) => write ?? []).join(', ')
  const drafts = ' (sepa-migrate init FILE drafts a configuration)'
  const write = `Write into the configuration what is so: columns: { ${writes} }; where the service has other customer numbers, a crosswalk in place of customer_no${drafts}`
  const usual = writes === '' ? ruleOf(rule).remedy.replace(/\.$/, `${drafts}.`) : write
  const has = (column: string): boolean => findColumn(header, column) !== null
  const ours = has('iban_masked') ? TO_DECIDE : LIST_OF_OURS
  const next = header.migrationRow !== null ? ours : has('remedy') ? TO_READ : usual
  const what = `${details}; its header has ${showNames(header)}`
  return refuse(label, rule, what, { line, next })
}

const LIST_OF_OURS =
  'It is a list of this program: give it with the columns that it was written with, and the configuration that the exports of its lines were read with (--config)'

/** cut-over.csv and problems.csv, by a column that no list to correct in has. */
const TO_DECIDE = 'It is a list to decide in, and corrects nothing: sepa-migrate resolve --from FILE'
const TO_READ = 'It is a list to read: correct and decide in to-do/to-do.xlsx of the report, and give that'

/** `gekündigt zum 31.12.2025` is the word `gekündigt`, where that word keeps a mandate back. */
function isDated(value: string, folded: ReadonlySet<string>): boolean {
  const word = wordOf(value)
  return folded.has(word) && keepsBack(word)
}

/**
 * Prepares the exclude rules for the columns of one source, which are known to be there.
 * @param sorted columns whose words are understood as those of a field, so that what no rule names is told there
 * @returns the findings that keep a record back on purpose (domain/rulebook.md#exclusions), or until a person says whether it
 * is one of those, from its cells in header order
 */
export function excludeBy(
  header: Header,
  rules: ExcludeOptions,
  severities: SeverityOverrides,
  sorted: readonly number[] = [],
) {
  const indexes = [...new Set(rules.map(({ column }) => findColumn(header, column) ?? -1))]
  const columns = indexes.map((index) => {
    const own = rules.filter(({ column }) => findColumn(header, column) === index)
    const name = header.names[index] ?? ''
    const listed = own.flatMap(({ equals = [] }) => equals).map(cleanCell)
    const isFlag = namesEnd(name) || WORDS.status.has(fold(name))
    const isUnclear = listed.length === 0 || sorted.includes(index) ? () => false : mayMean(listed, isFlag)
    const exclusions = own.map((rule) => ({ ...rule, keeps: keptBy(rule) }))
    const told = (value: string): readonly Finding[] => {
      const kept = exclusions.filter(({ keeps }) => keeps(value))
      if (kept.length === 0 && isUnclear(value))
        return findingOf('STATUS_UNKNOWN', severities, { value, ...unclearText(name, value, listed) })
      return kept.flatMap(({ reason: message }) =>
        findingOf('EXCLUDED_BY_CONFIGURATION', severities, { value, message }),
      )
    }
    const known = new Map<string, readonly Finding[]>()
    return (cells: readonly string[]): readonly Finding[] => {
      const cell = cells[index] ?? ''
      const findings = known.get(cell) ?? told(cleanCell(cell))
      if (known.size < MOST_KNOWN) known.set(cell, findings)
      return findings
    }
  })
  if (columns.length === 0) return () => NO_FINDINGS
  return (cells: readonly string[]): readonly Finding[] => joinFindings(...columns.map((told) => told(cells)))
}

/** A column of words repeats a few. */
const MOST_KNOWN = 500

function keptBy({ filled, equals, except }: ExcludeOptions[number]): (value: string) => boolean {
  if (filled === true) return (value) => !isOpenEnd(value)
  const values = (equals ?? except ?? []).map(cleanCell)
  const exact = new Set(values)
  // A value of signs only, such as "-", folds to nothing and would match every empty cell.
  const folded = new Set(values.map(fold).filter((word) => word !== ''))
  const isNamed = (value: string): boolean =>
    exact.has(value) || folded.has(fold(value)) || (except === undefined && isDated(value, folded))
  return (value) => isNamed(value) === (except === undefined)
}

const shown = (text: string): string => JSON.stringify(showValue(text))

/** A word that no rule names, where it may say what they name. */
function unclearText(name: string, value: string, listed: readonly string[]) {
  const [column, word] = [shown(name), shown(value)]
  const words = listed.map(shown)
  const message = `Column ${column} holds ${word}, which no exclude rule names and which may mean that the mandate has ended or is blocked.`
  const [, send = ''] = ruleOf('STATUS_UNKNOWN').remedy.split(/(?<=again\.) /)
  const way = isDamaged(value)
    ? 'The text was damaged: export once more as UTF-8, or say how the file is written (source: { encoding: … }), and give it again.'
    : `If it has, add the word in the configuration (exclude: [{ column: ${column}, equals: [${words.join(', ')}, …], reason: … }]); if it lives, name there all that is sent, by except in place of equals. Then run again.`
  return { message, remedy: `${way} ${send}` }
}

/** What is known of the exports of one system. Nothing in it is a guess: what is not documented is asked. */
export interface Profile {
  readonly id: string
  readonly name: string
  /** An export that has all of these columns is one of the system. */
  readonly headers: readonly string[]
  readonly columns: ColumnsOptions
  /** Where the system keeps its own number of a customer, which is none of the new service. */
  readonly customer?: string | readonly string[]
  readonly words?: SourceOptions['words']
  /** Fields of codes that nobody documented: an unknown one refuses the file. */
  readonly open?: readonly WordField[]
  readonly exclude?: ExcludeOptions
  /** Columns that are not what their name says. */
  readonly never?: readonly string[]
  /** Why a field has no column, and what a person may write for it; the usual words where nothing stands here. */
  readonly asks?: Readonly<Partial<Record<Field, Ask>>>
}

/** Each known system, loaded only where headers are compared with it or it is listed. */
export const loadProfiles = async () =>
  Object.values<object>(await import('../profiles/known.js')) as readonly Profile[]

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

/**
 * The profile that is named, or whose headers the source has; of several the one that asks for the most.
 * @throws {UsageError} for a name that is none
 */
export async function profileFor(header: Header, { profile: named }: SourceOptions): Promise<Profile | null> {
  const isOurs = REQUIRED_FIELDS.every((field) => header.seen.some((name) => name.toLowerCase() === field))
  if (named === NONE || (named === undefined && isOurs)) return null
  const profiles = await loadProfiles()
  const isOf = ({ id, headers }: Profile): boolean =>
    named === undefined ? headers.every((name) => findColumn(header, name) !== null) : id === named
  const [profile = null] = profiles.filter(isOf).toSorted((a, b) => b.headers.length - a.headers.length)
  if (profile !== null || named === undefined) return profile
  const ids = profiles.map(({ id }) => id)
  throw new UsageError(
    `There is no profile "${named}"${orNearest(named, ids)}`,
    `Take one of ${ids.join(', ')}; nothing was sent`,
  )
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
