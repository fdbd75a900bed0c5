/**
 * Repeats may be at most a tenth of the requests of the last two minutes, and ten are always free, so that a
 * service in trouble is not hit harder by our repeats than by our rows (run/README.md#pacing).
 */
export interface RetryBudget {
  readonly slices: readonly Slice[]
}

interface Slice {
  readonly startedMs: number
  readonly requests: number
  readonly repeats: number
}

const WINDOW_MS = 120_000
const SLICE_MS = 5_000
const SHARE = 0.1
const FREE = 10

export const startRetryBudget = (): RetryBudget => ({ slices: [] })

const recent = (budget: RetryBudget, nowMs: number): readonly Slice[] =>
  budget.slices.filter((slice) => nowMs - slice.startedMs < WINDOW_MS)

export function noteRequest(budget: RetryBudget, isRepeat: boolean, nowMs: number): RetryBudget {
  const slices = recent(budget, nowMs)
  const last = slices.at(-1)
  const repeats = isRepeat ? 1 : 0
  if (last === undefined || nowMs - last.startedMs >= SLICE_MS)
    return { slices: [...slices, { startedMs: nowMs, requests: 1, repeats }] }
  return {
    slices: [
      ...slices.slice(0, -1),
      { ...last, requests: last.requests + 1, repeats: last.repeats + repeats },
    ],
  }
}

/** Milliseconds until a repeat may leave; 0 when it may leave now. */
export function waitForRepeat(budget: RetryBudget, nowMs: number): number {
  const slices = recent(budget, nowMs)
  const requests = slices.reduce((sum, slice) => sum + slice.requests, 0)
  const repeats = slices.reduce((sum, slice) => sum + slice.repeats, 0)
  if (repeats < FREE + SHARE * requests) return 0
  const oldest = slices.find((slice) => slice.repeats > 0)
  return oldest === undefined ? 0 : oldest.startedMs + WINDOW_MS - nowMs
}
