import { basename } from 'node:path'
import { z } from 'zod'
import { PLACE_OF_PART } from '../facts/facts.js'
import { isAsExpected, isBalanced, TOTAL_OF_STATE } from '../../domain/row/row-state.js'
import type { ReportFacts } from '../facts/row-walk.js'
import type { PackFile } from '../pack/pack-folder.js'
import { LANGUAGES, type Language } from '../text/language.js'
import { VERIFICATION_FILE } from './lists.js'
import type { PlanRecord, RunRecord, SourceRecord } from '../../ledger/read/reader.js'
import { VERIFICATION_WORDS } from '../../domain/proof/verification.js'
import { parseJson } from '../../domain/text/text.js'
import { readVersion } from '../../packaged.js'

export const MANIFEST_FILE = 'manifest.json'

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.int().min(0)
const file = z.object({ name: z.string().min(1), bytes: count, sha256: hash })

/** What `verify` needs of a manifest. */
const manifestSchema = z.looseObject({
  schemaVersion: z.literal(1),
  version: z.string(),
  ledger: z.string(),
  ledgerId: z.string(),
  changedAt: z.iso.datetime(),
  changedWhileReading: z.boolean(),
  language: z.enum(LANGUAGES),
  absentAfterMs: z.number(),
  told: z.object({
    company: z.string().nullable(),
    from: z.string().nullable(),
  }),
  totals: z.looseObject({ read: count }),
  decisions: z.object({ count }),
  files: z.array(file),
})

export type Manifest = z.output<typeof manifestSchema>

/** These values of a record, in this order, and no others. */
export const pick =
  <Name extends string>(...names: readonly Name[]) =>
  <Value extends Readonly<Record<Name, unknown>>>(value: Value) =>
    Object.fromEntries(names.map((name) => [name, value[name]])) as Pick<Value, Name>

const canonical = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

interface Written {
  readonly files: readonly PackFile[]
  /** What a report that is written again must be told. */
  readonly language: Language
  readonly absentAfterMs: number
}

/** manifest.json: what belongs to the pack and what it was made from. It cannot list itself. */
export function renderManifest(facts: ReportFacts, { files, language, absentAfterMs }: Written): string {
  return canonical({
    schemaVersion: 1,
    version: readVersion(),
    ledger: facts.ledger,
    ...pick('ledgerId', 'changedAt')(facts.campaign),
    changedWhileReading: facts.changedWhileReading,
    language,
    absentAfterMs,
    told: facts.told,
    campaign: pick('baseUrl', 'username', 'createdAt', 'purgedAt')(facts.campaign),
    ...pick('totals', 'notTaken')(facts),
    plans: plansIn(facts.plans),
    decisions: { count: facts.decisions.total + facts.corrections.total },
    files,
    sources: facts.sources.map(pick('name', 'bytes', 'sha256')),
  })
}

/** Null for what is none. */
export const readManifest = (text: string): Manifest | null =>
  manifestSchema.safeParse(parseJson(text)).data ?? null

/** summary.json: the figures of the pack for programs. */
export const renderSummary = (facts: ReportFacts): string =>
  canonical({
    schemaVersion: 1,
    campaign: {
      ledger: facts.ledger,
      ...pick('ledgerId', 'baseUrl', 'username', 'createdAt', 'changedAt', 'purgedAt')(facts.campaign),
    },
    /** `notTaken`: lines that were given back and could not be taken: the rows they name stay as they were. */
    ...pick('balanced', 'changedWhileReading', 'totals', 'mandates', 'notTaken', 'told')(facts),
    /** Totals of the former provider, each beside the records of its export. */
    expected: facts.expected.map((totals) => ({ ...totals, agrees: isAsExpected(totals) })),
    sources: facts.sources.map(sourceIn),
    plans: plansIn(facts.plans),
    /** Ready rows that the latest run was not told to send; null where it was told to send all. */
    leftByChoice: facts.leftByChoice,
    runs: facts.runs.map(runIn),
    files: rowsOfFiles(facts),
    /** Closed rows that no result file repeats, because feeding them back would undo a decision. */
    inNoFile: { superseded: facts.totals.superseded, writtenOff: facts.totals.writtenOff },
    /** Registered rows by what the service showed; null where nobody asked. */
    verification:
      facts.verification &&
      pick(
        'registered',
        ...VERIFICATION_WORDS,
        'notAsked',
        'firstAt',
        'lastAt',
        'sample',
      )(facts.verification),
    /** How the last export stood to the ledger, by class; null where nobody compared them. */
    cutOver: facts.cutOver,
    asReadBefore: facts.open.asReadBefore,
    distinct: facts.distinct,
    hashTotals: {
      read: facts.hashTotals.read,
      ...Object.fromEntries(
        [...facts.hashTotals.byState].map(([state, totals]) => [TOTAL_OF_STATE[state], totals]),
      ),
    },
    /** So that a third party needs nothing but the pack. */
    definitions: { customerNoSum: 'Sum of customer_no over the rows that have one, in decimal.' },
  })

const sourceIn = ({ totals, ...source }: SourceRecord) => ({
  ...pick('name', 'sha256', 'bytes', 'records', 'resubmitted', 'blankLines', 'admittedAt')(source),
  balanced: isBalanced(totals),
  totals,
})

/** The host says nothing to a program. */
const runIn = ({ id, ...run }: RunRecord) => ({
  run: id,
  ...pick('startedAt', 'startedAs', 'endedAt', 'version', 'asOf', 'zone')(run),
  ...pick('stoppedBy', 'exitCode', 'attempts', 'settings')(run),
})

/** What was planned and who approved it, as programs read it; the runs name the digest of their plan. */
const plansIn = (plans: readonly PlanRecord[]) =>
  plans.map(({ digest, document, approvals }) => ({
    digest,
    ...pick('plannedAt', 'plannedBy', 'plannedAs', 'rows', 'limit')(document),
    approvals: approvals.map(({ id: _, ...approval }) => approval),
  }))

const rowsOfFiles = ({ parts, problems, verification }: ReportFacts) => ({
  [PLACE_OF_PART.registered]: { rows: parts.registered },
  [basename(PLACE_OF_PART.refused)]: { rows: parts.refused },
  [basename(PLACE_OF_PART.corrections)]: { rows: parts.corrections },
  [basename(PLACE_OF_PART.inDoubt)]: { rows: parts.inDoubt },
  [basename(PLACE_OF_PART.notSent)]: { rows: parts.notSent },
  'problems.csv': { rows: problems },
  ...(verification === null
    ? {}
    : { [VERIFICATION_FILE]: { rows: verification.registered - verification.notAsked } }),
})
