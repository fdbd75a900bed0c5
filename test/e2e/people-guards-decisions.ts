import { always, given, giving, guard, type Real } from './people-guards-real.js'

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
    {
      ...{ acts: ['runTheExport', 'resolveFromTheFile'], seed: 38 },
      finds: ['DECISION', 'IDENTITY', 'DROPPED', 'TWICE'],
    },
  ),
  list: guard(
    'reads a list only where its dates are written as in the ledger',
    {
      'decisions/read-decisions.ts': {
        readListed: giving(
          giving((entry: Listed) =>
            /^\d{4}-/.test(entry.signedDate ?? '2024-') ? entry : { ...entry, customerNo: 0 },
          ),
        ),
      },
    },
    { acts: ['runTheExport', 'reconcileWithTheList'], seed: 32, finds: ['ABSENT'] },
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
    {
      ...{ acts: ['runTheExport', 'closeALiveOne', 'reconcileWithTheList'], seed: 38, finds: ['IDENTITY'] },
      scene: { pairs: 1, weather: 'rough' },
    },
  ),
  'four digits': guard(
    'takes customer and four digits for proof',
    {
      'decisions/read-decisions.ts': {
        compareWith: giving((compared: object) => ({ ...compared, isSpecific: true })),
      },
    },
    {
      ...{ acts: ['runTheExport', 'reconcileWithTheList'], seed: 86, finds: ['IDENTITY'] },
      scene: { pairs: 1, shares: 'interlaced', weather: 'refusing' },
    },
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
    { acts: ['runTheExport', 'decideInHaste'], seed: 5, finds: ['TWICE'] },
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
    { acts: ['runTheExport', 'retryRefused'], seed: 32, finds: ['NO'] },
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
    { acts: ['runTheExport', 'resolveOne'], seed: 38, finds: ['DROPPED'] },
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
    {
      ...{ acts: ['runTheExport', 'resolveOne', 'goOn'], seed: 2, finds: ['REFUSED'] },
      scene: { recognises: true, weather: 'rough' },
    },
  ),
  identifiers: guard(
    'takes an assigned reference with a character that nobody sees',
    { 'domain/value/identifiers.ts': { whyUnusable: always(null) } },
    { acts: ['runTheExport', 'goOn'], scene: { weather: 'rough' }, seed: 2, finds: ['IDENTITY'] },
  ),
} as const
