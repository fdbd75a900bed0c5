import { always, given, guard, memberOf, type Real } from './people-guards-real.js'

interface Connection {
  readonly prepare: (sql: string) => unknown
}

/** Every statement of the program in other words, the triggers too. */
const withSql = (change: (sql: string) => string) => ({
  'driver.ts': {
    openDatabase:
      (real: Real<Connection>): Real<Connection> =>
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
  // Tables are made by such a statement, too.
  'ledger/file/connection.ts': { schemaDifferences: always([]) },
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

/** What exports say of a mandate is taken otherwise than it is told. */
const seenAs = (change: object) => ({
  'domain/row/across-rows.ts': {
    whenSeen: given((standing: unknown, sighted: object) => [standing, { ...sighted, ...change }]),
  },
})

/** What the newcomers say of a mandate is counted as if all of them said the same. */
const AGREEING = withSql((sql) =>
  sql.replace(/\bmax\((iif\([\s\S]*?) as highest/, (_, said: string) => `min(${said} as highest`),
)

const KINSHIP = 'domain/row/across-rows.ts'
const EXPORTS = { hasHistory: true, status: null, shares: 'one' } as const
const OF_EXPORTS = { beginsWith: 'giveExports', scene: EXPORTS } as const
const REFUSING = { ...OF_EXPORTS, scene: { ...EXPORTS, weather: 'refusing' } } as const

/** One mandate, one gate. */
export const GUARDS_OF_EXPORTS = {
  spellings: guard(
    'takes a reference that is spelled otherwise for another one',
    { [KINSHIP]: { spellingOf: always(null) } },
    { ...OF_EXPORTS, acts: ['giveExports', 'sayNewer'], seed: 57, finds: ['TWICE', 'ENDED', 'OLD'] },
  ),
  likeness: guard(
    'knows a mandate by its reference alone',
    {
      [KINSHIP]: {
        kinshipOf: given((one: unknown, other: unknown, side: object) => [
          ...[one, other, { ...side, areSideBySide: true }],
        ]),
      },
    },
    { ...OF_EXPORTS, acts: ['giveExports', 'sayNewer'], seed: 3, finds: ['TWICE', 'ENDED'] },
  ),
  'kin that was sent': guard('sends once more what was registered in another spelling', WITHOUT_LINKS, {
    ...REFUSING,
    acts: ['giveExports', 'retryRefused', 'settleLines'],
    seed: 3,
    finds: ['TWICE', 'BUG'],
  }),
  contradicted: guard('sends what another record contradicts', withoutClause('contradicted'), {
    ...{ ...REFUSING, acts: ['giveExports', 'retryRefused'], seed: 24, finds: ['OLD', 'ENDED', 'BUG'] },
  }),
  'one command': guard(
    'takes what the exports of one command say for the same, and sends the first',
    AGREEING,
    { ...OF_EXPORTS, acts: ['giveExports', 'goOn'], seed: 10, finds: ['OLD'] },
  ),
  order: guard('takes what is read later for the newer one', seenAs({ isNewer: true }), {
    ...{ ...OF_EXPORTS, acts: ['giveExports', 'goOn'], seed: 30, finds: ['OLD', 'ENDED'] },
  }),
  ends: guard(
    'revives what has ended by an export that does not say which have ended',
    seenAs({ tellsEnds: true, isNewer: true }),
    { ...OF_EXPORTS, acts: ['giveExports', 'sayNewer'], seed: 2, finds: ['ENDED', 'OLD'] },
  ),
  'two lists': guard(
    'lets one of two lists win that correct a row differently',
    {
      ...AGREEING,
      'domain/row/row-state.ts': {
        decideCorrection: given((facts: object) => [{ ...facts, isContested: false }]),
      },
    },
    { ...OF_EXPORTS, acts: ['giveExports', 'giveTwoLists'], seed: 10, finds: ['CONTESTED', 'OLD'] },
  ),
  'corrected before': guard(
    'calls wrong again what was corrected, where a later export still has it',
    withSql((sql) =>
      sql.replaceAll(/\((\w+\.state = 'superseded' and exists \(select 1 from row as next)/g, '(0 and $1'),
    ),
    { ...OF_EXPORTS, acts: ['giveExports', 'settleLines'], seed: 31, finds: ['AGAIN'] },
  ),
  'open lines': guard(
    'lists nothing of what contradicts a mandate that was sent',
    withSql((sql) =>
      sql.includes('is_held, final, met_by') ? sql.replace('id = :record', '0 and id = :record') : sql,
    ),
    { ...OF_EXPORTS, acts: ['giveExports', 'sayNewer'], seed: 5, finds: ['LIVE', 'STUCK', 'BUG'] },
  ),
} as const
