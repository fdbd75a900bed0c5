import type { Chance } from '../support/chance.js'
import { judgeCutOver } from './people-judge.js'
import {
  type Act,
  after,
  configure,
  drawCampaign,
  drawFlags,
  exists,
  exportOf,
  meantBy,
  type Office,
  orderedAs,
  runLedger,
  save,
  takeList,
  tookNothing,
} from './people-office.js'
import { drawResaving, type Sheet, shuffled, valueOf, write } from './people-spreadsheet.js'
import { correctedFault, type ExportRow, spellingsOf, type TrueMandate } from './people-truth.js'

const MINUTE = 60_000

/** Somebody opens in-doubt.csv, and may come back to it much later. */
export const openTheDoubts: Act = async (office, chance) => {
  const { ledger } = drawCampaign(office, chance)
  const paper = await takeList(office, ledger, 'in-doubt.csv')
  if (paper.sheet.length > 1) office.sheets.push({ ledger, paper })
}

type Decided = 'registered' | 'resend' | 'refused' | 'written-off' | 'done'

/** What a person says of a mandate after a look at the service; null where it is left open. */
function judgeMandate({ service }: Office, mandate: TrueMandate, chance: Chance): Decided | null {
  if (chance.happens(0.1)) return null
  const isHeld = service.applicationsOf(mandate).length > 0
  if (isHeld)
    return chance.weigh<Decided>({ registered: 9, resend: service.recognises ? 5 : 1, 'written-off': 1 })
  return chance.weigh<Decided>({ resend: 6, refused: 4, 'written-off': 1 })
}

/** Once nothing can arrive any more. Where another row has it already, the program asks which of both it belongs to. */
function whatBecame({ desk, judge, service }: Office, ledger: string, mandate: TrueMandate): Decided {
  if (judge.isIn(desk.at(ledger), mandate, 'registered')) return 'written-off'
  return service.applicationsOf(mandate).length > 0 ? 'registered' : 'refused'
}

const assignedTo = ({ service }: Office, mandate: TrueMandate) =>
  service.applicationsOf(mandate).at(-1)?.assigned

/** The file of doubts, sorted and filled in and saved by whatever program, goes back: to its ledger, or another. */
export const resolveFromTheFile: Act = async (office, chance) => {
  const { say } = office
  if (office.sheets.length === 0 || chance.happens(0.7)) await openTheDoubts(office, chance)
  const opened = chance.happens(0.8) ? office.sheets.at(-1) : chance.pick(office.sheets)
  if (opened === undefined) return
  if (chance.happens(0.6)) office.desk.pass(16 * MINUTE)
  const own = office.campaigns.map(({ ledger }) => ledger)
  const ledgers = [opened.ledger, ...own, 'second-1.db', 'second-2.db']
  const ledger = chance.happens(0.75)
    ? opened.ledger
    : chance.pick(ledgers.filter((name) => exists(office, name)))
  const order = chance.weigh({ as_it_was: 4, all: 1, row: 3, customer: 1, reference: 1, attempt: 0.5 })
  const ordered = orderedAs(opened.paper.sheet, order, chance)
  const { filled, meant } = fillIn(office, ordered, { isClosing: chance.happens(0.15), chance })
  if (meant.length === 0) return
  const resaving = chance.happens(0.5) ? drawResaving(chance) : null
  const file = opened.paper.save('doubts', filled, resaving)
  say(`    doubts of ${opened.ledger}, order: ${order}, saved by ${resaving?.program ?? 'nobody'}`)
  await giveDecisions(office, { file, of: opened.ledger, ledger, meant, isForced: chance.happens(0.2) })
}

export interface Said {
  readonly mandate: TrueMandate
  readonly decision: Decided
}

/** Decides about the lines of a list; `sureOf` is the ledger of somebody who knows what became of each. */
export function fillIn(
  office: Office,
  sheet: Sheet,
  { isClosing = false, sureOf, chance }: { isClosing?: boolean; sureOf?: string; chance: Chance },
): { readonly filled: Sheet; readonly meant: Said[] } {
  const meant: Said[] = []
  const [header = [], ...rows] = sheet
  const filled = rows.map((row) => {
    const mandate = meantBy(office, sheet, row)
    const judged = mandate === undefined ? null : judgeMandate(office, mandate, chance)
    const known = sureOf !== undefined && mandate !== undefined ? whatBecame(office, sureOf, mandate) : judged
    const decision = isClosing ? 'written-off' : known
    if (mandate === undefined || decision === null) return row
    meant.push({ mandate, decision })
    office.say(`    of customer ${mandate.customerNo}, ${mandate.signedDate}, somebody says: ${decision}`)
    const assigned = decision === 'registered' ? assignedTo(office, mandate) : undefined
    const values: Readonly<Record<string, string>> = {
      migration_decision: decision,
      migration_reason: 'looked up',
      migration_assigned_creditor_identifier: assigned?.creditorIdentifier ?? '',
      migration_assigned_mandate_reference: assigned?.mandateReference ?? '',
    }
    return row.map((cell, at) => values[header[at] ?? ''] ?? cell)
  })
  return { filled: [header, ...filled], meant }
}

interface GivenDecisions {
  readonly file: string
  /** The ledger that the file was written from. */
  readonly of: string
  readonly ledger: string
  readonly meant: readonly Said[]
  readonly isForced: boolean
}

export async function giveDecisions(office: Office, { file, of, ledger, meant, isForced }: GivenDecisions) {
  const { desk, judge } = office
  const since = judge.mark(desk.at(ledger))
  const force = isForced ? forced(meant.map(({ mandate }) => mandate)) : []
  const ended = await desk.type(['resolve', '--from', desk.at(file), '--ledger', desk.at(ledger), ...force])
  after(office, `resolve from ${file}`, ledger, ended)
  expectSaid(office, { what: `resolve from ${file}`, of, ledger, meant, since, isTaken: !tookNothing(ended) })
  return ended
}

/** What was said is on record, where it was taken, and nothing else. */
export function expectSaid(
  { desk, judge }: Office,
  told: Omit<GivenDecisions, 'file' | 'isForced'> & {
    readonly what: string
    readonly since: number
    readonly isTaken: boolean
  },
): void {
  const { what, of, ledger, since } = told
  const isTaken = told.isTaken && ledger === of
  judge.expectDecisions(what, desk.at(ledger), {
    since,
    isTaken,
    meant: told.meant.map((one) => ({ ...one, ledger: desk.at(of), decision: recordedAs(one.decision) })),
  })
  if (!isTaken) return
  for (const { mandate, decision } of told.meant) if (decision === 'resend') judge.allowResend(mandate)
}

/** The export may have had the reference with a mistake. */
const forced = (mandates: readonly TrueMandate[]): string[] =>
  mandates
    .flatMap((one) => [...spellingsOf(one), `${one.reference}X`, one.reference.replace(/^0+/, '')])
    .flatMap((each) => ['--yes-resend', each])

const recordedAs = (decision: Decided): string => decision.replace('-', '_')

/** All doubts, of which somebody knows what became, and says so again where the program asks to force it. */
export async function resolveDoubts(office: Office, ledger: string, chance: Chance): Promise<void> {
  const paper = await takeList(office, ledger, 'in-doubt.csv')
  const { filled, meant } = fillIn(office, paper.sheet, { sureOf: ledger, chance })
  if (meant.length === 0) return
  const file = paper.save('doubts', filled, null)
  const said = { file, of: ledger, ledger, meant }
  const { status } = await giveDecisions(office, { ...said, isForced: false })
  if (status === 2) await giveDecisions(office, { ...said, isForced: true })
}

interface Typed {
  readonly ledger: string
  /** Numbers of the rows, of these mandates. */
  readonly rows: readonly string[]
  readonly meant: readonly TrueMandate[]
  readonly decision: Decided
  readonly reason: string
  readonly flags?: readonly string[]
}

/** A decision as somebody types it, of one row or some. */
async function type(office: Office, { ledger, rows, meant, decision, reason, flags = [] }: Typed) {
  const { desk, judge } = office
  const since = judge.mark(desk.at(ledger))
  const numbers = rows.flatMap((row) => ['--row', row])
  const words = ['resolve', '--ledger', desk.at(ledger), ...numbers, '--as', decision, '--reason', reason]
  const ended = await desk.type([...words, ...flags])
  after(office, `resolve as ${decision}`, ledger, ended)
  const said = meant.map((mandate) => ({ mandate, decision }))
  const isTaken = !tookNothing(ended)
  expectSaid(office, { what: 'resolve by hand', of: ledger, ledger, meant: said, since, isTaken })
}

/** One row, typed; some type two. */
export const resolveOne: Act = async (office, chance) => {
  const { ledger } = drawCampaign(office, chance)
  const { sheet } = await takeList(office, ledger, 'in-doubt.csv')
  if (sheet.length < 2) return
  if (chance.happens(0.5)) office.desk.pass(16 * MINUTE)
  const picked = shuffled(sheet.slice(1), chance).slice(0, chance.happens(0.3) ? 2 : 1)
  const [mandate, ...others] = picked.flatMap((row) => meantBy(office, sheet, row) ?? [])
  const decision = mandate === undefined ? null : judgeMandate(office, mandate, chance)
  if (mandate === undefined || decision === null || (decision === 'registered' && others.length > 0)) return
  const meant = [mandate, ...others]
  const { creditorIdentifier = '', mandateReference = '' } = assignedTo(office, mandate) ?? {}
  const assigned = ['--assigned-creditor-identifier', creditorIdentifier, '--assigned-mandate-reference']
  await type(office, {
    ...{ ledger, meant, decision, reason: 'looked up' },
    rows: picked.map((row) => valueOf(sheet, row, 'migration_row')),
    flags: [
      ...(decision === 'registered' && mandateReference !== '' ? [...assigned, mandateReference] : []),
      ...(chance.happens(0.2) ? forced(meant) : []),
    ],
  })
}

/** The first row in doubt whose mandate the service holds, or does not, as somebody who looks finds it. */
async function doubtThat(office: Office, isLive: boolean, ledger: string) {
  const { sheet } = await takeList(office, ledger, 'in-doubt.csv')
  for (const row of sheet.slice(1)) {
    const mandate = meantBy(office, sheet, row)
    if (mandate !== undefined && office.service.applicationsOf(mandate).length > 0 === isLive)
      return { ledger, meant: [mandate], rows: [valueOf(sheet, row, 'migration_row')] }
  }
  return null
}

/** Somebody looks at once, sees nothing, calls it refused, and sends it again. */
export const decideInHaste: Act = async (office, chance) => {
  const { ledger } = drawCampaign(office, chance)
  const doubt = await doubtThat(office, false, ledger)
  if (doubt === null) return
  await type(office, { ...doubt, decision: 'refused', reason: 'the service does not show it' })
  await runLedger(office, { ledger, flags: ['--retry-refused'] })
}

/** Somebody closes a row that is live, because the customer pays in another way. */
export const closeALiveOne: Act = async (office, chance) => {
  const doubt = await doubtThat(office, true, drawCampaign(office, chance).ledger)
  if (doubt !== null) await type(office, { ...doubt, decision: 'written-off', reason: 'pays by card' })
}

/** The list of the service is laid beside the ledger. */
export const reconcileWithTheList: Act = async (office, chance) => {
  const { desk, judge, service } = office
  const { ledger } = drawCampaign(office, chance)
  if (!exists(office, ledger)) return
  const style = drawStyle(chance)
  const listed = [...service.applications]
  const file = save(office, 'list', write(listAs(office, style)))
  const isApplied = chance.happens(0.6)
  office.say(`  the list shows account: ${style.account}, date: ${style.date}, reference: ${style.reference}`)
  const ended = await desk.type([
    ...['resolve', '--against', desk.at(file), '--ledger', desk.at(ledger), '--json'],
    ...(isApplied ? ['--apply'] : []),
  ])
  after(office, `reconcile of ${ledger}`, ledger, ended)
  for (const row of calledAbsent(ended.stdout)) {
    const mandate = judge.mandateOf(desk.at(ledger), row)
    if (listed.some((one) => one.mandate !== null && one.mandate === mandate))
      judge.violate(`ABSENT: row ${row} of ${ledger} is in the list, and reconcile says that it is not`)
  }
}

interface ListStyle {
  readonly account: 'whole' | 'masked' | 'stars' | 'none'
  readonly date: 'iso' | 'german' | 'none'
  readonly reference: 'whole' | 'lower' | 'empty' | 'none'
}

/** Some lists show little more than the customer. */
function drawStyle(chance: Chance): ListStyle {
  switch (chance.weigh({ any: 4, 'an account': 3, 'a customer': 3 })) {
    case 'an account':
      return { account: 'whole', date: 'none', reference: 'none' }
    case 'a customer':
      return { account: chance.pick(['masked', 'stars', 'none']), date: 'none', reference: 'none' }
    default:
      return {
        account: chance.pick(['whole', 'masked', 'stars', 'none']),
        date: chance.pick(['iso', 'german', 'none']),
        reference: chance.pick(['whole', 'lower', 'empty', 'none']),
      }
  }
}

function listAs({ service }: Office, { account, date, reference }: ListStyle): Sheet {
  const accountOf = (iban: string): string =>
    account === 'whole'
      ? iban
      : account === 'masked'
        ? `${iban.slice(0, 2)}…${iban.slice(-4)}`
        : `******************${iban.slice(-4)}`
  const dateOf = (iso: string): string => (date === 'german' ? iso.split('-').reverse().join('.') : iso)
  const referenceOf = (text: string): string =>
    reference === 'empty' ? '' : reference === 'lower' ? text.toLowerCase() : text
  const header = [
    ...['customer_no', 'sepa_creditor_identifier', 'unique_mandate_reference'],
    ...(account === 'none' ? [] : ['iban']),
    ...(date === 'none' ? [] : ['signed_date']),
    ...(reference === 'none' ? [] : ['original_mandate_reference']),
  ]
  return [
    header,
    ...service.applications.map(({ request, assigned }) => [
      ...[String(request.customer_no), assigned.creditorIdentifier, assigned.mandateReference],
      ...(account === 'none' ? [] : [accountOf(request.iban)]),
      ...(date === 'none' ? [] : [dateOf(request.signed_date)]),
      ...(reference === 'none' ? [] : [referenceOf(request.amendment.unique_mandate_reference)]),
    ]),
  ]
}

/** Rows of which the program says that the list does not show them. */
function calledAbsent(stdout: string): number[] {
  const printed = JSON.parse(stdout) as {
    reconciliation?: { differences?: { kind: string; row: number | null; detail: string | null }[] }
  }
  return (printed.reconciliation?.differences ?? [])
    .filter(({ kind, detail }) => kind === 'still_in_doubt' && /not registered/.test(detail ?? ''))
    .flatMap(({ row }) => (row === null ? [] : [row]))
}

/** Before the cut-over customers end what they signed, move and sign; the last export says so, and people set it beside. */
export const cutOver: Act = async (office, chance) => {
  const { ledger, rows } = drawCampaign(office, chance)
  if (!exists(office, ledger)) return
  const file = saveFinal(office, rows, chance)
  if (file === null) return
  const times = chance.between(1, 4)
  for (let step = 0; step < times; step += 1) {
    await compare(office, ledger, file.name, chance)
    const next = chance.weigh({ goOn: 2, closeLines: 3, takeItIn: 3, wait: 1, nothing: 1 })
    if (next === 'goOn') await runLedger(office, { ledger, flags: drawFlags(chance) })
    if (next === 'closeLines') await closeLines(office, ledger, chance)
    if (next === 'takeItIn')
      await runLedger(office, {
        ...{ ledger, files: [file.name], rows: file.rows, flags: drawFlags(chance) },
        holding: file.rows.map(({ mandate }) => mandate),
      })
    if (next === 'wait') office.desk.pass(20 * 60_000)
    judgeCutOver(office, `${next} behind a comparison`, ledger)
  }
}

function saveFinal(office: Office, rows: readonly ExportRow[], chance: Chance) {
  const stays = rows.filter(() => chance.happens(0.7))
  if (stays.length === 0) return null
  const moved = stays.map((row) => (chance.happens(0.3) ? { ...row, fault: correctedFault(row.fault) } : row))
  const status = rows[0]?.status ?? null
  const signed = office.signedLater
    .filter(() => chance.happens(0.5))
    .map((mandate) => ({ mandate, fault: null, status }))
  const final = [...moved, ...signed]
  const name = save(office, 'final', exportOf(final))
  const gone = rows.filter((row) => !stays.includes(row)).map(({ mandate }) => mandate)
  office.gone.set(name, gone)
  const told = (mandates: readonly TrueMandate[]): string =>
    mandates.map(({ customerNo, signedDate }) => `${customerNo} of ${signedDate}`).join(', ')
  office.say(`  ${name}: without ${told(gone)}; new ${told(signed.map(({ mandate }) => mandate))}`)
  return { name, rows: final }
}

async function compare(office: Office, ledger: string, file: string, chance: Chance): Promise<void> {
  const { desk } = office
  const sure = chance.happens(0.7) ? ['--yes-it-is-final'] : []
  const out = ['--out', desk.at(`${ledger}.report`)]
  const type = (flags: readonly string[]) =>
    desk.type(['compare', desk.at(file), '--ledger', desk.at(ledger), ...out, ...sure, ...flags])
  let ended = await type([])
  if (ended.status === 7) ended = await type(configure(office, 'columns.yaml'))
  after(office, `comparison of ${ledger}`, ledger, ended)
}

/** What was done at the service is written down, of some lines and now and then of a wrong one. */
export async function closeLines(office: Office, ledger: string, chance: Chance): Promise<void> {
  const { desk, judge, say } = office
  const paper = await takeList(office, ledger, 'cut-over.csv')
  const [header = [], ...lines] = paper.sheet
  const meant: Said[] = []
  const filled = lines.map((line) => {
    const at = (name: string): string => valueOf(paper.sheet, line, name)
    const mandate = judge.mandateOf(desk.at(ledger), Number(at('migration_row')))
    if (mandate === undefined || at('migration_state') === 'in_doubt' || !chance.happens(0.6)) return line
    const isOver = at('migration_class') === 'gone_unsent' && !chance.happens(0.05)
    const decision = isOver ? 'written-off' : 'done'
    meant.push({ mandate, decision })
    say(`    of customer ${mandate.customerNo}, ${mandate.signedDate}, somebody says: ${decision}`)
    const values: Record<string, string> = { migration_decision: decision, migration_reason: 'they said so' }
    return line.map((cell, column) => values[header[column] ?? ''] ?? cell)
  })
  if (meant.length === 0) return
  const file = paper.save('cut-over', [header, ...filled], chance.happens(0.5) ? drawResaving(chance) : null)
  await giveDecisions(office, { file, of: ledger, ledger, meant, isForced: false })
}
