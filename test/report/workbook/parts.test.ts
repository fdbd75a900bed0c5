import { expect, it } from 'vitest'
import { workbookParts } from '../../../src/report/workbook/xlsx.js'
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
