import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { migrate } from '../../src/migrate/migrate.js'
import type { MigrateOptions, MigrationPlan } from '../../src/migrate/options.js'
import { IBAN_EXAMPLES } from '../domain/iban-examples.js'
import { germanIban } from '../support/export.js'
import { placeWith } from './place.js'

const HEADER = 'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference'
/** Thirty customers of one bank, but for one in Austria, a reference of its own, and two other creditors. */
const text = [
  HEADER,
  ...Array.from({ length: 30 }, (_, at) => {
    const iban = at === 19 ? IBAN_EXAMPLES['AT']! : germanIban(at + 1)
    const creditor = at === 23 ? 'FR72ZZZ123456' : at === 24 ? 'AT61ZZZ01234567890' : 'DE98ZZZ09999999999'
    return `${at + 1},${iban},2024-03-01,${creditor},${at === 28 ? 'KD/29' : `M-${at + 1}`}`
  }),
  '',
].join('\n')

async function setUp() {
  const scene = await placeWith(1)
  writeFileSync(scene.place.at('export.csv'), text)
  const plans: MigrationPlan[] = []
  const confirm = (plan: MigrationPlan): boolean => plans.push(plan) > 0
  const pilot = (more: Partial<MigrateOptions> = {}) =>
    migrate(scene.asked({ limit: 6, spread: true, confirm, ...more }))
  const sent = () => scene.sandbox.mandates().map(({ customer_no }) => customer_no)
  return { ...scene, pilot, sent, plans }
}

it('sends a pilot of rows that differ, says why each was taken, and keeps with the run that it was spread', async () => {
  const { pilot, sent, plans, place, asked, posts } = await setUp()
  const end = await pilot()
  expect(end).toMatchObject({ exitCode: 5, stop: { kind: 'limit' }, totals: { registered: 6, ready: 24 } })
  expect(sent().toSorted((a, b) => a - b)).toEqual([1, 2, 20, 24, 25, 29])
  expect(plans[0]?.toSend).toBe(6)
  expect(plans[0]?.pilot.map(({ customerNo, because }) => [customerNo, because.length])).toEqual([
    [1, 4],
    [20, 2],
    [24, 1],
    [25, 1],
    [29, 1],
  ])
  expect(place.look((reader) => reader.runs())).toMatchObject([{ settings: { limit: 6, spread: true } }])
  expect((await migrate(asked())).totals.registered).toBe(30)
  expect(posts()).toBe(30)
  expect(plans).toHaveLength(1)
})

it('takes the same rows of the same ledger, of those that its choice leaves, and none that waits', async () => {
  const [one, other] = [await setUp(), await setUp()]
  for (const { pilot } of [one, other]) await pilot({ countries: ['DE'], limit: 4 })
  expect(one.sent().toSorted()).toEqual(other.sent().toSorted())
  expect(other.sent().toSorted((a, b) => a - b)).toEqual([1, 24, 25, 29])
  await other.pilot({ countries: ['DE'], limit: 3 })
  expect(other.sent().toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 24, 25, 29])
})

it('claims no other row than those, and sends nothing after a no', async () => {
  const { pilot, sent, place } = await setUp()
  expect(await pilot({ confirm: () => false })).toMatchObject({ stop: { kind: 'declined' } })
  expect(place.look((reader) => reader.totals().read)).toBe(0)
  // All of a pilot that is larger than what is ready: nothing is left, and no limit was met.
  expect(await pilot({ limit: 50 })).toMatchObject({ exitCode: 0, stop: null, totals: { registered: 30 } })
  expect(sent()).toHaveLength(30)
})
