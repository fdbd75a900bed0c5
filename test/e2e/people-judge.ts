import { existsSync } from 'node:fs'
import type { MigrateRequest } from '../../src/contract/mandates.js'
import { openDatabase } from '../../src/driver.js'
import type { Office } from './people-office.js'
import type { PeopleService } from './people-service.js'
import {
  type Export,
  type History,
  mandateMeant,
  spellingsOf,
  type Told,
  type TrueMandate,
} from './people-truth.js'

/** A decision as a person meant it: of this mandate, in this ledger. */
interface Meant {
  readonly ledger: string
  readonly mandate: TrueMandate
  readonly decision: string
}

interface Heard {
  readonly since: number
  readonly meant: readonly Meant[]
  readonly isTaken: boolean
}

interface Row {
  readonly id: number
  readonly state: string
  readonly customerNo: number | null
  readonly signedDate: string | null
  readonly reference: string | null
  /** The reference that the service gave. */
  readonly assigned: string | null
  readonly admittedAt: string
  /** It was read from an export, and is no line that somebody gave back. */
  readonly isRead: 0 | 1
  /** What people said of it, with blanks between. */
  readonly decisions: string
}

const describe = ({ customerNo, signedDate }: TrueMandate): string =>
  `customer ${customerNo} of ${signedDate}`

const meantIn = (mandates: readonly TrueMandate[], { customerNo, signedDate, reference }: Row) =>
  mandateMeant(mandates, customerNo ?? 0, signedDate ?? '', reference ?? '')

export type PeopleJudge = ReturnType<typeof startPeopleJudge>

/** Compares what the service holds with what people wanted and with what the ledgers say. It never asks the program. */
export function startPeopleJudge(
  mandates: readonly TrueMandate[],
  service: Pick<PeopleService, 'applications' | 'applicationsOf' | 'saidExisting'>,
) {
  const violations: string[] = []
  const resends = new Map<TrueMandate, number>()
  let corrections: { ledger: string; mandate: TrueMandate; receivedBefore: number }[] = []
  const violate = (violation: string): void => {
    if (!violations.includes(violation)) violations.push(violation)
  }

  const isOfAnother = (mandate: TrueMandate, reference: string): boolean =>
    mandates.some((other) => other !== mandate && spellingsOf(other).includes(reference))

  function judgeService(after: string): void {
    for (const { mandate, request } of service.applications)
      if (mandate === null)
        violate(`WRONG after ${after}: customer ${request.customer_no} has …${request.iban.slice(-4)}`)
    for (const mandate of mandates) {
      const held = service.applicationsOf(mandate)
      if (mandate.hasEnded && held.length > 0)
        violate(`ENDED after ${after}: ${describe(mandate)} has ended and is registered`)
      for (const { request } of held)
        if (isOfAnother(mandate, request.amendment.unique_mandate_reference))
          violate(`WRONG after ${after}: ${describe(mandate)} is registered with another one's reference`)
      const allowed = 1 + (resends.get(mandate) ?? 0)
      if (held.length > allowed)
        violate(`TWICE after ${after}: ${describe(mandate)}, ${held.length} times, ${allowed} allowed`)
    }
  }

  function judgeLedger(after: string, file: string): void {
    const { rows, requests, decisions, corrected } = readLedger(file)
    for (const row of corrected)
      if (!decisions.some(({ rowId, decision }) => rowId === row && decision === 'corrected'))
        violate(`UNRECORDED after ${after}: row ${row} holds what somebody corrected, and nothing says who`)
    const words = decisions.filter(({ decision }) => decision !== 'corrected')
    const decided = new Set(words.map(({ rowId }) => rowId))
    for (const row of rows) {
      const ofRow = requests.filter(({ rowId }) => rowId === row.id)
      const own = new Set(ofRow.map(({ requestId }) => requestId))
      const isHeld = service.applications.some(({ requestId }) => own.has(requestId))
      if (row.state === 'registered') {
        const held = service.applications.find(({ assigned }) => assigned.mandateReference === row.assigned)
        if (held === undefined || held.mandate !== meantBy(row))
          violate(`IDENTITY after ${after}: row ${row.id} is registered with what another mandate was given`)
      }
      if (row.state === 'refused' && isHeld && !decided.has(row.id))
        violate(`REFUSED after ${after}: row ${row.id} is called refused and is registered`)
      for (const { requestId, outcome } of ofRow)
        if (outcome === 'refused' && service.saidExisting.has(requestId))
          violate(`REFUSED after ${after}: row ${row.id}, of which the service said it is there`)
    }
    const sent = new Set(requests.map(({ requestId }) => requestId))
    for (const { ledger, mandate, receivedBefore } of corrections) {
      const later = service.applications.filter((one) => one.nth > receivedBefore && sent.has(one.requestId))
      const isOld =
        mandate.formerAccount !== mandate.account &&
        later.some((one) => one.mandate === mandate && one.request.iban === mandate.formerAccount)
      if (ledger === file && isOld && !resends.has(mandate))
        violate(`OLD after ${after}: ${describe(mandate)} is registered with the account that was corrected`)
    }
  }

  const meantBy = (row: Row): TrueMandate | undefined => meantIn(mandates, row)

  return {
    violations: violations as readonly string[],
    violate,
    /** A person let this mandate go out once more, knowing its row. */
    allowResend: (mandate: TrueMandate) => void resends.set(mandate, (resends.get(mandate) ?? 0) + 1),
    /** A file that this ledger took says that the former account is wrong; so many mandates had it by then. */
    correct: (ledger: string, given: readonly TrueMandate[], receivedBefore: number) =>
      void corrections.push(...given.map((mandate) => ({ ledger, mandate, receivedBefore }))),
    /** A later file of that ledger names the former account again, and the later file counts. */
    uncorrect: (ledger: string, given: readonly TrueMandate[]) =>
      void (corrections = corrections.filter((one) => one.ledger !== ledger || !given.includes(one.mandate))),
    look: (after: string, ledger: string): void => {
      judgeService(after)
      judgeLedger(after, ledger)
    },
    /** The latest decision on record. */
    mark: (ledger: string) => Math.max(0, ...decisionsIn(ledger).map(({ id }) => id)),
    /** What is on record since then must be what was meant, and all of it where the command was taken. */
    expectDecisions: (after: string, ledger: string, { since, meant, isTaken }: Heard): void => {
      const { rows, decisions } = readLedger(ledger)
      const recorded = decisions
        .filter(({ decision }) => !['corrected', 'held', 'answered'].includes(decision))
        .map(({ id: decisionId, rowId, decision }) => {
          const row = rows.find(({ id }) => id === rowId)
          return { decisionId, rowId, decision, mandate: row === undefined ? undefined : meantBy(row) }
        })
      // What was closed or replaced before needs no word.
      const isClosed = ({ mandate, decision }: Meant): boolean =>
        decision === 'written_off' &&
        rows.some((row) => meantBy(row) === mandate && ['superseded', 'written_off'].includes(row.state))
      const isSame = (one: Meant, other: (typeof recorded)[number]): boolean =>
        one.ledger === ledger && one.mandate === other.mandate && one.decision === other.decision
      for (const other of recorded.filter(({ decisionId }) => decisionId > since))
        if (!meant.some((one) => isSame(one, other)))
          violate(`DECISION after ${after}: row ${other.rowId} is called ${other.decision} by nobody`)
      for (const one of meant)
        if (isTaken && !recorded.some((other) => isSame(one, other)) && !isClosed(one))
          violate(`DROPPED after ${after}: ${describe(one.mandate)} is not ${one.decision}`)
    },
    /** Every one of these must have a row in a ledger whose campaign is called done. */
    expectRows: (after: string, ledger: string, expected: readonly TrueMandate[]): void => {
      const { rows } = readLedger(ledger)
      for (const mandate of expected)
        if (!rows.some((row) => row.customerNo === mandate.customerNo || meantBy(row) === mandate))
          violate(`LOST after ${after}: ${describe(mandate)} has no row, and the campaign is called done`)
    },
    /** Whether a row of it is in one of these states. */
    isIn: (ledger: string, mandate: TrueMandate, ...states: readonly string[]): boolean =>
      rowsIn(ledger).some((row) => states.includes(row.state) && meantBy(row) === mandate),
    mandateOf: (ledger: string, rowId: number): TrueMandate | undefined => {
      const row = rowsIn(ledger).find(({ id }) => id === rowId)
      return row === undefined ? undefined : meantBy(row)
    },
  }
}

/** An export that a ledger took in, or that somebody set beside it. */
interface Known {
  readonly known: Export
  readonly at: string
  readonly isIn: boolean
}

const KNOWN = `select sha256, admitted_at as at, 1 as isIn from source where sha256 is not null
  union all select value ->> 'sha256', compared_at, 0 from comparison, json_each(sources)`

/** Somebody set an export beside it, or gave rows back: what waits since may do so for another reason. */
const TOUCHED = `select (select count(*) from comparison) + (select count(*) from source where kind = 'list') as n`

const ROWS = `select row.id, state, customer_no as customerNo, signed_date as signedDate,
    original_mandate_reference as reference, assigned_mandate_reference as assigned, admitted_at as admittedAt,
    corrects is null and kind <> 'list' as isRead, coalesce(group_concat(decision, ' '), '') as decisions
  from row join source on source.id = source_id left join decision on decision.row_id = row.id group by row.id`

/** Rows that took the place of one with another account, reference or date, which was not held as a neighbour's. */
const CORRECTED = `select distinct row.id from row join row as older on older.superseded_by = row.id
  where coalesce(older.rule, '') not in ('CORRECTION_TAKES_ACCOUNT', 'CORRECTION_TAKES_CUSTOMER', 'CORRECTION_TAKES_DATE', 'CORRECTION_TAKES_REFERENCE')
    and row.corrects > 0 and row.counted_in is not null and row.state <> 'duplicate' and older.id = row.corrects and (
    older.iban_key <> row.iban_key or older.signed_date <> row.signed_date
    or older.original_mandate_reference <> row.original_mandate_reference)`

/** A former request of the mandate was called refused out of a doubt, and nobody has said since that it is sent; that import held it is no word. */
const IS_UNNAMED = `exists (select 1 from attempt as former where former.mandate_key = attempt.mandate_key
  and former.id < attempt.id and former.outcome = 'released' and not exists (
    select 1 from row join decision on decision.row_id = row.id where row.mandate_key = attempt.mandate_key
      and decision in ('resend', 'corrected', 'retry_refused')
      and decision.id >= (select max(id) from decision where attempt_id = former.id and decision <> 'held')))`

const REQUESTS = `select row_id as rowId, request_id as requestId, outcome, started_at as startedAt, ${IS_UNNAMED} as isUnnamed from attempt`

/** What is on record of a ledger, asked beside the program; only what was committed. Null where there is none. */
function ask<Read>(file: string, read: (all: <Value>(sql: string) => Value[]) => Read): Read | null {
  if (!existsSync(file)) return null
  const connection = openDatabase(file, { readonly: true })
  try {
    return read((sql) => connection.prepare<[], never>(sql).all())
  } finally {
    connection.close()
  }
}

interface Decision {
  readonly id: number
  readonly rowId: number
  readonly decision: string
}

const DECISIONS = 'select id, row_id as rowId, decision from decision'

/** Much of what the judge is asked needs these alone. */
const rowsIn = (file: string): Row[] => ask(file, (all) => all<Row>(ROWS)) ?? []
const decisionsIn = (file: string): Decision[] => ask(file, (all) => all<Decision>(DECISIONS)) ?? []

const NOTHING = { rows: [], requests: [], decisions: [], corrected: [], files: [], isTouched: false }

const readLedger = (file: string) => ask(file, readAll) ?? NOTHING
const readAll = (all: <Value>(sql: string) => Value[]) => ({
  rows: all<Row>(ROWS),
  requests: all<{
    readonly rowId: number
    readonly requestId: string
    readonly outcome: string | null
    readonly startedAt: string
    readonly isUnnamed: 0 | 1
  }>(REQUESTS),
  decisions: all<Decision>(DECISIONS),
  corrected: all<{ readonly id: number }>(CORRECTED).map(({ id }) => id),
  files: all<{ readonly sha256: string; readonly at: string; readonly isIn: 0 | 1 }>(KNOWN),
  isTouched: all<{ readonly n: number }>(TOUCHED).some(({ n }) => n > 0),
})

/** Rows that left, which cannot be corrected any more. */
export const rowsThatLeft = (file: string): ReadonlySet<string> =>
  new Set(readLedger(file).requests.map(({ rowId }) => String(rowId)))

type Files = ReturnType<typeof readAll>['files']

const knownIn = (files: Files, exports: readonly Export[]): Known[] =>
  files
    .flatMap(({ sha256, at, isIn }) => {
      const known = exports.find((each) => each.sha256 === sha256)
      return known === undefined ? [] : [{ known, at, isIn: isIn === 1 }]
    })
    .sort((one, other) => one.known.day - other.known.day)

/** What came in until then, and what was compared last. */
function knownBy(known: readonly Known[], until: string): Known[] {
  const before = known.filter(({ at }) => at <= until)
  const last = before.reduce((latest, { isIn, at }) => (!isIn && at > latest ? at : latest), '')
  return before.filter(({ isIn, at }) => isIn || at === last)
}

/** The exports that a ledger knows, as it says itself, the newest last. */
export const exportsKnownTo = ({ desk, history }: Office, ledger: string): Export[] =>
  knownIn(readLedger(desk.at(ledger)).files, history?.exports ?? []).map(({ known }) => known)

const wordsOf = (exports: readonly Export[], mandate: TrueMandate) =>
  exports.flatMap(({ rows, hasStatus }) =>
    rows.flatMap(({ told, fault, ...row }) => (row.mandate === mandate ? [{ told, fault, hasStatus }] : [])),
  )

const exportsOf = (known: readonly Known[]): Export[] => known.map((one) => one.known)

/** Somebody has set an export beside it. */
export const hasComparison = ({ desk }: Office, ledger: string): boolean =>
  readLedger(desk.at(ledger)).files.some(({ isIn }) => isIn === 0)

/** What the newest of these says of a mandate, that can be read. */
const wordOf = (known: readonly Known[], mandate: TrueMandate): Told | undefined =>
  wordsOf(exportsOf(known), mandate).findLast(({ fault }) => fault === null)?.told

/** The newest of these that says whether it lives says that it has ended. */
const hasEnded = (known: readonly Known[], mandate: TrueMandate): boolean =>
  wordsOf(exportsOf(known), mandate).findLast(({ hasStatus }) => hasStatus)?.told.hasEnded === true

/** All of these say the same of it, and none that it has ended. */
function agree(known: readonly Known[], mandate: TrueMandate): boolean {
  const words = wordsOf(exportsOf(known), mandate).map(({ told, fault, hasStatus }) => {
    const reference = told.reference.toUpperCase()
    return JSON.stringify({ ...told, reference, hasEnded: hasStatus && told.hasEnded, fault })
  })
  return new Set(words).size === 1 && words[0]?.includes('"hasEnded":false') === true
}

/** No other mandate looks like it, or each of these exports has them side by side. */
const isApart = (
  { mandates }: History,
  known: readonly Known[],
  { account, signedDate }: TrueMandate,
): boolean => {
  const twins = mandates.filter((other) => other.account === account && other.signedDate === signedDate)
  const isIn = (twin: TrueMandate) => (one: Export) => one.rows.some(({ mandate }) => mandate === twin)
  return twins.length === 1 || twins.every((twin) => exportsOf(known).every(isIn(twin)))
}

const isCorrected = ({ state, decisions }: Row): boolean =>
  state === 'registered' && decisions.includes('corrected')

const isSent = ({ customer_no, signed_date, iban }: MigrateRequest, told: Told): boolean =>
  customer_no === told.customerNo && signed_date === told.signedDate && iban === told.account

/**
 * What was real on the day of each export, beside what the service holds by this ledger. An export counts from the moment
 * when the ledger knows it, whether or not anybody said which is the newer one: what is not clear must wait.
 */
export function judgeExports(office: Office, what: string, ledger: string, status: number | null): void {
  const { desk, history, judge, service } = office
  if (history === null) return
  const { files, rows, requests: sent, isTouched } = readLedger(desk.at(ledger))
  const known = knownIn(files, history.exports)
  const [admitted, now] = [known.filter(({ isIn }) => isIn), knownBy(known, '9')]
  const isLost = existsSync(desk.at('copies', 'lost.db'))
  for (const mandate of history.mandates) {
    const violate = (kind: string, why: string): void => {
      const { customerNo, signedDate, reference } = mandate
      judge.violate(`${kind} after ${what}: customer ${customerNo} of ${signedDate}, "${reference}", ${why}`)
    }
    const own = rows.filter((row) => meantIn(history.mandates, row) === mandate)
    const requests = service.applicationsOf(mandate).flatMap(({ request, requestId }) => {
      const one = sent.find((each) => each.requestId === requestId)
      return one === undefined ? [] : [{ ...one, request }]
    })
    for (const { request, rowId, startedAt, isUnnamed } of requests) {
      const isTrue = isSent(request, mandate)
      const before = knownBy(known, startedAt)
      const word = wordOf(before, mandate)
      const decisions = rows.find(({ id }) => id === rowId)?.decisions ?? ''
      if (!isTrue && !wordsOf(history.exports, mandate).some(({ told }) => isSent(request, told)))
        violate('WRONG', 'is registered with values that no export has together')
      if (isUnnamed === 1) violate('UNNAMED', 'may have arrived before, and is sent once more by nobody')
      if (decisions.includes('resend')) continue
      const isGivenBack = decisions.includes('corrected') && !history.ended.has(mandate)
      if (hasEnded(before, mandate) && !isGivenBack)
        violate('ENDED', 'has ended in the newest export and is registered')
      if (word !== undefined && !isTrue && !isSent(request, word))
        violate('OLD', 'is registered with values that a newer export has not')
    }
    const isAgreed = agree(admitted, mandate)
    const stays = (...states: readonly string[]): boolean =>
      own.some(({ isRead, state }) => isRead === 1 && states.includes(state))
    const isAlone = !isTouched && !isLost && isApart(history, admitted, mandate)
    if (isAgreed && isAlone && wordOf(admitted, mandate) !== undefined && stays('conflict'))
      violate('NEEDLESS', 'is held, and all exports that came in say the same')
    if (isAgreed && stays('invalid', 'conflict') && own.some(isCorrected))
      violate('AGAIN', 'is called wrong again, as it was before it was corrected and registered')
    if (status !== 0) continue
    const isIn = wordOf(admitted, mandate) !== undefined && !hasEnded(known, mandate)
    if (isIn && own.every(({ state }) => ['duplicate', 'superseded', 'excluded'].includes(state)))
      violate('LOST', 'is in no row that counts, and the campaign is called done')
    const [latest, word] = [requests.at(-1)?.request, wordOf(now, mandate)]
    if (latest === undefined || own.some(({ decisions }) => /done|written_off|resend/.test(decisions)))
      continue
    // Somebody who knows that it lives gave it back.
    if (own.some(isCorrected) && !history.ended.has(mandate)) continue
    if (hasEnded(now, mandate) || (word !== undefined && !isSent(latest, word) && !isSent(latest, mandate)))
      violate('LIVE', 'is registered otherwise than in the newest export, and no line says so')
  }
}

/**
 * What the latest comparison with a last export says of mandates that are gone from it: of each that the service holds by
 * this ledger there is a line, open or closed by somebody, and none that was there was sent since.
 */
export function judgeCutOver({ desk, gone, judge, service }: Office, what: string, ledger: string): void {
  const { rows, requests, decisions } = readLedger(desk.at(ledger))
  const compared = ask(desk.at(ledger), (all) => ({
    latest: all<{ readonly at: string; readonly name: string }>(
      `select compared_at as at, sources ->> '$[0].name' as name from comparison order by id desc limit 1`,
    )[0],
    lines: all<{ readonly rowId: number; readonly decisionId: number | null }>(
      `select row_id as rowId, decision_id as decisionId from compared
        where comparison_id = (select max(id) from comparison)`,
    ),
  }))
  const latest = compared?.latest
  for (const mandate of gone.get(latest?.name ?? '') ?? []) {
    const own = rows.filter((row) => meantIn([mandate], row) === mandate)
    const isOwn = ({ rowId }: { readonly rowId: number }): boolean => own.some(({ id }) => id === rowId)
    const wasKnown = own.some(({ admittedAt }) => admittedAt <= (latest?.at ?? ''))
    // A person may be wrong about what the service holds, twice.
    if (!wasKnown || decisions.some((one) => isOwn(one) && one.decision === 'refused')) continue
    const held = service
      .applicationsOf(mandate)
      .flatMap(({ requestId }) => requests.filter(isOwn).find((one) => one.requestId === requestId) ?? [])
    const isClosedBy = (decisionId: number): boolean =>
      decisions.some(
        (one) => one.id === decisionId && isOwn(one) && ['done', 'written_off'].includes(one.decision),
      )
    // Open, or closed by a word about this mandate.
    const isTold = compared?.lines.some(
      (line) => isOwn(line) && (line.decisionId === null || isClosedBy(line.decisionId)),
    )
    if (held.length > 0 && isTold !== true)
      judge.violate(`LIVE after ${what}: ${describe(mandate)} has ended, is live, and no line says so`)
    if (held.some(({ startedAt }) => startedAt > (latest?.at ?? '')))
      judge.violate(`HELD after ${what}: ${describe(mandate)} was gone from the last export, and was sent`)
  }
}
