import { rmSync } from 'node:fs'
import type { Guard, Real } from './people-guards.js'

interface Statement {
  readonly all: () => readonly unknown[]
}
interface Connection {
  readonly prepare: (sql: string) => Statement
}
interface Group {
  readonly rows: readonly number[]
}
interface Claims {
  readonly standing: () => object
  readonly hasMark: (mark: string) => boolean
  readonly hasDecided: (decided: string) => boolean
  readonly begin: (mark: string, note: (group: Group) => void) => void
  readonly attempted: () => Iterable<unknown>
  readonly unattempted: () => readonly number[]
  readonly doubt: (...given: readonly unknown[]) => number
}
interface RegisterOptions {
  readonly claims: Claims
}
interface Register {
  readonly note: () => void
  readonly claim: () => void
}
interface RegisterFile {
  readonly connection: Connection & { readonly exec: (sql: string) => void }
}
interface Asked {
  readonly baseUrl: string
}
interface Comparison {
  readonly file: RegisterFile
}

/** Spoils what is on record once a comparison with the last export was made. */
const afterComparison = (sql: string) => ({
  'ledger/compare/comparison.ts': {
    recordComparison:
      (real: Real<[RegisterFile['connection'], ...unknown[]]>) =>
      (connection: RegisterFile['connection'], ...rest: readonly unknown[]) => {
        real(connection, ...rest)
        const names = ['compared_stays', 'compared_is_kept']
        const guards = connection
          .prepare(`select sql from sqlite_schema where name in ('${names.join(`', '`)}')`)
          .all() as readonly { readonly sql: string }[]
        // They are there again when the ledger is opened: it is compared with what the program makes then.
        connection.exec(
          [...names.map((name) => `drop trigger ${name}`), sql, ...guards.map((guard) => guard.sql)].join(
            ';',
          ),
        )
      },
  },
})
const CUT_OVER = { acts: ['runTheExport', 'cutOver', 'goOn'], seed: 1 } as const

/** Opens a register whose ledger says other things of itself. */
const withClaims =
  (change: (claims: Claims) => Partial<Claims>) =>
  (real: Real<[RegisterOptions, ...unknown[]], Register>) =>
  (options: RegisterOptions, ...rest: unknown[]): Register =>
    real({ ...options, claims: { ...options.claims, ...change(options.claims) } }, ...rest)

/** The register of a run, and the one of a person who adopts a copy. */
const opened = <Weaker>(weaker: Weaker) => ({
  'register/campaign-register.ts': { openRegister: weaker, openRunRegister: weaker },
})

const neverOlder = withClaims(({ standing }) => ({
  unattempted: () => [],
  hasMark: () => true,
  hasDecided: () => true,
  standing: () => ({ ...standing(), attempts: Number.MAX_SAFE_INTEGER }),
}))

/** No request is held back, whatever the register says. */
const neverOvertaken = withClaims(({ begin }) => ({
  begin: (mark, note) =>
    begin(mark, (group) => {
      try {
        note(group)
      } catch {
        // that is the guard
      }
    }),
}))

const seen = new WeakSet<RegisterFile>()

interface ReadyRowsParts {
  readonly fingerprints: () => unknown
}

/** Numbers that no two texts share. */
let unlike = 0

const anything = { equals: () => true }

/** The adoption finds no row that it could put in doubt. */
const withoutReadyRows = (connection: Connection): Connection =>
  new Proxy(connection, {
    get: (target, name) => {
      if (name === 'prepare')
        return (sql: string) =>
          sql.includes(`select id from row where state = 'ready'`)
            ? { all: () => [], pluck: () => ({ all: () => [] }) }
            : target.prepare(sql)
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value as Real).bind(target) : value
    },
  })

/** The ledger is the one that was last used (issue 8, part 1). */
export const GUARDS_OF_LEDGERS = {
  copies: {
    without: 'does not know how far a ledger had come',
    off: opened(neverOlder),
    acts: ['copyTheLedger', 'copyDuringARun', 'runTheExport', 'restoreACopy'],
    seed: 2,
    finds: ['TWICE'],
  },
  'lost log': {
    without: 'goes on with a ledger whose log is lost',
    off: opened((real: Real<readonly unknown[], Register>) => (...args: readonly unknown[]) => ({
      ...real(...args),
      note: () => undefined,
      claim: () => undefined,
      knowsLedger: () => true,
    })),
    acts: ['killARun'],
    seed: 2,
    finds: ['TWICE', 'LOST'],
  },
  'way out': {
    without: 'goes on with an older copy as if nothing had been sent since',
    off: {
      'ledger/deliver/ready-rows.ts': {
        createClaims: (real: Real<[{ connection: Connection }]>) => (parts: { connection: Connection }) =>
          real({ ...parts, connection: withoutReadyRows(parts.connection) }),
      },
    },
    acts: ['copyDuringARun', 'restoreACopy', 'goOn'],
    beginsOtherwise: true,
    seed: 5,
    finds: ['TWICE'],
  },
  claim: {
    without: 'looks for other ledgers only before the question',
    off: {
      'register/register-file.ts': {
        compare:
          (real: Real<[Comparison, unknown], boolean>) =>
          (comparison: Comparison, rows: unknown): boolean => {
            const isBeside = real(comparison, rows)
            if (seen.has(comparison.file)) comparison.file.connection.exec('delete from temp.other')
            seen.add(comparison.file)
            return isBeside
          },
      },
    },
    acts: ['useASecondLedger'],
    seed: 5,
    finds: ['TWICE'],
  },
  host: {
    without: 'takes another spelling of the host for another service',
    off: {
      'service/checked-service.ts': {
        checkService:
          (real: Real<[Asked, unknown], { readonly baseUrl: object }>) =>
          (asked: Asked, environment: unknown) => {
            const service = real(asked, environment)
            return { ...service, baseUrl: { ...service.baseUrl, href: asked.baseUrl } }
          },
        sameService: () => (one: unknown, other: unknown) => one === other,
      },
    },
    acts: ['useASecondLedger'],
    seed: 2,
    finds: ['TWICE'],
  },
  mandates: {
    without: 'compares no mandate with those of other ledgers',
    off: { 'register/register-file.ts': { numberWith: () => () => () => (unlike += 1) } },
    acts: ['useASecondLedger'],
    seed: 2,
    finds: ['TWICE'],
  },
  damage: {
    without: 'makes a new register where it is damaged',
    off: {
      'register/register-file.ts': {
        openRegisterFile: (real: Real<[string, unknown]>) => (folder: string, options: unknown) => {
          try {
            return real(folder, options)
          } catch {
            for (const ending of ['', '-wal', '-shm'])
              rmSync(`${folder}/register.db${ending}`, { recursive: true, force: true })
            return real(folder, options)
          }
        },
      },
    },
    acts: ['breakTheRegister', 'useASecondLedger'],
    seed: 2,
    finds: ['TWICE'],
  },
  'no register': {
    without: 'sends although the register cannot be read or written',
    off: {
      'register/campaign-register.ts': {
        openRunRegister: (real: Real<[unknown, unknown]>) => (options: unknown, service: unknown) => {
          try {
            return real(options, service)
          } catch {
            return real(options, { isLoopback: true })
          }
        },
      },
    },
    acts: ['breakTheRegister', 'useASecondLedger'],
    seed: 2,
    finds: ['TWICE'],
  },
  'begun elsewhere': {
    without: 'takes what a lost ledger began to send for ready',
    off: {
      'register/register-file.ts': { begunElsewhere: () => () => [], refuseClaimed: () => () => undefined },
    },
    acts: ['loseTheLedger'],
    seed: 2,
    finds: ['TWICE'],
  },
  retired: {
    without: 'goes on with a lost ledger that turned up',
    off: {
      'register/register-file.ts': {
        noteOf: (real: Real<[unknown, unknown], object | undefined>) => (file: unknown, id: unknown) => {
          const note = real(file, id)
          return note === undefined ? undefined : { ...note, retiredBy: null }
        },
        refuseClaimed: () => () => undefined,
      },
      ...opened(neverOvertaken),
    },
    acts: ['loseTheLedger', 'goOn'],
    seed: 3,
    finds: ['TWICE'],
  },
  'all in doubt': {
    without: 'sends what comes in where nobody knows what was begun',
    off: opened(withClaims(() => ({ doubt: () => 0 }))),
    acts: ['loseTheRegister'],
    seed: 3,
    finds: ['TWICE'],
  },
  learns: {
    without: 'forgets with a register what its ledgers had begun',
    off: opened(withClaims(() => ({ attempted: () => [] }))),
    acts: ['loseTheRegister', 'useASecondLedger'],
    seed: 17,
    finds: ['TWICE'],
  },
  overtaken: {
    without: 'goes on sending although a copy has overtaken it',
    off: opened(neverOvertaken),
    acts: ['stopARun'],
    seed: 2,
    finds: ['TWICE'],
  },
  resembles: {
    without: 'passes over a mandate whose reference a spreadsheet changed',
    off: { 'register/register-file.ts': { resembling: () => () => [] } },
    acts: ['useASecondLedger'],
    seed: 32,
    finds: ['TWICE'],
  },
  accounts: {
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
    seed: 8,
    finds: ['WRONG'],
  },
  held: {
    without: 'sends what the last export has not any more',
    off: afterComparison('update compared set is_held = 0'),
    ...CUT_OVER,
    seed: 9,
    finds: ['HELD'],
  },
  'lines of a comparison': {
    without: 'lists nothing of what ended when it was registered',
    off: afterComparison(`delete from compared where class = 'ended_after_registration'`),
    ...CUT_OVER,
    finds: ['LIVE'],
  },
  closed: {
    without: 'calls a line closed of which nobody said anything',
    off: afterComparison('update compared set decision_id = (select min(id) from decision)'),
    ...CUT_OVER,
    finds: ['LIVE'],
  },
} as const satisfies Readonly<Record<string, Guard>>
