import { describe, expect, it } from 'vitest'
import { type Language, LANGUAGES } from '../../../src/report/text/language.js'
import { textsIn } from '../../../src/report/text/texts.js'
import { FULL } from '../full-ledger.js'
import { problemOf } from '../ledger-value.js'
import { englishOn, figuresOn, OTHERS } from '../text/words.js'
import { sheetsOf } from '../unzipped.js'
import { workbookOf } from '../workbook-value.js'

/** Beyond it a spreadsheet refuses the name of a sheet; and these characters in it. */
const LONGEST_NAME = 31
const FORBIDDEN = /[[\]:*?/\\]/

const LEDGER = { ...FULL, problems: [problemOf({ rowId: 1 })] }

type Cells = ReturnType<typeof sheetsOf> extends Map<string, infer Rows> ? Rows : never
const bookIn = async (language: Language): Promise<Map<string, Cells>> =>
  sheetsOf(await workbookOf(LEDGER, undefined, textsIn(language)))

const cellsOf = (book: Map<string, Cells>): string[] => [...book.values()].flat(2).map(({ value }) => value)

describe.each(LANGUAGES)('the workbook in %s', (language) => {
  it('has sheets that a spreadsheet takes, each of its own name', async () => {
    const names = [...(await bookIn(language)).keys()]
    expect(names).toHaveLength(14)
    for (const name of names) {
      expect(name.length, name).toBeLessThanOrEqual(LONGEST_NAME)
      expect(name).not.toMatch(FORBIDDEN)
    }
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length)
  })

  it('has the figures of the English one', async () => {
    const figures = async (of: Language): Promise<string[]> => figuresOn(cellsOf(await bookIn(of)).join('\n'))
    expect(await figures(language)).toEqual(await figures('en'))
  })
})

describe.each(OTHERS)('in the workbook in %s', (language) => {
  it('no text is English', async () => {
    expect(englishOn(cellsOf(await bookIn(language)).join('\n'), language)).toEqual([])
  })
})
