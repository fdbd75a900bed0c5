import { rmSync } from 'node:fs'
import { copyLedger } from './people-desk.js'
import {
  after,
  exists,
  runLedger,
  type Act,
  type Office,
  drawCampaign,
  drawConfirmation,
  drawFlags,
} from './people-office.js'
import type { Chance } from '../support/chance.js'
import { openDatabase } from '../../src/driver.js'
import { inventIban, seeded } from '../support/sample-values.js'

const MINUTE = 60_000

/** The export goes to its ledger, for the first time or again. */
export const runTheExport: Act = async (office, chance) => {
  const { ledger, file, mandates } = drawCampaign(office, chance)
  await runLedger(office, {
    ledger,
    files: [file],
    holding: mandates,
    flags: drawFlags(chance),
    confirmed: drawConfirmation(chance),
  })
}

export const goOn: Act = async (office, chance) => {
  const { ledger } = drawCampaign(office, chance)
  if (!exists(office, ledger)) return
  await runLedger(office, { ledger, flags: drawFlags(chance), confirmed: drawConfirmation(chance) })
}

export const retryRefused: Act = async (office, chance) => {
  const { ledger } = drawCampaign(office, chance)
  if (!exists(office, ledger)) return
  const confirmed = drawConfirmation(chance)
  await runLedger(office, { ledger, flags: ['--retry-refused'], confirmed })
}

export const waitAWhile: Act = (office, chance) => {
  const minutes = chance.pick([2, 10, 16, 120])
  office.say(`  ${minutes} minutes pass`)
  office.desk.pass(minutes * MINUTE)
  return Promise.resolve()
}

const COPIED = [[''], ['', '-wal'], ['', '-wal', '-shm']] as const

function copyNow(office: Office, ledger: string, chance: Chance): void {
  const at = `copy-${office.copies.length + 1}.db`
  office.say(`    ${ledger} is copied to ${at}`)
  copyLedger(office.desk.at(ledger), office.desk.at('copies', at), [...chance.pick(COPIED)])
  office.copies.push({ of: ledger, at })
}

export const copyTheLedger: Act = (office, chance) => {
  const { ledger } = drawCampaign(office, chance)
  if (exists(office, ledger)) copyNow(office, ledger, chance)
  return Promise.resolve()
}

export const copyDuringARun: Act = async (office, chance) => {
  const { ledger, file, mandates } = drawCampaign(office, chance)
  await runLedger(office, {
    ledger,
    files: [file],
    holding: mandates,
    flags: ['--concurrency', String(chance.between(1, 2))],
    circumstances: {
      meanwhile: { at: chance.between(1, 3), happens: () => copyNow(office, ledger, chance) },
    },
  })
}

/** An old copy comes back; whoever did it runs the same command until it goes through. */
export const restoreACopy: Act = async (office, chance) => {
  const { copies, desk, say } = office
  if (copies.length === 0) return
  const { of, at } = chance.pick(copies)
  const ledger = chance.happens(0.85) ? of : 'restored.db'
  say(`  the copy ${at} is put in the place of ${ledger}`)
  copyLedger(desk.at('copies', at), desk.at(ledger), ['', '-wal', '-shm'])
  for (let times = chance.between(1, 3); times > 0; times -= 1) {
    const { status } = await runLedger(office, { ledger })
    if (status !== 8) return
  }
  if (chance.happens(0.4)) await adoptTheCopy(office, ledger)
}

/** The one way on with an older copy: what may have been sent since is in doubt. */
async function adoptTheCopy(office: Office, ledger: string): Promise<void> {
  const { desk } = office
  const ended = await desk.type([
    ...['ledger', 'adopt', '--ledger', desk.at(ledger), '--reason', 'the newest copy is lost'],
  ])
  after(office, `adoption of ${ledger}`, ledger, ended)
}

export const killARun: Act = async (office, chance) => {
  const { ledger, file, mandates } = drawCampaign(office, chance)
  const { desk, say } = office
  const files = chance.happens(0.7) || !exists(office, ledger) ? [file] : []
  const { status } = await runLedger(office, {
    ...{ ledger, files },
    holding: files.length === 0 ? [] : mandates,
    flags: ['--concurrency', String(chance.between(1, 3))],
    circumstances: { killedAt: chance.between(1, 3) },
  })
  if (status !== null || !chance.happens(0.5)) return
  say(`  the write-ahead log of ${ledger} is lost`)
  for (const ending of ['-wal', '-shm']) rmSync(desk.at(ledger) + ending, { force: true })
  for (let times = chance.between(0, 2); times > 0; times -= 1) await runLedger(office, { ledger })
  if (chance.happens(0.3)) await adoptTheCopy(office, ledger)
}

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
    const account = inventIban(seeded(chance.between(1, 2 ** 30)))
    connection.prepare<[string, number]>('update row set iban = ? where id = ?').run(account, id)
    connection.exec(guard?.sql ?? '')
    office.say(`  somebody puts …${account.slice(-4)} into row ${id} of ${ledger}`)
  } finally {
    connection.close()
  }
  await runLedger(office, { ledger })
}
