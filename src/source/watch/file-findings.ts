import { hasOddBritishLength } from '../../domain/value/creditor-identifier.js'
import { isLongAgo } from '../../domain/value/last-collection.js'
import { creditorOf } from '../../domain/mandate/mandate-key.js'
import type { LocalDate } from '../../domain/mandate/mandate.js'
import type { RuleId, SeverityOverrides } from '../../domain/rule/rules.js'
import type { Finding, ReadableValues } from '../../domain/rule/verdict.js'
import { findingOf } from '../source-finding.js'

interface WatchOptions {
  readonly today: LocalDate
  readonly severities: SeverityOverrides
  /** Dates that are suspicious from 10 % of the rows on. */
  readonly fillerDates: readonly string[]
  readonly hasLastCollection: boolean
}

/** Watches the records go by for what only the whole file shows (domain/rulebook.md#file-rules). */
export interface FileWatch {
  /** @param keys what the row calls its customer: the number, and the old key where there is one */
  readonly note: (values: ReadableValues, keys: readonly string[]) => void
  readonly findings: () => readonly Finding[]
}

const MOST_CREDITORS = 1000
/** One finding each; a file with more of them is damaged as a whole. */
const MOST_TOLD = 100
const FEWEST_ROWS_FOR_DATES = 10
const DOMINANT_SHARE = 0.5
const FILLER_SHARE = 0.1

/** Memory is bounded by the calendar up to today and by 1,000 creditors. */
export function watchFile(options: WatchOptions): FileWatch {
  const dates = new Map<LocalDate, number>()
  const creditors = new Set<string>()
  const oddBritish = new Set<string>()
  let rows = 0
  let references = 0
  let allAreCustomers = true
  return {
    note: ({ signedDate, creditorIdentifier, mandateReference }, keys) => {
      rows += 1
      if (signedDate !== null && signedDate <= options.today)
        dates.set(signedDate, (dates.get(signedDate) ?? 0) + 1)
      if (creditorIdentifier !== null && creditors.size < MOST_CREDITORS)
        creditors.add(creditorOf(creditorIdentifier))
      if (
        creditorIdentifier !== null &&
        oddBritish.size < MOST_TOLD &&
        hasOddBritishLength(creditorIdentifier)
      )
        oddBritish.add(creditorIdentifier)
      if (mandateReference === null) return
      references += 1
      allAreCustomers &&= keys.includes(mandateReference)
    },
    findings: () => {
      const report = (rule: RuleId, value: string, detail: string): readonly Finding[] =>
        findingOf(rule, options.severities, { value, detail })
      return [
        ...dominantDates(dates, rows, options.fillerDates).flatMap(([date, count]) =>
          report('FILE_DATE_DOMINANT', date, `${count} of ${rows} rows have ${date}.`),
        ),
        ...(references >= 2 && allAreCustomers
          ? report('FILE_UMR_EQUALS_CUSTOMER', '', `All ${references} of them do.`)
          : []),
        ...(options.hasLastCollection ? [] : unknownDormancy(dates, options.today, report)),
        ...(creditors.size > 1
          ? report('FILE_CI_MIXED', [...creditors].slice(0, 5).join(', '), `It names ${countOf(creditors)}.`)
          : []),
        ...[...oddBritish].flatMap((ci) =>
          report('FILE_CI_LENGTH', ci, `It has ${ci.length} characters, 27 to 30 are usual.`),
        ),
      ]
    },
  }
}

const countOf = (creditors: ReadonlySet<string>): string =>
  creditors.size < MOST_CREDITORS ? `${creditors.size}` : `${MOST_CREDITORS} or more`

function dominantDates(
  dates: ReadonlyMap<LocalDate, number>,
  rows: number,
  fillerDates: readonly string[],
): readonly (readonly [LocalDate, number])[] {
  if (rows < FEWEST_ROWS_FOR_DATES) return []
  return [...dates].filter(([date, count]) => {
    const share = fillerDates.includes(date) ? FILLER_SHARE : DOMINANT_SHARE
    return count >= rows * share
  })
}

function unknownDormancy(
  dates: ReadonlyMap<LocalDate, number>,
  today: LocalDate,
  report: (rule: RuleId, value: string, detail: string) => readonly Finding[],
): readonly Finding[] {
  let rows = 0
  for (const [date, count] of dates) if (isLongAgo(date, today)) rows += count
  return rows === 0
    ? []
    : report('FILE_DORMANCY_UNKNOWN', `${rows}`, `${rows} rows were signed more than 36 months ago.`)
}
