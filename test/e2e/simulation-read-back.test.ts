import { describe, expect, it } from 'vitest'
import { SIGHTS } from './simulation-reading.js'
import { campaignsFrom } from './simulation-seeds.js'
import type { Simulated, Weakness } from './simulation.js'

const { playAll, expectFound } = campaignsFrom('READING', { readsBack: true })

playAll('a campaign whose doubts are settled by what is read back', (seen, count) => {
  it.runIf(count >= 1_000)('met everything that becomes of a question, and settled most by it', () => {
    const met = new Set(seen.flatMap(({ readFates }) => readFates))
    expect(met).toEqual(new Set(SIGHTS.flatMap((sight) => Object.keys(sight))))
    const stops = new Set(seen.flatMap((each) => each.stops))
    expect([...stops]).toEqual(
      expect.arrayContaining(['signal', 'no_connection', 'disk_full'].map((kind) => `asking: ${kind}`)),
    )
    const sum = (by: keyof Simulated['settled']): number =>
      seen.reduce((total, { settled }) => total + settled[by], 0)
    const [presence, absence, looking] = [sum('presence'), sum('absence'), sum('looking')]
    expect(presence).toBeGreaterThan(count)
    expect(absence).toBeGreaterThan(count / 20)
    expect(looking).toBeLessThan(presence + absence)
  })

  describe('a rule broken on purpose is found', () => {
    it.each<[string, Weakness, RegExp, number]>([
      ['sending again what was absent once', 'absence_resends', /^I1/, 16],
      ['taking a question without an answer for an empty list', 'silence_is_absence', /^I1/, 5],
      ['taking a list that is not understood in whole for an empty one', 'unreadable_is_absence', /^I1/, 273],
      ['matching by customer alone', 'match_by_customer', /^I4.*reference that the service did not give/, 41],
    ])('%s', (_name, weakness, found, first) => expectFound(weakness, found, first), 300_000)
  })
})
