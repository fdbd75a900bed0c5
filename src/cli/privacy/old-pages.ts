import type { Ledger } from '../../ledger/ledger.js'

/**
 * Told once a ledger was closed that had accounts removed: a program that reads it (a viewer, a backup) keeps the
 * write-ahead log from being emptied. Opening it for writing and closing it again finishes that.
 */
export const oldPages = (ledger: Pick<Ledger, 'holdsOldPages' | 'file'>): string[] =>
  ledger.holdsOldPages()
    ? [
        `Another program is reading the ledger, so account numbers of registered rows may still stand in "${ledger.file}-wal". ` +
          'Close that program, then finish with: sepa-migrate run --no-report   (sends nothing where nothing is ready)',
      ]
    : []
