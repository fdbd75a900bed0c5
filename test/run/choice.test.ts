import { describe, expect, it } from 'vitest'
import { UsageError } from '../../src/errors.js'
import type { SourceRecord } from '../../src/ledger/read/reader.js'
import { assertChoosable, readChoice } from '../../src/run/campaign.js'

const IBAN = 'DE89370400440532013000'

describe('a choice that is given', () => {
  it('is nothing where nothing is named, and is read without blanks and without repeats', () => {
    expect(readChoice({})).toBeNull()
    expect(readChoice({ only: [], countries: [] })).toBeNull()
    expect(readChoice({ countries: [' at', 'AT', 'de '] })).toEqual({ only: [], countries: ['AT', 'DE'] })
    expect(readChoice({ only: [{ column: ' Segment ', values: ['A ', 'A', '1'] }] })).toEqual({
      only: [{ column: 'Segment', values: ['A', '1'] }],
      countries: null,
    })
  })

  it.each([
    [{ countries: ['US'] }, '"US" is no country of SEPA'],
    [{ countries: [''] }, '"" is no country of SEPA'],
    [{ countries: ['Austria'] }, '"AUSTRIA" is no country of SEPA'],
    [{ only: [{ column: 'Segment', values: [] }] }, 'a column without values'],
    [{ only: [{ column: 'Segment', values: ['A', ' '] }] }, '"Segment" with an empty name or value'],
    [{ only: [{ column: ' ', values: ['A'] }] }, '"" with an empty name or value'],
    [{ only: [{ column: 'iban', values: [IBAN] }] }, 'an account number stands in it'],
    [{ only: [{ column: IBAN, values: ['A'] }] }, 'an account number stands in it'],
    [{ only: 'Segment=A' as never }, 'only and countries are lists'],
    [{ countries: 'AT' as never }, 'only and countries are lists'],
  ])('is refused: %j', (given, what) => {
    const act = (): unknown => readChoice(given)
    expect(act).toThrow(UsageError)
    expect(act).toThrow(`Cannot choose rows: ${what}; nothing was sent`)
    expect(act).not.toThrow(IBAN)
  })
})

describe('the columns of a choice', () => {
  const sourceOf = (name: string, ...header: string[]) => ({ name, header }) as unknown as SourceRecord
  const at = (...sources: SourceRecord[]) => ({ sources: () => sources })
  const choice = { only: [{ column: 'segment', values: ['A'] }], countries: null }

  it('are found as the columns of a file are, in one file at least', () => {
    expect(() => assertChoosable(null, at())).not.toThrow()
    expect(() => assertChoosable({ only: [], countries: ['AT'] }, at())).not.toThrow()
    for (const name of ['segment', 'SEGMENT', 'Seg-ment', ' segment '])
      expect(() => assertChoosable(choice, at(sourceOf('a', 'iban'), sourceOf('b', name)))).not.toThrow()
    // As it is written it is one of the two.
    expect(() => assertChoosable(choice, at(sourceOf('a', 'segment', 'Segment')))).not.toThrow()
  })

  it('are asked for where there is none of the name', () => {
    expect(() => assertChoosable(choice, at(sourceOf('a', 'Region', IBAN, '')))).toThrow(
      expect.objectContaining({
        message: 'Cannot choose rows: no file has a column "segment"; nothing was sent',
        next: 'Name a column of the export and the values that its rows have',
      }),
    )
  })

  it('are refused where one file has two of the name', () => {
    for (const names of [
      ['segment', 'segment'],
      ['Segment', 'SEGMENT'],
    ])
      expect(() => assertChoosable(choice, at(sourceOf('a.csv', ...names)))).toThrow(
        'Cannot choose rows: "a.csv" has more than one column "segment"; nothing was sent',
      )
  })
})
