import type { CheckedRecord, SourceSummary } from '../../domain/rule/verdict.js'
import { piecesOf } from '../bytes/pieces.js'
import type { TableBytes } from '../table.js'
import { createRowSet } from './row-set.js'
import { plainRecords, type Numberless } from './plain-records.js'
import { startSurvey, type Keep, type Surveyable } from './survey.js'
import { Unsure, walkRecords } from './walk.js'

const BATCH = 1000
const PIECE_BYTES = 8_192
/** Nothing is compared here, so nothing has to be kept from being guessed. */
const NO_KEYS = { seed: 0, hasAccount: false } as const
const NOT_COMPARED = { mandate: () => undefined, other: () => undefined } as const

/**
 * All records of a file in order, as the full reading gives them: those that the survey shows to be plain are made from
 * their bytes, every other one is read in full (source/README.md#surveyed).
 * @throws {Unsure} where only the full reading can tell; what was yielded until then counts for nothing
 * @throws {SourceError} where the file changed since it was opened, or cannot be trusted
 */
export async function* readQuickly(
  surveyable: Surveyable,
  signal: AbortSignal | undefined,
): AsyncGenerator<CheckedRecord[], SourceSummary> {
  const { source, bytes: written, check } = surveyable
  const rows = rowsInOrder()
  const keep: Keep = {
    ...rows,
    plain: (bytes, frame, line, to) => rows.add(plain.recordOf(bytes, frame, line, to)),
  }
  const survey = startSurvey(surveyable, {
    keys: NO_KEYS,
    compare: NOT_COMPARED,
    look: createRowSet(),
    first: 0,
    watch: () => undefined,
    keep,
  })
  const plain = plainRecords(
    source.mapping.fields,
    source.header.width,
    written.encoding,
    check,
    survey.cells,
  )
  const small = { ...written, read: () => inSmallPieces(written.read(signal)) }
  const walk = piecesOf(walkRecords(small, source, survey.visit, signal))
  for await (const _ of walk) {
    survey.readOdd()
    plain.next()
    yield* batchesOf(rows.known())
  }
  const { summary, records } = survey.end(walk.end())
  yield* batchesOf(rows.known())
  if (rows.given() !== records) throw new Unsure()
  return summary
}

/** A chunk's worth of records would outlive young garbage, and collecting them cost as much as reading. */
async function* inSmallPieces(chunks: ReturnType<TableBytes['read']>): ReturnType<TableBytes['read']> {
  const all = piecesOf(chunks)
  for await (const chunk of all)
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) yield chunk.subarray(at, at + PIECE_BYTES)
  return all.end()
}

function* batchesOf(records: CheckedRecord[]): Generator<CheckedRecord[]> {
  for (let at = 0; at < records.length; at += BATCH) yield records.slice(at, at + BATCH)
}

const LATER = 'later'
const LEFT = 'left'

/** Rows of a file until it is known which of them are records, and their numbers. */
function rowsInOrder() {
  let waiting: (Numberless | CheckedRecord | typeof LATER | typeof LEFT)[] = []
  /** The row of the first that waits. */
  let first = 0
  let given = 0

  function settle(row: number, what: CheckedRecord | typeof LEFT): void {
    if (waiting[row - first] !== LATER) throw new Unsure()
    waiting[row - first] = what
  }

  return {
    add: (record: Numberless): void => void waiting.push(record),
    later: (): void => void waiting.push(LATER),
    read: settle,
    left: (row: number): void => settle(row, LEFT),
    /** The records up to the first row of which nothing is known yet. */
    known: (): CheckedRecord[] => {
      const records: CheckedRecord[] = []
      let rows = 0
      for (const row of waiting) {
        if (row === LATER) break
        rows += 1
        if (row === LEFT) continue
        given += 1
        // One that was read in full has its number from there.
        if (row.record === 0) (row as Numberless).record = given
        else if (row.record !== given) throw new Unsure()
        records.push(row)
      }
      waiting = rows === waiting.length ? [] : waiting.slice(rows)
      first += rows
      return records
    },
    given: (): number => given,
  }
}
