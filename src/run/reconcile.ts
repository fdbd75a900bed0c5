import { cleanIban } from '../domain/text.js'
import { maskIban } from '../domain/masking.js'
import { UsageError } from '../errors.js'
import type { Resolution } from '../ledger/ledger.js'
import type { LedgerReader, RowRecord } from '../ledger/reader.js'
import type { SourceInput } from '../source/input.js'
import { DEFAULT_SOURCE_OPTIONS } from '../source/options.js'
import { openTable, type TableRow } from '../source/table.js'

/** One mandate as the service's list shows it; null for a column that the list does not have. */
interface Listed {
  readonly line: number
  readonly customerNo: number
  readonly ibanMasked: string | null
  readonly signedDate: string | null
  readonly creditorIdentifier: string
  readonly mandateReference: string
  readonly originalMandateReference: string | null
}

export type Difference =
  /** Registered here, not in the list. */
  | { readonly kind: 'missing_there'; readonly row: RowRecord }
  /** In the list, and no row here explains it. */
  | { readonly kind: 'unknown_here'; readonly listed: Listed }
  /** In the list with other values, or as a mandate that this ledger does not call registered. */
  | { readonly kind: 'differs'; readonly listed: Listed; readonly row: RowRecord; readonly detail: string }
  /** A row in doubt that the list neither proves nor rules out. */
  | { readonly kind: 'still_in_doubt'; readonly row: RowRecord; readonly detail: string }

export interface Reconciliation {
  readonly listed: number
  readonly matched: number
  readonly differences: readonly Difference[]
  /** For each row in doubt that exactly one entry of the list proves. */
  readonly proposals: readonly Resolution[]
}

const NAMES = {
  customerNo: ['customer_no'],
  iban: ['iban', 'iban_masked'],
  signedDate: ['signed_date'],
  creditorIdentifier: ['assigned_creditor_identifier', 'sepa_creditor_identifier'],
  mandateReference: ['assigned_mandate_reference', 'unique_mandate_reference'],
  originalReference: ['original_mandate_reference', 'amendment.unique_mandate_reference'],
} as const

const PAGE = 1_000

/**
 * Compares the ledger with a list from the service, in any shape that a source may have (product.md 2). Reads the
 * list once; memory grows with the differences only.
 * @throws {SourceError} for a list that cannot be read
 * @throws {UsageError} for a list without customer numbers or assigned references
 */
export async function reconcile(
  reader: LedgerReader,
  list: SourceInput,
  by: string,
  signal: AbortSignal,
): Promise<Reconciliation> {
  const table = await openTable(list, DEFAULT_SOURCE_OPTIONS.limits, Object.values(NAMES).flat())
  const differences: Difference[] = []
  const seen = new Set<number>()
  const claims = new Map<number, Listed[]>()
  let listedCount = 0
  let matched = 0
  for await (const tableRow of table.rows(signal)) {
    const listed = readListed(tableRow, table.name)
    const found = match(reader, listed)
    listedCount += 1
    if (found.kind === 'in_doubt') claims.set(found.row.id, [...(claims.get(found.row.id) ?? []), listed])
    else if (found.kind === 'registered') matched += 1
    else differences.push(found)
    if (found.kind !== 'unknown_here') seen.add(found.row.id)
  }
  for (const row of rowsOf(reader, 'registered'))
    if (!seen.has(row.id)) differences.push({ kind: 'missing_there', row })
  const proposals: Resolution[] = []
  const decided = { by, evidence: `${table.name} (SHA-256 ${table.sha256()})` }
  for (const row of rowsOf(reader, 'in_doubt')) {
    const judged = judgeDoubt(row, claims.get(row.id) ?? [], decided)
    if (judged.kind === 'proven') proposals.push(judged.proposal)
    else differences.push(judged)
  }
  return { listed: listedCount, matched, differences, proposals }
}

function* rowsOf(reader: LedgerReader, state: 'registered' | 'in_doubt'): Generator<RowRecord> {
  for (let after = 0; ;) {
    const page = reader.rows([state], after, PAGE)
    yield* page
    const last = page.at(-1)
    if (last === undefined) return
    after = last.id
  }
}

function readListed(row: TableRow, name: string): Listed {
  const customerNo = row.cell(...NAMES.customerNo) ?? ''
  const mandateReference = row.cell(...NAMES.mandateReference) ?? ''
  if (!/^[1-9]\d{0,15}$/.test(customerNo) || mandateReference === '')
    throw new UsageError(
      `Line ${row.line} of "${name}" has no customer_no or no assigned mandate reference`,
      'Export the list with customer_no, sepa_creditor_identifier and unique_mandate_reference; nothing was recorded',
    )
  const iban = row.cell(...NAMES.iban)
  return {
    line: row.line,
    customerNo: Number(customerNo),
    ibanMasked: iban === null ? null : maskIban(cleanIban(iban)),
    signedDate: row.cell(...NAMES.signedDate),
    creditorIdentifier: row.cell(...NAMES.creditorIdentifier) ?? '',
    mandateReference,
    originalMandateReference: row.cell(...NAMES.originalReference),
  }
}

type Match =
  | { readonly kind: 'registered'; readonly row: RowRecord }
  | { readonly kind: 'in_doubt'; readonly row: RowRecord }
  | Extract<Difference, { kind: 'differs' | 'unknown_here' }>

/** By its assigned reference first; a row in doubt has none yet and is found by what was sent. */
function match(reader: LedgerReader, listed: Listed): Match {
  const known = reader.rowOfReference(listed.mandateReference)
  if (known !== null) {
    const detail = differenceOf(known, listed)
    return detail === null
      ? { kind: 'registered', row: known }
      : { kind: 'differs', listed, row: known, detail }
  }
  const same = reader.rowsOfCustomer(listed.customerNo).filter((row) => differenceOf(row, listed) === null)
  const inDoubt = same.filter(({ state }) => state === 'in_doubt')
  const [row] = inDoubt
  if (row !== undefined && inDoubt.length === 1) return { kind: 'in_doubt', row }
  const [other] = same.filter(({ state }) => UNREGISTERED.has(state))
  return other === undefined
    ? { kind: 'unknown_here', listed }
    : { kind: 'differs', listed, row: other, detail: `the ledger calls the row ${other.state}` }
}

/** A mandate of one of these rows must not exist at the service. */
const UNREGISTERED: ReadonlySet<string> = new Set(['ready', 'refused', 'written_off'])

function differenceOf(row: RowRecord, listed: Listed): string | null {
  const pairs: readonly (readonly [name: string, here: unknown, there: unknown])[] = [
    ['customer_no', row.customerNo, listed.customerNo],
    ['iban', row.ibanMasked, listed.ibanMasked],
    ['signed_date', row.signedDate, listed.signedDate],
    ['original reference', row.originalMandateReference, listed.originalMandateReference],
  ]
  const differing = pairs.filter(([, here, there]) => there !== null && here !== there).map(([name]) => name)
  return differing.length === 0 ? null : `${differing.join(', ')} differ`
}

type Judged =
  { readonly kind: 'proven'; readonly proposal: Resolution } | Extract<Difference, { kind: 'still_in_doubt' }>

function judgeDoubt(
  row: RowRecord,
  claims: readonly Listed[],
  decided: { by: string; evidence: string },
): Judged {
  const [listed] = claims
  if (listed === undefined || claims.length > 1 || listed.creditorIdentifier === '' || !isSpecific(listed))
    return { kind: 'still_in_doubt', row, detail: whyUnproven(claims) }
  const { creditorIdentifier, mandateReference } = listed
  return {
    kind: 'proven',
    proposal: {
      ...decided,
      rowId: row.id,
      decision: 'registered',
      reason: `The list from the service shows it in line ${listed.line}`,
      assigned: { creditorIdentifier, mandateReference },
      attempt: row.lastAttempt?.n ?? null,
    },
  }
}

/** A customer may have another mandate at the service, so the customer number alone proves nothing. */
const isSpecific = ({ ibanMasked, originalMandateReference }: Listed): boolean =>
  ibanMasked !== null || originalMandateReference !== null

function whyUnproven(claims: readonly Listed[]): string {
  if (claims.length === 0)
    return 'the list does not show it; if the list is complete and newer than the attempt, it was not registered'
  if (claims.length > 1) return `the list shows it ${claims.length} times: it may be registered twice`
  if (!claims.every(isSpecific))
    return 'the list shows a mandate of this customer, but neither its account nor its original reference'
  return 'the list shows it without an assigned creditor identifier'
}
