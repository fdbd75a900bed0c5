import { BEGUN_OTHERWISE } from '../ledger/deliver/campaign-rows.js'
import { absencesAlong } from '../ledger/read/read-proofs.js'
import { OF_ANOTHER_LEDGER } from '../ledger/deliver/ready-rows.js'
import { rowsById } from '../ledger/file/connection.js'
import { isSameName } from '../domain/row/correction.js'
import { cleanIban, isScientific, upperCase } from '../domain/text/text.js'
import { maskAccounts, maskIban } from '../domain/text/accounts.js'
import { evidenceOf, type VerdictKind } from '../domain/proof/match-sources.js'
import type { Resolution, ShownRow } from '../ledger/ledger.js'
import type { LedgerReader } from '../ledger/read/open-reader.js'
import type { RowRecord } from '../ledger/read/reader.js'
import type { SourceInput } from '../source/bytes/input.js'
import { openList } from '../source/list.js'
import { compareWith, LIST_NAMES, readListed, type Comparison, type ListEntry } from './read-decisions.js'
import { absenceText, SHOWS, USUAL_ABSENT_AFTER_MS } from '../domain/proof/read-back.js'

export interface Difference {
  /**
   * `missing_there`: registered here, not in the list. `unknown_here`: in the list, and no row here explains it. `differs`: in
   * the list with other values, or as a mandate that this ledger does not call registered. `still_in_doubt`: a row in doubt
   * that the list neither proves nor rules out.
   */
  readonly kind: 'missing_there' | 'unknown_here' | 'differs' | 'still_in_doubt'
  readonly row: number | null
  readonly line: number | null
  readonly detail: string | null
  /** For people. */
  readonly text: string
}

/**
 * Compares the ledger with a list from the service, in any shape that a source may have. Reads the list once; memory
 * grows with it.
 *
 * Rows in every state compete for such an entry. It proves a row in doubt only where nothing else in the ledger could
 * be meant by it, and nothing else in the list could mean the row; whatever is left open is told and never guessed.
 * @throws {SourceError} for a list that cannot be read
 * @throws {UsageError} for a list without customer numbers or assigned references
 */
export async function reconcile(reader: LedgerReader, list: SourceInput, by: string, signal: AbortSignal) {
  const table = await openList(list, LIST_NAMES)
  const differences: Difference[] = []
  const tell = (
    kind: Difference['kind'],
    text: string,
    { row, entry, detail = null }: { row?: RowRecord; entry?: ListEntry; detail?: string | null },
  ): void => void differences.push({ kind, row: row?.id ?? null, line: entry?.line ?? null, detail, text })
  const tellDiffers = (entry: ListEntry, row: RowRecord, detail: string): void =>
    tell('differs', `Differs: line ${entry.line} and row ${row.id}: ${detail}`, { row, entry, detail })
  /** What the list shows of registered rows under their own references, and what could be them once more. */
  const [seen, again] = [new Map<number, Sight[]>(), new Map<number, Sight[]>()]
  const saidDone = reader.saidDone()
  /** By customer, and word by word, so that a line given twice counts once. */
  const loose = new Map<number, Map<string, Loose>>()
  let listed = 0
  let matched = 0
  /** A list of this program says nothing of what the service holds. */
  let isOurs = false
  // Of a list of millions nearly every line is one: what evidence needs, and nothing else.
  function sightOf(row: RowRecord, entry: ListEntry): Sight {
    const { line, mandateReference, account, signedDate, isEnded } = entry
    const { differing, isAlike, isWhole } = compareWith(reader, row, entry)
    return { entry: { line, mandateReference, account, signedDate, isEnded }, differing, isAlike, isWhole }
  }
  function note(sights: Map<number, Sight[]>, row: RowRecord, entry: ListEntry): Sight {
    const sight = sightOf(row, entry)
    sights.set(row.id, [...(sights.get(row.id) ?? []), sight])
    return sight
  }
  for await (const row of table.rows(signal)) {
    listed += 1
    const entry = readListed(row, table.name)
    const owner = reader.rowOfReference(entry.mandateReference)
    isOurs ||= row.cell('latest_first_debit', 'migration_row') !== null
    if (owner !== null) {
      const { differing } = note(seen, owner, entry)
      const said = saidDone.get(owner.id)
      const isSame = differing.length === 0
      const isDone = entry.isEnded
        ? said !== undefined
        : isSame
          ? said?.isToDiffer !== 1
          : said?.isEnded === 0
      if (isDone) matched += 1
      else
        tellDiffers(
          entry,
          owner,
          !isSame
            ? `${differing.join(', ')} differ`
            : entry.isEnded
              ? 'the list shows it as cancelled'
              : undoneText(said?.isEnded === 1),
        )
      if (isSame) continue
    }
    const ofCustomer = loose.get(entry.customerNo) ?? new Map<string, Loose>()
    const words = JSON.stringify({ ...entry, line: 0 })
    if (!ofCustomer.has(words)) loose.set(entry.customerNo, ofCustomer.set(words, { entry, owner }))
  }

  /** Somebody had it changed at the service, which may have given it another reference. */
  const isRegisteredAnew = ({ id }: RowRecord): boolean =>
    saidDone.get(id)?.isEnded === 0 && !(seen.get(id) ?? []).some(isAlive)

  /** It is not in the list, as somebody said. */
  function isGoneAsSaid(row: RowRecord): boolean {
    const said = saidDone.get(row.id)
    return (
      said !== undefined && (said.isEnded === 1 || said.isMoved === 1 || customers.has(row.customerNo ?? 0))
    )
  }

  /** Entries of which no row of their customer is told, by their original reference and by what a masked account shows. */
  const strangers = new Map<string, ListEntry[]>()
  function noteStranger(entry: ListEntry): void {
    const { originalMandateReference, account } = entry
    const masked = account === null ? null : maskIban(cleanIban(account))
    for (const name of new Set([upperCase(originalMandateReference ?? ''), masked ?? '']))
      if (name !== '') strangers.set(name, [...(strangers.get(name) ?? []), entry])
  }

  /** Where the list shows the whole account or the original reference of a row for another customer. */
  function ofAnother(row: RowRecord): string | null {
    const names = [upperCase(row.originalMandateReference ?? ''), row.ibanMasked ?? '']
    const found = names
      .flatMap((name) => strangers.get(name) ?? [])
      .find((entry) => entry.customerNo !== row.customerNo && compareWith(reader, row, entry).isSpecific)
    return found === undefined
      ? null
      : `the list shows its account or its original reference for customer ${found.customerNo}, in line ${found.line}: look at that first`
  }

  /** Which rows could be meant by what the list shows of a customer; what concerns no row in doubt is told here. */
  function explain(customerNo: number, entries: Iterable<Loose>): Explained[] {
    const rows = reader.rowsOfCustomer(customerNo)
    return [...entries].flatMap(({ entry, owner }) => {
      const comparisons = new Map(rows.map((row) => [row.id, compareWith(reader, row, entry)]))
      const fits = ({ id }: RowRecord): boolean => comparisons.get(id)?.differing.length === 0
      const rivals = mandatesOf(rows)
        .filter((mandate) => !isAccountedFor(reader, mandate, seen))
        .flatMap((mandate) => mandate.filter(fits).sort(byWeight).slice(0, 1))
      const [rival] = rivals
      const isSaved = rivals.length === 1 && rival?.state === 'registered' && isReferenceOf(rival, entry)
      if (owner === null && isSaved && !seen.has(rival.id)) {
        note(seen, rival, entry)
        matched += 1
        return []
      }
      const explained = [{ entry, owner, comparisons, rivals }]
      if (owner !== null) return explained
      const isAgain = !entry.isEnded && rivals.every(({ state }) => state === 'registered')
      const [twin, ...twins] = isAgain
        ? rows.filter(
            (row) => row.state === 'registered' && fits(row) && comparisons.get(row.id)?.isSpecific === true,
          )
        : []
      if (rival === undefined && rows.some(isRegisteredAnew)) matched += 1
      else if (twin !== undefined) {
        for (const row of [twin, ...twins]) note(again, row, entry)
        tellDiffers(entry, twin, whatLedgerSays(twin))
      } else if (rival === undefined) {
        noteStranger(entry)
        tell(
          'unknown_here',
          `Unknown here: line ${entry.line}, customer ${entry.customerNo}, reference ${entry.mandateReference}`,
          { entry },
        )
      } else if (rivals.length === 1 && (isUnsent(rival) || isClosedDoubt(reader, rival)))
        shown.set(rival.id, { row: rival, entry })
      else if (!rivals.some(({ state }) => state === 'in_doubt'))
        tellDiffers(entry, rival, whatLedgerSays(rival))
      return explained
    })
  }

  /** Rows that a run may send, or that were written off in doubt, and that the list shows. */
  const shown = new Map<number, { row: RowRecord; entry: ListEntry }>()
  const customers = new Map(Array.from(loose, ([no, entries]) => [no, explain(no, entries.values())]))
  /** Else it may be of another environment: it counts only for what stands there under the reference of a row here. */
  const isVouched = [...seen.values()].some((sights) => sights.some(isSame))
  const isElsewhere = !isVouched && reader.totals().registered > 0
  function shownRow(row: RowRecord, shown: Shown | null): ShownRow[] {
    if (shown === null || isOurs || row.customerNo === null) return []
    const { id: rowId, customerNo, attempts } = row
    return [{ rowId, customerNo, attempts, evidence: keptOf(row, shown) }]
  }
  /** Of rows that are not registered. */
  const kept: ShownRow[] = []
  /** As `matchSources` judges; null where the list shows too little for that. */
  function judgeRegistered(row: RowRecord): Shown | null {
    const own = seen.get(row.id) ?? []
    const more = isVouched ? (again.get(row.id) ?? []) : []
    const same = own.filter(isSame)
    const live = same.filter(isAlive)
    if (own.some((sight) => isAlive(sight) && !isSame(sight))) return shownAs('other', own, 'differs')
    if (live.length > 0 && more.length > 0) return shownAs('twice', [...live, ...more])
    if (live.length > 0) return live.some(({ isAlike }) => isAlike) ? shownAs('proven', live) : null
    if (same.length > 0) return shownAs('other', [...same, ...more], 'ended')
    if (own.length === 0 && !isVouched) return null
    const ofCustomer = (customers.get(row.customerNo ?? 0) ?? []).map(({ entry }) => sightOf(row, entry))
    const others = [...new Map([...own, ...ofCustomer].map((sight) => [sight.entry.line, sight])).values()]
    return others.length > 0 ? shownAs('other', others, 'differs') : shownAs('absent', [])
  }
  for (const row of rowsOf(reader, 'registered'))
    if (!seen.has(row.id) && !isGoneAsSaid(row))
      tell(
        'missing_there',
        `Missing there: row ${row.id}, customer ${row.customerNo ?? '?'}, reference ${row.assignedMandateReference ?? '?'}`,
        { row },
      )
  /** One by one: there may be millions. */
  function* keptRows(): Generator<ShownRow> {
    for (const row of rowsOf(reader, 'registered')) yield* shownRow(row, judgeRegistered(row))
    yield* kept
  }
  // For each row in doubt, or to be sent, that exactly one entry of the list proves, and that entry proves no other row.
  const proposals: Resolution[] = []
  const name = maskAccounts(table.name)
  const evidence = `${name} (SHA-256 ${table.sha256()})`
  /** Why it is not proposed; null where it is. */
  function propose(row: RowRecord): string | null {
    const { why, entry, shown } = judgeDoubt(row, customers.get(row.customerNo ?? 0) ?? [])
    const isNew = !mayHaveLeft(reader, row)
    const isHeld = row.state === 'in_doubt' || (!isOurs && (isVouched || !isNew))
    if (isHeld && !isElsewhere) kept.push(...shownRow(row, shown))
    if (why !== null || entry === undefined) return why
    const { line, creditorIdentifier, mandateReference } = entry
    if (isElsewhere) return `the list shows it in line ${line}, but no registered row as it is here`
    // What this program never sent has to be made by somebody else.
    if (!isHeld || (isNew && !(isVouched && shown?.sights.every(({ isWhole }) => isWhole))))
      return `the list shows it in line ${line}, but it was never sent: only its original reference with its whole account, beside a registered row as it is here, proves it`
    proposals.push({
      by,
      evidence,
      rowId: row.id,
      decision: 'registered',
      reason: `The list from the service shows it in line ${line}`,
      assigned: { creditorIdentifier, mandateReference },
      // What was to be sent is in doubt once it is kept that the list shows it.
      attempt: row.attempts + Number(isUnsent(row)),
    })
    return null
  }
  for (const { row, entry } of shown.values())
    if (propose(row) !== null) {
      const isDoubted = isUnsent(row) && kept.at(-1)?.rowId === row.id
      tellDiffers(entry, row, whatLedgerSays(row, isElsewhere ? '' : isDoubted ? HELD : undefined))
    }
  for (const row of rowsOf(reader, 'in_doubt')) {
    const why = propose(row)
    const detail = why === null ? null : (ofAnother(row) ?? why)
    if (detail !== null) tell('still_in_doubt', `Still in doubt: row ${row.id}: ${detail}`, { row, detail })
  }
  const rows: Iterable<ShownRow> = { [Symbol.iterator]: keptRows }
  return { listed, matched, differences, proposals, isElsewhere, kept: { name, evidence, rows } }
}

/** What the list shows of a row, with how that stands to it. */
type Sight = Pick<Comparison, 'differing' | 'isAlike' | 'isWhole'> & {
  readonly entry: Pick<ListEntry, 'line' | 'mandateReference' | 'account' | 'signedDate' | 'isEnded'>
}
const isSame = ({ differing }: Pick<Sight, 'differing'>): boolean => differing.length === 0
const isAlive = ({ entry }: Sight): boolean => !entry.isEnded

type Shown = ReturnType<typeof shownAs>
const shownAs = (verdict: VerdictKind, sights: readonly Sight[], why: string | null = null) => ({
  ...{ verdict, why, sights },
})

/** A list has no ids: a person finds its mandates by their references. */
function keptOf({ ibanMasked, signedDate }: RowRecord, { sights, ...judged }: Shown): ShownRow['evidence'] {
  const sources = sights.map(({ entry, differing }) => ({
    ...{ id: entry.mandateReference, reference: entry.mandateReference, scheme: null, iban: entry.account },
    status: entry.isEnded ? 'CANCELLED' : null,
    signedAt: entry.signedDate === null || differing.includes('signed_date') ? entry.signedDate : signedDate,
  }))
  const evidence = evidenceOf({ ...judged, sources })
  // However the list writes it.
  const isOfRow = (at: number): boolean =>
    sights[at]?.entry.account != null && !sights[at].differing.includes('iban')
  return {
    ...evidence,
    sources: evidence.sources.map((source, at) =>
      isOfRow(at) ? { ...source, accountMasked: ibanMasked } : source,
    ),
  }
}

const rowsOf = (reader: LedgerReader, state: 'registered' | 'in_doubt' | 'written_off') =>
  rowsById((after, limit) => reader.rows([state], after, limit))

const isUnsent = ({ state }: RowRecord): boolean => state === 'ready' || state === 'refused'

const isClosedDoubt = (reader: LedgerReader, { id, state }: RowRecord): boolean =>
  state === 'written_off' && reader.attempts(id).at(-1)?.outcome === 'in_doubt'

/** An entry that no registered row explains by its reference and its values. */
interface Loose {
  readonly entry: ListEntry
  /** The registered row that has its reference, with other values. */
  readonly owner: RowRecord | null
}

/** A loose entry with the mandates of its customer that it could be, each by one of its rows. */
interface Explained extends Loose {
  readonly comparisons: ReadonlyMap<number, Comparison>
  readonly rivals: readonly RowRecord[]
}

const isReferenceOf = ({ assignedMandateReference }: RowRecord, { mandateReference }: ListEntry): boolean =>
  assignedMandateReference !== null && isSameName(assignedMandateReference, mandateReference)

/**
 * The rows of each mandate; a row whose mandate cannot be told stands alone. A duplicate is no mandate of its own, nor
 * is a row that was replaced before it was ever sent.
 */
function mandatesOf(rows: readonly RowRecord[]): RowRecord[][] {
  const mandates = new Map<string, RowRecord[]>()
  for (const row of rows) {
    if (row.state === 'duplicate' || (row.state === 'superseded' && row.attempts === 0)) continue
    const key = row.mandateKey ?? `row ${row.id}`
    mandates.set(key, [...(mandates.get(key) ?? []), row])
  }
  return [...mandates.values()]
}

/** The last weighs most; any other state nothing. */
const WEIGHT: readonly string[] = ['ready', 'written_off', 'refused', 'registered', 'sending', 'in_doubt']
const byWeight = (a: RowRecord, b: RowRecord): number => WEIGHT.indexOf(b.state) - WEIGHT.indexOf(a.state)

/** The list shows the mandate under its own reference, and it went out once: no other entry can be it. */
function isAccountedFor(
  reader: LedgerReader,
  mandate: readonly RowRecord[],
  seen: ReadonlyMap<number, unknown>,
): boolean {
  if (!mandate.some(({ id, state }) => state === 'registered' && seen.has(id))) return false
  return !mandate.some((row) => mayHaveLeft(reader, row))
}

/** A request of it was in doubt, whatever came of that; one that ended as it began left nothing. */
const mayHaveLeft = (reader: LedgerReader, { id }: RowRecord): boolean =>
  reader
    .attempts(id)
    .some(({ outcome, started }) => (outcome === 'released' || outcome === 'in_doubt') && started !== false)

const undoneText = (isEnded: boolean): string =>
  isEnded
    ? 'somebody said that it was cancelled at the service, and the list shows it'
    : 'somebody said that it was changed at the service, and the list shows it as it was sent'

const HELD = ', and in doubt from now on: decide about it before it may be sent'

function whatLedgerSays(row: RowRecord, then?: string): string {
  const { id, state, assignedMandateReference } = row
  if (state === 'registered')
    return `the ledger has it registered as ${assignedMandateReference ?? '?'}: this may be a second registration`
  const remedy = `: before a run sends it once more, write it off (sepa-migrate resolve --row ${id} --as written-off --reason "…")`
  return `the ledger calls the row ${state.replace('_', ' ')}${then ?? (isUnsent(row) ? remedy : '')}`
}

const linesOf = (entries: readonly Explained[]): string =>
  `${entries.length === 1 ? 'line' : 'lines'} ${entries.map(({ entry }) => entry.line).join(', ')}`

/** The entry that may prove it, or why it stays open; and what of it is kept, where more than the customer agrees. */
function judgeDoubt(row: RowRecord, entries: readonly Explained[]) {
  const sights = entries.flatMap((each): (Comparison & Explained)[] => {
    const comparison = each.comparisons.get(row.id)
    return comparison === undefined ? [] : [{ ...each, ...comparison }]
  })
  const fitting = sights.filter(isSame)
  const candidates = fitting.filter(isAlive)
  const isAbout = fitting.some(({ isSpecific, isAlike }) => isSpecific || isAlike)
  const [only] = candidates
  /** Its account or reference with other values: somebody at the service may have keyed it otherwise. */
  const near = sights.filter((sight) => isAlive(sight) && sight.isSpecific && sight.owner === null)
  const shown = !isAbout ? [] : candidates.length > 0 ? candidates : fitting
  const judged = (why: string | null, verdict: VerdictKind, because: string | null = null, by = shown) => ({
    ...{ why, entry: only?.entry },
    shown: by.length > 0 ? shownAs(verdict, by, because) : null,
  })
  if (fitting.length === 0 && near.length > 0)
    return judged(absentBecause(row, near), 'other', 'ambiguous', near)
  if (only === undefined)
    return fitting.length > 0
      ? judged(`the list shows it as cancelled, in ${linesOf(fitting)}`, 'other', 'ended')
      : judged(absentBecause(row, sights), 'absent')
  if (candidates.length > 1)
    return judged(
      `the list shows ${candidates.length} mandates that could be it, in ${linesOf(candidates)}: it may be registered twice`,
      'twice',
    )
  const why = unprovenBecause(row, only)
  return why === null ? judged(null, 'proven') : judged(why, 'other', 'ambiguous')
}

function absentBecause(row: RowRecord, sights: readonly (Comparison & Explained)[]): string {
  const [near] = sights
  if (near !== undefined)
    return `the list shows this customer with other values in ${linesOf(sights)} (${near.differing.join(', ')} differ): look at that first`
  return row.lastAttempt?.reason?.endsWith(BEGUN_OTHERWISE) === true
    ? `the list does not show it for this customer${BEGUN_OTHERWISE}: look for that one`
    : 'the list does not show it; if the list is complete and newer than the attempt, it was not registered'
}

/** Why the one entry that could be it does not prove it. */
function unprovenBecause(
  row: RowRecord,
  { entry, owner, rivals, isSpecific }: Comparison & Explained,
): string | null {
  const rival = rivals.find(({ id }) => id !== row.id)
  if (owner !== null)
    return `the list shows it in line ${entry.line}, with the assigned reference that row ${owner.id} has here`
  if (rival !== undefined)
    return `the list shows it in line ${entry.line}, but that could also be row ${rival.id}, which is ${rival.state.replace('_', ' ')}`
  if (!isSpecific)
    return 'the list shows a mandate of this customer, but neither its whole account nor its original reference'
  if (entry.creditorIdentifier === '') return 'the list shows it without an assigned creditor identifier'
  return isScientific(entry.mandateReference)
    ? `the list shows it in line ${entry.line}, but a spreadsheet has rounded the assigned reference`
    : null
}

/**
 * A row in doubt, or written off in doubt, that the service was shown to hold, once and no more, is registered; nothing else follows from what was
 * read back. The list does not say which creditor identifier a mandate has: it is that of the rows that the service
 * answered, where all of them have the same.
 * @param given the one that a person says the service assigned, where no registered row shows another
 */
export function decideFromReadBack(
  reader: LedgerReader,
  decider: Pick<Resolution, 'by' | 'reason'>,
  absentAfterMs = USUAL_ABSENT_AFTER_MS,
  given: string | null = null,
) {
  const absenceOf = absencesAlong(reader, absentAfterMs)
  const creditors = [...new Set([...reader.assignedCreditors(), ...(given === null ? [] : [given])])]
  const [creditor = null] = creditors.length === 1 ? creditors : []
  const noCreditor =
    creditors.length === 0
      ? 'no row of this campaign is registered, so that nobody knows the creditor identifier'
      : 'the registered rows of this campaign have different creditor identifiers'
  const whose = given === null ? 'as of all registered rows' : 'as this person gave it'
  const resolutions: Resolution[] = []
  // Rows in doubt that stay so, although they were read back.
  const leftOpen: { readonly rowId: number; readonly why: string }[] = []
  let notAsked = 0 // since their last request
  for (const row of rowsAsked(reader)) {
    const proof = reader.proofsOfRow(row.id).at(-1)
    const isClosed = row.state === 'written_off'
    if (isClosed && (proof?.verdict !== 'proven' || !isClosedDoubt(reader, row))) continue
    if (proof?.attempts !== row.attempts) {
      notAsked += 1
      continue
    }
    const [source] = proof.sources
    const reference = source?.reference ?? null
    const absence = isClosed ? null : absenceOf(row.id)
    const told = absence === null || absence.kind === 'something' ? '' : absenceText(absence)
    const proposed = absence?.kind === 'resend' ? '; to-do/in-doubt.csv proposes resend' : ''
    const why = proof.verdict === 'proven' ? null : told + proposed || SHOWS[proof.verdict]
    const other = why === null ? isOfOther(reader, row, reference) : null
    if (why !== null || other !== null || reference === null)
      leftOpen.push({ rowId: row.id, why: why ?? other ?? NO_REFERENCE })
    else if (creditor === null)
      leftOpen.push({ rowId: row.id, why: `the service holds it as "${reference}", but ${noCreditor}` })
    else
      resolutions.push({
        ...decider,
        rowId: row.id,
        decision: 'registered',
        assigned: { creditorIdentifier: creditor, mandateReference: reference },
        evidence: `read back at ${proof.answeredAt} (read-back ${proof.readBackId}, question ${proof.requestId}): payment source ${source?.id ?? 'without an id'}; creditor identifier ${whose}`,
        attempt: proof.attempts,
      })
  }
  return { resolutions, leftOpen, notAsked }
}

/** Why what the service shows may be another mandate; null where nothing says so. */
function isOfOther(reader: LedgerReader, { id }: RowRecord, reference: string | null): string | null {
  const owner = reference === null ? null : reader.rowOfReference(reference)
  if (owner !== null)
    return `the service holds it as "${reference ?? ''}", which row ${owner.id} has here: ask about that row (sepa-migrate verify), and give it its own first`
  return reader.problemsOfRow(id).some(({ message }) => message.includes(OF_ANOTHER_LEDGER))
    ? 'another ledger claimed a mandate that may be the one which the service shows'
    : null
}

/** Rows in doubt, then those that were written off. */
function* rowsAsked(reader: LedgerReader): Generator<RowRecord> {
  for (const state of ['in_doubt', 'written_off'] as const) yield* rowsOf(reader, state)
}

const NO_REFERENCE = 'the service holds it, and the list does not show its reference'
