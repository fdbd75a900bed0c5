import { openDatabase } from '../../src/driver.js'
import { inventIban, seeded } from '../support/sample-values.js'
import { drawCampaign } from './people-draw.js'
import { exists, runLedger, type Act } from './people-office.js'

interface Trigger {
  readonly sql: string
}

/** Somebody who could write the file puts another account into a row that waits, past every trigger, and it goes on. */
export const rewriteAnAccount: Act = async (office, chance) => {
  const { ledger } = drawCampaign(office, chance)
  if (!exists(office, ledger)) return
  const connection = openDatabase(office.desk.at(ledger))
  try {
    const waiting = connection
      .prepare<[], { id: number }>(`select id from row where state = 'ready' order by id`)
      .all()
    if (waiting.length === 0) return
    const { id } = chance.pick(waiting)
    const guard = connection
      .prepare<[], Trigger>(`select sql from sqlite_schema where name = 'row_account_only_goes'`)
      .get()
    connection.exec('drop trigger row_account_only_goes')
    const account = inventIban(seeded(chance.between(1, 2 ** 30)), 'DE')
    connection.prepare<[string, number]>('update row set iban = ? where id = ?').run(account, id)
    connection.exec(guard?.sql ?? '')
    office.say(`  somebody puts …${account.slice(-4)} into row ${id} of ${ledger}`)
  } finally {
    connection.close()
  }
  await runLedger(office, { ledger })
}
