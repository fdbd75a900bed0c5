/** What the former provider counts of an export. */
export interface Expected {
  /** The name of the export; null for the one that counts as newest. */
  readonly source: string | null
  readonly records: number
  /** Sum of the customer numbers, in decimal; null where none was given. */
  readonly customerNoSum: string | null
}

/** The same beside what was read. */
export interface ComparedTotals extends Expected {
  /** The names of the exports that it is about. */
  readonly names: string
  readonly read: Readonly<Record<'records', number> & Record<'customerNoSum', string>>
}

export const isAsExpected = ({ records, customerNoSum, read }: ComparedTotals): boolean =>
  records === read.records && (customerNoSum ?? read.customerNoSum) === read.customerNoSum
