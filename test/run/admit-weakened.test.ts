import { afterEach, describe, expect, it, vi } from 'vitest'
import { latestDebitFromSigning } from '../../src/domain/value/last-collection.js'
import type * as Plain from '../../src/source/survey/plain-records.js'
import type * as Quick from '../../src/source/survey/quick-reading.js'
import { drawExports } from './survey-exports.js'

type Weakness = keyof typeof WEAKNESSES
type Made = Plain.Numberless

const WEAKNESSES = {
  lines: 'counts a line too many',
  cells: 'keeps the cells of the row before',
  accounts: 'takes the account of the row before',
  dates: 'takes the date of the row before',
  customers: 'takes the customer of the row before',
  letters: 'does not fold the letters of a reference',
  lapse: 'does not look at the last collection',
  order: 'turns two records around',
  last: 'leaves a record out',
} as const

let weakness: Weakness | null = null
afterEach(() => (weakness = null))

let before: Made | null = null

/** What the weakened way makes of a record. */
function changed(record: Made): Made {
  const former = before ?? record
  before = record
  if (record.verdict.kind !== 'sendable' || former.verdict.kind !== 'sendable') return record
  const { mandate } = record.verdict
  const other = former.verdict.mandate
  const withMandate = (values: Partial<typeof mandate>): Made => ({
    ...record,
    verdict: { kind: 'sendable', mandate: { ...mandate, ...values } },
  })
  switch (weakness) {
    case 'lines':
      return { ...record, line: record.line + 1 }
    case 'cells':
      return { ...record, cells: former.cells }
    case 'accounts':
      return withMandate({ iban: other.iban })
    case 'dates':
      return withMandate({ signedDate: other.signedDate })
    case 'customers':
      return withMandate({ customerNo: other.customerNo })
    case 'letters': {
      const { mandateReference } = mandate.original
      const key = record.mandateKey ?? ''
      return { ...record, mandateKey: key.slice(0, key.length - mandateReference.length) + mandateReference }
    }
    case 'lapse':
      return { ...record, latestFirstDebit: latestDebitFromSigning(mandate.signedDate, CHECK.today) }
    case 'order':
    case 'last':
    case null:
      return record
  }
}

vi.doMock('../../src/source/survey/plain-records.js', async (original) => {
  const real = await (original as () => Promise<typeof Plain>)()
  return {
    ...real,
    plainRecords: (...given: Parameters<typeof real.plainRecords>) => {
      const records = real.plainRecords(...given)
      before = null
      return {
        ...records,
        recordOf: (...row: Parameters<typeof records.recordOf>) => changed(records.recordOf(...row)),
      }
    },
  }
})
vi.doMock('../../src/source/survey/quick-reading.js', async (original) => {
  const real = await (original as () => Promise<typeof Quick>)()
  return {
    ...real,
    async *readQuickly(...given: Parameters<typeof real.readQuickly>) {
      const batches = real.readQuickly(...given)
      for (;;) {
        const next = await batches.next()
        if (next.done === true) return next.value
        const [first, second, ...others] = next.value
        const isPair = first !== undefined && second !== undefined
        if (weakness === 'order' && isPair) yield [second, first, ...others]
        else yield weakness === 'last' ? next.value.slice(0, -1) : next.value
      }
    },
  }
})

// Behind what is mocked, or the real modules would be loaded already.
const { CHECK } = await import('../support/sources.js')
const { ledgersOf } = await import('./ledger-both-ways.js')

const MOST_SEEDS = 100

/** What a run sends comes from these records, so the comparison of whole ledgers has to notice each of these faults. */
describe('12 a weakened quick way into a ledger is found out', () => {
  it.each(Object.entries(WEAKNESSES) as [Weakness, string][])(
    '12 %s: it %s',
    async (name) => {
      for (let seed = 1; seed <= MOST_SEEDS; seed += 1) {
        const exports = [drawExports(seed, [40])]
        weakness = name
        const isFound = await ledgersOf(exports).then(
          ({ full, quick }) => JSON.stringify(full) !== JSON.stringify(quick),
          () => true, // the ledger itself refused what came
        )
        weakness = null
        if (!isFound) continue
        const sound = await ledgersOf(exports)
        expect(sound.quick, `seed ${seed}, not weakened`).toEqual(sound.full)
        process.stdout.write(`${name}: found by seed ${seed}\n`)
        return
      }
      expect.fail(`None of ${MOST_SEEDS} seeds found "${name}"`)
    },
    600_000,
  )
})
