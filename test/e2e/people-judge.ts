import { existsSync } from 'node:fs'
import { openDatabase } from '../../src/driver.js'
import { mandateMeant, spellingsOf, type TrueMandate } from './people-truth.js'
import type { PeopleService } from './people-service.js'

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

interface StoredRow {
  readonly id: number
  readonly state: string
  readonly customerNo: number | null
  readonly signedDate: string | null
  readonly reference: string | null
  readonly original: string | null
}

interface StoredRequest {
  readonly rowId: number
  readonly requestId: string
  readonly outcome: string | null
}

interface StoredDecision {
  readonly id: number
  readonly rowId: number
  readonly decision: string
}

const describe = ({ customerNo, signedDate }: TrueMandate): string =>
  `customer ${customerNo} of ${signedDate}`

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
        violate(
          `WRONG after ${after}: customer ${request.customer_no} is registered with …${request.iban.slice(-4)}`,
        )
    for (const mandate of mandates) {
      const held = service.applicationsOf(mandate)
      if (mandate.hasEnded && held.length > 0)
        violate(`ENDED after ${after}: ${describe(mandate)} has ended and is registered`)
      for (const { request } of held)
        if (isOfAnother(mandate, request.amendment.unique_mandate_reference))
          violate(`WRONG after ${after}: ${describe(mandate)} is registered with another one's reference`)
      const allowed = 1 + (resends.get(mandate) ?? 0)
      if (held.length > allowed)
        violate(
          `TWICE after ${after}: ${describe(mandate)} is registered ${held.length} times, ${allowed} allowed`,
        )
    }
  }

  function judgeLedger(after: string, file: string): void {
    const { rows, requests, decisions, corrected } = readLedger(file)
    for (const row of corrected)
      if (!decisions.some(({ rowId, decision }) => rowId === row && decision === 'corrected'))
        violate(`UNRECORDED after ${after}: row ${row} holds what somebody corrected, and nothing says who`)
    const decided = new Set(
      decisions.flatMap(({ rowId, decision }) => (decision === 'corrected' ? [] : [rowId])),
    )
    for (const row of rows) {
      const ofRow = requests.filter(({ rowId }) => rowId === row.id)
      const own = new Set(ofRow.map(({ requestId }) => requestId))
      const isHeld = service.applications.some(({ requestId }) => own.has(requestId))
      if (row.state === 'registered') {
        const held = service.applications.find(({ assigned }) => assigned.mandateReference === row.reference)
        if (held === undefined || held.mandate !== meantBy(row))
          violate(`IDENTITY after ${after}: row ${row.id} is registered with what another mandate was given`)
      }
      if (row.state === 'refused' && isHeld && !decided.has(row.id))
        violate(`REFUSED after ${after}: row ${row.id} is called refused and is registered`)
      for (const { requestId, outcome } of ofRow)
        if (outcome === 'refused' && service.saidExisting.has(requestId))
          violate(
            `REFUSED after ${after}: row ${row.id} was called refused when the service said it is there`,
          )
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

  const meantBy = ({ customerNo, signedDate, original }: StoredRow): TrueMandate | undefined =>
    mandateMeant(mandates, customerNo ?? 0, signedDate ?? '', original ?? '')

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
    mark: (ledger: string) => Math.max(0, ...readLedger(ledger).decisions.map(({ id }) => id)),
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
          violate(
            `DECISION after ${after}: row ${other.rowId} is called ${other.decision}, which nobody said of it`,
          )
      for (const one of meant)
        if (isTaken && !recorded.some((other) => isSame(one, other)) && !isClosed(one))
          violate(
            `DROPPED after ${after}: ${describe(one.mandate)} was called ${one.decision}, without effect`,
          )
    },
    /** Every one of these must have a row in a ledger whose campaign is called done. */
    expectRows: (after: string, ledger: string, expected: readonly TrueMandate[]): void => {
      const { rows } = readLedger(ledger)
      for (const mandate of expected)
        if (!rows.some((row) => row.customerNo === mandate.customerNo || meantBy(row) === mandate))
          violate(`LOST after ${after}: ${describe(mandate)} has no row, and the campaign is called done`)
    },
    isInDoubt: (ledger: string, mandate: TrueMandate): boolean =>
      readLedger(ledger).rows.some(
        (row) => ['sending', 'in_doubt'].includes(row.state) && meantBy(row) === mandate,
      ),
    /** Somebody let it go, and it has not left yet. */
    isReady: (ledger: string, mandate: TrueMandate): boolean =>
      readLedger(ledger).rows.some((row) => row.state === 'ready' && meantBy(row) === mandate),
    /** A row of it is registered. */
    isRegistered: (ledger: string, mandate: TrueMandate): boolean =>
      readLedger(ledger).rows.some((row) => row.state === 'registered' && meantBy(row) === mandate),
    mandateOf: (ledger: string, rowId: number): TrueMandate | undefined => {
      const row = readLedger(ledger).rows.find(({ id }) => id === rowId)
      return row === undefined ? undefined : meantBy(row)
    },
  }
}

interface StoredLedger {
  readonly rows: readonly StoredRow[]
  readonly requests: readonly StoredRequest[]
  readonly decisions: readonly StoredDecision[]
  /** Rows that took the place of one with another account, reference or date, which was not held as a neighbour's. */
  readonly corrected: readonly number[]
}

/** Beside the program, and only what was committed. */
function readLedger(file: string): StoredLedger {
  if (!existsSync(file)) return { rows: [], requests: [], decisions: [], corrected: [] }
  const connection = openDatabase(file, { readonly: true })
  const all = <Row>(sql: string): Row[] => connection.prepare<[], Row>(sql).all()
  try {
    return {
      rows: all(
        `select id, state, customer_no as customerNo, signed_date as signedDate,
           assigned_mandate_reference as reference, original_mandate_reference as original from row`,
      ),
      requests: all('select row_id as rowId, request_id as requestId, outcome from attempt'),
      decisions: all('select id, row_id as rowId, decision from decision'),
      corrected: all<{ id: number }>(
        `select distinct row.id from row join row as older on older.superseded_by = row.id
          where coalesce(older.rule, '') not in ('CORRECTION_TAKES_ACCOUNT', 'CORRECTION_TAKES_CUSTOMER', 'CORRECTION_TAKES_DATE', 'CORRECTION_TAKES_REFERENCE')
            and row.corrects > 0 and row.counted_in is not null and row.state <> 'duplicate' and older.id = row.corrects and (
            older.iban_key <> row.iban_key or older.signed_date <> row.signed_date
            or older.original_mandate_reference <> row.original_mandate_reference)`,
      ).map(({ id }) => id),
    }
  } finally {
    connection.close()
  }
}
