import { describe, expect, it } from 'vitest'
import type { InputFormat, RawRecord, TableEnd } from '../../src/source/table.js'
import { textOf } from '../../src/source/bytes/text.js'
import { readHeader } from '../../src/source/columns/header.js'
import { DEFAULT_SOURCE_OPTIONS } from '../../src/source/options.js'
import { openSource } from '../../src/source/read-source.js'
import { refuse } from '../../src/source/refusal.js'
import { admitSources } from '../../src/run/admit-sources.js'
import { open } from '../ledger/campaign-setup.js'
import { CHECK, exportOf, fileOf, refusal } from '../support/sources.js'
import { CSV } from '../../src/source/csv/csv.js'
import { INPUT_FORMATS, openTable } from '../../src/source/formats.js'
import { openBytes, piecesOf } from '../../src/source/bytes/input.js'
import { collectionFile } from '../support/collections.js'
import { mandateCells, sheetOf, workbookBytes } from '../support/workbook.js'

/** One JSON array a line, names first. The program does not read it: it stands for a format that somebody adds. */
const JSON_LINES: InputFormat = {
  recognises: (start) => start[0] === 0x5b,
  open: async (bytes, { limits }) => {
    const text = textOf(bytes)
    const { head, ...encoding } = text.choose('utf-8')
    const headerCells = cellsOf(head.slice(0, head.indexOf('\n')))
    async function* read(signal?: AbortSignal): AsyncGenerator<RawRecord[], TableEnd> {
      const pieces = piecesOf(text.read(encoding.encoding, signal))
      let line = 0
      let rest = ''
      for await (const piece of pieces) {
        const lines = (rest + piece).split('\n')
        rest = lines.pop() ?? ''
        if (rest.length > limits.recordLength) throw refuse(text.label, 'FILE_RECORD_TOO_LONG', 'too long')
        const records = lines.map((one) => ({ line: (line += 1), cells: cellsOf(one) }))
        yield records.filter((record) => record.line > 1)
      }
      return { ...pieces.end(), blankLines: 0, lines: line, footer: '' }
    }
    return Promise.resolve({
      name: bytes.name,
      label: bytes.label,
      sha256: bytes.sha256,
      header: readHeader(headerCells),
      headerCells,
      headerLine: 1,
      isResultFile: false,
      written: { encoding },
      evidence: { preamble: { lines: 0, evidence: 'declared' } },
      assumed: [],
      preamble: '',
      split: () => [],
      read,
    })
  },
}

const cellsOf = (line: string): string[] => JSON.parse(line) as string[]

const WITH_JSON_LINES = [JSON_LINES, ...INPUT_FORMATS]

const jsonLines = (rows: number): string =>
  exportOf(rows)
    .trimEnd()
    .split('\n')
    .map((line) => `${JSON.stringify(line.split(','))}\n`)
    .join('')

describe('a further format', () => {
  it('becomes rows of the ledger by one entry in the list, with batches, lines and a hash', async () => {
    const ledger = open()
    const path = fileOf(jsonLines(2345), 'export.jsonl')
    const source = await openSource(path, DEFAULT_SOURCE_OPTIONS, CHECK, undefined, WITH_JSON_LINES)
    const admitted = await admitSources(ledger, [() => Promise.resolve(source)], {
      severities: {},
      signal: new AbortController().signal,
      watch: () => undefined,
    })
    expect(admitted).toMatchObject([{ name: 'export.jsonl', kind: 'admitted', records: 2345 }])
    expect(ledger.totals()).toMatchObject({ read: 2345, ready: 2345 })
    expect(source.summary()).toMatchObject({ records: 2345, sha256: source.sha256 })
    expect(source.reading).toMatchObject({ headerLine: 1, encoding: { by: 'declared' } })
    expect(source.reading).not.toHaveProperty('delimiter')
  })

  it('its rows pass the checks of every source: a wrong account keeps its row back, with its line', async () => {
    const path = fileOf(jsonLines(2).replace('DE89370400440532013000', 'DE00370400440532013000'))
    const source = await openSource(path, DEFAULT_SOURCE_OPTIONS, CHECK, undefined, WITH_JSON_LINES)
    const records = []
    for await (const batch of source.records()) records.push(...batch)
    expect(records.map(({ line, verdict }) => [line, verdict.kind])).toEqual([
      [2, 'invalid'],
      [3, 'sendable'],
    ])
  })

  it('without its entry the same file is refused', async () => {
    const error = await refusal(openSource(fileOf(jsonLines(2)), DEFAULT_SOURCE_OPTIONS, CHECK))
    expect(error.rule).toMatch(/^FILE_/)
  })
})

describe('the list of formats', () => {
  it('lets a person stop what looks at a whole file before its first row', async () => {
    const { limits } = DEFAULT_SOURCE_OPTIONS
    const layout = { skipLines: 0, skipFooterLines: 0, multilineColumns: [] }
    const workbook = workbookBytes({ sheets: { Mandates: sheetOf(mandateCells(1)) } })
    for (const content of [workbook, collectionFile([{ reference: 'M-1' }])]) {
      const bytes = await openBytes(fileOf(content), { maxUnpackedBytes: null })
      const format = INPUT_FORMATS.find(({ recognises }) => recognises(bytes.evidence.head))
      const opened = format?.open(bytes, { layout, limits, isKnown: () => true }, AbortSignal.abort())
      await expect(opened).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }))
    }
  })

  it('ends with CSV, which takes what no other format recognises', async () => {
    expect(INPUT_FORMATS.at(-1)).toBe(CSV)
    const { limits } = DEFAULT_SOURCE_OPTIONS
    const layout = { skipLines: 0, skipFooterLines: 0, multilineColumns: [] }
    const table = await openTable(fileOf(exportOf(1)), { layout, limits, isKnown: () => true })
    expect(table.headerCells[0]).toBe('customer_no')
    expect(table.written.delimiter).toEqual({ delimiter: ',', by: 'header line' })
    const records = []
    for await (const batch of table.read()) records.push(...batch)
    expect(records.map(({ line, cells }) => [line, cells[0]])).toEqual([[2, '1']])
  })
})
