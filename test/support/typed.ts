import { join } from 'node:path'
import { main, commands } from '../../src/cli/main.js'
import { worldOf } from '../cli/world.js'
import { CREDENTIALS } from './program.js'
import { readFileSync, writeFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'

/** A clock that somebody can set forward; the service and the people beside it share it. */
export type Time = ReturnType<typeof movableTime>

export function movableTime() {
  let aheadMs = 0
  return { now: () => Date.now() + aheadMs, pass: (ms: number): void => void (aheadMs += ms) }
}

export type Typed = Awaited<ReturnType<typeof typeIn>>

/**
 * Types a command line in this process, on the ledger and the register of that folder, at that time. Paths are absolute.
 * @param isHurried whatever waits does so in that time alone
 * @param folder also that of processes with `XDG_STATE_HOME` of its `state`
 */
export async function typeIn(
  folder: string,
  time: Time,
  args: readonly string[],
  { isHurried = false } = {},
) {
  const world = worldOf({
    env: { ...CREDENTIALS, SEPA_MIGRATE_LEDGER: join(folder, 'sepa-migrate.db'), SEPA_MIGRATE_QUIET: '1' },
  })
  const status = await main(args, commands, {
    ...world,
    clock: { now: time.now, monotonic: isHurried ? time.now : () => performance.now() },
    ...(isHurried ? { after: hurried(time) } : {}),
    stateFolder: join(folder, 'state', 'sepa-migrate'),
  })
  return { status, ...world.printed }
}

const hurried =
  (time: Time) =>
  (delayMs: number, wake: () => void): (() => void) => {
    const timer = setTimeout(() => {
      time.pass(delayMs)
      wake()
    })
    return () => clearTimeout(timer)
  }

type DoubtLine = Readonly<Record<string, string>>

/** The lines of an in-doubt.csv as somebody reads them. */
export const doubtLines = (file: string): readonly DoubtLine[] =>
  parse<Record<string, string>>(readFileSync(file), { columns: true, bom: true })

/**
 * What a person does who agrees with every proposal: copies the word, gives a reason, saves under another name.
 * @param more decides lines without a proposal, or null
 * @returns how many lines have a decision
 */
export function agreeToProposals(
  file: string,
  saved: string,
  more: (line: DoubtLine) => string | null = () => null,
): number {
  const lines = doubtLines(file).map((line) => {
    const proposal = line['migration_proposal'] ?? ''
    const decision = proposal === '' ? (more(line) ?? '') : proposal
    return decision === ''
      ? line
      : { ...line, migration_decision: decision, migration_reason: 'absent', migration_by: 'Ada' }
  })
  writeFileSync(saved, stringify([...lines], { header: true }))
  return lines.filter((line) => (line['migration_decision'] ?? '') !== '').length
}
