import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { SourceError } from '../../src/errors.js'
import type { LocalDate } from '../../src/domain/mandate/mandate.js'
import type { CheckedRecord, RuleId, SourceSummary } from '../../src/domain/rule/verdict.js'
import type { SourceInput } from '../../src/source/bytes/input.js'
import { DEFAULT_SOURCE_OPTIONS, sourceSections, type SourceOptions } from '../../src/source/options.js'
import { draftConfiguration, inspectSource } from '../../src/source/guess/inspect.js'
import { openSource, type OpenedSource } from '../../src/source/read-source.js'
import type { LedgerReader } from '../../src/ledger/read/open-reader.js'
import { openScratchLedger } from '../../src/ledger/file/writer.js'
import { admitSources, sourceOpeners } from '../../src/run/admit-sources.js'
import { freshFolder } from './folder.js'
import { germanIban } from './export.js'
import type { EarlierRow } from '../../src/domain/row/correction.js'
import type { CheckedAgainst } from '../../src/source/record-check.js'

export const SAMPLES = fileURLToPath(new URL('../../samples', import.meta.url))

export const AS_OF = '2026-06-15' as LocalDate

const USUAL = { severities: {}, newCreditorIdentifier: null, dormantSoonDays: 60 }
export const CHECK: CheckedAgainst = { today: AS_OF, ...USUAL }

/** Writes bytes or text to a file in a folder of its own, until the test ends. */
export function fileOf(content: string | Uint8Array, name = 'export.csv'): string {
  const path = join(freshFolder(), name)
  writeFileSync(path, content)
  return path
}

/** Source options from YAML text, as the configuration file would give them. */
export const optionsOf = (yaml: string): SourceOptions =>
  z.strictObject(sourceSections).parse(parse(yaml) ?? {})

export interface WholeSource {
  readonly opened: OpenedSource
  readonly records: readonly CheckedRecord[]
  readonly summary: SourceSummary
}

/** Reads a source to its end. */
export async function readAll(
  input: SourceInput,
  options: SourceOptions = DEFAULT_SOURCE_OPTIONS,
  check: CheckedAgainst = CHECK,
): Promise<WholeSource> {
  const opened = await openSource(input, options, check)
  const records: CheckedRecord[] = []
  for await (const batch of opened.records()) records.push(...batch)
  return { opened, records, summary: opened.summary() }
}

/** Reads the text of a source to its end. */
export const readText = (
  text: string | Uint8Array,
  yaml = '',
  check: CheckedAgainst = CHECK,
): Promise<WholeSource> => readAll(fileOf(text), optionsOf(yaml), check)

const HEADER = 'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,name'

/** The account of the nth customer; the first has that of every example. */
export const accountOf = (n: number): string => (n === 1 ? 'DE89370400440532013000' : germanIban(n))

/** A plain export under the service's own names; every row is sendable. */
export const exportOf = (rows: number): string =>
  [
    HEADER,
    ...Array.from(
      { length: rows },
      (_, index) =>
        `${index + 1},${accountOf(rows < 20 ? 1 : index + 1)},2024-03-01,DE98ZZZ09999999999,M-${index + 1},Person ${index + 1}`,
    ),
    '',
  ].join('\n')

/** What a ledger holds of these files once `check` has admitted them. */
export async function admitted<Of>(
  files: readonly SourceInput[],
  of: (ledger: LedgerReader) => Of,
  yaml = '',
): Promise<Of> {
  const ledger = openScratchLedger({ now: () => 0, monotonic: () => 0 })
  const { signal } = new AbortController()
  try {
    const openers = sourceOpeners(files, optionsOf(yaml), { ...CHECK, undecided: 'tell' }, signal)
    await admitSources(ledger, openers, { severities: {}, signal, watch: () => undefined })
    return of(ledger.reader)
  } finally {
    ledger.close()
  }
}

/** A configuration that lies beside the samples: its crosswalk is one of them. */
export function optionsBesideSamples(yaml: string): SourceOptions {
  const options = optionsOf(yaml)
  const { crosswalk } = options
  if (crosswalk === undefined) return options
  return { ...options, crosswalk: { ...crosswalk, file: join(SAMPLES, crosswalk.file) } }
}

/** The error that a source is refused with. */
export async function refusal(reading: Promise<unknown>): Promise<SourceError> {
  const outcome = await reading.then(
    () => null,
    (error: unknown) => error,
  )
  if (outcome instanceof SourceError) return outcome
  throw outcome instanceof Error ? outcome : new Error('The source was read without an error')
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
    const style = { dateStyle: 'short', timeStyle: 'medium' } as const
    const parts = new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...style })
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
