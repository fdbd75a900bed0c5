import type { Kind } from './people.js'

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

/** Modules of the program as they are, once they are loaded: what a guard must know of the one that it weakens. */
const real = new Map<string, Readonly<Record<string, unknown>>>()

export const keep = (module: string, members: Readonly<Record<string, unknown>>): void =>
  void real.set(module, members)

export const memberOf = (module: string, name: string): unknown => real.get(module)?.[name]
