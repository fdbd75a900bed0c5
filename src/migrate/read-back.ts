import { evidenceOf, matchSources } from '../domain/proof/match-sources.js'
import { requireDriver } from '../driver.js'
import { UsageError } from '../errors.js'
import { openLedger } from '../ledger/file/open-ledger.js'
import type { HeardAnswer, HeldRow, ReadBackStart } from '../ledger/ledger.js'
import type { Ledger } from '../ledger/file/writer.js'
import type { Scope } from '../ledger/schema/schema.js'
import { thisMachine, type Machine } from '../machine.js'
import { askCustomers, type AskEvent, keptOf, type CustomerAnswer } from '../run/ask/ask-customers.js'
import type { PaceLimits } from '../run/pace.js'
import { checkService, type Credentials, type ServiceOptions } from '../service/checked-service.js'
import { connectReader, type SourceReader } from '../service/client.js'
import type { Stop } from '../run/brake.js'
import type { MigrateOptions } from './options.js'
import type { Totals } from '../domain/row/row-state.js'

export interface ReadBackOptions extends Pick<MigrateOptions, 'ledger' | 'sharedFolder' | 'machine'> {
  readonly service: ServiceOptions & Credentials & { readonly rate?: number | null | undefined }
  /** Whose customers are asked about. */
  readonly scope: Scope
  /** Rows drawn at random; null for all. */
  readonly sample: number | null
  /** Once aborted, nothing further is asked. */
  readonly signal: AbortSignal
  /** Once aborted too, what is under way is given up. */
  readonly giveUp: AbortSignal
  readonly watch: (event: ReadBackEvent) => void
}

export type ReadBackEvent =
  AskEvent | { readonly kind: 'asking'; readonly customers: number; readonly isContinued: boolean }

export interface ReadBackEnd extends ReadBackStart {
  /** Customers whose answer was recorded, and those of them about whom no list came. */
  readonly asked: number
  readonly unanswered: number
  readonly stop: Stop | null
  readonly totals: Totals
}

/**
 * Asks the service what it holds of the customers of these rows, and records every answer as evidence. No state
 * changes, and no row is sent because of it. One that was broken off within the last day is gone on with.
 * @throws {UsageError} for an address or credentials that cannot be used, and for a ledger of which nothing was sent yet or is in doubt
 * @throws {LedgerError} `locked` by a run, `other_campaign`, `unwritable` once it was purged, …
 */
export async function readBack(options: ReadBackOptions): Promise<ReadBackEnd> {
  requireDriver()
  const { machine = thisMachine() } = options
  const service = checkService(options.service, machine.env)
  const reader = connectReader(service, options.service, machine)
  try {
    const { clock, pid, user } = machine
    const { ledger: file, sharedFolder = false } = options
    const ledger = openLedger({ file, clock, pid, user, create: false, sharedFolder })
    try {
      // What another ledger began is in doubt here before anything was sent.
      if (ledger.view.campaign().baseUrl === null && ledger.totals().inDoubt === 0)
        throw new UsageError(
          `Nothing of the ledger "${options.ledger}" was sent anywhere yet, so there is nothing to ask about`,
          'Send first (sepa-migrate run FILE)',
        )
      const { rate = null, username } = options.service
      ledger.bind({ baseUrl: service.baseUrl.href, username })
      const policy = { concurrency: service.concurrency, rate }
      return await askAbout({ ...options, ledger, reader, machine, policy })
    } finally {
      ledger.close()
    }
  } finally {
    await reader.close()
  }
}

/** A read-back of an open ledger. */
export async function askAbout(
  asking: Pick<ReadBackOptions, 'scope' | 'sample' | 'signal' | 'giveUp' | 'watch'> & {
    readonly ledger: Pick<Ledger, 'readBacks' | 'totals'>
    readonly reader: Pick<SourceReader, 'listPaymentSources'>
    readonly machine: Pick<Machine, 'version' | 'host' | 'pid' | 'clock' | 'after' | 'random'>
    readonly policy: PaceLimits
  },
): Promise<ReadBackEnd> {
  const { ledger, reader, machine, policy, scope, sample, signal, giveUp, watch } = asking
  const { version, host, pid } = machine
  const start = ledger.readBacks.start({ scope, sample, version, host, pid, settings: { ...policy } })
  watch({ kind: 'asking', ...start })
  let [asked, unanswered] = [0, 0]
  const stop = await askCustomers({
    ...{ ...machine, policy, drain: signal, abort: giveUp, watch },
    nextCustomers: ledger.readBacks.next,
    ask: (customerNo, requestId, signal) => reader.listPaymentSources(customerNo, { requestId, signal }),
    record: (answers) => {
      ledger.readBacks.record(
        start.id,
        answers.map((answer) => heard(answer, ledger.readBacks.rowsOf)),
      )
      asked += answers.length
      unanswered += answers.filter(({ seen }) => seen.kind === 'not_read').length
    },
  })
  ledger.readBacks.end(start.id, stop?.kind ?? null)
  return { ...start, asked, unanswered, stop, totals: ledger.totals() }
}

/** Rows of one customer are matched together, those that nobody asked about too. */
function heard(
  { seen, ...answer }: CustomerAnswer,
  rowsOf: (customerNo: number) => readonly HeldRow[],
): HeardAnswer {
  const rows = rowsOf(answer.customerNo)
  const verdicts = matchSources(rows, seen)
  return {
    ...answer,
    ...keptOf(seen),
    proofs: rows.flatMap(({ rowId, attempts }, at) => {
      const verdict = verdicts[at]
      return verdict === undefined ? [] : [{ rowId, attempts, evidence: evidenceOf(verdict) }]
    }),
  }
}
