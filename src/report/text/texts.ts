import { html } from 'hono/html'
import { countText, durationText, shareText } from '../../domain/text/wording.js'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import fr from './fr.json' with { type: 'json' }
import type { Language } from './language.js'
import sv from './sv.json' with { type: 'json' }

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
  /** Of a bar of a time line. */
  readonly width: (ms: number) => string
}

/** The pieces of a text; a place without a value stays to be seen. */
const fill = <Value>(text: string, values: Values<Value>): (string | Value)[] =>
  text.split(/\{(\w+)\}/).map((piece, at) => (at % 2 === 0 ? piece : (values[piece] ?? `{${piece}}`)))

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

export function textsIn(language: Language): Texts {
  const words = WORDS[language]
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
