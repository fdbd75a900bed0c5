import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { textOfPlan } from '../../src/domain/plan/plan.js'
import { migrate } from '../../src/migrate/migrate.js'
import type { MigrateOptions } from '../../src/migrate/options.js'
import { changedSettingsOf, readPlan } from '../../src/migrate/plan.js'
import { writeReport } from '../../src/report/pack/pack.js'
import { germanIban, validExport, validLine } from '../support/export.js'
import { newPlace, placeWith } from './place.js'
import { planned } from './planned.js'

describe('a plan', () => {
  it('says what a run would do, and admits and sends nothing', async () => {
    const { place, sandbox, asked, posts } = await placeWith(5)
    const document = await planned(place, asked())
    expect(document).toMatchObject({
      kind: 'sepa-migrate-plan',
      plannedBy: 'Ada',
      target: { baseUrl: sandbox.url, username: 'sandbox' },
      sources: [{ name: 'export.csv', records: 5, bytes: statSync(place.at('export.csv')).size }],
      totals: { read: 5, ready: 5, registered: 0 },
      rows: { count: 5 },
      limit: null,
      creditors: [{ creditorIdentifier: 'DE98ZZZ09999999999', count: 5 }],
      staysBehind: [],
      changedSettings: [],
    })
    const [totals, sources, runs, [plan], { baseUrl }] = place.look(
      (ledger) =>
        [ledger.totals(), ledger.sources(), ledger.runs(), ledger.plans(), ledger.campaign()] as const,
    )
    expect([totals.read, sources, runs, baseUrl]).toEqual([0, [], [], null])
    expect(plan).toMatchObject({ digest: document.digest, text: textOfPlan(document), approvals: [] })
    expect(posts()).toBe(0)
  })

  it('is for the rows that were chosen, and says how many ready rows it leaves', async () => {
    const { place, asked } = await placeWith(7)
    const only = [{ column: 'Customer-No', values: ['2', '5', '99'] }]
    const document = await planned(place, asked({ only, countries: ['de', 'AT'] }))
    expect(document).toMatchObject({
      totals: { ready: 7 },
      rows: { count: 2 },
      creditors: [{ count: 2 }],
      choice: { only, countries: ['DE', 'AT'], left: 5 },
    })
    expect(readPlan(place.at('plan.json'), document.version)).toEqual(document)
    const whole = await planned(place, asked())
    expect(whole).toMatchObject({ rows: { count: 7 }, choice: null })
    expect(whole.rows.digest).not.toBe(document.rows.digest)
    const wrong = asked({ only: [{ column: 'segment', values: ['A'] }] })
    await expect(planned(place, wrong)).rejects.toThrow('no file has a column "segment"; nothing was sent')
  })

  it('names what stays behind and why, warnings, and the settings that are not as usual', async () => {
    const { place, sandbox, asked } = await placeWith(0)
    const broken = validLine(9).replace(germanIban(9), 'DE00370400440000000009')
    writeFileSync(place.at('export.csv'), `${validExport(3)}${broken}\n${validLine(1)}\n`, { mode: 0o600 })
    const document = await planned(place, {
      ...asked({ rules: { IBAN_SHARED: 'off' } }),
      service: { baseUrl: sandbox.url, username: 'sandbox', password: 'x', concurrency: 2, rate: 5 },
    })
    expect(document.staysBehind.map(({ state, count }) => [state, count])).toEqual([
      ['duplicate', 1],
      ['invalid', 1],
    ])
    expect(document.staysBehind.every(({ rule }) => rule !== null)).toBe(true)
    expect(document.changedSettings).toEqual(['concurrency', 'rate', 'rules'])
    expect(document.settings).toMatchObject({ concurrency: 2, rate: 5 })
    expect(document.expectedMs).toBe(600)
    // As whoever approves derives it, who may have no folder for a register.
    const approver = { baseUrl: sandbox.url, machine: { ...place.machine(), stateFolder: null } }
    expect(changedSettingsOf(document.settings, approver)).toEqual(document.changedSettings)
  })

  it('holds no account number, whole or by a hash of it that could be tried', async () => {
    const place = newPlace()
    const sandbox = await place.sandbox()
    place.exported(3, `${germanIban(1)}.csv`)
    const asked = place.asked(sandbox.url, { files: [place.at(`${germanIban(1)}.csv`)] })
    const text = textOfPlan(await planned(place, asked))
    for (const n of [1, 2, 3]) expect(text).not.toContain(germanIban(n))
    const other = newPlace()
    other.exported(3)
    const elsewhere = await planned(other, other.asked(sandbox.url))
    const here = JSON.parse(text) as typeof elsewhere
    expect(elsewhere.rows.count).toBe(here.rows.count)
    expect(elsewhere.rows.digest).not.toBe(here.rows.digest) // another ledger, another key
  })

  it('has the same rows in whatever order they stand, and others where one value differs', async () => {
    const { place, asked } = await placeWith(0)
    const [header = '', ...lines] = validExport(4).trim().split('\n')
    const digestOf = async (order: readonly string[]): Promise<string> => {
      writeFileSync(place.at('export.csv'), `${[header, ...order].join('\n')}\n`, { mode: 0o600 })
      return (await planned(place, asked())).rows.digest
    }
    const first = await digestOf(lines)
    expect(await digestOf(lines.toReversed())).toBe(first)
    expect(await digestOf(lines.map((line) => line.replace('2024-03-02', '2024-03-22')))).not.toBe(first)
  })

  it('holds what was admitted before', async () => {
    const { place, asked } = await placeWith(3)
    expect(await migrate(asked({ limit: 1 }))).toMatchObject({ totals: { registered: 1 } })
    const { rows, sources, totals } = await planned(place, asked({ files: [] }))
    expect([rows.count, sources.map(({ name }) => name), totals.registered]).toEqual([2, ['export.csv'], 1])
  })

  it('needs files that can be read again, and something to plan', async () => {
    const place = newPlace()
    const sandbox = await place.sandbox()
    const stream = { name: 'standard input', stream: Readable.from(['']) }
    const refused = (...files: NonNullable<MigrateOptions['files']>) =>
      expect(planned(place, place.asked(sandbox.url, { files }))).rejects
    await refused(stream).toThrow('Cannot plan "standard input": a stream cannot be read a second time')
    await refused().toThrow('there is no such file')
    place.exported(1)
    await migrate(place.asked(sandbox.url))
    await writeReport(place.at('campaign.db'), { out: place.at('pack') })
    const empty = place.at('pack', 'to-do', 'refused.csv')
    await refused(empty).toThrow('Cannot plan "refused.csv": it holds no correction')
  })
})

it('a plan that is read without its ledger is whole, or refused', async () => {
  const { place, asked } = await placeWith(3)
  const document = await planned(place, asked())
  const file = place.at('plan.json')
  expect(readPlan(file, document.version)).toEqual(document)
  expect(() => readPlan(file, '9.9.9')).toThrow('is no plan that this version knows')
  const text = readFileSync(file, 'utf8')
  const changes = [
    text.replace('"count": 3', '"count": 4'),
    text.replace('"Ada"', '"Eve"'),
    `${text}\n`,
    text.slice(0, -3),
    '{}',
    JSON.stringify({ digest: 'x', kind: 'sepa-migrate-plan' }),
  ]
  for (const change of changes) {
    writeFileSync(file, change)
    expect(() => readPlan(file, document.version), change.slice(0, 80)).toThrow(
      'is no plan that this version knows, or was changed since it was written',
    )
  }
})
