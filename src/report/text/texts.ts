import { html } from 'hono/html'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import fr from './fr.json' with { type: 'json' }
import type { Language } from './language.js'
import sv from './sv.json' with { type: 'json' }
import { countText, durationText, shareText } from '../../domain/text/text.js'

export type TextKey = keyof typeof en

const WORDS: Readonly<Record<Language, Readonly<Record<TextKey, string>>>> = { en, de, fr, sv }

/** A piece of a page, escaped. */
export type Markup = ReturnType<typeof html>

type Values<Value> = Readonly<Record<string, Value>>

/** What a report says in one language; numbers are written by these few lines, never by Intl, which differs between machines. */
export interface Texts {
  readonly language: Language
  /** A text with values in its places. */
  readonly say: (key: TextKey, values?: Values<string | number>) => string
  /** The same as a piece of a page. */
  readonly mark: (key: TextKey, values: Values<string | number | Markup>) => Markup
  readonly labelled: (label: TextKey, value: string | number) => string
  readonly count: (count: number) => string
  readonly share: (part: number, whole: number) => string
  readonly duration: (ms: number) => string
  /** A point in time of the ledger in the zone of the campaign, to the second; empty where there is none. */
  readonly time: (at: string | null) => string
  /** The same to the minute. */
  readonly minute: (at: string) => string
  /** The same to the second, with the zone. */
  readonly moment: (at: string) => string
  readonly zone: string
  /** Of a bar of a time line. */
  readonly width: (ms: number) => string
}

/** The pieces of a text; a place without a value stays to be seen. */
const fill = <Value>(text: string, values: Values<Value>): (string | Value)[] =>
  text.split(/\{(\w+)\}/).map((piece, at) => (at % 2 === 0 ? piece : (values[piece] ?? `{${piece}}`)))

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** The figures of a clock in that zone; UTC where this machine does not know it. Intl gives figures alone: what it writes differs between Nodes. */
function clockIn(zone: string): { readonly zone: string; readonly partsOf: (at: string) => Values<string> } {
  const figures = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
  const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const
  try {
    const format = new Intl.DateTimeFormat('en', { ...figures, ...clock, timeZone: zone })
    const partsOf = (at: string) =>
      Object.fromEntries(format.formatToParts(new Date(at)).map(({ type, value }) => [type, value]))
    return { zone, partsOf }
  } catch {
    return clockIn('UTC')
  }
}

/** @param campaignZone in which times are shown */
export function textsIn(language: Language, campaignZone = 'UTC'): Texts {
  const words = WORDS[language]
  const { zone, partsOf } = clockIn(campaignZone)
  const months = words.months.split(' ')
  const minute = (at: string): string => {
    const parts = partsOf(at)
    const day = words.months.startsWith('0') ? parts['day'] : Number(parts['day'])
    const date = fill(words.date, { ...parts, day, month: months[Number(parts['month']) - 1] ?? '' }).join('')
    return `${date} ${parts['hour'] ?? ''}:${parts['minute'] ?? ''}`
  }
  const time = (at: string | null): string =>
    at === null ? '' : `${minute(at)}:${partsOf(at)['second'] ?? ''}`
  const count = (number: number): string => countText(number).replaceAll(',', words.thousands)
  const written = <Value>(value: Value | number): Value | string =>
    typeof value === 'number' ? count(value) : value
  const say: Texts['say'] = (key, values = {}) => fill(words[key], values).map(written).join('')
  return {
    language,
    say,
    mark: (key, values) => html`${fill(words[key], values).map(written)}`,
    labelled: (label, value) => say('labelled', { name: words[label], value }),
    count,
    share: (part, whole) => shareText(part, whole).replace('.', words.point).replace(' ', '\u00a0'),
    time,
    minute,
    moment: (at) => `${time(at)} (${zone})`,
    zone,
    duration: (ms) => durationText(ms, (days) => `${count(days)} ${words.day}`),
    width: (ms) => {
      if (ms < MINUTE_MS) return `${ms / 1000} s`
      if (ms < HOUR_MS) return `${ms / MINUTE_MS} min`
      return ms < DAY_MS ? `${ms / HOUR_MS} h` : `${ms / DAY_MS} ${words.day}`
    },
  }
}

/** What the files say, whose words are the same in every language. */
export const ENGLISH = textsIn('en')
