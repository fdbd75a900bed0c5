import { printable } from '../../domain/text/text.js'

/** The parts of a setting that is an object, else none. */
export const partsOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : []

/** Nothing was set, or it is switched off: the page leaves it out. */
const isUnset = (value: unknown): boolean =>
  value === null || value === false || (typeof value === 'object' && partsOf(value).length === 0)

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

export const nameOf = (name: string): string => printable(NAMES.get(name) ?? asWords(name))

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
