import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainText } from '../../../src/domain/text/text.js'
import {
  inAscii,
  LIST_FRAME,
  openArchive,
  rowWriter,
  workbookParts,
  type SheetColumn,
} from '../../../src/report/workbook/workbook.js'
import { cellText, unzipped } from '../workbook-value.js'

it('an archive holds its entries, with no time of its own, and is the same twice', async () => {
  const texts = { 'first.xml': '<a/>', 'of a folder/second.xml': 'å'.repeat(100_000), 'empty.xml': '' }
  async function archived(): Promise<Buffer> {
    const written: Uint8Array[] = []
    const archive = openArchive((bytes) => Promise.resolve(void written.push(Uint8Array.from(bytes))))
    for (const [name, text] of Object.entries(texts))
      await archive.add(name, [Buffer.from(text.slice(0, 3)), Buffer.from(text.slice(3))])
    await archive.end()
    return Buffer.concat(written)
  }
  const archive = await archived()
  const timeless = Object.entries(texts).map(([name, text]) => [name, { text, dosDate: 0x21, dosTime: 0 }])
  expect([...unzipped(archive)]).toEqual(timeless)
  expect(await archived()).toEqual(archive)
})

it('names every sheet as it is, also with characters that mean something', () => {
  const sheets = ['Summary', "À l'essai & <1>"].map((name, index) => ({ name, isList: index > 0 }))
  const parts = new Map(workbookParts(sheets))
  expect([...parts.keys()][0]).toBe('[Content_Types].xml')
  for (const xml of parts.values()) expect(xml).toMatch(/^[\n -~]*$/)
  const workbook = parts.get('xl/workbook.xml')
  expect(workbook).toContain('<sheet name="&#192; l\'essai &amp; &lt;1&gt;" sheetId="2" r:id="rId2"/>')
  expect(workbook).toContain(`localSheetId="1">'&#192; l''essai &amp; &lt;1&gt;'!$1:$2</definedName>`)
  expect(workbook).not.toContain('localSheetId="0"')
  for (const path of ['worksheets/sheet1.xml', 'worksheets/sheet2.xml', 'styles.xml']) {
    expect(parts.get('[Content_Types].xml')).toContain(`PartName="/xl/${path}"`)
    expect(parts.get('xl/_rels/workbook.xml.rels')).toContain(`Target="${path}"`)
  }
})

type Entry = readonly (string | number | null)[]
const columns = (count: number, more: Partial<SheetColumn<Entry>> = {}): SheetColumn<Entry>[] =>
  Array.from({ length: count }, (_, index) => ({
    header: `Column ${index}`,
    width: 10,
    value: (entry) => entry[index] ?? null,
    ...more,
  }))
const texts = (xml: string): string[] => [...xml.matchAll(/<t>(.*?)<\/t>/gs)].map(([, text = '']) => text)

describe('a row', () => {
  it('has a place for each column, text as text and numbers as numbers', () => {
    expect(rowWriter(columns(5))(['007', null, 7, '', '=1+1'])).toBe(
      '<row><c s="1" t="inlineStr"><is><t>007</t></is></c><c/><c s="3"><v>7</v></c><c/>' +
        '<c s="1" t="inlineStr"><is><t>=1+1</t></is></c></row>',
    )
  })

  it('shows each text as one plain line, whatever stands in it, beside it or above it', () => {
    const awkward = [...Array.from('&<>" |\n\0\uFFFEåA…'), '_x0041_', '\u001B[1m', '\uD83D']
    const strange = fc.string({ unit: fc.constantFrom(...awkward), maxLength: 6 })
    const text = fc.oneof(strange, fc.string({ unit: 'binary' }), fc.string())
    const entries = fc.array(fc.tuple(text, text, text), { minLength: 1, maxLength: 4 })
    const shown = (value: string): string => plainText(value).replace(/\p{Cs}|[\uFFFE\uFFFF]/gu, '\uFFFD')
    fc.assert(
      fc.property(entries, (list) => {
        const row = rowWriter(columns(3))
        for (const entry of list)
          expect(texts(row(entry)).map(cellText)).toEqual(entry.filter((value) => value !== '').map(shown))
      }),
      { numRuns: 5_000, seed: 20260615 },
    )
  })

  const shownAs = (text: string): string | undefined => texts(rowWriter(columns(1))([text]))[0]

  it('holds no more in a cell than that takes', () => {
    expect(shownAs('&'.repeat(40_000))).toBe('&amp;'.repeat(32_000))
    expect(inAscii(' "it" is <één> ')).toBe(' &quot;it&quot; is &lt;&#233;&#233;n&gt; ')
  })

  it.each([
    [['short', 'short'], true, ''],
    [['short', 'x'.repeat(25)], true, ' ht="45" customHeight="1"'],
    [['x'.repeat(30_000), null], true, ' ht="409" customHeight="1"'],
    [['x'.repeat(25)], false, ''],
  ])('is as high as its longest sentence, to a limit: %#', (entry, isWrapped, height) => {
    expect(/^<row([^>]*)>/.exec(rowWriter(columns(2, { isWrapped }))(entry))?.[1]).toBe(height)
  })
})

it.each([
  [1, 'A'],
  [26, 'Z'],
  [27, 'AA'],
  [52, 'AZ'],
  [53, 'BA'],
  [703, 'AAA'],
])('puts a filter over all of %i columns of a list, to %s', (count, name) => {
  expect(LIST_FRAME.tail(columns(count), 5)).toContain(`<autoFilter ref="A2:${name}7"/>`)
})
