import { assertReportFolder, makeFolder } from '../../trust/trusted-file.js'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js'
import { contextOf, type Command, type Context, type CommandResult } from '../command.js'
import { compareCommand } from './compare.js'
import { runCommand } from './run.js'
import { noConfiguration, type Flags, readSettings } from '../settings/settings.js'
import { EXIT_STATUSES } from '../settings/declared.js'
import type { ClassCounts } from '../../domain/row/cut-over.js'
import { isBalanced, type Totals } from '../../domain/row/row-state.js'

/** Customers of the sample that the demo's sandbox treats badly. */
const REFUSED_CUSTOMER = 424_242
const LOST_ANSWER_CUSTOMER = 424_243

/** From which day the later export of the sample is read, so that it always shows the same. */
const DAY_OF_FINAL = '2026-06-30'

export const demoCommand: Command = {
  usage: 'demo',
  summary: 'the whole job on a small sample; needs no settings',
  examples: ['sepa-migrate demo', 'sepa-migrate demo --out /tmp/demo-of-sepa-migrate --json'],
  options: ['out', 'json', 'quiet', 'verbose', 'noColor'],
  epilogue: [],
  exits: { 0: 'its planted faults ended as planned', 1: 'they did not', 2: EXIT_STATUSES[2] },
  run: demo,
}

async function demo(context: Context): Promise<CommandResult> {
  const folder = context.settings.flags.out ?? freeFolder()
  assertReportFolder(folder)
  makeFolder(folder)
  const sandbox = await startSandbox({
    seed: 1,
    faults: [
      {
        match: { customer_no: REFUSED_CUSTOMER },
        fault: { kind: 'refuse', status: 422, field: 'customer_no', message: 'There is no such customer' },
      },
      { match: { customer_no: LOST_ANSWER_CUSTOMER }, fault: { kind: 'reset', applied: true } },
    ],
  })
  try {
    context.progress.note(
      `Demo: a local simulator of the service at ${sandbox.url}; nothing leaves this machine`,
    )
    return verdictOn(await campaignAgainst(sandbox, folder, context), sandbox, folder)
  } finally {
    await sandbox.close()
  }
}

/** The real `run` and `compare`, on settings of their own: neither the user's environment nor a configuration file counts. */
async function campaignAgainst(sandbox: Sandbox, folder: string, context: Context): Promise<CommandResult> {
  const world = {
    ...context.world,
    stateFolder: join(folder, 'register'),
    env: { SEPA_MIGRATE_USERNAME: sandbox.username, SEPA_MIGRATE_PASSWORD: sandbox.password },
  }
  // Invented mandates only: any folder will do, and nothing is noted outside of it.
  const ledger = join(folder, 'sepa-migrate.db')
  const flags = { baseUrl: sandbox.url, ledger, out: folder, sharedFolder: '1' }
  const given = (file: string, more: Flags): Context =>
    contextOf({
      ...context,
      world,
      settings: readSettings({ ...flags, ...more }, world, noConfiguration),
      args: [join(world.samples, file)],
      own: { ...context.own, demo: true },
    })
  const ran = await runCommand.run(given('demo.csv', { noReport: '1' }))
  if (ran.totals === null) return ran
  const compared = await compareCommand.run(given('demo-final.csv', { asOf: DAY_OF_FINAL }))
  return { ...compared, details: { ...ran.details, ...compared.details } }
}

function verdictOn(result: CommandResult, sandbox: Sandbox, folder: string): CommandResult {
  const { totals = null, lines = [], details = {} } = result
  const isAsPlanned = totals !== null && endedAsPlanned(totals, details['classes'] as ClassCounts, sandbox)
  const error = {
    kind: 'demo',
    message: 'The demo did not end as planned',
    next: 'Please report this with the output above',
  }
  return {
    ...result,
    exitCode: isAsPlanned ? 0 : 1,
    errors: isAsPlanned ? [] : [error],
    lines: [
      ...lines,
      '',
      `The demo planted two faults: the service refuses customer ${REFUSED_CUSTOMER}, and the answer for customer`,
      `${LOST_ANSWER_CUSTOMER} is lost after the service registered it. The second is why the row is in doubt and not`,
      `sent again. ${isAsPlanned ? 'Both ended as planned.' : ''}`,
      'Then it compares a later export, in which customers have left, moved and signed since.',
      `All files are in: ${folder}`,
      'Your own export: sepa-migrate check export.csv',
    ],
    details: { ...result.details, folder },
  }
}

/** Nobody's data is erased in it. */
const NOT_IN_THE_DEMO: ReadonlySet<string> = new Set(['erased'])

function endedAsPlanned(totals: Totals, classes: ClassCounts, sandbox: Sandbox): boolean {
  const held = sandbox.mandates().map(({ customer_no }) => customer_no)
  const times = (customerNo: number): number => held.filter((one) => one === customerNo).length
  const { registered, invalid, duplicate, refused, inDoubt, ready, sending } = totals
  const areThere = [registered, invalid, duplicate].every((count) => count > 0)
  const areOne = [refused, inDoubt, times(LOST_ANSWER_CUSTOMER)].every((count) => count === 1)
  const areNone = ready + sending + times(REFUSED_CUSTOMER) === 0
  const isEach = Object.entries(classes).every(([name, count]) => count > 0 || NOT_IN_THE_DEMO.has(name))
  return isBalanced(totals) && areThere && areOne && areNone && isEach && held.length === registered + 1
}

function freeFolder(): string {
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? 'sepa-migrate-demo' : `sepa-migrate-demo-${n}`
    if (!existsSync(name)) return name
  }
}
