import { randomUUID } from 'node:crypto'
import { UsageError } from '../errors.js'
import type { Machine } from '../machine.js'
import { campaignSentTo } from '../register/campaign-register.js'
import type { BaseUrl } from '../service/base-url.js'
import {
  checkService,
  connectReader,
  connectTo,
  type Credentials,
  type ServiceOptions,
} from '../service/checked-service.js'
import { startAsking } from './asker.js'
import { findingsOf, openIn, type Findings } from './findings.js'
import { inventMandates } from './made-up-mandates.js'
import type { Observations } from './observations.js'
import { BURST_READS, observe, TRIES, type ProbeEvent } from './observe.js'
import { proposalOf, type Proposal } from './proposal.js'

export interface ProbeOptions {
  /** The test environment. What single statuses mean is not asked here: that is what is to be found out. */
  readonly service: Omit<ServiceOptions, 'outcomes' | 'concurrency'> & Credentials
  /** Existing customers of the test environment, 1 to 5; more give more certainty. */
  readonly customers: readonly number[]
  /** A customer that it does not have. */
  readonly unknownCustomer: number
  /** How long a mandate is looked for that does not show, in milliseconds. */
  readonly waitMs: number
  /** Asked once before anything is sent to a service that is not on this machine. */
  readonly confirm: (plan: ProbePlan) => boolean | Promise<boolean>
  readonly watch: (event: ProbeEvent) => void
  /** Begins nothing further once it is aborted. */
  readonly signal: AbortSignal
  /** Gives up what is under way too. */
  readonly giveUp: AbortSignal
  readonly machine: Pick<Machine, 'env' | 'clock' | 'after' | 'random' | 'version' | 'stateFolder'>
}

export interface ProbePlan {
  readonly service: Pick<BaseUrl, 'href' | 'host' | 'isLoopback'>
  readonly customers: readonly number[]
  readonly unknownCustomer: number
  /** Requests for made-up mandates: where every answer comes, and at the most. */
  readonly usualPosts: number
  readonly mostPosts: number
  readonly burstReads: number
}

export interface Probed {
  readonly findings: Findings
  /** Names of the findings that leave their question open. */
  readonly open: readonly string[]
  readonly proposal: Proposal
  readonly observations: Observations
}

export const MOST_CUSTOMERS = 5
/** The largest that a service with four bytes for it takes, so that it is no number that cannot be read. */
export const UNKNOWN_CUSTOMER = 2_147_483_647
const AT_ONCE = 8

/**
 * Asks a test environment what its contract leaves open, by made-up mandates. It keeps no ledger, cancels nothing, and
 * never sends to a host that a campaign of this user was sent to.
 * @returns null where the answer to `confirm` was not a yes; nothing was sent
 * @throws {UsageError} for an address, credentials or customers that cannot be used, and for the host of a campaign;
 *   nothing was sent
 * @throws {LedgerError} `register` where nobody can tell which hosts these are; nothing was sent
 */
export async function probe(options: ProbeOptions): Promise<Probed | null> {
  const { service: given, customers, unknownCustomer, machine } = options
  const service = checkService({ ...given, concurrency: AT_ONCE }, machine.env)
  checkCustomers(customers, unknownCustomer)
  refuseCampaigns(machine.stateFolder, service.baseUrl)
  const client = connectTo(service, given, machine)
  const reader = connectReader(service, given, machine)
  try {
    if (!service.baseUrl.isLoopback && !(await options.confirm(planOf(options, service.baseUrl)))) return null
    // The question may have stood for an hour.
    refuseCampaigns(machine.stateFolder, service.baseUrl)
    const { clock, after, random } = machine
    const { signal, giveUp, waitMs, watch } = options
    const newRequestId = (): string => randomUUID()
    const observations = await observe({
      asker: startAsking({ client, reader, clock, after, signal, giveUp, newRequestId }),
      mandates: inventMandates({ now: clock.now(), random }),
      customers,
      unknownCustomer,
      waitMs,
      atOnce: AT_ONCE,
      monotonic: clock.monotonic,
      watch,
    })
    const findings = findingsOf(observations)
    return { findings, open: openIn(findings), proposal: proposalOf(findings), observations }
  } finally {
    await Promise.all([client.close(), reader.close()])
  }
}

/** A rehearsal on this machine is no campaign that anybody could be debited by. */
function refuseCampaigns(stateFolder: string, { isLoopback, href, host }: BaseUrl): void {
  if (isLoopback) return
  const ledger = campaignSentTo(stateFolder, href)
  if (ledger === null) return
  throw new UsageError(
    `A campaign was sent to "${host}" from the ledger "${ledger}", so made-up mandates are not sent there; nothing was sent`,
    'Give the address of a test environment that no campaign was sent to',
  )
}

function checkCustomers(customers: readonly number[], unknownCustomer: number): void {
  const isNumber = (each: number): boolean => Number.isSafeInteger(each) && each >= 1
  const next = 'Name customers of the test environment that exist; nothing was sent'
  if (customers.length === 0) throw new UsageError('A probe needs an existing test customer', next)
  if (customers.length > MOST_CUSTOMERS || new Set(customers).size < customers.length)
    throw new UsageError(`A probe takes at most ${MOST_CUSTOMERS} customers, each once`, next)
  if (![...customers, unknownCustomer].every(isNumber))
    throw new UsageError('A customer number is a whole number from 1 to 2^53-1', next)
  if (customers.includes(unknownCustomer))
    throw new UsageError(
      `Customer ${unknownCustomer} cannot be both an existing and an unknown one`,
      'Name another unknown customer; nothing was sent',
    )
}

/** A pair for each customer, and one mandate for each further question. */
function planOf({ customers, unknownCustomer }: ProbeOptions, service: BaseUrl): ProbePlan {
  const usualPosts = 2 * customers.length + 3
  const burstReads = BURST_READS
  return { service, customers, unknownCustomer, usualPosts, mostPosts: TRIES * usualPosts, burstReads }
}
