import { fold } from '../text/text.js'

/** With a crosswalk, the column of customer_no holds another number: the previous creditor's key. */
export const OLD_KEY = 'old key'

/** What a source says of its columns. */
export interface ListedColumns {
  readonly header: readonly string[]
  /** The header name that feeds each field. */
  readonly columns: Readonly<Record<string, string>>
  readonly reading: { readonly crosswalk?: object | null }
}

/** Where the cells of a source stand in our lists: for each its column, and the column of each field. */
export interface ListPlacement {
  readonly target: readonly number[]
  readonly fields: ReadonlyMap<string, number>
}

export const hasCrosswalk = ({ reading }: Pick<ListedColumns, 'reading'>): boolean =>
  (reading.crosswalk ?? null) !== null

/**
 * The columns of all sources side by side, in order of first appearance, so that rows of different exports fit into one list.
 * Columns are one where they have the same folded name, since a source may be read in several ways; else where they feed the
 * same field.
 */
export function placeColumns<Source extends ListedColumns>(sources: readonly Source[]) {
  const names: string[] = []
  const [byName, byField] = [new Map<string, number>(), new Map<string, number>()]
  const placements = new Map<Source, ListPlacement>()
  for (const source of sources) {
    const fieldOf = fieldsByName(source)
    const seen = new Map<string, number>()
    const keys = source.header.map((name) => {
      const nth = seen.get(fold(name)) ?? 0
      seen.set(fold(name), nth + 1)
      return JSON.stringify([fold(name), nth])
    })
    const taken = new Set(keys.flatMap((key) => byName.get(key) ?? []))
    const fields = new Map<string, number>()
    const target = source.header.map((name, index) => {
      const key = keys[index] ?? ''
      const field = source.header.indexOf(name) === index ? fieldOf.get(name) : undefined
      const ofField = field === undefined ? undefined : byField.get(field)
      const known = byName.get(key) ?? (ofField !== undefined && !taken.has(ofField) ? ofField : undefined)
      const column = known ?? names.push(name) - 1
      if (known === undefined) byName.set(key, column)
      taken.add(column)
      if (field !== undefined) {
        fields.set(field, column)
        if (!byField.has(field)) byField.set(field, column)
      }
      return column
    })
    placements.set(source, { target, fields })
  }
  return { names, placements }
}

function fieldsByName(source: ListedColumns): Map<string, string> {
  const fieldOf = (field: string): string =>
    field === 'customer_no' && hasCrosswalk(source) ? OLD_KEY : field
  return new Map(Object.entries(source.columns).map(([field, name]) => [name, fieldOf(field)]))
}

/** By its name in the sources that were read so, as it is and folded: what each of their columns is called in our lists. */
export const namesInLists = <Source extends ListedColumns>(
  sources: readonly Source[],
  isSuch: (source: Source) => boolean,
): ReadonlyMap<string, string> => {
  const { names, placements } = placeColumns(sources)
  const such = [...placements].filter(([source]) => isSuch(source))
  return new Map(
    such.flatMap(([{ header }, { target }]) =>
      header.flatMap((name, index) => {
        const listed = names[target[index] ?? -1] ?? name
        return [[name, listed] as const, [fold(name), listed] as const]
      }),
    ),
  )
}

/** The column in which a person says which customer a mandate belongs to: it wins over a crosswalk. */
export const CUSTOMER_COLUMN = 'migration_customer_no'

/**
 * How a file names its ledger: never a number, which a spreadsheet would round. A list says behind it which older copy was
 * adopted last, since row numbers are given again from there, and what it knows of: the latest comparison and problem.
 */
export const ledgerMark = ({
  ledgerId,
  adoption,
  comparison,
  problem,
}: { readonly ledgerId: string; readonly adoption?: string | null | undefined } & Partial<
  Readonly<Record<'comparison' | 'problem', number | null>>
>): string =>
  `L-${ledgerId}${adoption == null ? '' : `-${adoption}`}${problem === undefined ? '' : `-${comparison ?? 0}-${problem ?? 0}`}`

/** What a mark says, as a spreadsheet or a person may have left it. */
export function readMark(mark: string) {
  const [, ledger = mark, comparison = '0', problem = '0'] =
    /^\s*(L-[0-9a-f]{16}(?:-[0-9a-f]{10})?)-(\d{1,9})-(\d{1,9})\s*$/iu.exec(mark) ?? []
  return { ledger: fold(ledger), comparison: Number(comparison), problem: Number(problem) }
}

const WORDS = {
  migration_message: 'What is wrong',
  migration_remedy: 'What to do',
  [CUSTOMER_COLUMN]: 'Customer number (over the crosswalk)',
  migration_decision: 'Your decision',
  migration_reason: 'Your reason',
  migration_by: 'Your name',
  migration_assigned_creditor_identifier: 'New creditor identifier',
  migration_assigned_mandate_reference: 'New mandate reference',
  migration_sent_at: 'Request sent at',
  migration_sent_ago: 'How long ago',
  migration_resend_from: 'Resend possible from',
  migration_request_id: 'Request id',
  migration_proposal: 'Proposed decision',
  migration_proposal_evidence: 'What speaks for it',
  migration_class: 'Final export',
  migration_change: 'What changed',
  migration_action: 'What to do at the service',
  iban_masked: 'Account',
  assigned_creditor_identifier: 'Creditor identifier now',
  assigned_mandate_reference: 'Mandate reference now',
  payment_sources: 'Payment sources',
}

/** What the sheets to work in call the columns of this program, in every language: they are read again. */
export const HEADINGS: ReadonlyMap<string, string> = new Map(Object.entries(WORDS))

/** The words of `migration_decision` that each list offers. */
export const DECISION_WORDS = {
  inDoubt: ['registered', 'refused', 'resend', 'written-off'],
  corrections: ['send', 'written-off'],
  // All that were refused are sent again by `run --retry-refused`.
  refused: ['written-off'],
  cutOver: ['done', 'written-off'],
} as const

/** The word of a list to correct in that a run reads with the line: this row is right as it stands. */
export const FOR_RUN = 'send'
