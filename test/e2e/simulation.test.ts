import { describe, expect, it } from 'vitest'
import { folder, partsOf, range } from './seeds.js'
import { SIGHTS } from './simulation-reading.js'
import { WEATHERS } from './simulation-service.js'
import { simulate, type Simulated, type SimulationOptions, type Weakness } from './simulation.js'

const PART = 20

/** Campaigns of one kind: `NAME_SEED=17` replays a seed and prints what happened, `NAME_SEEDS=20000` plays more of them. */
function campaignsFrom(name: string, options: Omit<SimulationOptions, 'folder'>) {
  const replayed = process.env[`${name}_SEED`]
  const seeds = Number(process.env[`${name}_SEEDS`] ?? 60)
  const play = (seed: number, more: Partial<SimulationOptions> = {}): Promise<Simulated> =>
    simulate(seed, { folder, ...options, ...more })

  async function expectSound(seed: number): Promise<Simulated> {
    const simulated = await play(seed)
    const { violations, history } = simulated
    const told = [...violations.slice(0, 10), ...history.slice(-60)].join('\n')
    expect(violations, `Replay seed ${seed} with ${name}_SEED=${seed}\n${told}`).toEqual([])
    return simulated
  }

  /** Plays all seeds, then whatever shall be said of them together and beside them. */
  function playAll(title: string, beside: (seen: readonly Simulated[], count: number) => void): void {
    if (replayed !== undefined) {
      it(`seed ${replayed}`, async () => {
        const { history, violations } = await play(Number(replayed))
        process.stdout.write(`${history.join('\n')}\n`)
        expect(violations).toEqual([])
      })
      return
    }
    const seen: Simulated[] = []
    describe(title, () => {
      it.each(partsOf(seeds, PART))(
        'keeps every invariant and comes to its end, seeds from %d',
        async (from) => {
          for (const seed of range(from, PART)) seen.push(await expectSound(seed))
        },
        300_000,
      )
      it('gives the same campaign again for the same seed', async () => {
        for (const seed of [3, 33]) expect((await play(seed)).history).toEqual((await play(seed)).history)
      })
      beside(seen, seeds)
    })
  }

  /** Tries seeds from the one that is known to find it. */
  const expectFound = async (weakness: Weakness, found: RegExp, first = 1): Promise<void> => {
    for (const seed of range(first, 400)) {
      const { violations } = await play(seed, { weakness })
      if (!violations.some((violation) => found.test(violation))) continue
      process.stdout.write(`${weakness}: found by seed ${seed}\n`)
      await expectSound(seed)
      return
    }
    expect.fail(`None of 400 seeds found the weakness "${weakness}"`)
  }

  return { playAll, expectFound }
}

const faulty = campaignsFrom('SIMULATION', {})

faulty.playAll('a campaign under faults, deaths, power failures and decisions', (seen, count) => {
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

  it.each<[string, Weakness]>([
    ['sending before the intent is on disk', 'send_before_intent'],
    ['sending again after a restart what was under way', 'resend_after_restart'],
    ['commits that are not flushed when the power fails', 'normal_instead_of_full'],
    ['taking a lost answer for a request that never left', 'lost_answer_is_not_sent'],
    ['taking a server error for a request that was not applied', 'server_error_is_turned_away'],
  ])('a rule broken on purpose is found %s posts a mandate twice', (_name, weakness) =>
    faulty.expectFound(weakness, /^I1/),
  )
})

const readBack = campaignsFrom('READING', { readsBack: true })

readBack.playAll('a campaign whose doubts are settled by what is read back', (seen, count) => {
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

  it.each<[string, Weakness, RegExp, number]>([
    ['sending again what was absent once', 'absence_resends', /^I1/, 16],
    ['taking a question without an answer for an empty list', 'silence_is_absence', /^I1/, 5],
    ['taking a list that is not understood in whole for an empty one', 'unreadable_is_absence', /^I1/, 273],
    ['matching by customer alone', 'match_by_customer', /^I4.*reference that the service did not give/, 41],
  ])(
    'a rule broken on purpose is found %s',
    (_name, weakness, found, first) => readBack.expectFound(weakness, found, first),
    300_000,
  )
})
