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
