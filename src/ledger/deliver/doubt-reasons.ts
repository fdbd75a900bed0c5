import type { Doubting } from '../ledger.js'

/** What the attempt of a row says that became in doubt without having left. */
export const DOUBT_REASONS: Readonly<Record<Doubting['decision'], string>> = {
  older_copy: 'An older copy of the ledger was put back: this row may have been sent since it was made',
  another_ledger: 'Another ledger of yours began to send this one',
  all_in_doubt: 'Nobody knows what was sent before this ledger was made: this row may have been',
}
