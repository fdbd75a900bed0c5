/** Wall clock for what is written down, monotonic clock for what is waited for; only cli.ts makes the real one. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Milliseconds from any origin, never stepping back. */
  readonly monotonic: () => number
}
