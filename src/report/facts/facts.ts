import type { Absence } from '../../domain/proof/read-back.js'
import type { ClosedLines, ComparedLine } from '../../ledger/compare/comparison-reads.js'
import { waitingText, CUT_OVER_CLASSES, type ClassCounts } from '../../domain/row/cut-over.js'
import type {
  CampaignRecord,
  PlanRecord,
  RowRecord,
  RunRecord,
  DecisionRecord,
  ProblemRecord,
  VerifiedRow,
  RegisteredRow,
  SourceRecord,
  RowPage,
} from '../../ledger/read/reader.js'
import { comparedReference, type KeptSource } from '../../domain/proof/match-sources.js'
import { maskedText } from '../../domain/text/accounts.js'
import { isRuleId, RULES } from '../../domain/rule/verdict.js'
import { timeText, pick } from '../../domain/text/text.js'
import { PART_OF_STATE, type ReportPart, type Told } from '../pack/pack-folder.js'
import { basename } from 'node:path'
import { CORRECTED } from '../../domain/row/correction.js'
import {
  ROW_STATES,
  type RowState,
  isBalanced,
  mandateTotalsOf,
  totalsOf,
  type Totals,
  isForced,
  isAsItShouldBe,
  VERIFIED_VERDICTS,
  verificationOf,
} from '../../domain/row/row-state.js'
import type { LedgerReader } from '../../ledger/read/open-reader.js'
import { pagesOf } from '../../ledger/file/connection.js'
import { absencesAlong } from '../../ledger/read/read-proofs.js'

/** A row as a list to decide in names it. */
export interface NamedRow {
  readonly row: RowRecord
  readonly campaign: CampaignRecord
}

export interface OpenRow extends NamedRow {
  readonly explanation: Explanation
  /** Null where the service was not asked about it. */
  readonly absence: Absence | null
}

/** A line of a comparison that nobody has closed. */
export interface CutOverLine extends NamedRow {
  readonly compared: ComparedLine
  /** Ids of payment sources that a read-back showed of it. */
  readonly paymentSources: readonly string[]
}

/** A line that was given back and could not be taken: the row it names stays as it was. */
const isNotTaken = ({ corrects, countedIn, state }: RowRecord): boolean =>
  corrects !== null && countedIn === null && state !== 'duplicate' && state !== 'superseded'

/**
 * Of a row that a page brings whole: those that are registered and count come without their requests. Rows that no total
 * counts are history, but for a correction that was not taken, of which somebody should read.
 */
function partOf(row: RowRecord): Exclude<ReportPart, 'registered'> {
  const part = PART_OF_STATE[row.state]
  if (row.countedIn !== null && part !== 'registered') return part
  return isNotTaken(row) ? 'notSent' : 'closed'
}

export const idsText = (runs: readonly RunRecord[]): string => runs.map(({ id }) => id).join(', ')

/** Mandates on those lines of a comparison. */
export const countedOn = (lines: readonly ClosedLines[], isOne: (line: ClosedLines) => boolean): number =>
  lines.reduce((sum, line) => sum + (isOne(line) ? line.count : 0), 0)

export const hasSent = ({ attempts }: RunRecord): boolean =>
  Object.values(attempts).some((count) => count > 0)

/** The runs that sent something under a plan. */
export const runsUnder = ({ digest }: PlanRecord, runs: readonly RunRecord[]): string =>
  idsText(runs.filter((run) => run.settings.plan === digest && hasSent(run)))

/** Why a row is where it is and what a person should do, for the result files and the lists. */
export interface Explanation {
  readonly rule: string
  /** HTTP status of the last answer, or empty. */
  readonly status: string
  readonly message: string
  readonly remedy: string
  /** Columns of the export, or fields, whose cells are wrong. */
  readonly wrong: readonly string[]
}

/** What the ledger knows of a row besides the row itself. */
interface RowBackground {
  readonly problems: readonly ProblemRecord[]
  /** The latest decision of a person. */
  readonly decision: DecisionRecord | null
  /** What the latest comparison says of its mandate. */
  readonly compared: Parameters<typeof waitingText>[0] | null
}

/** What a state says of a row; what is left out is empty. */
type Stated = Partial<Explanation> & Pick<Explanation, 'message'>

/** In English, on the page of every language too: what was recorded stands as it was recorded, and advice beside it. */
export function explain(row: RowRecord, background: RowBackground): Explanation {
  const [said, former] = [explainState(row, background), formerDoubt(row)]
  const compared = background.compared === null ? null : waitingText(background.compared)
  const begun = said.message === '' ? '' : `${said.message.replace(/[.!]?$/, '.')} `
  const more = [former, compared?.message].filter((text) => text != null)
  return {
    ...{ rule: row.rule ?? '', status: String(row.lastAttempt?.status ?? ''), remedy: '', wrong: [] },
    ...said,
    ...(more.length === 0 ? {} : { message: begun + more.join(' ') }),
    ...(compared?.remedy === undefined ? {} : { remedy: compared.remedy }),
  }
}

/** What was ever in doubt says so, whatever it was called since: the late request may have been applied. */
function formerDoubt({ id, state, formerDoubt: decidedOn, lastAttempt }: RowRecord): string | null {
  const isClosed = state === 'written_off' && lastAttempt?.outcome === 'in_doubt'
  const former = isClosed ? { ...lastAttempt, rowId: id } : decidedOn
  if (former === null) return null
  const which = former.rowId === id ? 'It' : `Row ${former.rowId} of this mandate`
  const doubt = `${which} was in doubt: ${leftText(former.started)} ${timeText(former.startedAt)} (id ${former.requestId})`
  return state === 'registered' || former.started === false
    ? `${doubt}.`
    : `${doubt} and may have been applied.`
}

/** @param started whether a byte left; null where that is not known, as after a kill */
function leftText(started: boolean | null): string {
  if (started === null) return 'its request may have left'
  return started ? 'its request left' : 'the service held it already, and nothing was sent'
}

function explainState(row: RowRecord, background: RowBackground): Stated {
  const decision = decided(row, background.decision)
  const reason = row.lastAttempt?.reason ?? ''
  switch (row.state) {
    case 'invalid':
    case 'duplicate':
    case 'conflict':
    case 'excluded':
      return explainAdmission(row, background)
    case 'ready':
      return { message: readyMessage(row, decision), remedy: 'Run again to send it.' }
    case 'sending':
      return {
        message: 'A run is sending this row, or ended while it did',
        remedy: 'If no run is going, run again: the row becomes in doubt and is not sent.',
      }
    case 'in_doubt':
      return {
        rule: background.problems.find(({ message }) => message.endsWith(` ${reason}`))?.rule ?? '',
        message: serviceSaid(row),
        remedy:
          'Look the mandate up at the service. Then fill in decision and reason, and give to-do.xlsx to "sepa-migrate run", or a CSV to "sepa-migrate resolve --from". Never feed it back into another ledger.',
      }
    case 'refused':
      return {
        message: decision ?? serviceSaid(row),
        remedy:
          'Correct the value and give this file back. If the cause was at the service, run again with --retry-refused.',
        wrong: [row.lastAttempt?.field?.split('.').at(-1) ?? ''],
      }
    case 'registered':
      return { message: decision ?? 'Registered' }
    case 'superseded': {
      const by = row.supersededBy === null ? '' : `row ${row.supersededBy} of `
      return { message: `Replaced by ${by}a later file` }
    }
    case 'written_off':
      return { message: decision ?? 'Written off by a person' }
  }
}

/** The decision of a person, unless a later attempt has overtaken it. */
function decided(row: RowRecord, decision: DecisionRecord | null): string | null {
  if (decision === null || decision.attemptId !== (row.lastAttempt?.id ?? null)) return null
  const { by, at, decision: word, reason } = decision
  return maskedText(`Decided by ${by} on ${at.slice(0, 10)} (${word}): ${reason}`)
}

/** Code, field and words of the service, then what this program made of it. */
function serviceSaid({ lastAttempt: attempt }: RowRecord): string {
  if (attempt === null) return ''
  const field = attempt.field === null ? null : `field ${attempt.field}`
  const parts = [attempt.serviceCode, field, attempt.message].filter((part) => part !== null && part !== '')
  const words = maskedText(parts.join(', '))
  if (attempt.reason === null || attempt.reason === attempt.message) return words
  const reason = maskedText(attempt.reason)
  return words === '' ? reason : `${reason}. The service said: ${words}`
}

function readyMessage(row: RowRecord, decision: string | null): string {
  const last = serviceSaid(row)
  switch (row.lastAttempt?.outcome ?? null) {
    case null:
      return 'Not sent yet'
    case 'released':
      return `To be sent again. ${decision ?? 'A person decided so'}`
    case 'refused':
      return `To be sent again after it was refused: ${last}`
    default:
      return `Not registered yet, the last attempt was not carried out: ${last}`
  }
}

function explainAdmission(row: RowRecord, { problems }: RowBackground): Stated {
  const errors = problems.filter(({ severity }) => severity === 'error')
  const rules = new Set([row.rule ?? '', ...errors.map(({ rule }) => rule)].filter((rule) => rule !== ''))
  const own = row.rule !== null && isRuleId(row.rule) ? RULES[row.rule] : null
  const messages = errors.map(({ column, message }) => (column === '' ? message : `${column}: ${message}`))
  const remedies = errors.length > 0 ? errors.map(({ remedy }) => remedy) : [own?.remedy ?? '']
  return {
    rule: [...rules].join(' '),
    status: '',
    message: errors.length > 0 ? messages.join(' ') : (own?.message ?? row.rule ?? ''),
    remedy: [...new Set(remedies)].join(' '),
    wrong: errors.map(({ column }) => column),
  }
}

/** What was seen of a row, and what a person may do about it; English in every language. */
export function explainVerified(row: VerifiedRow): string {
  switch (row.verdict) {
    case 'absent':
      return 'The service shows no payment source of this customer. Ask it: the mandate may have been cancelled, or shows late.'
    case 'twice':
      return `The service shows this mandate ${row.sources.length > 1 ? `${row.sources.length} times` : 'more than once'}. ${doubleText(row)}`
    case 'other':
      return differenceText(row)
    case 'unreadable':
      return `It could not be compared, so it is not proven: ${maskedText(row.why ?? 'no list came')}.`
    case 'decided':
      return 'Somebody said that it was cancelled or changed at the service, and the service shows it so.'
    case 'proven':
      return ''
  }
}

function doubleText(row: VerifiedRow): string {
  const own = ownOf(row)
  if (own === null || row.cancellable.length === 0)
    return 'Which of them may be cancelled cannot be told here: look them up at the service.'
  return `${own.id ?? 'One without an id'} is the one of this ledger; a person may cancel ${row.cancellable.join(', ')}.`
}

/** The one with the reference that the ledger has. */
const ownOf = ({ sources, assignedMandateReference }: VerifiedRow): KeptSource | null =>
  sources.find(
    ({ reference }) =>
      reference !== null && comparedReference(reference) === comparedReference(assignedMandateReference),
  ) ?? null

function differenceText(row: VerifiedRow): string {
  const own = ownOf(row)
  if (row.why === 'ended')
    return `The service shows this mandate as ended (${maskedText(own?.status ?? row.sources[0]?.status ?? 'no status')}).`
  if (row.why === 'not_ended')
    return 'Somebody said that it was cancelled at the service, and the service shows it active: have it cancelled there.'
  if (row.why === 'not_changed')
    return 'Somebody said that it was changed at the service, and the service shows it as it was sent: have it changed there.'
  if (row.why === 'ambiguous')
    return 'Another row of this customer has the same account and date, and no reference tells them apart.'
  if (own === null)
    return 'The service shows payment sources of this customer, and none with account, date and reference of this mandate.'
  const of = (account: string | null, date: string | null): string =>
    `account ${account ?? 'unknown'}, signed ${date ?? 'unknown'}`
  return `The service shows it with ${of(own.accountMasked, own.signedDate)}; the ledger has ${of(row.ibanMasked, row.signedDate)}.`
}

/** Entries that a list keeps for the page, which shows no more; the files hold all of them. */
const LISTED_AT_MOST = 50

/** Keeps the first entries, and counts them all. */
function addTo<Entry>(list: { total: number; first: Entry[] }, entry: Entry): void {
  list.total += 1
  if (list.first.length < LISTED_AT_MOST) list.first.push(entry)
}

/** Counts values of which there should be few, and keeps no more than `limit` different ones. */
export function tallyValues(limit: number) {
  const counts = new Map<string, number>()
  let others = 0
  return {
    add: (value: string): void => {
      const count = counts.get(value)
      if (count !== undefined) counts.set(value, count + 1)
      else if (counts.size < limit) counts.set(value, 1)
      else others += 1
    },
    result: () => ({
      /** Most frequent first, then in the order of the values. */
      values: [...counts]
        .map(([value, count]) => ({ value, count }))
        .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1)),
      /** How often values were met beyond those that are kept. */
      others,
    }),
  }
}

/**
 * Totals that show a lost or doubled row where a count alone would not. They do not depend on the order of rows, and those
 * of parts add up to that of the whole. A row that was altered shows in the hash of its file.
 */
export const hashTotalsOf = (...parts: readonly RowSums[]) => ({
  rows: parts.reduce((sum, { rows }) => sum + rows, 0),
  /** Rows with a readable customer number, and the sum of these numbers in decimal. */
  customerNoRows: parts.reduce((sum, part) => sum + part.customerNoRows, 0),
  customerNoSum: parts.reduce((sum, { customerNo }) => sum + customerNo, 0n).toString(),
})

type RowSums = ReturnType<typeof noSums>

export const noSums = () => ({ rows: 0, customerNoRows: 0, customerNo: 0n })

export function addRow(sums: RowSums, { customerNo }: Pick<RowRecord, 'customerNo'>): void {
  sums.rows += 1
  if (customerNo === null) return
  sums.customerNoRows += 1
  sums.customerNo += BigInt(customerNo)
}

/** What each list of a report holds. */
export interface Entries extends Readonly<Record<ReturnType<typeof partOf>, OpenRow>> {
  readonly registered: RegisteredRow
  readonly problems: ProblemRecord
  readonly decisions: DecisionRecord
  /** All that were read back, and those that are not proven. */
  readonly verified: VerifiedRow
  readonly unproven: VerifiedRow
  readonly cutOver: CutOverLine
}

/** Lists while they are filled; `drain` comes after every page. */
export type OpenLists = {
  readonly [Name in keyof Entries]?: {
    readonly add: (entry: Entries[Name]) => void
    readonly drain: () => Promise<void>
  }
}

/** The same lists in several files. */
type Files = readonly OpenLists[]

function put<Name extends keyof Entries>(files: Files, name: Name, entry: Entries[Name]): void {
  for (const lists of files) lists[name]?.add(entry)
}

/** Hands over page by page: what the files were given is written before the next page is read. */
async function walkPages<Page>(
  pages: Iterable<Page>,
  { files, signal }: Pick<WalkTerms, 'files' | 'signal'>,
  take: (page: Page) => void,
): Promise<void> {
  for (const page of pages) {
    signal?.throwIfAborted()
    take(page)
    for (const lists of files) for (const list of Object.values(lists)) await list.drain()
  }
}

/**
 * Hands every registered row that was read back to the file, what is not proven first, and returns what the pages
 * show; null where nobody asked.
 * @param totals of the rows that were walked over
 */
export async function walkVerification(
  reader: LedgerReader,
  { registered }: Totals,
  terms: Pick<WalkTerms, 'files' | 'signal'>,
) {
  const counts = reader.verificationCounts()
  const verification = verificationOf(registered, counts)
  if (verification === null) return null
  const unproven = { total: 0, first: [] as VerifiedRow[] }
  for (const verdict of VERIFIED_VERDICTS.filter((each) => counts.some((count) => count.verdict === each))) {
    const verified = (after: number, limit: number) => reader.verifiedRows(verdict, after, limit)
    await walkPages(pagesOf(verified, idOf, PAGE_ROWS), terms, (page) => {
      for (const row of page) {
        put(terms.files, 'verified', row)
        if (isAsItShouldBe(verdict)) continue
        addTo(unproven, row)
        put(terms.files, 'unproven', row)
      }
    })
  }
  return {
    ...verification,
    /** How many rows were drawn when registered rows were last read back; null for all of them. */
    sample: reader.latestSample(),
    /** Those that are not proven, in the order of the words. */
    unproven,
  }
}

/** Ids of payment sources that a read-back showed of a row. */
const paymentSourcesOf = (reader: LedgerReader, rowId: number): string[] =>
  (reader.proofsOfRow(rowId).at(-1)?.sources ?? []).flatMap(({ id }) => id ?? [])

/** Hands over the lines of the latest comparison that nobody has closed. */
async function walkCutOver(reader: LedgerReader, terms: WalkTerms): Promise<void> {
  const campaign = reader.campaign()
  await walkPages(pagesOf(reader.comparedLines, idOf, PAGE_ROWS), terms, (page) => {
    for (const compared of page) {
      const row = compared.isOpen === 1 ? reader.row(compared.current) : null
      if (row === null) continue
      const paymentSources = paymentSourcesOf(reader, row.id)
      put(terms.files, 'cutOver', { campaign, compared, row, paymentSources })
    }
  })
}

/** Entries that are read at a time: short enough that no read holds the write-ahead log back. */
const PAGE_ENTRIES = 1000
/** Fewer rows: those of a page are gone before V8 would keep them for longer, and moves none of them. */
const PAGE_ROWS = 250

const idOf = ({ id }: { readonly id: number }): number => id

/**
 * One walk over all rows in order of id: beside a running writer each row is still met once, in one state. Registered
 * rows that count come without their requests.
 */
function* rowPages(reader: LedgerReader): Generator<RowPage, void, undefined> {
  let after = 0
  for (;;) {
    const page = reader.page(after, PAGE_ROWS)
    if (page.last === null) return
    yield page
    after = page.last
  }
}

export const problemPages = ({ problems }: LedgerReader) => pagesOf(problems, idOf, PAGE_ENTRIES)
const decisionPages = ({ decisions }: LedgerReader) => pagesOf(decisions, idOf, PAGE_ENTRIES)

/** What one run registered, for whoever owns the service to cancel there: nothing is cancelled by it. */
export function* rowsToCancel(reader: LedgerReader, runId: number) {
  const registered = (after: number, limit: number) => reader.registeredBy(runId, after, limit)
  for (const page of pagesOf(registered, idOf, PAGE_ROWS))
    for (const row of page) yield { ...row, paymentSources: paymentSourcesOf(reader, row.id) }
}

/** Those of which nothing was sent that may count. */
const NOT_SENT: readonly RowState[] = ['ready', 'invalid', 'conflict', 'excluded']

/** Only states given at admission are explained by findings; the others by what the service answered, which may be one. */
const HAVE_FINDINGS: readonly RowState[] = ['invalid', 'duplicate', 'conflict', 'excluded']

/** Creditors and people are few; somebody may have mapped a wrong column. */
const NAMES_KEPT = 100

/** The latest decision on each row, which people make one by one; neither --retry-refused nor a correction explains a state. */
async function readDecisions(reader: LedgerReader, terms: WalkTerms) {
  const latest = new Map<number, DecisionRecord>()
  const list = { total: 0, first: [] as DecisionRecord[] }
  const corrections = { total: 0, first: [] as DecisionRecord[] }
  const by = tallyValues(NAMES_KEPT)
  let forced = 0
  await walkPages(decisionPages(reader), terms, (page) => {
    for (const decision of page) {
      const isCorrection = decision.decision === CORRECTED
      if (decision.decision !== 'retry_refused' && !isCorrection) latest.set(decision.rowId, decision)
      addTo(isCorrection ? corrections : list, decision)
      by.add(decision.by)
      if (isForced(decision.evidence)) forced += 1
      put(terms.files, 'decisions', decision)
    }
  })
  return { latest, list, corrections, by: by.result(), forced }
}

/** The totals of so many records, of which these rows are in each state. */
const countedTotals = (
  { records, resubmitted }: Pick<SourceRecord, 'records' | 'resubmitted'>,
  states: ReadonlyMap<RowState, Pick<RowSums, 'rows'>>,
): Totals =>
  totalsOf(records - resubmitted, new Map([...states].map(([state, { rows }]) => [state, rows])), resubmitted)

/** What the walk has gathered so far. */
type Gathered = ReturnType<typeof startGathering>

interface WalkTerms {
  readonly files: Files
  readonly signal?: AbortSignal | undefined
  /** How long after its latest request a row must still be absent, to be proposed to be sent again; in milliseconds. */
  readonly absentAfterMs: number
  readonly told: Told
}

/**
 * Walks over the ledger once, hands every row and problem to the files and returns what the pages show. Only rows
 * of `sources` count: those of a source that a run admits meanwhile are left for the next report.
 */
export async function walkLedger(reader: LedgerReader, sources: readonly SourceRecord[], terms: WalkTerms) {
  const { files, told } = terms
  const gathered = startGathering(reader, sources, terms, await readDecisions(reader, terms))
  const { campaign, sums } = gathered
  await walkPages(rowPages(reader), terms, ({ rows, registered }) => {
    for (const row of rows) if (sums.has(row.sourceId)) takeRow(gathered, reader, row, files)
    for (const row of registered) if (sums.has(row.sourceId)) takeRegistered(gathered, row, files)
  })
  await walkPages(problemPages(reader), terms, (page) => {
    gathered.problems += page.length
    for (const problem of page) put(files, 'problems', problem)
  })
  const sumsIn = (state: RowState) => [...sums.values()].flatMap((states) => states.get(state) ?? [])
  const byState = new Map(ROW_STATES.map((state) => [state, hashTotalsOf(...sumsIn(state))]))
  const sumOf = (name: 'records' | 'resubmitted') => sources.reduce((sum, each) => sum + each[name], 0)
  const totals = countedTotals({ records: sumOf('records'), resubmitted: sumOf('resubmitted') }, byState)
  const verification = await walkVerification(reader, totals, terms)
  const distinct = reader.distinctCounts()
  const counted = sources.map((source) => ({
    ...source,
    totals: countedTotals(source, sums.get(source.id) ?? new Map()),
  }))
  const [runs, plans, mandates] = [reader.runs(), reader.plans(), reader.mandateCounts()]
  const { decisions, previousCreditors, assignedCreditors } = gathered
  const open = reader.openCutOver()
  if (open.open > 0) await walkCutOver(reader, terms)
  return {
    /** Name of the ledger's file, without its folder. */
    ledger: basename(reader.file),
    campaign,
    told,
    /** A run was writing meanwhile: each row is still counted once, as it was met. */
    changedWhileReading: reader.campaign().changedAt !== campaign.changedAt,
    totals,
    mandates: mandateTotalsOf(mandates),
    /** Totals of the former provider, each beside the records of its export. */
    expected: reader.expected(),
    /** Those that were not sent, by state and rule, most mandates first. */
    notSent: mandates.filter(({ state }) => NOT_SENT.includes(state)),
    ...pick('parts', 'inDoubt', 'problems', 'notTaken', 'proposals')(gathered),
    /** In all, and for each source. */
    balanced: isBalanced(totals) && counted.every((source) => isBalanced(source.totals)),
    /** With the totals of this walk. */
    sources: counted,
    /** Ready rows that the latest run was not told to send; null where it was told to send all. */
    leftByChoice: leftByChoice(reader, runs.at(-1)),
    runs,
    /** In the order in which they were made, with their approvals. */
    plans,
    /** Rows that left under each approval, and under none; empty where nobody planned. */
    sentByApproval: plans.length === 0 ? [] : reader.sentByApproval(),
    problemCounts: reader.problemCounts(),
    refusalCounts: reader.refusalCounts(),
    /** All but corrections. */
    decisions: decisions.list,
    corrections: decisions.corrections,
    hashTotals: { read: hashTotalsOf(...ROW_STATES.flatMap(sumsIn)), byState },
    distinct,
    /** Registered rows that agree with their last collection; null where no collection files were given. */
    vouched: reader.vouched(),
    /** Mandates that were collected and are in no export. */
    notInExport: reader.evidence()?.not_in_export ?? 0,
    /** Null where nobody asked the service about a registered row. */
    verification,
    /** Null where nobody asked who the customers are. */
    who: reader.who(),
    /** What is open besides the states of mandates. */
    open,
    /** Null where nobody set the last export against the ledger. */
    cutOver: cutOverIn(reader),
    /** Creditor identifiers of the registered rows. */
    creditors: { previous: previousCreditors.result(), assigned: assignedCreditors.result() },
    /** Who decided on rows, by the name that was given. */
    resolvedBy: decisions.by,
    /** Decisions that sent a row once more while its earlier request could still arrive. */
    forcedResends: decisions.forced,
  }
}

/** A run met records that contradict what was sent: there are lines, and no comparison. */
const notCompared = (lines: readonly ClosedLines[]) => ({
  ...{ at: null, by: null, as: null, sources: [], ledgerMandates: null, finalMandates: null },
  classes: Object.fromEntries(
    CUT_OVER_CLASSES.map((name) => [name, countedOn(lines, ({ listed }) => listed === name)]),
  ) as ClassCounts,
})

/** What the last export said, who closed what of it, and what is open. */
function cutOverIn(reader: LedgerReader) {
  const [comparison, lines] = [reader.comparison(), reader.closedLines()]
  if (comparison === null && lines.length === 0) return null
  return { ...(comparison ?? notCompared(lines)), ...reader.openCutOver(), lines }
}

/** Everything the pages of a report show: values only, read from the ledger in one walk. */
export type ReportFacts = Awaited<ReturnType<typeof walkLedger>>

const startGathering = (
  reader: LedgerReader,
  sources: readonly SourceRecord[],
  { absentAfterMs }: WalkTerms,
  decisions: Awaited<ReturnType<typeof readDecisions>>,
) => ({
  campaign: reader.campaign(),
  decisions,
  /** By source, of the rows that count in it. */
  sums: new Map(sources.map(({ id }) => [id, new Map(ROW_STATES.map((state) => [state, noSums()]))])),
  /** Rows of each part. */
  parts: { registered: 0, refused: 0, corrections: 0, inDoubt: 0, notSent: 0, closed: 0 },
  /** Without their original cells. */
  inDoubt: { total: 0, first: [] as OpenRow[] },
  previousCreditors: tallyValues(NAMES_KEPT),
  assignedCreditors: tallyValues(NAMES_KEPT),
  absenceOf: absencesAlong(reader, absentAfterMs),
  problems: 0,
  /** Corrections that could not be taken. */
  notTaken: 0,
  /** Rows in doubt that are proposed to be sent again. */
  proposals: 0,
})

/** There are as many of them as mandates. */
function takeRegistered(gathered: Gathered, row: RegisteredRow, files: Files): void {
  countRow(gathered, 'registered', row)
  gathered.parts.registered += 1
  gathered.previousCreditors.add(row.originalCreditorIdentifier ?? '')
  gathered.assignedCreditors.add(row.assignedCreditorIdentifier ?? '')
  put(files, 'registered', row)
}

function takeRow(gathered: Gathered, reader: LedgerReader, row: RowRecord, files: Files): void {
  const part = partOf(row)
  countRow(gathered, row.state, row)
  gathered.parts[part] += 1
  if (isNotTaken(row)) gathered.notTaken += 1
  const absence = part === 'inDoubt' ? gathered.absenceOf(row.id) : null
  if (absence?.kind === 'resend') gathered.proposals += 1
  const isAnswered = row.state === 'in_doubt' && row.lastAttempt?.status != null
  const problems = isAnswered || HAVE_FINDINGS.includes(row.state) ? reader.problemsOfRow(row.id) : []
  const isDecided = part === 'corrections' || part === 'refused'
  const background = {
    ...{ problems, decision: gathered.decisions.latest.get(row.id) ?? null },
    compared: isDecided && gathered.campaign.comparison !== null ? reader.comparedOf(row.id) : null,
  }
  const open = { row, campaign: gathered.campaign, explanation: explain(row, background), absence }
  if (part === 'inDoubt') addTo(gathered.inDoubt, { ...open, row: { ...row, cells: null } })
  put(files, part, open)
}

function countRow({ sums }: Gathered, state: RowState, row: RegisteredRow): void {
  const sum = row.countedIn === null ? undefined : sums.get(row.countedIn)?.get(state)
  if (sum !== undefined) addRow(sum, row)
}

function leftByChoice(reader: LedgerReader, run: RunRecord | undefined): number | null {
  const { only = [], countries = null } = run?.settings ?? {}
  return only.length === 0 && countries === null ? null : reader.leftBy({ only, countries })
}
