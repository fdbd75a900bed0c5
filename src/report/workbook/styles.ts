/** How a cell looks, by its place among the formats below. Text is in text format, so that editing it makes no number. */
export const STYLES = { plain: 0, text: 1, sentence: 2, number: 3, title: 4, heading: 5 } as const

export type Style = (typeof STYLES)[keyof typeof STYLES]

const NORMAL = '<sz val="11"/><name val="Calibri"/><family val="2"/>'
/** 49 is the number of the format `@` (ISO/IEC 29500-1, 18.8.30). */
const TEXT = 'numFmtId="49" applyNumberFormat="1" borderId="0" xfId="0"'
const TOP = 'applyAlignment="1"><alignment vertical="top"'

const FORMATS = [
  '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>',
  `<xf ${TEXT} fontId="0" fillId="0" ${TOP}/></xf>`,
  `<xf ${TEXT} fontId="0" fillId="0" ${TOP} wrapText="1"/></xf>`,
  `<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" ${TOP}/></xf>`,
  `<xf ${TEXT} fontId="1" fillId="0" applyFont="1"/>`,
  `<xf ${TEXT} fontId="1" fillId="2" applyFont="1" applyFill="1"/>`,
]

export const stylesXml = (): string =>
  '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' +
  `<fonts count="2"><font>${NORMAL}</font><font><b/>${NORMAL}</font></fonts>` +
  // The first two are the same in every workbook, whatever stands there.
  '<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>' +
  '<fill><patternFill patternType="solid"><fgColor rgb="FFE4E7EB"/><bgColor indexed="64"/></patternFill></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  `<cellXfs count="${FORMATS.length}">${FORMATS.join('')}</cellXfs>` +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>' +
  '</styleSheet>'
