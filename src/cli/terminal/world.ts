import type { Readable, Writable } from 'node:stream'
import type { Machine } from '../../machine.js'
import type { Line } from './line.js'

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
