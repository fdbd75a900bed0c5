import { fold } from '../text/text.js'

/** The column in which a person says which customer a mandate belongs to: it wins over a crosswalk. */
export const CUSTOMER_COLUMN = 'migration_customer_no'

/**
 * How a file names its ledger: never a number, which a spreadsheet would round. A list says behind it what it knows of: the
 * latest comparison, and the latest problem.
 */
export const ledgerMark = ({
  ledgerId,
  comparison,
  problem,
}: { readonly ledgerId: string } & Partial<Known>): string =>
  `L-${ledgerId}${problem === undefined ? '' : `-${comparison ?? 0}-${problem ?? 0}`}`

type Known = Readonly<Record<'comparison' | 'problem', number | null>>

/** What a mark says, as a spreadsheet or a person may have left it. */
export function readMark(mark: string) {
  const [, ledger = mark, comparison = '0', problem = '0'] =
    /^\s*(L-[0-9a-f]{16})-(\d{1,9})-(\d{1,9})\s*$/iu.exec(mark) ?? []
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
