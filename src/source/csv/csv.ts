import { textOf, type TextSource } from '../bytes/decoded-text.js'
import { piecesOf } from '../bytes/pieces.js'
import {
  isBlankRecord,
  type InputFormat,
  type RawRecord,
  type Table,
  type TableEnd,
  type TableOptions,
} from '../table.js'
import { splitLine, type DelimiterChoice } from './delimiter.js'
import { bodyOf, detectLayout, recordSettings, type Layout } from './layout.js'
import { guessPreamble } from './preamble.js'
import { readRecords } from './records.js'

/** Text in records and cells. It recognises whatever no other format does, and refuses what is no text. */
export const CSV: InputFormat = {
  name: 'CSV',
  recognises: () => true,
  open: async (bytes, options) => {
    const text = textOf(bytes)
    const { layout: declared, seeksHeader } = options
    const preamble =
      seeksHeader === true
        ? guessPreamble(text.choose(declared.encoding).head, declared, options.isKnown)
        : { lines: declared.skipLines, evidence: 'declared' }
    const layout = await detectLayout(text, {
      ...options,
      layout: { ...declared, skipLines: preamble.lines },
    })
    const { encoding, delimiter, skipLines, skipFooterLines } = layout
    return {
      name: bytes.name,
      label: bytes.label,
      sha256: bytes.sha256,
      header: layout.header,
      headerCells: layout.headerCells,
      headerLine: layout.headerLine,
      isResultFile: layout.isResultFile,
      written: { encoding, delimiter, skipLines, skipFooterLines },
      evidence: {
        encoding: encodingEvidence(text, layout),
        delimiter: DELIMITER_EVIDENCE[delimiter.by],
        preamble,
      },
      assumed: assumedEncoding(text, layout),
      preamble: layout.preamble,
      split: (line) => splitLine(line, delimiter.delimiter),
      read: (signal) => piecesOf(readTable(text, layout, options, signal)),
    }
  },
}

async function* readTable(
  text: TextSource,
  layout: Layout,
  { limits, trustsOwnQuotes }: TableOptions,
  signal: AbortSignal | undefined,
): AsyncGenerator<RawRecord[], TableEnd> {
  const { judge, ...settings } = recordSettings(layout, limits)
  const isTrusted = trustsOwnQuotes === true && layout.isResultFile
  const pieces = piecesOf(text.read(layout.encoding.encoding, signal))
  const body = piecesOf(bodyOf(pieces, layout, limits))
  const records = piecesOf(readRecords(text.label, body, { ...settings, judge: isTrusted ? null : judge }))
  // The header is none.
  let blankLines = -1
  for await (const batch of records) {
    const kept = batch.filter(({ line, cells }) => line > layout.headerLine && !isBlankRecord(cells))
    blankLines += batch.length - kept.length
    yield kept
  }
  const end = records.end()
  return { ...pieces.end(), ...end, footer: body.end(), blankLines: blankLines + end.blankLines }
}

const DELIMITER_EVIDENCE: Readonly<Record<DelimiterChoice['by'], string>> = {
  declared: 'declared',
  'sep= line': 'the first line names it',
  'header line': 'the header line is split by it',
}

function encodingEvidence({ notUtf8At }: TextSource, { encoding }: Layout): string {
  if (encoding.by === 'assumed') return `assumed, because line ${notUtf8At ?? 1} is not UTF-8`
  if (encoding.by === 'strict UTF-8') return 'every byte is valid UTF-8'
  return encoding.by === 'byte order mark' ? 'the file starts with its byte order mark' : 'declared'
}

function assumedEncoding({ notUtf8At }: TextSource, { encoding }: Layout): Table['assumed'] {
  if (encoding.by !== 'assumed') return []
  const detail = `Line ${notUtf8At ?? 1} is not UTF-8, so it was read as ${encoding.encoding}.`
  return [{ rule: 'FILE_ENCODING_ASSUMED', value: encoding.encoding, detail }]
}
