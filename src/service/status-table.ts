import type { Halt } from '../domain/row/outcome.js'
import { UsageError } from '../errors.js'

/** What a complete answer with this status means (service/README.md#outcomes). `read_answer`: the body decides. */
interface StatusLine {
  readonly kind: 'read_answer' | 'refused' | 'turned_away' | 'in_doubt'
  readonly halt: Halt | null
}

/** The table as one run uses it. `overrides` is recorded with the run and printed in the report. */
export interface StatusTable {
  readonly lineOf: (status: number) => StatusLine
  readonly isOverridden: (status: number) => boolean
  readonly overrides: Readonly<Record<string, OverrideKind>>
}

/** What an override may say. */
export const OVERRIDE_KINDS = ['refused', 'turned_away', 'in_doubt'] as const
type OverrideKind = (typeof OVERRIDE_KINDS)[number]

const READ_ANSWER: StatusLine = { kind: 'read_answer', halt: null }
const REFUSED: StatusLine = { kind: 'refused', halt: null }
const TURNED_AWAY: StatusLine = { kind: 'turned_away', halt: null }
const IN_DOUBT: StatusLine = { kind: 'in_doubt', halt: null }
const REDIRECTED: StatusLine = { kind: 'in_doubt', halt: 'redirect' }
/** The service did not even look at the mandate: the row stays ready, the run cannot go on. */
const CREDENTIALS: StatusLine = { kind: 'turned_away', halt: 'credentials' }

const SINGLE: ReadonlyMap<number, StatusLine> = new Map([
  ...[400, 404, 405, 406, 410, 411, 413, 414, 415, 422].map((status) => [status, REFUSED] as const),
  ...[421, 425, 429].map((status) => [status, TURNED_AWAY] as const),
  ...[401, 403, 407].map((status) => [status, CREDENTIALS] as const),
])

/** The statuses whose meaning an override may change: 2xx and 3xx are fixed, and credentials always stop the run. */
export const OVERRIDABLE_STATUS = /^(?!40[137]$)[45]\d\d$/

/** Whatever is not listed is in doubt: a wrong "refused" would hide a live mandate. */
function defaultLine(status: number): StatusLine {
  if (status >= 200 && status <= 299) return READ_ANSWER
  if (status >= 300 && status <= 399) return REDIRECTED
  return SINGLE.get(status) ?? IN_DOUBT
}

/**
 * The table of service/README.md#outcomes with the lines of the configuration (`outcomes: { "503": turned_away }`) on top.
 * @throws {UsageError} for a status that is fixed or none, or an outcome that is none
 */
export function createStatusTable(overrides: Readonly<Record<string, string>> = {}): StatusTable {
  const changed = new Map<number, StatusLine>()
  const recorded: Record<string, OverrideKind> = {}
  for (const [status, kind] of Object.entries(overrides)) {
    const line = { kind: readOverrideKind(status, kind), halt: null }
    changed.set(readOverriddenStatus(status), line)
    recorded[status] = line.kind
  }
  return {
    lineOf: (status) => changed.get(status) ?? defaultLine(status),
    isOverridden: (status) => changed.has(status),
    overrides: recorded,
  }
}

function readOverriddenStatus(text: string): number {
  const status = Number(text)
  if (!/^[45]\d\d$/.test(text)) {
    throw unusable(`the status "${text}" is not one of 400 to 599`, 'The meaning of 2xx and 3xx is fixed.')
  }
  if (defaultLine(status).halt !== null) {
    throw unusable(`the meaning of the status "${text}" is fixed`, '401, 403 and 407 always stop the run.')
  }
  return status
}

function readOverrideKind(status: string, kind: string): OverrideKind {
  const known = OVERRIDE_KINDS.find((one) => one === kind)
  if (known !== undefined) return known
  throw unusable(
    `"${kind}" is not an outcome for the status "${status}"`,
    `Use ${OVERRIDE_KINDS.join(', ')}.`,
  )
}

const unusable = (problem: string, next: string): UsageError =>
  new UsageError(`Cannot use the setting "outcomes": ${problem}`, `Nothing was sent. ${next}`)

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The three spellings of RFC 9110, 5.6.7. `Date.parse` would read far more than these, and guess. */
const HTTP_DATES = [
  /^\w{3}, (?<day>\d{2}) (?<month>\w{3}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^\w{6,9}, (?<day>\d{2})-(?<month>\w{3})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^\w{3} (?<month>\w{3}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
]

/**
 * How long the service asks us to wait (RFC 9110, 10.2.3), in milliseconds; null when it does not say so
 * readably. A date counts from the answer's own `Date`, so that a wrong clock here or there does no harm.
 * Not bounded above: the pacer decides how long is too long.
 */
export function readRetryAfterMs(
  retryAfter: string | undefined,
  answer: { date: string | undefined; receivedAtMs: number },
): number | null {
  if (retryAfter === undefined) return null
  const text = retryAfter.trim()
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER)
  const until = readHttpDateMs(text, answer.receivedAtMs)
  if (until === null) return null
  const waitMs =
    until - (readHttpDateMs(answer.date?.trim() ?? '', answer.receivedAtMs) ?? answer.receivedAtMs)
  return waitMs < 0 ? null : waitMs
}

/** Milliseconds since 1970; null for anything but an HTTP date. `nearMs` gives a two-digit year its century. */
function readHttpDateMs(text: string, nearMs: number): number | null {
  const groups = HTTP_DATES.map((pattern) => pattern.exec(text)?.groups).find((found) => found !== undefined)
  if (groups === undefined) return null
  const { day = '', month = '', year = '', time = '' } = groups
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number)
  if (hours > 23 || minutes > 59 || seconds > 60) return null
  const monthIndex = MONTHS.indexOf(month)
  const midnight = new Date(Date.UTC(fullYear(year, nearMs), monthIndex, Number(day)))
  // An unknown month, a day 0 or a day 31 of a shorter month all end up in another month.
  if (midnight.getUTCMonth() !== monthIndex) return null
  return midnight.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1000
}

/** A two-digit year more than 50 years ahead means the past (RFC 9110, 5.6.7). */
function fullYear(year: string, nearMs: number): number {
  if (year.length === 4) return Number(year)
  const thisYear = new Date(nearMs).getUTCFullYear()
  const yearsAhead = (Number(year) - (thisYear % 100) + 100) % 100
  return thisYear + (yearsAhead > 50 ? yearsAhead - 100 : yearsAhead)
}
