import { describe, expect, it } from 'vitest'
import { range } from './seeds.js'
import { campaignsFrom } from './simulation-seeds.js'
import { WEATHERS } from './simulation-service.js'
import type { Weakness } from './simulation.js'

const { playAll, expectSound, expectFound } = campaignsFrom('SIMULATION', {})

playAll('a campaign under faults, deaths, power failures and decisions', (seen, count) => {
  it.runIf(count >= 1_000)('met every fault, every way to stop and every kind of death', () => {
    const met = (pick: 'fates' | 'stops' | 'deaths') => new Set<string>(seen.flatMap((each) => each[pick]))
    expect(met('fates')).toEqual(new Set(WEATHERS.flatMap((weather) => Object.keys(weather))))
    const stops = [
      ...['signal', 'limit', 'max_duration', 'max_in_doubt', 'max_refused', 'no_connection', 'retry_after'],
      ...['turned_away', 'credentials', 'echo_mismatch', 'reference_repeated', 'disk_full', 'overtaken'],
    ]
    expect([...met('stops')]).toEqual(expect.arrayContaining(stops))
    expect(met('deaths').size).toBeGreaterThanOrEqual(12)
  })

  it('holds on real files too', async () => {
    let deaths = 0
    for (const seed of range(1, 8)) deaths += (await expectSound(seed, { onFiles: true })).deaths.length
    expect(deaths).toBeGreaterThan(2)
  }, 300_000)

  describe('a rule broken on purpose is found', () => {
    it.each<[string, Weakness]>([
      ['sending before the intent is on disk', 'send_before_intent'],
      ['sending again after a restart what was under way', 'resend_after_restart'],
      ['commits that are not flushed when the power fails', 'normal_instead_of_full'],
      ['taking a lost answer for a request that never left', 'lost_answer_is_not_sent'],
      ['taking a server error for a request that was not applied', 'server_error_is_turned_away'],
    ])('%s posts a mandate twice', (_name, weakness) => expectFound(weakness, /^I1/))
  })
})
