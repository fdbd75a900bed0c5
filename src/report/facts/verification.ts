import { fold } from '../../domain/proof/match-sources.js'
import type { KeptSource } from '../../domain/proof/evidence.js'
import { VERIFIED_VERDICTS, verificationOf } from '../../domain/proof/verification.js'
import type { VerifiedRow } from '../../ledger/read/reader.js'
import { maskedText } from '../page/plain-text.js'
import { en, type Texts } from '../text/en.js'
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

/** What was seen of a row, and what a person may do about it. */
export function explainVerified(row: VerifiedRow, { seen }: Texts = en): string {
  switch (row.verdict) {
    case 'absent':
      return seen.absent
    case 'twice':
      return `${row.sources.length > 1 ? seen.times(row.sources.length) : seen.moreThanOnce} ${doubleText(row, seen)}`
    case 'other':
      return differenceText(row, seen)
    case 'unreadable':
      return seen.unreadable(maskedText(row.why ?? seen.noList))
    case 'proven':
      return ''
  }
}

function doubleText(row: VerifiedRow, seen: Texts['seen']): string {
  const own = ownOf(row)
  if (own === null || row.cancellable.length === 0) return seen.cannotTell
  return seen.mayBeCancelled(own.id ?? seen.withoutId, row.cancellable.join(', '))
}

/** The one with the reference that the ledger has. */
const ownOf = ({ sources, assignedMandateReference }: VerifiedRow): KeptSource | null =>
  sources.find(({ reference }) => reference !== null && fold(reference) === fold(assignedMandateReference)) ??
  null

function differenceText(row: VerifiedRow, seen: Texts['seen']): string {
  const own = ownOf(row)
  if (row.why === 'ended')
    return seen.ended(maskedText(own?.status ?? row.sources[0]?.status ?? seen.noStatus))
  if (row.why === 'ambiguous') return seen.ambiguous
  if (own === null) return seen.noneOfThem
  const of = (account: string | null, date: string | null): string =>
    seen.accountAndDate(account ?? seen.unknown, date ?? seen.unknown)
  return seen.differs(of(own.accountMasked, own.signedDate), of(row.ibanMasked, row.signedDate))
}
