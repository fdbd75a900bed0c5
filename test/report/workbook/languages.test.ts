import { describe, expect, it } from 'vitest'
import { en } from '../../../src/report/text/en.js'
import { type Language, LANGUAGES, textsOf } from '../../../src/report/text/language.js'
import { FULL } from '../full-ledger.js'
import { decisionOf, problemOf } from '../ledger-value.js'
import { ENGLISH, englishOn, figuresOn, leavesOf, SAME } from '../text/leaves.js'
import { sheetsOf } from '../unzipped.js'
import { workbookOf } from '../workbook-value.js'

/** Beyond it a spreadsheet refuses the name of a sheet; and these characters in it. */
const LONGEST_NAME = 31
const FORBIDDEN = /[[\]:*?/\\]/

/** With what only the workbook lists. */
const LEDGER = {
  ...FULL,
  problems: [
    problemOf({ rowId: 1, message: `${en.rules.IBAN_CHECKSUM.message} D1` }),
    problemOf({ id: 2, rowId: 1, severity: 'warning', rule: 'UMR_SPACE', ...en.rules.UMR_SPACE }),
  ],
  decisions: [...FULL.decisions, decisionOf({ id: 99, rowId: 9, decision: 'written_off', reason: 'R9' })],
}

type Cells = ReturnType<typeof sheetsOf> extends Map<string, infer Rows> ? Rows : never
const bookIn = async (language: Language): Promise<Map<string, Cells>> =>
  sheetsOf(await workbookOf(LEDGER, undefined, await textsOf(language)))

const cellsOf = (book: Map<string, Cells>): string[] => [...book.values()].flat(2).map(({ value }) => value)

it('the English workbook shows every text that is for a workbook, or the others could not be looked at', async () => {
  const book = await bookIn('en')
  const all = [...cellsOf(book), ...book.keys()].join('\n')
  const missed = ENGLISH.filter(
    ({ path, fragments }) => path.startsWith('workbook.') && fragments.some((text) => !all.includes(text)),
  ).map(({ path }) => path)
  // What a workbook says that is full, whose totals add up, or that proposes something.
  expect(missed).toEqual(['workbook.allInLedger', 'workbook.balanced', 'workbook.full', 'workbook.proposals'])
})

describe.each(LANGUAGES)('the workbook in %s', (language) => {
  it('has sheets that a spreadsheet takes', async () => {
    const names = [...(await bookIn(language)).keys()]
    expect(names.length).toBe((await bookIn('en')).size)
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

describe.each(LANGUAGES.filter((language) => language !== 'en'))('in the workbook in %s', (language) => {
  it('no sentence is English', async () => {
    expect(englishOn(cellsOf(await bookIn(language)).join('\n'))).toEqual([])
  })

  it('no header, no sheet, no state and no word of a verdict is English but those that are the same', async () => {
    const own = await textsOf(language)
    const same = SAME[language]
    const groups = /^(?:workbook\.(?:headers|sheets)\.|severities\.|verdictWords\.)/
    const words = leavesOf(en)
      .filter(({ path }) => groups.test(path) && !same.includes(path))
      .map(({ value }) => String(value))
    const owned = new Set(leavesOf(own).map(({ value }) => value))
    const forbidden = new Set(words.filter((word) => !owned.has(word)))
    const book = await bookIn(language)
    const shown = [...cellsOf(book), ...book.keys()]
    expect([...new Set(shown.filter((cell) => forbidden.has(cell)))]).toEqual([])
  })
})
