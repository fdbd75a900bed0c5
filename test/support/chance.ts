/** Chance from a seed: the same seed gives the same run, on every machine. */
export type Chance = ReturnType<typeof seedChance>

/** The mulberry32 generator: numbers in [0, 1). */
export function generate(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export function seedChance(seed: number) {
  const next = generate(seed)
  /** A whole number between both, these included. */
  const between = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1))
  const pick = <Value>(values: readonly Value[]): Value => values[between(0, values.length - 1)]!
  return {
    /** In [0, 1). */
    next,
    happens: (probability: number): boolean => next() < probability,
    between,
    pick,
    /** One of the names, as often as its weight says. */
    weigh: <Name extends string>(weights: Readonly<Partial<Record<Name, number>>>): Name => {
      const entries = Object.entries(weights) as [Name, number][]
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
      return (entries.find(([, weight]) => (left -= weight) < 0) ?? entries.at(-1)!)[0]
    },
    bytes: (count: number): Uint8Array => Uint8Array.from({ length: count }, () => between(0, 255)),
  }
}
