import type { Guard, Real } from './people-guards.js'
import { memberOf } from './people-guards-real.js'

interface Connection {
  readonly prepare: (sql: string) => unknown
}
type Open = Real<readonly unknown[], Connection>

/** Every statement of the program in other words, the triggers too. */
const withSql = (change: (sql: string) => string) => ({
  'driver.ts': {
    openDatabase:
      (real: Open): Open =>
      (...args) =>
        new Proxy(real(...args), {
          get: (target, name) => {
            const value: unknown = Reflect.get(target, name)
            if (typeof value !== 'function') return value
            if (name !== 'prepare' && name !== 'exec') return (value as Real).bind(target)
            return (sql: string): unknown => (value as Real).call(target, change(sql))
          },
        }),
  },
})

const GATE = 'ledger/deliver/gate.ts'

/** The gate without one of its clauses, wherever it is asked. */
function withoutClause(name: string) {
  const held = (): string => memberOf(GATE, 'HELD_BECAUSE') as string
  const clause = (): string => {
    const own = held()
      .split(/\bwhen (?=[\s\S]*? then ')/)
      .find((each) => each.trimEnd().endsWith(`then '${name}'`))
    return own?.slice(0, own.lastIndexOf(' then ')) ?? ''
  }
  return { ...withSql((sql) => (clause() === '' ? sql : sql.replaceAll(clause(), '0'))), [GATE]: {} }
}

interface Side {
  readonly areSideBySide: boolean
}

const SIGHTINGS = 'domain/row/sightings.ts'
const KINSHIP = 'domain/mandate/kinship.ts'

/** What exports say of a mandate is taken otherwise than it is told. */
const seenAs = (change: Readonly<Record<string, unknown>>) => ({
  [SIGHTINGS]: {
    whenSeen: (real: Real<[unknown, object]>) => (standing: unknown, sighted: object) =>
      real(standing, { ...sighted, ...change }),
  },
})

const EXPORTS = { hasHistory: true, status: null, shares: 'one' } as const
const OF_EXPORTS = { beginsWith: 'giveExports', scene: EXPORTS, seed: 1 } as const

/** One mandate, one gate (issue 45). */
export const GUARDS_OF_EXPORTS = {
  '45.1 spellings': {
    ...OF_EXPORTS,
    without: 'takes a reference that is spelled otherwise for another one',
    off: { [KINSHIP]: { spellingOf: () => () => null } },
    acts: ['giveExports', 'sayNewer'],
    finds: ['TWICE', 'ENDED', 'OLD'],
  },
  '45.1 likeness': {
    ...OF_EXPORTS,
    without: 'knows a mandate by its reference alone',
    off: {
      [KINSHIP]: {
        kinshipOf: (real: Real<[unknown, unknown, Side]>) => (one: unknown, other: unknown, side: Side) =>
          real(one, other, { ...side, areSideBySide: true }),
      },
    },
    acts: ['giveExports', 'sayNewer'],
    finds: ['TWICE', 'ENDED'],
  },
  '45.2 kin that was sent': {
    ...OF_EXPORTS,
    without: 'sends once more what was registered in another spelling',
    off: withoutClause('kin'),
    acts: ['giveExports', 'retryRefused', 'settleLines'],
    scene: { ...EXPORTS, weather: 'refusing' },
    finds: ['TWICE', 'BUG'],
  },
  '45.2 arrived': {
    ...OF_EXPORTS,
    without: 'sends what was refused out of a doubt and written otherwise since',
    off: withoutClause('arrived'),
    acts: ['giveExports', 'decideInHaste', 'resolveFromTheFile'],
    scene: { ...EXPORTS, weather: 'late' },
    finds: ['TWICE', 'OLD', 'BUG'],
  },
  '45.2 contradicted': {
    ...OF_EXPORTS,
    without: 'sends what another record contradicts',
    off: withoutClause('contradicted'),
    acts: ['giveExports', 'retryRefused'],
    scene: { ...EXPORTS, weather: 'refusing' },
    finds: ['OLD', 'ENDED', 'BUG'],
  },
  '45.2 compared': {
    ...OF_EXPORTS,
    without: 'sends what the latest comparison calls changed or ended',
    off: withoutClause('compared'),
    acts: ['giveExports', 'compareTheNewest', 'goOn'],
    finds: ['OLD', 'ENDED', 'BUG'],
  },
  '45.3 order': {
    ...OF_EXPORTS,
    without: 'takes what is read later for the newer one',
    off: seenAs({ isNewer: true }),
    acts: ['giveExports', 'goOn'],
    finds: ['OLD', 'ENDED'],
  },
  '45.3 ends': {
    ...OF_EXPORTS,
    without: 'revives what has ended by an export that does not say which have ended',
    off: seenAs({ tellsEnds: true, isNewer: true }),
    acts: ['giveExports', 'sayNewer'],
    finds: ['ENDED', 'OLD'],
  },
} as const satisfies Readonly<Record<string, Guard>>
