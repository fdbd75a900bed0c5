import { parse } from 'csv-parse/sync'
import { createDecoder, type Encoding } from '../bytes/encoding.js'
import { parserOptions } from '../csv/records.js'
import type { RecordLimits } from '../csv/record-scanner.js'
import type { RawRecord, TableBytes } from '../table.js'
import type { Frame } from './framing.js'
import { Unsure } from './walk.js'

/** A record that is read in full. */
export interface OddRecord extends RawRecord {
  /** Its place among the records of the file, those of separators only included; from 0. */
  readonly row: number
}

/** Reads single records as the reader of the whole file reads them. */
export interface OddRecords {
  readonly add: (bytes: Buffer, at: number, frame: Frame, line: number, row: number) => void
  /** Those that were added since, in order. @throws {Unsure} where the parser sees other records than we did */
  readonly read: () => readonly OddRecord[]
}

interface Added {
  readonly text: string
  readonly line: number
  readonly lines: number
  readonly row: number
}

export function readOddRecords({ encoding, delimiter, judge }: TableBytes, limits: RecordLimits): OddRecords {
  const decode = decoderOf(encoding)
  // A mark within the text is a character like any other.
  const options = { ...parserOptions(delimiter, limits), bom: false }
  let added: Added[] = []
  return {
    add: (bytes, at, { end, lines }, line, row) => {
      added.push({ text: decode(bytes.subarray(at, end)), line, lines, row })
    },
    read: () => {
      const taken = added
      if (taken.length === 0) return []
      added = []
      const cells = parsed(`${taken.map(({ text }) => text).join('\n')}\n`, options)
      if (cells.length !== taken.length) throw new Unsure()
      return taken.map(({ line, lines, row }, index) => {
        const record = { line, cells: cells[index] ?? [], row }
        if (lines > 1 && (judge?.(record) ?? null) !== null) throw new Unsure()
        return record
      })
    },
  }
}

function parsed(text: string, options: ReturnType<typeof parserOptions>): string[][] {
  try {
    return parse(text, options)
  } catch (error) {
    throw new Unsure('', { cause: error })
  }
}

function decoderOf(encoding: Encoding): (bytes: Uint8Array) => string {
  if (encoding !== 'utf-8') return createDecoder(encoding).decode
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  return (bytes) => decoder.decode(bytes)
}
