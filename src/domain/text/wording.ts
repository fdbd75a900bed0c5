/** 1234567 as 1,234,567: the same on every machine. */
export const countText = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')

export const plural = (count: number, one: string, many: string): string =>
  `${countText(count)} ${count === 1 ? one : many}`

/** Part of a whole with one decimal; what is there is never shown as nothing, what is missing never as all. */
export function shareText(part: number, whole: number): string {
  if (whole === 0) return ''
  const share = (100 * part) / whole
  if (part > 0 && share < 0.1) return '<0.1 %'
  if (part < whole && share > 99.9) return '>99.9 %'
  return `${share.toFixed(1)} %`
}

/** An ISO 8601 time in UTC as people read it, to the second. */
export const timeText = (at: string | null): string =>
  at === null ? '' : `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`

const MINUTE_MS = 60_000
const DAY_MINUTES = 24 * 60

const daysText = (count: number): string => plural(count, 'day', 'days')

/**
 * `5 s`, `3 min`, `2 h 5 min`, `3 days 2 h`: every span that a person reads, rounded up as an estimate must be.
 * @param inDays `3 days` in another language; the other units are the same in all
 */
export function durationText(ms: number, inDays = daysText): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 90) return `${seconds} s`
  const minutes = Math.ceil(ms / MINUTE_MS)
  if (minutes < 90) return `${minutes} min`
  const days = Math.floor(minutes / DAY_MINUTES)
  const hours = Math.floor((minutes % DAY_MINUTES) / 60)
  if (days > 0) return parts(inDays(days), hours, 'h')
  return parts(`${hours} h`, minutes % 60, 'min')
}

const parts = (first: string, rest: number, unit: string): string =>
  rest === 0 ? first : `${first} ${rest} ${unit}`

/** How long before `now` something was; both ISO 8601. */
export function ageText(at: string | null, now: string): string {
  if (at === null) return ''
  const ms = Date.parse(now) - Date.parse(at)
  return ms >= 0 ? durationText(ms) : ''
}

const BYTE_UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** `812 bytes`, `4.3 MB`, `120 GB`, in steps of a thousand; rounded up, or down for what there is to take from. */
export function bytesText(bytes: number, round: 'up' | 'down' = 'up'): string {
  const whole = round === 'up' ? Math.ceil : Math.floor
  let power = 0
  while (bytes >= 1000 ** (power + 1) && power < BYTE_UNITS.length - 1) power += 1
  const value = bytes / 1000 ** power
  const shown = power === 0 || value >= 10 ? whole(value) : whole(value * 10) / 10
  return `${shown} ${BYTE_UNITS[power] ?? ''}`
}
