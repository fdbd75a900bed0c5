import { contradictedIn, verificationOf, type Verification } from '../../domain/proof/verification.js'
import type { Totals } from '../../domain/row/totals.js'
import type { LedgerReader } from '../../ledger/read/reader.js'
import { exitStatusOf, SOME_LEFT, type Stop } from '../../run/stop.js'

const IN_DOUBT = 4
const STOPPED = 5

/** Null where nobody asked about a registered row; then none is counted. */
export function verificationIn(
  reader: Pick<LedgerReader, 'totals' | 'verificationCounts'>,
): Verification | null {
  const counts = reader.verificationCounts()
  return counts.length === 0 ? null : verificationOf(reader.totals().registered, counts)
}

/** The status of the campaign as it stands; what the service contradicts is as open as a doubt. */
export function standingWith(
  verification: Verification | null,
  totals: Totals,
  stop: Stop | null = null,
  signalStatus: number | null = null,
): number {
  const standing = exitStatusOf(totals, stop, signalStatus)
  if (standing !== 0 && standing !== SOME_LEFT && standing !== STOPPED) return standing
  if (verification !== null && contradictedIn(verification) > 0) return IN_DOUBT
  return stop === null ? standing : STOPPED
}
