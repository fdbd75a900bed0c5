import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { UsageError } from '../../src/errors.js'
import { readDecision, readDecisions } from '../../src/run/read-decisions.js'

const HEADER = [
  'customer_no',
  'migration_row',
  'migration_attempt',
  'migration_decision',
  'migration_reason',
  'migration_by',
  'migration_assigned_creditor_identifier',
  'migration_assigned_mandate_reference',
].join(',')

function fileOf(...lines: string[]): { file: string; text: string } {
  const folder = mkdtempSync(join(tmpdir(), 'decisions-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'in-doubt.csv')
  const text = [HEADER, ...lines, ''].join('\n')
  writeFileSync(file, text)
  return { file, text }
}

const read = (...lines: string[]) => readDecisions(fileOf(...lines).file, 'Ada')

describe('a decision', () => {
  it.each([
    ['registered', 'registered'],
    ['refused', 'refused'],
    ['resend', 'resend'],
    ['written-off', 'written_off'],
    ['written_off', 'written_off'],
    [' Resend ', 'resend'],
  ])('"%s" is read', (text, expected) => {
    expect(readDecision(text)).toBe(expected)
  })

  it.each(['', 'yes', 'resent', 'constructor'])('"%s" is refused', (text) => {
    expect(() => readDecision(text)).toThrow(UsageError)
  })
})

describe('the filled-in file', () => {
  it('gives each decision with its person, its reason and the file as evidence', async () => {
    const { file, text } = fileOf(
      `5,7,2,registered,seen in the list,Grace,DE79ZZZ01234567890,NEW-7`,
      `6,8,1,resend,not in the list,,,`,
    )
    const evidence = `in-doubt.csv (SHA-256 ${createHash('sha256').update(text).digest('hex')})`
    expect(await readDecisions(file, 'Ada')).toEqual([
      {
        rowId: 7,
        decision: 'registered',
        reason: 'seen in the list',
        by: 'Grace',
        assigned: { creditorIdentifier: 'DE79ZZZ01234567890', mandateReference: 'NEW-7' },
        evidence,
        attempt: 2,
      },
      {
        rowId: 8,
        decision: 'resend',
        reason: 'not in the list',
        by: 'Ada',
        assigned: null,
        evidence,
        attempt: 1,
      },
    ])
  })

  it('leaves rows without a decision open', async () => {
    const decisions = await read('5,7,1,,,,,', '6,8,1,refused,they said no,,,', '7,9,1, ,later,,,')
    expect(decisions.map(({ rowId }) => rowId)).toEqual([8])
  })

  it('keeps half an identity, so that the ledger can refuse it', async () => {
    const [decision] = await read('5,7,1,registered,seen,,,NEW-7')
    expect(decision?.assigned).toEqual({ creditorIdentifier: '', mandateReference: 'NEW-7' })
  })

  it('may leave out the attempt, which then is the latest', async () => {
    const [decision] = await read('5,7,,written-off,closed,,,')
    expect(decision?.attempt).toBe(null)
  })

  it.each<[string, string, string]>([
    ['without any decision', '5,7,1,,,,,', 'holds no decision'],
    ['with a decision that is none', '5,7,1,maybe,because,,,', '"maybe" is not a decision'],
    ['with a decision without a reason', '5,7,1,refused,,,,', 'There is no reason in line 3'],
    [
      'with a row number that was changed',
      '5,7a,1,refused,because,,,',
      'Cannot read the row number in line 3',
    ],
    ['with an attempt that was changed', '5,7,x,refused,because,,,', 'Cannot read the row number in line 3'],
    ['with no row number', '5,,1,refused,because,,,', 'Cannot read the row number in line 3'],
  ])('%s is refused as a whole', async (_name, line, message) => {
    const first = message.includes('no decision') ? '4,6,1,,,,,' : '4,6,1,refused,they said no,,,'
    const reading = read(first, line)
    await expect(reading).rejects.toThrow(UsageError)
    await expect(reading).rejects.toThrow(message)
  })
})
