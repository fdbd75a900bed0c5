import {
  type ColumnField,
  FIELDS,
  PAYER_FIELDS,
  REQUIRED_FIELDS,
  type Field,
} from '../../domain/mandate/mandate.js'
import { WORDS, type Words } from '../../domain/value/words.js'
import {
  areDistinct,
  areMost,
  distinctShare,
  guessDateFormat,
  holdsAccounts,
  holdsDates,
  orderOf,
  varies,
  type ColumnProfile,
} from './column-profile.js'
import {
  DISTINCT,
  fateOf,
  harmless,
  OWN_ACCOUNT,
  type Fate,
  kindByWords,
  meaningsOf,
  readWords,
  WORD_FIELDS,
  wordsOf,
} from './fate.js'
import { isUsualName } from '../columns/mapping.js'
import {
  customerRank,
  UNKNOWN_RANK,
  meaningOfHeader,
  namesDebit,
  namesLastCollection,
  namesMandate,
  namesSigning,
} from '../columns/header.js'
import { said } from '../../domain/text/text.js'

/** What a column is probably for, and why. */
export type ColumnGuess = ReturnType<typeof describeColumn>

interface SeenColumn {
  readonly position: number
  readonly name: string
  readonly profile: ColumnProfile
}

const REASONS = { profile: 'by the profile', name: 'by its name', content: 'by its values' } as const
type Reason = keyof typeof REASONS

/** What is known of the columns of a system, by their positions from 1; beyond it only names are trusted. */
export interface KnownColumns {
  readonly fields: ReadonlyMap<number, ColumnField>
  /** Columns that feed no field, and why they are looked at. */
  readonly others: ReadonlyMap<number, string>
  readonly words: Words
}

/** Guesses by the usual names first, then by what the values look like. Each field gets at most one column. */
export function guessColumns(
  columns: readonly SeenColumn[],
  known: KnownColumns | null = null,
): readonly ColumnGuess[] {
  const taken = new Map<SeenColumn, { field: ColumnField; reason: Reason }>()
  for (const column of columns) {
    const field = known?.fields.get(column.position)
    if (field !== undefined) taken.set(column, { field, reason: 'profile' })
  }
  const take = (field: ColumnField, candidates: readonly SeenColumn[], reason: Reason): void => {
    if ([...taken.values()].some((guess) => guess.field === field)) return
    if (reason === 'content' && known !== null) return
    const free = candidates.filter(
      (column) => !taken.has(column) && known?.others.has(column.position) !== true,
    )
    const best = free.toSorted((a, b) => fitness(field, b.profile) - fitness(field, a.profile))[0]
    if (best !== undefined) taken.set(best, { field, reason })
  }
  // Values tell these better than names: "type" may be anything.
  for (const field of WORD_FIELDS) {
    const telling = columns.filter(({ profile }) => kindByWords(profile.words, WORDS)?.field === field)
    const named = telling.filter(({ name }) => isUsualName(name, field))
    take(field, named, 'name')
    take(field, telling, 'content')
  }
  const debtors = columns.filter(({ profile }) => holdsAccounts(profile) && varies(profile))
  // An account that hardly varies is the creditor's own, whatever its name, where another column has those of many people.
  const isOther = (column: SeenColumn, field: ColumnField): boolean =>
    field === 'iban' && debtors.length > 0 && holdsAccounts(column.profile) && !debtors.includes(column)
  const named = (field: ColumnField) =>
    columns.filter((column) => isUsualName(column.name, field) && !isOther(column, field))
  for (const field of [...FIELDS, ...PAYER_FIELDS]) take(field, named(field), 'name')
  if (debtors.length === 1) take('iban', debtors, 'content')
  const creditors = columns.filter(({ profile }) => areMost(profile.creditors, profile))
  take('sepa_creditor_identifier', creditors, 'content')
  const dates = columns.filter(({ profile }) => guessDateFormat(profile, false) !== null)
  const isLater = ({ name }: SeenColumn): boolean => namesLastCollection(name)
  const isDebit = (column: SeenColumn): boolean => isLater(column) && namesDebit(column.name)
  take('last_collection_date', dates.filter(isDebit), 'content')
  const others = dates.filter(
    (column) => !isLater(column) && !taken.has(column) && column.profile.filled * 2 >= column.profile.records,
  )
  if (others.length === 1) take('signed_date', others, 'content')
  const uses = (field: ColumnField): boolean => [...taken.values()].some((guess) => guess.field === field)
  const decided = new Set<Field>(known === null ? [] : REQUIRED_FIELDS.filter(uses))
  const status = columns.find((column) => taken.get(column)?.field === 'status')?.profile
  const isStatusOne = status?.words?.size === 1 && status.filled === status.records
  const keys = columns.flatMap(({ profile }) => (isKey(profile) ? [profile.values] : []))
  const file = { uses, decided, isStatusOne, keys }
  const order = orderOfDates(columns)
  const fate = ({ name, position, profile }: SeenColumn): Fate => {
    const why = known?.others.get(position)
    return why === undefined ? fateOf(name, profile, file) : harmless(why)
  }
  return columns.map((column) => {
    const guess = taken.get(column) ?? null
    const words = known?.words ?? WORDS
    // Beside the name of who pays people write what became of the mandate.
    const isOpen = guess === null || (guess.field === 'payer_name' && column.profile.remarks.size > 0)
    return describeColumn(column, guess, { fate: isOpen ? fate(column) : null, order, words })
  })
}

/** The order of day and month that the decided columns of a file agree on; one system writes all dates alike. */
function orderOfDates(columns: readonly SeenColumn[]): ColumnProfile['order'] {
  const orders = new Set(
    columns.flatMap(({ profile }) => {
      const { format = '', rivals = [] } = guessDateFormat(profile, false) ?? {}
      return rivals.length === 0 && /^(?:dd|mm)[/-]/.test(format) ? [orderOf(format)] : []
    }),
  )
  const [order = 'open', ...others] = orders
  return others.length === 0 ? order : 'open'
}

/** Of several columns for one field, the one whose values fit best. */
function fitness(field: ColumnField, profile: ColumnProfile): number {
  if (field === 'iban') return profile.accounts
  if (field === 'sepa_creditor_identifier') return profile.creditors
  if (field === 'signed_date' || field === 'last_collection_date')
    return guessDateFormat(profile, true)?.count ?? 0
  return field === 'unique_mandate_reference' ? profile.filled * distinctShare(profile) : profile.filled
}

function describeColumn(
  { position, name, profile }: SeenColumn,
  guess: { readonly field: ColumnField; readonly reason: Reason } | null,
  { fate, order, words }: { fate: Fate | null; order: ColumnProfile['order']; words: Words },
) {
  const isDate =
    guess?.field === 'signed_date' || guess?.field === 'last_collection_date' || namesLastCollection(name)
  const date = guessDateFormat(profile, isDate, order)
  const { sampled, accounts, creditors } = profile
  const told = fate?.kind === 'undecided' ? fate.told : null
  const wordField = WORD_FIELDS.find((known) => known === guess?.field)
  const kind =
    wordField === undefined || profile.words === null
      ? told
      : readWords(wordField, profile.words, meaningsOf(wordField, name, words))
  const isOrderBorrowed =
    date !== null && date.rivals.length < (guessDateFormat(profile, isDate)?.rivals.length ?? 0)
  return {
    /** Position in the file, from 1. */
    position,
    name,
    field: guess?.field ?? null,
    /** Nothing but its values says that it is the day of signing: it may be any other day. */
    isUnnamedDay:
      guess?.reason === 'content' &&
      guess.field === 'signed_date' &&
      !namesSigning(name) &&
      !namesMandate(name),
    /** What becomes of a column that feeds no field; null where it feeds one. */
    fate,
    /** What a column that feeds no field may still be good for. */
    role: fate?.kind === 'harmless' || guess?.field === 'payer_name' ? roleOf(name, profile, fate) : null,
    /** One sentence for the operator; it holds no cell. */
    evidence: said([
      guess !== null && REASONS[guess.reason],
      areMost(accounts, profile) && `${accounts} of ${sampled} values are valid IBANs`,
      areMost(creditors, profile) && `${creditors} of ${sampled} values are valid creditor identifiers`,
      date !== null && `${date.count} of ${sampled} values are dates as ${date.format}`,
      ...(guess === null || kind === null ? [] : wordsOf(kind)),
      isOrderBorrowed && 'day and month in the order of the other dates',
      fate?.kind === 'undecided' && fate.shows,
      fate?.kind === 'harmless' && date === null && fate.why,
    ]).join('; '),
    dateFormat: date?.format ?? null,
    /** Formats that read the values as well as the guessed one. */
    rivalFormats: date?.rivals ?? [],
    /** What the words of a column say that tells which mandates live. */
    kind,
    /** Why it may be the wrong column, or no value of it can be read. */
    doubt: guess === null ? null : doubtOf(guess.field, profile),
    /** The first different values, not masked. */
    first: profile.first,
    prefix: profile.prefix,
  }
}

/** No value has the format of the field; or the account is the same for nearly everybody. */
function doubtOf(field: ColumnField, profile: ColumnProfile): string | null {
  if (profile.sampled === 0) return null
  if (fitness(field, profile) === 0) return `its values cannot be read as ${field}`
  return field === 'iban' && !varies(profile) ? OWN_ACCOUNT : null
}

const isFull = ({ records, filled }: ColumnProfile): boolean => filled >= records * 0.95
const isKey = (profile: ColumnProfile): boolean =>
  isFull(profile) && areDistinct(profile) && !holdsDates(profile)

function roleOf(name: string, profile: ColumnProfile, fate: Fate | null) {
  const { prefix } = profile
  const meaning = meaningOfHeader(name)
  if (meaning.kind === 'second_key') return 'second_key'
  if (meaning.kind === 'old_key') return 'key'
  const rank = customerRank(name)
  if (fate?.kind !== 'harmless' || rank === null || !isFull(profile)) return null
  if (meaning.kind === 'unknown' && fate.why === DISTINCT) return 'key'
  // A customer has several mandates, so their numbers repeat.
  const isNumber = prefix !== null && distinctShare(profile) >= 0.5 && !fate.why.endsWith('its name')
  return rank < UNKNOWN_RANK && meaning.kind !== 'unused' && isNumber ? 'key' : null
}
