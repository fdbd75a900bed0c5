import { readBaseUrl, readProxy } from '../../service/checked-service.js'
import { z } from 'zod'
import type { LocalDate } from '../../domain/mandate/mandate.js'
import type { Expected } from '../../domain/row/row-state.js'
import { maskAccounts } from '../../domain/text/masking.js'
import { UsageError } from '../../errors.js'
import { parseLocalDate } from '../../domain/mandate/date.js'
import { checkCreditorIdentifier } from '../../domain/value/identifiers.js'

type Scalar = string | number | boolean

/** What the value of a setting can be, wherever it comes from. */
export interface Kind<Value> {
  /**
   * What the configuration file may hold, and what its JSON Schema says. What no schema can say (is this time zone known,
   * is a number in quotes too large?) is left to `read`.
   */
  readonly inFile: z.ZodType<Scalar>
  /** What is wrong with a value of the file that `inFile` refuses. */
  readonly refusal: (value: unknown) => string
  /**
   * A text of a flag or the environment, or the value of the file as text.
   * @param origin where it was written, for the message; null where the caller says so
   * @throws {UsageError}
   */
  readonly read: (text: string, origin: string | null) => Value
  /** In the file it is relative to the file. */
  readonly isPath?: true
}

interface Form<Value> {
  /** Completes "it is not …". */
  readonly expected: string
  readonly pattern: RegExp
  /** What may stand in the file without quotes, besides a text. */
  readonly scalar?: z.ZodType<Scalar>
  /** Null for a text that has the form and is none all the same. */
  readonly valueOf: (text: string) => Value | null
}

function kindOf<Value>({ expected, pattern, scalar, valueOf }: Form<Value>): Kind<Value> {
  const refusal = (value: unknown): string => `${shown(value)} is not ${expected}`
  const quoted = z.string().regex(pattern)
  return {
    inFile: (scalar === undefined ? quoted : z.union([scalar, quoted])).meta({
      errorMessage: `Give ${expected}`,
    }),
    refusal: (value) => `${refusal(value)}${scalar === undefined ? quotesNeeded(value) : ''}`,
    read: (given, origin) => {
      const value = pattern.test(given) ? valueOf(given) : null
      if (value !== null) return value
      throw new UsageError(
        `${origin === null ? '' : `Cannot read ${origin}: `}${refusal(given)}`,
        'Correct the value; nothing was sent',
      )
    },
  }
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `"${maskAccounts(value)}"`
  if (typeof value === 'number' || typeof value === 'boolean') return maskAccounts(String(value))
  return value === null || value === undefined ? 'nothing' : Array.isArray(value) ? 'a list' : 'a map'
}

const quotesNeeded = (value: unknown): string =>
  typeof value === 'number' || typeof value === 'boolean' ? '; a text that looks like it needs quotes' : ''

const same = (text: string): string => text

const ANY = /^[^\0]+$/

export const text = kindOf({ expected: 'a text', pattern: ANY, valueOf: same })

export const path: Kind<string> = {
  ...kindOf({ expected: 'a path', pattern: ANY, valueOf: same }),
  isPath: true,
}

export const yesOrNo = kindOf({
  expected: 'yes or no: true, yes or 1, false, no or 0',
  pattern: /^(?:1|true|yes|0|false|no)$/,
  scalar: z.boolean(),
  valueOf: (given) => ['1', 'true', 'yes'].includes(given),
})

export const required = kindOf<'required'>({
  expected: 'the word "required"',
  pattern: /^required$/,
  valueOf: () => 'required',
})

const WHOLE = /^\d+$/
const DECIMAL = /^\d+(?:\.\d+)?$/

/** Null for a number that is out of bounds. */
const within = (value: number, least: number, most: number): number | null =>
  value >= least && value <= most ? value : null

export const whole = (least: 0 | 1, most: number): Kind<number> =>
  kindOf({
    expected: `a whole number from ${least} to ${most}`,
    pattern: WHOLE,
    scalar: z.int().min(least).max(most),
    valueOf: (given) => within(Number(given), least, most),
  })

const SMALLEST = 0.001

export const decimal = (most: number): Kind<number> =>
  kindOf({
    expected: `a number from ${SMALLEST} to ${most}`,
    pattern: DECIMAL,
    scalar: z.number().min(SMALLEST).max(most),
    valueOf: (given) => within(Number(given), SMALLEST, most),
  })

/** Timers of Node take 2^31-1 ms, nearly 25 days, and fire at once beyond it. */
const MOST_SECONDS = 2_147_483
const UNITS = { s: 1, m: 60, h: 3600 } as const

/** Seconds, or a number with `s`, `m` or `h`. */
export const seconds = kindOf({
  expected: `a duration from ${SMALLEST} to ${MOST_SECONDS} seconds, for example 90, 90s, 15m or 2h`,
  pattern: /^\d+(?:\.\d+)?[smh]?$/,
  scalar: z.number().min(SMALLEST).max(MOST_SECONDS),
  valueOf: (given) => {
    const [unit = 's'] = /[smh]$/.exec(given) ?? []
    return within(Number.parseFloat(given) * UNITS[unit as keyof typeof UNITS], SMALLEST, MOST_SECONDS)
  },
})

/** One of a few words. */
export const oneOf = <Word extends string>(words: readonly Word[]): Kind<Word> =>
  kindOf({
    expected: `one of ${words.join(', ')}`,
    pattern: new RegExp(`^(?:${words.join('|')})$`),
    valueOf: (given) => words.find((word) => word === given) ?? null,
  })

/** A number of records, or of the export that is named before it. */
export const recordsOf = kindOf<Expected>({
  expected: 'a whole number, or the name of an export and one: final.csv=400',
  pattern: /^(?:[^\0]+=)?\d{1,15}$/,
  valueOf: (given) => {
    const at = given.lastIndexOf('=')
    const source = at < 0 ? null : given.slice(0, at)
    return { source, records: Number(given.slice(at + 1)), customerNoSum: null }
  },
})

const MOST_ROWS = 999_999_999

export const rows = (least: 0 | 1): Kind<number> => whole(least, MOST_ROWS)

type Share = { readonly kind: 'count' | 'percent'; readonly value: number }

export const rowsOrPercent = kindOf<Share>({
  expected: `a whole number from 0 to ${MOST_ROWS}, or a share from 0% to 100%`,
  pattern: /^\d+(?:(?:\.\d+)?%)?$/,
  scalar: z.int().min(0).max(MOST_ROWS),
  valueOf: (given) => {
    const kind = given.endsWith('%') ? 'percent' : 'count'
    const value = within(Number.parseFloat(given), 0, kind === 'percent' ? 100 : MOST_ROWS)
    return value === null ? null : { kind, value }
  },
})

export const day = kindOf<LocalDate>({
  expected: 'a calendar date, YYYY-MM-DD',
  pattern: /^\d{4}-\d{2}-\d{2}$/,
  valueOf: parseLocalDate,
})

export const zone = kindOf({
  expected: 'a time zone that is known, for example Europe/Berlin',
  pattern: ANY,
  valueOf: (given) => {
    try {
      return new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions().timeZone
    } catch {
      return null
    }
  },
})

/** One that cannot be right would be compared with nothing, and the mix-up would pass. */
export const creditor = kindOf({
  expected: 'a creditor identifier',
  pattern: ANY,
  valueOf: (given) => (checkCreditorIdentifier(given).usable ? given : null),
})

/**
 * An address may hold a password, so no message quotes it.
 * @param check throws for one that cannot be used
 */
function address(pattern: RegExp, check: (text: string) => unknown): Kind<string> {
  return {
    inFile: z.string().regex(pattern).meta({ errorMessage: 'Give an address that begins with https://' }),
    refusal: () => 'it is not an address that begins with https:// (http:// only for this machine)',
    read: (given) => {
      check(given)
      return given
    },
  }
}

export const baseUrl = address(/^\s*[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s\\/?#][^\s\\?#]*\s*$/, readBaseUrl)

export const proxy = address(/^[Hh][Tt][Tt][Pp][Ss]?:\/\/\S+$/, readProxy)
