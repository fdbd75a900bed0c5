/** An answer of 0.3 s is usual for this kind of service. */
const USUAL_ANSWER_S = 0.3

export interface ExpectedPace {
  readonly concurrency: number
  /** Requests a second; null without a limit. */
  readonly rate: number | null
  /** Each row takes two requests then. */
  readonly isAskingFirst: boolean
}

/** How long sending takes at the usual pace of a service, in milliseconds. */
export function expectedMs(rows: number, { concurrency, rate, isAskingFirst }: ExpectedPace): number {
  const perSecond = Math.min(concurrency / USUAL_ANSWER_S, rate ?? Infinity) / (isAskingFirst ? 2 : 1)
  return (rows / perSecond) * 1000
}
