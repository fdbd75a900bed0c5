import { readWhole } from '../domain/row/resaved.js'
import { cleanCell } from '../domain/text/text.js'
import { countText, plural, timeText } from '../domain/text/wording.js'
import type { DecisionRecord, LedgerReader } from '../ledger/read/reader.js'
import { FILE_OF_PART } from '../report/facts/facts.js'
import { decisionPages } from '../report/facts/pages.js'
import {
  DECISION_COLUMN_NAMES,
  decisionCells,
  DECISIONS_FILE,
  REMOVABLE_COLUMNS,
} from '../report/files/decision-lines.js'
import { MANIFEST_FILE, type Manifest } from '../report/files/manifest.js'
import { plansIn } from '../report/files/summary.js'
import { REGISTERED_COLUMN_NAMES, registeredCells } from '../report/files/row-lines.js'
import type { Tell } from './discrepancies.js'
import { wholeFile, type Pack } from './pack.js'
import { readPackTable } from './pack-table.js'

/** How the ledger stands beside the pack: as it was then, or further on. */
export type LedgerStanding = 'unchanged' | 'moved_on' | 'behind' | 'another' | 'not_compared'

const NEXT = 'Trust the ledger, not this pack: write the report again, and ask who had access to this folder'

interface Comparison {
  readonly pack: Pack
  readonly manifest: Manifest
  readonly reader: LedgerReader
  readonly isUnchanged: boolean
  /** What quoted people was removed since: it is no longer there to compare with. */
  readonly isPurgedSince: boolean
  readonly differ: (file: string, message: string) => void
  readonly tell: Tell
}

/**
 * Every registered row of the pack with its identifiers, the states of the others and all decisions, beside the ledger.
 * Where the ledger has moved on since, what was registered is registered still, and the decisions of the pack are the
 * first of the ledger.
 */
export async function compareWithLedger(
  pack: Pack,
  reader: LedgerReader,
  tell: Tell,
): Promise<LedgerStanding> {
  const { manifest } = pack
  if (manifest === null) return 'not_compared'
  const { ledgerId, changedAt, purgedAt } = reader.campaign()
  const differ = (file: string, message: string): void =>
    tell({ kind: 'ledger_differs', file, message, next: NEXT })
  if (ledgerId !== manifest.ledgerId) {
    tell({
      kind: 'other_ledger',
      file: MANIFEST_FILE,
      message: `The pack is of another ledger (${manifest.ledgerId}) than the one that was given (${ledgerId})`,
      next: 'Give the ledger of this campaign',
    })
    return 'another'
  }
  if (changedAt < manifest.changedAt) {
    tell({
      kind: 'ledger_differs',
      file: MANIFEST_FILE,
      message: `The ledger (${timeText(changedAt)}) is older than the pack (${timeText(manifest.changedAt)}): it is an older copy, or the pack was made up`,
      next: 'Put the newest copy of the ledger back, or give that one',
    })
    return 'behind'
  }
  const isUnchanged = changedAt === manifest.changedAt
  const isPurgedSince = purgedAt !== manifest.campaign.purgedAt
  const comparison = { pack, manifest, reader, isUnchanged, isPurgedSince, differ, tell }
  compareCampaign(comparison)
  comparePlans(comparison)
  await compareRegistered(comparison)
  for (const part of ['refused', 'corrections', 'inDoubt', 'notSent'] as const)
    await compareStates(comparison, FILE_OF_PART[part])
  await compareDecisions(comparison)
  return isUnchanged ? 'unchanged' : 'moved_on'
}

function compareCampaign({ manifest, reader, isUnchanged, differ }: Comparison): void {
  if (reader.campaign().baseUrl !== manifest.campaign.baseUrl)
    differ(MANIFEST_FILE, `${MANIFEST_FILE} names another service than the ledger`)
  const held = reader.sources().map(({ sha256 }) => sha256)
  const named = manifest.sources.map(({ sha256 }) => sha256)
  const isPart = named.every((sha256, index) => held[index] === sha256)
  if (!isPart || (isUnchanged && held.length !== named.length))
    differ(MANIFEST_FILE, `The sources that ${MANIFEST_FILE} names are not those of the ledger`)
  if (isUnchanged && JSON.stringify(reader.totals()) !== JSON.stringify(manifest.totals))
    differ(MANIFEST_FILE, `The totals of ${MANIFEST_FILE} are not those of the ledger`)
}

/** A page that is signed says in its first lines who approved: each plan and approval of the pack stands in the ledger. */
function comparePlans({ manifest, reader, isUnchanged, isPurgedSince, differ }: Comparison): void {
  const held = plansIn(reader.plans())
  // A purge takes the words that say where an approval is found.
  const isSame = (named: Readonly<Record<string, unknown>>, recorded: object): boolean =>
    Object.entries(recorded).every(
      ([name, value]) =>
        (isPurgedSince && name === 'reference') || JSON.stringify(value) === JSON.stringify(named[name]),
    )
  const isOfLedger = manifest.plans.every(({ approvals: named, ...plan }, index) => {
    const recorded = held[index]
    if (recorded === undefined) return false
    const { approvals, ...planned } = recorded
    const isWhole = isUnchanged ? named.length === approvals.length : named.length <= approvals.length
    return isWhole && isSame(plan, planned) && named.every((one, at) => isSame(one, approvals[at] ?? {}))
  })
  if (!isOfLedger || (isUnchanged && held.length !== manifest.plans.length))
    differ(MANIFEST_FILE, `The plans and approvals that ${MANIFEST_FILE} names are not those of the ledger`)
}

async function compareRegistered(comparison: Comparison): Promise<void> {
  const { pack, reader, isPurgedSince, differ, tell } = comparison
  const file = wholeFile(pack, FILE_OF_PART.registered)
  if (file === null) return
  const reference = REGISTERED_COLUMN_NAMES.indexOf('assigned_mandate_reference')
  // A purge takes an account number out of the name of a file.
  const isCompared = REGISTERED_COLUMN_NAMES.map((name) => !(isPurgedSince && name === 'source'))
  let last = 0
  await readPackTable(
    { file: file.name, path: file.path, expected: REGISTERED_COLUMN_NAMES, tell },
    (cells) => {
      const cell = cells[reference] ?? ''
      const row = reader.registrationOf(cleanCell(cell))
      if (row === null) {
        differ(
          file.name,
          `${file.name} says that "${cell}" was registered, and the ledger knows no such reference`,
        )
        return
      }
      const held = registeredCells(row)
      const at = held.findIndex((value, index) => isCompared[index] === true && value !== cells[index])
      if (at !== -1)
        differ(
          file.name,
          `Row ${row.id} in ${file.name} has another ${REGISTERED_COLUMN_NAMES[at] ?? ''} than in the ledger`,
        )
      if (row.id <= last) differ(file.name, `Row ${row.id} stands in ${file.name} twice, or out of order`)
      last = row.id
    },
  )
}

async function compareStates(comparison: Comparison, kind: string): Promise<void> {
  const { pack, reader, isUnchanged, differ, tell } = comparison
  const file = wholeFile(pack, kind)
  if (file === null) return
  const expected = ['migration_row', 'migration_state']
  await readPackTable({ file: file.name, path: file.path, expected, tell }, ([number = '', state = '']) => {
    const id = readWhole(number)
    const held = id === null ? null : reader.stateOf(id)
    if (held === null) differ(file.name, `${file.name} names row "${number}", which the ledger does not have`)
    else if (isUnchanged && held !== state)
      differ(
        file.name,
        `Row ${number} is ${state.replace('_', ' ')} in ${file.name} and ${held.replace('_', ' ')} in the ledger`,
      )
  })
}

async function compareDecisions(comparison: Comparison): Promise<void> {
  const { pack, manifest, reader, isUnchanged, differ, tell } = comparison
  const file = wholeFile(pack, DECISIONS_FILE)
  if (file === null) return
  const decisions = eachDecision(reader)
  const erased = new Set(isUnchanged ? [] : erasedRows(reader))
  await readPackTable(
    { file: file.name, path: file.path, expected: DECISION_COLUMN_NAMES, tell },
    (cells) => {
      const next = decisions.next()
      if (next.done === true) {
        differ(file.name, `Decision ${cells[0] ?? ''} of ${file.name} is not in the ledger`)
        return
      }
      const decision = next.value
      const isRemoved = comparison.isPurgedSince || erased.has(decision.rowId)
      const held = decisionCells(decision)
      const at = DECISION_COLUMN_NAMES.findIndex(
        (name, index) => held[index] !== cells[index] && !(isRemoved && REMOVABLE_COLUMNS.has(name)),
      )
      if (at !== -1)
        differ(
          file.name,
          `Decision ${decision.id} of the ledger is not the one in its place in ${file.name} (${DECISION_COLUMN_NAMES[at] ?? ''} differs): one was changed, removed or moved`,
        )
    },
  )
  let left = 0
  for (const { at } of decisions) if (isUnchanged || at <= manifest.changedAt) left += 1
  if (left > 0)
    differ(
      file.name,
      `${plural(left, 'decision', 'decisions')} of the ledger ${left === 1 ? 'is' : 'are'} not in ${file.name}, which has ${countText(manifest.decisions.count)}`,
    )
}

function* eachDecision(reader: LedgerReader): Generator<DecisionRecord, void, undefined> {
  for (const page of decisionPages(reader)) yield* page
}

/** Rows whose words were removed at the request of a person. */
function* erasedRows(reader: LedgerReader): Generator<number, void, undefined> {
  for (const { rowId, decision } of eachDecision(reader)) if (decision === 'erased') yield rowId
}
