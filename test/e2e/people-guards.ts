import { GUARDS_OF_DECISIONS } from './people-guards-decisions.js'
import { GUARDS_OF_EXPORTS } from './people-guards-exports.js'
import { GUARDS_OF_FILES } from './people-guards-files.js'
import { GUARDS_OF_LEDGERS } from './people-guards-ledgers.js'
import { keep, type Guard, type Real } from './people-guards-real.js'

/**
 * One guard, or more, for each point that was mended and by which a mandate could be registered twice, wrongly or not
 * at all. What cannot be played here, because it takes other users, mounts or a spoiled screen, has tests of its own:
 *
 *   8.1.3 a single file that was mounted, another name of the ledger
 *         ledger/safety/holder.test.ts, e2e/trusted-place.test.ts
 *   8.1.4 side files and folders of others: ledger/safety/side-files.test.ts, e2e/trusted-place.test.ts
 *   8.2.1 the file of another ledger with the same mandates, of which no two can be here: decisions/read-decisions.test.ts
 *   8.2.6 an assigned reference with a blank behind it: ledger/decide/resolution.test.ts; what `reconcile --apply` could not
 *         record: e2e/way-back.test.ts
 */
export const GUARDS: Readonly<Record<string, Guard>> = {
  ...GUARDS_OF_LEDGERS,
  ...GUARDS_OF_DECISIONS,
  ...GUARDS_OF_FILES,
  ...GUARDS_OF_EXPORTS,
}

/** Modules of the program that have a guard. */
export const GUARDED: readonly string[] = [
  ...new Set(Object.values(GUARDS).flatMap(({ off }) => Object.keys(off))),
]

let isOff: string | null = null

export function switchOff(name: string | null): void {
  isOff = name
}

/** For a mock: the module as it is, but for a guard that is switched off. @throws {Error} for a guard that is gone */
export function withGuards(module: string) {
  return async (original: () => Promise<object>): Promise<object> => {
    const real = (await original()) as Readonly<Record<string, unknown>>
    keep(module, real)
    const replaced: Record<string, PropertyDescriptor> = {}
    for (const [name, guard] of Object.entries(GUARDS))
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
