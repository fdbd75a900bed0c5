import type { KeptSource } from '../../domain/proof/evidence.js'
import { maskAccounts, isAccountColumn, maskNumbers } from '../../domain/text/masking.js'
import { plural } from '../../domain/text/wording.js'
import { UsageError } from '../../errors.js'
import type { LedgerReader } from '../../ledger/read/reader.js'
import { ownText, type Command, type Context } from '../command.js'
import { lookInto } from '../existing-ledger.js'
import { olderOf } from '../older.js'
import { EXIT_STATUSES, EXITS } from '../settings/exit-statuses.js'
import { SHARED } from '../settings/options.js'
import { emptyResult, type CommandResult } from '../terminal/result.js'

type Row = ReturnType<LedgerReader['rowsAbout']>[number]

export const showCommand: Command = {
  usage: 'show',
  summary: 'everything that the ledger holds on one customer, accounts masked, with its history',
  examples: ['sepa-migrate show --customer 1001', 'sepa-migrate show --customer 1001 --json'],
  options: SHARED,
  own: [['--customer <n>', 'the customer number in the invoicing service']],
  epilogue: ['Result files, logs and exports may hold more: "What stays where" in the README lists them.'],
  exits: { ...EXITS.plain, 0: 'something is held', 3: 'nothing is held', 8: EXIT_STATUSES[8] },
  json: ['customer'],
  run: show,
}

/** @throws {UsageError} for anything but a whole number from 1 */
export function customerOf(context: Context): number {
  const text = ownText(context, 'customer') ?? ''
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new UsageError(`"${text}" is not a customer number`, 'Give --customer with a whole number from 1')
}

async function show(context: Context): Promise<CommandResult> {
  const { settings } = context
  const customerNo = customerOf(context)
  return lookInto(settings, (reader) => {
    const held = reader.rowsAbout(customerNo).map((row) => historyOf(reader, row))
    return {
      ...emptyResult,
      exitCode: held.length === 0 ? 3 : 0,
      campaign: { ledger: settings.ledger, baseUrl: reader.campaign().baseUrl },
      totals: reader.totals(),
      warnings: olderOf(context.world, reader).warnings,
      lines: [
        `Customer ${customerNo}: ${plural(held.length, 'row', 'rows')} in ${settings.ledger}`,
        ...held.flatMap(linesOf),
      ],
      details: { customer: { customerNo, rows: held } },
    }
  })
}

/** Free cells may hold anything, so accounts are masked in every one, and the account's own column as a whole. */
function cellsOf(reader: LedgerReader, row: Row): Readonly<Record<string, string>> | null {
  if (row.cells === null) return null
  const source = reader.sources().find(({ id }) => id === row.sourceId)
  const names = source?.header ?? []
  return Object.fromEntries(
    row.cells.map((cell, index) => {
      const name = names[index] ?? `column ${index + 1}`
      const isAccount = name === source?.columns['iban'] && row.ibanMasked !== null
      if (isAccount) return [name, row.ibanMasked]
      return [name, isAccountColumn(name) ? maskNumbers(maskAccounts(cell)) : maskAccounts(cell)]
    }),
  )
}

function historyOf(reader: LedgerReader, row: Row) {
  return {
    row: row.id,
    source: row.source,
    record: row.record,
    line: row.line,
    state: row.state,
    rule: row.rule,
    customerNo: row.customerNo,
    ibanMasked: row.ibanMasked,
    signedDate: row.signedDate,
    originalCreditorIdentifier: maskedOrNull(row.originalCreditorIdentifier),
    originalMandateReference: maskedOrNull(row.originalMandateReference),
    assignedCreditorIdentifier: row.assignedCreditorIdentifier,
    assignedMandateReference: row.assignedMandateReference,
    registeredAt: row.registeredAt,
    latestFirstDebit: row.latestFirstDebit,
    supersededBy: row.supersededBy,
    cells: cellsOf(reader, row),
    problems: reader
      .problemsOfRow(row.id)
      .map(({ rule, severity, column, value, message }) => ({ rule, severity, column, value, message })),
    attempts: reader
      .attempts(row.id)
      .map(({ n, startedAt, endedAt, requestId, outcome, status, reason, message, answer }) => ({
        n,
        startedAt,
        endedAt,
        requestId,
        outcome,
        status,
        reason,
        message,
        answer,
      })),
    readBack: reader.proofsOfRow(row.id).map(({ answeredAt, requestId, verdict, why, sources }) => ({
      answeredAt,
      requestId,
      verdict,
      why,
      sources,
    })),
    decisions: reader
      .decisionsOfRow(row.id)
      .map(({ at, by, as, decision, reason, evidence }) => ({ at, by, as, decision, reason, evidence })),
  }
}

const maskedOrNull = (text: string | null): string | null => (text === null ? null : maskAccounts(text))

type History = ReturnType<typeof historyOf>

function linesOf(row: History): string[] {
  const valueLines: [string, string | null][] = [
    ['account', row.ibanMasked],
    ['signed', row.signedDate],
    ['original', joined(row.originalCreditorIdentifier, row.originalMandateReference)],
    ['assigned', joined(row.assignedCreditorIdentifier, row.assignedMandateReference)],
    ['registered', row.registeredAt],
    ['first debit until', row.latestFirstDebit],
    ['replaced by row', row.supersededBy === null ? null : String(row.supersededBy)],
  ]
  return [
    '',
    `Row ${row.row}: ${row.state.replace('_', ' ')}${row.rule === null ? '' : ` (${row.rule})`}, record ${row.record} of "${row.source}" (line ${row.line})`,
    ...valueLines.flatMap(([name, value]) => (value === null ? [] : [`  ${name}: ${value}`])),
    ...(row.cells === null
      ? ['  cells: not held any more']
      : [
          '  cells as they were read:',
          ...Object.entries(row.cells).map(([name, cell]) => `    ${name}: ${cell}`),
        ]),
    ...row.problems.map(
      ({ rule, severity, value, message }) =>
        `  ${severity} ${rule}${value === '' ? '' : ` "${value}"`}: ${message}`,
    ),
    ...row.attempts.map(
      ({ n, startedAt, outcome, reason, requestId }) =>
        `  attempt ${n} at ${startedAt}: ${(outcome ?? 'open').replace('_', ' ')}${reason === null ? '' : `, ${reason}`} (request ${requestId})`,
    ),
    ...row.readBack.map(
      ({ answeredAt, requestId, verdict, why, sources }) =>
        `  read back at ${answeredAt}: ${verdict}${why === null ? '' : `, ${why}`}${sources.map(sourceText).join('')} (question ${requestId})`,
    ),
    ...row.decisions.map(
      ({ at, by, as, decision, reason }) =>
        `  decided ${at} by ${by}${as === null ? '' : ` (${as})`}: ${decision.replace('_', '-')}, ${reason}`,
    ),
  ]
}

const sourceText = ({ id, status, reference, accountMasked, signedDate }: KeptSource): string =>
  `; source ${[id, status, reference, accountMasked, signedDate].map((part) => part ?? '?').join(' ')}`

const joined = (creditor: string | null, reference: string | null): string | null =>
  creditor === null && reference === null ? null : `${creditor ?? '?'} / ${reference ?? '?'}`
