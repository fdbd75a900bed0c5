import { z } from 'zod'
import { ROW_STATES } from '../../domain/row/row-state.js'
import { TOTAL_OF_STATE } from '../../domain/row/totals.js'
import { isRuleId } from '../../domain/rule/rules.js'
import { textOfPlan, type PlanDocument } from '../../domain/plan/plan.js'
import { UsageError } from '../../errors.js'
import { readPlanFile } from './hold-to-plan.js'
import { digestOf } from './make-plan.js'

const count = z.int().min(0)
const text = z.string()
/** One that this version does not know may mean anything: such a plan is not shown to be approved. */
const rule = z.string().refine(isRuleId)

/** What is read of a plan for people; everything else is held by the digest. */
const shownSchema = z.looseObject({
  kind: z.literal('sepa-migrate-plan'),
  schemaVersion: z.literal(1),
  digest: text,
  ledgerId: text,
  plannedAt: z.iso.datetime(),
  plannedBy: text,
  plannedAs: text.nullable(),
  version: text,
  target: z.looseObject({ baseUrl: text, username: text }),
  sources: z.array(z.looseObject({ name: text, sha256: text, bytes: count, records: count })),
  totals: z.looseObject(
    Object.fromEntries(
      ['read', 'resubmitted', ...Object.values(TOTAL_OF_STATE)].map((name) => [name, count]),
    ),
  ),
  rows: z.looseObject({ count, digest: text }),
  limit: count.nullable(),
  retriesRefused: z.boolean(),
  choice: z
    .looseObject({
      only: z.array(z.looseObject({ column: text, values: z.array(text) })),
      countries: z.array(text).nullable(),
      left: count,
    })
    .nullable(),
  creditors: z.array(z.looseObject({ creditorIdentifier: text, count })),
  warnings: z.array(z.looseObject({ rule, count })),
  staysBehind: z.array(z.looseObject({ state: z.enum(ROW_STATES), rule: rule.nullable(), count })),
  treatedAsActive: z.array(text).optional(),
  settings: z.record(text, z.unknown()),
  changedSettings: z.array(text),
  expectedMs: z.number(),
})

/**
 * A plan by its own digest, for somebody who has no ledger to compare it with: whether it is the plan of that ledger is
 * found out when the approval is recorded there.
 * @throws {UsageError} for a file that is no plan, or that was changed since it was written
 */
export function readPlan(file: string): PlanDocument {
  const content = readPlanFile(file)
  const document = parse(content)
  const { digest, ...body } = document ?? { digest: null }
  const isWhole =
    document !== null && textOfPlan(document) === content && digestOf(body as typeof document) === digest
  if (isWhole) return document
  throw new UsageError(
    `"${file}" is no plan that this version knows, or was changed since it was written; nothing was recorded`,
    'Take the file as it was written, and the version of the program that wrote it',
  )
}

function parse(content: string): PlanDocument | null {
  try {
    const value: unknown = JSON.parse(content)
    return shownSchema.safeParse(value).success ? (value as PlanDocument) : null
  } catch {
    return null
  }
}
