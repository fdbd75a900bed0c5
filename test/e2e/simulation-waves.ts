import { areWavesBalanced, REST, SENDING_ORDERS, type Wave } from '../../src/domain/wave/wave.js'
import type { Ledger } from '../../src/ledger/ledger.js'
import { allotWaves } from '../../src/run/waves/allot-waves.js'
import type { Chance } from './simulation-chance.js'
import type { Disk } from './simulation-disk.js'

/** Waves that are drawn anew for each run, and what they mean, worked out without the program. */
export interface SimulatedWaves {
  /** Allots the rows by new waves and selects some of them, as a run does before it sends. */
  readonly begin: (ledger: Ledger, isHealing: boolean) => ReturnType<Ledger['select']>
  /** Why this row may not be sent by the run that goes on, or null. */
  readonly wrongToSend: (rowId: number) => string | null
  /** What is wrong with the totals of the waves, or null. */
  readonly lookAt: (ledger: Ledger) => string | null
}

interface StoredRow {
  readonly id: number
  readonly state: string
  readonly attempts: number
}

/** Row n is that of customer n, because it is the nth of its export. */
export function startWaves(disk: Disk, chance: Chance, rows: number, weakness?: string): SimulatedWaves {
  /** By row; what is missing is the rest. */
  let waveOf = new Map<number, string>()
  let isHeld = new Set<string>()
  let only: readonly string[] | null = null
  let hasBegun = false
  /** Names of the waves that the run has. */
  let known = new Set<string>()
  /** What left with a wave that there is not any more goes with the rest. */
  const calledOf = (rowId: number): string => {
    const name = waveOf.get(rowId)
    return name !== undefined && known.has(name) ? name : REST
  }

  function draw(isHealing: boolean): Wave[] {
    const all = Array.from({ length: rows }, (_, index) => index + 1)
    return Array.from({ length: chance.between(1, 4) }, (_, index) => ({
      name: `wave ${chance.between(0, 1) * 4 + index}`,
      ...(chance.happens(0.7)
        ? {
            columns: [{ column: 'customer_no', equals: [0, ...all.filter(() => chance.happens(0.5))] }],
          }
        : {}),
      ...(chance.happens(0.4) ? { number: chance.between(1, rows) } : {}),
      ...(!isHealing && chance.happens(0.4) ? { held: true } : {}),
    }))
  }

  /** What never left goes to the first wave that takes it; what left stays. */
  function allotByHand(waves: readonly Wave[]): void {
    const stored = disk.read<StoredRow>('select id, state, attempts from row order by id')
    const next = new Map<number, string>()
    const filled = new Map<string, number>()
    const add = (name: string): void => void filled.set(name, (filled.get(name) ?? 0) + 1)
    for (const { id, attempts } of stored) {
      const name = waveOf.get(id)
      if (attempts === 0 || name === undefined) continue
      next.set(id, name)
      add(name)
    }
    for (const { id, state, attempts } of stored) {
      if (attempts > 0) continue
      const wave = waves.find(({ columns, number, name }) => {
        if (columns !== undefined && !columns[0]?.equals.includes(id)) return false
        return number === undefined || (state === 'ready' && (filled.get(name) ?? 0) < number)
      })
      if (wave === undefined) continue
      next.set(id, wave.name)
      add(wave.name)
    }
    waveOf = next
  }

  return {
    begin: (ledger, isHealing) => {
      const waves = draw(isHealing)
      const open = waves.filter(({ held }) => held !== true).map(({ name }) => name)
      only = !isHealing && chance.happens(0.3) ? [...open, REST].filter(() => chance.happens(0.6)) : null
      const admission = ledger.admit({ severities: {}, isRetry: true })
      const asDeclared = weakness === 'held_is_sent' ? waves.map(({ held: _, ...wave }) => wave) : waves
      allotWaves(asDeclared, { rows: ledger.waves, sources: ledger.view.sources() })
      admission.commit()
      disk.committed()
      allotByHand(waves)
      isHeld = new Set(waves.flatMap(({ name, held }) => (held === true ? [name] : [])))
      known = new Set(waves.map(({ name }) => name))
      hasBegun = true
      return ledger.select({ only, order: chance.pick(SENDING_ORDERS) })
    },
    wrongToSend: (rowId) => {
      const called = calledOf(rowId)
      if (isHeld.has(called)) return `row ${rowId} left although its wave "${called}" is held`
      return only === null || only.includes(called)
        ? null
        : `row ${rowId} of "${called}" left, which was not asked for`
    },
    lookAt: (ledger) => {
      const records = ledger.view.waves()
      if (records === null) return hasBegun ? 'there are no waves' : null
      if (!areWavesBalanced(records)) return 'the waves do not add up to the control totals'
      for (const { name, totals } of records.waves) {
        const counted = Array.from({ length: rows }, (_, index) => waveOf.get(index + 1) ?? REST)
        const expected = counted.filter((of) => of === name).length
        if (totals.read !== expected)
          return `"${name}" has ${totals.read} records, and ${expected} belong to it`
      }
      return null
    },
  }
}
