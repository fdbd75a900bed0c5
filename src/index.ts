/**
 * What another program needs, every export by name; help/library.md has an example for each group. The command line is a
 * caller like any other: `run` calls `migrate`, and what it shows it takes from the rooms.
 */

// The main job.
export { migrate } from './migrate/migrate.js'
export type { MigrateOptions, Migration, MigrationEvent, MigrationPlan } from './migrate/options.js'
export type { Totals } from './domain/row/row-state.js'
export type { Stop } from './run/brake.js'
export { HaltError, LedgerError, SourceError, UsageError, type Suggestion } from './errors.js'

// One value, or one mandate.
export { checkCreditorIdentifier } from './domain/value/identifiers.js'
export { checkCustomerNo } from './domain/value/identifiers.js'
export { checkIban } from './domain/value/iban.js'
export { checkMandate, usualChecks } from './domain/value/check-mandate.js'
export { checkMandateReference } from './domain/value/identifiers.js'
export { checkSignedDate } from './domain/value/check-mandate.js'
export { parseLocalDate, todayIn } from './domain/mandate/date.js'
export { maskIban } from './domain/text/masking.js'
export type { SeverityOverrides } from './domain/rule/verdict.js'
export type { Mandate } from './domain/mandate/mandate.js'
export type { CheckedRecord, Finding, Verdict } from './domain/rule/verdict.js'

// An export of any shape, as checked records.
export { openSource } from './source/read-source.js'
export { readSourceOptions } from './source/options.js'
export type { SourceInput } from './source/bytes/input.js'

// The service: a typed client for all three operations.
export { connectService } from './migrate/migrate.js'
export type { ServiceOptions } from './service/checked-service.js'
export type { ServiceClient } from './service/client.js'
export type { BillogramRequest } from './contract/billogram.js'
export type { OfferRequest } from './contract/billogram.js'
export type { BillogramAnswer, OfferAnswer } from './service/classify.js'
export type { AssignedIdentity } from './domain/mandate/mandate.js'
export type { Outcome } from './domain/row/row-state.js'

// What the service calls back with: each function is pure, and throws nothing.
export { verifyCallback } from './service/callback.js'
export { readCallback, type Callback } from './contract/callback.js'

// A ledger, and the report on it.
export { openLedgerReader, type LedgerReader } from './ledger/read/open-reader.js'
export type { RowRecord } from './ledger/read/reader.js'
export { writeReport } from './report/pack/pack.js'

// The local simulator of the service.
export { startSandbox, type Sandbox } from './sandbox/sandbox.js'
export type { SandboxOptions } from './sandbox/settings.js'
