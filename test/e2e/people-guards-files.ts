import type { Guard, Real } from './people-guards.js'

interface Header {
  readonly migrationRow: number | null
}
interface Check {
  readonly raw: object | null
  readonly checked: object
}
interface Watch {
  readonly findings: unknown
}

/** The file says what it says (issue 8, part 3). */
export const GUARDS_OF_FILES = {
  'row numbers': {
    without: 'takes a line whose row number a spreadsheet changed for a new mandate',
    off: {
      'source/columns/resubmission.ts': {
        readResubmission:
          (real: Real<[readonly string[], Header, unknown]>) =>
          (cells: readonly string[], header: Header, severities: unknown) =>
            /^[1-9]\d*$/.test(cells[header.migrationRow ?? -1] ?? '')
              ? real(cells, header, severities)
              : null,
      },
    },
    acts: ['runTheExport', 'correctTheFile'],
    scene: { weather: 'refusing', mostly: 'former_account_mistyped_reference' },
    seed: 9,
    finds: ['TWICE', 'OLD'],
  },
  'cells too many': {
    without: 'forgets which row a correction with a cell too many was about',
    off: {
      'source/record-check.ts': {
        checkRecord: (real: Real<[unknown], Real<readonly unknown[], Check>>) => (options: unknown) => {
          const check = real(options)
          return (...args: readonly unknown[]) => {
            const found = check(...args)
            return found.raw === null ? { ...found, checked: { ...found.checked, corrects: null } } : found
          }
        },
      },
    },
    acts: ['runTheExport', 'correctTheFile', 'retryRefused'],
    scene: { weather: 'refusing', mostly: 'former_account', status: null },
    seed: 163,
    finds: ['OLD'],
  },
  quotes: {
    without: 'takes records that a stray quote joined for one',
    off: { 'source/csv/stray-quote.ts': { refuseStrayQuote: () => () => undefined } },
    acts: ['giveAChangedExport'],
    beginsOtherwise: true,
    seed: 3,
    finds: ['WRONG', 'LOST'],
  },
  footer: {
    without: 'leaves out whatever stands where a footer is configured',
    off: { 'source/left-out.ts': { leftOutFindings: () => () => [] } },
    acts: ['giveAChangedExport', 'goOn'],
    beginsOtherwise: true,
    seed: 27,
    finds: ['LOST'],
  },
  count: {
    without: 'does not count what a footer says was counted',
    off: {
      'source/left-out.ts': {
        countFindings: () => () => [],
        leftOutFindings:
          (real: Real<readonly unknown[], readonly { readonly rule: string }[]>) =>
          (...args: readonly unknown[]) =>
            real(...args).filter(({ rule }) => rule !== 'FILE_COUNT_MISMATCH'),
      },
    },
    acts: ['giveAChangedExport', 'goOn'],
    beginsOtherwise: true,
    seed: 58,
    finds: ['LOST'],
  },
  columns: {
    without: 'says nothing of a column with the words of a status',
    off: {
      'source/watch/column-watch.ts': {
        watchColumns:
          (real: Real<readonly unknown[], Watch>) =>
          (...args: readonly unknown[]) => ({ ...real(...args), findings: () => [] }),
      },
    },
    acts: ['runTheExport', 'giveAChangedExport'],
    seed: 108,
    finds: ['ENDED'],
  },
  words: {
    without: 'understands no word of a status column',
    off: { 'domain/value/words.ts': { checkWord: () => () => [] } },
    acts: ['runTheExport', 'giveAChangedExport'],
    seed: 10,
    finds: ['ENDED'],
  },
  'words that nobody knows': {
    without: 'takes a word that is not understood for one that a person let pass',
    off: {
      'domain/value/check-mandate.ts': {
        checkMandate:
          (real: Real<[unknown, object, unknown]>) => (raw: unknown, options: object, given: unknown) =>
            real(raw, { ...options, isDecided: true }, given),
      },
    },
    acts: ['runTheExport', 'giveAChangedExport', 'goOn'],
    scene: { status: { name: 'Mandatsstatus', isUsual: true, goes: 'aktiv', ended: 'XK7' } },
    seed: 1,
    finds: ['ENDED'],
  },
  'changed keys': {
    without: 'takes a mandate whose reference was corrected for another one',
    off: { 'ledger/admit/kin.ts': { decideKin: () => () => undefined } },
    acts: ['runTheExport', 'giveAChangedExport'],
    seed: 8,
    finds: ['TWICE'],
  },
  'moved columns': {
    without: 'gives a row the account or the reference of another one because a correction says so',
    off: { 'ledger/correct/corrections.ts': { holdAnothersValues: () => () => undefined } },
    acts: ['runTheExport', 'moveAColumn'],
    scene: { weather: 'refusing', pairs: 0, status: null, mostly: 'mistyped_account' },
    seed: 2,
    finds: ['WRONG'],
  },
  'half-corrected copies': {
    without: 'takes a line that nobody touched for a fault once its row was corrected and registered',
    off: { 'source/columns/resubmission.ts': { saidBefore: () => () => false } },
    acts: ['runTheExport', 'giveTwoCopies'],
    scene: { status: null, mostly: 'mistyped_account' },
    seed: 25,
    finds: ['FAULT'],
  },
  'corrections on record': {
    without: 'keeps no trace of what a correction changed',
    off: { 'ledger/correct/corrections.ts': { recordCorrections: () => () => undefined } },
    acts: ['runTheExport', 'correctTheFile', 'giveTwoCopies'],
    scene: { weather: 'refusing', mostly: 'former_account' },
    seed: 9,
    finds: ['UNRECORDED'],
  },
  'whose line it is': {
    without: 'believes the row number of a line of the workbook',
    off: {
      'report/files/cells.ts': {
        mergeColumns: (real: Real<[unknown], object>) => (sources: unknown) => ({
          ...real(sources),
          identityOf: () => [],
        }),
      },
    },
    acts: ['runTheExport', 'workInTheWorkbook'],
    scene: { weather: 'rough', pairs: 0.8 },
    seed: 1,
    finds: ['DECISION', 'IDENTITY', 'DROPPED', 'TWICE'],
  },
  'every sheet': {
    without: 'reads the first sheet of the workbook, whichever it is',
    off: {
      'source/list.ts': {
        openLists:
          (real: Real<readonly unknown[], Promise<readonly unknown[]>>) =>
          async (...args: readonly unknown[]) =>
            (await real(...args)).slice(0, 1),
      },
    },
    acts: ['runTheExport', 'workInTheWorkbook'],
    scene: { weather: 'rough' },
    seed: 30,
    finds: ['DROPPED', 'STUCK'],
  },
} as const satisfies Readonly<Record<string, Guard>>
