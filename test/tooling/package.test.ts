import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(ROOT + path, 'utf8')

it('is found by what it does, and says how a fault is reported in private', () => {
  const { description, keywords } = JSON.parse(read('package.json')) as Record<string, string | string[]>
  expect(description).toMatch(/SEPA Direct Debit mandates.*ledger.*report/)
  expect(keywords).toEqual(expect.arrayContaining(['sepa', 'direct-debit', 'mandate', 'migration']))
  expect(read('.github/SECURITY.md')).toMatch(/Report a vulnerability[^]*Never send account numbers/)
})
