/** The public API, every export by name. The command line uses nothing else. */

// What a mandate, a verdict, an outcome, a state are.
export type { Clock } from './domain/text/clock.js'
export { checkCreditorIdentifier } from './domain/value/creditor-identifier.js'
export { checkCustomerNo } from './domain/value/customer-no.js'
export { checkIban } from './domain/value/iban.js'
export { checkMandate, type CheckOptions, type RawValues } from './domain/value/check-mandate.js'
export { checkMandateReference } from './domain/value/mandate-reference.js'
export { checkSignedDate } from './domain/value/signed-date.js'
export { parseLocalDate, todayIn } from './domain/mandate/local-date.js'
export type {
  AssignedIdentity,
  CreditorIdentifier,
  Field,
  Iban,
  LocalDate,
  Mandate,
  MandateIdentity,
  MandateReference,
} from './domain/mandate/mandate.js'
export { mandateKey } from './domain/mandate/mandate-key.js'
export { isAccountColumn, maskNumbers } from './domain/text/account-columns.js'
export { escapedJson, oneLine, plainLines } from './domain/text/plain-text.js'
export { maskAccounts, maskIban } from './domain/text/masking.js'
export type { Evidence, Halt, Outcome, OutcomeKind } from './domain/row/outcome.js'
export { ROW_STATES, type RowState } from './domain/row/row-state.js'
export { STILL_NOT_SENT } from './domain/rule/finding.js'
export { isRuleId, RULES, type RuleId, type Severity, type SeverityOverrides } from './domain/rule/rules.js'
export { isBalanced, TOTAL_OF_STATE, totalsOf, type Totals } from './domain/row/totals.js'
export { countText, durationText, plural } from './domain/text/wording.js'
export type { SourceReading } from './domain/rule/source-reading.js'
export type { CheckedRecord, Finding, SourceSummary, Verdict } from './domain/rule/verdict.js'

// Whom to trust with a file.
export { distrustInstructions, distrustSecret, type Distrust } from './trust/entry.js'

// What stops a run.
export { requireDriver } from './driver.js'
export { HaltError, LedgerError, SourceError, UsageError } from './errors.js'

// The service: a typed client for all three operations.
export type { BillogramRequest } from './contract/billogram.js'
export type { OfferRequest } from './contract/offer.js'
export { readBaseUrl, type BaseUrl } from './service/base-url.js'
export { createClient, type ClientOptions, type SendOptions, type ServiceClient } from './service/client.js'
export { readProxy } from './service/connections.js'
export { refuseUnverifiedTls } from './service/environment.js'
export { createStatusTable, type StatusTable } from './service/status-table.js'

// Sources: files of any shape as checked records.
export { draftConfiguration } from './source/guess/init.js'
export { inspectSource, type Inspection } from './source/guess/inspect.js'
export type { SourceInput } from './source/bytes/input.js'
export { DEFAULT_SOURCE_OPTIONS, sourceSections, type SourceOptions } from './source/options.js'
export { openSource, type OpenedSource } from './source/read-source.js'

// The ledger.
export type {
  AdoptionReport,
  Attempt,
  Claims,
  Ledger,
  ReadyRow,
  Resolution,
  ResolutionReport,
} from './ledger/ledger.js'
export { openLedger } from './ledger/file/open-ledger.js'
export { distrustLedgerFolder } from './ledger/safety/side-files.js'
export { openLedgerReader } from './ledger/read/open-reader.js'
export { ledgerFiles, noteWritten, readWritten } from './ledger/safety/written-files.js'
export type { LedgerOptions } from './ledger/file/writer.js'
export type { AttemptRecord, LedgerReader, RowRecord } from './ledger/read/reader.js'
export { openScratchCopy, openScratchLedger, type ScratchLedger } from './ledger/file/scratch.js'

// What is written, and where.
export { assertTrustedOutput, openTrusted } from './trust/output.js'

// The pipeline.
export { admitSources, type AdmittedSource, type OpenNext } from './run/admit-sources.js'
export {
  olderThanRegister,
  openRegister,
  type Register,
  type RegisterOptions,
} from './register/campaign-register.js'
export { reconcile, type Difference, type Reconciliation } from './decisions/reconcile.js'
export { runCampaign, type CampaignEnd, type CampaignParts, type Plan } from './run/campaign.js'
export type { After, DeliveryEvent, DeliveryPolicy, Send } from './run/deliver.js'
export { exitStatusOf } from './run/exit-status.js'
export { sourceOpeners } from './run/open-sources.js'
export { readDecision, readDecisions } from './decisions/read-decisions.js'
export type { Stop } from './run/stop.js'

// The reconciliation pack.
export { PACK_FILES, writeProblems, writeReport, type ReportResult } from './report/pack/pack.js'
export { problemPages } from './report/facts/pages.js'
export { findPack } from './report/pack/earlier-pack.js'
export { findResultFiles, removeLeftovers } from './report/pack/remains.js'

// The local stand-in of the service.
export { parseFaults } from './sandbox/faults/faults.js'
export { startSandbox, type Sandbox } from './sandbox/sandbox.js'
export type { SandboxOptions } from './sandbox/settings.js'
