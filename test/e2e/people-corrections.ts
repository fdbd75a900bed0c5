import { readFileSync, writeFileSync } from 'node:fs'
import type { Chance } from '../support/chance.js'
import { expectSaid, fillIn, giveDecisions, type Said } from './people-decisions.js'
import { rowsThatLeft } from './people-judge.js'
import { anotherCopyOf } from './people-ledgers.js'
import {
  type Act,
  type Book,
  configure,
  drawCampaign,
  drawConfirmation,
  drawFlags,
  exists,
  exportOf,
  meantBy,
  type Office,
  orderedAs,
  runLedger,
  save,
  saveBook,
  sheetOfRows,
  takeBook,
  takeList,
  tookNothing,
  type WorkedIn,
} from './people-office.js'
import {
  drawResaving,
  resave,
  type Resaving,
  type Sheet,
  sorted,
  sortedApart,
  valueOf,
  withValue,
  withValues,
} from './people-spreadsheet.js'
import { correctedFault, type ExportRow, type TrueMandate } from './people-truth.js'

/** The export comes again, saved by a spreadsheet, corrected, or with a slip of the hand in it. */
export const giveAChangedExport: Act = async (office, chance) => {
  const campaign = drawCampaign(office, chance)
  const { ledger, rows, mandates } = campaign
  const change = chance.weigh({ saved: 3, corrected: 3, quote: 2, other: 1, footer: 1, cut: 1 })
  const run = (
    text: string,
    { flags = [], ...more }: Partial<Parameters<typeof runLedger>[1]> = {},
  ): ReturnType<typeof runLedger> => {
    const files = [save(office, 'export', text)]
    const given = { rows, holding: mandates, ...more, flags: [...flags, ...drawFlags(chance)] }
    return runLedger(office, { ledger, files, ...given })
  }
  switch (change) {
    case 'saved': {
      const resaving = drawResaving(chance)
      office.say(`  the export is saved again by ${resaving.program}`)
      await run(resave(sheetOfRows(rows), resaving))
      return
    }
    case 'corrected': {
      const mended = rows.map((row) =>
        chance.happens(0.7) ? { ...row, fault: correctedFault(row.fault) } : row,
      )
      office.say('  what is wrong in the export is corrected there')
      const corrected = mended.filter((row, at) => row.fault !== rows[at]?.fault)
      const given = corrected.map(({ mandate }) => mandate)
      await giveCorrected(office, ledger, given, () => run(exportOf(mended), { rows: mended }))
      return
    }
    case 'quote': {
      office.say('  two names of the export have a stray quote mark')
      await run(withStrayQuotes(rows, chance))
      return
    }
    case 'footer': {
      office.say('  a footer line is configured that the export does not have')
      const flags = configure(office, 'footer.yaml', 'source: { skipFooterLines: 1 }\n')
      await run(`${exportOf(rows)}${chance.happens(0.3) ? '\n' : ''}`, { flags })
      return
    }
    case 'cut': {
      office.say('  a line of the export was lost on the way, and its last line tells how many there were')
      const lines = exportOf(rows).trimEnd().split('\n')
      lines.splice(chance.between(1, rows.length), 1)
      lines.push(`Anzahl Mandate: ${rows.length}`)
      const flags = configure(office, 'totals.yaml', 'source: { skipFooterLines: 1 }\n')
      await run(`${lines.join('\n')}\n`, { flags })
      return
    }
    default: {
      const { text, holding } = anotherCopyOf(campaign, chance)
      await run(text, { holding })
    }
  }
}

/** What a correction says holds from the moment it is given, unless the whole file is refused. */
export async function giveCorrected(
  { desk, judge, service }: Office,
  ledger: string,
  mandates: readonly TrueMandate[],
  give: () => ReturnType<typeof runLedger>,
): ReturnType<typeof runLedger> {
  const receivedBefore = service.received()
  const ended = await give()
  if (tookNothing(ended) || ended.status === null) return ended
  judge.correct(desk.at(ledger), mandates, receivedBefore)
  judge.look('a correction', desk.at(ledger))
  return ended
}

/** `1002,"Zum Adler,…` and, further below, `1004,Zum Hirsch",…`. */
function withStrayQuotes(rows: readonly ExportRow[], chance: Chance): string {
  const plain = rows.map((row) => ({
    ...row,
    mandate: { ...row.mandate, name: row.mandate.name.replaceAll(/[",]/g, '') },
  }))
  const lines = exportOf(plain).split('\n')
  const first = chance.between(1, plain.length - 1)
  const last = chance.between(first + 1, plain.length)
  lines[first] = lines[first]!.replace(',', ',"')
  lines[last] = lines[last]!.replace(/^(\d+,[^,]*),/, '$1",')
  return lines.join('\n')
}

/** What came back is corrected in a spreadsheet and given again. */
export const correctTheFile: Act = async (office, chance) => {
  const { ledger, rows } = drawCampaign(office, chance)
  const list = chance.pick(['refused.csv', 'not-sent.csv', 'not-sent.csv'])
  const paper = await takeList(office, ledger, list)
  const { sheet } = paper
  if (sheet.length < 2) return
  const corrected: TrueMandate[] = []
  let mended: Sheet = sheet
  for (const [line, row] of sheet.entries()) {
    const mandate = line === 0 ? undefined : meantBy(office, sheet, row)
    if (mandate === undefined || chance.happens(0.2)) continue
    mended = withTruth(mended, line, mandate)
    if (chance.happens(0.7)) mended = withValue(mended, line, 'unique_mandate_reference', mandate.reference)
    corrected.push(mandate)
  }
  // Where account and reference are corrected at once, only the number says of which row.
  const needsNumber = rows.some(({ fault }) => fault === 'former_account_mistyped_reference')
  const order = chance.weigh({ as_it_was: 4, all: 1, row: needsNumber ? 0 : 2 })
  mended = orderedAs(mended, order, chance)
  const forms = { plain: 4, '2.0': 2, '2,00': 1, '0002': 1, "'2": 1, '': needsNumber ? 0 : 0.5 }
  const number = chance.weigh(forms)
  mended = numbered(mended, number)
  // Whose such a line was then nobody can tell where several stand for one mandate.
  const cells = chance.happens(0.25) && office.history === null
  const shifted = cells ? chance.between(1, mended.length - 1) : 0
  if (cells) mended = mended.map((row, line) => (line === shifted ? [...row, chance.pick(['', 'x'])] : row))
  const resaving = chance.happens(0.5) ? drawResaving(chance) : null
  office.say(
    `  ${list} of ${ledger} is corrected; order: ${order}, migration_row: ${number || 'emptied'}` +
      `${cells ? ', one cell too many' : ''}, saved by ${resaving?.program ?? 'nobody'}`,
  )
  const file = paper.save('corrected', mended, resaving)
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

const LISTS = ['corrections.csv', 'refused.csv', 'not-sent.csv'] as const
const COLUMNS = ['iban', 'unique_mandate_reference'] as const

/** The lines of these numbers with the account and the reference that their mandate has. */
export const corrected = (office: Office, sheet: Sheet, lines: readonly number[]): Sheet =>
  lines.reduce<Sheet>((done, line) => {
    const mandate = meantBy(office, sheet, sheet[line]!)
    if (mandate === undefined) return done
    return withValue(withTruth(done, line, mandate), line, 'unique_mandate_reference', mandate.reference)
  }, sheet)

/** The line with the account that its mandate has; and with whatever else exports had otherwise before. */
export function withTruth(sheet: Sheet, line: number, { account, past, ...mandate }: TrueMandate): Sheet {
  const mended = withValue(sheet, line, 'iban', account)
  if (past === undefined) return mended
  const withDate = withValue(mended, line, 'signed_date', mandate.signedDate)
  return withValue(withDate, line, 'customer_no', String(mandate.customerNo))
}

export const linesOf = (sheet: Sheet): number[] => sheet.map((_, line) => line).slice(1)

/** What such a program rounds is another mistake. */
export const hasLongNumbers = (sheet: Sheet): boolean =>
  sheet.some((row) => row.some((cell) => /^\d{12,}$/.test(cell)))

const drawSaved = (sheet: Sheet, chance: Chance): Resaving | null =>
  hasLongNumbers(sheet) || chance.happens(0.5) ? null : drawResaving(chance)

/** A cell is deleted or put in, and those below it move: each line has what belongs to its neighbour. */
export const moveAColumn: Act = async (office, chance) => {
  const { ledger } = drawCampaign(office, chance)
  const list = chance.pick(LISTS)
  const paper = await takeList(office, ledger, list)
  const { sheet } = paper
  const lines = linesOf(sheet)
  const customers = new Set(lines.map((line) => valueOf(sheet, sheet[line]!, 'customer_no')))
  // Two mandates of one customer may well have one account: nobody but the customer knows.
  if (lines.length < 2 || customers.size < lines.length) return
  const column = chance.pick(COLUMNS)
  const from = chance.pick([-1, 1])
  const mended = corrected(office, sheet, lines)
  const moved = lines.reduce<Sheet>((done, line) => {
    const neighbour = line + from
    if (!lines.includes(neighbour)) return done
    return withValue(done, line, column, valueOf(mended, mended[neighbour]!, column))
  }, mended)
  office.say(`  ${list} of ${ledger} is corrected, and its column ${column} moved by a line`)
  const files = [paper.save('moved', moved, drawSaved(moved, chance))]
  await runLedger(office, { ledger, files, flags: drawFlags(chance) })
}

interface Told {
  readonly admitted?: readonly { readonly notTaken: number }[]
}

/** Two people correct a half each, in copies of one file, and both copies are given back. */
export const giveTwoCopies: Act = async (office, chance) => {
  const { ledger } = drawCampaign(office, chance)
  const list = chance.pick(LISTS)
  const paper = await takeList(office, ledger, list)
  const { sheet } = paper
  // A repeated row says nothing of its own, and the one it repeats may have gone out.
  const stateOf = (line: number): string => valueOf(sheet, sheet[line]!, 'migration_state')
  const lines = linesOf(sheet).filter((line) => stateOf(line) !== 'duplicate')
  if (lines.length < 2) return
  const [odd, even] = [1, 0].map((rest) => lines.filter((line) => line % 2 === rest))
  const files = [odd, even].map((half) => {
    const mended = corrected(office, sheet, half ?? [])
    return paper.save('half', mended, drawSaved(mended, chance))
  })
  office.say(`  two copies of ${list} of ${ledger} come back, each half corrected`)
  const together = chance.happens(0.3)
  for (const given of together ? [files] : files.map((file) => [file])) {
    const tooLate = rowsThatLeft(office.desk.at(ledger))
    const { status, stdout } = await runLedger(office, { ledger, files: given, flags: ['--json'] })
    const { admitted = [] } = status === null ? {} : (JSON.parse(stdout) as Told)
    const notTaken = admitted.reduce((sum, told) => sum + told.notTaken, 0)
    if (notTaken > lines.filter((line) => tooLate.has(valueOf(sheet, sheet[line]!, 'migration_row'))).length)
      office.judge.violate(`FAULT: a line of a copy of ${list} was not taken`)
  }
}

const MINUTE = 60_000
const DOUBTS = 'In doubt'

/** What the program keeps in hidden columns. */
const MARKS = ['row', 'state', 'rule', 'status', 'ledger', 'attempt'].map((name) => `migration_${name}`)

/** Everybody who knows anything has written it into the workbook. */
function fillInAll(office: Office, before: Book, chance: Chance): Book {
  const book = new Map(before)
  for (const [name, sheet] of before) {
    if (name === DOUBTS) {
      book.set(name, fillIn(office, sheet, { isClosing: chance.happens(0.2), chance }).filled)
      continue
    }
    // What is registered cannot be written off, and has its line there.
    const closed = chance.happens(0.15) && name !== 'Cut-over' ? linesOf(sheet)[0] : undefined
    const own = linesOf(sheet).filter((line) => line !== closed && chance.happens(0.8))
    const mended = corrected(office, sheet, own)
    const decided = { migration_decision: 'written-off', migration_reason: 'has left' }
    book.set(name, withValues(mended, closed ?? -1, decided))
  }
  return book
}

/** What somebody reads in it, who does not see what is hidden. */
function readOver(office: Office, { ledger, book, before }: Omit<WorkedIn, 'said' | 'corrected'>): WorkedIn {
  const said: Said[] = []
  const mended: TrueMandate[] = []
  const unchanged = new Set([...before.values()].flat().map((row) => row.join()))
  for (const sheet of book.values())
    for (const row of sheet.slice(1)) {
      const mandate = meantBy(office, sheet, row)
      const decision = valueOf(sheet, row, 'migration_decision') as Said['decision'] | ''
      if (mandate === undefined || unchanged.has(row.join())) continue
      if (decision !== '') said.push({ mandate, decision })
      else if (!isOfDoubts(sheet) && valueOf(sheet, row, 'iban') === mandate.account) mended.push(mandate)
    }
  return { ledger, book, before, said, corrected: mended }
}

const isOfDoubts = ([header = []]: Sheet): boolean => header.includes('migration_assigned_mandate_reference')

const withSheet = (book: Book, name: string, sheet: Sheet): Book => new Map([...book, [name, sheet]])

/** A sheet with lines, one of its lines, and the sheet without it. */
function drawLine(book: Book, chance: Chance, names = [...book.keys()]) {
  const name = chance.pick(names.filter((each) => (book.get(each) ?? []).length > 1))
  const sheet = book.get(name) ?? []
  const line = chance.between(1, sheet.length - 1)
  return { name, sheet, line, row: sheet[line]!, rest: sheet.filter((_, at) => at !== line) }
}

interface SlipParts {
  readonly office: Office
  readonly chance: Chance
  readonly ledger: string
  readonly before: Book
}

type Slip = (book: Book, parts: SlipParts) => Book | Promise<Book>

/** What happens to a workbook between two people; the first ones must not matter. */
const SLIPS = {
  nothing: (book) => book,
  'lines are sorted': (book, { chance }) =>
    new Map([...book].map(([name, sheet]) => [name, sorted(sheet, chance)])),
  'a line is deleted': (book, { chance }) => {
    const { name, rest } = drawLine(book, chance)
    return withSheet(book, name, rest)
  },
  'marks stay behind': (book, { chance }) => {
    const { name, sheet } = drawLine(book, chance)
    return withSheet(book, name, sortedApart(sheet, MARKS, chance))
  },
  'a line stands there twice': (book, { chance }) => {
    const { name, sheet, row } = drawLine(book, chance)
    return withSheet(book, name, [...sheet, row])
  },
  'a sheet stands there twice': (book, { chance }) => {
    const { name, sheet } = drawLine(book, chance)
    return withSheet(book, `${name} (2)`, sheet)
  },
  'a line moves to another sheet': (book, { chance }) => {
    const { name, row, rest } = drawLine(book, chance)
    const cut = withSheet(book, name, rest)
    const to = chance.pick([...book.keys()])
    return withSheet(cut, to, [...(cut.get(to) ?? []), row])
  },
  'a line of another campaign is pasted': async (book, { office, ledger, chance }) => {
    const others = office.campaigns.filter((campaign) => campaign.ledger !== ledger)
    if (others.length === 0) return book
    const other = await takeBook(office, chance.pick(others).ledger)
    const name = chance.pick([...book.keys()])
    return withSheet(book, name, [...(book.get(name) ?? []), ...(other.get(name) ?? []).slice(1, 2)])
  },
  /** What the other line showed before anybody corrected it: the ledger knows it. */
  'a value of another line is pasted': (book, { chance, before }) => {
    const names = [...book.keys()].filter((name) => name !== DOUBTS)
    if (names.length === 0) return book
    const to = drawLine(book, chance, names)
    const from = drawLine(before, chance)
    const column = chance.pick(['iban', 'unique_mandate_reference'])
    const [customer, other] = [to, from].map(({ sheet, row }) => valueOf(sheet, row, 'customer_no'))
    if (customer === other) return book
    const value = valueOf(from.sheet, from.row, column)
    return withSheet(book, to.name, withValue(to.sheet, to.line, column, value))
  },
  'a sheet of notes is added': (book) => withSheet(book, 'Notes', [['to do'], ['ask the bank']]),
} as const satisfies Readonly<Record<string, Slip>>

type SlipName = keyof typeof SLIPS
const HARMLESS: readonly SlipName[] = ['nothing', 'lines are sorted', 'a line is deleted']

/** Decisions and corrections go into the workbook, something happens to it, and it goes to one command and the other. */
export const workInTheWorkbook: Act = async (office, chance) => {
  const { ledger, rows } = drawCampaign(office, chance)
  const before = await takeBook(office, ledger)
  if (before.size === 0) return
  if (chance.happens(0.5)) office.desk.pass(16 * MINUTE)
  const filled = fillInAll(office, before, chance)
  // Where account and reference are corrected at once, only the number says of which row.
  const needsNumber = rows.some(({ fault }) => fault === 'former_account_mistyped_reference')
  const slip = chance.weigh<SlipName>({
    ...{ nothing: 3, 'lines are sorted': 2, 'a line is deleted': 1 },
    'marks stay behind': needsNumber ? 0 : 1.5,
    ...{ 'a line stands there twice': 1, 'a sheet stands there twice': 1 },
    'a line moves to another sheet': 1,
    ...{ 'a line of another campaign is pasted': 1.5, 'a value of another line is pasted': 1.5 },
    'a sheet of notes is added': 0.4,
  })
  const book = await SLIPS[slip](filled, { office, chance, ledger, before })
  const done = readOver(office, { ledger, book, before })
  office.say(`  to-do.xlsx of ${ledger} is filled in: ${slip}`)
  office.returned.push(done)
  if (chance.happens(0.15)) return // somebody else will give it back
  await giveBack(office, done, { ledger, chance, isSound: HARMLESS.includes(slip) })
}

/** A workbook that was given back, or forgotten, is given back: to its ledger, or another. */
export const returnAWorkbook: Act = async (office, chance) => {
  if (office.returned.length === 0) return
  const work = chance.pick(office.returned)
  const others = office.campaigns.map(({ ledger }) => ledger).filter((ledger) => exists(office, ledger))
  const ledger = chance.happens(0.7) ? work.ledger : chance.pick([work.ledger, ...others])
  await giveBack(office, work, { ledger, chance, isSound: false })
}

const WAYS: readonly (readonly ('resolve' | 'run')[])[] = [
  ...[['resolve', 'run'] as const, ['run', 'resolve'] as const, ['resolve'] as const, ['run'] as const],
  ...[['run', 'run'] as const, ['resolve', 'resolve'] as const],
]

interface Giving {
  readonly ledger: string
  readonly chance: Chance
  /** It is as it was written but for what people may do with it. */
  readonly isSound: boolean
}

async function giveBack(office: Office, work: WorkedIn, { ledger, chance, isSound }: Giving): Promise<void> {
  const { desk, judge } = office
  const by = chance.happens(0.6) ? drawResaving(chance) : null
  const file = saveBook(office, chance.pick(['to-do', 'To do (Berta)', 'Kopie']), work.book, by)
  const isCut = chance.happens(0.07)
  if (isCut) {
    const whole = readFileSync(desk.at(file))
    writeFileSync(desk.at(file), whole.subarray(0, chance.between(1, whole.length - 1)))
  }
  const saved = `${by?.program ?? 'nobody'}${isCut ? ', cut' : ''}`
  office.say(`  ${file} of ${work.ledger} goes to ${ledger}, saved by ${saved}`)
  const mayBeRead = isSound && !isCut && ![...work.book.values()].some(hasLongNumbers)
  const isClosing = work.said.length > 0 && work.said.every(({ decision }) => decision === 'written-off')
  for (const [nth, way] of chance.pick(WAYS).entries()) {
    const said = { of: work.ledger, ledger, meant: work.said }
    const mayBeTaken = mayBeRead && nth === 0 && isClosing
    if (way === 'resolve') {
      const ended = await giveDecisions(office, { ...said, file, isForced: chance.happens(0.2) })
      if (mayBeTaken && tookNothing(ended)) judge.violate(`STUCK: ${file} was not taken by ${way}`)
      continue
    }
    const isKnown = office.known.has(`${ledger} ${readFileSync(desk.at(file), 'latin1')}`)
    const own = ledger === work.ledger && !isCut && !isKnown ? work.corrected : []
    const flags = drawFlags(chance)
    const confirmed = drawConfirmation(chance)
    const since = judge.mark(desk.at(ledger))
    const ended = await giveCorrected(office, ledger, own, () =>
      runLedger(office, { ledger, files: [file], flags, confirmed }),
    )
    expectSaid(office, { ...said, what: `${way} of ${file}`, since, isTaken: !tookNothing(ended) })
    if (mayBeRead && ended.status === 7) judge.violate(`STUCK: ${file} was not taken by ${way}`)
  }
}
