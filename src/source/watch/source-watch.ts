import { holdsIban } from '../../domain/text/masking.js'
import type { Field } from '../../domain/mandate/mandate.js'
import type { SeverityOverrides } from '../../domain/rule/rules.js'
import type { CheckedRecord, Finding } from '../../domain/rule/verdict.js'
import { countCleaning } from './cleaning.js'
import { watchColumns } from './column-watch.js'
import { watchFile } from './file-findings.js'
import { findingOf } from '../source-finding.js'
import { countFindings, leftOutFindings, type LeftOutColumns } from '../csv/left-out.js'
import { watchDamage } from './mojibake.js'
import type { RecognisedSource } from '../recognised-source.js'
import type { RecordCheck } from '../record-check.js'
import type { RawRecord } from '../table.js'
import { isTotalsLine } from '../csv/stated-count.js'

/** All that is watched over the whole file while its records go by. */
export function watchSource(source: RecognisedSource) {
  const { against, crosswalk } = source
  const { severities } = against
  const file = watchFile(fileOptions(source))
  const columns = watchColumns(source)
  const damage = watchDamage()
  const cleaning = countCleaning()
  let records = 0
  let isCut = false
  let last: CheckedRecord | null = null
  const transformed: Partial<Record<Field, number>> = {}
  const restored: Partial<Record<Field, number>> = {}
  const forgotten = new Map<string, string>()
  // What holds for most rows of an export says nothing in a file of faulty ones.
  const isExport = !source.isResultFile
  return {
    /** @param order grows with every record of the file */
    note: (result: RecordCheck, order: number): void => {
      const { checked, raw, oldKey } = result
      records += 1
      last = checked
      isCut ||= checked.findings.length > 0 && checked.findings.some(({ rule }) => rule === 'ROW_MAY_BE_CUT')
      // Of a record of the wrong shape nobody can tell which cell is which.
      if (raw !== null) columns.note(checked.cells, checked.corrects === null)
      damage.note(checked.line, checked.cells)
      file.note(checked.values, oldKey, order)
      if (raw !== null) cleaning.note(raw, checked.values)
      for (const field of result.transformed) transformed[field] = (transformed[field] ?? 0) + 1
      for (const { what, text } of result.forgotten) if (!forgotten.has(what)) forgotten.set(what, text)
      for (const field of result.restored) restored[field] = (restored[field] ?? 0) + 1
    },
    findings: (footer: string, totals: readonly RawRecord[]): readonly Finding[] => [
      ...leftOutOf(source, footer, records),
      ...(isCut ? findingOf('FILE_MAY_BE_CUT', severities, {}) : []),
      ...(last === null ? [] : undeclaredTotal(last, records, severities)),
      ...totals.flatMap(({ cells }) => countFindings(cells, records, severities)),
      ...totals.flatMap((line) => totalsLine(line, severities)),
      ...[...forgotten].flatMap(([value, detail]) =>
        findingOf('FILE_CONFIGURATION_FORGOTTEN', severities, { value, detail }),
      ),
      ...source.assumed.flatMap(({ rule, ...seen }) => findingOf(rule, severities, seen)),
      ...damage.findings(source.header.names, severities),
      ...(isExport ? file.findings() : []),
      ...columns.findings(severities),
      ...(crosswalk?.isOwn === true ? crosswalk.loaded.findings(severities) : []),
    ],
    counts: () => ({
      ...columns.reading(),
      cleaned: cleaning.counts(),
      transformed,
      restored,
      cellsWithControlCharacters: damage.controlCells(),
    }),
  }
}

const fileOptions = ({ mapping, options, against }: RecognisedSource): Parameters<typeof watchFile>[0] => ({
  today: against.today,
  severities: against.severities,
  fillerDates: [...options.source.fillerDates, options.source.exportDay ?? against.today],
  hasLastCollection: mapping.fields.some(({ field }) => field === 'last_collection_date'),
})

const leftOutOf = (source: RecognisedSource, footer: string, records: number): readonly Finding[] =>
  leftOutFindings({
    preamble: source.preamble,
    footer,
    columns: leftOutColumns(source),
    records,
    severities: source.against.severities,
  })

const totalsLine = ({ line, cells }: RawRecord, severities: SeverityOverrides): readonly Finding[] =>
  findingOf('FILE_TOTALS_LINE', severities, {
    value: cells.filter((cell) => cell !== '').join(' '),
    detail: `It is line ${line}.`,
  })

function leftOutColumns({ split, mapping }: RecognisedSource): LeftOutColumns {
  const positionOf = (wanted: Field): number | null =>
    mapping.fields.find(({ field }) => field === wanted)?.position ?? null
  const keys = [mapping.oldKey?.position ?? positionOf('customer_no'), positionOf('unique_mandate_reference')]
  return {
    split,
    keys: keys.filter((position) => position !== null),
    account: positionOf('iban'),
  }
}

/** A totals line that nobody declared as footer is a faulty row; what it counts are the others. */
function undeclaredTotal(
  { verdict, cells }: CheckedRecord,
  records: number,
  severities: SeverityOverrides,
): readonly Finding[] {
  return verdict.kind === 'invalid' && isTotalsLine(cells) && !cells.some(holdsIban)
    ? countFindings(cells, records - 1, severities)
    : []
}
