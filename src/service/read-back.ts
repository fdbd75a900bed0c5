import { customerPath, readCustomer } from '../contract/customer.js'
import { readErrorHints, type unreadable } from '../contract/envelope.js'
import { readPaymentSources, paymentSourcesPath, headerOfMore } from '../contract/payment-source.js'
import type { ListedSource } from '../domain/proof/match-sources.js'
import type { CustomerSaid } from '../domain/who/names.js'
import { parseJson } from '../domain/text/text.js'
import {
  cleanHints,
  factsOf,
  quoteHints,
  MAX_MESSAGE_BYTES,
  type Cleaner,
  createCleaner,
} from './classify.js'
import { explain, type Exchange, type Response } from './exchange.js'
import type { CheckedService, Credentials } from './checked-service.js'
import { clientOptions, openWay, type ClientMachine, type SendOptions } from './client.js'
import type { ExchangeEvidence, Halt } from '../domain/row/row-state.js'

/** What one question about a customer brought: for its payment sources, or for who it is. */
export type SourcesSeen = Listed | NotRead

interface Listed {
  readonly kind: 'listed'
  /** Empty where the customer has none. */
  readonly sources: readonly ListedSource[]
  /** Who it is, where that was asked; null where the service has none of that number. */
  readonly customer?: CustomerSaid | null
  readonly status: number
  readonly durationMs: number
}

/** Nothing was asked at all where it did not start. */
export interface NotRead extends Pick<
  ExchangeEvidence,
  'started' | 'retryAfterMs' | 'status' | 'errorCode' | 'durationMs'
> {
  readonly kind: 'not_read'
  /**
   * `missing`: the service has no read-back, or does not know the customer. `refused`: it will not answer this
   * question. `unreadable`: it answered, and not with a list. `no_answer`: nothing whole came.
   */
  readonly cause: 'missing' | 'refused' | 'not_now' | 'unreadable' | 'no_answer'
  /** One sentence; never an account number, never a credential. */
  readonly reason: string
  /** Asked again, the same question may be answered: it is a read, and changes nothing. */
  readonly canRepeat: boolean
  /** Why no further question makes sense, or null. */
  readonly halt: Halt | null
}

type Cause = Pick<NotRead, 'cause' | 'canRepeat' | 'halt'>

const TOO_LARGE = 'UND_ERR_RES_EXCEEDED_MAX_SIZE'
const MISSING = [404, 405, 501]
const CREDENTIALS = [401, 403, 407]
const LATER = [408, 421, 425, 429]

/** What an answer says; null for one that is none to the question. */
type Read = (
  response: Response,
) => Pick<Listed, 'sources' | 'customer'> | ReturnType<typeof unreadable> | null

/** Pure and total. An answer counts only whole: a cut list would look as if a mandate were missing. */
export function classifySources(
  exchange: Exchange,
  clean: Cleaner,
  { what, read }: { readonly what: string; readonly read: Read } = LIST,
): SourcesSeen {
  const { response, durationMs } = exchange
  const notRead = (cause: Cause, reason: string): NotRead => {
    const { started, retryAfterMs, status, errorCode } = factsOf(exchange)
    return { kind: 'not_read', ...cause, started, reason, retryAfterMs, status, errorCode, durationMs }
  }
  if (response?.complete !== true) return notRead(...unanswered(exchange))
  const { status } = response
  const reading = read(response)
  if (reading === null) return notRead(causeOf(status), answered(response, clean))
  if (!('reason' in reading)) return { kind: 'listed', ...reading, status, durationMs }
  const problem = clean(reading.reason, MAX_MESSAGE_BYTES)
  return notRead(
    { cause: 'unreadable', canRepeat: true, halt: null },
    `The service answered ${status}, but not with ${what} (${problem})`,
  )
}

/** What a header says of further pages counts like what the body says. */
const readList: Read = ({ status, headers, bodyText }) => {
  if (status !== 200 && status !== 204) return null
  const reading =
    status === 204 ? { kind: 'read' as const, sources: [] } : readPaymentSources(parseJson(bodyText))
  if (reading.kind === 'unreadable') return reading
  const more = headerOfMore(headers, reading.sources.length)
  return more === null ? { sources: reading.sources } : { kind: 'unreadable', reason: more }
}
const LIST = { what: 'a list of payment sources', read: readList }

const readWho =
  (customerNo: number): Read =>
  ({ status, bodyText }) => {
    if (status === 404) return { sources: [], customer: null }
    const reading = status === 200 ? readCustomer(parseJson(bodyText), customerNo) : null
    return reading?.kind === 'read' ? { sources: [], customer: reading.customer } : reading
  }

function unanswered(exchange: Exchange): [Cause, string] {
  const { started, response, error } = exchange
  if ((started || response !== null) && error?.code === TOO_LARGE)
    return [
      { cause: 'unreadable', canRepeat: false, halt: null },
      'The list of payment sources is larger than is read',
    ]
  const { reason, halt } = explain(exchange)
  const status = response === null ? '' : `The service answered ${response.status}, but not whole: `
  return [{ cause: 'no_answer', canRepeat: halt === null, halt }, status + reason]
}

function causeOf(status: number): Cause {
  if (CREDENTIALS.includes(status)) return { cause: 'refused', canRepeat: false, halt: 'credentials' }
  if (MISSING.includes(status)) return { cause: 'missing', canRepeat: false, halt: null }
  if (LATER.includes(status) || status >= 500) return { cause: 'not_now', canRepeat: true, halt: null }
  if (status >= 400) return { cause: 'refused', canRepeat: false, halt: null }
  if (status >= 300) return { cause: 'refused', canRepeat: false, halt: 'redirect' }
  return { cause: 'unreadable', canRepeat: true, halt: null }
}

function answered({ status, bodyText }: Response, clean: Cleaner): string {
  const hints = cleanHints(readErrorHints(parseJson(bodyText)), clean)
  return `The service answered ${status}${quoteHints(hints)}`
}

/** Ten thousand sources take some 2.5 MB. */
const MAX_LIST_BYTES = 8 * 1024 * 1024

/** Reads what the service holds. It never rejects and asks once; that a question may be repeated is told by its answer. */
export type SourceReader = ReturnType<typeof connectReader>

/**
 * Its connections are its own: reading takes no slot of a run, and a list may be larger than any other answer.
 * @throws {UsageError} for credentials, limits, certificates or a proxy that cannot be used
 */
export function connectReader(service: CheckedService, credentials: Credentials, machine: ClientMachine) {
  const options = clientOptions(service, credentials, machine)
  const { secrets, exchange, close } = openWay({ ...options, maxAnswerBytes: MAX_LIST_BYTES })
  const clean = createCleaner({ iban: null, secrets })
  return {
    /**
     * The payment sources of a customer (contract/README.md#payment-sources).
     * @throws {RangeError} for what is no customer number; nothing was sent
     */
    async listPaymentSources(customerNo: number, sendOptions: SendOptions): Promise<SourcesSeen> {
      const path = paymentSourcesPath(knownNo(customerNo))
      return classifySources(await exchange('GET', path, null, sendOptions), clean)
    },

    /**
     * Who a customer is (contract/README.md#customers). 404 is an answer: nobody.
     * @throws {RangeError} for what is no customer number; nothing was sent
     */
    async getCustomer(customerNo: number, sendOptions: SendOptions): Promise<SourcesSeen> {
      const seen = await exchange('GET', customerPath(knownNo(customerNo)), null, sendOptions)
      return classifySources(seen, clean, { what: 'a customer', read: readWho(customerNo) })
    },

    /** Ends all connections at once. */
    close,
  }
}

function knownNo(customerNo: number): number {
  if (Number.isSafeInteger(customerNo) && customerNo >= 1) return customerNo
  throw new RangeError('A customer number is a whole number from 1 to 2^53-1')
}
