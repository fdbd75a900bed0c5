import type { Field } from '../domain/mandate.js'
import { isSepaIban } from '../domain/iban.js'
import type { SeverityOverrides } from '../domain/rules.js'
import { cleanCell, cleanIban } from '../domain/text.js'
import type { Finding } from '../domain/verdict.js'
import { countCleaning } from './cleaning.js'
import { splitLine } from './delimiter.js'
import { watchFile } from './file-findings.js'
import { findingOf } from './finding.js'
import type { Layout } from './layout.js'
import { watchDamage } from './mojibake.js'
import type { RecognisedSource } from './recognised-source.js'
import type { RecordCheck } from './record-check.js'
import { refuse, unreadable } from './refusal.js'
import type { TextSource } from './text.js'

/** All that is watched over the whole file while its records go by. */
export function watchSource(source: RecognisedSource) {
  const { text, layout, mapping, options, check, crosswalk } = source
  const { severities, today } = check
  const file = watchFile({
    today,
    severities,
    fillerDates: [...options.source.fillerDates, options.source.exportDay ?? today],
    hasLastCollection: mapping.fields.some(({ field }) => field === 'last_collection_date'),
  })
  const damage = watchDamage()
  const cleaning = countCleaning()
  const transformed: Partial<Record<Field, number>> = {}
  return {
    note: ({ checked, raw, oldKey, transformed: fields }: RecordCheck): void => {
      damage.note(checked.line, checked.cells)
      const customerNo = checked.values.customerNo
      file.note(checked.values, [customerNo === null ? '' : `${customerNo}`, oldKey ?? ''])
      if (raw !== null) cleaning.note(raw)
      for (const field of fields) transformed[field] = (transformed[field] ?? 0) + 1
    },
    findings: (): readonly Finding[] => [
      ...assumedEncoding(text, layout, severities),
      ...damage.findings(layout.header.names, severities),
      ...file.findings(),
      ...(crosswalk?.isOwn === true ? crosswalk.loaded.findings(severities) : []),
    ],
    counts: () => ({
      cleaned: cleaning.counts(),
      transformed,
      cellsWithControlCharacters: damage.controlCells(),
    }),
  }
}

function assumedEncoding(
  { notUtf8At }: TextSource,
  { encoding }: Layout,
  severities: SeverityOverrides,
): readonly Finding[] {
  if (encoding.by !== 'assumed') return []
  const detail = `Line ${notUtf8At ?? 1} is not UTF-8, so it was read as ${encoding.encoding}.`
  return findingOf('FILE_ENCODING_ASSUMED', severities, { value: encoding.encoding, detail })
}

/** A footer that was counted too long would drop mandates without a word. */
export function refuseMandates({ text, layout, mapping }: RecognisedSource, footer: string): void {
  const iban = mapping.fields.find(({ field }) => field === 'iban')
  const holdsMandate = footer.split(/[\r\n]+/).some((line) => {
    const cells = splitLine(line, layout.delimiter.delimiter)
    const account = cells[iban?.position ?? -1] ?? ''
    return cells.length >= layout.header.width && isSepaIban(cleanIban(cleanCell(account)))
  })
  if (!holdsMandate) return
  const lines =
    layout.skipFooterLines === 1
      ? 'the skipped footer line'
      : `one of the ${layout.skipFooterLines} skipped footer lines`
  throw unreadable(
    text.label,
    `${lines} holds an account number like a mandate`,
    'Correct source.skipFooterLines: it counts physical lines, blank ones included.',
  )
}

/** A file rule that the configuration raised to an error keeps the whole file back (sepa-rules.md 1.2). */
export function refuseByFinding(source: string, findings: readonly Finding[]): void {
  const errors = findings.filter(({ severity }) => severity === 'error')
  const [first] = errors
  if (first === undefined) return
  const rules = errors.map(({ rule, message }) => `${rule} (${message})`).join('; ')
  throw refuse(source, first.rule, `the configuration makes these file rules an error: ${rules}`)
}
