import { describe, expect, test } from 'vitest'
import { exportOf, readText, refusal } from '../../support/sources.js'

const delimiterOf = async (text: string, yaml = '') =>
  (await readText(text, yaml)).summary.reading['delimiter']

const swapped = (delimiter: string): string => exportOf(3).replaceAll(',', delimiter)

describe('finding the delimiter', () => {
  test.each([',', ';', '\t', '|'])('the one separator of the header line decides: %j', async (delimiter) => {
    expect(await delimiterOf(swapped(delimiter))).toEqual({ delimiter, by: 'header line' })
  })

  test('a sep= line decides and is skipped, and lines keep their numbers', async () => {
    const { records, summary } = await readText(`sep=|\r\n${swapped('|')}`)
    expect(summary.reading['delimiter']).toEqual({ delimiter: '|', by: 'sep= line' })
    expect(records.map(({ line }) => line)).toEqual([3, 4, 5])
  })

  test('a sep= line counts among the lines that are skipped as declared', async () => {
    const { records } = await readText(`sep=;\ntitle\n${swapped(';')}`, 'source: { skipLines: 2 }')
    expect(records).toHaveLength(3)
  })

  test('what is declared wins over a sep= line', async () => {
    expect(await delimiterOf(`sep=;\n${exportOf(3)}`, 'source: { delimiter: "," }')).toEqual({
      delimiter: ',',
      by: 'declared',
    })
    expect(await delimiterOf(swapped('\t'), 'source: { delimiter: tab }')).toMatchObject({ delimiter: '\t' })
  })

  test('separators inside quotes do not count', async () => {
    const text = swapped(';').replace('name', '"name, first, last, title"')
    expect(await delimiterOf(text)).toMatchObject({ delimiter: ';' })
  })

  test('of several, the one that gives the most known names decides', async () => {
    const text = swapped(';').replace('name', 'name, first, last, title, street, town, country')
    expect(await delimiterOf(text)).toMatchObject({ delimiter: ';' })
  })

  test('names of the configuration are known names', async () => {
    const text = 'No, 1;Konto|x\n1;DE89370400440532013000\n'
    const error = await refusal(readText(text, 'columns: { iban: "Konto|x" }'))
    expect(error.rule).toBe('FILE_HEADER_MISSING')
  })

  test('several that do equally well are refused', async () => {
    const error = await refusal(readText('a;b,c\n1;2,3\n'))
    expect(error).toMatchObject({ rule: 'FILE_DELIMITER', line: 1 })
    expect(error.next).toContain('Declare the delimiter')
  })

  test('none is refused', async () => {
    expect(await refusal(readText('iban\nDE89370400440532013000\n'))).toMatchObject({
      rule: 'FILE_DELIMITER',
    })
  })
})
