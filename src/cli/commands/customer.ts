import { changesText, type FieldChange } from '../../domain/row/correction.js'
import { stateName, verificationWord } from '../../domain/row/row-state.js'
import type { KeptSource } from '../../domain/proof/match-sources.js'
import { isAccountColumn, maskAccounts, maskNumbers } from '../../domain/text/accounts.js'
import { UsageError } from '../../errors.js'
import type { LedgerReader } from '../../ledger/read/open-reader.js'
import { campaignStatus, olderOf } from '../closing.js'
import { lookInto, decideIn, type Command, type Context, type OwnFlag } from '../command.js'
import { EXIT_STATUSES, EXITS, SHARED } from '../settings/declared.js'
import { assertTyped } from '../terminal/world.js'
import { remainLines, remainsOf } from './purge.js'
import { pick, plural, said } from '../../domain/text/text.js'

type Row = ReturnType<LedgerReader['rowsAbout']>[number]

const CUSTOMER =
  'The customer is the number in the invoicing service; --reference finds it by an old or new reference of a mandate.'

const REFERENCE: OwnFlag = ['--reference <reference>', 'of a mandate, instead of the number of its customer']

export const showCommand: Command = {
  usage: 'customer show [customer]',
  summary: 'all that the ledger holds on a customer, with its history',
  examples: ['sepa-migrate customer show 1001', 'sepa-migrate customer show --reference M-2019-17'],
  options: SHARED,
  own: [REFERENCE],
  epilogue: [
    CUSTOMER,
    'Result files, logs and exports may hold more: "What stays where" in the README lists them.',
  ],
  exits: { ...EXITS.plain, 0: 'something is held', 3: 'nothing is held', 8: EXIT_STATUSES[8] },
  run: show,
}

/** @throws {UsageError} where it is not said of whom, or two customers have the reference */
export async function heldOf(context: Context) {
  const [text = ''] = context.args
  const reference = context.text('reference')?.trim() ?? ''
  if ((text === '') === (reference === '') || (text !== '' && !/^[1-9]\d{0,14}$/.test(text)))
    throw new UsageError(
      text === '' || reference !== ''
        ? 'Give the customer or a reference'
        : `"${text}" is not a customer number`,
      'Give the number in the invoicing service, a whole number from 1, or --reference with that of a mandate',
    )
  const held = await lookInto(context.settings, (reader) =>
    text === ''
      ? heldByReference(reader, reference)
      : { customerNo: Number(text), rows: reader.rowsAbout(Number(text)) },
  )
  const { customerNo } = held
  return {
    ...held,
    name: customerNo === null ? `Reference ${maskAccounts(reference)}` : `Customer ${customerNo}`,
  }
}

/** The customer is null where only rows without a readable number have it. */
function heldByReference(reader: LedgerReader, reference: string) {
  const found = reader.rowsWithReference(reference)
  const numbers = [...new Set(found.map(({ customerNo }) => customerNo).filter((number) => number !== null))]
  if (numbers.length > 1)
    throw new UsageError(
      `Customers ${numbers.join(' and ')} have a mandate with this reference`,
      'Give the number of the one who is meant',
    )
  const [customerNo = null] = numbers
  const unread = found.filter((row) => row.customerNo === null)
  const rows = new Map(
    [...(customerNo === null ? [] : reader.rowsAbout(customerNo)), ...unread].map((row) => [row.id, row]),
  )
  return { customerNo, rows: [...rows.values()] }
}

async function show(context: Context) {
  const { settings } = context
  const { customerNo, name, rows } = await heldOf(context)
  return lookInto(settings, (reader) => {
    const held = rows.map((row) => historyOf(reader, row))
    return {
      exitCode: held.length === 0 ? 3 : 0,
      campaign: { ledger: settings.ledger, baseUrl: reader.campaign().baseUrl },
      totals: reader.totals(),
      warnings: olderOf(context.world, reader).warnings,
      lines: [
        `${name}: ${plural(held.length, 'row', 'rows')} in ${settings.ledger}`,
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
  const verdict = reader.verdictOf(row.id)
  return {
    row: row.id,
    ...pick('source', 'record', 'line', 'state', 'rule', 'customerNo', 'ibanMasked', 'signedDate')(row),
    originalCreditorIdentifier: maskedOrNull(row.originalCreditorIdentifier),
    originalMandateReference: maskedOrNull(row.originalMandateReference),
    ...pick('assignedCreditorIdentifier', 'assignedMandateReference', 'registeredAt')(row),
    ...pick('latestFirstDebit', 'supersededBy')(row),
    changes: row.supersededBy === null ? [] : changesOf(row, reader.row(row.supersededBy)),
    collected: reader.collectedOf(row.id),
    cells: cellsOf(reader, row),
    problems: reader.problemsOfRow(row.id).map(pick('rule', 'severity', 'column', 'value', 'message')),
    attempts: reader
      .attempts(row.id)
      .map(
        pick('n', 'startedAt', 'endedAt', 'requestId', 'outcome', 'status', 'reason', 'message', 'answer'),
      ),
    verification: verdict === undefined ? null : verificationWord(verdict),
    readBack: reader.proofsOfRow(row.id).map(pick('answeredAt', 'requestId', 'verdict', 'why', 'sources')),
    decisions: reader.decisionsOfRow(row.id).map(pick('at', 'by', 'as', 'decision', 'reason', 'evidence')),
  }
}

/** What the row that took its place says otherwise. */
function changesOf(row: Row, later: Row | null): FieldChange[] {
  const values = ({ customerNo, ibanMasked, signedDate, rule, ...names }: Row) => ({
    customer_no: customerNo,
    iban: ibanMasked,
    signed_date: signedDate,
    sepa_creditor_identifier: maskedOrNull(names.originalCreditorIdentifier),
    unique_mandate_reference: maskedOrNull(names.originalMandateReference),
    rule,
  })
  if (later === null) return []
  const after = Object.values(values(later))
  return Object.entries(values(row)).flatMap(([field, before], at) =>
    before === after[at] ? [] : [{ field, before: String(before ?? ''), after: String(after[at] ?? '') }],
  )
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
    ['last collected', collectedText(row.collected)],
    ['replaced by row', row.supersededBy === null ? null : String(row.supersededBy)],
    ...row.changes.map((change): [string, string] => ['changed', changesText([change])]),
  ]
  return [
    '',
    `Row ${row.row}: ${stateName(row.state)}${row.rule === null ? '' : ` (${row.rule})`}, record ${row.record} of "${row.source}" (line ${row.line})`,
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
    ...(row.verification === null ? [] : [`  verified, with what was decided: ${row.verification}`]),
    ...row.decisions.map(
      ({ at, by, as, decision, reason }) =>
        `  decided ${at} by ${by}${as === null ? '' : ` (${as})`}: ${decision.replace('_', '-')}, ${reason}`,
    ),
  ]
}

const collectedText = (collected: History['collected']): string | null =>
  collected && `${collected.day}, ${collected.is.join(', ').replaceAll('_', ' ')}`

const sourceText = ({ id, status, reference, accountMasked, signedDate }: KeptSource): string =>
  `; source ${[id, status, reference, accountMasked, signedDate].map((part) => part ?? '?').join(' ')}`

const joined = (creditor: string | null, reference: string | null): string | null =>
  creditor === null && reference === null ? null : `${creditor ?? '?'} / ${reference ?? '?'}`

export const eraseCommand: Command = {
  usage: 'customer erase [customer]',
  summary: "remove one customer's data, where no row is ready or in doubt",
  examples: [
    'sepa-migrate customer show 1001',
    'sepa-migrate customer erase 1001 --reason "asked on 3 June"',
  ],
  options: [...SHARED, 'yes'],
  own: [
    REFERENCE,
    ['--reason <text>', 'why, kept in the ledger'],
    ['--by <name>', 'who decided (default: the user)'],
    ['--with-open-rows', 'although invalid, conflicting or refused rows can never be corrected then'],
  ],
  epilogue: [
    CUSTOMER,
    'Goes: account number, original cells, quoted values, words of the service and of people about these rows, and the',
    'fingerprints of account and content, which random bytes replace.',
    'Stays, because the record of what was registered needs it: row and state, customer number, references, dates and',
    'the masked account. In a later file such a mandate is known by customer and date alone: another account is not',
    'noticed, an end is. Another mandate of this customer with the same date waits for a person. What is registered of',
    'them is not read back any more, and a plan from before counts no more.',
    'Refused while the rows are ready, sending or in doubt. It cannot be undone.',
  ],
  exits: EXITS.standing,
  run: erase,
}

async function erase(context: Context) {
  const { world, settings } = context
  const reason = context.reason('who asked for it and when; it is kept', '; nothing was removed')
  const { customerNo, name, rows } = await heldOf(context)
  const rowIds = rows.map(({ id }) => id)
  const typed = customerNo === null ? 'erase' : String(customerNo)
  if (!(settings.get('yes') ?? false))
    await assertTyped(world, {
      what: 'Erasing',
      typed,
      to: `remove this customer's data (${plural(rowIds.length, 'row', 'rows')}) from ${settings.ledger} for good`,
      nothing: 'nothing was removed',
    })
  return decideIn(context, (ledger) => {
    const report = ledger.erase({
      customerNo,
      rowIds,
      by: context.actor(),
      reason,
      withOpenRows: context.flag('withOpenRows'),
    })
    const remains = remainsOf(context, ledger.view.campaign())
    return {
      ...campaignStatus(context, ledger.view).decided,
      warnings: said([
        !report.isErased &&
          'Another program is reading the ledger, so old pages may still hold the data. Erase again',
      ]),
      lines: said([
        `${name}: removed what was held of ${plural(rowIds.length, 'row', 'rows')}.`,
        'Kept: row, state, customer number, references, dates and masked account. The fingerprints of account and content are',
        'random bytes now: another account for this mandate in a later file is not noticed. Plan again before a run under a plan.',
        customerNo !== null && `See it with: sepa-migrate customer show ${customerNo}`,
        ...remainLines(settings.ledger, remains),
        'These files are not changed for one customer: write the report again, and delete what is not needed.',
      ]),
      details: { erasure: { customerNo, rowIds, ...report, remaining: remains } },
    }
  })
}
