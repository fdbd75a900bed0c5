import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { copyLedger, HOST } from './people-desk.js'
import {
  after,
  exists,
  exportOf,
  listOf,
  meantBy,
  runLedger,
  save,
  sheetOfRows,
  tookNothing,
  type Act,
  type Campaign,
  type Office,
} from './people-office.js'
import {
  drawResaving,
  resave,
  shuffled,
  sorted,
  sortedApart,
  valueOf,
  withValue,
  write,
  type Sheet,
} from './people-spreadsheet.js'
import type { ExportRow, TrueMandate } from './people-truth.js'
import type { Chance } from './simulation-chance.js'

const MINUTE = 60_000

const drawCampaign = ({ campaigns }: Office, chance: Chance): Campaign =>
  chance.happens(0.8) ? campaigns[0]! : chance.pick(campaigns)

/** Flags that people give now and then. */
const drawFlags = (chance: Chance): string[] => [
  ...(chance.happens(0.4) ? ['--limit', String(chance.between(1, 3))] : []),
  ...(chance.happens(0.6) ? ['--concurrency', String(chance.between(1, 3))] : []),
]

const drawConfirmation = (chance: Chance) =>
  chance.weigh({ 'with --yes': 6, 'host typed': 1.5, 'no typed': 1 }) as 'with --yes' | 'host typed' | 'no typed'

/** The export goes to its ledger, for the first time or again. */
const runTheExport: Act = async (office, chance) => {
  const { ledger, file, mandates } = drawCampaign(office, chance)
  await runLedger(office, {
    ledger,
    files: [file],
    holding: mandates,
    flags: drawFlags(chance),
    confirmed: drawConfirmation(chance),
  })
}

const goOn: Act = async (office, chance) => {
  const { ledger } = drawCampaign(office, chance)
  if (!exists(office, ledger)) return
  await runLedger(office, { ledger, flags: drawFlags(chance), confirmed: drawConfirmation(chance) })
}

const retryRefused: Act = async (office, chance) => {
  const { ledger } = drawCampaign(office, chance)
  if (!exists(office, ledger)) return
  const confirmed = drawConfirmation(chance)
  await runLedger(office, { ledger, flags: ['--retry-refused'], confirmed })
}

const waitAWhile: Act = (office, chance) => {
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

const copyTheLedger: Act = (office, chance) => {
  const { ledger } = drawCampaign(office, chance)
  if (exists(office, ledger)) copyNow(office, ledger, chance)
  return Promise.resolve()
}

const copyDuringARun: Act = async (office, chance) => {
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
const restoreACopy: Act = async (office, chance) => {
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
}

const killARun: Act = async (office, chance) => {
  const { ledger, file, mandates } = drawCampaign(office, chance)
  const { desk, say } = office
  const { status } = await runLedger(office, {
    ledger,
    files: chance.happens(0.7) || !exists(office, ledger) ? [file] : [],
    holding: mandates,
    flags: ['--concurrency', String(chance.between(1, 3))],
    circumstances: { killedAt: chance.between(1, 3) },
  })
  if (status !== null || !chance.happens(0.5)) return
  say(`  the write-ahead log of ${ledger} is lost`)
  for (const ending of ['-wal', '-shm']) rmSync(desk.at(ledger) + ending, { force: true })
  for (let times = chance.between(0, 2); times > 0; times -= 1) await runLedger(office, { ledger })
}

/** The same export as somebody else has it: saved again, or with small changes. */
function anotherCopyOf({ rows }: Campaign, chance: Chance): { text: string; holding: TrueMandate[] } {
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

const SPELLINGS = [`https://${HOST}`, `https://${HOST}`, `https://${HOST}:443`, `https://${HOST}.`, 'HTTPS://Service.Example/']

/** Somebody begins the same campaign with a ledger of their own, perhaps while the question is still open. */
const useASecondLedger: Act = async (office, chance) => {
  const campaign = drawCampaign(office, chance)
  const { text, holding } = anotherCopyOf(campaign, chance)
  const file = save(office, 'export', text)
  const ledger = `second-${chance.between(1, 2)}.db`
  const env = { SEPA_MIGRATE_BASE_URL: chance.pick(SPELLINGS) }
  const second = async (): Promise<void> => {
    const confirmed = chance.happens(0.5) && env.SEPA_MIGRATE_BASE_URL === SPELLINGS[0] ? 'host typed' : 'with --yes'
    await runLedger(office, { ledger, files: [file], holding, confirmed, circumstances: { env } })
  }
  if (chance.happens(0.5)) return second()
  office.say('  two terminals')
  await runLedger(office, {
    ledger: campaign.ledger,
    files: [campaign.file],
    holding: campaign.mandates,
    confirmed: 'host typed',
    beforeAnswer: second,
  })
}

/** The same ledger from two terminals. */
const runTwice: Act = async (office, chance) => {
  const { ledger, file, mandates } = drawCampaign(office, chance)
  await runLedger(office, {
    ledger,
    files: [file],
    holding: mandates,
    confirmed: chance.happens(0.7) ? 'host typed' : 'no typed',
    beforeAnswer: async () => void (await runLedger(office, { ledger, files: [file] })),
  })
}

/** The list of runs is cut, or the folder for it cannot be written for a while. */
const breakTheRegister: Act = async (office, chance) => {
  const { desk, say } = office
  const { ledger } = drawCampaign(office, chance)
  const register = desk.at('state', 'campaigns.jsonl')
  if (!existsSync(register) || !exists(office, ledger)) return
  const kept = readFileSync(register)
  if (chance.happens(0.5)) {
    say('  the last line of the register is cut')
    truncateSync(register, Math.max(0, kept.length - chance.between(2, 60)))
    await runLedger(office, { ledger })
    if (chance.happens(0.5)) return
    writeFileSync(register, Buffer.concat([kept, readFileSync(register).subarray(kept.length)]), { mode: 0o600 })
    return
  }
  say('  something is in the way of the register')
  rmSync(register)
  mkdirSync(register)
  await runLedger(office, { ledger })
  rmSync(register, { recursive: true })
  writeFileSync(register, kept, { mode: 0o600 })
}

/** The export comes again, saved by a spreadsheet, corrected, or with a slip of the hand in it. */
const giveAChangedExport: Act = async (office, chance) => {
  const campaign = drawCampaign(office, chance)
  const { ledger, rows, mandates } = campaign
  const change = chance.weigh({ saved: 3, corrected: 3, quote: 2, other: 1, footer: 1 })
  const run = (text: string, holding: readonly TrueMandate[], flags: readonly string[] = []) =>
    runLedger(office, { ledger, files: [save(office, 'export', text)], holding, flags: [...flags, ...drawFlags(chance)] })
  switch (change) {
    case 'saved': {
      const resaving = drawResaving(chance)
      office.say(`  the export is saved again by ${resaving.program}`)
      await run(resave(sheetOfRows(rows), resaving), mandates)
      return
    }
    case 'corrected': {
      const mended = rows.map((row) => (chance.happens(0.7) ? { ...row, fault: null } : row))
      office.say('  what is wrong in the export is corrected there')
      const corrected = mended.filter((row, at) => row.fault !== rows[at]?.fault)
      const given = corrected.map(({ mandate }) => mandate)
      await giveCorrected(office, ledger, given, () => run(exportOf(mended), mandates))
      return
    }
    case 'quote': {
      office.say('  two names of the export have a stray quote mark')
      await run(withStrayQuotes(rows, chance), mandates)
      return
    }
    case 'footer': {
      office.say('  a footer line is configured that the export does not have')
      const config = office.desk.at('footer.yaml')
      writeFileSync(config, 'source: { skipFooterLines: 1 }\n', { mode: 0o600 })
      await run(`${exportOf(rows)}${chance.happens(0.3) ? '\n' : ''}`, mandates, ['--config', config])
      return
    }
    default: {
      const { text, holding } = anotherCopyOf(campaign, chance)
      await run(text, holding)
    }
  }
}

/** What a correction says holds from the moment it is given, unless the whole file is refused. */
async function giveCorrected(
  { desk, judge, service }: Office,
  ledger: string,
  mandates: readonly TrueMandate[],
  give: () => ReturnType<typeof runLedger>,
): Promise<void> {
  const heldBefore = service.applications.length
  const ended = await give()
  if (tookNothing(ended) || ended.status === null) return
  judge.correct(desk.at(ledger), mandates, heldBefore)
  judge.look('a correction', desk.at(ledger))
}

/** `1002,"Zum Adler,…` and, further below, `1004,Zum Hirsch",…`. */
function withStrayQuotes(rows: readonly ExportRow[], chance: Chance): string {
  const plain = rows.map(({ mandate, fault }) => ({
    mandate: { ...mandate, name: mandate.name.replaceAll(/[",]/g, '') },
    fault,
  }))
  const lines = exportOf(plain).split('\n')
  const first = chance.between(1, plain.length - 1)
  const last = chance.between(first + 1, plain.length)
  lines[first] = lines[first]!.replace(',', ',"')
  lines[last] = lines[last]!.replace(/^(\d+,[^,]*),/, '$1",')
  return lines.join('\n')
}

/** Somebody opens in-doubt.csv, and may come back to it much later. */
const openTheDoubts: Act = async (office, chance) => {
  const { ledger } = drawCampaign(office, chance)
  const sheet = await listOf(office, ledger, 'in-doubt.csv')
  if (sheet.length > 1) office.sheets.push({ ledger, sheet })
}

const DECIDABLE = ['registered', 'resend', 'refused', 'written-off'] as const
type Decided = (typeof DECIDABLE)[number]

/** What a person says of a mandate after a look at the service; null where it is left open. */
function judgeMandate({ service }: Office, mandate: TrueMandate, chance: Chance): Decided | null {
  if (chance.happens(0.1)) return null
  const isHeld = service.applicationsOf(mandate).length > 0
  if (isHeld) return chance.happens(0.9) ? 'registered' : 'resend'
  return chance.weigh({ resend: 6, refused: 4, 'written-off': 1 }) as Decided
}

const assignedTo = ({ service }: Office, mandate: TrueMandate) => service.applicationsOf(mandate).at(-1)?.assigned

/** The file of doubts, sorted and filled in and saved by whatever program, goes back: to its ledger, or another. */
const settleFromTheFile: Act = async (office, chance) => {
  const { desk, judge, say } = office
  if (office.sheets.length === 0 || chance.happens(0.7)) await openTheDoubts(office, chance)
  const opened = chance.happens(0.8) ? office.sheets.at(-1) : chance.pick(office.sheets)
  if (opened === undefined) return
  if (chance.happens(0.6)) office.desk.pass(16 * MINUTE)
  const order = chance.weigh({ as_it_was: 4, all: 1, row: 3, customer: 1, reference: 1, attempt: 0.5 })
  const ordered = orderedAs(opened.sheet, order, chance)
  const meant: { mandate: TrueMandate; decision: Decided }[] = []
  const [header = [], ...rows] = ordered
  const filled: Sheet = [
    header,
    ...rows.map((row) => {
      const mandate = meantBy(office, ordered, row)
      const decision = mandate === undefined ? null : judgeMandate(office, mandate, chance)
      if (mandate === undefined || decision === null) return row
      meant.push({ mandate, decision })
      const assigned = decision === 'registered' ? assignedTo(office, mandate) : undefined
      const values: Readonly<Record<string, string>> = {
        migration_decision: decision,
        migration_reason: 'looked up',
        migration_assigned_creditor_identifier: assigned?.creditorIdentifier ?? '',
        migration_assigned_mandate_reference: assigned?.mandateReference ?? '',
      }
      return row.map((cell, at) => values[header[at] ?? ''] ?? cell)
    }),
  ]
  if (meant.length === 0) return
  const ledgers = [opened.ledger, ...office.campaigns.map(({ ledger }) => ledger), 'second-1.db', 'second-2.db']
  const ledger = chance.happens(0.8) ? opened.ledger : chance.pick(ledgers.filter((name) => exists(office, name)))
  const resaving = chance.happens(0.5) ? drawResaving(chance) : null
  const file = save(office, 'doubts', resaving === null ? write(filled) : resave(filled, resaving))
  for (const { mandate, decision } of meant)
    say(`    of customer ${mandate.customerNo}, ${mandate.signedDate}, somebody says: ${decision}`)
  say(`    doubts of ${opened.ledger}, order: ${order}, saved by ${resaving?.program ?? 'nobody'}`)
  const since = judge.mark(desk.at(ledger))
  const force = chance.happens(0.2) ? ['--force'] : []
  const ended = await desk.type(['resolve', '--from', desk.at(file), '--ledger', desk.at(ledger), ...force])
  after(office, `resolve from ${file}`, ledger, ended)
  const isTaken = !tookNothing(ended)
  judge.expectDecisions(`resolve from ${file}`, desk.at(ledger), {
    since,
    isTaken: isTaken && ledger === opened.ledger,
    meant: meant.map((one) => ({ ...one, ledger: desk.at(opened.ledger), decision: recordedAs(one.decision) })),
  })
  if (!isTaken || ledger !== opened.ledger) return
  for (const { mandate, decision } of meant) if (decision === 'resend') judge.allowResend(mandate)
}

const recordedAs = (decision: Decided): string => decision.replace('-', '_')

function orderedAs(
  sheet: Sheet,
  order: 'as_it_was' | 'all' | 'row' | 'customer' | 'reference' | 'attempt',
  chance: Chance,
): Sheet {
  switch (order) {
    case 'as_it_was':
      return sheet
    case 'all':
      return sorted(sheet, chance)
    case 'row':
      return sortedApart(sheet, 'migration_row', chance)
    case 'customer':
      return sortedApart(sheet, 'customer_no', chance)
    case 'reference':
      return sortedApart(sheet, 'unique_mandate_reference', chance)
    case 'attempt':
      return sortedApart(sheet, 'migration_attempt', chance)
  }
}

/** One row, typed; some type two. */
const settleOne: Act = async (office, chance) => {
  const { desk, judge } = office
  const { ledger } = drawCampaign(office, chance)
  const sheet = await listOf(office, ledger, 'in-doubt.csv')
  if (sheet.length < 2) return
  if (chance.happens(0.5)) desk.pass(16 * MINUTE)
  const picked = shuffled(sheet.slice(1), chance).slice(0, chance.happens(0.2) ? 2 : 1)
  const [mandate, ...others] = picked.flatMap((row) => meantBy(office, sheet, row) ?? [])
  const decision = mandate === undefined ? null : judgeMandate(office, mandate, chance)
  if (mandate === undefined || decision === null || (decision === 'registered' && others.length > 0)) return
  const meant = [mandate, ...others]
  const assigned = decision === 'registered' ? assignedTo(office, mandate) : undefined
  const since = judge.mark(desk.at(ledger))
  const ended = await desk.type([
    ...['resolve', '--ledger', desk.at(ledger)],
    ...picked.flatMap((row) => ['--row', valueOf(sheet, row, 'migration_row')]),
    ...['--as', decision, '--reason', 'looked up'],
    ...(assigned === undefined
      ? []
      : [
          ...['--assigned-creditor-identifier', assigned.creditorIdentifier],
          ...['--assigned-mandate-reference', assigned.mandateReference],
        ]),
    ...(chance.happens(0.2) ? ['--force'] : []),
  ])
  after(office, 'resolve of one row', ledger, ended)
  judge.expectDecisions('resolve by hand', desk.at(ledger), {
    since,
    isTaken: !tookNothing(ended),
    meant: meant.map((one) => ({ mandate: one, ledger: desk.at(ledger), decision: recordedAs(decision) })),
  })
  if (decision === 'resend' && !tookNothing(ended)) meant.forEach(judge.allowResend)
}

/** What came back is corrected in a spreadsheet and given again. */
const correctTheFile: Act = async (office, chance) => {
  const { ledger } = drawCampaign(office, chance)
  const list = chance.pick(['refused.csv', 'not-sent.csv', 'not-sent.csv'])
  const sheet = await listOf(office, ledger, list)
  if (sheet.length < 2) return
  const corrected: TrueMandate[] = []
  let mended: Sheet = sheet
  for (const [line, row] of sheet.entries()) {
    const mandate = line === 0 ? undefined : meantBy(office, sheet, row)
    if (mandate === undefined || chance.happens(0.2)) continue
    mended = withValue(mended, line, 'iban', mandate.account)
    if (chance.happens(0.7)) mended = withValue(mended, line, 'unique_mandate_reference', mandate.reference)
    corrected.push(mandate)
  }
  const order = chance.weigh({ as_it_was: 4, all: 1, row: 2 })
  mended = orderedAs(mended, order, chance)
  const number = chance.weigh({ plain: 4, '2.0': 2, '2,00': 1, '0002': 1, "'2": 1, '': 0.5 })
  mended = numbered(mended, number)
  const cells = chance.happens(0.15)
  if (cells) mended = mended.map((row, line) => (line === 1 ? [...row, chance.pick(['', 'x'])] : row))
  const resaving = chance.happens(0.5) ? drawResaving(chance) : null
  office.say(
    `  ${list} of ${ledger} is corrected; order: ${order}, migration_row: ${number || 'emptied'}` +
      `${cells ? ', one cell too many' : ''}, saved by ${resaving?.program ?? 'nobody'}`,
  )
  const file = save(office, 'corrected', resaving === null ? write(mended) : resave(mended, resaving))
  if (chance.happens(0.2)) {
    const ended = await office.desk.type(['check', office.desk.at(file), '--out', office.desk.at('checked')])
    if (ended.status === 1) office.judge.violate(`BUG after check of ${list}: exit status 1`)
  }
  await giveCorrected(office, ledger, corrected, () =>
    runLedger(office, { ledger, files: [file], flags: drawFlags(chance) }),
  )
}

function numbered(sheet: Sheet, form: string): Sheet {
  return sheet.reduce<Sheet>((done, row, line) => {
    const value = line === 0 ? '' : valueOf(sheet, row, 'migration_row')
    if (value === '' || form === 'plain') return done
    const written = form === '' ? '' : form.replace('2', value)
    return withValue(done, line, 'migration_row', written)
  }, sheet)
}

/** The list of the service is laid beside the ledger. */
const reconcileWithTheList: Act = async (office, chance) => {
  const { desk, judge, service } = office
  const { ledger } = drawCampaign(office, chance)
  if (!exists(office, ledger)) return
  const style = {
    account: chance.pick(['whole', 'masked', 'stars', 'none'] as const),
    date: chance.pick(['iso', 'german', 'none'] as const),
    reference: chance.pick(['whole', 'lower', 'empty', 'none'] as const),
  }
  const file = save(office, 'list', write(listAs(office, style)))
  const isApplied = chance.happens(0.6)
  office.say(`  the list shows account: ${style.account}, date: ${style.date}, reference: ${style.reference}`)
  const ended = await desk.type([
    ...['reconcile', desk.at(file), '--ledger', desk.at(ledger), '--json'],
    ...(isApplied ? ['--apply'] : []),
  ])
  after(office, `reconcile of ${ledger}`, ledger, ended)
  for (const row of calledAbsent(ended.stdout)) {
    const mandate = judge.mandateOf(desk.at(ledger), row)
    if (mandate !== undefined && service.applicationsOf(mandate).length > 0)
      judge.violate(`ABSENT: row ${row} of ${ledger} is in the list, and reconcile says that it is not`)
  }
}

interface ListStyle {
  readonly account: 'whole' | 'masked' | 'stars' | 'none'
  readonly date: 'iso' | 'german' | 'none'
  readonly reference: 'whole' | 'lower' | 'empty' | 'none'
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

/** Everything that people do, and how often. */
export const ACTS = {
  runTheExport: { weight: 3, act: runTheExport },
  goOn: { weight: 4, act: goOn },
  retryRefused: { weight: 2, act: retryRefused },
  waitAWhile: { weight: 1, act: waitAWhile },
  copyTheLedger: { weight: 2, act: copyTheLedger },
  copyDuringARun: { weight: 1, act: copyDuringARun },
  restoreACopy: { weight: 3, act: restoreACopy },
  killARun: { weight: 2, act: killARun },
  useASecondLedger: { weight: 2, act: useASecondLedger },
  runTwice: { weight: 1, act: runTwice },
  breakTheRegister: { weight: 0.5, act: breakTheRegister },
  giveAChangedExport: { weight: 3, act: giveAChangedExport },
  openTheDoubts: { weight: 1, act: openTheDoubts },
  settleFromTheFile: { weight: 4, act: settleFromTheFile },
  settleOne: { weight: 2, act: settleOne },
  correctTheFile: { weight: 3, act: correctTheFile },
  reconcileWithTheList: { weight: 2, act: reconcileWithTheList },
} as const satisfies Record<string, { weight: number; act: Act }>

export type ActName = keyof typeof ACTS
