import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Chance } from '../support/chance.js'
import { openWork } from '../support/work.js'
import { escaped, rowsOf, textCell, workbookBytes } from '../support/workbook.js'
import type { Said } from './people-decisions.js'
import { type Circumstances, type Desk, type Ended, HOST } from './people-desk.js'
import { judgeExports, type PeopleJudge } from './people-judge.js'
import type { PeopleService } from './people-service.js'
import {
  read,
  resave,
  type Resaving,
  type Sheet,
  shuffled,
  sorted,
  sortedApart,
  valueOf,
  write,
} from './people-spreadsheet.js'
import {
  cellsOf,
  type ExportRow,
  hasFormerAccount,
  headerOf,
  type History,
  mandateMeant,
  type StatusColumn,
  type TrueMandate,
} from './people-truth.js'

/** A campaign as it should be: one export, one ledger. */
export interface Campaign {
  readonly name: string
  readonly ledger: string
  readonly rows: readonly ExportRow[]
  readonly mandates: readonly TrueMandate[]
  /** The export as it came. */
  readonly file: string
}

/** A copy of a ledger that somebody made. */
interface LedgerCopy {
  readonly of: string
  readonly at: string
}

/** An in-doubt file that somebody has open. */
interface OpenSheet {
  readonly ledger: string
  readonly paper: Paper
}

/** A workbook in which somebody has decided and corrected. */
export interface WorkedIn {
  readonly ledger: string
  readonly book: Book
  /** As the program wrote it. */
  readonly before: Book
  readonly said: readonly Said[]
  readonly corrected: readonly TrueMandate[]
}

/** What the people of one seed share. */
export interface Office {
  readonly desk: Desk
  readonly service: PeopleService
  readonly judge: PeopleJudge
  readonly mandates: readonly TrueMandate[]
  readonly campaigns: readonly Campaign[]
  /** Null where each campaign has one export. */
  readonly history: History | null
  /** Whether the exports say which mandates have ended, and where. */
  readonly status: StatusColumn | null
  /** How often, and in which of the ways, people work in the workbook. */
  readonly inWorkbooks: number
  readonly paper: Chance
  readonly copies: LedgerCopy[]
  readonly sheets: OpenSheet[]
  /** Workbooks that somebody has worked in, and may give back again. */
  readonly returned: WorkedIn[]
  /** Mandates that the files given to a ledger hold. */
  readonly given: Map<string, Set<TrueMandate>>
  /** Files that a ledger has, which add nothing when they are given to it again. */
  readonly known: Set<string>
  /** Mandates that no first export has. */
  readonly signedLater: readonly TrueMandate[]
  /** Those that a last export has not any more, by its name. */
  readonly gone: Map<string, readonly TrueMandate[]>
  /** Ledgers that another user of the machine went on with. */
  readonly handedOver: Set<string>
  readonly say: (text: string) => void
  readonly count: { files: number }
}

/** One thing that somebody does. What cannot be done as things stand is left. */
export type Act = (office: Office, chance: Chance) => Promise<void>

/** How a run is confirmed. */
type Confirmation = 'with --yes' | 'host typed' | 'no typed'

interface RunOptions {
  readonly ledger: string
  readonly files?: readonly string[]
  readonly flags?: readonly string[]
  readonly confirmed?: Confirmation
  /** Mandates of the files, where they are known. */
  readonly holding?: readonly TrueMandate[] | undefined
  /** Its rows, where they are not those of the campaign. */
  readonly rows?: readonly ExportRow[]
  readonly circumstances?: Circumstances
  /** Happens while the question waits. */
  readonly beforeAnswer?: () => Promise<void>
}

/** Statuses of commands that took nothing: usage, input, ledger. */
const TOOK_NOTHING: readonly (number | null)[] = [2, 7, 8]
export const tookNothing = ({ status }: Ended): boolean => TOOK_NOTHING.includes(status)

/** What a configuration says of the column that the program does not know by its name, and of its words. */
function columnsText({ status, history }: Office): string {
  if (history !== null) return history.columns
  return status === null || status.isUsual ? (status?.words ?? '') : `columns: { status: "${status.name}" }\n`
}

/** Writes a configuration. */
export function configure(office: Office, name: string, text = ''): string[] {
  const path = office.desk.at(name)
  writeFileSync(path, columnsText(office) + text, { mode: 0o600 })
  return ['--config', path]
}

/** Nobody names a column before the program asks about it, and then everybody does. */
export async function runLedger(office: Office, options: RunOptions): Promise<Ended> {
  const { files = [], flags = [] } = options
  const isAsked = files.length > 0 && columnsText(office) !== '' && !flags.includes('--config')
  if (!isAsked) return runOnce(office, options)
  // The names of two systems are another's work before the first export comes in.
  const ended = office.history === null ? await runOnce(office, options) : null
  if (ended !== null && ended.status !== 7) return ended
  return runOnce(office, { ...options, flags: [...flags, ...configure(office, 'columns.yaml')] })
}

/** Such a run with the export of a campaign. */
export const runExport = (
  office: Office,
  { ledger, file, mandates }: Campaign,
  more: Partial<RunOptions> = {},
): Promise<Ended> => runLedger(office, { ledger, files: [file], holding: mandates, ...more })

async function runOnce(office: Office, options: RunOptions): Promise<Ended> {
  const { desk, judge } = office
  const { ledger, files = [], flags = [], circumstances = {}, beforeAnswer } = options
  const { confirmed = 'with --yes' } = options
  const decisionsBefore = confirmed === 'no typed' ? judge.mark(desk.at(ledger)) : 0
  const receivedBefore = office.service.received()
  // With decisions and nothing to send nobody is asked.
  let asked = 0
  const answer = async (): Promise<string> => {
    asked += 1
    await beforeAnswer?.()
    office.say(`    typed: ${confirmed === 'no typed' ? 'no' : HOST}`)
    return confirmed === 'no typed' ? 'no' : HOST
  }
  const isYes = confirmed === 'with --yes'
  const given = files.map((file) => desk.at(file))
  const ended = await desk.type(
    ['run', ...given, '--ledger', desk.at(ledger), ...flags, ...(isYes ? ['--yes'] : [])],
    { ...circumstances, ...(isYes ? {} : { answer }) },
  )
  if (options.holding !== undefined && !tookNothing(ended)) note(office, ledger, options.holding)
  noteFormerAccounts(office, options, ended)
  after(office, `run with ${ledger}`, ledger, ended)
  if (confirmed === 'no typed' && beforeAnswer === undefined) {
    if (office.service.received() > receivedBefore)
      judge.violate('NO: mandates were sent after "no" was typed')
    if (asked > 0 && judge.mark(desk.at(ledger)) > decisionsBefore)
      judge.violate('NO: decisions are on record after "no" was typed')
  }
  return ended
}

/** The later file counts, whatever an earlier one has corrected. */
function noteFormerAccounts(office: Office, options: RunOptions, ended: Ended): void {
  const { ledger, files = [], holding = [], confirmed } = options
  if (ended.status === 7 || (confirmed === 'no typed' && tookNothing(ended))) return
  const contents = files.map((file) => `${ledger} ${readFileSync(office.desk.at(file), 'latin1')}`)
  const isNew = contents.some((content) => !office.known.has(content))
  if (ended.status !== null && !tookNothing(ended)) contents.forEach((content) => office.known.add(content))
  if (!isNew) return
  const rows = options.rows ?? office.campaigns.flatMap((campaign) => campaign.rows)
  const former = rows.filter(hasFormerAccount).map(({ mandate }) => mandate)
  office.judge.uncorrect(
    office.desk.at(ledger),
    former.filter((mandate) => holding.includes(mandate)),
  )
}

function note(office: Office, ledger: string, mandates: readonly TrueMandate[]): void {
  office.given.set(ledger, new Set([...(office.given.get(ledger) ?? []), ...mandates]))
}

/** What holds after every command. */
export function after(office: Office, what: string, ledger: string, ended: Ended): void {
  const { judge, desk } = office
  if (ended.status === 1) judge.violate(`BUG after ${what}: exit status 1`)
  if (ended.status === null) return // what a kill leaves is looked at by the next start
  if (ended.status !== 8) judge.look(what, desk.at(ledger))
  judgeExports(office, what, ledger, ended.status)
  if (ended.status === 0) judge.expectRows(what, desk.at(ledger), [...(office.given.get(ledger) ?? [])])
}

/** Saves bytes under a new name. */
export function save(office: Office, stem: string, content: string | Uint8Array): string {
  office.count.files += 1
  const name = `${stem}-${office.count.files}.${typeof content === 'string' ? 'csv' : 'xlsx'}`
  writeFileSync(office.desk.at(name), content, { mode: 0o600 })
  return name
}

export const sheetOfRows = (rows: readonly ExportRow[]): Sheet => [headerOf(rows), ...rows.map(cellsOf)]

export const exportOf = (rows: readonly ExportRow[]): string => write(sheetOfRows(rows))

export const exists = ({ desk }: Office, file: string): boolean => existsSync(desk.at(file))

/** The pack of a ledger, written anew; the path of one of its lists. */
async function reportOf(office: Office, ledger: string, list: string): Promise<string | null> {
  if (!exists(office, ledger)) return null
  const out = `${ledger}.report`
  const { at, type } = office.desk
  const ended = await type(['report', '--ledger', at(ledger), '--out', at(out)])
  after(office, `report of ${ledger}`, ledger, ended)
  // The report of another ledger stays where it is, and the program says where the new one went.
  const [, told = at(out)] = /^Report: (.*)\/report\.html$/m.exec(ended.stdout) ?? []
  const path = resolve(told, 'to-do', list)
  return existsSync(path) ? path : null
}

/** Whom a person takes a line to be about: customer and day, or the customer alone where there is no other choice. */
export function meantBy(office: Office, sheet: Sheet, row: readonly string[]): TrueMandate | undefined {
  const customerNo = Number(valueOf(sheet, row, 'customer_no'))
  const own = office.mandates.filter((mandate) => mandate.customerNo === customerNo)
  const [day, reference] = [
    valueOf(sheet, row, 'signed_date'),
    valueOf(sheet, row, 'unique_mandate_reference'),
  ]
  const meant = mandateMeant(office.mandates, customerNo, day, reference)
  return meant ?? (own.length === 1 ? own[0] : undefined)
}

export const drawCampaign = ({ campaigns }: Office, chance: Chance): Campaign =>
  chance.happens(0.7) ? campaigns[0]! : chance.pick(campaigns)

/** Flags that people give now and then. */
export const drawFlags = (chance: Chance): string[] => [
  ...(chance.happens(0.4) ? ['--limit', String(chance.between(1, 3))] : []),
  ...(chance.happens(0.6) ? ['--concurrency', String(chance.between(1, 3))] : []),
]

export const drawConfirmation = (chance: Chance): Confirmation =>
  chance.weigh<Confirmation>({ 'with --yes': 6, 'host typed': 1.5, 'no typed': 1 })

const SORTED_APART = {
  row: 'migration_row',
  customer: 'customer_no',
  reference: 'unique_mandate_reference',
  attempt: 'migration_attempt',
} as const

export function orderedAs(
  sheet: Sheet,
  order: 'as_it_was' | 'all' | keyof typeof SORTED_APART,
  chance: Chance,
): Sheet {
  if (order === 'as_it_was') return sheet
  return order === 'all' ? sorted(sheet, chance) : sortedApart(sheet, [SORTED_APART[order]], chance)
}

/** The sheets of to-do.xlsx by their names, each with its header. */
export type Book = ReadonlyMap<string, Sheet>

/** A list that somebody has on the desk: a CSV, or a sheet of the workbook. */
export interface Paper {
  readonly sheet: Sheet
  /** Saves it, as it is now, under a new name; the other sheets of a workbook as they were. */
  readonly save: (stem: string, sheet: Sheet, by: Resaving | null) => string
}

const SHEET_OF: Readonly<Record<string, string>> = {
  'in-doubt.csv': 'In doubt',
  'corrections.csv': 'Corrections',
  'refused.csv': 'Refused',
  'cut-over.csv': 'Cut-over',
}

/** Written anew. Some work in the lists, some in the workbook, some now in this and now in that. */
export async function takeList(office: Office, ledger: string, list: string): Promise<Paper> {
  const name = SHEET_OF[list]
  if (name === undefined || !office.paper.happens(office.inWorkbooks)) {
    const path = await reportOf(office, ledger, list)
    return {
      sheet: path === null ? [] : read(readFileSync(path, 'utf8')),
      save: (stem, sheet, by) => save(office, stem, by === null ? write(sheet) : resave(sheet, by)),
    }
  }
  const book = await takeBook(office, ledger)
  office.say(`  the sheet ${name} of to-do.xlsx`)
  return {
    sheet: book.get(name) ?? [],
    save: (stem, sheet, by) => saveBook(office, stem, new Map([...book, [name, sheet]]), by),
  }
}

export async function takeBook(office: Office, ledger: string): Promise<Book> {
  const path = await reportOf(office, ledger, 'to-do.xlsx')
  if (path === null) return new Map()
  const { names, header, rows } = openWork(path)
  return new Map(
    names.map((name) => {
      const columns = header(name)
      return [name, [columns, ...rows(name).map((row) => columns.map((column) => row[column] ?? ''))]]
    }),
  )
}

export const saveBook = (office: Office, stem: string, book: Book, by: Resaving | null): string =>
  save(office, stem, bytesOf(book, by, office.paper))

/** Counted from 1900, as spreadsheets do. */
const serialOf = (day: string): number => Date.parse(day) / 86_400_000 + 25_569

const MARKS = /^migration_(?:row|state|rule|status|ledger|attempt)$/

/** The workbook in the words of the program that saved it; null for one that leaves everything as it was. */
function bytesOf(book: Book, by: Resaving | null, chance: Chance): Uint8Array {
  const program = by?.program ?? 'an editor'
  const shared: string[] = []
  const isShared = program === 'LibreOffice' || program === 'Excel, German'
  const retyped = program === 'an editor' ? 0 : program === 'pandas' ? 1 : 0.1
  const hidden = chance.happens(0.2) ? 0.4 : 0
  const cellOf = (text: string): string => {
    if (text === '') return '<c/>'
    if (isShared) return `<c t="s"><v>${shared.push(text) - 1}</v></c>`
    return program === 'Google' ? `<c t="str"><v>${escaped(text)}</v></c>` : textCell(text)
  }
  /** Typed anew, or pasted where a cell is no text. */
  const retypedCell = (text: string): string => {
    if (!chance.happens(retyped)) return cellOf(text)
    if (/^\d{4}-\d\d-\d\d$/.test(text)) return `<c s="1"><v>${serialOf(text)}</v></c>`
    if (/^\d{1,15}$/.test(text))
      return chance.happens(0.8) ? `<c><v>${Number(text)}</v></c>` : cellOf(by?.number(text) ?? text)
    return cellOf(text.replace(/^'/, ''))
  }
  const sheetXml = ([header = [], ...rows]: Sheet): string => {
    const columns = header.map((name, at) =>
      MARKS.test(name) && !/LibreOffice|Google|pandas/.test(program)
        ? `<col min="${at + 1}" max="${at + 1}" hidden="1"/>`
        : '',
    )
    const data = rowsOf([header.map(cellOf), ...rows.map((row) => row.map(retypedCell))])
    let line = 0
    const filtered = data.replace(/<row>/g, (row) =>
      (line += 1) > 1 && chance.happens(hidden) ? '<row hidden="1">' : row,
    )
    return `<cols>${columns.join('')}</cols>${filtered}`.replace('<cols></cols>', '')
  }
  const isMoved = /LibreOffice|Google/.test(program) && chance.happens(0.5)
  const sheets = isMoved ? shuffled([...book], chance) : [...book]
  const named = sheets.map(([name, sheet], at) => [isMoved ? `Tab ${at + 1}` : name, sheetXml(sheet)])
  return workbookBytes({
    sheets: Object.fromEntries(named) as Record<string, string>,
    formats: [14],
    shared: shared.map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`).join(''),
  })
}
