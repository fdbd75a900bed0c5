import { describe, expect, it } from 'vitest'
import { SourceError } from '../../src/errors.js'
import { findingOf } from '../../src/source/source-finding.js'
import { refuse, refuseByFinding, unreadable } from '../../src/source/refusal.js'

const caught = (body: () => void): SourceError => {
  try {
    body()
  } catch (error) {
    if (error instanceof SourceError) return error
  }
  throw new Error('Nothing was refused')
}

describe('a refused source', () => {
  it('says what it means for the mandates, and the remedy of the rule', () => {
    const error = refuse('export.csv', 'FILE_EMPTY', 'it has no header line', { line: 3 })
    expect(error.message).toBe('Cannot read the source "export.csv": it has no header line; nothing was sent')
    expect(error).toMatchObject({ rule: 'FILE_EMPTY', line: 3, exitCode: 7 })
    expect(error.next).not.toBe('')
  })

  it('without a rule has none, and keeps the cause', () => {
    const cause = new Error('EISDIR')
    expect(unreadable('export.csv', 'it is a folder', 'Name a file', cause)).toMatchObject({
      rule: null,
      line: null,
      next: 'Name a file',
      cause,
    })
  })
})

describe('findings on a whole file', () => {
  const warning = findingOf('FILE_CI_MIXED', {}, { detail: 'It names 2.' })
  const raised = findingOf('FILE_CI_MIXED', { FILE_CI_MIXED: 'error' }, { detail: 'It names 2.' })

  it('let the file pass where none is an error', () => {
    expect(() => refuseByFinding('export.csv', warning)).not.toThrow()
    expect(() => refuseByFinding('export.csv', [])).not.toThrow()
  })

  it('refuse it where the configuration made one an error, and say that it did', () => {
    const error = caught(() => refuseByFinding('export.csv', raised))
    expect(error).toMatchObject({ rule: 'FILE_CI_MIXED' })
    expect(error.message).toContain('the configuration makes this an error')
    expect(error.message).toContain('It names 2 (FILE_CI_MIXED)')
  })

  it('say what a rule says once, and each thing it says it of', () => {
    const of = (detail: string) => findingOf('FILE_ROW_LEFT_OUT', {}, { detail })
    const { message } = caught(() => refuseByFinding('export.csv', [...of('Line 1.'), ...of('Line 9.')]))
    expect(message.match(/\(FILE_ROW_LEFT_OUT\)/g)).toHaveLength(1)
    expect(message).toContain('Line 1. Line 9 (')
    expect(message).not.toContain('the configuration makes this an error')
  })
})
