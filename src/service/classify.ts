import { noteAssigned, whyUnusable } from '../domain/value/identifiers.js'
import { readErrorHints, type Content, type ErrorHints, type unreadable } from '../contract/envelope.js'
import type { Mandate, AssignedIdentity, Iban } from '../domain/mandate/mandate.js'
import {
  type DoubtHint,
  type ExchangeEvidence,
  type Halt,
  NOTHING_LEFT,
  type Outcome,
} from '../domain/row/row-state.js'
import { explain, type Exchange, type Response } from './exchange.js'
import { readBillogramAnswer, readOfferAnswer, type billogram, type offer } from '../contract/billogram.js'
import { readMigrateAnswer, readCustomer, headerOfMore, readPaymentSources } from '../contract/mandates.js'
import type { ListedSource } from '../domain/proof/match-sources.js'
import type { CustomerSaid } from '../domain/who/names.js'
import type { RuleId } from '../domain/rule/verdict.js'
import { cleanCell, cleanIban, parseJson, oneLine } from '../domain/text/text.js'
import { type StatusLine, type StatusTable, readRetryAfterMs } from './checked-service.js'
import { maskAccounts, maskIban } from '../domain/text/accounts.js'

/** How one operation reads its own answers. */
interface AnswerReader<Value> {
  /** Reads the JSON of a complete 2xx. */
  readonly prove: (json: unknown) => AnswerProof<Value>
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
  { prove, clean, existsWord }: AnswerReader<Value>,
): Outcome<Value> {
  const { started, response } = exchange
  const bodyText = response?.bodyText ?? ''
  const json = parseJson(bodyText)
  const line = response === null ? null : table.lineOf(response.status)
  const isRead = response?.complete === true && line?.kind === 'read_answer' && json !== undefined
  const proof = isRead ? prove(json) : null
  // The usual case: registered, and nothing odd about it. The answer says no more than the outcome, so none is kept.
  const isPlain = proof?.kind === 'proven' && proof.notes.length === 0
  const evidence = { ...factsOf(exchange), ...(isPlain ? {} : wordsIn(bodyText, json, clean)) }
  const inDoubt = (reason: string, halt: Halt | null, hint: DoubtHint = 'unknown'): Outcome<never> => {
    return { kind: 'in_doubt', hint, evidence, reason, halt }
  }
  const probablyRegistered = (problem: string): Outcome<never> =>
    inDoubt(`${problem}: the request was probably applied`, null, 'probably_registered')

  if (response === null || line === null) {
    const { reason, halt } = explain(exchange)
    if (!started) return { kind: 'not_sent', evidence, reason, halt }
    return inDoubt(`${reason}: the service may have applied the request`, halt)
  }
  const { status, complete } = response
  const answered = `The service answered ${status}`
  if (!complete) {
    // The status is known but not its body: only a complete answer takes a row out of doubt.
    const cause = `${answered}, but the answer did not arrive whole (${explain(exchange).reason})`
    return line.kind === 'read_answer' ? probablyRegistered(cause) : inDoubt(cause, line.halt)
  }
  const said = `${answered}${quoteHints(evidence)}`
  // Before the table and its overrides: "refused" would have a live mandate corrected and posted again.
  const word = evidence.serviceCode?.trim().toUpperCase()
  if (status >= 400 && word !== undefined && word === existsWord)
    return inDoubt(`${said}: the mandate may already exist there`, line.halt, 'may_exist')
  // One more word of the service counts, and only where the configuration does not say otherwise.
  const isNotYet =
    status === 404 && evidence.serviceCode === 'NOT_AVAILABLE_YET' && !table.isOverridden(status)
  const { kind, halt } = isNotYet ? NOT_YET : line
  switch (kind) {
    case 'refused':
      return { kind, evidence, reason: `${said}: refused`, halt }
    case 'turned_away':
      return { kind, evidence, reason: `${said}: ${explainTurnedAway(halt)}`, halt }
    case 'in_doubt':
      return inDoubt(`${said}: ${explainStatusDoubt(halt)}`, halt)
    case 'read_answer':
      break
  }
  switch (proof?.kind) {
    case undefined:
      return probablyRegistered(
        `${answered} and ${bodyText.trim() === '' ? 'nothing else' : 'something that is not JSON'}`,
      )
    case 'proven': {
      const { value, notes } = proof
      const reason = `${answered} with a complete answer`
      return { kind: 'registered', value, notes, evidence, reason, halt: null }
    }
    case 'unreadable':
      return probablyRegistered(
        `${answered}, but the answer is not usable (${clean(proof.reason, MAX_MESSAGE_BYTES)})`,
      )
    case 'mismatch':
      return inDoubt(
        `${answered}, but its ${proof.field} is not the one that was sent: answers may be shifted`,
        'echo_mismatch',
      )
  }
}

const NOT_YET: StatusLine = { kind: 'turned_away', halt: null }

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

/** What the service says, as it is kept. */
function hintsIn(json: unknown, clean: Cleaner): ErrorHints {
  const { serviceCode, field, message } = readErrorHints(json)
  const cleaned = (text: string | null) => (text === null ? null : clean(text, MAX_MESSAGE_BYTES))
  return { serviceCode: cleaned(serviceCode), field: cleaned(field), message: cleaned(message) }
}

const wordsIn = (text: string, json: unknown, clean: Cleaner) => ({
  ...hintsIn(json, clean),
  answer: text === '' ? null : clean(text, KEPT_ANSWER_BYTES),
})

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
type AnswerProof<Value> =
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
function proveRegistration(json: unknown, mandate: Mandate): AnswerProof<AssignedIdentity> {
  const reading = readMigrateAnswer(json)
  if (reading.kind === 'unreadable') return reading
  const { status, data } = reading
  const mismatch = (field: string) => ({ kind: 'mismatch', field }) as const
  if (String(data.customer_no) !== String(mandate.customerNo)) return mismatch('customer_no')
  if (cleanIban(cleanCell(data.iban)) !== mandate.iban) return mismatch('iban')
  if (data.signed_date !== mandate.signedDate) return mismatch('signed_date')
  const assigned: AssignedIdentity = {
    creditorIdentifier: data.sepa_creditor_identifier,
    mandateReference: data.unique_mandate_reference,
  }
  for (const name of ['sepa_creditor_identifier', 'unique_mandate_reference'] as const) {
    const why = whyUnusable(data[name])
    if (why !== null) return { kind: 'unreadable', reason: `${name}: ${why}` }
  }
  const notes = [
    ...noteStatusWord(status),
    ...(typeof data.customer_no === 'string' ? (['RESPONSE_CUSTOMER_TEXT'] as const) : []),
    ...noteAssigned(mandate, assigned),
  ]
  return { kind: 'proven', value: assigned, notes }
}

/** Offer ids are compared without regard to case, as the service compares them. */
export const proveOffer = (json: unknown, offerId: string): AnswerProof<OfferAnswer> =>
  proveDescribed(readOfferAnswer(json), 'offer_id', (id) => id.toLowerCase() === offerId.toLowerCase())

export const proveUpdate = (json: unknown, wanted: string): AnswerProof<BillogramAnswer> =>
  proveDescribed(readBillogramAnswer(json), 'id', (id) => id === wanted)

function proveDescribed<Name extends string, Content extends Readonly<Record<Name, string>>>(
  reading: (Described<Content> & { kind: 'read'; status: string | null }) | ReturnType<typeof unreadable>,
  field: Name,
  isSame: (identity: string) => boolean,
): AnswerProof<Described<Content>> {
  if (reading.kind === 'unreadable') return reading
  const { status, content, leftOut } = reading
  if (!isSame(content[field])) return { kind: 'mismatch', field }
  return { kind: 'proven', value: { content, leftOut }, notes: noteStatusWord(status) }
}

export function proveCustomer(json: unknown, customerNo: number): AnswerProof<CustomerSaid> {
  const reading = readCustomer(json, customerNo)
  return reading.kind === 'unreadable' ? reading : { kind: 'proven', value: reading.customer, notes: [] }
}

const noteStatusWord = (status: string | null): RuleId[] => (status === 'OK' ? [] : ['RESPONSE_STATUS_WORD'])

/** What one question about a customer brought: for its payment sources, or for who it is. */
export type SourcesSeen = SourcesListed | NotRead

interface SourcesListed {
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

/** What an answer means that is none to the question; the first that fits its status. */
const CAUSES: readonly (readonly [RegExp, Cause])[] = [
  [/^40[137]$/, { cause: 'refused', canRepeat: false, halt: 'credentials' }],
  [/^(?:40[45]|501)$/, { cause: 'missing', canRepeat: false, halt: null }],
  [/^(?:408|42[159]|[5-9]\d\d)$/, { cause: 'not_now', canRepeat: true, halt: null }],
  [/^4\d\d$/, { cause: 'refused', canRepeat: false, halt: null }],
  [/^3\d\d$/, { cause: 'refused', canRepeat: false, halt: 'redirect' }],
]
const UNREADABLE: Cause = { cause: 'unreadable', canRepeat: true, halt: null }

const TOO_LARGE = 'UND_ERR_RES_EXCEEDED_MAX_SIZE'

/** What an answer says; null for one that is none to the question. */
type Read = (
  response: Response,
) => Pick<SourcesListed, 'sources' | 'customer'> | ReturnType<typeof unreadable> | null

/** Pure and total. An answer counts only whole: a cut list would look as if a mandate were missing. */
export function classifySources(
  exchange: Exchange,
  clean: Cleaner,
  { what, read }: { readonly what: string; readonly read: Read } = LIST,
): SourcesSeen {
  const { response, error, durationMs } = exchange
  const { started, retryAfterMs, status, errorCode } = factsOf(exchange)
  const notRead = (cause: Cause, reason: string): NotRead => {
    return { kind: 'not_read', ...cause, started, reason, retryAfterMs, status, errorCode, durationMs }
  }
  if (response?.complete !== true) {
    if ((started || response !== null) && error?.code === TOO_LARGE)
      return notRead(
        { ...UNREADABLE, canRepeat: false },
        'The list of payment sources is larger than is read',
      )
    const { reason, halt } = explain(exchange)
    const begun = response === null ? '' : `The service answered ${response.status}, but not whole: `
    return notRead({ cause: 'no_answer', canRepeat: halt === null, halt }, begun + reason)
  }
  const answered = `The service answered ${response.status}`
  const reading = read(response)
  if (reading === null)
    return notRead(
      CAUSES.find(([statuses]) => statuses.test(`${response.status}`))?.[1] ?? UNREADABLE,
      answered + quoteHints(hintsIn(parseJson(response.bodyText), clean)),
    )
  if (!('reason' in reading)) return { kind: 'listed', ...reading, status: response.status, durationMs }
  const problem = clean(reading.reason, MAX_MESSAGE_BYTES)
  return notRead(UNREADABLE, `${answered}, but not with ${what} (${problem})`)
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

/**
 * Without terminal sequences, control, bidirectional and other invisible characters. Letters, digits and blanks written as
 * JSON, URL or HTML escapes would slip past the masks.
 */
function toReadable(text: string): string {
  const plain = text
    .replace(/\\u00([2-7][0-9a-f])|%([2-7][0-9a-f])/gi, (_, json?: string, url?: string) =>
      String.fromCharCode(Number.parseInt(json ?? url ?? '', 16)),
    )
    .replace(/&nbsp;|&#160;|&#xa0;/gi, ' ')
  return oneLine(plain)
    .replace(/\p{Cs}/gu, '')
    .normalize('NFKC')
}

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
