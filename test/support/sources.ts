import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { z } from 'zod'
import { SourceError } from '../../src/errors.js'
import type { LocalDate } from '../../src/domain/mandate/mandate.js'
import type { CheckedRecord, SourceSummary } from '../../src/domain/rule/verdict.js'
import type { SourceInput } from '../../src/source/bytes/input.js'
import { DEFAULT_SOURCE_OPTIONS, sourceSections, type SourceOptions } from '../../src/source/options.js'
import { openSource, type OpenedSource } from '../../src/source/read-source.js'
import type { LedgerReader } from '../../src/ledger/read/open-reader.js'
import { openScratchLedger } from '../../src/ledger/file/writer.js'
import { admitSources, sourceOpeners } from '../../src/run/admit-sources.js'
import { freshFolder } from './folder.js'
import { germanIban } from './export.js'
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

/** The error that a source is refused with. */
export async function refusal(reading: Promise<unknown>): Promise<SourceError> {
  const outcome = await reading.then(
    () => null,
    (error: unknown) => error,
  )
  if (outcome instanceof SourceError) return outcome
  throw outcome instanceof Error ? outcome : new Error('The source was read without an error')
}
