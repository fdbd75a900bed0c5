import { expect, it } from 'vitest'
import { validExport, validLine } from '../support/export.js'
import { placeForEach } from '../support/place.js'

const { read, write, held, sandbox, program, json } = placeForEach({ sandbox: {} })

it('25.2 run --only and --country send some of the ready rows, say how many they leave, and the next command sends those', async () => {
  const lines = ['A', 'B', 'C', 'A', ' b', 'A', 'C', 'B'].map(
    (segment, index) => `${validLine(index + 1)},${segment},${index % 2 === 0 ? 'north' : 'south'}`,
  )
  write('export.csv', `${[`${validExport(0).trim()},Segment,Sales region`, ...lines].join('\n')}\n`)
  const run = (...args: string[]) => program('run', 'export.csv', ...args)

  const one = await run('--only', 'segment=A,C', '--only', 'Sales region=north', '--limit', '1')
  expect([one.status, held()]).toEqual([5, [1]])
  expect(one.stdout).toContain(
    'Of the ready rows only segment: A or C; Sales region: north; 5 other rows stay ready\n',
  )
  expect(one.stdout).toMatch(/Next: sepa-migrate run --only segment=A,C --only 'Sales region=north'\n/)

  const two = await run('--only', 'segment=A,C', '--only', 'Sales region=north')
  expect([two.status, held().toSorted()]).toEqual([5, [1, 3, 7]])
  expect(two.stdout).toContain(
    'Stopped early: No row that this run was told to send (segment: A or C; Sales region: north) is ready any more, and 5 others are.',
  )
  expect(two.stdout).toMatch(/Next: sepa-migrate run\n/)
  expect(read('summary.json')).toContain('"leftByChoice": 5')
  expect(read('report.html')).toContain('Other rows that stay ready: 5.')
  expect(read('report.html')).toContain('<li>only rows with segment: A, C</li>')

  expect(await json('run', '--only', 'Segment=b,C', '--country', 'at,DE')).toMatchObject({
    exitCode: 5,
    stop: { kind: 'choice' },
    choice: { only: [{ column: 'Segment', values: ['b', 'C'] }], countries: ['AT', 'DE'], left: 4 },
    totals: { registered: 4, ready: 4 },
  })
  expect(held().toSorted()).toEqual([1, 3, 5, 7])
  expect(await json('run', '--country', 'AT')).toMatchObject({ exitCode: 5, choice: { left: 4 } })
  expect((await run('--country', 'DE')).status).toBe(0)
  expect(held().toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  expect(sandbox().requests().repeated).toEqual([])
})
