import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { germanIban } from '../support/export.js'
import { filesBelow } from '../support/folder.js'
import { atService, placeOfTest, type Place } from '../support/place.js'
import { agreeToProposals, doubtLines } from '../support/proposals.js'
import { movableTime, typeIn, type Time, type Typed } from '../support/typed.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const lost = (customer_no: number) =>
  ({
    operation: 'migrate',
    match: { customer_no },
    times: 1,
    fault: { kind: 'reset', applied: false },
  }) as const

let place: Place
let time: Time

/** Customers 1 to 4; the requests of 2 and 3 were lost, and customer 3 has another mandate at the service. */
beforeEach(async () => {
  time = movableTime()
  place = await placeOfTest({
    rows: 4,
    sandbox: { faults: [lost(2), lost(3)], now: () => new Date(time.now()) },
  })
  await type('run', path('export.csv'), '--no-report', '--base-url', place.sandbox().url)
  expect(place.held()).toEqual([1, 4])
  const posted = await atService(place, '/api/v2/sepa_dd_mandate/migrate', otherMandate(3))
  expect(posted.status, await posted.text()).toBe(200)
})

const otherMandate = (customer_no: number) => ({
  customer_no,
  iban: germanIban(900),
  signed_date: '2020-02-29',
  amendment: { sepa_creditor_identifier: 'DE98ZZZ09999999999', unique_mandate_reference: 'BEFORE' },
})

const path = (name: string): string => place.path(name)
const type = (...args: string[]): Promise<Typed> => typeIn(place.folder(), time, args)
const ask = (...more: string[]): Promise<Typed> =>
  type('resolve', '--ask', '--dry-run', '--base-url', place.sandbox().url, ...more)

/** What the report says of each row in doubt: the proposal and its evidence. */
async function proposals(...more: string[]): Promise<Record<string, readonly [string, string]>> {
  const { status, stdout } = await type('report', '--out', path('pack'), ...more)
  expect(status).toBe(4)
  const lines = doubtLines(path('pack/to-do/in-doubt.csv'))
  const isProposed = lines.some((line) => line['migration_proposal'] !== '')
  expect(stdout.includes('1 row in doubt is absent for long enough')).toBe(isProposed)
  for (const line of lines) expect(line['migration_decision']).toBe('')
  return Object.fromEntries(
    lines.map((line) => [
      line['customer_no'] ?? '',
      [line['migration_proposal'] ?? '', line['migration_proposal_evidence'] ?? ''],
    ]),
  )
}

describe('a row that the service does not show', () => {
  it('is not proposed before somebody asked, and not before its time', async () => {
    expect(await proposals()).toEqual({ 2: ['', ''], 3: ['', ''] })
    time.pass(MINUTE)
    const { stdout } = await ask('--of', 'all')
    expect(stdout).toMatch(/1 row in doubt is absent so far: ask again from \d{4}-.* UTC/)
    expect(await proposals()).toEqual({
      2: [
        '',
        expect.stringMatching(/^Asked once, .*: no payment source of the customer; ask again from .* UTC\.$/),
      ],
      3: ['', expect.stringContaining('Not absent: the service shows payment sources of the customer')],
    })
    time.pass(23 * HOUR)
    await ask('--of', 'all')
    expect((await proposals())[2]).toEqual(['', expect.stringMatching(/^Asked 2 times .*; ask again from/)])
    // One that was not asked late enough does not become enough by waiting.
    time.pass(48 * HOUR)
    expect((await proposals())[2]?.[0]).toBe('')
    expect((await ask()).stdout).toContain('to-do/in-doubt.csv proposes resend with the evidence')
    expect((await proposals())[2]?.[0]).toBe('resend')
  })

  it('is sent again once a person has agreed, once, and one that was not absent stays', async () => {
    time.pass(MINUTE)
    await ask('--of', 'all')
    time.pass(24 * HOUR)
    const asked = await ask()
    expect(asked.stdout).toMatch(/Next: sepa-migrate report$/m)
    expect(asked.stdout).toMatch(
      /Row 2 stays in doubt: asked 2 times .*; to-do\/in-doubt\.csv proposes resend\./,
    )
    await proposals()
    expect(readFileSync(path('pack/report.html'), 'utf8')).toContain(
      'Read back as absent for long enough: 1.',
    )
    expect((await type('status', '--json')).stdout).toContain('"absent":{"proposed":1,"waiting":0')
    expect(place.held()).toEqual([1, 4, 3])

    expect(agreeToProposals(path('pack/to-do/in-doubt.csv'), path('decided.csv'))).toBe(1)
    const recorded = await type('resolve', '--from', path('decided.csv'))
    expect(recorded.stdout, recorded.stderr).toContain('Row 2: in_doubt → ready')
    const { status } = await type('run', '--no-report', '--base-url', place.sandbox().url)
    expect(status).toBe(4)
    expect(place.held()).toEqual([1, 4, 3, 2])
    expect(Object.keys(await proposals())).toEqual(['3'])
  })

  it('is asked about first, where the service can be asked', async () => {
    const run = (...more: string[]) => type('run', '--no-report', '--base-url', place.sandbox().url, ...more)
    expect((await run()).stdout).not.toContain('Next: sepa-migrate resolve --ask')
    place.write('asked.yaml', 'service:\n  readBack: true\n')
    const { stdout } = await run('--config', path('asked.yaml'))
    expect(stdout).toMatch(/Next: sepa-migrate resolve --ask --config .*asked\.yaml'? --base-url http/)
  })

  it('gives the same report whenever it is written, and another one where less is asked for', async () => {
    time.pass(2 * HOUR)
    await ask('--of', 'all')
    time.pass(2 * HOUR)
    await ask()
    const hashes = (folder: string) =>
      filesBelow(path(folder)).map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(path(folder), name)))
          .digest('hex'),
      ])
    await type('report', '--out', path('first'))
    time.pass(100 * HOUR)
    await type('report', '--out', path('second'))
    expect(hashes('second')).toEqual(hashes('first'))
    place.write('three.yaml', 'readBack:\n  absentAfter: 3h\n')
    expect((await proposals())[2]?.[0]).toBe('')
    expect((await proposals('--config', path('three.yaml')))[2]?.[0]).toBe('resend')
  })
})
