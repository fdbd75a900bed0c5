/** A token bucket on the monotonic clock. Refilled on demand, no timer of its own. */
export interface Bucket {
  /** Requests per second; null for no limit. */
  readonly rate: number | null
  readonly tokens: number
  readonly filledAtMs: number
}

/** A tenth of a second's worth may leave at once: smooth at low rates, and coarse timers do not slow high ones. */
const burstOf = (rate: number): number => Math.max(1, rate / 10)

export const startBucket = (rate: number | null, nowMs: number): Bucket => ({
  rate,
  tokens: rate === null ? 0 : burstOf(rate),
  filledAtMs: nowMs,
})

function refill(bucket: Bucket, nowMs: number): Bucket {
  if (bucket.rate === null) return bucket
  const earned = (Math.max(0, nowMs - bucket.filledAtMs) / 1000) * bucket.rate
  return { ...bucket, tokens: Math.min(burstOf(bucket.rate), bucket.tokens + earned), filledAtMs: nowMs }
}

/** Milliseconds until one request may leave; 0 when it may leave now. */
export function waitForToken(bucket: Bucket, nowMs: number): number {
  if (bucket.rate === null) return 0
  const { tokens } = refill(bucket, nowMs)
  return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) / bucket.rate) * 1000)
}

/** Takes one token; call only when `waitForToken` is 0. */
export function takeToken(bucket: Bucket, nowMs: number): Bucket {
  if (bucket.rate === null) return bucket
  const full = refill(bucket, nowMs)
  return { ...full, tokens: full.tokens - 1 }
}
