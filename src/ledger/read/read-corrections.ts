import { CORRECTED, countFields, type CorrectedRow, type Corrections } from '../../domain/row/correction.js'
import type { Connection } from '../file/connection.js'

const TO_SEND = `from decision join row on row.id = row_id where decision = '${CORRECTED}' and state = 'ready'`

/** What people changed in rows that wait to be sent. */
export function prepareCorrections(connection: Connection): (most: number) => Corrections {
  const count = connection.prepare<[], number>(`select count(*) ${TO_SEND}`).pluck()
  const texts = connection.prepare<[], string>(`select coalesce(evidence, '') ${TO_SEND}`).pluck()
  const first = connection.prepare<[number], CorrectedRow>(
    `select corrects as row, decided_by as "by", decided_at as at, reason, coalesce(evidence, '') as changes ${TO_SEND}
      order by decision.id limit ?`,
  )
  return (most) => ({
    rows: count.get() ?? 0,
    fields: countFields(texts.iterate()),
    first: first.all(most),
  })
}
