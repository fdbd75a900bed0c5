import { describe, expect, it } from 'vitest'
import { inspectSource } from '../../../src/source/guess/inspect.js'
import { loadSecondFiles } from '../../../src/source/columns/second-files.js'
import { AS_OF, fileOf, optionsOf, refusal } from '../../support/sources.js'
import { kindsIn, readText, refused } from '../reading.js'

const HEADER = 'customer_no,name,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference'
const row = (customer: number, name: string, iban = 'DE89370400440532013000'): string =>
  `${customer},${name},${iban},2024-03-01,DE98ZZZ09999999999,M-${customer}`
const file = (...lines: string[]): string => `${lines.join('\n')}\n`
const STRAY = file(
  HEADER,
  row(1001, 'Zur Post'),
  row(1002, '"Zum Adler'),
  row(1003, 'Zur Linde'),
  row(1004, 'Zum Hirsch"'),
  row(1005, 'Zum Ochsen'),
)

describe('a stray quote', () => {
  it('refuses the file where it joins records, with both line numbers', async () => {
    const error = await refusal(readText(STRAY))
    expect(error).toMatchObject({ rule: 'FILE_QUOTE_STRAY', line: 3, exitCode: 7 })
    expect(error.message).toContain('a quote opens on line 3 and closes on line 5')
    expect(error.message).toContain('nothing was sent')
    expect(error.next).toContain('source: { multilineColumns: ["name"] }')
    expect(`${error.message}${error.next}`).not.toContain('3704')
  })

  it.each([
    ['two neighbours', file(HEADER, row(1, '"A'), row(2, 'B"'))],
    ['the last column', file(`${HEADER},note`, `${row(1, 'A')},"x`, `${row(2, 'B')},y"`)],
    ['a line end right behind it', file(`${HEADER},note`, `${row(1, 'A')},"`, `${row(2, 'B')},"`)],
    ['different columns', file(`${HEADER},note`, `${row(1, '"A')},`, `${row(2, 'B')},y"`)],
    ['a damaged account', file(HEADER, row(1, '"A', 'DE8937'), row(2, 'B"', 'DE8937'))],
    ['carriage returns', file(HEADER, row(1, '"A'), row(2, 'B"')).replaceAll('\n', '\r')],
    ['blanks behind the separators', file(HEADER, row(1, '"A'), row(2, 'B"')).replaceAll(',', ', ')],
    ['the header', file(HEADER.replace('name', '"name'), row(1, 'A"'), row(2, 'B'))],
  ])('is found over %s', async (what, text) => {
    const line = what === 'the header' ? 1 : 2
    const told = `opens on line ${line} and closes on line ${line + 1}`
    await refused(readText(text), { rule: 'FILE_QUOTE_STRAY', line }, told)
  })

  it('is found by an account between the quotes, in any spacing, damaged or not', async () => {
    const spelled = ['DE89370400440532013000', 'DE89 3704 0044 0532 0130 00', 'DE8937040044053201300']
    for (const account of spelled) {
      const error = await refusal(readText(file(HEADER, row(1, `"new\nmember ${account}"`))))
      expect(error.message).toContain('has an account number')
    }
  })

  it.each([
    ['a remark', '"rings at noon,\nwill pay, later, as agreed, in May,\n\nfinally, he said"'],
    ['an amount and a telephone number', '"12,50\n+49 89 123456789012"'],
    ['a creditor identifier', '"moved from\nDE98ZZZ09999999999"'],
    ['one value with a line end', '"Zum Adler\n"'],
    ['an account with a line end behind it', 'A', '"DE89370400440532013000\n"'],
  ])('is not seen in %s over several lines', async (_, cell, iban?: string) => {
    expect(await kindsIn(file(HEADER, row(1, cell, iban), row(2, 'B')))).toEqual(['sendable', 'sendable'])
  })

  it('does not count in a column that is declared, by name or by position', async () => {
    const note = '"old account: DE89370400440532013000\na,b,c,d,e,f"'
    for (const ref of ['name', 'NAME', 2]) {
      const { records } = await readText(file(HEADER, row(1, note)), `source: { multilineColumns: [${ref}] }`)
      expect(records[0]?.verdict.kind).toBe('sendable')
    }
    const reference = 'source: { multilineColumns: [unique_mandate_reference] }'
    const other = readText(file(HEADER, row(1, note)), reference)
    expect(await refusal(other)).toMatchObject({ rule: 'FILE_QUOTE_STRAY' })
  })

  it('is declared for our own result files too, which repeat the cells', async () => {
    const line = row(1, '"old account: DE89370400440532013000\nsee there"')
    const text = file(`migration_row,migration_state,${HEADER}`, `1,invalid,${line}`)
    const { records } = await readText(text, 'source: { multilineColumns: [name] }')
    expect(records[0]).toMatchObject({ corrects: 1, verdict: { kind: 'sendable' } })
  })

  it('is found by inspect and in a crosswalk', async () => {
    expect(await refusal(inspectSource(fileOf(STRAY), { today: AS_OF }))).toMatchObject({ line: 3 })
    const path = fileOf(file('id,no,name', 'a,1,"Adler', 'b,2,Linde', 'c,3,Hirsch"'))
    const options = optionsOf(`crosswalk: { file: ${path}, from: id, key: id, customer_no: no }`)
    await refused(loadSecondFiles(options), { rule: 'FILE_QUOTE_STRAY', line: 2 })
  })

  it('is found in the middle of a long file, whatever the pieces it is read in', async () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => row(index + 1, index === 12_345 ? '"A' : 'A'))
    rows[12_347] = row(12_348, 'B"')
    expect(await refusal(readText(file(HEADER, ...rows)))).toMatchObject({ line: 12_347 })
  })
})
