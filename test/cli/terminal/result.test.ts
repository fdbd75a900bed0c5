import { describe, expect, it } from 'vitest'
import { emptyResult, jsonOf, resultOfError } from '../../../src/cli/terminal/result.js'
import { LedgerError, SourceError, UsageError } from '../../../src/errors.js'
import { totalsOf } from '../../../src/domain/row/row-state.js'

const json = (...given: Parameters<typeof jsonOf>) => JSON.parse(jsonOf(...given)) as Record<string, unknown>

describe('what a thrown error means for the caller', () => {
  it.each([
    [new UsageError('No', 'Do'), 2, 'usage'],
    [new SourceError('No', 'Do', { source: 'x.csv' }), 7, 'source'],
    [new LedgerError('locked', 'No', 'Do'), 8, 'ledger'],
  ])('%s ends with its own status', (error, exitCode, kind) => {
    expect(resultOfError(error)).toMatchObject({ exitCode, errors: [{ kind, message: 'No', next: 'Do' }] })
  })

  it('anything else is a bug: status 1, accounts masked, and the ledger is said to be safe', () => {
    const result = resultOfError(new TypeError('Bad value DE89370400440532013000'))
    expect(result).toMatchObject({ exitCode: 1, totals: null, errors: [{ kind: 'unexpected' }] })
    expect(result.errors[0]?.message).not.toContain('3704')
    expect(resultOfError('a word').errors[0]?.message).toContain('not an error')
  })

  it('an interruption is the status of its signal, and only where a signal came', () => {
    const aborted = new DOMException('The operation was aborted', 'AbortError')
    expect(resultOfError(aborted, 143)).toMatchObject({ exitCode: 143, errors: [{ kind: 'interrupted' }] })
    expect(resultOfError(aborted)).toMatchObject({ exitCode: 1 })
    expect(resultOfError(new UsageError('No', 'Do'), 130)).toMatchObject({ exitCode: 2 })
  })
})

describe('the JSON document', () => {
  it('is one line, and says where nothing was counted that nothing was', () => {
    expect(jsonOf('status', emptyResult)).toMatch(/^\{.*\}\n$/)
    expect(json('status', emptyResult)).toMatchObject({
      schemaVersion: 1,
      command: 'status',
      ok: true,
      totals: null,
      balanced: null,
    })
  })

  it('is ok with exit status 0 alone, and tells totals that do not add up', () => {
    const result = { ...emptyResult, exitCode: 3, totals: totalsOf(2, new Map([['ready', 1]])) }
    expect(json('run', result)).toMatchObject({ ok: false, exitCode: 3, balanced: false })
  })

  it('carries what only one command has as keys of its own', () => {
    expect(json('show', { ...emptyResult, details: { customer: { customerNo: 17 } } })).toMatchObject({
      customer: { customerNo: 17 },
    })
  })

  it('gives a program every character back, and a terminal none that steers it', () => {
    const text = jsonOf('run', { ...emptyResult, warnings: ['\u001b[2J\u202egood\u2028'] })
    expect(text.trimEnd()).not.toMatch(/[\u001b\u202e\u2028]/)
    expect(JSON.parse(text)).toMatchObject({ warnings: ['\u001b[2J\u202egood\u2028'] })
  })
})
