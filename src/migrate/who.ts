import { randomUUID } from 'node:crypto'
import { maskName } from '../domain/who/names.js'
import { HaltError } from '../errors.js'
import type { SeverityOverrides } from '../domain/rule/verdict.js'
import type { HeldRows } from '../ledger/ledger.js'
import type { Ledger } from '../ledger/file/writer.js'
import type { Differing, WhoList, WhoVerbs } from '../ledger/prove/who.js'
import type { RunRegister } from '../register/campaign-register.js'
import { askCustomers } from '../run/ask/ask-customers.js'
import { INTERRUPTED, type Stop } from '../run/brake.js'
import { bringIn } from '../run/campaign.js'
import type { PaceLimits } from '../run/pace.js'
import type { Credentials } from '../service/checked-service.js'
import { connectReader } from '../service/read-back.js'
import { refuse } from '../source/refusal.js'
import { refuseStreams, type AskingEvent, type ValidatedOptions } from './options.js'

/** The asking was broken off: what was heard is kept, and the same command goes on with the others. */
class AskingStopped extends HaltError {
  readonly kind: string
  readonly exitCode: number

  constructor({ kind, why, next, suggestions = [] }: Stop) {
    super(`Who the customers are was not asked to the end: ${why}; nothing was sent`, next, { suggestions })
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

/** @throws {HaltError} where it was broken off; what was heard is kept */
export async function askListed(asking: Asking, list: WhoList): Promise<void> {
  const { who, service, credentials, machine, policy, drain, abort, watch } = asking
  const customers = [...list.keys()]
  let [at, asked] = [0, 0]
  const reader = connectReader(service, credentials, machine)
  try {
    const stop = await askCustomers({
      ...{ ...machine, policy, drain, abort, watch: () => undefined },
      nextCustomers: (limit) => customers.slice(at, (at += limit)),
      ask: (customerNo, requestId, signal) => reader.getCustomer(customerNo, { requestId, signal }),
      newRequestId: () => randomUUID(),
      record: (answers) => {
        const heard = answers.map(({ seen, ...answer }) => ({
          ...answer,
          customer: seen.kind === 'listed' ? seen.customer : undefined,
        }))
        who.record(list, heard)
        asked += answers.length
        watch({ kind: 'asking_who', customers: customers.length, asked })
      },
    })
    if (stop !== null) throw new AskingStopped(stop)
  } finally {
    await reader.close()
  }
}

const exampleText = ({ customerNo, verdict, claim, said }: Differing): string => {
  const says =
    verdict === 'unknown' ? 'knows nobody' : `says ${maskName(said.find((name) => name !== '') ?? '')}`
  return `${customerNo}: the service ${says}, the export ${maskName(claim.name) || 'no name'}`
}

interface Held {
  readonly ledger: Ledger
  readonly register: Pick<RunRegister, 'hold'>
}

/**
 * Looks ahead at what would be sent, as a plan does, and asks who those customers are. No file is admitted by it; the
 * verdicts are kept, so that what was broken off goes on.
 * @throws {HaltError} where it was broken off
 */
export async function askAhead(asked: ValidatedOptions, { ledger, register }: Held): Promise<void> {
  const { service, options, choice, drain, severities } = asked
  refuseStreams(options, 'ask who the customers are of')
  let list: WhoList = new Map()
  try {
    await bringIn({ ...asked, ledger, hold: () => register.hold(severities) }, () => {
      list = ledger.who.list(service.baseUrl.href, choice)
      return false
    })
  } catch (error) {
    throw drain.aborted ? new AskingStopped(INTERRUPTED) : error
  }
  await askListed({ ...asked, who: ledger.who, credentials: options.service }, list)
}

/** What the service and what other ledgers say of ready rows. @throws {SourceError} as `holdStrangers` */
export function holdAll({ service, severities }: ValidatedOptions, { ledger, register }: Held): HeldRows {
  holdStrangers(ledger.who, service.baseUrl.href, severities)
  return register.hold(severities)
}

/**
 * Holds what differs. A file of which too much does is refused: that is no moving or marrying.
 * @throws {SourceError} FILE_CUSTOMERS_DIFFER
 */
export function holdStrangers(
  who: Pick<WhoVerbs, 'hold'>,
  baseUrl: string,
  severities: SeverityOverrides,
): void {
  const strangers = who.hold(baseUrl, severities)
  if (strangers === null) return
  const { source, rows, compared, examples } = strangers
  const told = examples.length === 0 ? '' : ` (${examples.map(exampleText).join('; ')})`
  throw refuse(
    source,
    'FILE_CUSTOMERS_DIFFER',
    `the service has other customers, or none, for ${rows} of ${compared} rows${told}. Usually a crosswalk is shifted by a line, or customer_no is mapped to a wrong column`,
  )
}
