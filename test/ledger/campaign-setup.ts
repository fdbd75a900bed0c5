import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { Amendment } from '../../src/domain/mandate/mandate.js'
import type { SourceSummary, SeverityOverrides } from '../../src/domain/rule/verdict.js'
import type { ResolutionReport } from '../../src/ledger/decide/resolution.js'
import type { Attempt, Decision, ReadyRow, Resolution } from '../../src/ledger/ledger.js'
import type { Ledger, LedgerOptions } from '../../src/ledger/file/writer.js'
import { openLedger } from '../../src/ledger/file/open-ledger.js'
import type { Corrector } from '../../src/domain/row/correction.js'
import { freshFolder } from '../support/folder.js'
import { HaltError, type LedgerError } from '../../src/errors.js'
import type { Clock } from '../../src/domain/mandate/date.js'
import { isBalanced, type Outcome } from '../../src/domain/row/row-state.js'
import { heldOutsideOfKeys, statesOf } from './ledger-views.js'
import { HEADER, COLUMNS, type Values, recordOf, summaryOf } from './records.js'

export { IBAN, OTHER_IBAN, HEADER, COLUMNS, type Values, recordOf, summaryOf } from './records.js'
export { inDoubt, refused, registered } from './outcomes.js'

export const freshFile = (): string => join(freshFolder(), 'campaign.db')

/** Stands still until it is told otherwise. */
export function stoppedClock(at = '2026-06-15T10:00:00.000Z'): Clock & { advance: (ms: number) => void } {
  let ms = Date.parse(at)
  return { now: () => ms, monotonic: () => ms, advance: (by) => void (ms += by) }
}

export function open(options: Partial<LedgerOptions> = {}): Ledger {
  const ledger = openLedger({
    file: options.file ?? freshFile(),
    clock: stoppedClock(),
    pid: 4711,
    ...options,
  })
  onTestFinished(() => ledger.close())
  return ledger
}

interface Given {
  readonly severities?: SeverityOverrides
  readonly corrector?: Corrector
  readonly name?: string
  readonly sha256?: string
  readonly header?: readonly string[]
  readonly columns?: Readonly<Record<string, string>>
  readonly reading?: SourceSummary['reading']
  /** Default: a list where a record names a row. */
  readonly kind?: 'export' | 'list'
  /** The source whose records come in again. */
  readonly again?: number
  readonly isNewer?: boolean
  readonly amendments?: readonly Amendment[]
}

/** One file, admitted in a transaction of its own. */
export function admit(
  ledger: Pick<Ledger, 'admit'>,
  rows: readonly Values[],
  { name = 'export.csv', sha256, header = HEADER, columns = COLUMNS, reading, again, ...given }: Given = {},
): 'admitted' | 'known' {
  const { kind: of = rows.some(({ corrects = null }) => corrects !== null) ? 'list' : 'export' } = given
  const admission = ledger.admit({ severities: {}, ...given })
  const source = admission.open({
    name,
    header,
    columns,
    kind: of,
    ...(again === undefined ? {} : { again }),
    amendments: given.amendments ?? [],
  })
  source.add(rows.map((values, index) => recordOf(values, index + 1)))
  const summary = summaryOf(rows.length, sha256)
  const kind = source.close({ ...summary, reading: reading ?? summary.reading })
  admission.decide()
  admission.commit()
  if ('file' in ledger) expect(heldOutsideOfKeys(String(ledger.file))).toEqual([])
  return kind
}

type Files = readonly (readonly Values[])[]

/** Files of one command: 0.csv, 1.csv, … */
export function admitTogether(ledger: Pick<Ledger, 'admit'>, ...files: Files): void {
  const admission = ledger.admit({ severities: {} })
  for (const [at, rows] of files.entries()) {
    const source = admission.open({ name: `${at}.csv`, header: HEADER, columns: COLUMNS })
    source.add(rows.map((values, index) => recordOf(values, index + 1)))
    source.close(summaryOf(rows.length))
  }
  admission.commit()
}

/** A ledger that holds these files, one admitted after the other. */
export function holding(...files: Files): Ledger {
  const ledger = open()
  for (const rows of files) admit(ledger, rows)
  return ledger
}

/** The file of one that is closed. */
export function closedFile(rows: readonly Values[] = [{}]): string {
  const ledger = holding(rows)
  ledger.close()
  return ledger.file
}

/** With which problem of the ledger, where it is one, such work is refused. */
export function faultOf(work: () => unknown): HaltError & { readonly problem?: LedgerError['problem'] } {
  try {
    work()
  } catch (error) {
    if (error instanceof HaltError) return error
    throw error
  }
  throw new Error('Nothing was refused')
}

/** The same, with a run that is going; at the time of a clock of its own. */
export const running = (...files: Files): Ledger => runningAt(stoppedClock(), ...files)

export function runningAt(clock: Clock, ...files: Files): Ledger {
  const ledger = open({ clock })
  ledger.startRun(SETTINGS)
  for (const rows of files) admit(ledger, rows)
  return ledger
}

export const SETTINGS = {
  version: '0.1.0',
  host: 'bench',
  pid: 4711,
  asOf: '2026-06-15',
  zone: 'Europe/Berlin',
  settings: { concurrency: 8 },
}

export function readyRow(ledger: Pick<Ledger, 'ready'>, after = 0): ReadyRow {
  const [row] = ledger.ready(after, 1)
  if (row === undefined) throw new Error('The test expected a ready row')
  return row
}

/** What the gate lets go. */
export async function begin(ledger: Pick<Ledger, 'begin'>, row: ReadyRow): Promise<Attempt> {
  const begun = await ledger.begin(row)
  if ('because' in begun) throw new Error(`The gate held row ${begun.rowId}: ${begun.because}`)
  return begun
}

/** Sends the first ready row and settles it. */
export async function send(ledger: Ledger, outcome: Outcome): Promise<number> {
  const row = readyRow(ledger)
  await ledger.settle(await begin(ledger, row), outcome)
  return row.id
}

/** A file that comes in, or what the service answers about the first ready row. */
export type Step = readonly Values[] | Outcome

/** A ledger whose run met these, one after the other. */
export async function played(...steps: readonly Step[]): Promise<Ledger> {
  const ledger = running()
  for (const step of steps) {
    if ('kind' in step) await send(ledger, step)
    else admit(ledger, step)
  }
  return ledger
}

/** Sets a last export against the ledger. */
export function compareWith(ledger: Pick<Ledger, 'comparisons'>, final: readonly Values[]): void {
  const scratch = ledger.comparisons.open()
  admit(scratch, final, { name: 'final.csv' })
  ledger.comparisons.record(scratch, { by: 'Ada', isFinal: true })
  scratch.close()
}

/** These states have its rows then, and their totals balance. */
export async function expectStates(states: string, ...steps: readonly Step[]): Promise<void> {
  const ledger = await played(...steps)
  expect(statesOf(ledger.file).join(' ')).toBe(states)
  expect(isBalanced(ledger.totals())).toBe(true)
}

/** What a person says of a row. */
export const resolutionOf = (
  rowId: number,
  decision: Decision,
  more: Partial<Resolution> = {},
): Resolution => ({
  rowId,
  decision,
  by: 'Ada',
  reason: 'looked up',
  assigned: null,
  evidence: null,
  attempt: null,
  ...more,
})

export const decide = (
  ledger: Ledger,
  rowId: number,
  decision: Decision,
  more: Partial<Resolution> & { readonly force?: boolean } = {},
): ResolutionReport => {
  const { force = false, ...said } = more
  return ledger.resolve([resolutionOf(rowId, decision, said)], { dryRun: false, force })
}
