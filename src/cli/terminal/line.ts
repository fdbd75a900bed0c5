import { styleText } from 'node:util'
import { oneLine } from '../../domain/text/text.js'
/** What colour says besides the word that it is on: it never says anything alone. */
export type Tone = 'good' | 'bad' | 'open' | 'strong' | 'soft'

export interface Toned {
  readonly tone: Tone
  readonly text: string
}

/** One line for a person: plain text, or parts of which some have a tone. */
export type Line = string | readonly (string | Toned)[]

const FORMATS = { good: 'green', bad: 'red', open: 'yellow', strong: 'bold', soft: 'dim' } as const

export const toned = (tone: Tone, text: string): Toned => ({ tone, text })

const partsOf = (line: Line): readonly (string | Toned)[] => (typeof line === 'string' ? [line] : line)

/** A line as it is written; what came from others can neither break it nor colour it, since each part is made plain. */
export const writtenLine = (line: Line, hasColour: boolean): string =>
  partsOf(line)
    .map((part) => {
      if (typeof part === 'string') return oneLine(part)
      const text = oneLine(part.text)
      return hasColour && text !== '' ? styleText(FORMATS[part.tone], text, { validateStream: false }) : text
    })
    .join('')

/** The words of a line alone. */
export const wordsOf = (line: Line): string => writtenLine(line, false)
