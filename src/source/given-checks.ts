import { parseLocalDate } from '../domain/mandate/date.js'
import { RULES, type SeverityOverrides } from '../domain/rule/verdict.js'
import { CHECK_OPTIONS, type CheckOptions } from '../domain/value/check-mandate.js'
import { assertKind, assertKnown, onlyKnown, UsageError } from '../errors.js'

/** For programs without types. @throws {UsageError} for a rule or severity that does not exist */
export function assertSeverities(given: SeverityOverrides): void {
  assertKind('the severities', given, 'object')
  assertKnown('There is no rule', Object.keys(given), Object.keys(RULES))
  assertKnown('There is no severity', Object.values(given), ['error', 'warning', 'off'])
}

/** @throws {UsageError} for what is no day */
export function assertDay(today: unknown): void {
  if (typeof today !== 'string' || parseLocalDate(today) === null)
    throw new UsageError(
      'Cannot use today: it is not a calendar date',
      'Give the day as YYYY-MM-DD, or todayIn(zone, Date.now())',
    )
}

/** For programs without types. @param more names of further options @throws {UsageError} for an option that cannot be used */
export function assertChecks(
  of: string,
  options: Pick<CheckOptions, 'today' | 'severities'>,
  more = '',
): void {
  onlyKnown(of, options, `${CHECK_OPTIONS}${more}`)
  assertDay(options.today)
  assertSeverities(options.severities)
}
