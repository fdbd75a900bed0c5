import type { Readable, Writable } from 'node:stream'
import { styleText } from 'node:util'
import type { Machine } from '../../machine.js'
import { oneLine } from '../../domain/text/text.js'

export interface Output {
  readonly write: (text: string) => void
  readonly isTerminal: boolean
  /** For a bar or a question, which need more than `write`. */
  readonly stream: Writable
}

/** An output as commands see it: what is written is made plain on the way. */
export interface Screen extends Output {
  /** One line, with colour on its toned parts where that is wanted. */
  readonly print: (line: Line) => void
  readonly hasColour: boolean
}

/** Everything outside the program, as `cli.ts` finds it. Commands get it as a value, so tests can give their own. */
export interface World<Out extends Output = Screen> extends Machine {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Out
  readonly stderr: Out
  /** The folder of the samples that ship with the program. */
  readonly samples: string
  /** The folder of the topics of the manual. */
  readonly manual: string
  /** The JSON Schema of the configuration file. */
  readonly schema: string
  readonly signals: Signals
}

export interface Signals {
  /** Aborted by the first signal. */
  readonly drain: AbortSignal
  /** Aborted by the second. */
  readonly abort: AbortSignal
  /** 130 or 143 once a signal came, else null. */
  readonly exitStatus: () => number | null
}

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
