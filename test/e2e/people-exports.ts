import type { Chance } from '../support/chance.js'
import { withTruth } from './people-corrections.js'
import { closeLines, giveDecisions, resolveDoubts, type Said } from './people-decisions.js'
import { exportsKnownTo, hasComparison } from './people-judge.js'
import {
  type Act,
  after,
  configure,
  drawConfirmation,
  drawFlags,
  exists,
  type Office,
  runLedger,
  takeList,
} from './people-office.js'
import { drawResaving, type Sheet, shuffled, valueOf, withValue, withValues } from './people-spreadsheet.js'
import type { Export, History, TrueMandate } from './people-truth.js'

const LEDGER = 'a.db'
const NEWER = process.env['NO_NEWER'] === undefined ? ['--newer'] : []

const mandatesOf = (exports: readonly Export[]): TrueMandate[] =>
  exports.flatMap(({ rows }) => rows.map(({ mandate }) => mandate))

/** People say `--newer` only of what is newer than all that came before, and do not always think of it. */
function newerFlag(office: Office, exports: readonly Export[], chance: Chance): string[] {
  const known = exportsKnownTo(office, LEDGER).filter((one) => !exports.includes(one))
  const isNewer = known.length > 0 && known.every((one) => exports.every(({ day }) => day > one.day))
  return isNewer && chance.happens(0.6) ? NEWER : []
}

/** Where a ledger was lost, what it may have sent is asked of each file. */
const lostFlags = (office: Office): string[] =>
  exists(office, 'copies/lost.db') ? ['--another-ledger', '--reason', 'the disk is lost'] : []

async function give(
  office: Office,
  exports: readonly Export[],
  chance: Chance,
  flags: readonly string[] = [],
) {
  await runLedger(office, {
    ledger: LEDGER,
    files: exports.map(({ name }) => name),
    holding: mandatesOf(exports),
    rows: exports.flatMap(({ rows }) => rows),
    flags: [...flags, ...lostFlags(office), ...drawFlags(chance)],
    confirmed: drawConfirmation(chance),
  })
}

/** Some of the exports, in whatever order, at once or one by one. */
export const giveExports: Act = async (office, chance) => {
  const { exports } = office.history ?? NO_HISTORY
  const some = shuffled(exports, chance).slice(0, chance.between(1, 4))
  const order = chance.weigh({ any: 2, name: 1, day: 2 })
  const ordered =
    order === 'any'
      ? some
      : some.sort((one, other) => (order === 'day' ? one.day - other.day : one.name < other.name ? -1 : 1))
  for (const exports of chance.happens(0.5) ? [ordered] : ordered.map((one) => [one]))
    await give(office, exports, chance, newerFlag(office, exports, chance))
}

const NO_HISTORY: Pick<History, 'exports'> = { exports: [] }

/** Somebody learns what `--newer` is for, and says it of the newest export that is in. */
export const sayNewer: Act = async (office, chance) => {
  const newest = exportsKnownTo(office, LEDGER).at(-1)
  if (newest !== undefined) await give(office, [newest], chance, newerFlag(office, [newest], chance))
}

/** The last export of each system, or the newest alone, is set beside the ledger, all goes on, and it comes in. */
export const compareTheNewest: Act = async (office, chance) => {
  const { desk, history } = office
  if (!exists(office, LEDGER)) return
  const last = (of: 'a' | 'b') => history?.exports.findLast(({ system }) => system === of) ?? []
  const systems = (['a', 'b'] as const).flatMap(last)
  const newest = chance.happens(0.55) ? (history?.exports.slice(-1) ?? []) : systems
  const ended = await desk.type([
    ...['compare', ...newest.map(({ name }) => desk.at(name)), '--ledger', desk.at(LEDGER)],
    ...['--out', desk.at(`${LEDGER}.report`), '--yes-it-is-final', ...configure(office, 'columns.yaml')],
  ])
  after(office, `comparison of ${LEDGER}`, LEDGER, ended)
  if (chance.happens(0.4)) await runLedger(office, { ledger: LEDGER, flags: drawFlags(chance) })
  if (chance.happens(0.7))
    for (const exports of chance.happens(0.5) ? [newest] : newest.map((one) => [one]))
      await give(office, exports, chance)
}

interface Line {
  readonly line: number
  readonly mandate: TrueMandate
}

/**
 * Somebody who knows which mandate each line means goes through the corrections: of each that is to be sent one line
 * gets the word, corrected where it is wrong, and the others are closed.
 */
export const settleLines: Act = async (office, chance) => {
  for (const list of ['refused.csv', 'corrections.csv'] as const) await settle(office, list, chance)
}

async function settle(office: Office, list: 'corrections.csv' | 'refused.csv', chance: Chance) {
  const { desk, history, judge, service } = office
  const { sheet, save } = await takeList(office, LEDGER, list)
  const contradicts = (row: Sheet[number]): boolean =>
    valueOf(sheet, row, 'migration_rule').includes('CONTRADICTS_SENT')
  const lines = sheet.flatMap((row, line): Line[] => {
    const mandate = judge.mandateOf(desk.at(LEDGER), Number(valueOf(sheet, row, 'migration_row')))
    if (mandate === undefined) return []
    // What says otherwise of a mandate that was sent is closed by the line of that, unless it was not sent after all.
    const ledger = desk.at(LEDGER)
    const wasSent = judge.isIn(ledger, mandate, ...OPEN, 'registered')
    return contradicts(row) && wasSent ? [] : [{ line, mandate }]
  })
  const at = (line: number, name: string): string => valueOf(sheet, sheet[line]!, name).toUpperCase()
  /** Somebody had typed what belongs to another line. */
  const isTaking = ({ line }: Line): boolean => at(line, 'migration_rule').startsWith('CORRECTION_TAKES')
  const closed: Line[] = []
  let sending = sheet
  for (const mandate of new Set(lines.map((one) => one.mandate))) {
    // The word beside its other spelling, too, would say that they are two.
    const all = lines.filter((one) => one.mandate === mandate)
    // What a person closed in doubt is never sent, and the line says so.
    const isClosed = all.some(
      ({ line }) => at(line, 'migration_remedy').startsWith('A PERSON CLOSED') || contradicts(sheet[line]!),
    )
    const isOver =
      isClosed || history?.ended.has(mandate) === true || service.applicationsOf(mandate).length > 0
    const isLetGo = judge.isIn(desk.at(LEDGER), mandate, 'ready') && !isClosed
    const isLeft = isOpen(office, mandate) && !isClosed
    if (isLetGo || isLeft || (!isOver && chance.happens(0.1))) continue
    const own = all.some((one) => !isTaking(one)) ? all.filter((one) => !isTaking(one)) : all
    const best = own.find(({ line }) => isTrue(sheet, sheet[line]!, mandate)) ?? own[0]
    if (!isOver && best !== undefined)
      sending = withTruth(said(sending, best.line, 'send'), best.line, mandate)
    // A line that is spelled alike is of the same mandate also for the program: that one would be closed with it.
    const isOther = ({ line }: Line): boolean =>
      at(line, 'unique_mandate_reference') !== at(best?.line ?? 0, 'unique_mandate_reference')
    const others = all.filter((one) => isOther(one) || !own.includes(one))
    if (isOver || chance.happens(0.8)) closed.push(...(isOver ? all : others))
  }
  const by = chance.happens(0.3) ? drawResaving(chance) : null
  const send = async (): Promise<void> => {
    if (sending === sheet) return
    const files = [save('settled', sending, by)]
    const flags = [...lostFlags(office), ...drawFlags(chance)]
    await runLedger(office, { ledger: LEDGER, files, flags })
  }
  const close = async (): Promise<void> => {
    if (closed.length === 0) return
    const meant = closed.map(({ mandate }): Said => ({ mandate, decision: 'written-off' }))
    const filled = closed.reduce((done, { line }) => said(done, line, 'written-off'), sheet)
    const file = save('closed', filled, by)
    await giveDecisions(office, { file, of: LEDGER, ledger: LEDGER, meant, isForced: false })
  }
  for (const doNow of chance.happens(0.5) ? [send, close] : [close, send]) await doNow()
}

/** Two people correct the same lines, one as it is now and one as it was, and both lists are given at once: none goes. */
export const giveTwoLists: Act = async (office, chance) => {
  const { desk, judge, service } = office
  const { sheet, save } = await takeList(office, LEDGER, 'corrections.csv')
  const lines = sheet.flatMap((row, line): Line[] => {
    const mandate = judge.mandateOf(desk.at(LEDGER), Number(valueOf(sheet, row, 'migration_row')))
    if (mandate === undefined || mandate.account === mandate.formerAccount) return []
    // Who leaves an account as it is has corrected nothing.
    const isTold = [mandate.account, mandate.formerAccount].includes(valueOf(sheet, row, 'iban'))
    return isTold || isOpen(office, mandate) ? [] : [{ line, mandate }]
  })
  if (lines.length === 0) return
  const ann = lines.reduce((done, { line, mandate }) => withTruth(done, line, mandate), sheet)
  const bob = lines.reduce(
    (done, { line, mandate }) => withValue(done, line, 'iban', mandate.formerAccount),
    ann,
  )
  const files = shuffled([save('ann', ann, null), save('bob', bob, null)], chance)
  const before = lines.map(({ mandate }) => service.applicationsOf(mandate).length)
  await runLedger(office, { ledger: LEDGER, files, flags: drawFlags(chance) })
  for (const [at, { mandate }] of lines.entries())
    if (service.applicationsOf(mandate).length > before[at]!)
      judge.violate(`CONTESTED: customer ${mandate.customerNo} was sent, and two lists say otherwise of it`)
}

const OPEN = ['sending', 'in_doubt']

/** Nobody can say whether the service holds it, or will. */
const isOpen = ({ desk, judge, service }: Office, mandate: TrueMandate): boolean =>
  service.mayArrive(mandate) || judge.isIn(desk.at(LEDGER), mandate, ...OPEN)

const isTrue = (sheet: Sheet, row: readonly string[], mandate: TrueMandate): boolean =>
  Number(valueOf(sheet, row, 'customer_no')) === mandate.customerNo &&
  valueOf(sheet, row, 'signed_date') === mandate.signedDate &&
  valueOf(sheet, row, 'iban') === mandate.account

const said = (sheet: Sheet, line: number, decision: string): Sheet =>
  withValues(sheet, line, { migration_decision: decision, migration_reason: 'looked up' })

const MOST_ROUNDS = 12

/** Everybody goes on until nothing is open, and leaves nothing out in the end. */
export async function bringExportsToAnEnd(office: Office, chance: Chance): Promise<void> {
  const { desk, judge } = office
  if (exportsKnownTo(office, LEDGER).length === 0) return
  const compares = chance.happens(0.3)
  const careful: Chance = { ...chance, happens: (probability) => probability > 0.5 }
  for (let round = 1; round <= MOST_ROUNDS; round += 1) {
    const drawn = round > MOST_ROUNDS / 2 ? careful : chance
    desk.pass(20 * 60_000)
    if (compares || hasComparison(office, LEDGER)) await compareTheNewest(office, drawn)
    const { status } = await runLedger(office, { ledger: LEDGER, flags: ['--retry-refused'] })
    if (status === 0 || status === 8 || judge.violations.length > 0) return
    await resolveDoubts(office, LEDGER, drawn)
    await closeLines(office, LEDGER, drawn)
    await settleLines(office, drawn)
  }
  judge.violate(`STUCK: ${LEDGER} is not done after ${MOST_ROUNDS} rounds`)
}
