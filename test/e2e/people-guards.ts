import type { ActName } from './people-operators.js'

/**
 * Guards of the program that can be switched off, one at a time: what `vi.mock` puts in the place of their functions.
 * Types only may be imported here, because the mocks load this file while the program is being loaded.
 */
export interface Guard {
  /** What the program does without it. */
  readonly without: string
  /** By module below `src/` and by name: replacements, which get the true one. */
  readonly off: Readonly<Record<string, Readonly<Record<string, (real: never) => unknown>>>>
  /** Where such mistakes are made. */
  readonly acts: readonly ActName[]
  /** What the judge says then. */
  readonly finds: readonly string[]
}

type Real<Args extends readonly unknown[] = readonly unknown[], Result = unknown> = (...args: Args) => Result

interface Listed {
  readonly signedDate: string | null
}
interface Connection {
  readonly exec: (sql: string) => unknown
}
interface RegisterOptions {
  readonly allowsOthers: boolean
}
interface Register {
  readonly checkCopy: () => void
  readonly claim: () => void
}

export const GUARDS = {
  '8.1.1 copies': {
    without: 'does not know how far a ledger had come',
    off: { 'run/tide.ts': { readTide: () => () => null } },
    acts: ['copyTheLedger', 'copyDuringARun', 'runTheExport', 'restoreACopy'],
    finds: ['TWICE'],
  },
  '8.1.1 lost log': {
    without: 'goes on with a ledger whose log is lost',
    off: {
      'run/campaign-register.ts': {
        openRegister: (real: Real<[RegisterOptions], Register>) => (options: RegisterOptions) => ({
          ...real(options),
          checkCopy: () => undefined,
          claim: () => undefined,
        }),
      },
    },
    acts: ['killARun'],
    finds: ['TWICE', 'LOST'],
  },
  '8.1.2 mandates': {
    without: 'knows another export by the bytes of its file alone',
    off: {
      'run/mandate-sketch.ts': { startSketch: () => () => ({ add: () => undefined, numbers: () => [] }) },
    },
    acts: ['useASecondLedger'],
    finds: ['TWICE'],
  },
  '8.2.1 cells': {
    without: 'believes the row number of a line',
    off: { 'domain/resaved-cell.ts': { isSameCell: () => () => true } },
    acts: ['runTheExport', 'settleFromTheFile'],
    finds: ['DECISION', 'IDENTITY', 'DROPPED', 'TWICE'],
  },
  '8.2.2 list': {
    without: 'reads a list only where its dates are written as in the ledger',
    off: {
      'run/listed-mandate.ts': {
        readListed: (real: Real<[unknown], Real<[unknown], Listed>>) => (list: unknown) => {
          const readRow = real(list)
          return (row: unknown) => {
            const entry = readRow(row)
            return /^\d{4}-/.test(entry.signedDate ?? '2024-') ? entry : { ...entry, customerNo: 0 }
          }
        },
      },
    },
    acts: ['runTheExport', 'reconcileWithTheList'],
    finds: ['ABSENT'],
  },
  '8.2.4 waiting': {
    without: 'sends again what a person called refused without waiting',
    off: {
      'domain/late-request.ts': { LATE_REQUEST_MS: () => 0 },
      // A trigger says the same once more.
      'ledger/connection.ts': {
        configureForWriting: (real: Real<[Connection]>) => (connection: Connection) => {
          real(connection)
          connection.exec('drop trigger if exists attempt_waits')
        },
      },
    },
    acts: ['runTheExport', 'decideInHaste'],
    finds: ['TWICE'],
  },
  '8.2.5 no': {
    without: 'keeps what was decided before "no" was typed',
    off: {
      'ledger/admission.ts': {
        openAdmission:
          (real: Real<readonly unknown[], { commit: () => void }>) =>
          (...args: readonly unknown[]) => {
            const admission = real(...args)
            return { ...admission, rollback: () => admission.commit() }
          },
      },
    },
    acts: ['runTheExport', 'retryRefused'],
    finds: ['NO'],
  },
  '8.3.2 quotes': {
    without: 'takes records that a stray quote joined for one',
    off: { 'source/stray-quote.ts': { refuseStrayQuote: () => () => undefined } },
    acts: ['giveAChangedExport'],
    finds: ['WRONG', 'LOST'],
  },
  '8.3.3 footer': {
    without: 'leaves out whatever stands where a footer is configured',
    off: { 'source/left-out.ts': { leftOutFindings: () => () => [] } },
    acts: ['giveAChangedExport', 'goOn'],
    finds: ['LOST'],
  },
} as const satisfies Readonly<Record<string, Guard>>

export type GuardName = keyof typeof GUARDS

let isOff: GuardName | null = null

export function switchOff(name: GuardName | null): void {
  isOff = name
}

/** For `vi.mock`: the module as it is, but for a guard that is switched off. */
export function withGuards(module: string) {
  return async (original: () => Promise<object>): Promise<object> => {
    const real = (await original()) as Readonly<Record<string, unknown>>
    const replaced: Record<string, PropertyDescriptor> = {}
    for (const [name, guard] of Object.entries(GUARDS) as [GuardName, Guard][])
      for (const [member, weaken] of Object.entries(guard.off[module] ?? {})) {
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
