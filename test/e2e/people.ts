import { writeFileSync } from 'node:fs'
import { type Chance, seedChance } from '../support/chance.js'
import * as corrections from './people-corrections.js'
import * as decisions from './people-decisions.js'
import { openDesk } from './people-desk.js'
import * as exports from './people-exports.js'
import { judgeCutOver, startPeopleJudge } from './people-judge.js'
import * as ledgers from './people-ledgers.js'
import { type Campaign, exists, exportOf, type Office, runLedger } from './people-office.js'
import { startPeopleService } from './people-service.js'
import {
  drawScene,
  type ExportRow,
  type Fault,
  type History,
  inventHistory,
  inventLater,
  inventMandates,
  type Scene,
  type TrueMandate,
} from './people-truth.js'

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

/** Everything that people do. */
export const ACTS = { ...corrections, ...decisions, ...exports, ...ledgers }

/** How often. */
export const WEIGHTS = {
  runTheExport: 3,
  goOn: 4,
  retryRefused: 2,
  waitAWhile: 1,
  copyTheLedger: 2,
  copyDuringARun: 1,
  restoreACopy: 3,
  killARun: 2,
  useASecondLedger: 2,
  runTwice: 1,
  breakTheRegister: 0.5,
  loseTheLedger: 1,
  loseTheRegister: 0.5,
  stopARun: 1,
  handOver: 0.5,
  giveAChangedExport: 3,
  openTheDoubts: 1,
  resolveFromTheFile: 4,
  decideInHaste: 1,
  closeALiveOne: 0.5,
  resolveOne: 2,
  correctTheFile: 3,
  moveAColumn: 1,
  workInTheWorkbook: 3,
  returnAWorkbook: 2,
  giveTwoCopies: 1,
  reconcileWithTheList: 2,
  rewriteAnAccount: 0.3,
  cutOver: 3,
} as const satisfies Partial<Record<keyof typeof ACTS, number>>

/** Where two systems export the mandates, month by month. */
export const EXPORTS = {
  beginsWith: 'giveExports',
  scene: { hasHistory: true, status: null, shares: 'one' },
  acts: {
    giveExports: 8,
    sayNewer: 2,
    compareTheNewest: 2,
    settleLines: 4,
    giveTwoLists: 0.7,
    goOn: 2,
    retryRefused: 3,
    waitAWhile: 1,
    killARun: 1,
    copyTheLedger: 0.5,
    restoreACopy: 0.5,
    loseTheLedger: 0.7,
    resolveFromTheFile: 2,
    decideInHaste: 0.5,
    correctTheFile: 1,
    workInTheWorkbook: 1,
  },
} as const

export type ActName = keyof typeof WEIGHTS | keyof typeof EXPORTS.acts

/** What happens in one seed: every step has a chance of its own, so that the others stay when one is left out. */
export interface Plot {
  readonly seed: number
  readonly steps: readonly { readonly name: ActName; readonly seed: number }[]
  readonly scene: Partial<Scene>
}

/** A look at one kind of mistake. */
export interface Kind {
  /** Only these happen, as often as is said. */
  readonly acts: readonly ActName[] | Readonly<Partial<Record<ActName, number>>>
  /** In such campaigns. */
  readonly scene?: Partial<Scene>
  /** Most campaigns begin with a run of their export; none of these does. */
  readonly beginsOtherwise?: true
  /** They begin with this, where it is not that run. */
  readonly beginsWith?: ActName
}

const MOST_STEPS = 6

export function plotOf(seed: number, kind?: Kind): Plot {
  const chance = seedChance(seed * 31 + 7)
  const acts = kind?.acts ?? WEIGHTS
  const names = Array.from({ length: chance.between(2, MOST_STEPS) }, () =>
    isList(acts) ? chance.pick(acts) : chance.weigh<ActName>(acts),
  )
  const begins: ActName[] =
    chance.happens(0.85) && kind?.beginsOtherwise === undefined ? [kind?.beginsWith ?? 'runTheExport'] : []
  return {
    seed,
    scene: kind?.scene ?? {},
    steps: [...begins, ...names].map((name) => ({ name, seed: chance.between(1, 2 ** 30) })),
  }
}

const isList = (acts: Kind['acts']): acts is readonly ActName[] => Array.isArray(acts)

export async function play({ seed, steps, ...plot }: Plot, folder: string): Promise<Played> {
  const told: string[] = []
  const say = (text: string): void => void told.push(text)
  const chance = seedChance(seed)
  const scene = { ...drawScene(seedChance(seed + 3)), ...plot.scene }
  const history = scene.hasHistory ? inventHistory(chance) : null
  const mandates = history?.mandates ?? inventMandates(chance, scene)
  const desk = openDesk({ folder, chance: seedChance(seed + 1), say })
  const signedLater = inventLater(seedChance(seed + 5))
  const service = startPeopleService({
    ...{ mandates: [...mandates, ...signedLater], scene, say },
    ...{ chance: seedChance(seed + 2), nowMs: desk.nowMs },
  })
  desk.plugIn(service)
  const judge = startPeopleJudge([...mandates, ...signedLater], service)
  const office: Office = {
    desk,
    service,
    judge,
    mandates,
    campaigns: history === null ? campaignsOf(mandates, scene, chance) : campaignsIn(history),
    history,
    status: scene.status,
    inWorkbooks: scene.inWorkbooks,
    paper: seedChance(seed + 4),
    copies: [],
    sheets: [],
    returned: [],
    given: new Map(),
    known: new Set(),
    handedOver: new Set(),
    signedLater,
    gone: new Map(),
    say,
    count: { files: 0 },
  }
  try {
    for (const { name, file, rows } of office.campaigns) {
      writeFileSync(desk.at(file), exportOf(rows), { mode: 0o600 })
      say(`${name}: ${rows.map((row) => `${calledIn(row)}${faultText(row)}`).join(', ')}`)
    }
    // Nobody can do anything with no export at all.
    for (const step of office.campaigns.length === 0 ? [] : steps) {
      say(step.name)
      await ACTS[step.name](office, seedChance(step.seed))
      if (judge.violations.length > 0) return { violations: judge.violations, history: told }
    }
    await bringToAnEnd(office, seedChance(seed + 6))
  } finally {
    desk.remove()
  }
  return { violations: judge.violations, history: told }
}

const calledIn = ({ mandate, told, status }: ExportRow): string =>
  told === undefined
    ? `${mandate.customerNo}`
    : `${told.reference} of ${told.customerNo}, ${told.signedDate}, …${told.account.slice(-4)}${status === null ? ' (no status)' : ''}`

const faultText = ({ fault, mandate, told }: ExportRow): string =>
  `${fault === null ? '' : ` (${fault})`}${(told ?? mandate).hasEnded ? ' (ended)' : ''}`

/** All exports belong to one campaign. */
const campaignsIn = ({ exports }: History): Campaign[] =>
  exports.map(({ name, rows }) => ({
    ...{ name, file: name, ledger: 'a.db', rows },
    mandates: rows.map(({ mandate }) => mandate),
  }))

/** The network is fine, time passes, and everybody goes on; what is refused is typed again. */
async function bringToAnEnd(office: Office, chance: Chance): Promise<void> {
  office.say('at the end')
  office.service.calmDown()
  office.desk.pass(20 * 60_000)
  if (office.history !== null) await exports.bringExportsToAnEnd(office, chance)
  for (const ledger of ['a.db', 'b.db', 'second-1.db', 'second-2.db', 'restored.db', 'found.db'])
    if (exists(office, ledger)) {
      const { status } = await runLedger(office, { ledger })
      if (status === 8) await runLedger(office, { ledger })
      judgeCutOver(office, 'all of it', ledger)
    }
}

function campaignsOf(mandates: readonly TrueMandate[], { shares, status, mostly }: Scene, chance: Chance) {
  const isOfFirst = (at: number): boolean =>
    shares === 'one' || (shares === 'halves' ? at < mandates.length / 2 : at % 2 === 0)
  const first = mandates.filter((_, at) => isOfFirst(at))
  const campaign = (name: string, own: readonly TrueMandate[]): Campaign => ({
    name: `export ${name}`,
    ledger: `${name}.db`,
    file: `export-${name}.csv`,
    mandates: own,
    rows: own.map((mandate) => ({ mandate, fault: drawFault(mostly, chance), status })),
  })
  const second = mandates.filter((_, at) => !isOfFirst(at))
  return [campaign('a', first), ...(second.length === 0 ? [] : [campaign('b', second)])]
}

const drawFault = (mostly: Fault | null, chance: Chance): Fault | null => {
  if (mostly !== null && chance.happens(0.6)) return mostly
  const typed = { mistyped_account: 1, mistyped_reference: 1, former_account_mistyped_reference: 0.5 }
  const fault = chance.weigh({ none: 6.5, former_account: 1, ...typed })
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
