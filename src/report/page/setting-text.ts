import { printable } from '../../domain/text/text.js'
import type { Texts } from '../text/en.js'

/** The parts of a setting that is an object, else none. */
export const partsOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : []

/** Nothing was set, or it is switched off: the page leaves it out. */
const isUnset = (value: unknown): boolean =>
  value === null || value === false || (typeof value === 'object' && partsOf(value).length === 0)

/** A recorded setting as one line for people, at whatever depth; `,` and a tab can be told from nothing. */
export function settingText(value: unknown, texts: Texts): string {
  if (Array.isArray(value)) return value.map((each) => settingText(each, texts)).join(', ')
  if (typeof value === 'object' && value !== null) {
    return settingLines(partsOf(value), texts).join(', ')
  }
  if (typeof value === 'boolean') return value ? texts.settings.yes : texts.settings.no
  if (typeof value !== 'string') return JSON.stringify(value)
  return /^[\p{L}\p{N}_.:/+-]+( [\p{L}\p{N}_.:/+-]+)*$/u.test(value) ? value : `"${printable(value)}"`
}

/** One `name: value` for each setting that is set. */
export const settingLines = (settings: readonly (readonly [string, unknown])[], texts: Texts): string[] =>
  settings
    .filter(([, value]) => !isUnset(value))
    .map(([name, value]) => {
      const text = settingText(value, texts)
      const shown = printable(texts.settings.name(name))
      return partsOf(value).length === 0 ? texts.labelled(shown, text) : `${shown} (${text})`
    })
