import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { cleanCell, fold, isRecord, parseJson } from '../domain/text/text.js'
import { showValue } from '../domain/rule/verdict.js'
import { codeOf, SourceError, refuse } from '../errors.js'
import { piecesOf, type SourceInput, sizeOf, isZip, opening } from './bytes/input.js'
import { DEFAULT_SOURCE_OPTIONS } from './options.js'
import { ownName } from './columns/header.js'
import { refuseRagged, type InputFormat, type RawRecord, type Table, type TableEnd } from './table.js'
import { INPUT_FORMATS, openTable } from './formats.js'

export type ListRow = ReturnType<typeof rowOf>

/**
 * @param expected names that may be asked for; none of them may occur twice
 * @throws {SourceError} for a file that cannot be read, has no header, or has an expected column twice
 */
export async function openList(input: SourceInput, expected: readonly string[], sheet?: string) {
  const names = new Set(expected.map(fold))
  const { source, limits } = DEFAULT_SOURCE_OPTIONS
  const options = {
    layout: { ...source, sheet },
    limits,
    isKnown: (name: string) => names.has(fold(name)),
    trustsOwnQuotes: true,
  }
  const table = await openTable(input, options, undefined, [JSON_LIST, ...INPUT_FORMATS])
  const positions = positionsOf(table, expected)
  let sha256 = ''

  async function* rows(signal?: AbortSignal, isRaggedLeft = false): AsyncGenerator<ListRow> {
    const batches = table.read(signal)
    for await (const records of batches)
      for (const record of records) {
        if (isRaggedLeft && record.cells.length !== table.header.width) continue
        refuseRagged(table, record, `line ${record.line}`)
        yield rowOf(record, positions, table, sheet)
      }
    sha256 = batches.end().sha256
  }

  return {
    name: table.name,
    /** The sheet that was asked for, and all that a workbook of ours has. */
    sheet,
    sheets: table.sheets ?? [],
    /** Every record but the header; on demand without those of another width, which somebody else judges. @throws {SourceError} for a file that cannot be trusted or a ragged record */
    rows,
    /** Hash of the bytes, known after the last row. */
    sha256: (): string => sha256,
  }
}

/**
 * The same for each sheet of a workbook of ours.
 * @param open anew for each of them
 */
export async function openLists(open: () => SourceInput, expected: readonly string[]) {
  const first = await openList(open(), expected)
  if (first.sheets.length === 0) return [first]
  const lists: (typeof first)[] = []
  for (const sheet of first.sheets) lists.push(await openList(open(), expected, sheet))
  return lists
}

const keyOf = (name: string): string => fold(ownName(name))

/**
 * Whether a file is a list of this program, by its beginning; of a workbook, by the first row of each sheet. What cannot be
 * read is none: who reads it says why.
 */
export async function isOwnList(path: string): Promise<boolean> {
  try {
    // What flows through a pipe can be read only once.
    if ((await sizeOf(path)) === null) return false
    const start = Buffer.concat(await createReadStream(path, { end: START_BYTES - 1 }).toArray())
    if (!isZip(start))
      return /migration[_\s-]row|Your decision/i.test(opening(start).split(/[\r\n]/, 1)[0] ?? '')
    return await (await import('./xlsx/xlsx.js')).hasOwnSheet(path)
  } catch (error) {
    if (error instanceof SourceError || codeOf(error) !== '') return false
    throw error
  }
}

const START_BYTES = 65_536

function positionsOf({ label, headerCells, headerLine }: Table, expected: readonly string[]) {
  const positions = new Map<string, number[]>()
  for (const [index, name] of headerCells.entries())
    positions.set(keyOf(name), [...(positions.get(keyOf(name)) ?? []), index])
  const twice = expected.find((name) => (positions.get(keyOf(name))?.length ?? 0) > 1)
  if (twice === undefined) return positions
  throw refuse(label, 'FILE_HEADER_DUPLICATE', `it has the column "${twice}" twice`, { line: headerLine })
}

const rowOf = (
  { line, cells }: RawRecord,
  positions: ReadonlyMap<string, readonly number[]>,
  { cellName }: Table,
  sheet: string | undefined,
) => ({
  /** Physical line on which the record begins, from 1. */
  line,
  /** Where people find the cell of a column. */
  placeOf: (name: string, nth = 0): string => {
    const position = positions.get(keyOf(name))?.[nth] ?? 0
    const column = name.startsWith('migration_') ? name : `"${showValue(name)}"`
    if (sheet === undefined || cellName === undefined) return `line ${line}, column ${column}`
    return `sheet ${sheet}, cell ${cellName(line, position)}`
  },
  /** The cell of the first of these columns that the file has, cleaned; null where it has none. Names are folded. */
  cell: (...wanted: readonly string[]): string | null => {
    const position = wanted.map((name) => positions.get(keyOf(name))?.[0]).find((at) => at !== undefined)
    return position === undefined ? null : cleanCell(cells[position] ?? '')
  },
  /** The cells of every column of that name as they stand in the file; none where it has no such column. */
  cells: (name: string): readonly string[] =>
    (positions.get(keyOf(name)) ?? []).map((position) => cells[position] ?? ''),
})

type Flat = Map<string, string>

/** `details: { iban }` is the column `details.iban`; what is no text, number or truth value is none. */
function flatten(value: unknown, name: string, into: Flat): Flat {
  if (isRecord(value))
    for (const [key, inner] of Object.entries(value))
      flatten(inner, name === '' ? key : `${name}.${key}`, into)
  else if (['string', 'number', 'boolean'].includes(typeof value)) into.set(name, String(value))
  return into
}

/** A list that the service, or its simulator, gives as JSON: an object for each mandate, whose place is its line. */
const JSON_LIST: InputFormat = {
  recognises: (start) => /^[[{]/.test(opening(start)),
  open: async (bytes, _, signal) => {
    const { name, label, sha256 } = bytes
    const pieces = piecesOf(bytes.read(signal))
    const chunks = (await Readable.from(pieces).toArray()) as Uint8Array[]
    const entries = parse(label, Buffer.concat(chunks)).map((entry) => flatten(entry, '', new Map()))
    const names = [...new Set(entries.flatMap((entry) => [...entry.keys()]))]
    const records = entries.map((entry, at): RawRecord => ({
      line: at + 1,
      cells: names.map((column) => entry.get(column) ?? ''),
    }))
    async function* read(): AsyncGenerator<RawRecord[], TableEnd> {
      await Promise.resolve()
      yield records
      return { ...pieces.end(), blankLines: 0, lines: records.length, footer: '' }
    }
    return { name, label, sha256, headerCells: names, headerLine: 0, read }
  },
}

/** An answer of the service has its list in `data`. */
function parse(label: string, bytes: Buffer): readonly unknown[] {
  const parsed = parseJson(bytes.toString('utf8'))
  const list = parsed !== null && typeof parsed === 'object' && 'data' in parsed ? parsed.data : parsed
  if (Array.isArray(list)) return list as unknown[]
  const what = parsed === undefined ? 'it is no JSON that can be read whole' : 'it is JSON without a list'
  const next =
    'Give the list as the service printed it: an array of objects, or an answer with one in "data".'
  throw refuse(label, 'FILE_FORMAT', what, { next })
}
