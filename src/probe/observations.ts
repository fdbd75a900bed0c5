import type { Mandate } from '../domain/mandate/mandate.js'
import type { ListedSource } from '../domain/proof/match-sources.js'
import type { Outcome } from '../domain/row/outcome.js'
import type { LimitHeaders } from '../service/read-back/limit-headers.js'
import type { NotRead, SourcesSeen } from '../service/read-back/classify-sources.js'
import type { Ended } from './asker.js'

/** What a made-up mandate was sent for. */
export type Purpose = 'first' | 'duplicate' | 'second_mandate' | 'unknown_customer' | 'wrong_account'

/** One request for a made-up mandate, and what came of it. */
export interface Posted {
  readonly purpose: Purpose
  readonly mandate: Mandate
  readonly outcome: Outcome
}

/** When a mandate that was registered showed; milliseconds since its answer. */
export type Shown =
  | {
      readonly kind: 'shown'
      readonly source: ListedSource
      readonly sources: readonly ListedSource[]
      /** When it was looked for last and was not there yet; null where it showed at once. */
      readonly notYetMs: number | null
      /** When the question left that found it, and when its answer was there. */
      readonly askedMs: number
      readonly shownMs: number
    }
  | { readonly kind: 'not_within'; readonly waitedMs: number }
  | { readonly kind: 'not_read'; readonly seen: NotRead }
  | { readonly kind: 'not_asked' }

/** How many sources of a mandate that was sent twice were listed, so long after the second answer. */
export type Held =
  | { readonly kind: 'counted'; readonly count: number; readonly afterMs: number }
  /** Not asked, not answered, or the list does not tell which sources are of this mandate. */
  | { readonly kind: 'not_known' }

/** A mandate that was sent, looked for, and sent once more as it was. */
export interface Pair {
  readonly customerNo: number
  readonly first: Posted
  readonly shown: Shown
  /** Null where the first was not registered, or nothing further was asked. */
  readonly duplicate: Posted | null
  readonly held: Held
}

/** Many reads within a short time. */
export interface Burst {
  readonly asked: number
  readonly listed: number
  /** Which one was answered "too many" first; null where none was. */
  readonly throttledAt: number | null
  readonly retryAfterMs: number | null
  readonly headers: LimitHeaders
  readonly durationMs: number
}

/** Everything that a probe saw, in the order in which it was asked. */
export interface Observations {
  /** What each customer had before anything was sent, the unknown one too; null where nobody asked. */
  readonly before: ReadonlyMap<number, SourcesSeen | null>
  readonly unknownCustomerNo: number
  readonly pairs: readonly Pair[]
  readonly secondMandate: Posted | null
  readonly unknownCustomer: Posted | null
  readonly wrongAccount: Posted | null
  /** Good mandates of the same customer, sent under the same conditions as the one with the wrong account. */
  readonly controls: readonly Posted[]
  readonly burst: Burst | null
  readonly throttledPosts: number
  readonly posted: readonly Posted[]
  /** What each of these customers has at the end. */
  readonly after: ReadonlyMap<number, SourcesSeen | null>
  readonly ended: Ended | null
}
