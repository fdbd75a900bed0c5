import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createStatusTable } from '../../src/service/checked-service.js'
const page = readFileSync(new URL('../../src/service/README.md', import.meta.url), 'utf8')
const section = page.slice(page.indexOf('\n## Outcomes'), page.indexOf('\n## The phase flag'))
const lines = section
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, statuses = '']) => /^(\d|any)/.test(statuses))
  .map(([, statuses = '', kind = '', halt = '']) => ({ statuses, kind, halt }))

const lineOf = (status: number) =>
  lines.find(({ statuses }) => statuses.split(' ').includes(String(status))) ??
  lines.find(({ statuses }) => statuses === `${Math.floor(status / 100)}xx`) ??
  lines.find(({ statuses }) => statuses === 'any other')

it('11.1 the page shows the table of outcomes as it is', () => {
  expect(lines.length).toBeGreaterThan(4)
  const table = createStatusTable()
  for (let status = 100; status < 1000; status += 1) {
    const { kind, halt } = table.lineOf(status)
    const told = lineOf(status)
    expect(told?.kind, String(status)).toBe(kind)
    expect(/^stops: (\w+)/.exec(told?.halt ?? '')?.[1] ?? null, String(status)).toBe(halt)
  }
})

it('11.1 the page says of which statuses the meaning is fixed', () => {
  for (const status of [401, 403, 407]) {
    expect(lineOf(status)?.halt).toContain('fixed')
    expect(() => createStatusTable({ [String(status)]: 'refused' })).toThrow('fixed')
  }
  for (const status of [400, 429, 503])
    expect(() => createStatusTable({ [String(status)]: 'in_doubt' })).not.toThrow()
})
