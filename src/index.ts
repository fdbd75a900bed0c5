/**
 * What another program needs, every export by name; help/library.md has an example for each group. The command line is a
 * caller like any other: `run` calls `migrate`, and what it shows it takes from the rooms.
 */

import * as checks from './domain/value/check-mandate.js'
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
const assertText = (text: unknown): void => assertKind('the value', text, 'text')
const assertGiven = (severities: SeverityOverrides = {}): void => assertSeverities(severities)
const assertCreditors = (settings: object = {}): object =>
  onlyKnown('checkCreditorIdentifier', settings, 'constant:text assigned:text')
const assertFormat = (format: unknown): void =>
  assertKnown('There is no format', format, [...DATE_FORMATS, 'unsettled'])
/** A check that refuses what it cannot take, value by value. */
const asserting =
  <Given extends unknown[], Result>(
    check: (...given: Given) => Result,
    ...asserts: readonly ((value: never) => unknown)[]
  ) =>
  (...given: Given): Result => {
    for (const [at, assert] of asserts.entries()) assert(given[at] as never)
    return check(...given)
  }
export const checkCreditorIdentifier: typeof identifiers.checkCreditorIdentifier = asserting(
  identifiers.checkCreditorIdentifier,
  assertText,
  assertCreditors,
  assertGiven,
)
export const checkCustomerNo = asserting(identifiers.checkCustomerNo, assertText, assertGiven)
export const checkMandateReference = asserting(identifiers.checkMandateReference, assertText, assertGiven)
export const checkIban = asserting(identifiers.checkIban, assertText, assertGiven)
export const checkSignedDate = asserting(
  checks.checkSignedDate,
  assertText,
  assertFormat,
  assertDay,
  assertGiven,
)
export const usualChecks = asserting(checks.usualChecks, assertDay)
export type { CheckOptions, RawValues } from './domain/value/check-mandate.js'
/** Everything that can be said about one record on its own. @throws {UsageError} for an option that it does not know */
export const checkMandate: typeof checks.checkMandate = (raw, options, given) => {
  assertChecks('checkMandate', options)
  assertFormat([options.signedDateFormat, options.lastCollectionFormat])
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
export const maskIban = asserting(masked, assertText)
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
