import { HEAD_ROWS, inAscii, stylesXml } from './sheet-xml.js'

/** A sheet by its name, which a reader sees. */
export interface NamedSheet {
  readonly name: string
  readonly isList: boolean
}

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'

/** Of the sheet at that place, from 0. */
export const sheetPath = (index: number): string => `xl/worksheets/sheet${index + 1}.xml`

const contentTypes = (sheets: readonly NamedSheet[]): string => {
  const parts: (readonly [path: string, type: string])[] = [
    ['workbook.xml', 'sheet.main'],
    ['styles.xml', 'styles'],
    ...sheets.map((_, index) => [sheetPath(index).replace(/^xl\//, ''), 'worksheet'] as const),
  ]
  return (
    `<Types xmlns="${PACKAGE}/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>' +
    `${parts.map(([path, type]) => `<Override PartName="/xl/${path}" ContentType="${TYPES}.${type}+xml"/>`).join('')}</Types>`
  )
}

const relations = (targets: readonly (readonly [type: string, target: string])[]): string =>
  `<Relationships xmlns="${PACKAGE}/relationships">` +
  `${targets.map(([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${RELATIONS}/${type}" Target="${target}"/>`).join('')}</Relationships>`

/** The head of a list is printed on each of its pages. */
const printTitles = ({ name }: NamedSheet, index: number): string =>
  `<definedName name="_xlnm.Print_Titles" localSheetId="${index}">` +
  `'${inAscii(name.replaceAll("'", "''"))}'!$1:$${HEAD_ROWS}</definedName>`

const workbook = (sheets: readonly NamedSheet[]): string =>
  `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${RELATIONS}">` +
  `<bookViews><workbookView/></bookViews><sheets>` +
  `${sheets.map(({ name }, index) => `<sheet name="${inAscii(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`).join('')}</sheets>` +
  `<definedNames>${sheets.map((sheet, index) => (sheet.isList ? printTitles(sheet, index) : '')).join('')}</definedNames></workbook>`

/** Everything in a workbook but its sheets (ISO/IEC 29500-1, 12.2), by path. */
export const workbookParts = (
  sheets: readonly NamedSheet[],
): readonly (readonly [path: string, xml: string])[] =>
  (
    [
      ['[Content_Types].xml', contentTypes(sheets)],
      ['_rels/.rels', relations([['officeDocument', 'xl/workbook.xml']])],
      ['xl/workbook.xml', workbook(sheets)],
      [
        'xl/_rels/workbook.xml.rels',
        relations([
          ...sheets.map((_, index) => ['worksheet', sheetPath(index).replace(/^xl\//, '')] as const),
          ['styles', 'styles.xml'],
        ]),
      ],
      ['xl/styles.xml', stylesXml()],
    ] as const
  ).map(([path, xml]) => [path, DECLARATION + xml])
