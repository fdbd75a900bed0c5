import { readFileSync, writeFileSync } from 'node:fs'
import { corrected, giveCorrected, hasLongNumbers, linesOf } from './people-corrections.js'
import { expectSaid, fillIn, giveDecisions, type Said } from './people-decisions.js'
import {
  drawCampaign,
  drawConfirmation,
  drawFlags,
  exists,
  meantBy,
  runLedger,
  tookNothing,
  type Act,
  type Office,
  type WorkedIn,
} from './people-office.js'
import { saveBook, takeBook, type Book } from './people-paper.js'
import { drawResaving, sorted, sortedApart, valueOf, withValue, type Sheet } from './people-spreadsheet.js'
import type { TrueMandate } from './people-truth.js'
import type { Chance } from '../support/chance.js'

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
    const decided = withValue(mended, closed ?? -1, 'migration_decision', 'written-off')
    book.set(name, withValue(decided, closed ?? -1, 'migration_reason', 'has left'))
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
    ...{
      nothing: 3,
      'lines are sorted': 2,
      'a line is deleted': 1,
      'marks stay behind': needsNumber ? 0 : 1.5,
    },
    ...{
      'a line stands there twice': 1,
      'a sheet stands there twice': 1,
      'a line moves to another sheet': 1,
    },
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
  office.say(
    `  ${file} of ${work.ledger} goes to ${ledger}, saved by ${by?.program ?? 'nobody'}${isCut ? ', cut' : ''}`,
  )
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
