import { openDatabase } from '../../src/driver.js'
import type { Chance } from '../support/chance.js'
import { giveDecisions, type Said } from './people-decisions.js'
import {
  after,
  configure,
  drawCampaign,
  drawFlags,
  exists,
  exportOf,
  runLedger,
  save,
  type Act,
  type Office,
} from './people-office.js'
import { takeList } from './people-paper.js'
import { drawResaving, valueOf } from './people-spreadsheet.js'
import { correctedFault, mandateMeant, type ExportRow, type TrueMandate } from './people-truth.js'

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

function saveFinal(
  office: Office,
  rows: readonly ExportRow[],
  chance: Chance,
): { readonly name: string; readonly rows: readonly ExportRow[] } | null {
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
    const values: Readonly<Record<string, string>> = {
      migration_decision: decision,
      migration_reason: 'they confirmed it',
    }
    return line.map((cell, column) => values[header[column] ?? ''] ?? cell)
  })
  if (meant.length === 0) return
  const file = paper.save('cut-over', [header, ...filled], chance.happens(0.5) ? drawResaving(chance) : null)
  await giveDecisions(office, { file, of: ledger, ledger, meant, isForced: false })
}

interface Own {
  readonly customerNo: number | null
  readonly signedDate: string | null
}
interface Line extends Own {
  /** Open, or closed by a word about this row. */
  readonly isTrue: 0 | 1
}
interface Sent extends Own {
  readonly requestId: string
  readonly startedAt: string
}

/**
 * What the latest comparison with a last export says of mandates that are gone from it: of each that the service holds by
 * this ledger there is a line, open or closed by somebody, and none that was there was sent since.
 */
export function judgeCutOver(office: Office, what: string, ledger: string): void {
  if (!exists(office, ledger)) return
  const { judge, service } = office
  const connection = openDatabase(office.desk.at(ledger), { readonly: true })
  try {
    const [latest] = connection
      .prepare<[], { id: number; at: string; name: string }>(
        `select id, compared_at as at, sources ->> '$[0].name' as name from comparison order by id desc limit 1`,
      )
      .all()
    const gone = office.gone.get(latest?.name ?? '')

    if (latest === undefined || gone === undefined) return
    const own = 'row.customer_no as customerNo, row.signed_date as signedDate'
    const all = <Row extends Own>(sql: string) => {
      const rows = connection.prepare<[], Row>(sql).all()
      return (mandate: TrueMandate): Row[] =>
        rows.filter((row) => mandateMeant([mandate], row.customerNo ?? 0, row.signedDate ?? '') === mandate)
    }
    const closed = `exists (select 1 from decision where id = decision_id and decision in ('done', 'written_off') and row_id in (
      select other.id from row as other where other.customer_no = row.customer_no and other.signed_date = row.signed_date))`
    const lines = all<Line>(
      `select ${own}, decision_id is null or ${closed} as isTrue from compared join row on row.id = row_id
        where comparison_id = ${latest.id}`,
    )
    const sent = all<Sent>(
      `select ${own}, request_id as requestId, attempt.started_at as startedAt from attempt join row on row.id = row_id`,
    )
    const known = all<Own>(
      `select ${own} from row join source on source.id = source_id where admitted_at <= '${latest.at}'`,
    )
    // A person may be wrong about what the service holds, twice.
    const mistaken = all<Own>(
      `select ${own} from decision join row on row.id = row_id where decision = 'refused'`,
    )
    for (const mandate of gone) {
      const requests = sent(mandate)
      const held = service
        .applicationsOf(mandate)
        .flatMap(({ requestId }) => requests.find((one) => one.requestId === requestId) ?? [])
      const isTold = lines(mandate).some(({ isTrue }) => isTrue === 1)
      const is = `customer ${mandate.customerNo} of ${mandate.signedDate}`
      if (known(mandate).length === 0 || mistaken(mandate).length > 0) continue
      if (held.length > 0 && !isTold)
        judge.violate(`LIVE after ${what}: ${is} has ended and is registered, and no line says so`)
      if (held.some(({ startedAt }) => startedAt > latest.at))
        judge.violate(`HELD after ${what}: ${is} was gone from the last export, and was sent`)
    }
  } finally {
    connection.close()
  }
}
