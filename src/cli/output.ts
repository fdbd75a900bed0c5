import { isBalanced, oneLine, ROW_STATES, TOTAL_OF_STATE, type Totals } from '../index.js'
import type { CommandResult } from './result.js'
import type { World } from './world.js'

const MEANING: Readonly<Record<keyof Totals, string>> = {
  read: 'records of the exports',
  resubmitted: 'lines given back; a correction counts in the place of its row',
  invalid: 'a value is wrong; not sent',
  duplicate: 'same mandate, same content; not sent again',
  conflict: 'same mandate, different content; not sent',
  excluded: 'must not be migrated; not sent',
  superseded: 'replaced by a later export',
  ready: 'waiting to be sent',
  sending: 'under way',
  registered: 'the service confirmed it',
  refused: 'the service said no',
  inDoubt: 'may be registered; a person must settle it',
  writtenOff: 'closed by a person',
}

const LABEL: Readonly<Record<keyof Totals, string>> = {
  read: 'read',
  resubmitted: 'resubmitted',
  invalid: 'invalid',
  duplicate: 'duplicate',
  conflict: 'conflict',
  excluded: 'excluded',
  superseded: 'superseded',
  ready: 'ready',
  sending: 'sending',
  registered: 'registered',
  refused: 'refused',
  inDoubt: 'in doubt',
  writtenOff: 'written off',
}

/** The control totals as a table; states without a row are left out, except those a person must look at. */
export function totalsLines(totals: Totals): string[] {
  const always: readonly (keyof Totals)[] = ['ready', 'registered', 'refused', 'inDoubt']
  const shown = ROW_STATES.map((state) => TOTAL_OF_STATE[state]).filter(
    (name) => totals[name] > 0 || always.includes(name),
  )
  const width = Math.max(...Object.values(totals).map((count) => String(count).length))
  const line = (name: keyof Totals): string =>
    `  ${LABEL[name].padEnd(12)} ${String(totals[name]).padStart(width)}   ${MEANING[name]}`
  return [
    'Control totals',
    line('read'),
    ...shown.map(line),
    ...(totals.resubmitted > 0 ? [line('resubmitted')] : []),
    isBalanced(totals)
      ? `  balanced: ${totals.read} read = the sum of all states`
      : '  NOT BALANCED: the states do not add up to the records read. Do not continue; report this.',
  ]
}

/** Last lines of a command for people; a JSON document instead when it was asked for. */
export function printResult(world: World, result: CommandResult): void {
  for (const warning of result.warnings) world.stderr.write(`Warning: ${oneLine(warning)}\n`)
  for (const line of result.lines) world.stdout.write(`${oneLine(line)}\n`)
  if (result.errors.length > 0 && result.totals !== null && result.lines.length === 0)
    for (const line of totalsLines(result.totals)) world.stdout.write(`${line}\n`)
  for (const error of result.errors)
    world.stderr.write(`Error: ${oneLine(error.message)}\n  Next: ${oneLine(error.next)}\n`)
}
