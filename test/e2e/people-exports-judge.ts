import { existsSync } from 'node:fs'
import { openDatabase } from '../../src/driver.js'
import type { MigrateRequest } from '../../src/contract/mandates.js'
import type { Export, History } from './people-history.js'
import type { Office } from './people-office.js'
import { mandateMeant, type Told, type TrueMandate } from './people-truth.js'

/** An export that a ledger took in, or that somebody set beside it. */
interface Known {
  readonly known: Export
  readonly at: string
  readonly isIn: boolean
}

interface File {
  readonly sha256: string
  readonly at: string
  readonly isIn: 0 | 1
}

interface Row {
  readonly id: number
  readonly state: string
  readonly customerNo: number | null
  readonly signedDate: string | null
  readonly reference: string | null
  /** It was read from an export, and is no line that somebody gave back. */
  readonly isRead: 0 | 1
  /** What people said of it, with blanks between. */
  readonly decisions: string
}

interface Sent {
  readonly rowId: number
  readonly requestId: string
  readonly startedAt: string
  readonly isUnnamed: 0 | 1
}

const KNOWN = `select sha256, admitted_at as at, 1 as isIn from source where sha256 is not null
  union all select value ->> 'sha256', compared_at, 0 from comparison, json_each(sources)`

/** Somebody set an export beside it, or gave rows back: what waits since may do so for another reason. */
const TOUCHED = `select (select count(*) from comparison) + (select count(*) from source where kind = 'list') as n`

const ROWS = `select row.id, state, customer_no as customerNo, signed_date as signedDate,
    original_mandate_reference as reference, corrects is null and source_id not in (select id from source where kind = 'list') as isRead, coalesce(group_concat(decision, ' '), '') as decisions
  from row left join decision on decision.row_id = row.id group by row.id`

/** A former request of the mandate was called refused out of a doubt, and nobody has said since that it is sent; that import held it is no word. */
const IS_UNNAMED = `exists (select 1 from attempt as former where former.mandate_key = attempt.mandate_key
  and former.id < attempt.id and former.outcome = 'released' and not exists (
    select 1 from row join decision on decision.row_id = row.id where row.mandate_key = attempt.mandate_key
      and decision in ('resend', 'corrected', 'retry_refused')
      and decision.id >= (select max(id) from decision where attempt_id = former.id and decision <> 'held')))`

const SENT = `select row_id as rowId, request_id as requestId, started_at as startedAt, ${IS_UNNAMED} as isUnnamed from attempt`

function read(file: string) {
  if (!existsSync(file)) return { files: [], rows: [], sent: [], isTouched: false }
  const connection = openDatabase(file, { readonly: true })
  const all = <Value>(sql: string): Value[] => connection.prepare<[], Value>(sql).all()
  try {
    return {
      files: all<File>(KNOWN),
      rows: all<Row>(ROWS),
      sent: all<Sent>(SENT),
      isTouched: all<{ n: number }>(TOUCHED).some(({ n }) => n > 0),
    }
  } finally {
    connection.close()
  }
}

const knownIn = (files: readonly File[], exports: readonly Export[]): Known[] =>
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
  knownIn(read(desk.at(ledger)).files, history?.exports ?? []).map(({ known }) => known)

const wordsOf = (exports: readonly Export[], mandate: TrueMandate) =>
  exports.flatMap(({ rows, hasStatus }) =>
    rows.flatMap(({ told, fault, ...row }) => (row.mandate === mandate ? [{ told, fault, hasStatus }] : [])),
  )

const exportsOf = (known: readonly Known[]): Export[] => known.map((one) => one.known)

/** Somebody has set an export beside it. */
export const hasComparison = ({ desk }: Office, ledger: string): boolean =>
  read(desk.at(ledger)).files.some(({ isIn }) => isIn === 0)

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
  const { files, rows, sent, isTouched } = read(desk.at(ledger))
  const known = knownIn(files, history.exports)
  const [admitted, now] = [known.filter(({ isIn }) => isIn), knownBy(known, '9')]
  const isLost = existsSync(desk.at('copies', 'lost.db'))
  for (const mandate of history.mandates) {
    const violate = (kind: string, why: string): void => {
      const { customerNo, signedDate, reference } = mandate
      judge.violate(`${kind} after ${what}: customer ${customerNo} of ${signedDate}, "${reference}", ${why}`)
    }
    const isMeant = ({ customerNo, signedDate, reference }: Row): boolean =>
      mandateMeant(history.mandates, customerNo ?? 0, signedDate ?? '', reference ?? '') === mandate
    const own = rows.filter(isMeant)
    const requests = service.applicationsOf(mandate).flatMap(({ request, requestId }) => {
      const one = sent.find((each) => each.requestId === requestId)
      return one === undefined ? [] : [{ ...one, request }]
    })
    for (const { request, rowId, startedAt, isUnnamed } of requests) {
      const isTrue = isSent(request, mandate)
      const before = knownBy(known, startedAt)
      const [word, decisions] = [
        wordOf(before, mandate),
        rows.find(({ id }) => id === rowId)?.decisions ?? '',
      ]
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
