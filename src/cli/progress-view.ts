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

/** `5 s`, `3 min`, `2 h 5 min`: as exact as an estimate deserves. */
export function roughDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 90) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 90) return `${minutes} min`
  const rest = minutes % 60
  return rest === 0 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60)} h ${rest} min`
}

const rateText = (perSecond: number): string =>
  `${perSecond < 10 ? perSecond.toFixed(1) : perSecond.toFixed(0)} a second`

function paceOf(view: RunView): string[] {
  const perSecond = rateOf(view)
  if (perSecond === null) return []
  const left = view.total - settledOf(view)
  return [rateText(perSecond), ...(left > 0 ? [`${roughDuration((left / perSecond) * 1000)} left`] : [])]
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
export function terminalLines(view: RunView, columns: number): [string, string, string] {
  const width = Math.max(NARROWEST, columns) - 1
  const registered = `registered ${view.registered}`
  const open = `refused ${view.refused} · in doubt ${view.inDoubt}`
  const percent = `${percentOf(view)} %`
  const counts = `${registered} · ${open}`
  const isWide = counts.length <= width
  const right = isWide ? `${percent}  ${settledOf(view)} of ${view.total}` : `${percent}  ${registered}`
  const barWidth = Math.min(BAR_MOST, width - right.length - 1)
  const first = barWidth < 4 ? right : `${bar(view, barWidth)} ${right}`
  const last = [...paceOf(view), ...(view.event === null ? [] : [view.event])].join(' · ')
  return [first, isWide ? counts : open, clip(last, width)]
}

/** The same on one line, for a file or a pipe. */
export function plainLine(view: RunView): string {
  return [
    `Sent: ${settledOf(view)} of ${view.total}`,
    `registered ${view.registered}, refused ${view.refused}, in doubt ${view.inDoubt}`,
    ...paceOf(view),
    ...(view.event === null ? [] : [view.event]),
  ].join('; ')
}
