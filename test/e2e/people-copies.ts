import { openDatabase } from '../../src/driver.js'
import { drawCampaign, drawFlags } from './people-draw.js'
import { listOf, meantBy, runLedger, save, type Act, type Office } from './people-office.js'
import { drawResaving, resave, valueOf, withValue, write, type Sheet } from './people-spreadsheet.js'
import type { Chance } from '../support/chance.js'

const LISTS = ['corrections.csv', 'refused.csv', 'not-sent.csv'] as const
const COLUMNS = ['iban', 'unique_mandate_reference'] as const

/** The lines of these numbers with the account and the reference that their mandate has. */
const corrected = (office: Office, sheet: Sheet, lines: readonly number[]): Sheet =>
  lines.reduce<Sheet>((done, line) => {
    const mandate = meantBy(office, sheet, sheet[line]!)
    if (mandate === undefined) return done
    const withAccount = withValue(done, line, 'iban', mandate.account)
    return withValue(withAccount, line, 'unique_mandate_reference', mandate.reference)
  }, sheet)

const linesOf = (sheet: Sheet): number[] => sheet.map((_, line) => line).slice(1)

function drawSaved(sheet: Sheet, chance: Chance): string {
  // What such a program rounds is another mistake.
  const hasLongNumbers = sheet.some((row) => row.some((cell) => /^\d{12,}$/.test(cell)))
  return hasLongNumbers || chance.happens(0.5) ? write(sheet) : resave(sheet, drawResaving(chance))
}

/** A cell is deleted or put in, and those below it move: each line has what belongs to its neighbour. */
export const moveAColumn: Act = async (office, chance) => {
  const { ledger } = drawCampaign(office, chance)
  const list = chance.pick(LISTS)
  const sheet = await listOf(office, ledger, list)
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
  await runLedger(office, {
    ledger,
    files: [save(office, 'moved', drawSaved(moved, chance))],
    flags: drawFlags(chance),
  })
}

interface Told {
  readonly admitted?: readonly { readonly notTaken: number }[]
}

/** Two people correct a half each, in copies of one file, and both copies are given back. */
export const giveTwoCopies: Act = async (office, chance) => {
  const { ledger } = drawCampaign(office, chance)
  const list = chance.pick(LISTS)
  const sheet = await listOf(office, ledger, list)
  // A repeated row says nothing of its own, and the one it repeats may have gone out.
  const lines = linesOf(sheet).filter(
    (line) => valueOf(sheet, sheet[line]!, 'migration_state') !== 'duplicate',
  )
  if (lines.length < 2) return
  const [odd, even] = [1, 0].map((rest) => lines.filter((line) => line % 2 === rest))
  const files = [odd, even].map((half) =>
    save(office, 'half', drawSaved(corrected(office, sheet, half ?? []), chance)),
  )
  office.say(`  two copies of ${list} of ${ledger} come back, each half corrected`)
  const together = chance.happens(0.3)
  for (const given of together ? [files] : files.map((file) => [file])) {
    const tooLate = rowsThatLeft(office, ledger)
    const { status, stdout } = await runLedger(office, { ledger, files: given, flags: ['--json'] })
    const { admitted = [] } = status === null ? {} : (JSON.parse(stdout) as Told)
    const notTaken = admitted.reduce((sum, told) => sum + told.notTaken, 0)
    if (notTaken > lines.filter((line) => tooLate.has(valueOf(sheet, sheet[line]!, 'migration_row'))).length)
      office.judge.violate(`FAULT: a line of a copy of ${list} was not taken`)
  }
}

/** What left meanwhile cannot be corrected any more. */
function rowsThatLeft({ desk }: Office, ledger: string): ReadonlySet<string> {
  const connection = openDatabase(desk.at(ledger), { readonly: true })
  try {
    const rows = connection.prepare<[], { id: number }>('select id from row where attempts > 0').all()
    return new Set(rows.map(({ id }) => String(id)))
  } finally {
    connection.close()
  }
}
