import { countText, durationText, shareText, widthOf, type WidthUnit } from '../../domain/text/wording.js'

/** How a language writes what it counts. */
interface Writing {
  /** What stands between groups of three digits. */
  readonly thousands: string
  /** What stands before the decimals. */
  readonly point: string
  /** Of which count one speaks in the singular. */
  readonly isOne: (count: number) => boolean
  /** A unit of time alone (`minute`), and with a count before it (`10 minutes`). */
  readonly units: Readonly<Record<WidthUnit, readonly [one: string, many: string]>>
}

/** What a language counts, as it writes it; never by Intl, whose words depend on the machine. */
interface Figures {
  readonly count: (count: number) => string
  readonly plural: (count: number, one: string, many: string) => string
  readonly share: (part: number, whole: number) => string
  readonly duration: (ms: number) => string
  readonly width: (ms: number) => string
}

/** The figures of English (`domain/text/wording.ts`) in the writing of another language. */
export function figuresOf({ thousands, point, isOne, units }: Writing): Figures {
  const count = (number: number): string => countText(number).replaceAll(',', thousands)
  const plural = (number: number, one: string, many: string): string =>
    `${count(number)} ${isOne(number) ? one : many}`
  return {
    count,
    plural,
    share: (part, whole) => shareText(part, whole).replace('.', point).replace(' ', '\u00a0'),
    duration: (ms) => durationText(ms, (days) => plural(days, ...units.day)),
    width: (ms) => {
      const { count: wide, unit } = widthOf(ms)
      const [one, many] = units[unit]
      return wide === 1 ? one : `${wide} ${many}`
    },
  }
}
