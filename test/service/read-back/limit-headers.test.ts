import { expect, it } from 'vitest'
import { createCleaner } from '../../../src/service/evidence.js'
import { readLimitHeaders } from '../../../src/service/read-back/limit-headers.js'

const clean = createCleaner({ iban: null, secrets: ['correct horse'] })

it.each([
  ['ratelimit', 'limit=100, remaining=4, reset=30'],
  ['ratelimit-policy', '100;w=60'],
  ['x-ratelimit-remaining', '4'],
  ['x-rate-limit-reset', '1700000000'],
  ['rate-limit', '10'],
])('%s tells of a limit', (name, value) => {
  expect(readLimitHeaders({ [name]: value, 'content-type': 'application/json' }, clean)).toEqual({
    [name]: value,
  })
})

it.each(['retry-after', 'x-limit', 'x-ratelimited', 'via', 'my-ratelimit'])('%s does not', (name) => {
  expect(readLimitHeaders({ [name]: '1' }, clean)).toEqual({})
})

it('a flood of them, an endless one, and one that repeats a credential or an account are cut and masked', () => {
  const many = Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => [`x-ratelimit-${'a'.repeat(n + 1)}`, '1']),
  )
  expect(Object.keys(readLimitHeaders(many, clean))).toHaveLength(8)
  const { ratelimit = '' } = readLimitHeaders({ ratelimit: 'x'.repeat(5_000) }, clean)
  expect(ratelimit).toHaveLength(100)
  const told = readLimitHeaders({ ratelimit: 'correct horse DE89370400440532013000' }, clean)
  expect(told['ratelimit']).toBe('[secret] DE…3000')
})
