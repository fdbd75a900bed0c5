import type { Mandate } from '../../src/domain/mandate/mandate.js'
import type { ListedSource } from '../../src/domain/proof/match-sources.js'
import type { Outcome } from '../../src/domain/row/outcome.js'
import { inventMandates } from '../../src/probe/made-up-mandates.js'
import type { Observations, Pair, Posted, Purpose } from '../../src/probe/observations.js'
import { classify } from '../../src/service/classify.js'
import { createStatusTable } from '../../src/service/status-table.js'

export const { next } = inventMandates({ now: Date.parse('2026-11-22T00:00:00Z'), random: () => 0.5 })

const CREDITOR = 'DE84ZZZ09876543210'

interface Answered {
  readonly status: number
  readonly code?: string
  readonly field?: string
  /** The reference that is assigned by a 200. */
  readonly reference?: string
  readonly isCut?: boolean
}

/** What the client makes of an answer; null is one that never came. */
export function outcomeOf(mandate: Mandate, answered: Answered | null, started = true): Outcome {
  const common = { started, durationMs: 5, receivedAtMs: 0 }
  if (answered === null) {
    const error = { code: started ? 'ECONNRESET' : 'ECONNREFUSED', name: 'Error', message: '' }
    return classify({ ...common, response: null, error }, mandate, createStatusTable())
  }
  const { status, code = 'OK', field, reference, isCut = false } = answered
  const data =
    reference === undefined
      ? { message: 'No', field: field ?? null }
      : {
          customer_no: mandate.customerNo,
          iban: mandate.iban,
          signed_date: mandate.signedDate,
          sepa_creditor_identifier: CREDITOR,
          unique_mandate_reference: reference,
        }
  const text = JSON.stringify({ status: code, data })
  return classify(
    {
      ...common,
      response: { status, headers: {}, bodyText: isCut ? text.slice(0, 20) : text, complete: !isCut },
      error: isCut ? { code: 'UND_ERR_SOCKET', name: 'SocketError', message: '' } : null,
    },
    mandate,
    createStatusTable(),
  )
}

export const postedAs = (
  purpose: Purpose,
  answered: Answered | null,
  mandate = next(purpose === 'unknown_customer' ? 9 : 1),
): Posted => ({ purpose, mandate, outcome: outcomeOf(mandate, answered) })

/** A mandate as it is listed, whole and as it was sent. */
export const sourceOf = (
  mandate: Mandate,
  reference: string,
  more: Partial<ListedSource> = {},
): ListedSource => ({
  id: `id-${reference}`,
  status: 'PENDING',
  scheme: 'SEPA_DIRECT_DEBIT',
  reference,
  iban: mandate.iban,
  signedAt: `${mandate.signedDate}T00:00:00`,
  ...more,
})

interface PairGiven {
  readonly first?: Answered | null
  readonly duplicate?: Answered | null
  readonly held?: number | null
  readonly listed?: Partial<ListedSource> | null
  readonly times?: { readonly notYetMs: number | null; readonly askedMs: number; readonly shownMs: number }
}

/** A pair that was listed at once; `held` is how many were counted. */
export function pairOf({
  first: firstAnswer = { status: 200, reference: 'NEW-1' },
  duplicate: again = { status: 409 },
  held = 1,
  listed = {},
  times = { notYetMs: null, askedMs: 1, shownMs: 20 },
}: PairGiven = {}): Pair {
  const first = postedAs('first', firstAnswer)
  const source = sourceOf(first.mandate, 'NEW-1', listed ?? {})
  return {
    customerNo: 1,
    first,
    shown: listed === null ? { kind: 'not_asked' } : { kind: 'shown', source, sources: [source], ...times },
    duplicate: { ...first, purpose: 'duplicate', outcome: outcomeOf(first.mandate, again) },
    held: held === null ? { kind: 'not_known' } : { kind: 'counted', count: held, afterMs: 1_000 },
  }
}

/** A probe of a service where nothing is odd. */
export function observed(more: Partial<Observations> = {}): Observations {
  const empty = { kind: 'listed', sources: [], limits: {}, status: 204, durationMs: 1 } as const
  const pairs = [pairOf()]
  const secondMandate = postedAs('second_mandate', { status: 200, reference: 'NEW-2' })
  const unknownCustomer = postedAs('unknown_customer', { status: 404, code: 'NOT_FOUND' })
  const wrongAccount = postedAs('wrong_account', { status: 400, code: 'INVALID_PARAMETER', field: 'iban' })
  return {
    before: new Map([
      [1, empty],
      [9, empty],
    ]),
    unknownCustomerNo: 9,
    pairs,
    secondMandate,
    unknownCustomer,
    wrongAccount,
    controls: [secondMandate],
    burst: { asked: 50, listed: 50, throttledAt: null, retryAfterMs: null, headers: {}, durationMs: 100 },
    throttledPosts: 0,
    posted: [
      ...pairs.flatMap(({ first, duplicate }) => [first, duplicate ?? first]),
      secondMandate,
      wrongAccount,
      unknownCustomer,
    ],
    after: new Map([[1, empty]]),
    ended: null,
    ...more,
  }
}
