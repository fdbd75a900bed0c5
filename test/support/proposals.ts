import { readFileSync, writeFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'

export type DoubtLine = Readonly<Record<string, string>>

/** The lines of an in-doubt.csv as somebody reads them. */
export const doubtLines = (file: string): readonly DoubtLine[] =>
  parse<Record<string, string>>(readFileSync(file), { columns: true, bom: true })

/**
 * What a person does who agrees with every proposal: copies the word, gives a reason, saves under another name.
 * @param more decides lines without a proposal, or null
 * @returns how many lines have a decision
 */
export function agreeToProposals(
  file: string,
  saved: string,
  more: (line: DoubtLine) => string | null = () => null,
): number {
  const lines = doubtLines(file).map((line) => {
    const proposal = line['migration_proposal'] ?? ''
    const decision = proposal === '' ? (more(line) ?? '') : proposal
    return decision === ''
      ? line
      : { ...line, migration_decision: decision, migration_reason: 'absent', migration_by: 'Ada' }
  })
  writeFileSync(saved, stringify([...lines], { header: true }))
  return lines.filter((line) => (line['migration_decision'] ?? '') !== '').length
}
