import { randomBytes } from 'node:crypto'
import type { Choice } from '../domain/row/choice.js'
import { LedgerError, UsageError } from '../errors.js'
import type { BegunGroup, Doubting, HeldRows } from '../ledger/ledger.js'
import type { Adoption, Claims } from '../ledger/deliver/ready-rows.js'
import { sql } from '../ledger/file/connection.js'
import {
  openRegisterFile,
  openRegisterToLook,
  registerFault,
  UnusableRegister,
  setRegisterAside,
  type RegisterFile,
  numberWith,
  begunElsewhere,
  countBegunAndMissing,
  claimants,
  claimedOtherwise,
  asRegisterFolder,
  type Known,
  olderText,
  olderThan,
  retiredText,
  compare,
  noteOf,
  numbersOf,
  refuseClaimed,
  resembling,
  type Comparison,
  type Note,
} from './register-file.js'
import { severityOf, type SeverityOverrides } from '../domain/rule/verdict.js'
import { plural } from '../domain/text/text.js'

/**
 * What ledgers of this user began to send on this machine. A ledger cannot know that another one sends the same
 * mandates, nor that it is an older copy of itself; the register can.
 *
 * Order of writing: the ledger is noted before anything comes into it. When a run begins, its mark goes into the ledger,
 * then into the register with what the run may send. For each group of attempts: the intents into the ledger, then their
 * count and their rows into the register where the mark is still that of this run, then the requests. So the register
 * never knows more than the ledger that was last used, and always at least what an older copy does not know.
 */
export type Register = ReturnType<typeof openRegister>

/** A person goes on with a new ledger where another one is lost; kept with every row that becomes in doubt by it. */
export interface TakeOver extends Doubting {
  readonly decision: 'another_ledger' | 'all_in_doubt'
}

export interface RegisterOptions {
  /** Folder of the register, made where it is missing; null where the machine names none, which is refused. */
  readonly folder: string | null
  /** The address that the ledger is bound to. */
  readonly baseUrl: string
  readonly testHosts: readonly string[]
  /** Absolute path of the ledger, for texts. */
  readonly ledger: string
  readonly claims: Claims
  /** False for a rehearsal on this machine, which is repeated with new ledgers on purpose: no mandate is claimed. */
  readonly guardsMandates: boolean
  readonly takeOver: TakeOver | null
  readonly sharedFolder: boolean
}

/**
 * @throws {UsageError} without a folder
 * @throws {LedgerError} `register`
 */
export function openRegister(options: RegisterOptions) {
  const { claims, baseUrl, testHosts, ledger, guardsMandates, takeOver } = options
  const folder = asRegisterFolder(options.folder)
  const file = openFile(folder, options)
  const { connection } = file
  const numberOf = numberWith(file.key)
  /** In the register before this process noted it. */
  let wasKnown = false
  /** The mark of this run, once it claimed. */
  let mark: string | null = null
  /** Ledgers that it takes the place of, by number. */
  let replaces: readonly number[] = []
  let severities: SeverityOverrides = {}
  const comparison = (): Comparison => ({ file, claims, baseUrl, testHosts, numberOf, replaces })

  /** @throws {LedgerError} `retired` */
  function noteOfLiving(): Note | undefined {
    const noted = noteOf(file, claims.standing().ledgerId)
    if (noted === undefined || noted.retiredBy === null) return noted
    throw new LedgerError(
      'retired',
      `${retiredText(file, ledger, noted.retiredBy)}. Nothing was sent`,
      'Go on with that ledger. Only where that one is lost too, give the export to a new ledger (--ledger FILE; sepa-migrate run FILE --another-ledger --reason "…")',
    )
  }

  /** The note, where nothing speaks against going on with this ledger. */
  function checkNote(): Note | undefined {
    const noted = noteOfLiving()
    const why = olderThan(file, noted, claims)
    if (why !== null) throw olderCopy(ledger, why)
    return noted
  }

  /** A ledger from elsewhere, or of before a register was lost, brings along what it began. */
  function noteNew(ofRun: string | null): void {
    const { lastInsertRowid } = sql(connection)`
      insert into ledger (id, place, service, mark, attempts, runs, decided, is_open)
       values (:ledgerId, :ledger, :baseUrl, :ofRun, :attempts, :runs, :decided, 0)`.run({
      ...claims.standing(),
      ledger,
      baseUrl,
      ofRun,
    })
    if (guardsMandates) learnAttempts(Number(lastInsertRowid))
  }

  /** What a ledger knows that it began; a power cut may have taken marks of the run before. */
  function learnAttempts(n: number): void {
    const begun = sql(connection)`update mandate set begun = 1 where ledger = ? and row = ?`
    const insert = sql(connection)`
      insert into mandate (ledger, row, begun, mandate, likeness, spelling, reference) values (?, ?, 1, ?, ?, ?, ?)`
    for (const mandate of claims.attempted())
      if (begun.run(n, mandate.row).changes === 0) insert.run(n, mandate.row, ...numbersOf(numberOf, mandate))
  }

  /** Between the comparison and the claim there was a question, and another process may have claimed meanwhile. */
  function assertStillFree(): void {
    refuseClaimed(file, ledger, baseUrl)
    if (severityOf('MANDATE_RESEMBLES_SENT', severities) !== 'error') return
    const found = resembling(comparison()).find(({ row }) => !claims.isSettled(row))
    if (found === undefined) return
    throw new UsageError(
      `The ledger "${found.place}" has just claimed a mandate that row ${found.row} resembles; nothing was sent`,
      'Run the same command again: the row is held back then',
    )
  }

  /**
   * What is called after each group of intents is durable and before its requests leave. Other processes see it at once,
   * and it costs no flush: what a power cut takes counts as begun, or is learnt again from the ledger.
   * @throws {LedgerError} `older` when a copy of this ledger or another one has overtaken it; nothing of the group may leave
   */
  function noteGroups(n: number, ofRun: string): (group: BegunGroup) => void {
    const { decided } = claims.standing()
    const count = sql(connection)`
      update ledger set attempts = ? where n = ? and mark = ? and decided is ? and retired_by is null`
    const begin = sql(connection)`update mandate set begun = 1 where ledger = ? and row = ?`
    return ({ attempts, rows }) =>
      file.writeUnflushed(() => {
        if (count.run(attempts, n, ofRun, decided).changes === 0) throw overtaken(ledger, rows.length)
        if (!guardsMandates) return
        for (const row of rows)
          if (begin.run(n, row).changes === 0)
            throw new Error(`Row ${row} is about to leave and was never claimed`)
      })
  }

  return {
    /**
     * Notes the ledger, or finds it noted. To be called before a run is counted in it.
     * @throws {LedgerError} `older`, `retired`, `register`
     */
    note: (): void =>
      file.write(() => {
        const noted = checkNote()
        const { hasMarks, isLogMissing } = claims.standing()
        // One from elsewhere stays unknown, its mark untaken, until a person lets a run of it claim.
        wasKnown = !hasMarks || (noted !== undefined && (noted.mark !== null || noted.runs === 0))
        if (noted === undefined) noteNew(null)
        // Nothing that was noted is missing, so the log was merged into the file, or nothing had left.
        else if (isLogMissing) claims.trustLog()
      }),
    /**
     * Compares what is ready with what other ledgers claimed; what it changes is part of the admission that is open. A row
     * that resembles a mandate of another ledger becomes a conflict. With `takeOver`, what they began becomes in doubt.
     * @throws {UsageError} without `takeOver`, when another ledger claimed a mandate that is ready here
     */
    hold: (rules: SeverityOverrides): HeldRows => {
      severities = rules
      const isTaking = guardsMandates && takeOver !== null && compare(comparison(), claims.known)
      const replaced = isTaking ? claimants(file) : []
      replaces = replaced.map(({ n }) => n)
      const isBeside = guardsMandates && compare(comparison(), claims.ready)
      if (isBeside && takeOver === null) refuseClaimed(file, ledger, baseUrl)
      const otherwise = isBeside ? begunElsewhere(file, true) : []
      const begun = isBeside && takeOver?.decision === 'another_ledger' ? begunElsewhere(file) : []
      const inDoubt =
        (takeOver === null ? 0 : claims.doubt(begun, takeOver, otherwise)) +
        claims.doubtAll(takeOver, otherwise) +
        (guardsMandates ? 0 : claims.doubtCorrected())
      const inConflict = isBeside ? claims.hold(resembling(comparison()), rules) : 0
      if (isTaking) compare(comparison(), claims.known)
      const inCutOver = isTaking ? claims.tellBegun(begunElsewhere(file)) : 0
      const missing = isTaking ? countBegunAndMissing(file) : 0
      return {
        inDoubt,
        begunOtherwise: otherwise.length,
        inConflict,
        inCutOver,
        missing,
        replaces: replaced.map(({ place }) => place),
      }
    },
    /**
     * The same comparison once more for what this run may send, and the claim, in one step; afterwards requests may leave.
     * @throws {UsageError} when another ledger went on since `hold`
     * @throws {LedgerError} as `note`
     */
    claim: (limit: number | null, choice: Choice | null): void => {
      if (guardsMandates) compare(comparison(), () => claims.toSend(limit, choice))
      else claims.toSend(limit, choice) // what may leave is decided here all the same
      file.write(() => {
        const noted = checkNote()
        if (noted === undefined)
          throw registerFault(folder, 'it was replaced while this command ran', 'Run the same command again')
        if (guardsMandates) assertStillFree()
        const { n } = noted
        const ofRun = newMark()
        claims.begin(ofRun, noteGroups(n, ofRun))
        mark = ofRun
        const standing = claims.standing()
        sql(connection)`
          update ledger set place = :ledger, service = :baseUrl, mark = :mark, attempts = :attempts, runs = :runs,
            decided = :decided, is_open = 1 where n = :n`.run({ ...standing, ledger, baseUrl, mark, n })
        const retire = sql(connection)`update ledger set retired_by = ? where n = ?`
        for (const other of replaces) retire.run(standing.ledgerId, other)
        if (!guardsMandates) return
        if (noted.isOpen === 1) learnAttempts(n)
        sql(connection)`
          insert into mandate select ?, row, mandate, likeness, 0, spelling, reference from temp.mine where true on conflict do nothing`.run(
          n,
        )
      })
    },
    /** A person goes on with an older copy, which is the latest from now on. */
    adopt: (adoption: Omit<Adoption, 'mark' | 'otherwise'>): ReturnType<Claims['adoptOlderCopy']> =>
      file.write(() => {
        const noted = noteOfLiving()
        const ofAdoption = newMark()
        const otherwise = noted === undefined ? [] : claimedOtherwise(file, noted, numberOf, claims.unsent())
        const report = claims.adoptOlderCopy({ ...adoption, mark: ofAdoption, otherwise })
        if (noted === undefined) noteNew(ofAdoption)
        else {
          const { n } = noted
          sql(connection)`
            update ledger set mark = :ofAdoption, attempts = :attempts, runs = :runs, decided = :decided where n = :n`.run(
            { ...claims.standing(), ofAdoption, n },
          )
          keepLost(file, n, () => learnAttempts(n))
        }
        return report
      }),
    /** False for a ledger that had sent before it was noted: it came from elsewhere. */
    knowsLedger: () => wasKnown,
    /** Says that the run came to its end, and closes. Never throws. */
    close: (): void => {
      try {
        noteDecisions(file, claims)
        if (mark !== null)
          file.write(() =>
            sql(connection)`update ledger set is_open = 0 where id = ? and mark = ?`.run(
              claims.standing().ledgerId,
              mark,
            ),
          )
      } catch {
        // All that it claimed counts as begun then.
      }
      file.close()
    },
  }
}

function openFile(folder: string, options: RegisterOptions): RegisterFile {
  try {
    return openRegisterFile(folder, options)
  } catch (error) {
    if (options.takeOver?.decision !== 'all_in_doubt' || !(error instanceof UnusableRegister)) throw error
    setRegisterAside(folder, `set-aside-${randomBytes(4).toString('hex')}`)
    return openRegisterFile(folder, options)
  }
}

type Deciding = Known & Pick<Claims, 'removed'>

/**
 * Notes how far the decisions of a ledger have come, once they are committed in it. What is decided in an older copy does
 * not make it the latest.
 */
function noteDecisions(file: RegisterFile, ledger: Deciding): void {
  file.write(() => {
    const { ledgerId, decided } = ledger.standing()
    const noted = noteOf(file, ledgerId)
    if (noted === undefined || noted.decided === decided || olderThan(file, noted, ledger) !== null) return
    sql(file.connection)`update ledger set decided = ? where n = ?`.run(decided, noted.n)
    // Its key is beside it: a reference that was an account could be tried.
    const forget = sql(file.connection)`
      update mandate set mandate = abs(random() >> 11), spelling = null, reference = null where ledger = ? and row = ?`
    for (const row of ledger.removed()) forget.run(noted.n, row)
  })
}

/** The same at the end of a command that only decides. @returns why the register cannot be used, for a warning */
export function noteDecided(folder: string | null, ledger: Deciding): string | null {
  try {
    const file = openRegisterToLook(asRegisterFolder(folder))
    if (file !== null) noteDecisions(file, ledger)
    file?.close()
    return null
  } catch (error) {
    return faultText(error)
  }
}

/**
 * What is decided in an older copy would close what the lost part may have sent. Where the register cannot be used, `noteDecided`
 * says so.
 * @throws {LedgerError} `older`
 */
export function refuseOlder(folder: string | null, ledger: string, claims: Claims): void {
  let why: string | null = null
  try {
    const file = openRegisterToLook(asRegisterFolder(folder))
    why = olderThan(file, file === null ? undefined : noteOf(file, claims.standing().ledgerId), claims)
    file?.close()
  } catch (error) {
    faultText(error)
  }
  if (why !== null) throw olderCopy(ledger, why)
}

/** Why the register cannot be used, or that there is no folder for it, as a warning; any other error is thrown. */
export function faultText(error: unknown): string {
  const isOfRegister = error instanceof LedgerError && error.problem === 'register'
  if (!isOfRegister && !(error instanceof UsageError)) throw error
  return error.message.replace(/\. Without it.*$/, '')
}

const olderCopy = (ledger: string, why: string): LedgerError =>
  new LedgerError(
    'older',
    `${olderText(ledger, why)}. An old copy was put back, or its write-ahead log is lost. ` +
      'Rows that it calls ready or refused may have been sent since. Nothing was sent or decided',
    'Put the newest copy back, with its -wal. Where there is none, adopt the older copy: all these rows ' +
      'become in doubt, so that none is sent before it was looked up at the service (sepa-migrate ledger adopt --reason "…")',
  )

const newMark = (): string => randomBytes(16).toString('hex')

const overtaken = (ledger: string, rows: number): LedgerError =>
  new LedgerError(
    'older',
    `The ledger "${ledger}" was overtaken: since this run began, another one has gone on with a copy of it, something was decided in a copy, or another took its place. ` +
      `${plural(rows, 'row was', 'rows were')} about to be sent and ${rows === 1 ? 'was' : 'were'} not`,
    'Find out which ledger is the latest and go on with that one. What this run had under way may be in doubt there (sepa-migrate status)',
  )

/**
 * What a ledger claimed and its copy has no attempt for is kept as of a ledger of its own, retired by this one: it may have
 * been sent, whatever the copy says of it.
 */
function keepLost({ connection }: RegisterFile, n: number, learnAttempts: () => void): void {
  const { lastInsertRowid: lost } = sql(connection)`
    insert into ledger (id, place, service, mark, attempts, runs, is_open, retired_by)
     select id || ' until ' || mark, place || ', before an older copy was put back', service, null, 0, 0, 1, id
       from ledger where n = ?`.run(n)
  sql(connection)`update mandate set ledger = ? where ledger = ?`.run(lost, n)
  learnAttempts()
  sql(connection)`
    delete from mandate as theirs where ledger = ? and exists (select 1 from mandate as own where own.ledger = ?
      and own.row = theirs.row and own.mandate = theirs.mandate and own.likeness = theirs.likeness)`.run(
    lost,
    n,
  )
}

/** The register of this user as a run needs it, and what it could not do. */
export interface RunRegister extends Omit<Register, 'adopt'> {
  readonly warnings: readonly string[]
}

/**
 * A rehearsal on this machine is repeated with new ledgers on purpose, so mandates are guarded elsewhere only, and it
 * does not need a register at all. An older copy of a ledger is refused there as well.
 * @throws {UsageError} there for the place of another ledger, which only the claims of mandates tell
 */
export function openRunRegister(
  options: Omit<RegisterOptions, 'guardsMandates'>,
  { isLoopback }: { readonly isLoopback: boolean },
): RunRegister {
  if (isLoopback && options.takeOver?.decision === 'another_ledger')
    throw new UsageError(
      'Cannot go on in the place of another ledger at a service on this machine: no mandate is claimed there, so nobody knows which ones that ledger began to send. Nothing was sent',
      'A rehearsal begins anew with a new ledger. Where a tunnel or proxy leads from here to the real service, take every row in as in doubt (sepa-migrate run FILE --all-in-doubt --reason "…")',
    )
  try {
    return { ...openRegister({ ...options, guardsMandates: !isLoopback }), warnings: [] }
  } catch (error) {
    if (!isLoopback) throw error
    const warnings = [`${faultText(error)}. A run against a real service would be refused`]
    return { ...withoutRegister(options), warnings }
  }
}

const withoutRegister = ({
  claims,
  takeOver,
}: Pick<RegisterOptions, 'claims' | 'takeOver'>): Omit<RunRegister, 'warnings'> => ({
  note: () => undefined,
  hold: () => ({
    inDoubt: claims.doubtAll(takeOver) + claims.doubtCorrected(),
    ...{ begunOtherwise: 0, inConflict: 0, inCutOver: 0, missing: 0, replaces: [] },
  }),
  claim: (limit, choice) => void claims.toSend(limit, choice),
  knowsLedger: () => true,
  close: () => undefined,
})
