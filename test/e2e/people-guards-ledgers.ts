import { rmSync } from 'node:fs'
import { always, found, given, givenAlso, giving, guard, type Real } from './people-guards.js'

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
const inCutOver = (seed: number, finds = ['LIVE']) => found(seed, ['runTheExport', 'cutOver', 'goOn'], finds)

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
  copies: guard(
    'does not know how far a ledger had come',
    opened(neverOlder),
    found(2, ['copyTheLedger', 'copyDuringARun', 'runTheExport', 'restoreACopy'], ['TWICE']),
  ),
  'lost log': guard(
    'goes on with a ledger whose log is lost',
    opened(
      giving((register: object) => ({
        ...register,
        ...{ note: () => undefined, claim: () => undefined, knowsLedger: () => true },
      })),
    ),
    found(2, ['killARun'], ['TWICE', 'LOST']),
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
    found(5, ['copyDuringARun', 'restoreACopy', 'goOn'], ['TWICE'], {}, { beginsOtherwise: true }),
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
    found(27, ['useASecondLedger'], ['TWICE']),
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
    found(32, ['useASecondLedger'], ['TWICE']),
  ),
  mandates: guard(
    'compares no mandate with those of other ledgers',
    { [REGISTER]: { numberWith: () => () => () => (unlike += 1) } },
    found(2, ['useASecondLedger'], ['TWICE']),
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
    found(2, ['breakTheRegister', 'useASecondLedger'], ['TWICE']),
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
    found(2, ['breakTheRegister', 'useASecondLedger'], ['TWICE']),
  ),
  'begun elsewhere': guard(
    'takes what a lost ledger began to send for ready',
    { [REGISTER]: { begunElsewhere: always([]), refuseClaimed: always(undefined) } },
    found(2, ['loseTheLedger'], ['TWICE']),
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
    found(3, ['loseTheLedger', 'goOn'], ['TWICE']),
  ),
  'all in doubt': guard(
    'sends what comes in where nobody knows what was begun',
    opened(withClaims(() => ({ doubtAll: () => 0 }))),
    found(3, ['loseTheRegister'], ['TWICE']),
  ),
  learns: guard(
    'forgets with a register what its ledgers had begun',
    opened(withClaims(() => ({ attempted: () => [] }))),
    found(17, ['loseTheRegister', 'useASecondLedger'], ['TWICE']),
  ),
  overtaken: guard(
    'goes on sending although a copy has overtaken it',
    opened(neverOvertaken),
    found(2, ['stopARun'], ['TWICE']),
  ),
  resembles: guard(
    'passes over a mandate whose reference a spreadsheet changed',
    { [REGISTER]: { resembling: always([]) } },
    found(32, ['useASecondLedger'], ['TWICE']),
  ),
  accounts: guard(
    'sends whatever account stands in the ledger now',
    {
      'ledger/deliver/ready-rows.ts': {
        prepareReadyRows: givenAlso(1, {
          fingerprints: () => ({ account: () => anything, content: () => anything }),
        }),
      },
    },
    found(8, ['runTheExport', 'killARun', 'rewriteAnAccount'], ['WRONG']),
  ),
  held: guard(
    'sends what the last export has not any more',
    afterComparison('update compared set is_held = 0'),
    inCutOver(28, ['HELD']),
  ),
  'lines of a comparison': guard(
    'lists nothing of what ended when it was registered',
    afterComparison(`delete from compared where class = 'ended_after_registration'`),
    inCutOver(1),
  ),
  closed: guard(
    'calls a line closed of which nobody said anything',
    afterComparison('update compared set decision_id = (select min(id) from decision)'),
    inCutOver(1),
  ),
} as const
