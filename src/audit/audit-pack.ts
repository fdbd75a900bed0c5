import { gatherDiscrepancies, type Discrepancy, type Tell } from './discrepancies.js'
import { compareWithLedger, type LedgerStanding } from './beside-ledger.js'
import { openPack, type Beside, type Pack } from './pack.js'
import {
  checkBalance,
  checkFiles,
  checkHashTotalParts,
  checkLedgerId,
  checkManifestDigest,
  checkManifestForm,
  checkSignature,
  type SignatureState,
} from './pack-itself.js'
import { checkChain, checkLists, checkRegistered } from './pack-lists.js'

export interface Audit {
  readonly discrepancies: readonly Discrepancy[]
  /** How many there are, also those that are not listed. */
  readonly count: number
  /** Null where the manifest has no longer the form of one. */
  readonly ledgerId: string | null
  readonly changedAt: string | null
  readonly files: number
  /** Records of the exports. */
  readonly rows: number
  readonly decisions: number
  readonly signature: SignatureState
  /** Null where no ledger was given. */
  readonly ledger: LedgerStanding | null
  /** Files in the folder that are none of the pack: they are left alone. */
  readonly others: readonly string[]
}

type Check = (pack: Pack, tell: Tell) => void | Promise<void>

/** Each finds what no other one does: a test takes them away one by one. */
export const CHECKS: Readonly<Record<string, Check>> = {
  manifestForm: checkManifestForm,
  manifestDigest: checkManifestDigest,
  ledgerId: checkLedgerId,
  files: checkFiles,
  balance: checkBalance,
  lists: checkLists,
  hashTotals: checkHashTotalParts,
  registered: checkRegistered,
  chain: checkChain,
}

/**
 * Computes again whatever a pack says of itself. It keeps no list in memory, however many rows there are.
 * @throws {SourceError} where there is no pack that can be read
 * @throws {LedgerError} where the ledger cannot be read
 */
export async function auditPack(
  folder: string,
  { key, ledger }: Beside,
  checks: Readonly<Record<string, Check>> = CHECKS,
): Promise<Audit> {
  const pack = await openPack(folder)
  const { tell, list, count } = gatherDiscrepancies()
  for (const check of Object.values(checks)) await check(pack, tell)
  const signature = checkSignature(pack, key, tell)
  const standing = ledger === null ? null : await compareWithLedger(pack, ledger, tell)
  const { manifest, files, others } = pack
  return {
    discrepancies: list(),
    count: count(),
    ledgerId: manifest?.ledgerId ?? null,
    changedAt: manifest?.changedAt ?? null,
    files: files.length,
    rows: manifest?.totals['read'] ?? 0,
    decisions: manifest?.decisions.count ?? 0,
    signature,
    ledger: standing,
    others,
  }
}
