import { posix } from 'node:path'
import { crc32 } from 'node:zlib'
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl'
import { SourceError, refuse } from '../../errors.js'
import { drain, isTrue, readXml, type XmlHandlers } from '../bytes/xml.js'
import { piecesOf, type ByteSource } from '../bytes/input.js'
import type { LimitOptions } from '../options.js'
import { dayOfSerial, EXCEL_1904_EPOCH, EXCEL_EPOCH } from '../../domain/mandate/date.js'

/** A sheet of rows and cells, as the tabs of the workbook name it. */
export interface Sheet {
  readonly name: string
  readonly isHidden: boolean
  /** Its part of the package. */
  readonly part: string
}

/** A workbook whose parts can be read (ECMA-376, Open Packaging Conventions and SpreadsheetML). */
export type Workbook = Awaited<ReturnType<typeof openWorkbook>>

/** The packed file is kept in memory: a million rows take some 60 MB. */
const MOST_PACKED = 256 * 1024 ** 2
const MOST_PARTS = 10_000
/** Sheets of equal rows were measured at 25; deflate ends at 1032. */
const MOST_RATIO = 200
const RATIO_FROM = 32 * 1024 ** 2
const MOST_OF_SHEET = 4 * 1024 ** 3
const MOST_OF_PART = 512 * 1024 ** 2
/** All that is unpacked while a sheet is found, looked at and read, up to three times. */
const MOST_PASSES = 8

const DAMAGED =
  'The file is damaged or cut off. Copy it again, or open it in a spreadsheet and save it under another name.'

const damaged = (label: string, what: string, cause?: unknown): SourceError =>
  refuse(label, 'FILE_FORMAT', what, { next: DAMAGED, cause })

/** @throws {SourceError} FILE_FORMAT for what is no workbook that can be read whole */
export async function openWorkbook(bytes: ByteSource, limits: LimitOptions, signal: AbortSignal | undefined) {
  const { label } = bytes
  const { packed, end } = await readPacked(bytes, signal)
  const parts = await openPackage(label, packed, limits, signal)
  const main = (await relationsOf('', parts)).find(({ type }) => type === 'officeDocument')?.target
  if (main === undefined || !parts.has(main) || main.endsWith('.bin'))
    throw refuse(label, 'FILE_FORMAT', 'it is packed like a workbook and holds none that can be read', {
      next: 'Open it in a spreadsheet and save it as an Excel workbook (.xlsx).',
    })
  const related = await relationsOf(main, parts)
  const readPart = (wanted: string) => async (handlers: XmlHandlers) => {
    const part = related.find(({ type, target }) => type === wanted && parts.has(target))?.target
    if (part !== undefined) await drain(parts.read(part, handlers))
  }
  const { sheets, is1904 } = await sheetsIn(parts, main, related)
  return {
    label,
    end,
    sheets,
    /** Days are counted from 1 January 1904. */
    is1904,
    ...(await readStyles(readPart('styles'))),
    texts: await sharedTexts(readPart('sharedStrings')),
    /** The rows of a sheet beside a cell of which somebody wrote a note. */
    notesOf: async ({ part }: Sheet): Promise<ReadonlySet<number>> => {
      const rows = new Set<number>()
      let row = 0
      const handlers: XmlHandlers = {
        open: (name, { ref = '' }) => {
          if (name === 'comment') row = Number(ref.replace(/^[A-Z]+/, ''))
        },
        close: (name, text) => {
          if (name === 't' && text.trim() !== '') rows.add(row)
        },
      }
      for (const { type, target } of await relationsOf(part, parts))
        if (type === 'comments' && parts.has(target)) await drain(parts.read(target, handlers))
      return rows
    },
    /** Tells the elements of a sheet and yields after each chunk. @throws {SourceError} FILE_FORMAT where it is damaged */
    read: ({ part }: Sheet, handlers: XmlHandlers, signal?: AbortSignal) =>
      parts.read(part, handlers, MOST_OF_SHEET, signal),
  }
}

async function readPacked(bytes: ByteSource, signal: AbortSignal | undefined) {
  const chunks: Uint8Array[] = []
  let length = 0
  const pieces = piecesOf(bytes.read(signal))
  for await (const chunk of pieces) {
    chunks.push(chunk)
    length += chunk.length
    const what = `it is a workbook of more than ${MOST_PACKED / 1024 ** 2} MiB`
    if (length > MOST_PACKED)
      throw refuse(bytes.label, 'FILE_FORMAT', what, { next: 'Give the export as CSV.' })
  }
  return { packed: Buffer.concat(chunks), end: pieces.end() }
}

type Package = Awaited<ReturnType<typeof openPackage>>

async function openPackage(label: string, packed: Buffer, limits: LimitOptions, opening?: AbortSignal) {
  /** By their names, which are the same in either case. */
  const entries = new Map<string, Entry>()
  let zip: ZipFile
  try {
    zip = await fromBufferPromise(packed, { lazyEntries: true })
    for await (const entry of zip.eachEntry()) {
      const name = entry.fileName.toLowerCase()
      if (entries.has(name) || entries.size >= MOST_PARTS)
        throw damaged(label, 'its ZIP directory names a part twice, or too many parts')
      entries.set(name, entry)
    }
  } catch (error) {
    throw error instanceof SourceError ? error : damaged(label, 'its ZIP directory cannot be read', error)
  }
  let total = 0
  const mostTotal = MOST_PASSES * Math.max(RATIO_FROM, packed.length * MOST_RATIO)
  async function* unpack(part: string, cap: number, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    const entry = entries.get(part.toLowerCase())
    if (entry === undefined) throw damaged(label, `its part "${part}" is missing`)
    if (entry.isEncrypted())
      throw refuse(label, 'FILE_FORMAT', 'it is encrypted', { next: 'Save it without a password.' })
    const most = Math.min(limits.unpackedBytes, cap, Math.max(RATIO_FROM, entry.compressedSize * MOST_RATIO))
    let length = 0
    let sum = 0
    try {
      const stream = await zip.openReadStreamPromise(entry)
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        signal?.throwIfAborted()
        length += chunk.length
        sum = crc32(chunk, sum)
        total += chunk.length
        if (length > most || total > mostTotal)
          throw refuse(label, 'FILE_FORMAT', `its part "${part}" unpacks to more than can be believed`, {
            next: 'Give the export as CSV.',
          })
        yield chunk
      }
    } catch (error) {
      if (signal?.aborted === true || error instanceof SourceError) throw error
      throw damaged(label, `its part "${part}" cannot be unpacked`, error)
    }
    if (sum !== entry.crc32)
      throw damaged(label, `its part "${part}" does not have the checksum it should have`)
  }
  return {
    label,
    has: (part: string): boolean => entries.has(part.toLowerCase()),
    read: (
      part: string,
      handlers: XmlHandlers,
      most = MOST_OF_PART,
      signal = opening,
    ): AsyncGenerator<undefined> =>
      readXml(label, `its part "${part}"`, unpack(part, most, signal), handlers),
  }
}

interface Relation {
  readonly id: string
  /** The last word of its type, which transitional and strict workbooks share. */
  readonly type: string
  readonly target: string
}

async function relationsOf(part: string, parts: Package): Promise<readonly Relation[]> {
  const name = posix.join(posix.dirname(part), '_rels', `${posix.basename(part)}.rels`)
  const relations: Relation[] = []
  const open: XmlHandlers['open'] = (element, { Id = '', Type = '', Target = '', TargetMode }) => {
    if (element !== 'Relationship' || TargetMode === 'External') return
    const target = posix.join('/', Target.startsWith('/') ? '' : posix.dirname(part), Target).slice(1)
    relations.push({ id: Id, type: posix.basename(Type), target })
  }
  if (parts.has(name)) await drain(parts.read(name, { open, close: () => undefined }))
  return relations
}

async function sheetsIn(parts: Package, main: string, related: readonly Relation[]) {
  const sheets: Sheet[] = []
  let is1904 = false
  const open: XmlHandlers['open'] = (element, attributes) => {
    if (element === 'workbookPr') is1904 = isTrue(attributes['date1904'])
    if (element !== 'sheet') return
    const id = Object.entries(attributes).find(([name]) => name.endsWith(':id'))?.[1]
    const relation = related.find((one) => one.id === id)
    // Charts and macros have tabs too, and no rows.
    if (relation?.type !== 'worksheet') return
    const isHidden = (attributes['state'] ?? 'visible') !== 'visible'
    sheets.push({ name: attributes['name'] ?? '', isHidden, part: relation.target })
  }
  await drain(parts.read(main, { open, close: () => undefined }))
  if (sheets.length === 0) throw damaged(parts.label, 'it is a workbook without a sheet')
  return { sheets, is1904 }
}

const ESCAPED = /_x([0-9A-Fa-f]{4})_/g

/** Characters that XML cannot hold are written as `_x000D_` (ECMA-376, ST_Xstring). */
export const unescapeText = (text: string): string =>
  text.includes('_x')
    ? text.replace(ESCAPED, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
    : text

/** Joins the runs of a rich text; what tells how it is spoken is no part of it. */
export function textRuns() {
  let joined = ''
  let spoken = 0
  return {
    open: (name: string): void => {
      if (name === 'rPh') spoken += 1
    },
    close: (name: string, text: string): void => {
      if (name === 'rPh') spoken -= 1
      else if (name === 't' && spoken === 0) joined += unescapeText(text)
    },
    take: (): string => {
      const text = joined
      joined = ''
      return text
    },
  }
}

/** The texts in their order. */
async function sharedTexts(read: (handlers: XmlHandlers) => Promise<void>): Promise<readonly string[]> {
  const texts: string[] = []
  const { open, close, take } = textRuns()
  await read({
    open,
    close: (name, text) => {
      close(name, text)
      if (name === 'si') texts.push(take())
    },
  })
  return texts
}

/** How the numbers of a cell format are shown: as a day, with as many digits as zeros, or plainly. */
type NumberFormat = { readonly kind: 'day' } | { readonly kind: 'digits'; readonly shape: string } | null

/** Formats that need not be written in a workbook (ECMA-376, 18.8.30, also those of East Asia). */
const isBuiltInDay = (id: number): boolean =>
  (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)

/** Quoted and escaped text, fillers, and conditions, colours or locales in brackets. */
const LITERAL = /"[^"]*"|\\.|_.|\*.|\[[^[\]]*\]/g

/** What a format code shows of a positive number. */
function readFormat(code: string): NumberFormat {
  const [positive = ''] = /^(?:[^;"]|"[^"]*")*/.exec(code) ?? []
  const first = positive.replace(LITERAL, (literal) => (/^["\\]/.test(literal) ? literal : ''))
  const bare = first.replace(LITERAL, '')
  if (/^general$/i.test(bare)) return null
  // A month alone stands beside a day or a year; beside hours and seconds the letter means minutes.
  if (/[dy]/i.test(bare) || (/m/i.test(bare) && !/[hs]/i.test(bare))) return { kind: 'day' }
  if (!/^(?=[\s/()-]*0)[0\s/()-]*$/.test(bare)) return null
  return {
    kind: 'digits',
    shape: first.replace(/"([^"]*)"|\\(.)/g, (_, quoted?: string, one?: string) => hide(quoted ?? one ?? '')),
  }
}

/** A zero of a literal text is no place for a digit. */
const hide = (text: string): string => text.replaceAll('0', '\u0000')

/** The styles of a workbook: what is known of a cell by the number that it gives as its style. */
async function readStyles(read: (handlers: XmlHandlers) => Promise<void>) {
  const codes = new Map<number, NumberFormat>()
  const fonts: { readonly isStruck: boolean }[] = []
  let isFont = false
  const styles: { readonly id: number; readonly font: number }[] = []
  const open: XmlHandlers['open'] = (name, given, parent) => {
    const { numFmtId = '0', formatCode = '', fontId = '0', val = '1' } = given
    if (name === 'numFmt' && parent === 'numFmts') codes.set(Number(numFmtId), readFormat(formatCode))
    if (name === 'font') isFont = parent === 'fonts'
    if (name === 'font' && isFont) fonts.push({ isStruck: false })
    if (name === 'strike' && isFont) fonts.splice(-1, 1, { isStruck: isTrue(val) })
    if (name === 'xf' && parent === 'cellXfs') styles.push({ id: Number(numFmtId), font: Number(fontId) })
  }
  await read({ open, close: () => undefined })
  const formats = styles.map(
    ({ id }): NumberFormat => codes.get(id) ?? (isBuiltInDay(id) ? { kind: 'day' } : null),
  )
  return {
    formatOf: (style: number): NumberFormat => formats[style] ?? null,
    /** A line is drawn through its text. */
    isStruck: (style: number): boolean => fonts[styles[style]?.font ?? 0]?.isStruck === true,
  }
}

/** Below it, days of 1900 are one off: Excel counts a 29 February 1900 that never was. */
const FIRST_DAY = '1900-03-01'
/** Numbers have 15 digits; what Excel was given beyond them is lost. */
const BEYOND_DIGITS = 1e15

/** With the time behind it, where there is one: the day alone may be that of another zone. */
function dayOf(serial: number, is1904: boolean): string | null {
  const { day, time } = dayOfSerial(serial, is1904 ? EXCEL_1904_EPOCH : EXCEL_EPOCH)
  if (day === null || day < (is1904 ? EXCEL_1904_EPOCH : FIRST_DAY)) return null
  return time === 0 ? day : `${day} ${new Date(time * 1000).toISOString().slice(11, 19)}`
}

/** The digits at the places of the zeros, from the right; those that are left stand at the first. */
function shapeDigits(digits: string, shape: string): string {
  const zeros = shape.split('0').length - 1
  const rest = Array.from(digits.padStart(zeros, '0'))
  let first = rest.length - zeros + 1
  const take = (): string => {
    const taken = rest.splice(0, first).join('')
    first = 1
    return taken
  }
  return shape.replaceAll('0', take).replaceAll('\u0000', '0')
}

/**
 * A number as a person sees it in the sheet, as far as that tells it: a day as `YYYY-MM-DD`, leading zeros, whole digits.
 * What has more than 15 digits is written with an exponent, since its last digits are lost (EXCEL_SCIENTIFIC).
 */
export function showNumber(written: string, format: NumberFormat, is1904: boolean): string {
  const value = Number(written)
  if (written.trim() === '' || !Number.isFinite(value)) return written
  if (format?.kind === 'day') {
    const day = dayOf(value, is1904)
    if (day !== null) return day
  }
  if (!Number.isInteger(value)) return String(Number(value.toPrecision(15)))
  if (Math.abs(value) >= BEYOND_DIGITS) return value.toExponential()
  return format?.kind === 'digits' && value >= 0 ? shapeDigits(String(value), format.shape) : String(value)
}
