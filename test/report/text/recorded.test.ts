import { describe, expect, it } from 'vitest'
import { STILL_NOT_SENT } from '../../../src/domain/rule/finding.js'
import { RULES } from '../../../src/domain/rule/rules.js'
import { en, type Texts } from '../../../src/report/text/en.js'
import { problemMessage, problemRemedy } from '../../../src/report/text/recorded.js'

const { message, remedy } = RULES.IBAN_CHECKSUM
const other: Texts = {
  ...en,
  rules: { ...en.rules, IBAN_CHECKSUM: { message: 'Ungueltig.', remedy: 'Nachsehen.' } },
  stillNotSent: 'Bleibt liegen.',
}
const problem = (change: object = {}) => ({ rule: 'IBAN_CHECKSUM', message, remedy, ...change })

describe('what was recorded about a value', () => {
  it('is put into a language as far as it is the text of the rule', () => {
    expect(problemMessage(problem(), other)).toBe('Ungueltig.')
    expect(problemRemedy(problem(), other)).toBe('Nachsehen.')
  })

  it('keeps what was noted about this one value', () => {
    const noted = problem({ message: `${message} It has 23 characters.` })
    expect(problemMessage(noted, other)).toBe('Ungueltig. It has 23 characters.')
    const lowered = problem({ message: `${message} ${STILL_NOT_SENT}` })
    expect(problemMessage(lowered, other)).toBe('Ungueltig. Bleibt liegen.')
  })

  it('stands as it was recorded where another version had other texts, or the rule is not known', () => {
    const older = problem({ message: 'The check digits are wrong!', remedy: 'Look it up' })
    expect([problemMessage(older, other), problemRemedy(older, other)]).toEqual([older.message, older.remedy])
    const unknown = problem({ rule: 'NEW_RULE' })
    expect([problemMessage(unknown, other), problemRemedy(unknown, other)]).toEqual([message, remedy])
  })

  it('is the recorded text in English', () => {
    const noted = problem({ message: `${message} Detail. ${STILL_NOT_SENT}` })
    expect([problemMessage(noted, en), problemRemedy(noted, en)]).toEqual([noted.message, remedy])
  })
})
