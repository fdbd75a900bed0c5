import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { maskAccounts } from '../domain/text/masking.js'
import type { Totals } from '../domain/row/totals.js'
import { requireDriver } from '../driver.js'
import { UsageError } from '../errors.js'
import { openLedger } from '../ledger/file/open-ledger.js'
import type { Ledger } from '../ledger/ledger.js'
import { noteWritten } from '../ledger/safety/written-files.js'
import { openRunRegister, type RunRegister } from '../register/run-register.js'
import { addSources, type AdmittedSource } from '../run/admit-sources.js'
import { checkOptions, type Asked } from './asked.js'
import type { MigrateOptions } from './options.js'

type Taken =
  | 'files'
  | 'service'
  | 'ledger'
  | 'signal'
  | 'reading'
  | 'rules'
  | 'asOf'
  | 'zone'
  | 'dormantSoonDays'
  | 'newCreditorIdentifier'
  | 'sharedFolder'
  | 'writes'
  | 'configuration'
  | 'machine'

/** What is asked for; each as in `MigrateOptions`. */
export interface RebuildOptions extends Pick<MigrateOptions, Taken> {
  /** Who says that the ledger is lost, and why it cannot be had; kept with every row. */
  readonly by: string
  readonly reason: string
  /** Asked once, before a new ledger holds anything; only `true` goes on. */
  readonly confirm: (plan: RebuildPlan) => Promise<boolean>
  readonly watchReading: (source: string, records: number) => void
}

/** What a new ledger is about to hold. */
export interface RebuildPlan {
  /** `ready` is what will be in doubt. */
  readonly totals: Totals
  readonly service: { readonly href: string; readonly host: string; readonly username: string }
  /** As in `MigrationPlan`: the ledger that is lost, where this machine knows of it. */
  readonly knownElsewhere: string | null
}

export interface Rebuilt {
  /** `known`: an earlier call made it of these very files, and nothing was added. */
  readonly kind: 'made' | 'known' | 'declined'
  readonly admitted: readonly AdmittedSource[]
  readonly totals: Totals
  readonly warnings: readonly string[]
}

/**
 * The first step to a ledger in the place of one that is lost: a new one that holds the files, with every row in doubt
 * that could be sent. Files and doubts are one transaction, so there is no moment at which a row of it could be sent.
 * What the service holds of them is read back afterwards; nothing is sent here.
 * @throws {UsageError} for options that cannot be used, and for a ledger that holds anything else
 * @throws {SourceError} for a file that cannot be trusted; nothing was admitted
 * @throws {LedgerError} `locked`, `older`, `other_campaign`, `register`, …
 */
export async function rebuild(options: RebuildOptions): Promise<Rebuilt> {
  requireDriver()
  const asked = checkOptions({ ...options, confirm: () => false }) // nothing is sent here, whatever it says
  const { clock, pid, user, stateFolder } = asked.machine
  const { sharedFolder = false } = options
  const ledger = openLedger({ file: options.ledger, clock, pid, user, sharedFolder })
  try {
    const register = openRunRegister(
      {
        folder: stateFolder,
        baseUrl: asked.service.baseUrl.href,
        ledger: resolve(options.ledger),
        claims: ledger.claims,
        allowsOthers: true,
        sharedFolder,
      },
      asked.service.baseUrl,
    )
    try {
      const made = await takePlace(options, { asked, ledger, register })
      return { ...made, totals: ledger.totals(), warnings: register.warnings }
    } finally {
      register.close()
    }
  } finally {
    ledger.close()
  }
}

interface Parts {
  readonly asked: Asked
  readonly ledger: Ledger
  readonly register: RunRegister
}

type Made = Pick<Rebuilt, 'kind' | 'admitted'>

async function takePlace(options: RebuildOptions, parts: Parts): Promise<Made> {
  const { asked, ledger, register } = parts
  ledger.assertBelongsTo(boundTo(asked))
  register.checkCopy()
  const isNew = ledger.view.sources().length === 0
  if (!isNew && !ledger.view.runs().some(({ settings }) => settings.rebuilt !== undefined))
    throw notRebuilt(options)
  for (const written of options.writes ?? []) noteWritten(options.ledger, written)
  const made = isNew ? await make(options, parts) : await lookAtFiles(options, parts)
  if (made.kind !== 'declined') register.rebuilt()
  return made
}

const boundTo = ({ service: { baseUrl }, options }: Asked) => ({
  baseUrl: baseUrl.href,
  username: options.service.username,
})

const notRebuilt = ({ ledger }: RebuildOptions): UsageError =>
  new UsageError(
    `The ledger "${ledger}" exists and was not made in the place of a lost one; nothing was changed`,
    'Go on with it. Where it is an older copy, adopt it. Only where another ledger is lost, give the name of a file that does not exist yet',
    { ways: ['run', 'adopt_older_copy', 'name_ledger'] },
  )

async function make(options: RebuildOptions, { asked, ledger, register }: Parts): Promise<Made> {
  const { by, reason, rules = {} } = options
  const { version, host, pid } = asked.machine
  const { asOf, zone, service } = asked
  const settings = { rebuilt: maskAccounts(`by ${by}: ${reason}`), ...service.trusted }
  const runId = ledger.startRun({ version, host, pid, asOf, zone, settings }, 1)
  const admission = ledger.admit({ severities: rules })
  try {
    const admitted = await addSources(admission, asked.files, watching(options, asked))
    const plan: RebuildPlan = {
      totals: ledger.totals(),
      service: { href: service.baseUrl.href, host: service.baseUrl.host, username: options.service.username },
      knownElsewhere: register.knownElsewhere(),
    }
    if (!(await options.confirm(plan))) {
      admission.rollback()
      ledger.endRun(runId, { stoppedBy: 'declined', exitCode: 2 })
      return { kind: 'declined', admitted: [] }
    }
    ledger.bind(boundTo(asked))
    ledger.claims.rebuild({ by, reason, mark: randomBytes(16).toString('hex') })
    admission.commit()
    ledger.endRun(runId, { stoppedBy: 'rebuilt', exitCode: 4 })
    return { kind: 'made', admitted }
  } catch (error) {
    admission.rollback()
    throw error
  }
}

const watching = ({ watchReading, rules = {} }: RebuildOptions, { drain }: Asked) => ({
  signal: drain,
  severities: rules,
  watch: watchReading,
})

/** Only what it was made of is looked at again: another file could hold rows that were sent from elsewhere. */
async function lookAtFiles(options: RebuildOptions, { asked, ledger }: Parts): Promise<Made> {
  const admission = ledger.admit({ severities: options.rules ?? {} })
  let admitted: AdmittedSource[]
  try {
    admitted = await addSources(admission, asked.files, watching(options, asked))
  } finally {
    admission.rollback()
  }
  const other = admitted.find(({ kind }) => kind === 'admitted')
  if (other === undefined) return { kind: 'known', admitted }
  throw new UsageError(
    `"${other.name}" is none of the files that the ledger "${options.ledger}" was made of; nothing was changed`,
    'Give the files of the first time. Another export comes in with a run, once nothing is in doubt any more',
    { ways: ['run_file'] },
  )
}
