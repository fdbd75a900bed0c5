/**
 * What another program needs, every export by name; help/library.md has an example for each group. The command line is a
 * caller like any other: `run` calls `migrate`, and what it shows it takes from the rooms.
 */

import { CHECK_OPTIONS, checkMandate as checkRecord } from './domain/value/check-mandate.js'
import { onlyKnown } from './errors.js'

// The main job.
export { migrate } from './migrate/migrate.js'
export type { MigrateOptions, Migration, MigrationEvent, MigrationPlan } from './migrate/options.js'
export type { Resolution } from './ledger/ledger.js'
export type { Stop } from './run/brake.js'
export { HaltError, LedgerError, SourceError, UsageError } from './errors.js'

// One value, or one mandate.
export { checkCreditorIdentifier, checkCustomerNo } from './domain/value/identifiers.js'
export { checkMandateReference } from './domain/value/identifiers.js'
export { checkIban } from './domain/value/iban.js'
export { checkSignedDate, usualChecks, type CheckOptions } from './domain/value/check-mandate.js'
export type { RawValues } from './domain/value/check-mandate.js'
/** Everything that can be said about one record on its own. @throws {UsageError} for an option that it does not know */
export const checkMandate: typeof checkRecord = (raw, options, given) =>
  checkRecord(raw, onlyKnown('checkMandate', options, CHECK_OPTIONS), given)
export { parseLocalDate, todayIn } from './domain/mandate/date.js'
export { maskIban } from './domain/text/masking.js'
export type { AssignedIdentity, Mandate } from './domain/mandate/mandate.js'
export type { CheckedRecord, Finding, SeverityOverrides, Verdict } from './domain/rule/verdict.js'

// An export of any shape, as checked records.
export { openSource, type OpenedSource } from './source/read-source.js'
export { readSourceOptions, type SourceOptions, type SourceOptionsInput } from './source/options.js'
export type { SourceInput } from './source/bytes/input.js'

// The service: a typed client for all three operations.
export { connectService } from './migrate/migrate.js'
export type { Credentials, ServiceOptions } from './service/checked-service.js'
export type { SendOptions, ServiceClient } from './service/client.js'
export type { BillogramRequest, OfferRequest } from './contract/billogram.js'
export type { BillogramAnswer, OfferAnswer } from './service/classify.js'
export type { MandateTotals, Outcome, RowState, Totals } from './domain/row/row-state.js'

// What the service calls back with: each function is pure, and throws nothing.
export { verifyCallback } from './service/callback.js'
export { readCallback, type Callback } from './contract/callback.js'

// A ledger, and the report on it.
export { openLedgerReader, type LedgerReader } from './ledger/read/open-reader.js'
export type { RowRecord } from './ledger/read/reader.js'
export { writeReport, type ReportOptions, type ReportResult } from './report/pack/pack.js'

// The local simulator of the service.
export { startSandbox, type Sandbox } from './sandbox/sandbox.js'
export type { SandboxOptions } from './sandbox/settings.js'
export type { FaultRuleInput } from './sandbox/faults/faults.js'
