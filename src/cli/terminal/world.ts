import type { Readable, Writable } from 'node:stream'
import { stripVTControlCharacters, styleText } from 'node:util'
import { WriteStream } from 'node:tty'
import type { Machine } from '../../machine.js'
import { oneLine, plainLines, countText, durationText, plural, said } from '../../domain/text/text.js'
import { UsageError } from '../../errors.js'
import {
  ROW_STATES,
  type RowState,
  STATE_MEANS,
  stateName,
  isBalanced,
  TOTAL_OF_STATE,
  type Totals,
  type Outcome,
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

/** Ctrl-C, Escape and a signal leave a question: null, which is no answer and no decision. */
async function ask(
  { stdin, stderr, signals }: World,
  put: (streams: { input: Readable; output: Writable; signal: AbortSignal }) => Promise<string | symbol>,
): Promise<string | null> {
  const answer = await put({ input: stdin, output: stderr.stream, signal: signals.drain })
  return typeof answer === 'symbol' ? null : answer
}

export async function askPassword(world: World, username: string): Promise<string | null> {
  const { password } = await questions()
  const message = oneLine(`Password of "${username}"`)
  return (await ask(world, (streams) => password({ message, ...streams }))) || null
}

/** What was typed, or null for a question that was left. */
export async function askText(world: World, question: string): Promise<string | null> {
  const { text } = await questions()
  const answer = await ask(world, (streams) => text({ message: oneLine(question), ...streams }))
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
  return said([
    [toned('strong', 'Control totals')],
    line('read', totals.read, 'records of the exports'),
    ...shown.map(stateLine),
    totals.resubmitted > 0 &&
      line(
        'resubmitted',
        totals.resubmitted,
        'lines given back; a correction counts in the place of its row',
      ),
    isBalanced(totals)
      ? `  balanced: ${countText(totals.read)} read = the sum of all states`
      : [
          '  ',
          toned('bad', 'NOT BALANCED'),
          ': the states do not add up to the records read. Do not continue; report this.',
        ],
  ])
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

/** Shows how far a run is: lines redrawn in place on a terminal, one plain line per interval elsewhere. On stderr. */
export type Progress = ReturnType<typeof lineProgress>

const LINE_INTERVAL_MS = 5_000
/** Fast enough for an eye, slow enough for a terminal at the far end of a line. */
const DRAW_INTERVAL_MS = 100

/** Counts of the run that is shown; `view` reads them with the time that has passed. */
function counter(world: World) {
  let startedMs = world.clock.monotonic()
  let counts = { total: 0, registered: 0, refused: 0, inDoubt: 0 }
  let event: string | null = null
  return {
    start: (total: number): void => {
      startedMs = world.clock.monotonic()
      counts = { ...counts, total }
    },
    outcome: (kind: Outcome['kind']): void => {
      if (kind === 'registered') counts.registered += 1
      else if (kind === 'refused') counts.refused += 1
      else if (kind === 'in_doubt') counts.inDoubt += 1
      else return // not sent or turned away: the row waits, and an event says why
      event = null
    },
    event: (text: string): void => void (event = text),
    view: () => ({
      ...counts,
      /** Rows that were settled when the clock of this view started; the pace counts from there. */
      settledBefore: 0,
      elapsedMs: world.clock.monotonic() - startedMs,
      /** The last thing that a person should know, a pause for example; null for none. */
      event,
    }),
  }
}

export async function startProgress(world: World, isSilent: boolean): Promise<Progress> {
  if (isSilent) return lineProgress(world, () => undefined)
  const { isTerminal, print } = world.stderr
  return isTerminal ? drawnProgress(world, await drawnLines(world)) : lineProgress(world, print)
}

/** The lines of a view, redrawn in place; what is said meanwhile is written above them and stays. */
export async function drawnLines(world: World) {
  const { createLogUpdate } = await import('log-update')
  const draw = createLogUpdate(world.stderr.stream)
  return {
    show: (lines: readonly string[]): void => draw(lines.join('\n')),
    clear: (): void => {
      draw.clear()
      draw.done() // gives the cursor back
    },
  }
}

const readingText = (source: string, records: number): string =>
  `Reading ${source}: ${plural(records, 'record', 'records')}`

/** The lines of a view as this terminal shows them. */
export const drawn = ({ stderr }: World, view: RunView): string[] =>
  terminalLines(view).map((line) => writtenLine(line, stderr.hasColour))

function drawnProgress(world: World, lines: Awaited<ReturnType<typeof drawnLines>>): Progress {
  const { view, ...count } = counter(world)
  const sending = (): readonly string[] => drawn(world, view())
  /** What stands there; null for nothing. */
  let text: (() => readonly string[]) | null = null
  let cancelDrawing: (() => void) | null = null

  function draw(): void {
    cancelDrawing = null
    if (text !== null) lines.show(text())
  }
  /** However much happens, the lines are drawn ten times a second at most, and the last state is always drawn. */
  const drawSoon = (): void => void (cancelDrawing ??= world.after(DRAW_INTERVAL_MS, draw))
  function clearFor(next: typeof text): void {
    cancelDrawing?.()
    cancelDrawing = null
    if (text !== null) lines.clear()
    text = next
  }

  return {
    reading: (source, records) => {
      text = () => [writtenLine(readingText(source, records), false)]
      drawSoon()
    },
    sending: (total) => {
      clearFor(total === 0 ? null : sending)
      count.start(total)
      draw()
    },
    outcome: (kind) => {
      count.outcome(kind)
      drawSoon()
    },
    event: (what) => {
      count.event(what)
      drawSoon()
    },
    note: (what) => {
      clearFor(text === sending ? sending : null)
      world.stderr.print(what)
      drawSoon()
    },
    end: () => clearFor(null),
  }
}

export function lineProgress(world: World, say: (line: Line) => void) {
  const { view, ...count } = counter(world)
  let saidMs = world.clock.monotonic()
  let saidAt = 0
  /** Of the last event: said once, however often it comes again. */
  let saidCause = ''
  const isDue = (): boolean => world.clock.monotonic() - saidMs >= LINE_INTERVAL_MS
  function sayCounts(): void {
    saidMs = world.clock.monotonic()
    saidAt = settledOf(view())
    say(plainLine(view()))
  }
  return {
    reading: (source: string, records: number): void => {
      if (!isDue()) return
      saidMs = world.clock.monotonic()
      say(readingText(source, records))
    },
    sending: (total: number): void => {
      count.start(total)
      saidMs = world.clock.monotonic()
      if (total > 0) say(`Sending ${plural(total, 'row', 'rows')}`)
    },
    outcome: (kind: Outcome['kind']): void => {
      count.outcome(kind)
      if (isDue()) sayCounts()
    },
    /** What goes on just now, a pause and its cause; replaced by the next, gone with the next outcome. */
    event: (text: string, cause: string): void => {
      count.event(text)
      if (cause !== saidCause) say(text)
      saidCause = cause
    },
    /** A line that stays. */
    note: say,
    end: (): void => {
      if (settledOf(view()) > saidAt) sayCounts()
    },
  }
}

/** What a view shows: the counts of a run, or of the campaign for somebody who watches it from outside. */
export type RunView = Readonly<ReturnType<ReturnType<typeof counter>['view']>>

/** In characters. */
const BAR = 30

export const settledOf = ({ registered, refused, inDoubt }: RunView): number => registered + refused + inDoubt

const rateText = (perSecond: number): string =>
  `${perSecond < 10 ? perSecond.toFixed(1) : countText(Math.round(perSecond))} a second`

/** Rows settled a second since the start, and how long the others take; nothing before anything can be said. */
function paceOf(view: RunView): string[] {
  const settled = settledOf(view) - view.settledBefore
  if (settled <= 0 || view.elapsedMs < 1) return []
  const perSecond = (settled * 1000) / view.elapsedMs
  const left = view.total - settledOf(view)
  return said([rateText(perSecond), left > 0 && `${durationText((left / perSecond) * 1000)} left`])
}

/** Percent rounded down, so that 100 % is said only when nothing is left. */
const percentOf = (view: RunView): number =>
  view.total === 0 ? 100 : Math.floor((settledOf(view) * 100) / view.total)

function bar(view: RunView): string {
  const full = Math.floor((view.total === 0 ? 1 : settledOf(view) / view.total) * BAR)
  return '█'.repeat(full) + '░'.repeat(BAR - full)
}

/** The three lines that are redrawn on a terminal: how far, what became of the rows, how fast. */
export function terminalLines(view: RunView): Line[] {
  // What somebody has to look at has a colour once it is there.
  const part = (tone: Tone, name: string, count: number): string | Toned =>
    count === 0 ? `${name} 0` : toned(tone, `${name} ${countText(count)}`)
  const [refused, inDoubt] = [part('bad', 'refused', view.refused), part('open', 'in doubt', view.inDoubt)]
  return [
    `${bar(view)} ${percentOf(view)} %  ${countText(settledOf(view))} of ${countText(view.total)}`,
    [`registered ${countText(view.registered)} · `, refused, ' · ', inDoubt],
    said([...paceOf(view), view.event !== null && view.event]).join(' · '),
  ]
}

/** The same on one line, for a file or a pipe, where events have lines of their own. */
export function plainLine(view: RunView): string {
  return [
    `Sent: ${countText(settledOf(view))} of ${countText(view.total)}`,
    `registered ${countText(view.registered)}, refused ${countText(view.refused)}, in doubt ${countText(view.inDoubt)}`,
    ...paceOf(view),
  ].join('; ')
}
