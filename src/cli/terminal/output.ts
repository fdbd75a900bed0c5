import { ROW_STATES } from '../../domain/row/row-state.js'
import { isBalanced, TOTAL_OF_STATE, type Totals } from '../../domain/row/totals.js'
import { countText } from '../../domain/text/wording.js'
import { type Line, type Tone, toned } from './line.js'
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

const TONE: Readonly<Partial<Record<keyof Totals, Tone>>> = {
  invalid: 'bad',
  conflict: 'bad',
  registered: 'good',
  refused: 'bad',
  inDoubt: 'open',
}

/** The control totals as a table; states without a row are left out, except those a person must look at. */
export function totalsLines(totals: Totals): Line[] {
  const always: readonly (keyof Totals)[] = ['ready', 'registered', 'refused', 'inDoubt']
  const shown = ROW_STATES.map((state) => TOTAL_OF_STATE[state]).filter(
    (name) => totals[name] > 0 || always.includes(name),
  )
  const width = Math.max(...Object.values<number>({ ...totals }).map((count) => countText(count).length))
  const line = (name: keyof Totals): Line => {
    const tone = TONE[name]
    const counted = `${LABEL[name].padEnd(12)} ${countText(totals[name]).padStart(width)}`
    return [
      '  ',
      tone === undefined || totals[name] === 0 ? counted : toned(tone, counted),
      `   ${MEANING[name]}`,
    ]
  }
  return [
    [toned('strong', 'Control totals')],
    line('read'),
    ...shown.map(line),
    ...(totals.resubmitted > 0 ? [line('resubmitted')] : []),
    isBalanced(totals)
      ? `  balanced: ${countText(totals.read)} read = the sum of all states`
      : [
          '  ',
          toned('bad', 'NOT BALANCED'),
          ': the states do not add up to the records read. Do not continue; report this.',
        ],
  ]
}

/** Last lines of a command for people; a JSON document instead when it was asked for. */
export function printResult({ stdout, stderr }: World, result: CommandResult): void {
  for (const warning of result.warnings) stderr.print([toned('open', 'Warning'), `: ${warning}`])
  for (const line of result.lines) stdout.print(line)
  if (result.errors.length > 0 && result.totals !== null && result.lines.length === 0)
    for (const line of totalsLines(result.totals)) stdout.print(line)
  for (const error of result.errors) {
    stderr.print([toned('bad', 'Error'), `: ${error.message}`])
    stderr.print(`  To do: ${error.next}`)
  }
}
