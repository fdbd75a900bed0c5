import type { Connection } from '../file/connection.js'

/** Different customer numbers, mandate keys and accounts (by fingerprint) over the rows that count. */
export interface DistinctCounts {
  readonly customers: number
  readonly mandates: number
  readonly accounts: number
}

/** Where every row has a place the indexes say most of it, in a tenth of the time. */
export function prepareDistinctCounts(connection: Connection): () => DistinctCounts {
  const hasUncounted = connection.prepare<[]>('select 1 from row where place = 0 limit 1')
  const over = (condition: string) =>
    connection.prepare<[], DistinctCounts>(
      `select (select count(*) from (select distinct customer_no from row where customer_no is not null ${condition})) as customers,
         (select count(*) from (select distinct mandate_key from row where mandate_key is not null ${condition})) as mandates,
         (select count(*) from (select 1 from row where iban_key is not null ${condition} group by iban_key)) as accounts`,
    )
  const [all, counted] = [over(''), over('and place is not 0')]
  const read = connection.transaction(() => (hasUncounted.get() === undefined ? all : counted).get())
  return () => read() ?? { customers: 0, mandates: 0, accounts: 0 }
}
