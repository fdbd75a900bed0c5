import type { CheckedRecord } from '../../domain/rule/verdict.js'
import { piecesOf } from '../bytes/pieces.js'
import { refuse } from '../refusal.js'
import { isBlankRecord } from '../table.js'
import { tellOnce } from '../watch/told-once.js'
import { readOddRecords } from './odd-records.js'
import { readQuickly } from './quick-reading.js'
import type { RowSet } from './row-set.js'
import type { Surveyable, Surveyed } from './survey.js'
import { Unsure, walkRecords } from './walk.js'

interface Wanted {
  readonly rows: RowSet
  /** The row of the first record of the file. */
  readonly first: number
  readonly signal: AbortSignal | undefined
}

const BATCH = 1000

/** From this share of the rows on it costs less to make records of all rows than to parse those that are wanted. */
const MANY = 0.1

/**
 * The records of a surveyed file whose rows are wanted, checked as the full reading checks them.
 * @throws {SourceError} FILE_CHANGED where the file is not the one that was surveyed
 */
export async function* lookAgain(
  surveyable: Surveyable,
  surveyed: Surveyed,
  wanted: Wanted,
): AsyncGenerator<CheckedRecord[]> {
  const { rows, first } = wanted
  const isMany = rows.count(first, first + surveyed.rows) > surveyed.rows * MANY
  const records = isMany ? chosen(surveyable, surveyed, wanted) : parsed(surveyable, surveyed, wanted)
  try {
    yield* records
  } catch (error) {
    if (!(error instanceof Unsure)) throw error
    throw refuse(surveyable.source.label, 'FILE_CHANGED', 'it changed while it was read')
  }
}

/** Of all records of the file those that are wanted. */
async function* chosen(
  surveyable: Surveyable,
  { blanks }: Surveyed,
  { rows, first, signal }: Wanted,
): AsyncGenerator<CheckedRecord[]> {
  let row = -1
  const isWanted = (): boolean => {
    do row += 1
    while (blanks.has(row))
    return rows.has(first + row)
  }
  for await (const batch of readQuickly(surveyable, signal)) {
    const records = batch.filter(isWanted)
    if (records.length > 0) yield records
  }
}

/** Records that are looked for in the bytes, and parsed by themselves. */
async function* parsed(
  { source, bytes: written, checker }: Surveyable,
  surveyed: Surveyed,
  { rows: wanted, first, signal }: Wanted,
): AsyncGenerator<CheckedRecord[]> {
  const odd = readOddRecords(written, source.options.limits)
  const checkOne = checker()
  const toldOnce = tellOnce()
  const numbers: number[] = []
  let row = -1
  let record = 0
  const walk = piecesOf(
    walkRecords(
      written,
      source,
      (bytes, at, frame, line) => {
        row += 1
        if (surveyed.blanks.has(row)) return
        record += 1
        if (!wanted.has(first + row)) return
        numbers.push(record)
        odd.add(bytes, at, frame, line, row)
      },
      signal,
    ),
  )
  for await (const _ of walk) {
    const raws = odd.read()
    for (let at = 0; at < raws.length; at += BATCH)
      yield raws.slice(at, at + BATCH).map((raw, index) => {
        if (isBlankRecord(raw.cells)) throw new Unsure()
        return toldOnce(checkOne(raw, numbers[at + index] ?? 0).checked)
      })
    numbers.length = 0
  }
}
