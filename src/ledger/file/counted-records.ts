import { NAMED, PROBLEM_INSERT, VALUE_OF, type Notice } from '../admit/problems.js'
import { readyRowName } from '../admit/row-names.js'
import type { CountedRecords, CountedSource } from '../admit/admission.js'
import type { RepeatNotices, Scope } from '../admit/scope.js'
import type { ProblemRecord } from '../read/reader.js'
import { prepareInsert } from '../schema/row-columns.js'
import type { Connection } from './connection.js'

/** Records that have no row, as a reader counts and names them. */
export interface CountedReading {
  readonly ofSource: (sourceId: number) => { readonly ready: number; readonly duplicate: number }
  /** A problem of a duplicate without a row says where its record is. */
  readonly located: (problem: ProblemRecord) => ProblemRecord
}

const TABLES = `
  create temp table counted (source_id integer primary key, records integer not null);
  create temp table repeated (
    id integer primary key, source_id integer not null, line integer not null, mandate_key text not null,
    original_mandate_reference text not null, original integer not null)`

/** Holds all that is told: to fetch each row in another order than they came in would read the file once a row. */
const INDEX = `create index if not exists temp.repeated_key
  on repeated (source_id, mandate_key, id, original, original_mandate_reference)`

const COLUMNS = ['id', 'sourceId', 'line', 'mandateKey', 'originalMandateReference', 'original'] as const

/** Keeps account of records that have no row, in tables of this connection alone. */
export function prepareCountedRecords(connection: Connection): CountedRecords & CountedReading {
  connection.exec(TABLES)
  const note = connection.prepare<[number, number]>('insert into temp.counted values (?, ?)')
  const ready = connection
    .prepare<[number], number>('select records from temp.counted where source_id = ?')
    .pluck()
  const duplicates = connection
    .prepare<[number], number>('select count(*) from temp.repeated where source_id = ?')
    .pluck()
  const locate = connection.prepare<[number], { record: number; line: number }>(
    `select repeated.id - first_row + 1 as record, line from temp.repeated
       join source on source.id = source_id where repeated.id = ?`,
  )
  return {
    open: (scope, count) => {
      note.run(scope.sourceId, count)
      return countedSource(scope)
    },
    ofSource: (sourceId) => ({ ready: ready.get(sourceId) ?? 0, duplicate: duplicates.get(sourceId) ?? 0 }),
    located: (problem) =>
      problem.rowId === null || problem.record !== null
        ? problem
        : { ...problem, ...locate.get(problem.rowId) },
  }
}

function countedSource(scope: Omit<Scope, 'repeated'>): CountedSource {
  const { connection, sourceId, first, firstOfAll } = scope
  const insert = prepareInsert(connection, 'temp.repeated', COLUMNS)
  let added = 0
  let tell: CountedSource['tell'] | null = null
  return {
    add: (records) => {
      added += records.length
      for (const { record, line, mandateKey, mandateReference, original } of records)
        insert.add(first + record - 1, {
          sourceId,
          line,
          mandateKey,
          originalMandateReference: mandateReference,
          original: firstOfAll + original - 1,
        })
    },
    flush: () => {
      insert.flush()
      if (added === 0) return
      connection.exec(INDEX)
      tell = prepareTelling(scope)
    },
    tell: (notices, before) => tell?.(notices, before),
  }
}

/** Sorts behind every text. */
const BEHIND_ALL = Buffer.alloc(0)

function prepareTelling({
  connection,
  sourceId,
  first,
  columns,
}: Omit<Scope, 'repeated'>): CountedSource['tell'] {
  // The original of a duplicate stands in the file itself or in an earlier one, which is told in other words.
  const either = (inFile: string, inLedger: string): string =>
    `case when original >= :first then ${inFile} else ${inLedger} end`
  const write = connection.prepare(
    `insert into problem (${PROBLEM_INSERT})
     select source_id, id, :rule, :severity, :field, :column, ${VALUE_OF.unique_mandate_reference},
       ${either(':fileStart', ':ledgerStart')} || ${either('(original - cast(:first as integer) + 1)', readyRowName('original'))}
         || ${either(':fileEnd', ':ledgerEnd')},
       ${either(':fileRemedy', ':ledgerRemedy')}
     from temp.repeated where source_id = :sourceId and mandate_key > :after and mandate_key < :before
     order by mandate_key, id`,
  )
  let after = ''
  return ({ inFile, inLedger }: RepeatNotices, before) => {
    const { rule, severity, field } = inFile
    const [fileStart, fileEnd] = aroundName(inFile)
    const [ledgerStart, ledgerEnd] = aroundName(inLedger)
    write.run({
      rule,
      severity,
      field,
      column: columns[field] ?? field,
      sourceId,
      first,
      after,
      before: before ?? BEHIND_ALL,
      fileStart,
      fileEnd,
      fileRemedy: inFile.remedy,
      ledgerStart,
      ledgerEnd,
      ledgerRemedy: inLedger.remedy,
    })
    after = before ?? after
  }
}

function aroundName({ message }: Notice): readonly [string, string] {
  const [before = '', behind = ''] = message.split(NAMED)
  return [before, behind]
}
