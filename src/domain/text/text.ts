import type { z } from 'zod'

/** 1234567 as 1,234,567: the same on every machine. */
export const countText = (count: number): string => String(count).replace(/\B(?=(?:\d{3}){1,6}$)/g, ',')

export const plural = (count: number, one: string, many: string): string =>
  `${countText(count)} ${count === 1 ? one : many}`

/** Of lines that are told only where there is something to tell, those that are. */
export const said = <Told>(lines: readonly (Told | false)[]): Told[] =>
  lines.filter((line): line is Told => line !== false)

/** These values of a record, in this order, and no others. */
export const pick =
  <Name extends string>(...names: readonly Name[]) =>
  <Value extends Readonly<Record<Name, unknown>>>(value: Value) =>
    Object.fromEntries(names.map((name) => [name, value[name]])) as Pick<Value, Name>

/** `a, b and 3 more`. @param all how many there are, where not all are given */
export function firstOf(texts: readonly string[], most: number, all = texts.length): string {
  const shown = texts.slice(0, most)
  return `${shown.join(', ')}${all > shown.length ? ` and ${all - shown.length} more` : ''}`
}

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

/**
 * Normalisation of cells in steps A1 to B4 (domain/rulebook.md#normalisation). Beyond the two sets only what the
 * steps name is stripped.
 */

const BLANKS = String.raw`\t \u00A0\u2000-\u200A\u202F\u205F\u3000`
const INVISIBLES = String.raw`\u00AD\u200B-\u200F\u2060\uFEFF`

const GAPS = new RegExp(`[${BLANKS}${INVISIBLES}-]+`, 'g')
const BLANK = new RegExp(`[${BLANKS}]`)
const IBAN_LABEL = new RegExp(`^[Ii][Bb][Aa][Nn][${BLANKS}:.]*`)
const LOWER_CASE = /[a-z]+/g
const HAS_LOWER_CASE = /[a-z]/
const COMPACT = /^[A-Z0-9]+$/
const SCIENTIFIC = /^[+-]?[0-9](?:[.,][0-9]+)?[Ee][+-][0-9]{2,3}$/

/** True for a code unit of the set BLANKS. */
export function isBlank(code: number): boolean {
  if (code === 0x20 || code === 0x09 || code === 0xa0) return true
  if (code < 0x2000) return false
  return code <= 0x200a || code === 0x202f || code === 0x205f || code === 0x3000
}

/** True for a code unit of the set INVISIBLES. */
export function isInvisible(code: number): boolean {
  if (code < 0xad) return false
  return code === 0xad || (code >= 0x200b && code <= 0x200f) || code === 0x2060 || code === 0xfeff
}

const isEdge = (code: number): boolean => isBlank(code) || isInvisible(code) || code === 0x0d || code === 0x0a

/** Step A1. A loop, because a pattern anchored at the end is quadratic on long inner blanks. */
function stripEnds(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isEdge(text.charCodeAt(start))) start += 1
  while (end > start && isEdge(text.charCodeAt(end - 1))) end -= 1
  return text.slice(start, end)
}

/** Steps A1 and A2: every cell. */
export function cleanCell(cell: string): string {
  const text = stripEnds(cell)
  const isWrapped = text.length > 2 && text.startsWith('="') && text.endsWith('"')
  return isWrapped ? stripEnds(text.slice(2, -1)) : text
}

const removeApostrophe = (text: string): string => (text.startsWith("'") ? text.slice(1) : text)

/** Step B4, for the letters a to z only: Unicode upper-casing would turn the ligature U+FB01 into `FI`. */
export const upperCase = (text: string): string =>
  HAS_LOWER_CASE.test(text) ? text.replace(LOWER_CASE, (letters) => letters.toUpperCase()) : text

/** What was used as a reference where there was none, and what stands for an empty cell. */
const PLACEHOLDERS: ReadonlySet<string> = new Set(
  'NOTPROVIDED|NOT PROVIDED|N/A|NA|NONE|UNKNOWN|UNBEKANNT|-|0'.split('|'),
)
const EMPTY: ReadonlySet<string> = new Set(
  'NAN|NAT|NIL|NULL|DBNULL|SYSTEM.DBNULL|UNDEFINED|EMPTY|BLANK|KEINE|KEINE ANGABE|K.A.|KEINER|OHNE|LEER|AUCUN|AUCUNE|VIDE|INCONNU|GEEN|LEEG|ONBEKEND|NESSUNO|NESSUNA|VUOTO|NINGUNO|NINGUNA|VACIO|INGEN|BRAK|TBD|--|---|?|0000-00-00'.split(
    '|',
  ),
)
const wordOf = (text: string): string => upperCase(text).replace(/^\((.*)\)$/, '$1')
export const isEmptyWord = (text: string): boolean => EMPTY.has(wordOf(text))
export const isFiller = (text: string): boolean => PLACEHOLDERS.has(wordOf(text)) || isEmptyWord(text)

/** Step B3. */
const removeGaps = (text: string): string => text.replace(GAPS, '')

/** Steps B1 to B4, for an IBAN whose cell was cleaned. */
export function cleanIban(text: string): string {
  if (COMPACT.test(text) && !text.startsWith('IBAN')) return text
  return upperCase(removeGaps(removeApostrophe(text).replace(IBAN_LABEL, '')))
}

/** Steps B1, B3 and B4, for a creditor identifier whose cell was cleaned. */
export const cleanCreditorIdentifier = (text: string): string =>
  COMPACT.test(text) ? text : upperCase(removeGaps(removeApostrophe(text)))

export const hasBlank = (text: string): boolean => BLANK.test(text)

/** The pattern of EXCEL_SCIENTIFIC: a rounded number with a signed exponent. */
export const isScientific = (text: string): boolean => SCIENTIFIC.test(text)

/** Header folding (domain/rulebook.md#header-folding): lower case, no accents, `ß` as `ss`, letters and digits only. */
export function fold(text: string): string {
  const lower = stripEnds(text).toLowerCase().normalize('NFD')
  return lower.replaceAll('ß', 'ss').replace(/[^\p{L}\p{N}]+/gu, '')
}

/** Where the names that this one means stand: those as it is written, else those that are equal after folding. */
export function findNames(names: readonly string[], ref: string): readonly number[] {
  const indexesOf = (isOne: (name: string) => boolean): number[] =>
    names.flatMap((name, index) => (isOne(name) ? [index] : []))
  const written = cleanCell(ref)
  const exact = indexesOf((name) => name === written)
  const folded = fold(ref)
  return exact.length > 0 || folded === '' ? exact : indexesOf((name) => fold(name) === folded)
}

/** The first of them. */
export const findName = (names: readonly string[], ref: string): number | null =>
  findNames(names, ref)[0] ?? null

const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu

const codePoint = (character: string): string => {
  return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`
}

/** The JSON value of a text, or of UTF-8; undefined, which no JSON text stands for, where it is none. */
export function parseJson(json: string | Uint8Array): unknown {
  try {
    return JSON.parse(
      typeof json === 'string' ? json : new TextDecoder('utf-8', { fatal: true }).decode(json),
    )
  } catch {
    return undefined
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Of a JSON object; undefined where there is none. */
export const memberOf = (value: unknown, name: string): unknown =>
  isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined

const IN_BRACES = /\{([^{}]+)\}/g

/** The names of columns that a template holds in braces. */
export const namesInTemplate = (template: string): string[] =>
  [...template.matchAll(IN_BRACES)].map(([, name = '']) => name)

/** A template with what stands in its columns; a cell that says nothing, or a rounded number, alone, for the rules to see. */
export function fillTemplate(template: string, cellOf: (name: string) => string): string {
  const cells = new Map(namesInTemplate(template).map((name) => [name, cleanCell(cellOf(name))]))
  const broken = [...cells.values()].find((cell) => cell === '' || isEmptyWord(cell) || isScientific(cell))
  return broken ?? template.replace(IN_BRACES, (_, name: string) => cells.get(name) ?? '')
}

/** Shows control, bidi and invisible characters, and blanks other than U+0020, as `<U+200B>`. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, codePoint)

/**
 * ESC and the C1 introducers with what they introduce: colours, cursor moves, titles and links of terminals. A title that
 * is never ended loses its introducer alone, so that no text of a message disappears with it.
 */
const TERMINAL_SEQUENCE =
  /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]|(?:\u001B[\]PX^_]|[\u009D\u0090\u0098\u009E\u009F])[^\u0007\u001B\u009C]*(?:\u0007|\u001B\\|\u009C)|\u001B[ -/]*[0-~]?/gu
/** U+FFFD, or a UTF-8 character that was read byte by byte, such as `Ã¼`. */
export const MOJIBAKE = /\uFFFD|[ÃÂ][^\0-\u007F]/

const CONTROL_RUN = /[\p{Cc}\u2028\u2029]+/gu
/** Bidirectional overrides, zero-width characters, fillers, tags: they change what a reader sees. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** One line that shows what it holds: no terminal sequences, no control characters, nothing that reorders or hides. */
export const oneLine = (text: string): string =>
  text.replace(TERMINAL_SEQUENCE, '').replace(CONTROL_RUN, ' ').replace(INVISIBLE, '')

/**
 * Text that came from the service, a file or a person, as one line that shows what it holds: no terminal
 * sequences, no control characters, nothing that reorders or hides.
 */
export const plainText = (text: string): string => oneLine(text).trim()

/** The same for text of several lines. */
export const plainLines = (text: string): string => text.split('\n').map(oneLine).join('\n')

const codeUnits = (characters: string): string =>
  Array.from(
    { length: characters.length },
    (_, at) => `\\u${characters.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')

/** The same JSON with such characters written as escapes, so that it can be looked at on a terminal too. */
export const escapedJson = (json: string): string =>
  json.replace(/[\u007F-\u009F\u2028\u2029\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, codeUnits)

const LOCAL_IPV4 = /^127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/

/**
 * True for the names of this computer that no resolver is asked for: 127.0.0.0/8, `::1` (with or without brackets) and
 * `localhost` (RFC 1122, RFC 4291, RFC 6761). Ask with the host of a parsed
 * URL, so that a spelling such as `127.1` counts and `127.0.0.1.example` does not.
 */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host === '[::1]' || LOCAL_IPV4.test(host)

/** The letters of a column of a sheet, from position 0: A, Z, AA. */
export function columnLetters(position: number): string {
  let letters = ''
  for (let rest = position + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters
  return letters
}

/** To end "There is no …": names the nearest that there is. */
export function orNearest(typed: string, known: readonly string[]): string {
  const near = nearest(typed, known)
  return near === null ? '' : `; the nearest is "${near}"`
}

/** The candidate whose name is nearest to one that was typed, the first of equals; null where none is near. */
export function nearest<Of>(
  typed: string,
  candidates: readonly Of[],
  nameOf: (of: Of) => string = String,
): Of | null {
  const [best] = candidates
    .map((of) => ({ of, name: nameOf(of), distance: distanceOf(typed, nameOf(of)) }))
    .filter(({ name, distance }) => distance <= Math.max(typed.length, name.length) / 3)
    .toSorted((a, b) => a.distance - b.distance)
  return best?.of ?? null
}

/** Letters that are missing, too many, wrong or swapped with their neighbour; case and word separators are free. */
export function distanceOf(left: string, right: string): number {
  const letters = (text: string): readonly string[] => Array.from(text.toLowerCase().replace(/[-_ ]/g, ''))
  const [a, b] = [letters(left), letters(right)]
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, at) => at)]
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Infinity
  for (let i = 1; i <= a.length; i += 1) {
    rows.push([i])
    for (let j = 1; j <= b.length; j += 1) {
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      rows[i]?.push(
        Math.min(
          at(i - 1, j) + 1,
          at(i, j - 1) + 1,
          at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
          isSwap ? at(i - 2, j - 2) + 1 : Infinity,
        ),
      )
    }
  }
  return at(a.length, b.length)
}

/** As YAML and those who write it call them. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['array', 'a list'],
  ['object', 'a map'],
  ['record', 'a map'],
  ['string', 'text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
])

/** Our words instead of all those of zod. Schemas that bring their own words keep them. */
export function wordingOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is required'
        : `must be ${KINDS.get(issue.expected) ?? issue.expected}`
    case 'too_small':
      return issue.minimum === 1 && issue.origin !== 'number' && issue.origin !== 'int'
        ? 'must not be empty'
        : `must be at least ${issue.minimum}`
    case 'too_big':
      return `must be at most ${issue.maximum}`
    case 'invalid_format':
      return issue.format === 'date' ? 'must be a date (YYYY-MM-DD)' : 'must have another form'
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`
    case 'unrecognized_keys':
      return `has no key ${issue.keys.map((key) => `"${key}"`).join(', ')}`
    case 'invalid_union':
      return issue.input === undefined ? 'is required' : 'has none of the allowed types'
    default:
      return 'cannot be used'
  }
}
