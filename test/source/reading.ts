import { join } from 'node:path'
import { expect } from 'vitest'
import type { EarlierRow } from '../../src/domain/row/correction.js'
import type { CheckedRecord, RuleId } from '../../src/domain/rule/verdict.js'
import type { SourceError } from '../../src/errors.js'
import { draftConfiguration, inspectSource } from '../../src/source/guess/inspect.js'
import type { SourceOptions } from '../../src/source/options.js'
import type { CheckedAgainst } from '../../src/source/record-check.js'
import { AS_OF, CHECK, fileOf, optionsOf, readAll, refusal, SAMPLES } from '../support/sources.js'
import type { WholeSource } from '../support/sources.js'

/** How the tests of this room read a source, and what they ask of it. */

/** Reads the text of a source to its end. */
export const readText = (
  text: string | Uint8Array,
  yaml = '',
  check: CheckedAgainst = CHECK,
): Promise<WholeSource> => readAll(fileOf(text), optionsOf(yaml), check)

/** A configuration that lies beside the samples: its crosswalk is one of them. */
export function optionsBesideSamples(yaml: string): SourceOptions {
  const options = optionsOf(yaml)
  const { crosswalk } = options
  if (crosswalk === undefined) return options
  return { ...options, crosswalk: { ...crosswalk, file: join(SAMPLES, crosswalk.file) } }
}

/** Refused so, with exit status 7: by this rule, or as this says; its message and its next step say these things. */
export async function refused(
  reading: Promise<unknown>,
  as: string | object,
  message: string | RegExp = '',
  next: string | RegExp = '',
): Promise<SourceError> {
  const error = await refusal(reading)
  expect(error).toMatchObject({ exitCode: 7, ...(typeof as === 'string' ? { rule: as } : as) })
  expect(error.message).toMatch(message)
  expect(error.next).toMatch(next)
  return error
}

/** What becomes of each row, which rules speak of each, and which of the file. */
export const kindsIn = async (...given: Parameters<typeof readText>): Promise<string[]> =>
  (await readText(...given)).records.map(({ verdict }) => verdict.kind)
export const rulesOf = (record: Pick<CheckedRecord, 'findings'> | undefined): RuleId[] =>
  (record?.findings ?? []).map(({ rule }) => rule)
export const rowRules = async (...given: Parameters<typeof readText>): Promise<RuleId[][]> =>
  (await readText(...given)).records.map(rulesOf)
export const fileRules = async (...given: Parameters<typeof readText>): Promise<RuleId[]> =>
  rulesOf((await readText(...given)).summary)

/** Midnight of a day there, or so many seconds before it, as it is in UTC: date and time. */
export function inUtc(date: string, zone: string, driftS = 0): string {
  const offset = (at: number): number => {
    const parts = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      dateStyle: 'short',
      timeStyle: 'medium',
    })
    const [, d, m, y, h, min, s] = /(\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)/.exec(parts.format(at)) ?? []
    return Date.UTC(Number(y), Number(m) - 1, Number(d), Number(h), Number(min), Number(s)) - at
  }
  const midnight = Date.parse(`${date}T00:00:00Z`)
  const moment = midnight - offset(midnight - offset(midnight)) - driftS * 1000
  return new Date(moment).toISOString().slice(0, 19).replace('T', ' ')
}

/** What `init` drafts for a file. */
export const draftOf = async (path: string): Promise<string> =>
  draftConfiguration(await inspectSource(path, { today: AS_OF }))

/** Names of the columns that `check` asks about, with what it says. */
export async function askedAbout(path: string, yaml = ''): Promise<Record<string, string>> {
  const { summary } = await readAll(path, optionsOf(yaml), { ...CHECK, undecided: 'tell' })
  const asked = summary.findings.filter(({ rule }) => rule === 'FILE_COLUMN_UNDECIDED')
  return Object.fromEntries(asked.map(({ value, message }) => [value, message]))
}

/** A row as the ledger has it from an earlier export with these columns. */
export const earlierRow = (
  names: readonly string[],
  cells: readonly string[],
  change: Partial<EarlierRow> = {},
): EarlierRow => ({
  fields: Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ''])),
  columns: new Map(names.map((name, index) => [name.replaceAll('_', ''), cells[index] ?? ''])),
  mapped: {},
  isKeptByRule: false,
  readBy: {},
  formats: { signedDate: 'iso', lastCollection: 'iso' },
  isCorrection: false,
  had: () => false,
  wasHeldBack: false,
  values: null,
  ...change,
})
