import { writeFileSync } from 'node:fs'
import { openDesk } from './people-desk.js'
import { startPeopleJudge } from './people-judge.js'
import { exists, exportOf, runLedger, type Campaign, type Office } from './people-office.js'
import { ACTS, type ActName } from './people-operators.js'
import { startPeopleService } from './people-service.js'
import { inventMandates, type ExportRow, type Fault, type TrueMandate } from './people-truth.js'
import { seedChance, type Chance } from './simulation-chance.js'

/**
 * A campaign as people run it: the real command line on real files, with a service that keeps the truth, and
 * operators who copy ledgers, sort spreadsheets, say no, run twice and mix up their files. A judge compares what the
 * service holds with what people wanted.
 */
export interface Played {
  readonly violations: readonly string[]
  /** What people did and what came of it, in words. */
  readonly history: readonly string[]
}

/** What happens in one seed: every step has a chance of its own, so that the others stay when one is left out. */
export interface Plot {
  readonly seed: number
  readonly steps: readonly { readonly name: ActName; readonly seed: number }[]
}

const MOST_STEPS = 6
const WEIGHTS = Object.fromEntries(
  Object.entries(ACTS).map(([name, { weight }]) => [name, weight]),
) as Record<ActName, number>

/** `acts`: only these happen, for a look at one kind of mistake. */
export function plotOf(seed: number, acts?: readonly ActName[]): Plot {
  const chance = seedChance(seed * 31 + 7)
  const steps = Array.from({ length: chance.between(2, MOST_STEPS) }, () => ({
    name: acts === undefined ? chance.weigh<ActName>(WEIGHTS) : chance.pick(acts),
    seed: chance.between(1, 2 ** 30),
  }))
  return { seed, steps: [{ name: 'runTheExport', seed: chance.between(1, 2 ** 30) }, ...steps] }
}

export async function play({ seed, steps }: Plot, folder: string): Promise<Played> {
  const history: string[] = []
  const say = (text: string): void => void history.push(text)
  const chance = seedChance(seed)
  const mandates = inventMandates(chance)
  const desk = openDesk({ folder, chance: seedChance(seed + 1), say })
  const service = startPeopleService({ mandates, chance: seedChance(seed + 2), nowMs: desk.nowMs, say })
  desk.plugIn(service)
  const judge = startPeopleJudge(mandates, service)
  const office: Office = {
    desk,
    service,
    judge,
    mandates,
    campaigns: campaignsOf(mandates, chance),
    copies: [],
    sheets: [],
    given: new Map(),
    say,
    count: { files: 0 },
  }
  try {
    for (const { name, file, rows } of office.campaigns) {
      writeFileSync(desk.at(file), exportOf(rows), { mode: 0o600 })
      say(`${name}: ${rows.map((row) => `${row.mandate.customerNo}${faultText(row)}`).join(', ')}`)
    }
    for (const step of steps) {
      say(step.name)
      await ACTS[step.name].act(office, seedChance(step.seed))
      if (judge.violations.length > 0) return { violations: judge.violations, history }
    }
    await bringToAnEnd(office)
  } finally {
    desk.remove()
  }
  return { violations: judge.violations, history }
}

const faultText = ({ fault }: ExportRow): string => (fault === null ? '' : ` (${fault})`)

/** The network is fine, time passes, and everybody goes on; what is refused is typed again. */
async function bringToAnEnd(office: Office): Promise<void> {
  office.say('at the end')
  office.service.calmDown()
  office.desk.pass(20 * 60_000)
  for (const ledger of ['a.db', 'b.db', 'second-1.db', 'second-2.db', 'restored.db'])
    if (exists(office, ledger)) {
      const { status } = await runLedger(office, { ledger })
      if (status === 8) await runLedger(office, { ledger })
    }
}

function campaignsOf(mandates: readonly TrueMandate[], chance: Chance): Campaign[] {
  const isShared = chance.happens(0.4)
  const first = isShared ? mandates.slice(0, Math.ceil(mandates.length / 2)) : mandates
  const campaign = (name: string, own: readonly TrueMandate[]): Campaign => ({
    name: `export ${name}`,
    ledger: `${name}.db`,
    file: `export-${name}.csv`,
    mandates: own,
    rows: own.map((mandate) => ({ mandate, fault: drawFault(chance) })),
  })
  const second = mandates.slice(first.length)
  return [campaign('a', first), ...(second.length === 0 ? [] : [campaign('b', second)])]
}

const drawFault = (chance: Chance): Fault | null => {
  const fault = chance.weigh({ none: 7, former_account: 1, mistyped_account: 1, mistyped_reference: 1 })
  return fault === 'none' ? null : fault
}

/** What kind of promise is broken: the first word. */
export const kindOf = (violation = ''): string => violation.split(/[ :]/, 1)[0] ?? ''

/** A plot with as few steps as still break something of the same kind. */
export async function shrink(plot: Plot, folder: string): Promise<Plot> {
  const { violations } = await play(plot, folder)
  const kind = kindOf(violations[0])
  let least = plot
  for (let at = plot.steps.length - 1; at >= 0; at -= 1) {
    const fewer = { ...least, steps: least.steps.filter((_, index) => index !== at) }
    const played = await play(fewer, folder)
    if (kindOf(played.violations[0]) === kind) least = fewer
  }
  return least
}
