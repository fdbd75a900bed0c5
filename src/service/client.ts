import { z } from 'zod'
import { MOST_BYTES, readGivenText } from '../trust/trusted-file.js'
import {
  assertText,
  cannotUse,
  type CheckedService,
  type Credentials,
  USUAL_CONNECT_TIMEOUT_MS,
  USUAL_TIMEOUT_MS,
} from './checked-service.js'
import {
  billogramPath,
  billogramRequest,
  type BillogramRequest,
  OFFER_PATH,
  offerRequest,
  type OfferRequest,
} from '../contract/billogram.js'
import {
  customerPath,
  MIGRATE_PATH,
  migrateRequest,
  toMigrateRequest,
  paymentSourcesPath,
} from '../contract/mandates.js'
import { isRecord, memberOf } from '../domain/text/text.js'
import type { CustomerSaid } from '../domain/who/names.js'
import type { Mandate } from '../domain/mandate/mandate.js'
import type { Clock } from '../domain/mandate/date.js'
import { onlyKnown, type UsageError } from '../errors.js'
import {
  classify,
  classifyAnswer,
  proveCustomer,
  proveOffer,
  proveUpdate,
  type BillogramAnswer,
  type OfferAnswer,
  createCleaner,
  classifySources,
  readWho,
  type SourcesSeen,
} from './classify.js'
import {
  checkTimer,
  openConnections,
  type TlsOptions,
  exchangeOnce,
  type Exchange,
  type ExchangeRequest,
} from './exchange.js'
import type { Outcome } from '../domain/row/row-state.js'

export interface ClientMachine {
  /** Version of the program, sent in `User-Agent`. */
  readonly version: string
  readonly clock: Clock
}

/** All that a way to the service needs. */
export type ClientOptions = ReturnType<typeof clientOptions>

export interface SendOptions {
  /** Sent as `X-Request-Id`. */
  readonly requestId: string
  /** Breaks the exchange off at once: not sent, or in doubt when it had begun. */
  readonly signal?: AbortSignal
}

/** The way of every request, over connections of its own. @throws {UsageError} as `createClient` */
function openWay(options: ClientOptions) {
  const { baseUrl, clock, deadlineMs, freshConnections } = options
  checkTimer('time limit', deadlineMs)
  const authorization = basicAuthorization(options.username, options.password)
  const connections = openConnections(baseUrl, options)
  return {
    /** What an answer that repeats it must not leave in the evidence. */
    secrets: [options.password, authorization.slice('Basic '.length)],
    exchange: (
      method: ExchangeRequest['method'],
      path: string,
      body: string | null,
      { requestId, signal = new AbortController().signal }: SendOptions,
    ): Promise<Exchange> => {
      const headers = {
        authorization,
        ...(body === null ? {} : { 'content-type': 'application/json' }),
        accept: 'application/json',
        // A packed answer could not be read, and would be a doubt.
        'accept-encoding': 'identity',
        'user-agent': `sepa-mandate-migrator/${options.version}`,
        'x-request-id': requestId,
      }
      const request = { method, path: baseUrl.pathPrefix + path, headers, body }
      return exchangeOnce(connections, request, { deadlineMs, freshConnections }, clock, signal)
    },
    open: connections.open,
    close: connections.close,
  }
}

/** The three operations of the service, and what it holds of a customer. None sends twice, and none rejects but for an option that it does not know. */
export type ServiceClient = ReturnType<typeof createClient>

/** @throws {UsageError} for credentials, limits, certificates or a proxy that cannot be used */
export function createClient(options: ClientOptions) {
  const { clock, statusTable } = options
  const { secrets, exchange: exchangeOf, open, close } = openWay(options)

  const post = async (
    method: ExchangeRequest['method'],
    path: string,
    request: z.ZodSafeParseResult<unknown>,
    sendOptions: SendOptions,
  ): Promise<Exchange> =>
    request.success
      ? exchangeOf(
          method,
          path,
          method === 'GET' ? null : JSON.stringify(request.data),
          onlyKnown('call', sendOptions, 'requestId:text signal:signal'),
        )
      : unsendable(request.error, clock)

  return {
    /**
     * Registers a migrated mandate. Never to be sent again once it is in doubt: the contract has
     * no idempotency key and promises no way to look, so a second call may make a second mandate.
     */
    async migrateMandate(given: Mandate, sendOptions: SendOptions): Promise<Outcome> {
      const mandate = isMandate(given) ? given : NO_MANDATE
      const request = migrateRequest.safeParse(toMigrateRequest(mandate))
      const exchange = await post('POST', MIGRATE_PATH, request, sendOptions)
      return classify(exchange, mandate, statusTable, secrets)
    },

    /**
     * Creates an offer; `registered` means created. In doubt, it may be sent again: its `offer_id` is
     * unique, so a second creation is refused as taken, which tells that the first one arrived.
     */
    async createOffer(offer: OfferRequest, sendOptions: SendOptions): Promise<Outcome<OfferAnswer>> {
      const exchange = await post('POST', OFFER_PATH, offerRequest.safeParse(offer), sendOptions)
      const prove = (json: unknown) => proveOffer(json, offer.offer_id)
      return classifyAnswer(exchange, statusTable, { prove, clean: createCleaner({ iban: null, secrets }) })
    },

    /**
     * Updates a billogram; `registered` means updated. In doubt, it may be sent again: the same update
     * twice leaves the same billogram. The exception is `registered_payments`, which may count twice.
     */
    async updateBillogram(
      id: string,
      update: BillogramRequest,
      sendOptions: SendOptions,
    ): Promise<Outcome<BillogramAnswer>> {
      const request = billogramUpdate.safeParse({ id, update })
      const exchange = await post('PUT', billogramPath(id), request, sendOptions)
      const prove = (json: unknown) => proveUpdate(json, id)
      const signKey = request.data?.callbacks?.sign_key ?? ''
      const clean = createCleaner({ iban: null, secrets: [...secrets, signKey] })
      return classifyAnswer(exchange, statusTable, { prove, clean })
    },

    /**
     * Reads who a customer is; `registered` means read. Published beside the contract, so a service may lack it. In doubt,
     * it may be asked again.
     */
    async getCustomer(customerNo: number, sendOptions: SendOptions): Promise<Outcome<CustomerSaid>> {
      const number = z.int().min(1).safeParse(customerNo)
      const exchange = await post('GET', customerPath(customerNo), number, sendOptions)
      const prove = (json: unknown) => proveCustomer(json, customerNo)
      return classifyAnswer(exchange, statusTable, { prove, clean: createCleaner({ iban: null, secrets }) })
    },

    /** What the service holds of a customer; published beside the contract, too. A read, which may be repeated. */
    async listPaymentSources(customerNo: number, sendOptions: SendOptions): Promise<SourcesSeen> {
      const number = z.int().min(1).safeParse(customerNo)
      const exchange = await post('GET', paymentSourcesPath(customerNo), number, sendOptions)
      return classifySources(exchange, createCleaner({ iban: null, secrets }))
    },

    /**
     * Loads what the first request needs, which would load it by itself: before an intent is written, so that it neither
     * waits for that nor is left in doubt by a broken installation.
     */
    open,

    /** Ends all connections at once; what is still in flight ends in doubt or not sent. */
    close,
  }
}

/** A program without types may give anything; what is no mandate is not sent, like one that lacks a value. */
const isMandate = (given: unknown): boolean => isRecord(memberOf(given, 'original'))
const NO_MANDATE = { original: {} } as Mandate

/** The id becomes one segment of the path; dots alone would climb out of it. */
const billogramUpdate = z
  .object({ id: z.string().regex(/[^.]/), update: billogramRequest })
  .transform(({ update }) => update)

/** Our own bad argument: nothing is sent, and the run stops, because the next request would be no better. */
function unsendable(error: z.ZodError, clock: Clock): Exchange {
  const place = error.issues[0]?.path.join('.') ?? ''
  return {
    started: false,
    response: null,
    error: { code: 'REQUEST_INVALID', name: 'RequestInvalid', message: place },
    durationMs: 0,
    receivedAtMs: clock.now(),
  }
}

/** RFC 7617 in UTF-8: a colon ends the user name, and control characters are not allowed. */
function basicAuthorization(username: string, password: string): string {
  if (username === '') throw unusableCredentials('the user name is empty')
  if (username.includes(':')) throw unusableCredentials('the user name holds a colon')
  if (/\p{Cc}/u.test(username + password))
    throw unusableCredentials('the user name or the password holds a control character, such as a line end')
  return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`
}

const unusableCredentials = (problem: string): UsageError =>
  cannotUse(
    'the credentials',
    problem,
    'Check the user name and the password, or the file that it comes from (SEPA_MIGRATE_USERNAME, and SEPA_MIGRATE_PASSWORD or --password-file).',
  )

/** How a service that was checked is spoken to. @throws {UsageError} for credentials or certificates that cannot be used */
export function clientOptions(
  { options, baseUrl, statusTable, concurrency, timeoutMs }: CheckedService,
  { username, password }: Credentials,
  { version, clock }: ClientMachine,
) {
  assertText('the user name', username)
  assertText('the password', password)
  const { ca, clientCertificate, clientKey, proxy, freshConnections = false } = options
  const { connectTimeoutMs = USUAL_CONNECT_TIMEOUT_MS } = options
  const tls: TlsOptions = { ca: readPem(ca), cert: readPem(clientCertificate), key: readPem(clientKey) }
  return {
    ...{ baseUrl, statusTable, username, password, version, clock },
    ...{ concurrency, connectTimeoutMs, freshConnections, proxy, tls },
    /** Limit of a whole exchange, the answer's last byte included. */
    deadlineMs: timeoutMs,
    // A longer deadline is meant for both.
    headersTimeoutMs: timeoutMs > USUAL_TIMEOUT_MS ? timeoutMs : Math.min(MOST_HEADERS_MS, timeoutMs),
    bodyTimeoutMs: timeoutMs > USUAL_TIMEOUT_MS ? timeoutMs : Math.min(MOST_BODY_MS, timeoutMs),
    keepAliveMs: 2_000,
    maxAnswerBytes: MAX_ANSWER_BYTES,
  }
}

const [MOST_HEADERS_MS, MOST_BODY_MS] = [120_000, 30_000]
/** An answer of the interface has a few hundred bytes; more than this is not read. */
const MAX_ANSWER_BYTES = 1_048_576

const readPem = (file: string | undefined): string | undefined =>
  file === undefined
    ? undefined
    : readGivenText(file, {
        what: 'certificate file',
        nothing: 'nothing was sent',
        mostBytes: MOST_BYTES.certificates,
      })

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
