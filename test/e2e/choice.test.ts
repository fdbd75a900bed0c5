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

interface Document {
  readonly exitCode: number
  readonly stop: { readonly kind: string } | null
  readonly choice: { readonly left: number } | null
  readonly totals: Readonly<Record<string, number>>
  readonly errors: readonly { readonly message: string; readonly next: string }[]
}
const json = ({ stdout }: Typed): Document => JSON.parse(stdout) as Document

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

    const summary = () =>
      JSON.parse(read('sepa-migrate-report/summary.json')) as {
        leftByChoice: number | null
        runs: { settings: unknown }[]
      }
    expect(summary()).toMatchObject({ leftByChoice: 5 })
    expect(summary().runs.at(-1)).toMatchObject({
      settings: {
        only: [
          { column: 'segment', values: ['A', 'C'] },
          { column: 'Sales region', values: ['north'] },
        ],
      },
    })
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
    expect(summary()).toMatchObject({ leftByChoice: 0 })
  })

  it.each([
    [['--only', 'Segment'], '--only "Segment" names no column and its values; nothing was sent'],
    [['--only', '=A'], '--only "=A" names no column and its values; nothing was sent'],
    [['--only', 'Segment='], '"Segment" with an empty name or value; nothing was sent'],
    [['--only', 'Segment=A,,B'], '"Segment" with an empty name or value; nothing was sent'],
    [['--only', 'Segmnt=A'], 'no file has a column "Segmnt"; nothing was sent'],
    [['--country', 'US'], '"US" is no country of SEPA; nothing was sent'],
    [['--country', 'AT,'], '"" is no country of SEPA; nothing was sent'],
  ])('are refused, and nothing comes in or leaves: %j', async (flags, message) => {
    const { exitCode, errors } = json(await run(...flags, '--json'))
    expect([exitCode, errors[0]?.message]).toEqual([2, expect.stringContaining(message)])
    expect(sandbox().requests().received.migrate).toBe(0)
    if (flags[1]?.startsWith('Segmnt') !== true) return
    expect(errors[0]?.next).toContain('"Segment", "Sales region"')
    expect(json(await type('status', '--json')).totals).toMatchObject({ read: 0 })
  })

  it('make a plan for these rows, which its runs keep to without being told', async () => {
    const to = path('plan.json')
    const planned = await type(
      ...['plan', path('export.csv'), '--base-url', sandbox().url, '--to', to, '--by', 'Ada'],
      ...['--only', 'Segment=A,B'],
    )
    expect(planned.status).toBe(0)
    expect(planned.stdout).toContain('To send: 5 rows')
    expect(planned.stdout).toContain('  Of the ready rows only Segment: A or B; 3 other rows stay ready')
    expect(read('plan.html')).toContain('3 other rows stay ready.')
    const approved = await type('approve', to, '--by', 'Ada', '--reference', 'a mail')
    expect(approved.status).toBe(0)

    const narrowed = await run('--plan', to, '--only', 'Segment=B')
    expect(narrowed.status).toBe(5)
    expect(customers()).toEqual([2, 8])
    expect(narrowed.stdout).toMatch(/Next: sepa-migrate run --base-url \S+ --plan '[^']+plan\.json'\n/)
    const whole = await run('--plan', to)
    expect(whole.status).toBe(5)
    expect(customers().toSorted()).toEqual([1, 2, 4, 6, 8])
    // The plan is done, and the others are not of it.
    expect(whole.stdout).toMatch(/Next: sepa-migrate run --base-url \S+\n/)
  })
})
