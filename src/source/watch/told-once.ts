import type { RuleId } from '../../domain/rule/rules.js'
import type { CheckedRecord, Finding } from '../../domain/rule/verdict.js'

/** What is said of a creditor holds for every mandate of that creditor, and helps nobody twenty thousand times. */
const OF_THE_CREDITOR: ReadonlySet<RuleId> = new Set(['CI_LENGTH_UNCONFIRMED', 'CI_LENGTH_UNKNOWN'])
/** A file with more creditors than these is damaged as a whole. */
const MOST_VALUES = 1000

/** Leaves warnings about a creditor identifier to the first record of a file that has it. Errors stay with each row. */
export function tellOnce(): (checked: CheckedRecord) => CheckedRecord {
  const told = new Set<string>()

  function isNew({ rule, severity, value }: Finding): boolean {
    if (severity === 'error' || !OF_THE_CREDITOR.has(rule)) return true
    const key = `${rule} ${value}`
    if (told.has(key)) return false
    if (told.size < MOST_VALUES) told.add(key)
    return true
  }

  return (checked) => {
    if (checked.findings.length === 0) return checked
    const findings = checked.findings.filter(isNew)
    return findings.length === checked.findings.length ? checked : { ...checked, findings }
  }
}
