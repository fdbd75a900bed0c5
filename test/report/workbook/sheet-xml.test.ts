import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textOf } from '../unzipped.js'
import { plainText } from '../../../src/report/files/cells.js'
import { inAscii, listTail, rowWriter, type SheetColumn } from '../../../src/report/workbook/xlsx.js'
type Entry = readonly (string | number | null)[]

const columns = (count: number): SheetColumn<Entry>[] =>
  Array.from({ length: count }, (_, index) => ({
    header: `Column ${index}`,
    width: 10,
    value: (entry) => entry[index] ?? null,
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
    const awkward = [
      '&',
      '<',
      '>',
      '"',
      ' ',
      '|',
      '_x0041_',
      '\n',
      '\0',
      '\u001B[1m',
      '\uFFFE',
      'å',
      'A',
      '…',
      '\uD83D',
    ]
    const text = fc.oneof(
      fc.string({ unit: fc.constantFrom(...awkward), maxLength: 6 }),
      fc.string({ unit: 'binary' }),
      fc.string(),
    )
    const entries = fc.array(fc.tuple(text, text, text), { minLength: 1, maxLength: 4 })
    const shown = (value: string): string => plainText(value).replace(/\p{Cs}|[\uFFFE\uFFFF]/gu, '\uFFFD')
    fc.assert(
      fc.property(entries, (list) => {
        const row = rowWriter(columns(3))
        for (const entry of list)
          expect(texts(row(entry)).map(textOf)).toEqual(entry.filter((value) => value !== '').map(shown))
      }),
      { numRuns: 5_000 },
    )
  })

  const shownAs = (text: string): string | undefined => texts(rowWriter(columns(1))([text]))[0]

  it.each([
    ['a<b>&"c"', 'a&lt;b&gt;&amp;&quot;c&quot;'],
    ['_x0041_x0042_', '_x005F_x0041_x005F_x0042_'],
    ['_x041_', '_x041_'],
    ['a\0b\u001Bc\nd', 'a b d'],
    ['\uFFFE\uFFFF', '&#65533;&#65533;'],
    ['a\uD83Db\uDE00', 'a&#65533;b&#65533;'],
    ['DE…3000', 'DE&#8230;3000'],
    ['DE…30…0', 'DE&#8230;30&#8230;0'],
    ['  inside  it  ', 'inside  it'],
    ['å😀', '&#229;&#128512;'],
  ])('shows %j as %j', (text, xml) => {
    expect(shownAs(text)).toBe(xml)
  })

  it('holds no more in a cell than that takes', () => {
    expect(shownAs('&'.repeat(40_000))).toBe('&amp;'.repeat(32_000))
    expect(inAscii(' "it" is <één> ')).toBe(' &quot;it&quot; is &lt;&#233;&#233;n&gt; ')
  })

  it('is as high as its longest sentence, and no higher than a spreadsheet takes', () => {
    const wrapped = columns(2).map((column): SheetColumn<Entry> => ({ ...column, isWrapped: true }))
    const height = (...entry: Entry) =>
      /<row(?: ht="(\d+)" customHeight="1")?>/.exec(rowWriter(wrapped)(entry))?.[1]
    expect(height('short', 'short')).toBe(undefined)
    expect(height('short', 'x'.repeat(25))).toBe('45')
    expect(height('x'.repeat(30_000), null)).toBe('409')
    expect(rowWriter(columns(1))(['x'.repeat(25)])).toContain('<row>')
  })
})

it('puts a filter over all columns of a list', () => {
  for (const [count, name] of [
    [1, 'A'],
    [26, 'Z'],
    [27, 'AA'],
    [52, 'AZ'],
    [53, 'BA'],
    [703, 'AAA'],
  ] as const)
    expect(listTail(columns(count), 5)).toContain(`<autoFilter ref="A2:${name}7"/>`)
})
