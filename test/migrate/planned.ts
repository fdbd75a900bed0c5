import { writeFileSync } from 'node:fs'
import { textOfPlan, type ApprovalStatement, type PlanDocument } from '../../src/domain/plan/plan.js'
import { openLedger } from '../../src/ledger/file/open-ledger.js'
import type { Ledger } from '../../src/ledger/file/writer.js'
import type { MigrateOptions } from '../../src/migrate/options.js'
import { planMigration, approvalPath, textOfApproval } from '../../src/migrate/plan.js'
import { recorded, signed, type Pair } from '../ledger/plan/approvals.js'
import type { Place } from './place.js'

/** Opens the ledger of the place for what people do between plan and run. */
export function atLedger<Value>(place: Place, act: (ledger: Ledger) => Value): Value {
  const { clock } = place.machine()
  const ledger = openLedger({ file: place.at('campaign.db'), clock, user: 'ada', create: false })
  try {
    return act(ledger)
  } finally {
    ledger.close()
  }
}

/** Plans what the options say, as Ada, and writes the plan to `plan.json`. */
export async function planned(
  place: Place,
  options: MigrateOptions,
  name = 'plan.json',
): Promise<PlanDocument> {
  const { confirm: _, watch: __, plan: ___, ...others } = options
  const { document } = await planMigration({ ...others, by: 'Ada' })
  writeFileSync(place.at(name), textOfPlan(document))
  return document
}

const DAY_MS = 86_400_000

/** Grace approves it for a day; recorded, not proven. */
export function approved(
  place: Place,
  { digest }: PlanDocument,
  more: Partial<ApprovalStatement> = {},
): void {
  const now = place.machine().clock.now()
  const [approvedAt, expiresAt] = [new Date(now).toISOString(), new Date(now + DAY_MS).toISOString()]
  atLedger(place, (ledger) => ledger.plans.approve(recorded(digest, { approvedAt, expiresAt, ...more })))
}

/** The same with a key, as a file beside the plan. */
export function signedBeside(
  place: Place,
  { digest }: PlanDocument,
  pair: Pair,
  { name = 'plan.json', ...more }: Partial<ApprovalStatement> & { readonly name?: string } = {},
): string {
  const expiresAt = new Date(place.machine().clock.now() + DAY_MS).toISOString()
  const { recordedAs: _, reference: __, ...approval } = signed(digest, pair, { expiresAt, ...more })
  const file = approvalPath(place.at(name))
  writeFileSync(file, textOfApproval({ ...approval, signature: approval.signature ?? '' }))
  return file
}
