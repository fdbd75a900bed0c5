/** A request that left may still arrive and be applied for this long, in milliseconds. */
export const LATE_REQUEST_MS = 15 * 60 * 1_000
