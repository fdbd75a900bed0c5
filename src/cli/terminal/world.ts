import type { Readable, Writable } from 'node:stream'
import { stripVTControlCharacters, styleText } from 'node:util'
import type { Machine } from '../../machine.js'
import { oneLine, plainLines, countText } from '../../domain/text/text.js'
import { UsageError } from '../../errors.js'
import { WriteStream } from 'node:tty'
import {
  ROW_STATES,
  type RowState,
  STATE_MEANS,
  stateName,
  isBalanced,
  TOTAL_OF_STATE,
  type Totals,
} from '../../domain/row/row-state.js'

export interface Output {
  readonly write: (text: string) => void
  readonly isTerminal: boolean
  /** For a bar or a question, which need more than `write`. */
  readonly stream: Writable
  /** Why it took no more, such as a full disk; null for a reader that went away. */
  readonly fault?: () => string | null
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

/** How long a line may be: the columns of a terminal as they are now, 80 if it does not say; anywhere else no limit. */
export const widthOf = ({ isTerminal, stream }: Output): number =>
  isTerminal ? Number(Reflect.get(stream, 'columns')) || 80 : Infinity

/**
 * A line broken at words; what follows stands below its words, `indent` columns to the right at least. A command is one
 * word: of a broken one the half would run when it is pasted.
 */
export function wrapped(line: string, width: number, indent = 0): string[] {
  const plain = stripVTControlCharacters(line)
  if (plain.length <= width || /^(?:Next: |Then: )? *sepa-migrate /.test(plain)) return [line]
  const [hang = ''] = /^.{0,24} {2}(?=\S)|^ *(?:- |\d+\. )?/.exec(plain) ?? []
  const under = ' '.repeat(Math.max(indent, hang.length))
  const command = /(?<!`)sepa-migrate .*/.exec(line)?.[0] ?? ''
  const [first = '', ...words] = line
    .slice(0, line.length - command.length)
    .trimEnd()
    .split(' ')
  const lines = [first]
  for (const word of command === '' ? words : [...words, command]) {
    const text = lines.at(-1) ?? ''
    const longer = `${text} ${word}`
    if (text.length <= hang.length || stripVTControlCharacters(longer).length <= width)
      lines[lines.length - 1] = longer
    else lines.push(under + word)
  }
  return lines
}

/** Loaded when somebody is asked: most commands ask nobody. */
const questions = () => import('@clack/prompts')

/** Nothing is asked unless a person can see the question and answer it. */
export const canAsk = (world: World): boolean => world.stdin.isTTY === true && world.stderr.isTerminal

const END_OF_INPUT = '\u0004'

/** Ctrl-C, Escape, Ctrl-D and a signal leave a question: null, which is no answer and no decision. */
async function ask<Answer>(
  world: World,
  put: (streams: { input: Readable; output: Writable; signal: AbortSignal }) => Promise<Answer | symbol>,
): Promise<Answer | null> {
  const { drain } = world.signals
  const left = new AbortController()
  const leave = (): void => left.abort()
  const look = (typed: string | Buffer): void => {
    if (typed.includes(END_OF_INPUT)) leave()
  }
  drain.addEventListener('abort', leave)
  world.stdin.on('data', look)
  if (drain.aborted) leave()
  try {
    const answer = await put({ input: world.stdin, output: world.stderr.stream, signal: left.signal })
    return typeof answer === 'symbol' ? null : answer
  } finally {
    world.stdin.off('data', look)
    drain.removeEventListener('abort', leave)
  }
}

export async function askPassword(world: World, username: string): Promise<string | null> {
  const { password } = await questions()
  const message = oneLine(`Password of "${username}"`)
  return (await ask<string>(world, (streams) => password({ message, ...streams }))) || null
}

/** What was typed, or null for a question that was left. */
export async function askText(world: World, question: string): Promise<string | null> {
  const { text } = await questions()
  const answer = await ask<string>(world, (streams) => text({ message: oneLine(question), ...streams }))
  return answer === null ? null : answer.trim()
}

/** Has a word typed before what must not be done by mistake. @throws {UsageError} */
export async function assertTyped(
  world: World,
  { what, typed, to, nothing }: Record<'what' | 'typed' | 'to' | 'nothing', string>,
): Promise<void> {
  if (!canAsk(world))
    throw new UsageError(`${what} needs a confirmation, and there is no terminal to ask on`, 'Pass --yes')
  if ((await askText(world, `Type "${typed}" to ${to}`)) !== typed)
    throw new UsageError(`Not confirmed; ${nothing}`, `Run again and type "${typed}"`)
}

const TONE: Readonly<Partial<Record<RowState, Tone>>> = {
  invalid: 'bad',
  conflict: 'bad',
  registered: 'good',
  refused: 'bad',
  in_doubt: 'open',
}

/** The control totals as a table; states without a row are left out, except those a person must look at. */
export function totalsLines(totals: Totals): Line[] {
  const always: readonly RowState[] = ['ready', 'registered', 'refused', 'in_doubt']
  const shown = ROW_STATES.filter((state) => totals[TOTAL_OF_STATE[state]] > 0 || always.includes(state))
  const width = Math.max(...Object.values<number>({ ...totals }).map((count) => countText(count).length))
  const line = (name: string, count: number, meaning: string, tone?: Tone): Line => {
    const counted = `${name.padEnd(12)} ${countText(count).padStart(width)}`
    return ['  ', tone === undefined || count === 0 ? counted : toned(tone, counted), `   ${meaning}`]
  }
  const stateLine = (state: RowState): Line =>
    line(stateName(state), totals[TOTAL_OF_STATE[state]], STATE_MEANS[state], TONE[state])
  return [
    [toned('strong', 'Control totals')],
    line('read', totals.read, 'records of the exports'),
    ...shown.map(stateLine),
    ...(totals.resubmitted > 0
      ? [
          line(
            'resubmitted',
            totals.resubmitted,
            'lines given back; a correction counts in the place of its row',
          ),
        ]
      : []),
    isBalanced(totals)
      ? `  balanced: ${countText(totals.read)} read = the sum of all states`
      : [
          '  ',
          toned('bad', 'NOT BALANCED'),
          ': the states do not add up to the records read. Do not continue; report this.',
        ],
  ]
}

/**
 * The one place where text leaves for a terminal or whatever reads in its stead. Names of columns and files, references
 * and the service's words come from others: what a terminal would obey, and what reorders or hides, is taken out here.
 * Colours are put on afterwards, by what the program itself says about its words.
 */
const screen = (output: Output, hasColour: boolean): Screen => ({
  ...output,
  hasColour,
  write: (text) => output.write(plainLines(text)),
  // Further lines are indented: what others wrote begins none.
  print: (line) => output.write(`${wrapped(writtenLine(line, hasColour), widthOf(output), 2).join('\n')}\n`),
})

/** NO_COLOR, then the rules of Node's own `util.styleText`: FORCE_COLOR, else a terminal, NODE_DISABLE_COLORS and TERM. */
const showsColour = ({ isTerminal }: Output, env: World['env']): boolean =>
  (env['NO_COLOR'] ?? '') === '' &&
  (env['FORCE_COLOR'] !== undefined || isTerminal) &&
  WriteStream.prototype.getColorDepth.call(null, env) > 2

/** What the world works out on demand, it still does. */
export function boundedWorld(world: World<Output>, { noColor = false } = {}): World {
  const bounded = Object.defineProperties({}, Object.getOwnPropertyDescriptors(world)) as World
  const bound = (output: Output): PropertyDescriptor => ({
    value: screen(output, !noColor && showsColour(output, world.env)),
    enumerable: true,
  })
  return Object.defineProperties(bounded, { stdout: bound(world.stdout), stderr: bound(world.stderr) })
}
