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

/**
 * The gate without one of its clauses, wherever it is asked. What was sent, may have arrived or was compared
 * is hardly ever ready: test/ledger/deliver/gate.test.ts and test/ledger/compare ask the gate itself.
 */
function withoutClause(name: string) {
  const held = (): string => memberOf(GATE, 'HELD_BECAUSE') as string
  const clause = (): string => {
    const own = held()
      .replace(/\s+end\s*$/, '')
      .split(/\bwhen (?=[\s\S]*? then ')/)
      .find((each) => each.trimEnd().endsWith(`then '${name}'`))
    return own?.slice(0, own.lastIndexOf(' then ')) ?? ''
  }
  return { ...withSql((sql) => (clause() === '' ? sql : sql.replaceAll(clause(), '0'))), [GATE]: {} }
}

/** Nothing is held for what it is linked to, wherever that is asked. */
const WITHOUT_LINKS = {
  ...withSql((sql) =>
    ['HELD_THOUGH_REFUSED', 'IS_LINKED'].reduce((text, name) => {
      const clause = memberOf(GATE, name) as string | undefined
      return clause === undefined ? text : text.replaceAll(clause, '0')
    }, sql),
  ),
  [GATE]: {},
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

/** What the newcomers say of a mandate is counted as if all of them said the same. */
const AGREEING = withSql((sql) =>
  sql.replace(/\bmax\((iif\([\s\S]*?) as highest/, (_, said: string) => `min(${said} as highest`),
)

const EXPORTS = { hasHistory: true, status: null, shares: 'one' } as const
const OF_EXPORTS = { beginsWith: 'giveExports', scene: EXPORTS } as const

/** One mandate, one gate (issue 45). */
export const GUARDS_OF_EXPORTS = {
  spellings: {
    ...OF_EXPORTS,
    without: 'takes a reference that is spelled otherwise for another one',
    off: { [KINSHIP]: { spellingOf: () => () => null } },
    acts: ['giveExports', 'sayNewer'],
    seed: 57,
    finds: ['TWICE', 'ENDED', 'OLD'],
  },
  likeness: {
    ...OF_EXPORTS,
    without: 'knows a mandate by its reference alone',
    off: {
      [KINSHIP]: {
        kinshipOf: (real: Real<[unknown, unknown, Side]>) => (one: unknown, other: unknown, side: Side) =>
          real(one, other, { ...side, areSideBySide: true }),
      },
    },
    acts: ['giveExports', 'sayNewer'],
    seed: 3,
    finds: ['TWICE', 'ENDED'],
  },
  'kin that was sent': {
    ...OF_EXPORTS,
    without: 'sends once more what was registered in another spelling',
    off: WITHOUT_LINKS,
    acts: ['giveExports', 'retryRefused', 'settleLines'],
    scene: { ...EXPORTS, weather: 'refusing' },
    seed: 1,
    finds: ['TWICE', 'BUG'],
  },
  contradicted: {
    ...OF_EXPORTS,
    without: 'sends what another record contradicts',
    off: withoutClause('contradicted'),
    acts: ['giveExports', 'retryRefused'],
    scene: { ...EXPORTS, weather: 'refusing' },
    seed: 24,
    finds: ['OLD', 'ENDED', 'BUG'],
  },
  'one command': {
    ...OF_EXPORTS,
    without: 'takes what the exports of one command say for the same, and sends the first',
    off: AGREEING,
    acts: ['giveExports', 'goOn'],
    seed: 10,
    finds: ['OLD'],
  },
  order: {
    ...OF_EXPORTS,
    without: 'takes what is read later for the newer one',
    off: seenAs({ isNewer: true }),
    acts: ['giveExports', 'goOn'],
    seed: 30,
    finds: ['OLD', 'ENDED'],
  },
  ends: {
    ...OF_EXPORTS,
    without: 'revives what has ended by an export that does not say which have ended',
    off: seenAs({ tellsEnds: true, isNewer: true }),
    acts: ['giveExports', 'sayNewer'],
    seed: 2,
    finds: ['ENDED', 'OLD'],
  },
  'two lists': {
    ...OF_EXPORTS,
    without: 'lets one of two lists win that correct a row differently',
    off: {
      ...AGREEING,
      'domain/row/row-state.ts': {
        decideCorrection: (real: Real<[object]>) => (facts: object) => real({ ...facts, isContested: false }),
      },
    },
    acts: ['giveExports', 'giveTwoLists'],
    seed: 10,
    finds: ['CONTESTED', 'OLD'],
  },
  'corrected before': {
    ...OF_EXPORTS,
    without: 'calls wrong again what was corrected, where a later export still has it',
    off: withSql((sql) =>
      sql.replaceAll(/\((\w+\.state = 'superseded' and exists \(select 1 from row as next)/g, '(0 and $1'),
    ),
    acts: ['giveExports', 'settleLines'],
    seed: 31,
    finds: ['AGAIN'],
  },
  'open lines': {
    ...OF_EXPORTS,
    without: 'lists nothing of what contradicts a mandate that was sent',
    off: { 'ledger/compare/contradicting.ts': { contradict: () => () => undefined } },
    acts: ['giveExports', 'sayNewer'],
    seed: 5,
    finds: ['LIVE', 'STUCK', 'BUG'],
  },
} as const satisfies Readonly<Record<string, Guard>>
