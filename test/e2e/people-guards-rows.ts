import {
  adding,
  always,
  found,
  given,
  givenAlso,
  giving,
  guard,
  memberOf,
  type Real,
} from './people-guards.js'
import type { Scene } from './people-truth.js'
import type { ActName } from './people.js'

interface Listed {
  readonly signedDate: string | null
}
interface Reader {
  readonly rowsOfCustomer: (customerNo: number) => readonly { readonly state: string }[]
}
interface Exchange {
  readonly response: { readonly bodyText: string } | null
}

/** Decisions hit the row they mean. */
export const GUARDS_OF_DECISIONS = {
  cells: guard(
    'believes the row number of a line',
    { 'domain/row/correction.ts': { isSameName: always(true) } },
    found(38, ['runTheExport', 'resolveFromTheFile'], ['DECISION', 'IDENTITY', 'DROPPED', 'TWICE']),
  ),
  list: guard(
    'reads a list only where its dates are written as in the ledger',
    {
      'decisions/read-decisions.ts': {
        readListed: giving((entry: Listed) =>
          /^\d{4}-/.test(entry.signedDate ?? '2024-') ? entry : { ...entry, customerNo: 0 },
        ),
      },
    },
    found(42, ['runTheExport', 'reconcileWithTheList'], ['ABSENT']),
  ),
  rivals: guard(
    'lets only rows in doubt compete for an entry of a list',
    {
      'decisions/reconcile.ts': {
        reconcile: given((reader: Reader, ...rest: readonly unknown[]) => {
          const isInDoubt = ({ state }: { readonly state: string }): boolean => state === 'in_doubt'
          const rowsOfCustomer = (no: number) => reader.rowsOfCustomer(no).filter(isInDoubt)
          return [{ ...reader, rowsOfCustomer }, ...rest]
        }),
      },
    },
    found(38, ['runTheExport', 'closeALiveOne', 'reconcileWithTheList'], ['IDENTITY'], {
      ...{ pairs: 1, weather: 'rough' },
    }),
  ),
  'four digits': guard(
    'takes customer and four digits for proof',
    { 'decisions/read-decisions.ts': { compareWith: adding({ isSpecific: true }) } },
    found(86, ['runTheExport', 'reconcileWithTheList'], ['IDENTITY'], {
      ...{ pairs: 1, shares: 'interlaced', weather: 'refusing' },
    }),
  ),
  waiting: guard(
    'sends again what a person called refused without waiting',
    {
      'domain/row/row-state.ts': { LATE_REQUEST_MS: () => 0 },
      // A trigger says the same once more.
      'ledger/file/connection.ts': {
        schemaDifferences: always([]),
        configureForWriting: (real: Real) => (connection: { readonly exec: (sql: string) => unknown }) => {
          real(connection)
          connection.exec('drop trigger if exists attempt_waits')
        },
      },
    },
    found(5, ['runTheExport', 'decideInHaste'], ['TWICE']),
  ),
  no: guard(
    'keeps what was decided before "no" was typed',
    {
      'ledger/admit/admission.ts': {
        openAdmission: giving((admission: { readonly commit: () => void }) => ({
          ...admission,
          rollback: () => admission.commit(),
        })),
      },
    },
    found(32, ['runTheExport', 'retryRefused'], ['NO']),
  ),
  rows: guard(
    'takes the last of two rows',
    {
      'cli/command.ts': {
        contextOf: giving((context: { readonly texts: (name: string) => readonly string[] }) => ({
          ...context,
          texts: (name: string) => context.texts(name).slice(-1),
        })),
      },
    },
    found(38, ['runTheExport', 'resolveOne'], ['DROPPED']),
  ),
  'it is there': guard(
    'takes "it is there already" for a refusal',
    {
      'service/classify.ts': {
        classify: given((exchange: Exchange, ...rest: readonly unknown[]) => {
          const { response } = exchange
          if (response === null) return [exchange, ...rest]
          const bodyText = response.bodyText.replace('INVALID_OBJECT_STATE', 'INVALID_PARAMETER')
          return [{ ...exchange, response: { ...response, bodyText } }, ...rest]
        }),
      },
    },
    found(2, ['runTheExport', 'resolveOne', 'goOn'], ['REFUSED'], { recognises: true, weather: 'rough' }),
  ),
  identifiers: guard(
    'takes an assigned reference with a character that nobody sees',
    { 'domain/value/identifiers.ts': { whyUnusable: always(null) } },
    found(2, ['runTheExport', 'goOn'], ['IDENTITY'], { weather: 'rough' }),
  ),
} as const

interface Header {
  readonly migrationRow: number | null
}
interface Check {
  readonly raw: object | null
  readonly checked: object
}

const inChanged = (seed: number, acts: readonly ActName[] = ['goOn'], finds = ['LOST']) =>
  found(seed, ['giveAChangedExport', ...acts], finds, {}, { beginsOtherwise: true })

/** The file says what it says. */
export const GUARDS_OF_FILES = {
  'row numbers': guard(
    'takes a line whose row number a spreadsheet changed for a new mandate',
    {
      'source/columns/resubmission.ts': {
        readResubmission:
          (real: Real) =>
          (cells: readonly string[], header: Header, ...rest: readonly unknown[]) =>
            /^[1-9]\d*$/.test(cells[header.migrationRow ?? -1] ?? '') ? real(cells, header, ...rest) : null,
      },
    },
    found(9, ['runTheExport', 'correctTheFile'], ['TWICE', 'OLD'], {
      ...{ weather: 'refusing', mostly: 'former_account_mistyped_reference' },
    }),
  ),
  'cells too many': guard(
    'forgets which row a correction with a cell too many was about',
    {
      'source/record-check.ts': {
        checkRecord: giving(
          giving((found: Check) =>
            found.raw === null ? { ...found, checked: { ...found.checked, corrects: null } } : found,
          ),
        ),
      },
    },
    found(163, ['runTheExport', 'correctTheFile', 'retryRefused'], ['OLD'], {
      ...{ weather: 'refusing', mostly: 'former_account', status: null },
    }),
  ),
  quotes: guard(
    'takes records that a stray quote joined for one',
    { 'source/csv/stray-quote.ts': { refuseStrayQuote: always(undefined) } },
    inChanged(12, [], ['WRONG', 'LOST']),
  ),
  footer: guard(
    'leaves out whatever stands where a footer is configured',
    { 'source/table.ts': { leftOutFindings: always([]) } },
    inChanged(27),
  ),
  count: guard(
    'does not count what a footer says was counted',
    {
      'source/table.ts': {
        countFindings: always([]),
        leftOutFindings: giving((findings: readonly { readonly rule: string }[]) =>
          findings.filter(({ rule }) => rule !== 'FILE_COUNT_MISMATCH'),
        ),
      },
    },
    inChanged(58),
  ),
  columns: guard(
    'says nothing of a column with the words of a status',
    { 'source/guess/fate.ts': { fateOf: always({ kind: 'harmless', why: 'none', few: null }) } },
    found(108, ['runTheExport', 'giveAChangedExport'], ['ENDED']),
  ),
  words: guard(
    'understands no word of a status column',
    { 'domain/value/words.ts': { checkWord: always([]) } },
    found(10, ['runTheExport', 'giveAChangedExport'], ['ENDED']),
  ),
  'words that nobody knows': guard(
    'takes a word that is not understood for one that a person let pass',
    { 'domain/value/check-mandate.ts': { checkMandate: givenAlso(1, { isDecided: true }) } },
    found(1, ['runTheExport', 'giveAChangedExport', 'goOn'], ['ENDED'], {
      status: { name: 'Mandatsstatus', isUsual: true, goes: 'aktiv', ended: 'XK7' },
    }),
  ),
  'changed keys': guard(
    'takes a mandate whose reference was corrected for another one',
    { 'ledger/admit/kin.ts': { decideKin: always(undefined) } },
    found(8, ['runTheExport', 'giveAChangedExport'], ['TWICE']),
  ),
  'moved columns': guard(
    'gives a row the account or the reference of another one because a correction says so',
    { 'ledger/correct/corrections.ts': { holdAnothersValues: always(undefined) } },
    found(2, ['runTheExport', 'moveAColumn'], ['WRONG'], {
      ...{ weather: 'refusing', pairs: 0, status: null, mostly: 'mistyped_account' },
    }),
  ),
  'half-corrected copies': guard(
    'takes a line that nobody touched for a fault once its row was corrected and registered',
    { 'source/columns/resubmission.ts': { saidBefore: always(false) } },
    found(25, ['runTheExport', 'giveTwoCopies'], ['FAULT'], { status: null, mostly: 'mistyped_account' }),
  ),
  'corrections on record': guard(
    'keeps no trace of what a correction changed',
    { 'ledger/correct/corrections.ts': { recordCorrections: always(undefined) } },
    found(9, ['runTheExport', 'correctTheFile', 'giveTwoCopies'], ['UNRECORDED'], {
      ...{ weather: 'refusing', mostly: 'former_account' },
    }),
  ),
  'whose line it is': guard(
    'believes the row number of a line of the workbook',
    { 'report/files/lists.ts': { mergeColumns: adding({ identityOf: () => [] }) } },
    found(1, ['runTheExport', 'workInTheWorkbook'], ['DECISION', 'IDENTITY', 'DROPPED', 'TWICE'], {
      ...{ weather: 'rough', pairs: 0.8 },
    }),
  ),
  'every sheet': guard(
    'reads the first sheet of the workbook, whichever it is',
    {
      'source/list.ts': {
        openLists: giving(async (lists: Promise<readonly unknown[]>) => (await lists).slice(0, 1)),
      },
    },
    found(30, ['runTheExport', 'workInTheWorkbook'], ['DROPPED', 'STUCK'], { weather: 'rough' }),
  ),
} as const

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

const KINSHIP = 'domain/row/across-rows.ts'

/** What exports say of a mandate is taken otherwise than it is told. */
const seenAs = (change: object) => ({ [KINSHIP]: { whenSeen: givenAlso(1, change) } })

/** What the newcomers say of a mandate is counted as if all of them said the same. */
const AGREEING = withSql((sql) =>
  sql.replace(/\bmax\((iif\([\s\S]*?) as highest/, (_, said: string) => `min(${said} as highest`),
)

const EXPORTS = { hasHistory: true, status: null, shares: 'one' } as const
const REFUSING = { weather: 'refusing' } as const
const inExports = (
  seed: number,
  acts: readonly ActName[],
  finds: readonly string[],
  scene?: Partial<Scene>,
) => found(seed, ['giveExports', ...acts], finds, { ...EXPORTS, ...scene }, { beginsWith: 'giveExports' })

/** One mandate, one gate. */
export const GUARDS_OF_EXPORTS = {
  spellings: guard(
    'takes a reference that is spelled otherwise for another one',
    { [KINSHIP]: { spellingOf: always(null) } },
    inExports(78, ['sayNewer'], ['TWICE', 'ENDED', 'OLD']),
  ),
  likeness: guard(
    'knows a mandate by its reference alone',
    { [KINSHIP]: { kinshipOf: givenAlso(2, { areSideBySide: true }) } },
    inExports(4, ['sayNewer'], ['TWICE', 'ENDED']),
  ),
  'kin that was sent': guard(
    'sends once more what was registered in another spelling',
    WITHOUT_LINKS,
    inExports(4, ['retryRefused', 'settleLines'], ['TWICE', 'BUG'], REFUSING),
  ),
  contradicted: guard(
    'sends what another record contradicts',
    withoutClause('contradicted'),
    inExports(24, ['retryRefused'], ['OLD', 'ENDED', 'BUG'], REFUSING),
  ),
  'one command': guard(
    'takes what the exports of one command say for the same, and sends the first',
    AGREEING,
    inExports(10, ['goOn'], ['OLD']),
  ),
  order: guard(
    'takes what is read later for the newer one',
    seenAs({ isNewer: true }),
    inExports(30, ['goOn'], ['OLD', 'ENDED']),
  ),
  ends: guard(
    'revives what has ended by an export that does not say which have ended',
    seenAs({ tellsEnds: true, isNewer: true }),
    inExports(2, ['sayNewer'], ['ENDED', 'OLD']),
  ),
  'two lists': guard(
    'lets one of two lists win that correct a row differently',
    { ...AGREEING, 'domain/row/row-state.ts': { decideCorrection: givenAlso(0, { isContested: false }) } },
    inExports(10, ['giveTwoLists'], ['CONTESTED', 'OLD']),
  ),
  'corrected before': guard(
    'calls wrong again what was corrected, where a later export still has it',
    withSql((sql) =>
      sql.replaceAll(/\((\w+\.state = 'superseded' and exists \(select 1 from row as next)/g, '(0 and $1'),
    ),
    inExports(31, ['settleLines'], ['AGAIN']),
  ),
  'open lines': guard(
    'lists nothing of what contradicts a mandate that was sent',
    withSql((sql) =>
      sql.includes('is_held, final, met_by') ? sql.replace('id = :record', '0 and id = :record') : sql,
    ),
    inExports(5, ['sayNewer'], ['LIVE', 'STUCK', 'BUG']),
  ),
} as const
