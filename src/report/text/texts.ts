import { html, raw } from 'hono/html'
import de from './de.json' with { type: 'json' }
import deRules from './rules/de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import es from './es.json' with { type: 'json' }
import esRules from './rules/es.json' with { type: 'json' }
import fr from './fr.json' with { type: 'json' }
import frRules from './rules/fr.json' with { type: 'json' }
import it from './it.json' with { type: 'json' }
import itRules from './rules/it.json' with { type: 'json' }
import type { Language } from '../pack/pack-folder.js'
import sv from './sv.json' with { type: 'json' }
import svRules from './rules/sv.json' with { type: 'json' }
import { isRuleId, RULES, type RuleId } from '../../domain/rule/verdict.js'
import { countText, durationText, shareText, printable } from '../../domain/text/text.js'
import { readStyle } from '../../machine.js'

/** The parts of a setting that is an object, else none. */
export const partsOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : []

/** Nothing was set, or it is switched off: the page leaves it out. */
const isUnset = (value: unknown): boolean =>
  value == null || value === false || (typeof value === 'object' && partsOf(value).length === 0)

/** Settings whose own name says nothing to a person. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['stopAtCanaryDoubt', 'stop where the very first row gets no answer'],
  ['maxDurationMs', 'longest duration in ms'],
  ['timeoutMs', 'deadline of a request in ms'],
  ['resultFile', 'written by this program'],
])

/** `headerLine` as `header line`. */
const asWords = (name: string): string =>
  name.replace(/([a-z])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`)

const nameOf = (name: string): string => printable(NAMES.get(name) ?? asWords(name))

/** A recorded setting as one line for people, English in every language, at whatever depth; `,` and a tab can be told from nothing. */
export function settingText(value: unknown): string {
  if (Array.isArray(value)) return value.map(settingText).join(', ')
  if (typeof value === 'object' && value !== null) return settingLines(partsOf(value)).join(', ')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'string') return JSON.stringify(value)
  return /^[\p{L}\p{N}_.:/+-]+( [\p{L}\p{N}_.:/+-]+)*$/u.test(value) ? value : `"${printable(value)}"`
}

/** One `name: value` for each setting that is set. */
export const settingLines = (settings: readonly (readonly [string, unknown])[]): string[] =>
  settings
    .filter(([, value]) => !isUnset(value))
    .map(([name, value]) => {
      const text = settingText(value)
      const shown = nameOf(name)
      return partsOf(value).length === 0 ? `${shown}: ${text}` : `${shown} (${text})`
    })

export type TextKey = keyof typeof en

const WORDS: Readonly<Record<Language, Readonly<Record<TextKey, string>>>> = { en, de, fr, it, es, sv }

/** What each rule says; English is the rulebook's own. */
const RULE_TEXTS = { de: deRules, fr: frRules, it: itRules, es: esRules, sv: svRules } satisfies Record<
  Exclude<Language, 'en'>,
  Record<RuleId, string>
>

/** A piece of a page, escaped. */
export type Markup = ReturnType<typeof html>

type Values<Value> = Readonly<Record<string, Value>>

/** What a report says in one language; numbers are written by these few lines, never by Intl, which differs between machines. */
export type Texts = ReturnType<typeof textsIn>

/** `{count:row|rows}`, or `{count:none|one row|{count} rows}`: what is said of that number. */
const BY_NUMBER = /\{(\w+):((?:[^{}]|\{\w+\})*)\}/g

/** The pieces of a text; a place without a value stays to be seen. */
const fill = <Value>(text: string, values: Values<Value>): (string | Value)[] =>
  text.split(/\{(\w+)\}/).map((piece, at) => (at % 2 === 0 ? piece : (values[piece] ?? `{${piece}}`)))

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
export function textsIn(language: Language, campaignZone = 'UTC') {
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
  /** Of what was recorded, which may be a word that this version does not know. */
  const wordFor = (key: string): string | undefined => (words as Values<string>)[key]
  const count = (number: number): string => countText(number).replaceAll(',', words.thousands)
  const textOf = (key: TextKey, values: Values<unknown>): string =>
    words[key].replace(BY_NUMBER, (_, name: string, forms: string) => {
      const [many = '', one = '', none = many] = forms.split('|').reverse()
      return values[name] === 0 ? none : values[name] === 1 ? one : many
    })
  const written = <Value>(value: Value | number): Value | string =>
    typeof value === 'number' ? count(value) : value
  const say = (key: TextKey, values: Values<string | number> = {}): string =>
    fill(textOf(key, values), values).map(written).join('')
  const ruleText = (rule: RuleId): string =>
    language === 'en' ? RULES[rule].message : RULE_TEXTS[language][rule]
  const translate = (text: string, rule: string): string =>
    isRuleId(rule) ? text.replaceAll(RULES[rule].message, ruleText(rule)) : text
  return {
    language,

    /** Why: what the rule says with its code small behind it; of a rule that is not known, or of none, what else is said. */
    reason: (rule: string | null, otherwise: string, as = (text: string) => text): Markup => {
      const code = rule === null ? '' : html` <code class="soft">${rule}</code>`
      return html`${as(rule !== null && isRuleId(rule) ? ruleText(rule) : otherwise)}${code}`
    },

    /** A message as it was recorded, but for what its rules say in it. */
    translated: ({ message, rule }: { readonly message: string; readonly rule: string }): string =>
      rule.split(' ').reduce(translate, message),

    /** A text with values in its places. */
    say,

    /** The same as a piece of a page. */
    mark: (key: TextKey, values: Values<string | number | Markup>): Markup =>
      html`${fill(textOf(key, values), values).map(written)}`,
    labelled: (label: TextKey, value: string | number): string =>
      say('labelled', { name: words[label], value }),
    wordFor,

    count,
    share: (part: number, whole: number): string =>
      shareText(part, whole).replace('.', words.point).replace(' ', '\u00a0'),

    /** A point in time of the ledger in the zone of the campaign, to the second; empty where there is none. */
    time,

    /** The same to the minute. */
    minute,

    /** The same to the second, with the zone. */
    moment: (at: string): string => `${time(at)} (${zone})`,
    zone,
    duration: (ms: number): string => durationText(ms, (days) => `${count(days)} ${words.day}`),
  }
}

/** What the files say, whose words are the same in every language. */
export const ENGLISH = textsIn('en')

// What a page is made of, whatever it says.

/** A file of the report by its place in the folder, which opens the one that lies beside the page. */
export const fileLink = (name: string): Markup => html`<a href="${name}"><code>${name}</code></a>`

/** A whole page, without network or script. */
export async function pageOf(
  language: string,
  title: string,
  body: Markup,
  style: Markup | string = '',
): Promise<string> {
  const page = await html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}</title>
        <style>
          ${raw(readStyle())} ${style}
        </style>
      </head>
      <body>
        ${body}
      </body>
    </html>`
  return `${page.toString().trimEnd()}\n`
}

/** A part of a page under its heading. */
export const section = (id: string, title: string, ...parts: readonly (Markup | string)[]): Markup =>
  html`<section id="${id}">
    <h2>${title}</h2>
    ${parts}
  </section>`

/** Nothing where there is no line. */
export const listOf = (lines: readonly (Markup | string)[], style = ''): Markup | '' =>
  lines.length === 0
    ? ''
    : html`<ul class="${style}">
        ${lines.map((line) => html`<li>${line}</li>`)}
      </ul>`

type PageCell = Markup | string | number

/** A column: its name, and what stands in it: words, figures on the right, identifiers, or what heads the line. */
type PageColumn<Entry> = readonly [
  name: string,
  of: (entry: Entry) => PageCell,
  as?: 'figures' | 'id' | 'head',
]

const cellOf = (value: PageCell, as: PageColumn<unknown>[2]): Markup =>
  as === 'head'
    ? html`<th scope="row">${value}</th>`
    : html`<td class="${as === 'figures' ? 'n' : (as ?? '')}">${value}</td>`

interface TableLook<Entry> {
  readonly style?: string
  readonly caption?: Markup | ''
  readonly lineStyle?: (entry: Entry) => string
}

/** A table with a line for each entry. */
export const table = <Entry>(
  entries: readonly Entry[],
  columns: readonly PageColumn<Entry>[],
  { style = '', caption = '', lineStyle = () => '' }: TableLook<Entry> = {},
): Markup =>
  html`<table class="${style}">
    ${caption}
    <thead>
      <tr>
        ${columns.map(([name, , as]) => html`<th scope="col" class="${as === 'figures' ? 'n' : ''}">${name}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${entries.map(
        (entry) =>
          html`<tr class="${lineStyle(entry)}">
            ${columns.map(([, of, as]) => cellOf(of(entry), as))}
          </tr>`,
      )}
    </tbody>
  </table>`

/** An entry of a list of facts. */
export const fact = (label: string, value: Markup | string, style = ''): Markup =>
  html`<div>
    <dt>${label}</dt>
    <dd class="${style}">${value}</dd>
  </div>`
