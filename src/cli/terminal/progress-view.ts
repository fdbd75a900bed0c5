import { countText, durationText } from '../../domain/text/wording.js'
import { type Line, type Tone, type Toned, toned, wordsOf } from './line.js'

/** What a view shows: the counts of a run, or of the campaign for somebody who watches it from outside. */
export interface RunView {
  readonly total: number
  readonly registered: number
  readonly refused: number
  readonly inDoubt: number
  /** Rows that were settled when the clock of this view started; the pace counts from there. */
  readonly settledBefore: number
  readonly elapsedMs: number
  /** The last thing that a person should know, a pause for example; null for none. */
  readonly event: string | null
}

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
  return [rateText(perSecond), ...(left > 0 ? [`${durationText((left / perSecond) * 1000)} left`] : [])]
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
  const last = [...paceOf(view), ...(view.event === null ? [] : [view.event])].join(' · ')
  return [first, isWide ? counts : open, clip(last, width)]
}

/** What somebody has to look at has a colour once it is there. */
function openParts({ refused, inDoubt }: RunView): (string | Toned)[] {
  const part = (tone: Tone, name: string, count: number): string | Toned =>
    count === 0 ? `${name} 0` : toned(tone, `${name} ${countText(count)}`)
  return [part('bad', 'refused', refused), ' · ', part('open', 'in doubt', inDoubt)]
}

/** The same on one line, for a file or a pipe. */
export function plainLine(view: RunView): string {
  return [
    `Sent: ${countText(settledOf(view))} of ${countText(view.total)}`,
    `registered ${countText(view.registered)}, refused ${countText(view.refused)}, in doubt ${countText(view.inDoubt)}`,
    ...paceOf(view),
    ...(view.event === null ? [] : [view.event]),
  ].join('; ')
}
