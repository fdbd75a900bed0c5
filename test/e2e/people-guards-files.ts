import { always, given, giving, guard, type Real } from './people-guards-real.js'

interface Header {
  readonly migrationRow: number | null
}
interface Check {
  readonly raw: object | null
  readonly checked: object
}

const CHANGED = { acts: ['giveAChangedExport', 'goOn'], beginsOtherwise: true, finds: ['LOST'] } as const

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
    {
      ...{ acts: ['runTheExport', 'correctTheFile'], seed: 9, finds: ['TWICE', 'OLD'] },
      scene: { weather: 'refusing', mostly: 'former_account_mistyped_reference' },
    },
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
    {
      ...{ acts: ['runTheExport', 'correctTheFile', 'retryRefused'], seed: 163, finds: ['OLD'] },
      scene: { weather: 'refusing', mostly: 'former_account', status: null },
    },
  ),
  quotes: guard(
    'takes records that a stray quote joined for one',
    { 'source/csv/stray-quote.ts': { refuseStrayQuote: always(undefined) } },
    { acts: ['giveAChangedExport'], beginsOtherwise: true, seed: 12, finds: ['WRONG', 'LOST'] },
  ),
  footer: guard(
    'leaves out whatever stands where a footer is configured',
    { 'source/table.ts': { leftOutFindings: always([]) } },
    { ...CHANGED, seed: 27 },
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
    { ...CHANGED, seed: 58 },
  ),
  columns: guard(
    'says nothing of a column with the words of a status',
    {
      'source/guess/fate.ts': { fateOf: always({ kind: 'harmless', why: 'none', few: null }) },
    },
    { acts: ['runTheExport', 'giveAChangedExport'], seed: 108, finds: ['ENDED'] },
  ),
  words: guard(
    'understands no word of a status column',
    { 'domain/value/words.ts': { checkWord: always([]) } },
    { acts: ['runTheExport', 'giveAChangedExport'], seed: 10, finds: ['ENDED'] },
  ),
  'words that nobody knows': guard(
    'takes a word that is not understood for one that a person let pass',
    {
      'domain/value/check-mandate.ts': {
        checkMandate: given((raw: unknown, options: object, ...rest: readonly unknown[]) => [
          ...[raw, { ...options, isDecided: true }, ...rest],
        ]),
      },
    },
    {
      ...{ acts: ['runTheExport', 'giveAChangedExport', 'goOn'], seed: 1, finds: ['ENDED'] },
      scene: { status: { name: 'Mandatsstatus', isUsual: true, goes: 'aktiv', ended: 'XK7' } },
    },
  ),
  'changed keys': guard(
    'takes a mandate whose reference was corrected for another one',
    { 'ledger/admit/kin.ts': { decideKin: always(undefined) } },
    { acts: ['runTheExport', 'giveAChangedExport'], seed: 8, finds: ['TWICE'] },
  ),
  'moved columns': guard(
    'gives a row the account or the reference of another one because a correction says so',
    { 'ledger/correct/corrections.ts': { holdAnothersValues: always(undefined) } },
    {
      ...{ acts: ['runTheExport', 'moveAColumn'], seed: 2, finds: ['WRONG'] },
      scene: { weather: 'refusing', pairs: 0, status: null, mostly: 'mistyped_account' },
    },
  ),
  'half-corrected copies': guard(
    'takes a line that nobody touched for a fault once its row was corrected and registered',
    { 'source/columns/resubmission.ts': { saidBefore: always(false) } },
    {
      ...{ acts: ['runTheExport', 'giveTwoCopies'], seed: 25, finds: ['FAULT'] },
      scene: { status: null, mostly: 'mistyped_account' },
    },
  ),
  'corrections on record': guard(
    'keeps no trace of what a correction changed',
    { 'ledger/correct/corrections.ts': { recordCorrections: always(undefined) } },
    {
      ...{ acts: ['runTheExport', 'correctTheFile', 'giveTwoCopies'], seed: 9, finds: ['UNRECORDED'] },
      scene: { weather: 'refusing', mostly: 'former_account' },
    },
  ),
  'whose line it is': guard(
    'believes the row number of a line of the workbook',
    {
      'report/files/cells.ts': {
        mergeColumns: giving((merged: object) => ({ ...merged, identityOf: () => [] })),
      },
    },
    {
      ...{ acts: ['runTheExport', 'workInTheWorkbook'], scene: { weather: 'rough', pairs: 0.8 }, seed: 1 },
      finds: ['DECISION', 'IDENTITY', 'DROPPED', 'TWICE'],
    },
  ),
  'every sheet': guard(
    'reads the first sheet of the workbook, whichever it is',
    {
      'source/list.ts': {
        openLists: giving(async (lists: Promise<readonly unknown[]>) => (await lists).slice(0, 1)),
      },
    },
    {
      ...{ acts: ['runTheExport', 'workInTheWorkbook'], seed: 30, finds: ['DROPPED', 'STUCK'] },
      scene: { weather: 'rough' },
    },
  ),
} as const
