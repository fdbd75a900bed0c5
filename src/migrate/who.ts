import { isStranger, maskName, whoIs } from '../domain/who/names.js'
import { HaltError } from '../errors.js'
import type { SeverityOverrides } from '../domain/rule/verdict.js'
import type { HeldRows } from '../ledger/ledger.js'
import type { Ledger } from '../ledger/file/writer.js'
import type { WhoList, WhoVerbs } from '../ledger/prove/who.js'
import type { RunRegister } from '../register/campaign-register.js'
import { askCustomers, type CustomerAnswer } from '../run/ask/ask-customers.js'
import { INTERRUPTED, type Stop } from '../run/brake.js'
import { bringIn } from '../run/campaign.js'
import type { PaceLimits } from '../run/pace.js'
import type { Credentials } from '../service/checked-service.js'
import { connectReader } from '../service/client.js'
import { refuse } from '../source/refusal.js'
import { refuseStreams, type AskingEvent, type ValidatedOptions } from './options.js'

/** The asking was broken off: what was heard is kept, and the same command goes on with the others. */
class AskingStopped extends HaltError {
  readonly kind: string
  readonly exitCode: number

  constructor({ kind, why, next }: Stop) {
    super(`Who the customers are was not asked to the end: ${why}; nothing was sent`, next)
    this.kind = kind
    this.exitCode = kind === 'credentials' ? 6 : kind === 'signal' ? 130 : 5
  }
}

interface Asking extends Pick<ValidatedOptions, 'service' | 'machine' | 'drain' | 'abort'> {
  readonly who: WhoVerbs
  readonly credentials: Credentials
  readonly policy: PaceLimits
  readonly watch: (event: AskingEvent) => void
}

const EXAMPLES = 3

/**
 * @returns the first of those who are other people there, masked: no name is kept
 * @throws {HaltError} where it was broken off; what was heard is kept
 */
export async function askListed(asking: Asking, list: WhoList): Promise<readonly string[]> {
  const { who, service, credentials, machine, policy, drain, abort, watch } = asking
  const [customers, examples] = [[...list.keys()], [] as string[]]
  let [at, asked] = [0, 0]
  const judged = ({ customerNo, answeredAt, seen }: CustomerAnswer) =>
    (list.get(customerNo) ?? []).map((claim) => {
      const customer = seen.kind === 'listed' ? seen.customer : undefined
      const verdict = customer === undefined ? 'unreadable' : whoIs(claim, customer)
      if (isStranger(verdict) && examples.length < EXAMPLES)
        examples.push(
          `${customerNo}: the service ${customer == null ? 'knows nobody' : `says ${maskName(customer.names.find(Boolean) ?? '')}`}, the export ${maskName(claim.name) || 'no name'}`,
        )
      return { customerNo, key: claim.key, verdict, answeredAt }
    })
  const reader = connectReader(service, credentials, machine)
  try {
    const stop = await askCustomers({
      // A pilot of a few rows must not hide that the others are strangers.
      ...{ ...machine, policy: { ...policy, limit: null }, drain, abort, watch: () => undefined },
      nextCustomers: (limit) => customers.slice(at, (at += limit)),
      ask: (customerNo, requestId, signal) => reader.getCustomer(customerNo, { requestId, signal }),
      record: (answers) => {
        who.record(answers.flatMap(judged))
        asked += answers.length
        watch({ kind: 'asking_who', customers: customers.length, asked })
      },
    })
    if (stop !== null) throw new AskingStopped(stop)
    return examples
  } finally {
    await reader.close()
  }
}

/**
 * Asks who the customers are, where that is or was asked for: of all that may be sent, as a plan looks ahead at it, however
 * few rows a run takes. No file is admitted by it; the verdicts are kept, so that what was broken off goes on.
 * @returns what holds ready rows by what the service and other ledgers say of them; it throws as `holdStrangers` does
 * @throws {HaltError} where it was broken off
 */
export async function askAhead(
  request: ValidatedOptions,
  { ledger, register }: { readonly ledger: Ledger; readonly register: Pick<RunRegister, 'hold'> },
): Promise<() => HeldRows> {
  const { service, options, choice, drain, severities } = request
  const { who, view } = ledger
  const holdOthers = (): HeldRows => register.hold(severities)
  let examples: readonly string[] = []
  // Of a ledger that was purged nothing is left to ask about.
  if (options.who ?? (view.who() !== null && view.campaign().purgedAt === null)) {
    refuseStreams(options, 'ask who the customers are of')
    let list: WhoList = new Map()
    try {
      await bringIn({ ...request, spread: false, ledger, hold: holdOthers }, () => {
        list = who.list(service.baseUrl.href, choice)
        return false
      })
    } catch (error) {
      throw drain.aborted ? new AskingStopped(INTERRUPTED) : error
    }
    examples = await askListed({ ...request, who, credentials: options.service }, list)
  }
  return () => {
    holdStrangers(who, service.baseUrl.href, severities, examples)
    return holdOthers()
  }
}

/**
 * Holds what differs. A file of which too much does is refused: that is no moving or marrying.
 * @throws {SourceError} FILE_CUSTOMERS_DIFFER
 */
export function holdStrangers(
  who: Pick<WhoVerbs, 'hold'>,
  baseUrl: string,
  severities: SeverityOverrides,
  examples: readonly string[],
): void {
  const strangers = who.hold(baseUrl, severities)
  if (strangers === null) return
  const { source, rows, compared } = strangers
  const told = examples.length === 0 ? '' : ` (${examples.join('; ')})`
  throw refuse(
    source,
    'FILE_CUSTOMERS_DIFFER',
    `the service has other customers, or none, for ${rows} of ${compared} rows${told}. Usually a crosswalk is shifted by a line, or customer_no is mapped to a wrong column`,
  )
}
