import { expect, it } from 'vitest'
import { cellText, inAscii } from '../../../src/report/workbook/cell-text.js'

it.each([
  ['a<b>&"c"', 'a&lt;b&gt;&amp;&quot;c&quot;'],
  ['=cmd|x', '=cmd|x'],
  ['constructor', 'constructor'],
  ['_x0041_', '_x005F_x0041_'],
  ['_x0041_x0042_', '_x005F_x0041_x005F_x0042_'],
  ['_x041_', '_x041_'],
  ['a\0b\u001Bc\nd', 'a b d'],
  ['\uFFFE\uFFFF', '&#65533;&#65533;'],
  ['a\uD83Db\uDE00', 'a&#65533;b&#65533;'],
  ['DE…3000', 'DE&#8230;3000'],
  ['DE…30…0', 'DE&#8230;30&#8230;0'],
  ['long…3000', 'long&#8230;3000'],
  ['  inside  it  ', 'inside  it'],
  ['å😀', '&#229;&#128512;'],
])('shows %j as %j', (text, xml) => {
  expect(cellText(text)).toBe(xml)
})

it('holds no more than a cell does', () => {
  expect(cellText('x'.repeat(40_000))).toBe('x'.repeat(32_000))
  expect(cellText('&'.repeat(40_000))).toBe('&amp;'.repeat(32_000))
})

it('keeps a name of our own as it is', () => {
  expect(inAscii(' "it" is <één> ')).toBe(' &quot;it&quot; is &lt;&#233;&#233;n&gt; ')
})
