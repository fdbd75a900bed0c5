import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { germanIban } from '../support/export.js'
import { filesBelow } from '../support/folder.js'
import { placeOfTest, postElsewhere } from '../support/place.js'
import { movableTime, typeIn, type Typed, agreeToProposals, doubtLines } from '../support/typed.js'

const HOUR = 60 * 60_000

const lost = (customer_no: number) =>
  ({
    operation: 'migrate',
    match: { customer_no },
    times: 1,
    fault: { kind: 'reset', applied: false },
  }) as const

it('a row that the service does not show is proposed late enough, and goes once when a person agrees', async () => {
  // Customers 1 to 4; the requests of 2 and 3 were lost, and customer 3 has another mandate at the service.
  const time = movableTime()
  const place = await placeOfTest({
    rows: 4,
    sandbox: { faults: [lost(2), lost(3)], now: () => new Date(time.now()) },
  })
  const { path, sandbox, held } = place
  const type = (...args: string[]): Promise<Typed> => typeIn(place.folder(), time, args)
  const run = (...more: string[]) => type('run', '--no-report', '--base-url', sandbox().url, ...more)
  await run(path('export.csv'))
  expect((await postElsewhere(place, 3, { iban: germanIban(900), signed_date: '2020-02-29' })).status).toBe(
    200,
  )
  const ask = (...more: string[]): Promise<Typed> =>
    type('resolve', '--ask', '--dry-run', '--base-url', sandbox().url, ...more)
  /** What the report says of each row in doubt: the proposal and its evidence. */
  async function proposals(...more: string[]): Promise<Record<string, readonly [string, string]>> {
    const { status, stdout } = await type('report', '--out', path('pack'), ...more)
    expect(status).toBe(4)
    const lines = doubtLines(path('pack/to-do/in-doubt.csv'))
    const isProposed = lines.some((line) => line['migration_proposal'] !== '')
    expect(stdout.includes('1 row in doubt is absent for long enough')).toBe(isProposed)
    for (const line of lines) expect(line['migration_decision']).toBe('')
    const said = (line: (typeof lines)[number]) =>
      [line['migration_proposal'] ?? '', line['migration_proposal_evidence'] ?? ''] as const
    return Object.fromEntries(lines.map((line) => [line['customer_no'] ?? '', said(line)]))
  }
  const filesOf = (folder: string) =>
    filesBelow(path(folder)).map((name) => [name, readFileSync(path(`${folder}/${name}`), 'base64')])

  expect(await proposals()).toEqual({ 2: ['', ''], 3: ['', ''] })
  time.pass(60_000)
  expect((await ask('--of', 'all')).stdout).toMatch(/1 row in doubt is absent so far: ask again from .* UTC/)
  expect(await proposals()).toEqual({
    2: [
      '',
      expect.stringMatching(/^Asked once, .*: no payment source of the customer; ask again from .* UTC/),
    ],
    3: ['', expect.stringContaining('Not absent: the service shows payment sources of the customer')],
  })
  time.pass(23 * HOUR)
  await ask('--of', 'all')
  expect((await proposals())[2]).toEqual(['', expect.stringMatching(/^Asked 2 times .*; ask again from/)])
  // One that was not asked late enough does not become enough by waiting, and a report does not change by it.
  await type('report', '--out', path('first'))
  time.pass(48 * HOUR)
  expect((await proposals())[2]?.[0]).toBe('')
  await type('report', '--out', path('second'))
  expect(filesOf('second')).toEqual(filesOf('first'))
  place.write('three.yaml', 'readBack:\n  absentAfter: 3h\n')
  expect((await proposals('--config', path('three.yaml')))[2]?.[0]).toBe('resend')
  expect((await ask()).stdout).toMatch(/Row 2 stays in doubt: .*to-do\/in-doubt\.csv proposes resend/)
  expect((await proposals())[2]?.[0]).toBe('resend')
  expect(readFileSync(path('pack/report.html'), 'utf8')).toContain('Read back as absent for long enough: 1.')
  expect((await type('status', '--json')).stdout).toContain('"absent":{"proposed":1,"waiting":0')

  expect(held()).toEqual([1, 4, 3])
  expect(agreeToProposals(path('pack/to-do/in-doubt.csv'), path('decided.csv'))).toBe(1)
  const recorded = await type('resolve', '--from', path('decided.csv'))
  expect(recorded.stdout, recorded.stderr).toContain('Row 2: in_doubt → ready')
  expect((await run()).status).toBe(4)
  expect(held()).toEqual([1, 4, 3, 2])
  expect(Object.keys(await proposals())).toEqual(['3'])
})
