import { readDate } from '../../domain/mandate/date-format.js'
import type { Field, LocalDate } from '../../domain/mandate/mandate.js'
import type { CheckOptions } from '../../domain/value/check-mandate.js'
import { checkLastCollection, isLongAgo } from '../../domain/value/last-collection.js'
import { checkWord, WORDS, type Meanings } from '../../domain/value/words.js'
import type { Encoding } from '../bytes/encoding.js'
import type { MappedColumn } from '../columns/mapping.js'
import type { ColumnsWatch, WatchedColumn } from '../watch/column-watch.js'
import type { Frame } from './framing.js'
import { NEW, NOT_PLAIN, PLAIN } from './plain-cells.js'

/** The cells beside the five required ones, that a rule or a watch over the file looks at. */
export interface PlainWords {
  /**
   * PLAIN where no rule says anything about them and every watched word was seen before, NEW where one was not. What was
   * seen is kept until the next call.
   */
  readonly judge: (bytes: Buffer, frame: Frame, signedDate: LocalDate) => number
  /** Counts the words of the record that was judged last. */
  readonly take: () => void
}

/** Distinct cells whose reading is remembered for each column. */
const MOST_REMEMBERED = 5_000

type CellTest = (cell: string, signedDate: LocalDate) => boolean

interface LookedAt {
  readonly position: number
  readonly test: CellTest | null
  readonly counter: WatchedColumn['counter'] | null
  readonly notesEach: boolean
}

export function judgeWords(
  fields: readonly MappedColumn[],
  positions: readonly number[],
  check: CheckOptions,
  encoding: Encoding,
  { watched }: Pick<ColumnsWatch, 'watched'>,
): PlainWords {
  const decoding = encoding === 'utf-8' ? 'utf8' : 'latin1'
  const columns: LookedAt[] = [
    ...fields.flatMap(({ field, position }) => {
      const test = testOf(field, check)
      return test === null ? [] : [{ position, test, counter: null, notesEach: false }]
    }),
    ...watched.map(({ index, ...watch }) => ({ position: positions[index] ?? 0, test: null, ...watch })),
  ]
  const seen: { count: number }[] = []

  return {
    judge: (bytes, { starts, ends }, signedDate) => {
      if (seen.length > 0) seen.length = 0
      for (const { position, test, counter, notesEach } of columns) {
        const start = starts[position] ?? 0
        const end = ends[position] ?? 0
        if (counter !== null && start === end) continue
        if (notesEach) return NOT_PLAIN
        if (counter?.isClosed() === true) continue
        const cell = bytes.toString(decoding, start, end)
        if (cell.trim() !== cell || test?.(cell, signedDate) === false) return NOT_PLAIN
        if (counter === null) continue
        const word = counter.known(cell)
        if (word === null) return NEW
        seen.push(word)
      }
      return PLAIN
    },
    take: () => {
      for (const word of seen) word.count += 1
    },
  }
}

/** Whether the rules say nothing about a cell of this field; null for the required fields. */
function testOf(field: Field, check: CheckOptions): CellTest | null {
  const { words = WORDS, schemeIsFirmenMandat } = check
  if (field === 'last_collection_date') return collectionTest(check)
  if (field === 'status') return wordTest(field, words.status, check)
  if (field === 'sequence') return wordTest(field, words.sequence, check)
  if (field === 'scheme')
    return wordTest(field, schemeIsFirmenMandat ? words.firmenMandat : words.scheme, check)
  return null
}

function wordTest(
  field: 'status' | 'sequence' | 'scheme',
  meanings: Meanings,
  { severities }: CheckOptions,
): CellTest {
  return remembered((cell: string) => checkWord(field, cell, meanings, severities).length === 0)
}

/** Which signature dates go with a cell: all, those that are not long ago, those up to a day, or none. */
function collectionTest(check: CheckOptions): CellTest {
  const { today, dormantSoonDays, severities, lastCollectionFormat: format } = check
  const latestSigned = remembered((cell: string): LocalDate | 'recent' | null => {
    const options = { format, today, dormantSoonDays, signedDate: null, severities }
    const { findings, latestFirstDebit } = checkLastCollection(cell, options)
    if (findings.length > 0) return null
    if (latestFirstDebit === null) return 'recent'
    const read = readDate(cell, format, today)
    return read.kind === 'date' ? read.date : null
  })
  return (cell, signedDate) => {
    const latest = latestSigned(cell)
    return latest === 'recent' ? !isLongAgo(signedDate, today) : latest !== null && signedDate <= latest
  }
}

/** Asks once for each cell, as long as they are not too many. */
export function remembered<Cell extends string, Answer>(ask: (cell: Cell) => Answer): (cell: Cell) => Answer {
  const answers = new Map<Cell, Answer>()
  return (cell) => {
    const known = answers.get(cell)
    if (known !== undefined) return known
    const answer = ask(cell)
    if (answers.size < MOST_REMEMBERED) answers.set(cell, answer)
    return answer
  }
}
