/** Waits before a repeat (run/README.md#pacing). `random` is a number in [0, 1). All times in milliseconds. */

const CONNECT_BASE_MS = 1_000
const CONNECT_CAP_MS = 8_000
const TURNED_AWAY_BASE_MS = 1_000
const TURNED_AWAY_CAP_MS = 60_000

/** So long a row may wait in one run, all its waits together; then it is left for a later run. */
export const LONGEST_WAIT_MS = 15 * 60_000

const doubled = (baseMs: number, capMs: number, n: number): number => Math.min(capMs, baseMs * 2 ** (n - 1))

/** After the n-th connection failure in a row: full jitter, so that clients do not come back together. */
export const connectBackoffMs = (n: number, random: number): number =>
  random * doubled(CONNECT_BASE_MS, CONNECT_CAP_MS, n)

/**
 * After a row was turned away for the n-th time: equal jitter, because full jitter can fall near 0 and burn every
 * repeat in one window. What the service asked for is the floor.
 */
export function turnedAwayBackoffMs(n: number, retryAfterMs: number | null, random: number): number {
  const half = doubled(TURNED_AWAY_BASE_MS, TURNED_AWAY_CAP_MS, n) / 2
  return Math.max(retryAfterMs ?? 0, half + random * half)
}
