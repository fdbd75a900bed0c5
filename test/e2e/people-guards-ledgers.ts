import { rmSync } from 'node:fs'
import { always, given, giving, guard, type Real } from './people-guards.js'

interface Connection {
  readonly prepare: (sql: string) => { readonly all: () => readonly unknown[] }
  readonly exec: (sql: string) => void
}
interface Claims {
  readonly standing: () => object
  readonly begin: (mark: string, note: (group: unknown) => void) => void
}
interface RegisterOptions {
  readonly claims: Claims
}
interface Asked {
  readonly baseUrl: string
}
interface RegisterFile {
  readonly connection: Connection
}

/** Spoils what is on record once a comparison with the last export was made. */
const afterComparison = (sql: string) => ({
  'ledger/compare/comparison.ts': {
    recordComparison:
      (real: Real) =>
      (connection: Connection, ...rest: readonly unknown[]) => {
        real(connection, ...rest)
        const names = ['compared_stays', 'compared_is_kept']
        const guards = connection
          .prepare(`select sql from sqlite_schema where name in ('${names.join(`', '`)}')`)
          .all() as readonly { readonly sql: string }[]
        // They are there again when the ledger is opened: it is compared with what the program makes then.
        const drops = names.map((name) => `drop trigger ${name}`)
        connection.exec([...drops, sql, ...guards.map((each) => each.sql)].join(';'))
      },
  },
})
const CUT_OVER = { acts: ['runTheExport', 'cutOver', 'goOn'], seed: 1, finds: ['LIVE'] } as const

/** Opens a register whose ledger says other things of itself. */
const withClaims = (change: (claims: Claims) => object) =>
  given((options: RegisterOptions, ...rest: readonly unknown[]) => [
    { ...options, claims: { ...options.claims, ...change(options.claims) } },
    ...rest,
  ])

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
  begin: (mark: string, note: (group: unknown) => void) =>
    begin(mark, (group) => {
      try {
        note(group)
      } catch {
        // that is the guard
      }
    }),
}))

const seen = new WeakSet<RegisterFile>()

/** Numbers that no two texts share. */
let unlike = 0

const anything = { equals: () => true }

/** The adoption finds no row that it could put in doubt. */
const withoutReadyRows = (connection: Connection): Connection =>
  new Proxy(connection, {
    get: (target, name) => {
      if (name === 'prepare')
        return (sql: string) =>
          /select id from row where state = (?:'ready'|\?)/.test(sql)
            ? { all: () => [], pluck: () => ({ all: () => [] }) }
            : target.prepare(sql)
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value as Real).bind(target) : value
    },
  })

const REGISTER = 'register/register-file.ts'

/** The ledger is the one that was last used. */
export const GUARDS_OF_LEDGERS = {
  copies: guard('does not know how far a ledger had come', opened(neverOlder), {
    acts: ['copyTheLedger', 'copyDuringARun', 'runTheExport', 'restoreACopy'],
    ...{ seed: 2, finds: ['TWICE'] },
  }),
  'lost log': guard(
    'goes on with a ledger whose log is lost',
    opened(
      giving((register: object) => ({
        ...register,
        ...{ note: () => undefined, claim: () => undefined, knowsLedger: () => true },
      })),
    ),
    { acts: ['killARun'], seed: 2, finds: ['TWICE', 'LOST'] },
  ),
  'way out': guard(
    'goes on with an older copy as if nothing had been sent since',
    {
      'ledger/deliver/ready-rows.ts': {
        createClaims: given((parts: { readonly connection: Connection }) => [
          { ...parts, connection: withoutReadyRows(parts.connection) },
        ]),
      },
      // Which compares what the lost part began, too.
      [REGISTER]: {
        compare: (real: Real) => (comparison: { readonly file: RegisterFile }, rows: unknown) => {
          real(comparison, rows)
          comparison.file.connection.exec('delete from temp.other')
          return false
        },
      },
    },
    { acts: ['copyDuringARun', 'restoreACopy', 'goOn'], beginsOtherwise: true, seed: 5, finds: ['TWICE'] },
  ),
  claim: guard(
    'looks for other ledgers only before the question',
    {
      [REGISTER]: {
        compare: (real: Real) => (comparison: { readonly file: RegisterFile }, rows: unknown) => {
          const isBeside = real(comparison, rows)
          if (seen.has(comparison.file)) comparison.file.connection.exec('delete from temp.other')
          seen.add(comparison.file)
          return isBeside
        },
      },
    },
    { acts: ['useASecondLedger'], seed: 27, finds: ['TWICE'] },
  ),
  host: guard(
    'takes another spelling of the host for another service',
    {
      'service/checked-service.ts': {
        checkService: (real: Real<{ readonly baseUrl: object }>) => (asked: Asked, environment: unknown) => {
          const service = real(asked, environment)
          return { ...service, baseUrl: { ...service.baseUrl, href: asked.baseUrl } }
        },
        sameService: () => (one: unknown, other: unknown) => one === other,
      },
    },
    { acts: ['useASecondLedger'], seed: 2, finds: ['TWICE'] },
  ),
  mandates: guard(
    'compares no mandate with those of other ledgers',
    { [REGISTER]: { numberWith: () => () => () => (unlike += 1) } },
    { acts: ['useASecondLedger'], seed: 2, finds: ['TWICE'] },
  ),
  damage: guard(
    'makes a new register where it is damaged',
    {
      [REGISTER]: {
        openRegisterFile: (real: Real) => (folder: string, options: unknown) => {
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
    { acts: ['breakTheRegister', 'useASecondLedger'], seed: 2, finds: ['TWICE'] },
  ),
  'no register': guard(
    'sends although the register cannot be read or written',
    {
      'register/campaign-register.ts': {
        openRunRegister: (real: Real) => (options: unknown, service: unknown) => {
          try {
            return real(options, service)
          } catch {
            return real(options, { isLoopback: true })
          }
        },
      },
    },
    { acts: ['breakTheRegister', 'useASecondLedger'], seed: 2, finds: ['TWICE'] },
  ),
  'begun elsewhere': guard(
    'takes what a lost ledger began to send for ready',
    { [REGISTER]: { begunElsewhere: always([]), refuseClaimed: always(undefined) } },
    { acts: ['loseTheLedger'], seed: 2, finds: ['TWICE'] },
  ),
  retired: guard(
    'goes on with a lost ledger that turned up',
    {
      [REGISTER]: {
        noteOf: giving((note: object | undefined) => note && { ...note, retiredBy: null }),
        refuseClaimed: always(undefined),
      },
      ...opened(neverOvertaken),
    },
    { acts: ['loseTheLedger', 'goOn'], seed: 3, finds: ['TWICE'] },
  ),
  'all in doubt': guard(
    'sends what comes in where nobody knows what was begun',
    opened(withClaims(() => ({ doubtAll: () => 0 }))),
    { acts: ['loseTheRegister'], seed: 3, finds: ['TWICE'] },
  ),
  learns: guard(
    'forgets with a register what its ledgers had begun',
    opened(withClaims(() => ({ attempted: () => [] }))),
    { acts: ['loseTheRegister', 'useASecondLedger'], seed: 17, finds: ['TWICE'] },
  ),
  overtaken: guard('goes on sending although a copy has overtaken it', opened(neverOvertaken), {
    ...{ acts: ['stopARun'], seed: 2, finds: ['TWICE'] },
  }),
  resembles: guard(
    'passes over a mandate whose reference a spreadsheet changed',
    { [REGISTER]: { resembling: always([]) } },
    { acts: ['useASecondLedger'], seed: 32, finds: ['TWICE'] },
  ),
  accounts: guard(
    'sends whatever account stands in the ledger now',
    {
      'ledger/deliver/ready-rows.ts': {
        prepareReadyRows: given((connection: unknown, parts: object) => [
          connection,
          { ...parts, fingerprints: () => ({ account: () => anything, content: () => anything }) },
        ]),
      },
    },
    { acts: ['runTheExport', 'killARun', 'rewriteAnAccount'], seed: 8, finds: ['WRONG'] },
  ),
  held: guard(
    'sends what the last export has not any more',
    afterComparison('update compared set is_held = 0'),
    { ...CUT_OVER, seed: 9, finds: ['HELD'] },
  ),
  'lines of a comparison': guard(
    'lists nothing of what ended when it was registered',
    afterComparison(`delete from compared where class = 'ended_after_registration'`),
    CUT_OVER,
  ),
  closed: guard(
    'calls a line closed of which nobody said anything',
    afterComparison('update compared set decision_id = (select min(id) from decision)'),
    CUT_OVER,
  ),
} as const
