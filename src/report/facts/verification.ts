import { foldReference } from '../../domain/proof/match-sources.js'
import type { KeptSource } from '../../domain/proof/evidence.js'
import { VERIFIED_VERDICTS, verificationOf } from '../../domain/proof/verification.js'
import type { VerifiedRow } from '../../ledger/read/reader.js'
import { maskedText } from '../page/plain-text.js'
import { cappedList } from './capped-list.js'
import type { ReportFacts, VerificationFacts } from './facts.js'
import { verifiedPages, type ReportedLedger } from './pages.js'

/** Takes the rows for the file; `drain` comes after every page. */
export interface VerifiedFile {
  readonly verified: (row: VerifiedRow) => void
  readonly drain: () => Promise<void>
}

/**
 * Hands every registered row that was read back to the file, what is not proven first, and returns what the pages
 * show; null where nobody asked.
 * @param totals of the rows that were walked over
 * @param longest how many rows that are not proven are kept for the pages
 */
export async function walkVerification(
  reader: ReportedLedger,
  { registered }: ReportFacts['totals'],
  { verified, drain }: VerifiedFile,
  { longest, signal }: { readonly longest: number; readonly signal: AbortSignal | undefined },
): Promise<VerificationFacts | null> {
  const counts = reader.verificationCounts()
  const verification = verificationOf(registered, counts)
  if (verification === null) return null
  const unproven = cappedList<VerifiedRow>(longest)
  for (const verdict of VERIFIED_VERDICTS.filter((each) => counts.some((count) => count.verdict === each)))
    for (const page of verifiedPages(reader, verdict)) {
      signal?.throwIfAborted()
      for (const row of page) {
        if (verdict !== 'proven') unproven.add(row)
        verified(row)
      }
      await drain()
    }
  return { ...verification, sample: reader.latestSample(), unproven: unproven.result() }
}

/** What was seen of a row, and what a person may do about it; English in every language. */
export function explainVerified(row: VerifiedRow): string {
  switch (row.verdict) {
    case 'absent':
      return 'The service shows no payment source of this customer. Ask it: the mandate may have been cancelled, or shows late.'
    case 'twice':
      return `The service shows this mandate ${row.sources.length > 1 ? `${row.sources.length} times` : 'more than once'}. ${doubleText(row)}`
    case 'other':
      return differenceText(row)
    case 'unreadable':
      return `It could not be compared, so it is not proven: ${maskedText(row.why ?? 'no list came')}.`
    case 'proven':
      return ''
  }
}

function doubleText(row: VerifiedRow): string {
  const own = ownOf(row)
  if (own === null || row.cancellable.length === 0)
    return 'Which of them may be cancelled cannot be told here: look them up at the service.'
  return `${own.id ?? 'One without an id'} is the one of this ledger; a person may cancel ${row.cancellable.join(', ')}.`
}

/** The one with the reference that the ledger has. */
const ownOf = ({ sources, assignedMandateReference }: VerifiedRow): KeptSource | null =>
  sources.find(
    ({ reference }) =>
      reference !== null && foldReference(reference) === foldReference(assignedMandateReference),
  ) ?? null

function differenceText(row: VerifiedRow): string {
  const own = ownOf(row)
  if (row.why === 'ended')
    return `The service shows this mandate as ended (${maskedText(own?.status ?? row.sources[0]?.status ?? 'no status')}).`
  if (row.why === 'ambiguous')
    return 'Another row of this customer has the same account and date, and no reference tells them apart.'
  if (own === null)
    return 'The service shows payment sources of this customer, and none with account, date and reference of this mandate.'
  const of = (account: string | null, date: string | null): string =>
    `account ${account ?? 'unknown'}, signed ${date ?? 'unknown'}`
  return `The service shows it with ${of(own.accountMasked, own.signedDate)}; the ledger has ${of(row.ibanMasked, row.signedDate)}.`
}
