import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { openDatabase } from '../../src/driver.js'
import type { Chance } from '../support/chance.js'
import { inventIban, seeded } from '../support/sample-values.js'
import { copyLedger, HOST, removeLedger } from './people-desk.js'
import {
  type Act,
  after,
  type Campaign,
  drawCampaign,
  drawConfirmation,
  drawFlags,
  exists,
  exportOf,
  type Office,
  runExport,
  runLedger,
  save,
  sheetOfRows,
} from './people-office.js'
import { drawResaving, resave, shuffled } from './people-spreadsheet.js'
import type { ExportRow, TrueMandate } from './people-truth.js'

const MINUTE = 60_000

/** The export goes to its ledger, for the first time or again. */
export const runTheExport: Act = async (office, chance) => {
  const campaign = drawCampaign(office, chance)
  await runExport(office, campaign, { flags: drawFlags(chance), confirmed: drawConfirmation(chance) })
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
  const campaign = drawCampaign(office, chance)
  const flags = ['--concurrency', String(chance.between(1, 2))]
  const happens = (): void => copyNow(office, campaign.ledger, chance)
  const circumstances = { meanwhile: { at: chance.between(1, 3), happens } }
  await runExport(office, campaign, { flags, circumstances })
}

/** An old copy comes back; whoever did it runs the same command until it goes through. */
export const restoreACopy: Act = async (office, chance) => {
  const { copies, desk, say } = office
  if (copies.length === 0) return
  const { of, at } = chance.pick(copies)
  const ledger = chance.happens(0.85) ? of : 'restored.db'
  say(`  the copy ${at} is put in the place of ${ledger}`)
  copyLedger(desk.at('copies', at), desk.at(ledger))
  for (let times = chance.between(1, 3); times > 0; times -= 1) {
    const { status } = await runLedger(office, { ledger })
    if (status !== 8) return
  }
  if (chance.happens(0.4)) await adoptTheCopy(office, ledger)
}

/** The one way on with an older copy: what may have been sent since is in doubt. */
async function adoptTheCopy(office: Office, ledger: string): Promise<void> {
  const { desk } = office
  const ended = await desk.type(['ledger', 'adopt', '--ledger', desk.at(ledger), '--reason', 'it is lost'])
  after(office, `adoption of ${ledger}`, ledger, ended)
}

export const killARun: Act = async (office, chance) => {
  const campaign = drawCampaign(office, chance)
  const { ledger } = campaign
  const { desk, say } = office
  const isGiven = chance.happens(0.7) || !exists(office, ledger)
  const flags = ['--concurrency', String(chance.between(1, 3))]
  const circumstances = { killedAt: chance.between(1, 3) }
  const { status } = await runExport(office, campaign, {
    ...{ flags, circumstances },
    ...(isGiven ? {} : { files: [], holding: [] }),
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
      .prepare<[], Trigger>(`select sql from sqlite_schema where name = 'private_stays'`)
      .get()
    connection.exec('drop trigger private_stays')
    const account = inventIban(seeded(chance.between(1, 2 ** 30)))
    connection.prepare<[string, number]>('update private set iban = ? where row_id = ?').run(account, id)
    connection.exec(guard?.sql ?? '')
    office.say(`  somebody puts …${account.slice(-4)} into row ${id} of ${ledger}`)
  } finally {
    connection.close()
  }
  await runLedger(office, { ledger })
}

/** The same export as somebody else has it: saved again, or with small changes. */
export function anotherCopyOf({ rows }: Campaign, chance: Chance): { text: string; holding: TrueMandate[] } {
  const held = (kept: readonly ExportRow[]): TrueMandate[] => kept.map(({ mandate }) => mandate)
  const plain = exportOf(rows)
  switch (chance.weigh({ same: 2, line_end: 2, row_less: 2, sorted: 1, crlf: 1, saved: 2 })) {
    case 'line_end':
      return { text: `${plain}\n`, holding: held(rows) }
    case 'row_less': {
      const kept = rows.filter((_, at) => at !== rows.length - 1)
      return { text: exportOf(kept), holding: held(kept) }
    }
    case 'sorted':
      return { text: exportOf(shuffled(rows, chance)), holding: held(rows) }
    case 'crlf':
      return { text: plain.replaceAll('\n', '\r\n'), holding: held(rows) }
    case 'saved':
      return { text: resave(sheetOfRows(rows), drawResaving(chance)), holding: held(rows) }
    default:
      return { text: plain, holding: held(rows) }
  }
}

const SPELLINGS = [
  `https://${HOST}`,
  `https://${HOST}`,
  `https://${HOST}:443`,
  `https://${HOST}.`,
  'HTTPS://Service.Example/',
]

/** Somebody begins the same campaign with a ledger of their own, perhaps while the question is still open. */
export const useASecondLedger: Act = async (office, chance) => {
  const campaign = drawCampaign(office, chance)
  const { text, holding } = anotherCopyOf(campaign, chance)
  const file = save(office, 'export', text)
  const ledger = `second-${chance.between(1, 2)}.db`
  const env = { SEPA_MIGRATE_BASE_URL: chance.pick(SPELLINGS) }
  const second = async (): Promise<void> => {
    const confirmed =
      chance.happens(0.5) && env.SEPA_MIGRATE_BASE_URL === SPELLINGS[0] ? 'host typed' : 'with --yes'
    await runLedger(office, { ledger, files: [file], holding, confirmed, circumstances: { env } })
  }
  if (chance.happens(0.5)) return second()
  office.say('  two terminals')
  await runExport(office, campaign, { confirmed: 'host typed', beforeAnswer: second })
}

/** The same ledger from two terminals. */
export const runTwice: Act = async (office, chance) => {
  const campaign = drawCampaign(office, chance)
  const confirmed = chance.happens(0.7) ? 'host typed' : 'no typed'
  const again = async (): Promise<void> => {
    await runExport(office, campaign, { holding: undefined })
  }
  await runExport(office, campaign, { confirmed, beforeAnswer: again })
}

/** The register is cut, emptied, or something is in its way for a while; meanwhile somebody runs all the same. */
export const breakTheRegister: Act = async (office, chance) => {
  const { desk, say } = office
  const campaign = drawCampaign(office, chance)
  const register = desk.at('state', 'register.db')
  if (!existsSync(register)) return
  const kept = keepRegister(office)
  const ledger = chance.pick([campaign.ledger, campaign.ledger, 'second-1.db'])
  const run = (): ReturnType<typeof runLedger> =>
    exists(office, ledger) ? runLedger(office, { ledger }) : runExport(office, campaign, { ledger })
  if (chance.happens(0.7)) {
    const size = chance.pick([0, 50, 4096, 8192])
    say(`  the register is cut to ${size} bytes`)
    truncateSync(register, size)
    await run()
    kept.putBack()
    return
  }
  say('  something is in the way of the register')
  rmSync(register)
  mkdirSync(register)
  await run()
  rmSync(register, { recursive: true, force: true })
  kept.putBack()
}

const REGISTER_FILES = ['register.db', 'register.db-wal', 'register.db-shm']

function keepRegister({ desk }: Office): { putBack: () => void } {
  const kept = REGISTER_FILES.flatMap((name) =>
    existsSync(desk.at('state', name)) ? [[name, readFileSync(desk.at('state', name))] as const] : [],
  )
  return {
    putBack: () => {
      for (const name of REGISTER_FILES) rmSync(desk.at('state', name), { recursive: true, force: true })
      for (const [name, bytes] of kept) writeFileSync(desk.at('state', name), bytes, { mode: 0o600 })
    },
  }
}

const hasSecond = (office: Office): boolean =>
  ['second-1.db', 'second-2.db'].some((file) => exists(office, file))

const WHY = ['--reason', 'the disk is lost']

/** Somebody's disk is lost with the ledger on it; a new one takes its place, and the lost one may turn up. */
export const loseTheLedger: Act = async (office, chance) => {
  const { desk, say } = office
  const campaign = drawCampaign(office, chance)
  const { ledger, mandates } = campaign
  if (!exists(office, ledger) || exists(office, 'found.db')) return
  // By another customer and another spelling no register knows a mandate again.
  if (office.history?.changesCustomers === true) return
  say(`  ${ledger} is lost`)
  copyLedger(desk.at(ledger), desk.at('copies', 'lost.db'))
  removeLedger(desk.at(ledger))
  office.given.delete(ledger)
  // What was corrected was corrected in the lost one; the export names the former accounts.
  office.judge.uncorrect(desk.at(ledger), mandates)
  const isKnown = !office.handedOver.has(ledger)
  await runExport(office, campaign, { flags: [isKnown ? '--another-ledger' : '--all-in-doubt', ...WHY] })
  if (chance.happens(0.4)) await runLedger(office, { ledger })
  if (chance.happens(0.5)) return
  say('  the lost one turns up')
  copyLedger(desk.at('copies', 'lost.db'), desk.at('found.db'))
  await runLedger(office, { ledger: 'found.db' })
}

/** The register is gone, and with it all that was known of copies and other ledgers. */
export const loseTheRegister: Act = async (office, chance) => {
  const { desk, say } = office
  const campaign = drawCampaign(office, chance)
  const { ledger } = campaign
  const register = desk.at('state', 'register.db')
  // Which of two ledgers has sent stands nowhere else.
  if (!exists(office, ledger) || !existsSync(register)) return
  if (hasSecond(office)) return
  const isCut = chance.happens(0.5)
  say(isCut ? '  the register is emptied' : '  the register is lost')
  if (isCut) truncateSync(register, 0)
  else for (const name of REGISTER_FILES) rmSync(desk.at('state', name), { force: true })
  office.copies.length = 0 // nobody knows of them any more that they are old
  if (chance.happens(0.3))
    await runExport(office, campaign, { ledger: 'second-1.db', flags: ['--all-in-doubt', ...WHY] })
  else if (isCut) for (const name of REGISTER_FILES) rmSync(desk.at('state', name), { force: true })
  await runLedger(office, { ledger })
}

/** A process is stopped and goes on once somebody has run a copy of its ledger. */
export const stopARun: Act = async (office, chance) => {
  const { desk, say } = office
  const campaign = drawCampaign(office, chance)
  const { ledger } = campaign
  const copy = `stopped-${office.count.files}.db`
  const flags = ['--concurrency', String(chance.between(1, 2))]
  const until = async (): Promise<void> => {
    say(`    it is stopped, and ${ledger} is copied to ${copy}`)
    copyLedger(desk.at(ledger), desk.at(copy))
    await runLedger(office, { ledger: copy })
    say('    it goes on')
  }
  const stoppedAt = { at: chance.between(1, 3), until }
  await runExport(office, campaign, { flags, circumstances: { stoppedAt } })
  if (!exists(office, copy)) return
  // Whoever runs goes on with the copy, which is the latest.
  copyLedger(desk.at(copy), desk.at(ledger))
  removeLedger(desk.at(copy))
}

/** A colleague takes over on the same machine: with the ledger itself, and a register of their own. */
export const handOver: Act = async (office, chance) => {
  const { ledger } = drawCampaign(office, chance)
  // Each user's register knows nothing of what the other's ledgers claimed.
  if (!exists(office, ledger) || hasSecond(office)) return
  office.handedOver.add(ledger)
  office.say(`  another user goes on with ${ledger}`)
  await runLedger(office, { ledger, circumstances: { isOtherUser: true } })
}
