import { absenceText, USUAL_ABSENT_AFTER_MS, type Absence } from '../domain/proof/absence.js'
import type { Resolution } from '../ledger/ledger.js'
import type { LedgerReader, ProofRecord, RowRecord } from '../ledger/read/reader.js'
import { absencesAlong } from '../ledger/read/read-proofs.js'
import { pagesOf } from '../ledger/file/connection.js'

const PAGE = 500

/** Why a row in doubt stays so, although it was read back. */
interface LeftOpen {
  readonly rowId: number
  readonly why: string
}

export interface ReadBackDecisions {
  readonly resolutions: readonly Resolution[]
  readonly leftOpen: readonly LeftOpen[]
  /** Rows in doubt that nobody asked about since their last request. */
  readonly notAsked: number
}

interface Decider {
  readonly by: string
  readonly reason: string
}

/**
 * A row in doubt that the service was shown to hold, once and no more, is registered; nothing else follows from what was
 * read back. The list does not say which creditor identifier a mandate has: it is that of the rows that the service
 * answered, where all of them have the same.
 * @param given the one that a person says the service assigned, where no registered row shows another
 */
export function decideFromReadBack(
  reader: LedgerReader,
  decider: Decider,
  absentAfterMs = USUAL_ABSENT_AFTER_MS,
  given: string | null = null,
): ReadBackDecisions {
  const absenceOf = absencesAlong(reader, absentAfterMs)
  const creditors = [...new Set([...reader.assignedCreditors(), ...(given === null ? [] : [given])])]
  const [creditor = null] = creditors.length === 1 ? creditors : []
  const whose = given === null ? OF_REGISTERED : OF_PERSON
  const resolutions: Resolution[] = []
  const leftOpen: LeftOpen[] = []
  let notAsked = 0
  for (const { row, proof } of rowsInDoubt(reader)) {
    if (proof?.attempts !== row.attempts) {
      notAsked += 1
      continue
    }
    const [source] = proof.sources
    const reference = source?.reference ?? null
    const why =
      absentBecause(absenceOf(row.id)) ?? openBecause(proof) ?? (reference === null ? NO_REFERENCE : null)
    if (why !== null || reference === null) leftOpen.push({ rowId: row.id, why: why ?? NO_REFERENCE })
    else if (creditor === null)
      leftOpen.push({ rowId: row.id, why: withoutCreditor(reference, creditors.length) })
    else
      resolutions.push({
        ...decider,
        rowId: row.id,
        decision: 'registered',
        assigned: { creditorIdentifier: creditor, mandateReference: reference },
        evidence: evidenceOf(proof, whose),
        attempt: proof.attempts,
      })
  }
  return { resolutions, leftOpen, notAsked }
}

function* rowsInDoubt(reader: LedgerReader): Generator<{ row: RowRecord; proof: ProofRecord | undefined }> {
  for (const rows of pagesOf(
    (after) => reader.rows(['in_doubt'], after, PAGE),
    ({ id }) => id,
  )) {
    const before = (rows[0]?.id ?? 1) - 1
    const proofs = reader.proofs('in_doubt', before, rows.length)
    const latest = new Map(proofs.map((proof) => [proof.rowId, proof]))
    for (const row of rows) yield { row, proof: latest.get(row.id) }
  }
}

const NO_REFERENCE = 'the service holds it, and the list does not show its reference'

function withoutCreditor(reference: string, different: number): string {
  const why =
    different === 0
      ? 'no row of this campaign is registered, so that nobody knows the creditor identifier'
      : 'the registered rows of this campaign have different creditor identifiers'
  return `the service holds it as "${reference}", but ${why}`
}

const OTHER: Readonly<Record<string, string>> = {
  differs: 'the customer has payment sources, and none of them is this mandate',
  ended: 'what agrees with it was cancelled',
  other_date: 'the service shows a mandate with its account and another date',
  ambiguous: 'another row has the same account and date, and nothing tells them apart',
}

/** Null for what was not absent of late. */
function absentBecause(absence: Absence | null): string | null {
  switch (absence?.kind) {
    case 'too_early':
    case 'asked_once':
    case 'not_an_hour_apart':
    case 'shown_before':
    case 'nothing_present':
      return absenceText(absence)
    case 'resend':
      return `${absenceText(absence)}; to-do/in-doubt.csv proposes resend`
    default:
      return null
  }
}

/** Null for what is proven. */
function openBecause({ verdict, why, sources }: ProofRecord): string | null {
  switch (verdict) {
    case 'proven':
      return null
    case 'twice':
      return `the service holds it more than once: ${sources.map(({ id }) => id ?? 'without an id').join(', ')}`
    case 'absent':
      return 'the service showed no payment source of the customer, which proves nothing by itself'
    case 'other':
      return OTHER[why ?? ''] ?? 'none of the payment sources is certainly this mandate'
    case 'unreadable':
      return `no list could be read: ${why ?? 'unknown'}`
  }
}

const OF_REGISTERED = 'as of all registered rows'
const OF_PERSON = 'as this person gave it'

const evidenceOf = (
  { answeredAt, requestId, readBackId, sources: [source] }: ProofRecord,
  whose: string,
): string =>
  `read back at ${answeredAt} (read-back ${readBackId}, question ${requestId}): payment source ${source?.id ?? 'without an id'}; creditor identifier ${whose}`
