import type { Connection } from '../file/connection.js'
import type { Standing } from '../read/reader.js'
import { LOG_MISSING } from '../deliver/campaign-rows.js'

interface StoredStanding extends Pick<Standing, 'ledgerId' | 'runs' | 'attempts'> {
  readonly marked: number
  readonly missing: number
}

/** How far a ledger has come by its own account, over any connection to it. */
export function prepareStanding(connection: Connection): {
  readonly standing: () => Standing
  readonly hasMark: (mark: string) => boolean
} {
  const standing = connection.prepare<[string], StoredStanding>(
    `select ledger_id as ledgerId, (select coalesce(max(id), 0) from run) as runs,
       (select coalesce(max(id), 0) from attempt) as attempts,
       exists (select 1 from run where mark is not null) as marked,
       exists (select 1 from run where stopped_by = ?) as missing from campaign`,
  )
  const marked = connection.prepare<[string], number>('select 1 from run where mark = ?').pluck()
  return {
    standing: () => {
      const found = standing.get(LOG_MISSING)
      if (found === undefined) throw new Error('The ledger has no campaign')
      const { marked: marks, missing, ...facts } = found
      return { ...facts, hasMarks: marks === 1, isLogMissing: missing === 1 }
    },
    hasMark: (mark) => marked.get(mark) !== undefined,
  }
}
