import { stateTitle } from '../../domain/row/state-words.js'
import { isBalanced, TOTAL_OF_STATE } from '../../domain/row/totals.js'
import { isFormer, isWaveBalanced, type WaveRecord } from '../../domain/wave/wave.js'
import type { RunRecord, SourceRecord } from '../../ledger/read/reader.js'
import type { ReportFacts } from '../facts/facts.js'
import { proofText } from '../page/page-verification.js'
import { maskedText } from '../page/plain-text.js'
import { REPORT_ORDER } from '../page/report-order.js'
import { freeSheet, oneCell, type CellValue, type SheetColumn } from './sheet-xml.js'
import { STYLES } from './styles.js'

const stateColumns: readonly SheetColumn<{ readonly totals: WaveRecord['totals'] }>[] = REPORT_ORDER.map(
  (state) => ({
    header: stateTitle(state),
    width: 11,
    value: ({ totals }) => totals[TOTAL_OF_STATE[state]],
  }),
)

export const SOURCE_COLUMNS: readonly SheetColumn<SourceRecord>[] = [
  { header: 'Source', width: 30, value: (source) => source.name },
  { header: 'Admitted at', width: 25, value: (source) => source.admittedAt },
  { header: 'Bytes', width: 12, value: (source) => source.bytes },
  { header: 'Read', width: 10, value: (source) => source.totals.read },
  { header: 'Resubmitted', width: 12, value: (source) => source.totals.resubmitted },
  ...stateColumns,
  { header: 'Balanced', width: 10, value: (source) => (isBalanced(source.totals) ? 'yes' : 'NO') },
  { header: 'SHA-256', width: 68, value: (source) => source.sha256 },
]

export const WAVE_COLUMNS: readonly SheetColumn<WaveRecord>[] = [
  { header: 'Wave', width: 30, value: (wave) => maskedText(wave.name) },
  { header: 'Order', width: 8, value: (wave) => wave.position },
  { header: 'Standing', width: 16, value: waveStanding },
  { header: 'Read', width: 10, value: ({ totals }) => totals.read },
  ...stateColumns,
  { header: 'Balanced', width: 10, value: ({ totals }) => (isWaveBalanced(totals) ? 'yes' : 'NO') },
  {
    header: 'Takes',
    width: 60,
    value: ({ filter }) => (filter === null ? null : maskedText(JSON.stringify(filter))),
  },
]

function waveStanding(wave: WaveRecord): string | null {
  if (wave.isHeld) return 'held'
  return isFormer(wave) ? 'of an earlier run' : null
}

export const RUN_COLUMNS: readonly SheetColumn<RunRecord>[] = [
  { header: 'Run', width: 6, value: (run) => run.id },
  { header: 'Started', width: 25, value: (run) => run.startedAt },
  { header: 'Ended', width: 25, value: (run) => run.endedAt },
  { header: 'Version', width: 10, value: (run) => run.version },
  { header: 'As of', width: 11, value: (run) => run.asOf },
  { header: 'Zone', width: 18, value: (run) => run.zone },
  { header: 'Registered', width: 11, value: (run) => run.attempts.registered },
  { header: 'Refused', width: 11, value: (run) => run.attempts.refused },
  { header: 'In doubt', width: 11, value: (run) => run.attempts.in_doubt },
  { header: 'Turned away', width: 12, value: (run) => run.attempts.turned_away },
  { header: 'Not sent', width: 11, value: (run) => run.attempts.not_sent },
  { header: 'Open', width: 8, value: (run) => run.attempts.open },
  {
    header: 'Stopped by',
    width: 40,
    value: (run) => (run.stoppedBy === null ? null : maskedText(run.stoppedBy)),
  },
  { header: 'Exit', width: 6, value: (run) => run.exitCode },
  { header: 'Settings', width: 80, value: (run) => JSON.stringify(run.settings) },
]

/** The first sheet: what finance signs, as far as figures say it. */
export function summarySheet(facts: ReportFacts): string {
  const { campaign, totals, hashTotals, distinct } = facts
  const registered = hashTotals.byState.get('registered')
  const line = (label: string, value: CellValue): string[] => [oneCell(label), oneCell(value)]
  const heading = (...texts: readonly string[]): string[] =>
    texts.map((text) => oneCell(text, STYLES.heading))
  return freeSheet(
    [{ width: 44 }, { width: 70 }],
    [
      [oneCell('SEPA mandate migration: reconciliation', STYLES.title)],
      line('Target', campaign.baseUrl),
      line('User', campaign.username),
      line('Ledger', facts.ledger),
      line('Ledger id', campaign.ledgerId),
      line('State of the ledger as of', campaign.changedAt),
      line('Result', facts.balanced ? 'The control totals balance' : 'THE CONTROL TOTALS DO NOT BALANCE'),
      line('Proof at the service', proofText(facts)),
      [],
      heading('Control totals', 'Rows'),
      line('Read', totals.read),
      ...REPORT_ORDER.map((state) => line(stateTitle(state), totals[TOTAL_OF_STATE[state]])),
      line('Resubmitted, counted in the place of the rows they correct', totals.resubmitted),
      line('Of these not taken', facts.notTaken),
      [],
      heading('Distinct', 'Count'),
      line('Customers', distinct.customers),
      line('Mandates', distinct.mandates),
      line('Accounts', distinct.accounts),
      [],
      heading('Hash totals', 'Value'),
      line('Sum of customer numbers, all mandates', hashTotals.read.customerNoSum),
      line('Digest of old keys, all mandates', hashTotals.read.oldKeyDigest),
      line('Sum of customer numbers, registered', registered?.customerNoSum ?? null),
      line('Digest of old keys, registered', registered?.oldKeyDigest ?? null),
      line('Digest of old and new, registered', registered?.pairDigest ?? null),
    ],
  )
}
