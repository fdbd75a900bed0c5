import { beforeEach, describe, expect, it } from 'vitest'
import { validLine } from '../support/export.js'
import { placeForEach } from '../support/place.js'
import { movableTime, typeIn, type Typed } from '../support/typed.js'

const SEGMENTS = ['A', 'B', 'C', 'A', ' b', 'A', 'C', 'B']

const { folder, path, read, write, held: customers, sandbox } = placeForEach({ sandbox: {} })
const time = movableTime()

beforeEach(() => {
  const header =
    'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,Segment,Sales region'
  const lines = SEGMENTS.map(
    (segment, index) => `${validLine(index + 1)},${segment},${index % 2 === 0 ? 'north' : 'south'}`,
  )
  write('export.csv', `${[header, ...lines].join('\n')}\n`)
})

const type = (...args: string[]): Promise<Typed> => typeIn(folder(), time, args)
const run = (...args: string[]): Promise<Typed> =>
  type('run', path('export.csv'), '--base-url', sandbox().url, ...args)

const json = ({ stdout }: Typed): unknown => JSON.parse(stdout)

describe('25.2 run --only and --country', () => {
  it('send some of the ready rows, say how many they leave, and the next command sends those', async () => {
    const one = await run('--only', 'segment=A,C', '--only', 'Sales region=north', '--limit', '1')
    expect(one.status).toBe(5)
    expect(one.stdout).toContain(
      'Of the ready rows only segment: A or C; Sales region: north; 5 other rows stay ready\n',
    )
    expect(one.stdout).toMatch(
      /Next: sepa-migrate run --base-url \S+ --only segment=A,C --only 'Sales region=north'\n/,
    )
    expect(customers()).toEqual([1])

    const two = await run('--only', 'segment=A,C', '--only', 'Sales region=north')
    expect(two.status).toBe(5)
    expect(customers()).toEqual([1, 3, 7])
    expect(two.stdout).toContain(
      'Stopped early: No row that this run was told to send (segment: A or C; Sales region: north) is ready any more, and 5 others are.',
    )
    expect(two.stdout).toMatch(/Next: sepa-migrate run --base-url \S+\n/)

    expect(read('sepa-migrate-report/summary.json')).toContain('"leftByChoice": 5')
    const page = read('sepa-migrate-report/report.html')
    expect(page).toContain('Other rows that stay ready: 5.')
    expect(page).toContain('<li>only rows with segment: A, C</li>')

    const three = json(await run('--only', 'Segment=b,C', '--country', 'at,DE', '--json'))
    expect(three).toMatchObject({
      exitCode: 5,
      stop: { kind: 'choice' },
      choice: { only: [{ column: 'Segment', values: ['b', 'C'] }], countries: ['AT', 'DE'], left: 4 },
      totals: { registered: 4, ready: 4 },
    })
    expect(customers().toSorted()).toEqual([1, 3, 5, 7])
    expect(json(await run('--country', 'AT', '--json'))).toMatchObject({ exitCode: 5, choice: { left: 4 } })
    const last = await run('--country', 'DE')
    expect(last.status).toBe(0)
    expect(customers().toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(sandbox().requests().repeated).toEqual([])
  })
})
