/** Modules of the program as they are, once they are loaded: what a guard must know of the one that it weakens. */
const real = new Map<string, Readonly<Record<string, unknown>>>()

export const keep = (module: string, members: Readonly<Record<string, unknown>>): void =>
  void real.set(module, members)

export const memberOf = (module: string, name: string): unknown => real.get(module)?.[name]
