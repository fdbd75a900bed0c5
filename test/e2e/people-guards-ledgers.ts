import type { Guard, Real } from './people-guards.js'

interface Statement {
  readonly all: () => readonly unknown[]
}
interface Connection {
  readonly prepare: (sql: string) => Statement
}
interface RegisterOptions {
  readonly allowsOthers: boolean
}
interface Register {
  readonly checkCopy: () => void
  readonly checkOthers: () => void
  readonly claim: () => void
}
interface ReadyRowsParts {
  readonly fingerprints: () => unknown
}

const anything = { equals: () => true }

/** What a function says, or nothing where it fails. */
const orNull =
  <Args extends readonly unknown[], Result>(real: Real<Args, Result>) =>
  (...args: Args): Result | null => {
    try {
      return real(...args)
    } catch {
      return null
    }
  }

const isJson = (line: string): boolean => {
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}

/** The adoption finds no row that it could put in doubt. */
const withoutReadyRows = (connection: Connection): Connection =>
  new Proxy(connection, {
    get: (target, name) => {
      if (name === 'prepare')
        return (sql: string) =>
          sql.includes(`select id from row where state = 'ready'`) ? { all: () => [] } : target.prepare(sql)
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value as Real).bind(target) : value
    },
  })

/** The ledger is the one that was last used (issue 8, part 1). */
export const GUARDS_OF_LEDGERS = {
  '8.1.1 copies': {
    without: 'does not know how far a ledger had come',
    off: { 'register/tide.ts': { readTide: () => () => null } },
    acts: ['copyTheLedger', 'copyDuringARun', 'runTheExport', 'restoreACopy'],
    finds: ['TWICE'],
  },
  '8.1.1 lost log': {
    without: 'goes on with a ledger whose log is lost',
    off: {
      'register/campaign-register.ts': {
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
  '8.1.1 way out': {
    without: 'goes on with an older copy as if nothing had been sent since',
    off: {
      'ledger/deliver/claims.ts': {
        createClaims: (real: Real<[{ connection: Connection }]>) => (parts: { connection: Connection }) =>
          real({ ...parts, connection: withoutReadyRows(parts.connection) }),
      },
      // What the copy does not know is in the register, too.
      'register/mandate-numbers.ts': { holds: () => () => false },
    },
    acts: ['copyDuringARun', 'restoreACopy', 'goOn'],
    beginsOtherwise: true,
    finds: ['TWICE'],
  },
  '8.1.2 claim': {
    without: 'looks for other ledgers only before the question',
    off: {
      'register/campaign-register.ts': {
        openRegister: (real: Real<[RegisterOptions], Register>) => (options: RegisterOptions) => {
          const register = real(options)
          let looks = 0
          return {
            ...register,
            checkOthers: () => {
              looks += 1
              if (looks === 1) register.checkOthers()
            },
            claim: real({ ...options, allowsOthers: true }).claim,
          }
        },
      },
    },
    acts: ['useASecondLedger'],
    finds: ['TWICE'],
  },
  '8.1.2 host': {
    without: 'takes another spelling of the host for another service',
    off: {
      'service/base-url.ts': {
        readBaseUrl: (real: Real<[string], object>) => (text: string) => ({ ...real(text), href: text }),
        sameService: () => (one: unknown, other: unknown) => one === other,
      },
    },
    acts: ['useASecondLedger'],
    finds: ['TWICE'],
  },
  '8.1.2 mandates': {
    without: 'knows another export by the bytes of its file alone',
    off: {
      'register/mandate-numbers.ts': { holds: () => () => false },
    },
    acts: ['useASecondLedger'],
    finds: ['TWICE'],
  },
  '8.1.2 half a line': {
    without: 'passes over a line of the register that is cut',
    off: {
      'register/register-place.ts': {
        readOwn: (real: Real<[string], string | null>) => (path: string) => {
          const text = real(path)
          const lines = text?.split('\n').filter((line) => line === '' || isJson(line))
          return path.endsWith('campaigns.jsonl') ? (lines?.join('\n') ?? null) : text
        },
      },
    },
    acts: ['breakTheRegister', 'useASecondLedger'],
    finds: ['TWICE'],
  },
  '8.1.2 no register': {
    without: 'sends although the register cannot be read or written',
    off: {
      'register/register-place.ts': {
        readOwn: (real: Real<[string], string | null>) => orNull(real),
        appendLine: (real: Real) => orNull(real),
      },
    },
    acts: ['breakTheRegister', 'useASecondLedger'],
    finds: ['TWICE'],
  },
  '8.1.4 accounts': {
    without: 'sends whatever account stands in the ledger now',
    off: {
      'ledger/deliver/ready-rows.ts': {
        prepareReadyRows:
          (real: Real<[unknown, ReadyRowsParts]>) => (connection: unknown, parts: ReadyRowsParts) =>
            real(connection, {
              ...parts,
              fingerprints: () => ({ account: () => anything, content: () => anything }),
            }),
      },
    },
    acts: ['runTheExport', 'killARun', 'rewriteAnAccount'],
    finds: ['WRONG'],
  },
} as const satisfies Readonly<Record<string, Guard>>
