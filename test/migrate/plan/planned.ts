import { writeFileSync } from 'node:fs'
import { textOfPlan, type PlanDocument } from '../../../src/domain/plan/plan.js'
import { openLedger } from '../../../src/ledger/file/open-ledger.js'
import type { ApprovalGiven, Ledger } from '../../../src/ledger/ledger.js'
import type { MigrateOptions } from '../../../src/migrate/options.js'
import { planMigration } from '../../../src/migrate/plan/make-plan.js'
import type { Place } from '../place.js'

/** Opens the ledger of the place for what people do between plan and run. */
export function atLedger<Value>(place: Place, act: (ledger: Ledger) => Value): Value {
  const ledger = openLedger({
    file: place.at('campaign.db'),
    clock: place.machine().clock,
    user: 'ada',
    create: false,
  })
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
  const { document } = await planMigration({ ...others, by: 'Ada', watchReading: () => undefined })
  writeFileSync(place.at(name), textOfPlan(document))
  return document
}

const DAY_MS = 86_400_000

/** Grace approves it, under her own user, for a day. */
export function approved(place: Place, { digest }: PlanDocument, more: Partial<ApprovalGiven> = {}): void {
  const expiresAt = new Date(place.machine().clock.now() + DAY_MS).toISOString()
  const given = {
    digest,
    by: 'Grace',
    as: 'grace',
    reason: 'compared with the list',
    expiresAt,
    evidence: null,
  }
  atLedger(place, (ledger) => ledger.plans.approve({ ...given, ...more }))
}
