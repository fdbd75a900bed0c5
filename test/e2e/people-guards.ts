import type { Scene } from './people-truth.js'
import type { ActName, Kind } from './people.js'

/**
 * A guard of the program that can be switched off: what stands in the place of its functions then. Types only may be
 * imported where guards are described, because they are loaded while the program is being loaded. `acts` and `scene`
 * say where such mistakes are made.
 */
export interface Guard extends Found {
  /** What the program does without it. */
  readonly without: string
  readonly off: Off
}

interface Found extends Kind {
  /** The first seed that finds it gone. */
  readonly seed: number
  /** What the judge says then. */
  readonly finds: readonly string[]
}

/** By module below `src/` and by name: replacements, which get the true one. */
type Off = Readonly<Record<string, Readonly<Record<string, (real: never) => unknown>>>>

export const guard = (without: string, off: Off, found: Found): Guard => ({ without, off, ...found })
export const found = (
  seed: number,
  acts: readonly ActName[],
  finds: readonly string[],
  scene: Partial<Scene> = {},
  more: Pick<Kind, 'beginsOtherwise' | 'beginsWith'> = {},
): Found => ({ seed, acts, finds, scene, ...more })

export type Real<Result = unknown> = (...args: readonly unknown[]) => Result

/** A function that says the same whatever it is asked. */
export const always = (value: unknown) => () => () => value
/** One that is given something else. */
export const given =
  <Args extends readonly unknown[]>(change: (...args: Args) => readonly unknown[]) =>
  (real: Real) =>
  (...args: Args): unknown =>
    real(...change(...args))
/** One of whose answer something else is made. */
export const giving =
  <Result>(change: (result: Result) => unknown) =>
  (real: Real<Result>) =>
  (...args: readonly unknown[]): unknown =>
    change(real(...args))

/** One whose nth argument, or whose answer, says other things of itself. */
export const givenAlso = (nth: number, change: object) =>
  given((...args: readonly unknown[]) => args.with(nth, { ...(args[nth] as object), ...change }))
export const adding = (change: object) => giving((result: object) => ({ ...result, ...change }))

/** Modules of the program as they are, once they are loaded: what a guard must know of the one that it weakens. */
const loaded = new Map<string, Readonly<Record<string, unknown>>>()

export const memberOf = (module: string, name: string): unknown => loaded.get(module)?.[name]

let isOff: string | null = null

export function switchOff(name: string | null): void {
  isOff = name
}

/** For a mock: the module as it is, but for a guard that is switched off. @throws {Error} for a guard that is gone */
export function withGuards(guards: Readonly<Record<string, Guard>>, module: string) {
  return async (original: () => Promise<object>): Promise<object> => {
    const real = (await original()) as Readonly<Record<string, unknown>>
    loaded.set(module, real)
    const replaced: Record<string, PropertyDescriptor> = {}
    for (const [name, guard] of Object.entries(guards))
      for (const [member, weaken] of Object.entries(guard.off[module] ?? {})) {
        if (!(member in real)) throw new Error(`The guard "${name}" is not in ${module} any more: ${member}`)
        const before = replaced[member]
        const get = (): unknown =>
          isOff === name
            ? (weaken as Real)(real[member])
            : before === undefined
              ? real[member]
              : before.get?.()
        replaced[member] = { enumerable: true, get }
      }
    return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors({ ...real }), ...replaced })
  }
}
