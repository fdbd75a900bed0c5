import { noteAssigned, whyUnusable } from '../domain/value/identifiers.js'
import { readErrorHints, type Content, type ErrorHints, type unreadable } from '../contract/envelope.js'
import type { Mandate, AssignedIdentity, Iban } from '../domain/mandate/mandate.js'
import { type ExchangeEvidence, type Halt, NOTHING_LEFT, type Outcome } from '../domain/row/row-state.js'
import { explain, type Exchange, type Response } from './exchange.js'
import { readBillogramAnswer, readOfferAnswer, type billogram, type offer } from '../contract/billogram.js'
import { readMigrateAnswer, type MigrateAnswer } from '../contract/migrate-mandate.js'
import { readCustomer } from '../contract/customer.js'
import { headerOfMore, readPaymentSources } from '../contract/payment-source.js'
import type { ListedSource } from '../domain/proof/match-sources.js'
import type { CustomerSaid } from '../domain/who/names.js'
import type { RuleId } from '../domain/rule/verdict.js'
import { cleanCell, cleanIban, parseJson, oneLine } from '../domain/text/text.js'
import { type StatusLine, type StatusTable, readRetryAfterMs } from './checked-service.js'
import { maskAccounts, maskIban } from '../domain/text/masking.js'

/** How one operation reads its own answers. */
interface AnswerReader<Value> {
  /** Reads the JSON of a complete 2xx. */
  readonly prove: (json: unknown) => Proof<Value>
  /** Cleans what is kept of the answer. */
  readonly clean: Cleaner
  /** A refusal with this word may mean that what was asked for is there already. */
  readonly existsWord?: string
}

/** The service uses it for an object that is in another state than the request needs; a mandate that exists is one. */
const EXISTS_WORD = 'INVALID_OBJECT_STATE'

/** What one exchange proved about a mandate (service/README.md#outcomes). Pure, total, and in doubt unless proven otherwise. */
export const classify = (
  exchange: Exchange,
  mandate: Mandate,
  table: StatusTable,
  /** Credentials that a talkative error page might repeat. */
  secrets: readonly string[] = [],
): Outcome =>
  classifyAnswer(exchange, table, {
    prove: (json) => proveRegistration(json, mandate),
    clean: createCleaner({ iban: mandate.iban, secrets }),
    existsWord: EXISTS_WORD,
  })

/** The same for any operation. */
export function classifyAnswer<Value>(
  exchange: Exchange,
  table: StatusTable,
  reader: AnswerReader<Value>,
): Outcome<Value> {
  const { response } = exchange
  const json = response === null ? undefined : parseJson(response.bodyText)
  const plain = plainRegistration(exchange, json, table, reader)
  if (plain !== null) return plain
  const hints = cleanHints(readErrorHints(json), reader.clean)
  const evidence = collectEvidence(exchange, hints, reader.clean)
  if (response === null) {
    const { reason, halt } = explain(exchange)
    if (!exchange.started) return { kind: 'not_sent', evidence, reason, halt }
    const doubt = `${reason}: the service may have applied the request`
    return { kind: 'in_doubt', hint: 'unknown', evidence, reason: doubt, halt }
  }
  if (!response.complete) return classifyCutAnswer(exchange, response.status, evidence, table)
  return classifyStatus(response, json, evidence, table, reader)
}

/** The usual case: registered, and nothing odd about it. The answer says no more than the outcome, so none is kept. */
function plainRegistration<Value>(
  exchange: Exchange,
  json: unknown,
  table: StatusTable,
  { prove }: AnswerReader<Value>,
): Outcome<Value> | null {
  const { response } = exchange
  if (response?.complete !== true || json === undefined) return null
  if (response.status >= 300 || table.lineOf(response.status).kind !== 'read_answer') return null
  const proof = prove(json)
  if (proof.kind !== 'proven' || proof.notes.length > 0) return null
  return registeredBy(response, proof, factsOf(exchange))
}

const registeredBy = <Value>(
  { status }: Response,
  { value, notes }: Proof<Value> & { kind: 'proven' },
  evidence: ExchangeEvidence,
): Outcome<Value> => ({
  kind: 'registered',
  value,
  notes,
  evidence,
  reason: `The service answered ${status} with a complete answer`,
  halt: null,
})

/** The status is known but not its body: only a complete answer takes a row out of doubt. */
function classifyCutAnswer(
  exchange: Exchange,
  status: number,
  evidence: ExchangeEvidence,
  table: StatusTable,
): Outcome<never> {
  const { kind, halt } = table.lineOf(status)
  const cause = `The service answered ${status}, but the answer did not arrive whole`
  const { reason: how } = explain(exchange)
  return kind === 'read_answer'
    ? probablyRegistered(`${cause} (${how})`, evidence)
    : { kind: 'in_doubt', hint: 'unknown', evidence, reason: `${cause} (${how})`, halt }
}

function classifyStatus<Value>(
  response: Response,
  json: unknown,
  evidence: ExchangeEvidence,
  table: StatusTable,
  reader: AnswerReader<Value>,
): Outcome<Value> {
  const { status } = response
  const { kind, halt } = lineFor(status, evidence, table)
  const answered = `The service answered ${status}${quoteHints(evidence)}`
  // Before the table and its overrides: "refused" would have a live mandate corrected and posted again.
  const word = evidence.serviceCode?.trim().toUpperCase()
  if (status >= 400 && word !== undefined && word === reader.existsWord) {
    const reason = `${answered}: the mandate may already exist there`
    return { kind: 'in_doubt', hint: 'may_exist', evidence, reason, halt }
  }
  switch (kind) {
    case 'read_answer':
      return classifyProof(response, json, evidence, reader)
    case 'refused':
      return { kind, evidence, reason: `${answered}: refused`, halt }
    case 'turned_away':
      return { kind, evidence, reason: `${answered}: ${explainTurnedAway(halt)}`, halt }
    case 'in_doubt':
      return { kind, hint: 'unknown', evidence, reason: `${answered}: ${explainStatusDoubt(halt)}`, halt }
  }
}

/** One word of the service counts, and only where the configuration does not say otherwise. */
function lineFor(status: number, hints: ErrorHints, table: StatusTable): StatusLine {
  const isNotYet = status === 404 && hints.serviceCode === 'NOT_AVAILABLE_YET' && !table.isOverridden(404)
  return isNotYet ? { kind: 'turned_away', halt: null } : table.lineOf(status)
}

function classifyProof<Value>(
  response: Response,
  json: unknown,
  evidence: ExchangeEvidence,
  reader: AnswerReader<Value>,
): Outcome<Value> {
  const { status } = response
  if (json === undefined) {
    const problem = response.bodyText.trim() === '' ? 'nothing else' : 'something that is not JSON'
    return probablyRegistered(`The service answered ${status} and ${problem}`, evidence)
  }
  const proof = reader.prove(json)
  switch (proof.kind) {
    case 'proven':
      return registeredBy(response, proof, evidence)
    case 'unreadable': {
      const problem = reader.clean(proof.reason, MAX_MESSAGE_BYTES)
      return probablyRegistered(
        `The service answered ${status}, but the answer is not usable (${problem})`,
        evidence,
      )
    }
    case 'mismatch': {
      const reason = `The service answered ${status}, but its ${proof.field} is not the one that was sent: answers may be shifted`
      return { kind: 'in_doubt', hint: 'unknown', evidence, reason, halt: 'echo_mismatch' }
    }
  }
}

const probablyRegistered = (problem: string, evidence: ExchangeEvidence): Outcome<never> => ({
  kind: 'in_doubt',
  hint: 'probably_registered',
  evidence,
  reason: `${problem}: the request was probably applied`,
  halt: null,
})

const explainTurnedAway = (halt: Halt | null): string =>
  halt === 'credentials' ? 'credentials or permission refused, nothing was applied' : 'not now, try later'

const explainStatusDoubt = (halt: Halt | null): string =>
  halt === 'redirect'
    ? 'a redirect, which is never followed'
    : 'this does not tell whether the request was applied'

function quoteHints({ serviceCode, field, message }: ErrorHints): string {
  const words = [serviceCode, field === null ? null : `field ${field}`, message]
  const known = words.filter((word) => word !== null)
  return known.length === 0 ? '' : ` (${known.join(', ')})`
}

const cleanHints = (hints: ErrorHints, clean: Cleaner): ErrorHints => ({
  serviceCode: hints.serviceCode === null ? null : clean(hints.serviceCode, MAX_MESSAGE_BYTES),
  field: hints.field === null ? null : clean(hints.field, MAX_MESSAGE_BYTES),
  message: hints.message === null ? null : clean(hints.message, MAX_MESSAGE_BYTES),
})

function collectEvidence(exchange: Exchange, hints: ErrorHints, clean: Cleaner): ExchangeEvidence {
  const text = exchange.response?.bodyText ?? ''
  return { ...factsOf(exchange), ...hints, answer: text === '' ? null : clean(text, KEPT_ANSWER_BYTES) }
}

/** What is known without the words of the service. */
function factsOf({ started, response, error, durationMs, receivedAtMs }: Exchange): ExchangeEvidence {
  const { 'retry-after': retryAfter, date } = response?.headers ?? {}
  return {
    ...NOTHING_LEFT,
    started,
    status: response?.status ?? null,
    errorCode: error === null ? null : (error.code ?? error.name),
    durationMs,
    retryAfterMs: readRetryAfterMs(retryAfter, { date, receivedAtMs }),
  }
}

/** What the JSON of a complete 2xx proves. */
type Proof<Value> =
  | { readonly kind: 'proven'; readonly value: Value; readonly notes: readonly RuleId[] }
  | { readonly kind: 'unreadable'; readonly reason: string }
  /** The answer belongs to another request; `field` is the first one that differs. */
  | { readonly kind: 'mismatch'; readonly field: string }

/** A created offer, or an updated billogram, as the service described it. */
interface Described<Content> {
  readonly content: Content
  /** Paths of documented fields that came in an undocumented shape and are missing from `content`. */
  readonly leftOut: readonly string[]
}
export type OfferAnswer = Described<Content<typeof offer, 'offer_id'>>
export type BillogramAnswer = Described<Content<typeof billogram, 'id'>>

/** Registered only if the answer is whole and names this very mandate (service/README.md#outcomes). */
function proveRegistration(json: unknown, mandate: Mandate): Proof<AssignedIdentity> {
  const reading = readMigrateAnswer(json)
  if (reading.kind === 'unreadable') return reading
  const { status, data } = reading
  const field = differingField(data, mandate)
  if (field !== null) return { kind: 'mismatch', field }
  const assigned: AssignedIdentity = {
    creditorIdentifier: data.sepa_creditor_identifier,
    mandateReference: data.unique_mandate_reference,
  }
  const reason = unusableIdentifier(assigned)
  if (reason !== null) return { kind: 'unreadable', reason }
  const notes = [
    ...noteStatusWord(status),
    ...(typeof data.customer_no === 'string' ? (['RESPONSE_CUSTOMER_TEXT'] as const) : []),
    ...noteAssigned(mandate, assigned),
  ]
  return { kind: 'proven', value: assigned, notes }
}

function unusableIdentifier({ creditorIdentifier, mandateReference }: AssignedIdentity): string | null {
  const ofCreditor = whyUnusable(creditorIdentifier)
  if (ofCreditor !== null) return `sepa_creditor_identifier: ${ofCreditor}`
  const ofMandate = whyUnusable(mandateReference)
  return ofMandate === null ? null : `unique_mandate_reference: ${ofMandate}`
}

function differingField(answer: MigrateAnswer, mandate: Mandate): string | null {
  if (String(answer.customer_no) !== String(mandate.customerNo)) return 'customer_no'
  if (cleanIban(cleanCell(answer.iban)) !== mandate.iban) return 'iban'
  if (answer.signed_date !== mandate.signedDate) return 'signed_date'
  return null
}

/** Offer ids are compared without regard to case, as the service compares them. */
export const proveOffer = (json: unknown, offerId: string): Proof<OfferAnswer> =>
  proveDescribed(readOfferAnswer(json), 'offer_id', (id) => id.toLowerCase() === offerId.toLowerCase())

export const proveUpdate = (json: unknown, wanted: string): Proof<BillogramAnswer> =>
  proveDescribed(readBillogramAnswer(json), 'id', (id) => id === wanted)

function proveDescribed<Name extends string, Content extends Readonly<Record<Name, string>>>(
  reading: (Described<Content> & { kind: 'read'; status: string | null }) | ReturnType<typeof unreadable>,
  field: Name,
  isSame: (identity: string) => boolean,
): Proof<Described<Content>> {
  if (reading.kind === 'unreadable') return reading
  const { status, content, leftOut } = reading
  if (!isSame(content[field])) return { kind: 'mismatch', field }
  return { kind: 'proven', value: { content, leftOut }, notes: noteStatusWord(status) }
}

export function proveCustomer(json: unknown, customerNo: number): Proof<CustomerSaid> {
  const reading = readCustomer(json, customerNo)
  return reading.kind === 'unreadable' ? reading : { kind: 'proven', value: reading.customer, notes: [] }
}

const noteStatusWord = (status: string | null): RuleId[] => (status === 'OK' ? [] : ['RESPONSE_STATUS_WORD'])

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

export const readWho =
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

/** Makes text of the service fit to be kept: no account number, nothing that a terminal would obey, bounded. */
export type Cleaner = (text: string, maxBytes: number) => string

/** What is kept of an answer: little, because it is personal data on disk (service/README.md#evidence). */
const KEPT_ANSWER_BYTES = 2048
/** What is kept of one word or sentence of the service. */
const MAX_MESSAGE_BYTES = 512

/** So many characters in a row that also stand in a row in the account number give it away. */
const TELLING_LENGTH = 8

/** What may stand between them. */
const OTHERS = /[^A-Za-z0-9]*/g

/** Shorter ones would blot out half of every answer. */
const SHORTEST_SECRET = 4

/** Of a flood of text only so much is looked at for each byte that is kept. */
const READ_PER_KEPT = 32

/** A cleaner that also knows the account number that was sent, in whatever spelling it comes back, and secrets. */
export function createCleaner(known: { iban: Iban | null; secrets: readonly string[] }): Cleaner {
  let spellings: readonly string[] | null = null // most answers are never cleaned
  const blotOut = (text: string): string =>
    (spellings ??= spellingsOf(known.secrets)).reduce(
      (blotted, secret) => blotted.replaceAll(secret, '[secret]'),
      text,
    )
  return (text, maxBytes) => {
    const readable = blotOut(toReadable(blotOut(text.slice(0, READ_PER_KEPT * maxBytes))))
    const masked = known.iban === null ? readable : maskByValue(readable, known.iban)
    return cutToBytes(maskAccounts(masked), maxBytes)
  }
}

const spellingsOf = (secrets: readonly string[]): string[] =>
  secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), toReadable(secret)])

const toReadable = (text: string): string => toVisible(decodeEscapes(text))

/** Letters, digits and blanks written as JSON, URL or HTML escapes would slip past the masks. */
const decodeEscapes = (text: string): string =>
  text
    .replace(
      /\\u00([2-7][0-9a-f])|%([2-7][0-9a-f])/gi,
      (_, json: string | undefined, url: string | undefined) =>
        String.fromCharCode(Number.parseInt(json ?? url ?? '', 16)),
    )
    .replace(/&nbsp;|&#160;|&#xa0;/gi, ' ')

/** Without terminal sequences, control, bidirectional and other invisible characters. */
const toVisible = (text: string): string =>
  oneLine(text)
    .replace(/\p{Cs}/gu, '')
    .normalize('NFKC')

/** Masks every part of the account number of at least eight characters, whatever stands between them. */
function maskByValue(text: string, iban: Iban): string {
  const letters = Array.from(iban.replace(OTHERS, ''))
  const parts = letters.map((_, at) => letters.slice(at)).filter(({ length }) => length >= TELLING_LENGTH)
  if (parts.length === 0) return text
  const patterns = parts.map((part) => {
    const further = part.slice(TELLING_LENGTH)
    const more = further.reduceRight((rest, letter) => `(?:${OTHERS.source}${letter}${rest})?`, '')
    return part.slice(0, TELLING_LENGTH).join(OTHERS.source) + more
  })
  return text.replace(new RegExp(patterns.join('|'), 'gi'), maskIban(iban))
}

function cutToBytes(text: string, maxBytes: number): string {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= maxBytes) return text
  // A character that the cut would split is left out whole.
  return new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true })
}
