import type { SeverityOverrides } from '../rule/verdict.js'
import { plural, said } from '../text/text.js'
import { bankOf } from '../value/identifiers.js'

/** Rows with one of these values in this column of their export. */
export interface ChosenColumn {
  readonly column: string
  readonly values: readonly string[]
}

/** Which of the rows that are ready one run may send. All that it names must hold. */
export interface Choice {
  readonly only: readonly ChosenColumn[]
  /** Countries of the account, two letters each; null for all. */
  readonly countries: readonly string[] | null
  /** The rows of a pilot that is spread; left out for all. */
  readonly rows?: readonly number[]
  /** Exports of which nothing is sent before their own configuration, which has changed, reads them again: by SHA-256, in words. */
  readonly waiting?: Readonly<Record<string, string>>
}

/** A choice, and how many ready rows it does not take. */
export interface CountedChoice extends Choice {
  readonly left: number
}

/** `Segment: A or B; country: AT`. */
export const choiceText = ({ only, countries, waiting = {} }: Choice): string =>
  said([
    ...only.map(({ column, values }) => `${column}: ${values.join(' or ')}`),
    countries !== null && `country: ${countries.length === 0 ? 'none' : countries.join(' or ')}`,
    ...Object.values(waiting).map((words) => `exports other than ${words}`),
  ]).join('; ')

/** The same for people, with what it leaves. */
export const choiceLine = (choice: CountedChoice): string =>
  `Of the ready rows only ${choiceText(choice)}; ${plural(choice.left, 'other row stays ready', 'other rows stay ready')}`

/** The rows that both take. */
export function narrowed(wide: Choice | null, narrow: Choice | null): Choice | null {
  if (wide === null || narrow === null) return wide ?? narrow
  const countries =
    wide.countries === null || narrow.countries === null
      ? (wide.countries ?? narrow.countries)
      : wide.countries.filter((country) => narrow.countries?.includes(country))
  const waiting = (wide.waiting ?? narrow.waiting) && { ...wide.waiting, ...narrow.waiting }
  return { only: [...wide.only, ...narrow.only], countries, ...(waiting && { waiting }) }
}

/**
 * The terms on which a run sends: all that decides what becomes of a row, without secrets. They are kept with the run and
 * shown in the report. Everything is optional, because a ledger of an earlier version holds less, and a run that only
 * records a decision sends nothing.
 */
export interface RunTerms {
  /** Requests under way at most. */
  readonly concurrency?: number
  /** Requests per second at most; null without a limit. */
  readonly rate?: number | null
  /** Rows of a pilot; null for all. */
  readonly limit?: number | null
  /** These were not the first ones, but spread over countries, banks, references, creditors and warnings. */
  readonly spread?: boolean
  readonly maxDurationMs?: number | null
  /** Rows in doubt that do not yet stop the run. */
  readonly maxInDoubt?: number
  /** Refused rows that do not yet stop the run: a count, or a share of the answers in percent. */
  readonly maxRefused?: { readonly kind: 'count' | 'percent'; readonly value: number } | null
  /** Whether a first row without an answer stops the run. */
  readonly stopAtCanaryDoubt?: boolean
  /** Deadline of one request. */
  readonly timeoutMs?: number
  /** HTTP statuses that are read against the default table, and as what. */
  readonly outcomes?: Readonly<Record<string, string>>
  /** Rules whose severity is not the default. */
  readonly rules?: SeverityOverrides
  /** Path of the configuration. */
  readonly configuration?: string | null
  /** Address without credentials. */
  readonly proxy?: string | null
  /** What is trusted besides the authorities that Node brings along. */
  readonly extraCertificates?: readonly string[]
  readonly clientCertificate?: string | null
  /** In words: why others can change the folder of the ledger, which was allowed. */
  readonly sharedFolder?: string
  /** In words: which files others could write that say whom a mandate debits. */
  readonly sharedFiles?: string
  /** In words: who had it take the place of another ledger, or put every row in doubt, and why. */
  readonly takeOver?: string
  /** Kept once it was agreed to: nobody knows what was sent before, and that holds for later runs too. */
  readonly allInDoubt?: unknown
  /** The host that was sent to was declared to be a test environment. */
  readonly testHost?: string
  /** The rows that the run was told to send alone, by columns of their export. */
  readonly only?: readonly ChosenColumn[]
  /** The same by countries of the account. */
  readonly countries?: readonly string[]
  /** It was refused, because an approval is required: no later configuration lifts that. */
  readonly approvalRequired?: boolean
  /** A person said that the exports given then were newer than what had come in before. */
  readonly newer?: boolean
  /** Whether the service was asked about each row before it was sent. */
  readonly checkBeforeSend?: boolean
  /** Digest of the plan that the run went under. */
  readonly plan?: string
  /** Its approval, by the number in the ledger. */
  readonly approval?: number
  /** An older copy of the ledger was made to go on; nothing was sent. */
  readonly adoptedOlderCopy?: boolean
}

/** A row that a pilot may take, as the ledger holds it. */
export interface PilotCandidate {
  readonly id: number
  readonly customerNo: number
  readonly iban: string
  readonly creditorIdentifier: string
  readonly mandateReference: string
  /** Rules that warn of it, with commas between them; null for none. */
  readonly warnings: string | null
}

/** A row of the pilot that shows something which none before it does: that is why it was taken. */
export interface PilotRow extends Pick<PilotCandidate, 'id' | 'customerNo'> {
  readonly because: readonly string[]
}

/** Banks and patterns may be as many as rows are; beyond this nobody would look at what is new. */
const MOST_VALUES = 10_000

/** Letters and digits as far as they say how it is made, so that no account number is left of it. */
const patternOf = (reference: string): string => reference.replace(/\p{L}+/gu, 'A').replace(/\p{N}+/gu, '9')

const valuesOf = (row: Omit<PilotCandidate, 'id' | 'customerNo'>): string[] => [
  `country ${row.iban.slice(0, 2)}`,
  `bank ${row.iban.slice(0, 2)} ${bankOf(row.iban)}`,
  `references as ${patternOf(row.mandateReference)}`,
  `previous creditor ${row.creditorIdentifier}`,
  ...(row.warnings?.split(',').map((rule) => `warning ${rule}`) ?? []),
]

/** There are more banks than anything else, so that a row that only shows another bank comes last. */
const weightOf = ({ because }: PilotRow): number =>
  because.filter((value) => !value.startsWith('bank ')).length

/**
 * Pure: of rows in order so many that show as much as they can. Each value counts for the first row that has it; rows with
 * most of them are taken first, then the first of those that show nothing new. It goes through the rows once, and keeps of
 * most their number alone.
 */
export function spreadPilot(candidates: Iterable<PilotCandidate>, limit: number) {
  const known = new Set<string>()
  const [telling, others] = [[] as PilotRow[], [] as number[]]
  for (const { id, customerNo, ...row } of candidates) {
    const because = known.size < MOST_VALUES ? valuesOf(row).filter((value) => !known.has(value)) : []
    if (because.length > 0) telling.push({ id, customerNo, because })
    else if (others.length < limit) others.push(id)
    for (const value of because) known.add(value)
  }
  const told = telling.toSorted((one, other) => weightOf(other) - weightOf(one)).slice(0, limit)
  return { rows: [...told.map(({ id }) => id), ...others.slice(0, limit - told.length)], told }
}
