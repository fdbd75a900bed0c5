import type { CheckedRecord, SourceSummary } from '../domain/verdict.js'
import type { Mandate } from '../domain/mandate.js'
import { maskAccounts, maskIban } from '../domain/masking.js'
import type { SeverityOverrides } from '../domain/rules.js'
import { upperCase } from '../domain/text.js'
import { noteChange } from './campaign-rows.js'
import type { Connection } from './connection.js'
import { prepareGivenBack, settleCorrections } from './corrections.js'
import { prepareEarlierRows } from './earlier-rows.js'
import { settleCustomers, settleNearDuplicates, settleSharedAccounts } from './cross-checks.js'
import { fingerprintRaw, type Fingerprints } from './fingerprints.js'
import { settleGroups, settleRepeats } from './groups.js'
import type { Admission, SourceAdmission } from './ledger.js'
import { prepareLocating } from './locate.js'
import { preparePlaces, type Places } from './places.js'
import { prepareProblems } from './problems.js'
import { settleResemblances } from './resemblance.js'
import type { Scope } from './scope.js'

export interface AdmissionParts {
  readonly connection: Connection
  readonly fingerprints: Fingerprints
  readonly severities: SeverityOverrides
  readonly now: () => string
  /** Runs storage work and explains its faults; a fault of the disk ends the ledger. */
  readonly guard: <Value>(body: () => Value) => Value
  /** After the transaction ended, either way. */
  readonly ended: (isCommitted: boolean) => void
}

const SAVEPOINT = 'source'

/** One transaction over all sources of a command. Nothing of it is seen before `commit`. */
export function openAdmission(parts: AdmissionParts): Admission {
  const { connection, guard } = parts
  let current: { readonly name: string } | null = null
  let isOver = false
  guard(() => connection.exec('begin immediate'))
  const known = connection.prepare<[string]>('select 1 from source where sha256 = ?')
  const earlier = prepareEarlierRows(connection)
  const firstOfAll = nextId(connection, 'row')

  function assertOpen(): void {
    if (isOver) throw new Error('Cannot go on with an admission that has ended')
  }

  function end(isCommitted: boolean): void {
    isOver = true
    parts.ended(isCommitted)
  }

  return {
    isKnown: (sha256) => known.get(sha256) !== undefined,
    earlier: (row) => guard(() => earlier(row)),
    open: (source) => {
      assertOpen()
      if (current !== null)
        throw new Error(`Cannot open the source "${source.name}" before "${current.name}" is closed`)
      current = source
      return guard(() => admitSource(parts, firstOfAll, source, () => (current = null)))
    },
    commit: () => {
      assertOpen()
      if (current !== null) throw new Error(`Cannot commit while the source "${current.name}" is open`)
      guard(() => {
        assertComplete(connection)
        noteChange(connection, parts.now())
        connection.exec('commit')
      })
      end(true)
    },
    rollback: () => {
      if (isOver) return
      if (connection.inTransaction) connection.exec('rollback')
      end(false)
    },
  }
}

/** A half-admitted source must never be committed: its rows could be sent before all of them were compared. */
function assertComplete(connection: Connection): void {
  const open = connection
    .prepare<[], number>('select count(*) from source where sha256 is null')
    .pluck()
    .get()
  if (open !== 0) throw new Error('Cannot commit an admission that is not complete')
}

const nextId = (connection: Connection, table: 'row' | 'source'): number =>
  connection.prepare<[], number>(`select coalesce(max(id), 0) + 1 from ${table}`).pluck().get() ?? 1

function admitSource(
  { connection, fingerprints, severities, now, guard }: AdmissionParts,
  firstOfAll: number,
  source: Parameters<Admission['open']>[0],
  closed: () => void,
): SourceAdmission {
  connection.exec(`savepoint ${SAVEPOINT}`)
  const sourceId = nextId(connection, 'source')
  const first = nextId(connection, 'row')
  connection
    .prepare<[number, string, string, string]>(
      'insert into source (id, name, header, columns) values (?, ?, ?, ?)',
    )
    .run(sourceId, maskAccounts(source.name), JSON.stringify(source.header), JSON.stringify(source.columns))
  const scope: Scope = {
    connection,
    fingerprints,
    severities,
    sourceId,
    first,
    firstOfAll,
    header: source.header,
    columns: source.columns,
  }
  const places = preparePlaces(scope)
  const givenBack = prepareGivenBack(scope)
  const insert = prepareInsert(scope)
  const problems = prepareProblems(connection, source.columns)
  let next = first

  function close(summary: SourceSummary): 'admitted' | 'known' {
    const isKnown =
      connection.prepare<[string]>('select 1 from source where sha256 = ?').get(summary.sha256) !== undefined
    if (isKnown) {
      connection.exec(`rollback to ${SAVEPOINT}; release ${SAVEPOINT}`)
      return 'known'
    }
    if (next - first !== summary.records) {
      throw new Error(
        `Cannot admit "${source.name}": ${summary.records} records were read, ${next - first} came in`,
      )
    }
    settleAcrossRows(scope, places)
    for (const finding of summary.findings) problems.write(sourceId, null, finding)
    seal(scope, summary, next - 1, now())
    connection.exec(`release ${SAVEPOINT}`)
    return 'admitted'
  }

  return {
    add: (records) =>
      guard(() => {
        for (const record of records) {
          insert(next, record)
          givenBack(next, record)
          // What is wrong with a row that came back as it was is on record already.
          if (record.isUnchanged !== true)
            for (const finding of record.findings) problems.write(sourceId, next, finding)
          next += 1
        }
      }),
    close: (summary) => {
      const result = guard(() => close(summary))
      closed()
      return result
    },
    givenBack: () => guard(() => countGivenBack(scope)),
  }
}

function countGivenBack({ connection, sourceId, first }: Scope): { resubmitted: number; notTaken: number } {
  const counts = connection
    .prepare<[number, number], { resubmitted: number; notTaken: number }>(
      `select count(*) as resubmitted, count(*) filter (where place = 0 and state <> 'duplicate') as notTaken
         from row where id >= ? and source_id = ? and corrects is not null`,
    )
    .get(first, sourceId)
  return counts ?? { resubmitted: 0, notTaken: 0 }
}

/** Everything that needs more than one row. Until here each row has the state of its own verdict. */
function settleAcrossRows(scope: Scope, places: Places): void {
  settleCorrections(scope, places)
  settleRepeats(scope)
  settleGroups(scope)
  settleResemblances(scope)
  settleCustomers(scope)
  settleNearDuplicates(scope)
  settleSharedAccounts(scope)
  places.settle()
}

function seal(
  { connection, sourceId, first }: Scope,
  summary: SourceSummary,
  last: number,
  at: string,
): void {
  const range = last < first ? [null, null] : [first, last]
  connection
    .prepare(
      `update source set sha256 = ?, bytes = ?, records = ?, blank_lines = ?, reading = ?, admitted_at = ?,
         first_row = ?, last_row = ?,
         resubmitted = (select count(*) from row where id >= ? and corrects is not null) where id = ?`,
    )
    .run(
      summary.sha256,
      summary.bytes,
      summary.records,
      summary.blankLines,
      JSON.stringify(summary.reading),
      at,
      ...range,
      first,
      sourceId,
    )
}

/**
 * With the rules on the creditor identifier lowered, a row may be sent although its key cannot be told. Its two
 * values as they are then stand in for it, so that it is not sent twice either.
 */
const keyOf = (key: string | null, { original }: Mandate): string =>
  key ?? `?|${original.creditorIdentifier}|${upperCase(original.mandateReference)}`

function prepareInsert({ connection, fingerprints, sourceId, first, header, columns }: Scope) {
  const statement = connection.prepare(
    `insert into row (id, source_id, record, line, state, rule, customer_no, iban, iban_masked, iban_key,
       signed_date, original_creditor_identifier, original_mandate_reference, mandate_key, raw, corrects, place,
       latest_first_debit, cells, content_key)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const locate = prepareLocating(connection, fingerprints, first)
  return (id: number, record: CheckedRecord): void => {
    const { verdict, values } = record
    const mandate = verdict.kind === 'sendable' ? verdict.mandate : null
    const iban = mandate?.iban ?? values.iban
    statement.run(
      id,
      sourceId,
      record.record,
      record.line,
      verdict.kind === 'sendable' ? 'ready' : verdict.kind,
      ruleOfVerdict(record),
      mandate?.customerNo ?? values.customerNo,
      iban,
      iban === null ? null : maskIban(iban),
      iban === null ? null : fingerprints.account(iban),
      mandate?.signedDate ?? values.signedDate,
      mandate?.original.creditorIdentifier ?? values.creditorIdentifier,
      mandate?.original.mandateReference ?? values.mandateReference,
      mandate === null ? record.mandateKey : keyOf(record.mandateKey, mandate),
      mandate === null ? fingerprintRaw(fingerprints, { header, columns }, record) : null,
      record.corrects === 0 ? (locate(record.cells) ?? 0) : record.corrects,
      record.corrects === null ? null : 0,
      record.latestFirstDebit,
      JSON.stringify(record.cells),
      mandate === null ? null : fingerprints.content(mandate),
    )
  }
}

function ruleOfVerdict({ verdict, findings }: CheckedRecord): string | null {
  switch (verdict.kind) {
    case 'sendable':
      return null
    case 'excluded':
      return verdict.rule
    case 'invalid':
      return findings.find(({ severity }) => severity === 'error')?.rule ?? null
  }
}
