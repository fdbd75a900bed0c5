import { createLogUpdate } from 'log-update'
import type { Line, Tone, Toned, World } from './world.js'
import { toned, widthOf, wordsOf, writtenLine } from './world.js'
import { countText, durationText, plural, said } from '../../domain/text/text.js'
import type { Outcome } from '../../domain/row/row-state.js'

/** Shows how far a run is: lines redrawn in place on a terminal, one plain line per interval elsewhere. On stderr. */
export interface Progress {
  readonly reading: (source: string, records: number) => void
  readonly sending: (total: number) => void
  readonly outcome: (kind: Outcome['kind']) => void
  /** A line that stays. */
  readonly note: (line: Line) => void
  /** What goes on just now, a pause and its cause; replaced by the next, gone with the next outcome. */
  readonly event: (text: string, cause: string) => void
  readonly end: () => void
}

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

export const startProgress = (world: World): Progress =>
  world.stderr.isTerminal ? drawnProgress(world) : lineProgress(world)

/** The lines of a view, redrawn in place; what is said meanwhile is written above them and stays. */
export function drawnLines(world: World) {
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
export const drawn = (world: World, view: RunView): string[] =>
  terminalLines(view, widthOf(world.stderr)).map((line) => writtenLine(line, world.stderr.hasColour))

function drawnProgress(world: World): Progress {
  const { view, ...count } = counter(world)
  const lines = drawnLines(world)
  let shown: 'nothing' | 'reading' | 'sending' = 'nothing'
  let text: () => readonly string[] = () => []
  let cancelDrawing: (() => void) | null = null

  function drawNow(): void {
    cancelDrawing?.()
    cancelDrawing = null
    if (shown !== 'nothing') lines.show(text())
  }
  /** However much happens, the lines are drawn ten times a second at most, and the last state is always drawn. */
  const drawSoon = (): void => void (cancelDrawing ??= world.after(DRAW_INTERVAL_MS, drawNow))
  function clear(): void {
    cancelDrawing?.()
    cancelDrawing = null
    if (shown !== 'nothing') lines.clear()
  }

  return {
    reading: (source, records) => {
      shown = 'reading'
      text = () => [writtenLine(readingText(source, records), false)]
      drawSoon()
    },
    sending: (total) => {
      clear()
      count.start(total)
      shown = total === 0 ? 'nothing' : 'sending'
      text = () => drawn(world, view())
      drawNow()
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
      clear()
      if (shown === 'reading') shown = 'nothing'
      world.stderr.print(what)
      if (shown === 'sending') drawSoon()
    },
    end: () => {
      clear()
      shown = 'nothing'
    },
  }
}

function lineProgress(world: World): Progress {
  const { view, ...count } = counter(world)
  let saidMs = world.clock.monotonic()
  let saidAt = 0
  /** Of the last event: said once, however often it comes again. */
  let saidCause = ''
  const say = world.stderr.print
  const isDue = (): boolean => world.clock.monotonic() - saidMs >= LINE_INTERVAL_MS
  function sayCounts(): void {
    saidMs = world.clock.monotonic()
    saidAt = settledOf(view())
    say(plainLine(view()))
  }
  return {
    reading: (source, records) => {
      if (!isDue()) return
      saidMs = world.clock.monotonic()
      say(readingText(source, records))
    },
    sending: (total) => {
      count.start(total)
      saidMs = world.clock.monotonic()
      if (total > 0) say(`Sending ${plural(total, 'row', 'rows')}`)
    },
    outcome: (kind) => {
      count.outcome(kind)
      if (isDue()) sayCounts()
    },
    event: (text, cause) => {
      count.event(text)
      if (cause !== saidCause) say(text)
      saidCause = cause
    },
    note: world.stderr.print,
    end: () => {
      if (settledOf(view()) > saidAt) sayCounts()
    },
  }
}

/** What a view shows: the counts of a run, or of the campaign for somebody who watches it from outside. */
export type RunView = Readonly<ReturnType<ReturnType<typeof counter>['view']>>

/** Narrower terminals cut lines; from here on nothing that matters is cut. */
const NARROWEST = 40
const BAR_MOST = 30

export const settledOf = ({ registered, refused, inDoubt }: RunView): number => registered + refused + inDoubt

/** Rows settled a second since the start, or null before anything can be said. */
function rateOf(view: RunView): number | null {
  const settled = settledOf(view) - view.settledBefore
  return settled <= 0 || view.elapsedMs < 1 ? null : (settled * 1000) / view.elapsedMs
}

const rateText = (perSecond: number): string =>
  `${perSecond < 10 ? perSecond.toFixed(1) : countText(Math.round(perSecond))} a second`

function paceOf(view: RunView): string[] {
  const perSecond = rateOf(view)
  if (perSecond === null) return []
  const left = view.total - settledOf(view)
  return said([rateText(perSecond), left > 0 && `${durationText((left / perSecond) * 1000)} left`])
}

const clip = (text: string, columns: number): string =>
  text.length <= columns ? text : `${text.slice(0, columns - 1)}…`

/** Percent rounded down, so that 100 % is said only when nothing is left. */
const percentOf = (view: RunView): number =>
  view.total === 0 ? 100 : Math.floor((settledOf(view) * 100) / view.total)

function bar(view: RunView, width: number): string {
  const share = view.total === 0 ? 1 : settledOf(view) / view.total
  const full = Math.floor(share * width)
  return '█'.repeat(full) + '░'.repeat(width - full)
}

/**
 * The three lines that are redrawn on a terminal: how far, what became of the rows, how fast. No line is as long as
 * the terminal is wide, and from 40 columns on only the event, which comes last, is ever cut.
 */
export function terminalLines(view: RunView, columns: number): [Line, Line, Line] {
  const width = Math.max(NARROWEST, columns) - 1
  const registered = [`registered ${countText(view.registered)}`]
  const open = openParts(view)
  const percent = `${percentOf(view)} %`
  const counts = [...registered, ' · ', ...open]
  const isWide = wordsOf(counts).length <= width
  const settled = `${countText(settledOf(view))} of ${countText(view.total)}`
  const right = `${percent}  ${isWide ? settled : registered.join('')}`
  const barWidth = Math.min(BAR_MOST, width - right.length - 1)
  const first = barWidth < 4 ? right : `${bar(view, barWidth)} ${right}`
  const last = said([...paceOf(view), view.event !== null && view.event]).join(' · ')
  return [first, isWide ? counts : open, clip(last, width)]
}

/** What somebody has to look at has a colour once it is there. */
function openParts({ refused, inDoubt }: RunView): (string | Toned)[] {
  const part = (tone: Tone, name: string, count: number): string | Toned =>
    count === 0 ? `${name} 0` : toned(tone, `${name} ${countText(count)}`)
  return [part('bad', 'refused', refused), ' · ', part('open', 'in doubt', inDoubt)]
}

/** The same on one line, for a file or a pipe, where events have lines of their own. */
export function plainLine(view: RunView): string {
  return [
    `Sent: ${countText(settledOf(view))} of ${countText(view.total)}`,
    `registered ${countText(view.registered)}, refused ${countText(view.refused)}, in doubt ${countText(view.inDoubt)}`,
    ...paceOf(view),
  ].join('; ')
}
