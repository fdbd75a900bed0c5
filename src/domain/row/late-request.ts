import { plural } from '../text/wording.js'

/** A request that left may still arrive and be applied for this long, in milliseconds. */
export const LATE_REQUEST_MS = 15 * 60 * 1_000

/** What a decision says that let a row go out while its earlier request could still arrive; `ms` after that left. */
export const forcedText = (ms: number): string =>
  `forced, ${plural(Math.max(0, Math.floor(ms / 60_000)), 'minute', 'minutes')} after the attempt`

const FORCED = /^forced, \d+ minutes? after the attempt/

/** True for the evidence of such a decision. */
export const isForced = (evidence: string | null): boolean => evidence !== null && FORCED.test(evidence)
