import type { Scope } from './scope.js'

/**
 * Control totals count mandates of the campaign. Every record of an export has a place in them, and a correction takes
 * the place of the row it replaces. `row.place` is null for a row in its own place, 0 for one without a place, else the
 * id of the row whose place it took.
 */
export interface Places {
  /** The line is about this row; it takes its place if that is replaced. */
  readonly isAbout: (newcomer: number, row: number) => void
  /** Once all rules across rows have spoken. */
  readonly decide: () => void
}

export function preparePlaces({ connection, first }: Scope): Places {
  connection.exec(
    'create temp table if not exists about (newcomer integer primary key, row integer not null)',
  )
  connection.exec('delete from temp.about')
  const note = connection.prepare<[number, number]>('insert or replace into temp.about values (?, ?)')
  const named = connection.prepare<[], { newcomer: number; row: number }>(
    `select newcomer, about.row from temp.about join row on row.id = newcomer
      order by state = 'duplicate', newcomer`,
  )
  const replaced = connection.prepare<[number, number], { newcomer: number; row: number }>(
    `select superseded_by as newcomer, id as row from row
      where superseded_by >= ? and id < ? and place is not 0 order by id`,
  )
  const placeOf = connection
    .prepare<[number], number>(
      `select coalesce(place, id) from row where id = ? and state = 'superseded' and place is not 0`,
    )
    .pluck()
  const isWaiting = connection.prepare<[number]>('select 1 from row where id = ? and place = 0')
  const leave = connection.prepare<[number]>('update row set place = 0 where id = ?')
  const enter = connection.prepare<[number, number]>('update row set place = ? where id = ?')
  const lost = connection
    .prepare<[number], number>(`select count(*) from row where id >= ? and place = 0 and state = 'ready'`)
    .pluck()

  function take({ newcomer, row }: { newcomer: number; row: number }): void {
    const place = placeOf.get(row)
    if (place === undefined || isWaiting.get(newcomer) === undefined) return
    leave.run(row)
    enter.run(place, newcomer)
  }

  return {
    isAbout: (newcomer, row) => void note.run(newcomer, row),
    decide: () => {
      named.all().forEach(take)
      replaced.all(first, first).forEach(take)
      if (lost.get(first) !== 0) throw new Error('A correction would be sent that no total counts')
    },
  }
}
