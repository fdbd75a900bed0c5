import type { Guard, Real } from './people-guards.js'

interface Listed {
  readonly signedDate: string | null
}
interface Connection {
  readonly exec: (sql: string) => unknown
}
interface Reader {
  readonly rowsOfCustomer: (customerNo: number) => readonly { readonly state: string }[]
}
interface Context {
  readonly texts: (name: string) => readonly string[]
}
interface Exchange {
  readonly response: { readonly bodyText: string } | null
}

/** Decisions hit the row they mean (issue 8, part 2). */
export const GUARDS_OF_DECISIONS = {
  cells: {
    without: 'believes the row number of a line',
    off: { 'domain/row/resaved.ts': { isSameName: () => () => true } },
    acts: ['runTheExport', 'resolveFromTheFile'],
    seed: 38,
    finds: ['DECISION', 'IDENTITY', 'DROPPED', 'TWICE'],
  },
  list: {
    without: 'reads a list only where its dates are written as in the ledger',
    off: {
      'decisions/read-decisions.ts': {
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
    seed: 32,
    finds: ['ABSENT'],
  },
  rivals: {
    without: 'lets only rows in doubt compete for an entry of a list',
    off: {
      'decisions/reconcile.ts': {
        reconcile:
          (real: Real<[Reader, ...unknown[]]>) =>
          (reader: Reader, ...rest: unknown[]) =>
            real(
              {
                ...reader,
                rowsOfCustomer: (customerNo) =>
                  reader.rowsOfCustomer(customerNo).filter(({ state }) => state === 'in_doubt'),
              },
              ...rest,
            ),
      },
    },
    acts: ['runTheExport', 'closeALiveOne', 'reconcileWithTheList'],
    scene: { pairs: 1, weather: 'rough' },
    seed: 38,
    finds: ['IDENTITY'],
  },
  'four digits': {
    without: 'takes customer and four digits for proof',
    off: {
      'decisions/read-decisions.ts': {
        compareWith:
          (real: Real<readonly unknown[], object>) =>
          (...args: readonly unknown[]) => ({ ...real(...args), isSpecific: true }),
      },
    },
    acts: ['runTheExport', 'reconcileWithTheList'],
    scene: { pairs: 1, shares: 'interlaced', weather: 'refusing' },
    seed: 86,
    finds: ['IDENTITY'],
  },
  waiting: {
    without: 'sends again what a person called refused without waiting',
    off: {
      'domain/row/row-state.ts': { LATE_REQUEST_MS: () => 0 },
      // A trigger says the same once more.
      'ledger/file/connection.ts': {
        schemaDifferences: () => () => [],
        configureForWriting: (real: Real<[Connection]>) => (connection: Connection) => {
          real(connection)
          connection.exec('drop trigger if exists attempt_waits')
        },
      },
    },
    acts: ['runTheExport', 'decideInHaste'],
    seed: 5,
    finds: ['TWICE'],
  },
  no: {
    without: 'keeps what was decided before "no" was typed',
    off: {
      'ledger/admit/admission.ts': {
        openAdmission:
          (real: Real<readonly unknown[], { commit: () => void }>) =>
          (...args: readonly unknown[]) => {
            const admission = real(...args)
            return { ...admission, rollback: () => admission.commit() }
          },
      },
    },
    acts: ['runTheExport', 'retryRefused'],
    seed: 32,
    finds: ['NO'],
  },
  rows: {
    without: 'takes the last of two rows',
    off: {
      'cli/command.ts': {
        contextOf: (real: Real<readonly unknown[], Context>) => (called: unknown) => {
          const context = real(called)
          return { ...context, texts: (name: string) => context.texts(name).slice(-1) }
        },
      },
    },
    acts: ['runTheExport', 'resolveOne'],
    seed: 38,
    finds: ['DROPPED'],
  },
  'it is there': {
    without: 'takes "it is there already" for a refusal',
    off: {
      'service/classify.ts': {
        classify:
          (real: Real<[Exchange, ...unknown[]]>) =>
          (exchange: Exchange, ...rest: unknown[]) => {
            const { response } = exchange
            if (response === null) return real(exchange, ...rest)
            const bodyText = response.bodyText.replace('INVALID_OBJECT_STATE', 'INVALID_PARAMETER')
            return real({ ...exchange, response: { ...response, bodyText } }, ...rest)
          },
      },
    },
    acts: ['runTheExport', 'resolveOne', 'goOn'],
    scene: { recognises: true, weather: 'rough' },
    seed: 2,
    finds: ['REFUSED'],
  },
  identifiers: {
    without: 'takes an assigned reference with a character that nobody sees',
    off: { 'domain/value/identifiers.ts': { whyUnusable: () => () => null } },
    acts: ['runTheExport', 'goOn'],
    scene: { weather: 'rough' },
    seed: 2,
    finds: ['IDENTITY'],
  },
} as const satisfies Readonly<Record<string, Guard>>
