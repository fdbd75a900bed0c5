import { isAscii } from 'node:buffer'
import type {
  CreditorIdentifier,
  Field,
  Iban,
  LocalDate,
  MandateReference,
} from '../../domain/mandate/mandate.js'
import type { CheckedRecord, Finding } from '../../domain/rule/verdict.js'
import { upperCase } from '../../domain/text/text.js'
import type { CheckOptions } from '../../domain/value/check-mandate.js'
import { checkLastCollection, latestDebitFromSigning } from '../../domain/value/last-collection.js'
import type { Encoding } from '../bytes/encoding.js'
import type { MappedColumn } from '../columns/mapping.js'
import type { Frame } from './framing.js'
import type { PlainCells } from './plain-cells.js'
import { remembered } from './plain-words.js'
import { Unsure } from './walk.js'

/** Makes the checked record of a row that was judged plain, without checking it again. */
export interface PlainRecords {
  /** @param record its number @param to where the bytes end */
  readonly recordOf: (bytes: Buffer, frame: Frame, line: number, to: number) => Numberless
  /** The bytes that follow are others. */
  readonly next: () => void
}

/** How many records stand before it is not known yet. */
export type Numberless = { -readonly [Name in keyof CheckedRecord]: CheckedRecord[Name] }

const NONE: readonly Finding[] = []
const SPACE = 0x20
const TAB = 0x09
const QUOTE = 0x22

/** What the full reading makes of a plain record is known from its cells: nothing in them is cleaned or objected to. */
export function plainRecords(
  fields: readonly MappedColumn[],
  width: number,
  encoding: Encoding,
  check: CheckOptions,
  judged: Pick<PlainCells, 'dates' | 'dateNumber' | 'customerNo' | 'creditor'>,
): PlainRecords {
  const at = (wanted: Field): number => fields.find(({ field }) => field === wanted)?.position ?? -1
  const ibanAt = at('iban')
  const referenceAt = at('unique_mandate_reference')
  const collectionAt = at('last_collection_date')
  const fromSigning = remembered((date: LocalDate) => latestDebitFromSigning(date, check.today))
  const fromCollection = latestFromCollection(check)
  const cells = cellReader(encoding)

  function recordOf(bytes: Buffer, frame: Frame, line: number, to: number): Numberless {
    const creditor = judged.creditor()
    if (creditor === null) throw new Unsure()
    const read = cells.read(bytes, frame, width, to)
    const customerNo = judged.customerNo()
    const iban = (read[ibanAt] ?? '') as Iban
    const signedDate = judged.dates.dateOf(judged.dateNumber())
    const mandateReference = (read[referenceAt] ?? '') as MandateReference
    const creditorIdentifier = creditor.value as CreditorIdentifier
    const collected = collectionAt < 0 ? null : fromCollection(read[collectionAt] ?? '')
    return {
      record: 0,
      line,
      cells: read,
      corrects: null,
      isDecided: false,
      verdict: {
        kind: 'sendable',
        mandate: { customerNo, iban, signedDate, original: { creditorIdentifier, mandateReference } },
      },
      values: { customerNo, iban, signedDate, creditorIdentifier, mandateReference },
      mandateKey: creditor.prefix + upperCase(mandateReference),
      latestFirstDebit: collected ?? fromSigning(signedDate),
      findings: NONE,
      isUnchanged: false,
    }
  }

  return { recordOf, next: cells.next }
}

/** The lapse that a cell of the last collection tells by itself; null where signing decides. */
function latestFromCollection(check: CheckOptions): (cell: string) => LocalDate | null {
  const { today, dormantSoonDays, severities, lastCollectionFormat: format } = check
  return remembered(
    (cell: string) =>
      checkLastCollection(cell, { format, today, dormantSoonDays, signedDate: null, severities })
        .latestFirstDebit,
  )
}

/** Cells as the parser reads them: blanks around a cell that is not quoted are no part of it. */
function cellReader(encoding: Encoding) {
  const decoding = encoding === 'utf-8' ? 'utf8' : 'latin1'
  /** The bytes as text, where each of them is a character; null where they are not, or it was not asked yet. */
  let text: string | null = null
  let isAsked = false

  function read(bytes: Buffer, { starts, ends }: Frame, width: number, to: number): string[] {
    if (!isAsked) {
      isAsked = true
      const all = bytes.subarray(0, to)
      text = isAscii(all) ? all.toString('latin1') : null
    }
    const cells: string[] = []
    for (let index = 0; index < width; index += 1) {
      let start = starts[index] ?? 0
      let end = ends[index] ?? 0
      if (bytes[start - 1] !== QUOTE) {
        while (start < end && isBlankByte(bytes[start] ?? 0)) start += 1
        while (end > start && isBlankByte(bytes[end - 1] ?? 0)) end -= 1
      }
      cells.push(text === null ? bytes.toString(decoding, start, end) : text.slice(start, end))
    }
    return cells
  }

  return {
    read,
    next: (): void => {
      isAsked = false
      text = null
    },
  }
}

const isBlankByte = (byte: number): boolean => byte === SPACE || byte === TAB
