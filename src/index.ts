/**
 * What another program needs, every export by name; help/library.md has an example for each group. The command line is a
 * caller like any other: `run` calls `migrate`, and what it shows it takes from the rooms.
 */

import * as checks from './domain/value/check-mandate.js'
import { checkIban as ibanOf } from './domain/value/identifiers.js'
import * as identifiers from './domain/value/identifiers.js'
import { DATE_FORMATS, todayIn as dayIn } from './domain/mandate/date.js'
import type { SeverityOverrides } from './domain/rule/verdict.js'
import { assertChecks, assertDay, assertSeverities } from './source/read-source.js'
import { maskIban as masked } from './domain/text/accounts.js'
import { OPTIONAL_FIELDS, REQUIRED_FIELDS } from './domain/mandate/mandate.js'
import { assertKind, assertKnown, onlyKnown, UsageError } from './errors.js'

// The main job.
export { migrate } from './migrate/migrate.js'
export type { MigrateOptions, Migration, MigrationEvent, MigrationPlan } from './migrate/options.js'
export type { Stop } from './run/brake.js'
export { HaltError, LedgerError, SourceError, UsageError } from './errors.js'

// One value, or one mandate: for programs without types, what is no text or no severity is a UsageError.
function assertValue(text: string, severities: SeverityOverrides = {}): void {
  assertKind('the value', text, 'text')
  assertSeverities(severities)
}
const assertFormats = (formats: readonly unknown[]): void =>
  assertKnown('There is no format', formats, [...DATE_FORMATS, 'unsettled'])
export const checkCreditorIdentifier: typeof identifiers.checkCreditorIdentifier = (
  text,
  settings,
  severities,
) => {
  assertValue(text, severities)
  if (settings !== undefined) onlyKnown('checkCreditorIdentifier', settings, 'constant:text assigned:text')
  return identifiers.checkCreditorIdentifier(text, settings, severities)
}
/** A check that refuses what it cannot take. */
const asserting =
  <Checked>(check: (text: string, severities?: SeverityOverrides) => Checked): typeof check =>
  (text, severities) => {
    assertValue(text, severities)
    return check(text, severities)
  }
export const checkCustomerNo = asserting(identifiers.checkCustomerNo)
export const checkMandateReference = asserting(identifiers.checkMandateReference)
export const checkIban = asserting(ibanOf)
export const checkSignedDate: typeof checks.checkSignedDate = (text, format, today, severities, times) => {
  assertValue(text, severities)
  assertFormats([format])
  assertDay(today)
  return checks.checkSignedDate(text, format, today, severities, times)
}
export const usualChecks: typeof checks.usualChecks = (today) => {
  assertDay(today)
  return checks.usualChecks(today)
}
export type { CheckOptions, RawValues } from './domain/value/check-mandate.js'
/** Everything that can be said about one record on its own. @throws {UsageError} for an option that it does not know */
export const checkMandate: typeof checks.checkMandate = (raw, options, given) => {
  assertChecks('checkMandate', options)
  assertFormats([options.signedDateFormat, options.lastCollectionFormat])
  const known = [...REQUIRED_FIELDS, ...OPTIONAL_FIELDS].map((field) => `${field}:text`)
  onlyKnown('the mandate', raw, known.join(' '))
  for (const field of REQUIRED_FIELDS)
    if (raw[field] !== null) assertKind(`${field} of the mandate`, raw[field], 'text')
  return checks.checkMandate(raw, options, given)
}
export { parseLocalDate } from './domain/mandate/date.js'
/** The day that it is there. @throws {UsageError} for a zone that this machine does not know */
export const todayIn: typeof dayIn = (zone, nowMs) => {
  try {
    return dayIn(zone, nowMs)
  } catch (cause) {
    throw new UsageError(
      'Cannot tell the day: time zone or time cannot be',
      'Give an IANA name such as Europe/Berlin, and Date.now()',
      { cause },
    )
  }
}
export const maskIban: typeof masked = (iban) => {
  assertValue(iban)
  return masked(iban)
}
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
export type { BillogramAnswer, OfferAnswer, SourcesSeen } from './service/classify.js'
export type { MandateTotals, Outcome, RowState, Totals } from './domain/row/row-state.js'

// What the service calls back with: each function is pure, and throws nothing.
export { verifyCallback } from './contract/callback.js'
export { readCallback, type Callback } from './contract/callback.js'

// A ledger, and the report on it.
export { openLedgerReader, type LedgerReader } from './ledger/read/open-reader.js'
export type { RowRecord } from './ledger/read/reader.js'
export { writeReport, type ReportOptions, type ReportResult } from './report/pack/pack.js'

// The local simulator of the service.
export { startSandbox, type Sandbox } from './sandbox/sandbox.js'
export type { SandboxOptions } from './sandbox/settings.js'
export type { FaultRuleInput } from './sandbox/faults.js'
