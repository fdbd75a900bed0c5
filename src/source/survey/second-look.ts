import type { CheckedRecord } from '../../domain/rule/verdict.js'
import { piecesOf } from '../bytes/pieces.js'
import { refuse } from '../refusal.js'
import { isBlankRecord } from '../table.js'
import { tellOnce } from '../watch/told-once.js'
import type { Frame } from './framing.js'
import { readOddRecords } from './odd-records.js'
import { requiredPositions, type PlainMandate } from './plain-cells.js'
import { readQuickly } from './quick-reading.js'
import type { RowSet } from './row-set.js'
import type { Surveyable, Surveyed } from './survey.js'
import { Unsure, walkRecords } from './walk.js'

/** The rows of a command that are looked at a second time. */
export interface Wanted {
  /** Those whose records are wanted. */
  readonly rows: RowSet
  /** Plain ones of which it is enough to know what they say. */
  readonly repeats: Repeats
  /** The row of the first record of the file. */
  readonly first: number
  readonly signal: AbortSignal | undefined
}

interface Repeats {
  readonly has: (row: number) => boolean
  /** Takes them in order. */
  readonly take: (row: number, repeat: PlainRepeat) => void
}

/** A plain record that may be the repeat of another. */
export interface PlainRepeat {
  /** Counts the records of the file from 1. */
  readonly record: number
  readonly line: number
  /** The five required cells as they stand there, whatever surrounds them; good until the next record is taken. */
  readonly cells: Uint8Array
  readonly mandate: () => PlainMandate
}

const BATCH = 1000

/** From this share of the rows on it costs less to make records of all rows than to parse those that are wanted. */
const MANY = 0.1

/**
 * The records of a surveyed file whose rows are wanted, checked as the full reading checks them. A batch may be empty.
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
  { rows, repeats, first, signal }: Wanted,
): AsyncGenerator<CheckedRecord[]> {
  const { ofTexts } = requiredCells(surveyable)
  let row = -1
  const isWanted = (checked: CheckedRecord): boolean => {
    do row += 1
    while (blanks.has(row))
    if (repeats.has(first + row))
      repeats.take(first + row, {
        record: checked.record,
        line: checked.line,
        cells: ofTexts(checked.cells),
        mandate: () => mandateOf(checked),
      })
    return rows.has(first + row)
  }
  for await (const batch of readQuickly(surveyable, signal)) yield batch.filter(isWanted)
}

function mandateOf({ verdict, mandateKey }: CheckedRecord): PlainMandate {
  if (verdict.kind !== 'sendable' || mandateKey === null) throw new Unsure()
  return { mandateKey, mandateReference: verdict.mandate.original.mandateReference }
}

const FIRST_ROOM = 256
const SEPARATOR = 0x1f

/** The required cells of plain records, one behind the other; no plain cell holds what separates them. */
function requiredCells({ source }: Surveyable) {
  const positions = requiredPositions(source.mapping.fields)
  let room = Buffer.alloc(FIRST_ROOM)
  return {
    ofTexts: (cells: readonly string[]): Uint8Array =>
      Buffer.from(positions.map((at) => cells[at] ?? '').join(String.fromCharCode(SEPARATOR)), 'latin1'),
    ofBytes: (bytes: Buffer, { starts, ends, end }: Frame, from: number): Uint8Array => {
      if (room.length < end - from + positions.length) room = Buffer.alloc(2 * (end - from) + FIRST_ROOM)
      let to = -1
      for (const at of positions) {
        if (to >= 0) room[to] = SEPARATOR
        to += 1
        const cellEnd = ends[at] ?? 0
        for (let p = starts[at] ?? 0; p < cellEnd; p += 1) {
          room[to] = bytes[p] ?? 0
          to += 1
        }
      }
      return room.subarray(0, to)
    },
  }
}

/** Records that are looked for in the bytes, and parsed by themselves. */
async function* parsed(
  surveyable: Surveyable,
  { blanks, cells }: Surveyed,
  { rows: wanted, repeats, first, signal }: Wanted,
): AsyncGenerator<CheckedRecord[]> {
  const { source, bytes: written, checker } = surveyable
  const { ofBytes } = requiredCells(surveyable)
  const odd = readOddRecords(written, source.options.limits)
  const checkOne = checker()
  const toldOnce = tellOnce()
  const numbers: number[] = []
  let row = -1
  let record = 0
  const visit = (bytes: Buffer, at: number, frame: Frame, line: number): void => {
    row += 1
    if (blanks.has(row)) return
    record += 1
    if (wanted.has(first + row)) {
      numbers.push(record)
      odd.add(bytes, at, frame, line, row)
    } else if (repeats.has(first + row)) {
      const mandate = (): PlainMandate => cells.mandateOf(bytes, frame)
      repeats.take(first + row, { record, line, cells: ofBytes(bytes, frame, at), mandate })
    }
  }
  const walk = piecesOf(walkRecords(written, source, visit, signal))
  for await (const _ of walk) {
    const raws = odd.read()
    if (raws.length === 0) yield []
    for (let at = 0; at < raws.length; at += BATCH)
      yield raws.slice(at, at + BATCH).map((raw, index) => {
        if (isBlankRecord(raw.cells)) throw new Unsure()
        return toldOnce(checkOne(raw, numbers[at + index] ?? 0).checked)
      })
    numbers.length = 0
  }
}
