import { opening } from './bytes/beginning.js'
import { piecesOf } from './bytes/text.js'
import { readHeader } from './columns/header.js'
import { refuse } from './refusal.js'
import type { InputFormat, RawRecord, TableEnd } from './table.js'

type Flat = Map<string, string>

/** `details: { iban }` is the column `details.iban`; what is no text, number or truth value is none. */
function flatten(value: unknown, name: string, into: Flat): Flat {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    for (const [key, inner] of Object.entries(value))
      flatten(inner, name === '' ? key : `${name}.${key}`, into)
  else if (['string', 'number', 'boolean'].includes(typeof value)) into.set(name, String(value))
  return into
}

/** An answer of the service has its list in `data`. */
const entriesOf = (parsed: unknown): readonly unknown[] | null => {
  const list = parsed !== null && typeof parsed === 'object' && 'data' in parsed ? parsed.data : parsed
  return Array.isArray(list) ? (list as unknown[]) : null
}

/** A list that the service, or its simulator, gives as JSON: an object for each mandate, whose place is its line. */
export const JSON_LIST: InputFormat = {
  recognises: (start) => /^[[{]/.test(opening(start)),
  open: async (bytes, _, signal) => {
    const { name, label, sha256 } = bytes
    const chunks: Uint8Array[] = []
    const pieces = piecesOf(bytes.read(signal))
    for await (const chunk of pieces) chunks.push(chunk)
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
    return {
      ...{ name, label, sha256, header: readHeader(names), headerCells: names, headerLine: 0 },
      ...{ isResultFile: false, written: {}, assumed: [], preamble: '', split: () => [] },
      evidence: { preamble: { lines: 0, evidence: 'none' } },
      read: () => piecesOf(read()),
    }
  },
}

function parse(label: string, bytes: Buffer): readonly unknown[] {
  const next =
    'Give the list as the service printed it: an array of objects, or an answer with one in "data".'
  try {
    const entries = entriesOf(JSON.parse(bytes.toString('utf8')))
    if (entries !== null) return entries
  } catch (error) {
    throw refuse(label, 'FILE_FORMAT', 'it is no JSON that can be read whole', { next, cause: error })
  }
  throw refuse(label, 'FILE_FORMAT', 'it is JSON without a list', { next })
}
