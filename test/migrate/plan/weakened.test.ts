import { appendFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type * as Drift from '../../../src/domain/plan/drift.js'
import type { MigrateOptions } from '../../../src/migrate/options.js'
import type * as Reads from '../../../src/ledger/plan/plans.js'
import { newPlace, type Place } from '../place.js'

type Comparison =
  | 'sourceDrifts'
  | 'settingDrifts'
  | 'versionDrifts'
  | 'targetDrifts'
  | 'approvalDrifts'
  | 'rowDrifts'
  | 'readyAgainSince'

let missing: Comparison | null = null
afterEach(() => (missing = null))

vi.doMock('../../../src/domain/plan/drift.js', async (original) => {
  const real = await (original as () => Promise<typeof Drift>)()
  const without =
    <Given extends readonly unknown[]>(name: Comparison, compare: (...given: Given) => Drift.Drift[]) =>
    (...given: Given): Drift.Drift[] =>
      missing === name ? [] : compare(...given)
  return {
    ...real,
    sourceDrifts: without('sourceDrifts', real.sourceDrifts),
    settingDrifts: without('settingDrifts', real.settingDrifts),
    versionDrifts: without('versionDrifts', real.versionDrifts),
    targetDrifts: without('targetDrifts', real.targetDrifts),
    rowDrifts: without('rowDrifts', real.rowDrifts),
    approvalDrifts: without('approvalDrifts', real.approvalDrifts),
  }
})
vi.doMock('../../../src/ledger/plan/plans.js', async (original) => {
  const real = await (original as () => Promise<typeof Reads>)()
  return {
    ...real,
    preparePlanReads: (...given: Parameters<typeof Reads.preparePlanReads>) => {
      const reads = real.preparePlanReads(...given)
      return {
        ...reads,
        readyAgainSince: (...of: Parameters<typeof reads.readyAgainSince>) =>
          missing === 'readyAgainSince' ? 0 : reads.readyAgainSince(...of),
      }
    },
  }
})

const { migrate } = await import('../../../src/migrate/migrate.js')
const { approved, atLedger, planned } = await import('./planned.js')

const decided = (rowId: number, decision: 'written_off' | 'resend') => ({
  rowId,
  decision,
  reason: 'why',
  by: 'Ada',
  assigned: null,
  evidence: null,
  attempt: null,
})

/** What each comparison alone finds. */
const FOUND: Readonly<
  Record<Comparison, (place: Place, options: MigrateOptions) => MigrateOptions | Promise<MigrateOptions>>
> = {
  sourceDrifts: (place, options) => {
    appendFileSync(place.at('export.csv'), '\n')
    return options
  },
  settingDrifts: (_, options) => ({ ...options, service: { ...options.service, concurrency: 3 } }),
  versionDrifts: (place, options) => ({ ...options, machine: { ...place.machine(), version: '9.9.9' } }),
  targetDrifts: async (place, options) => {
    const other = await place.sandbox()
    return { ...options, service: { ...options.service, baseUrl: other.url } }
  },
  rowDrifts: async (place, options) => {
    await migrate({ ...options, limit: 1 })
    atLedger(place, (ledger) => ledger.resolve([decided(3, 'written_off')], { dryRun: false }))
    return options
  },
  readyAgainSince: async (place, options) => {
    await migrate({ ...options, limit: 1 })
    atLedger(place, (ledger) => ledger.resolve([decided(1, 'resend')], { dryRun: false, force: true }))
    return options
  },
  approvalDrifts: (place, options) => {
    const machine = place.machine()
    const clock = { ...machine.clock, now: () => Date.now() + 2 * 86_400_000 }
    return { ...options, machine: { ...machine, clock } }
  },
}

describe('a run that leaves one comparison out', () => {
  it.each(Object.keys(FOUND) as Comparison[])(
    'sends what %s alone would have refused',
    async (comparison) => {
      const place = newPlace()
      const faults =
        comparison === 'readyAgainSince'
          ? [{ operation: 'migrate' as const, times: 1, fault: { kind: 'reset' as const, applied: false } }]
          : []
      const sandbox = await place.sandbox({ faults })
      place.exported(4)
      const asked = place.asked(sandbox.url)
      approved(place, await planned(place, asked))
      const options = await FOUND[comparison](place, { ...asked, plan: place.at('plan.json') })
      await expect(migrate(options)).rejects.toThrow(/Cannot send under the plan/)
      missing = comparison
      if (comparison === 'approvalDrifts')
        // Nothing is left to name who approved, and that is the last net.
        await expect(migrate(options)).rejects.toThrow('A plan that was not approved passed')
      else expect((await migrate(options)).totals.registered).toBeGreaterThan(2)
    },
  )
})
