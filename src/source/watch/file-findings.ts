import { hasOddBritishLength, creditorOf } from '../../domain/value/identifiers.js'
import type { LocalDate } from '../../domain/mandate/mandate.js'
import type { RuleId, SeverityOverrides } from '../../domain/rule/rules.js'
import type { Finding, ReadableValues } from '../../domain/rule/verdict.js'
import { findingOf } from '../source-finding.js'
import { isLongAgo } from '../../domain/value/check-mandate.js'

interface WatchOptions {
  readonly today: LocalDate
  readonly severities: SeverityOverrides
  /** Dates that are suspicious from 10 % of the rows on. */
  readonly fillerDates: readonly string[]
  readonly hasLastCollection: boolean
}

/** Watches the records go by for what only the whole file shows (domain/rulebook.md#file-rules). */
export interface FileWatch {
  /**
   * @param oldKey what the row called its customer, where there is a crosswalk
   * @param order grows with every record of the file
   */
  readonly note: (values: ReadableValues, oldKey: string | null, order: number) => void
  readonly findings: () => readonly Finding[]
}

interface Dated {
  count: number
  readonly first: number
}

const MOST_CREDITORS = 1000
/** One finding each; a file with more of them is damaged as a whole. */
const MOST_TOLD = 100
const FEWEST_ROWS_FOR_DATES = 10
const DOMINANT_SHARE = 0.5
const FILLER_SHARE = 0.1

/** Memory is bounded by the calendar up to today and by 1,000 creditors. */
export function watchFile(options: WatchOptions): FileWatch {
  const dates = new Map<LocalDate, Dated>()
  const creditors = new Set<string>()
  const oddBritish = new Set<string>()
  let rows = 0
  let references = 0
  let allAreCustomers = true
  let lastCreditor = ''
  const noteDate = (date: LocalDate, order: number): void => {
    if (date > options.today) return
    const known = dates.get(date)
    if (known === undefined) dates.set(date, { count: 1, first: order })
    else known.count += 1
  }
  const noteCreditor = (identifier: string): void => {
    lastCreditor = identifier
    if (creditors.size < MOST_CREDITORS) creditors.add(creditorOf(identifier))
    if (oddBritish.size < MOST_TOLD && hasOddBritishLength(identifier)) oddBritish.add(identifier)
  }
  return {
    note: ({ customerNo, signedDate, creditorIdentifier, mandateReference }, oldKey, order) => {
      rows += 1
      if (signedDate !== null) noteDate(signedDate, order)
      if (creditorIdentifier !== null && creditorIdentifier !== lastCreditor) noteCreditor(creditorIdentifier)
      if (mandateReference === null) return
      references += 1
      allAreCustomers &&= mandateReference === oldKey || mandateReference === `${customerNo ?? ''}`
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
  dates: ReadonlyMap<LocalDate, Dated>,
  rows: number,
  fillerDates: readonly string[],
): readonly (readonly [LocalDate, number])[] {
  if (rows < FEWEST_ROWS_FOR_DATES) return []
  return [...dates]
    .filter(([date, { count }]) => {
      const share = fillerDates.includes(date) ? FILLER_SHARE : DOMINANT_SHARE
      return count >= rows * share
    })
    .sort(([, a], [, b]) => a.first - b.first)
    .map(([date, { count }]) => [date, count] as const)
}

function unknownDormancy(
  dates: ReadonlyMap<LocalDate, Dated>,
  today: LocalDate,
  report: (rule: RuleId, value: string, detail: string) => readonly Finding[],
): readonly Finding[] {
  let rows = 0
  for (const [date, { count }] of dates) if (isLongAgo(date, today)) rows += count
  return rows === 0
    ? []
    : report('FILE_DORMANCY_UNKNOWN', `${rows}`, `${rows} rows were signed more than 36 months ago.`)
}
