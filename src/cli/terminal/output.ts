import { WriteStream } from 'node:tty'
import {
  ROW_STATES,
  type RowState,
  STATE_MEANS,
  stateName,
  isBalanced,
  TOTAL_OF_STATE,
  type Totals,
} from '../../domain/row/row-state.js'
import type { CommandResult } from './result.js'
import { type Output, type Screen, type World, type Line, type Tone, toned, writtenLine } from './world.js'
import { plainLines, countText } from '../../domain/text/text.js'

/** Totals that are no states. */
const COUNTED: Readonly<Record<'read' | 'resubmitted', string>> = {
  read: 'records of the exports',
  resubmitted: 'lines given back; a correction counts in the place of its row',
}

const TONE: Readonly<Partial<Record<RowState, Tone>>> = {
  invalid: 'bad',
  conflict: 'bad',
  registered: 'good',
  refused: 'bad',
  in_doubt: 'open',
}

/** The control totals as a table; states without a row are left out, except those a person must look at. */
export function totalsLines(totals: Totals): Line[] {
  const always: readonly RowState[] = ['ready', 'registered', 'refused', 'in_doubt']
  const shown = ROW_STATES.filter((state) => totals[TOTAL_OF_STATE[state]] > 0 || always.includes(state))
  const width = Math.max(...Object.values<number>({ ...totals }).map((count) => countText(count).length))
  const line = (name: string, count: number, meaning: string, tone?: Tone): Line => {
    const counted = `${name.padEnd(12)} ${countText(count).padStart(width)}`
    return ['  ', tone === undefined || count === 0 ? counted : toned(tone, counted), `   ${meaning}`]
  }
  const stateLine = (state: RowState): Line =>
    line(stateName(state), totals[TOTAL_OF_STATE[state]], STATE_MEANS[state], TONE[state])
  return [
    [toned('strong', 'Control totals')],
    line('read', totals.read, COUNTED.read),
    ...shown.map(stateLine),
    ...(totals.resubmitted > 0 ? [line('resubmitted', totals.resubmitted, COUNTED.resubmitted)] : []),
    isBalanced(totals)
      ? `  balanced: ${countText(totals.read)} read = the sum of all states`
      : [
          '  ',
          toned('bad', 'NOT BALANCED'),
          ': the states do not add up to the records read. Do not continue; report this.',
        ],
  ]
}

/** Exit statuses of commands that took nothing: where the ledger stands has not changed. */
const TOOK_NOTHING: readonly number[] = [2, 7]

/** Last lines of a command for people; a JSON document instead when it was asked for. */
export function printResult({ stdout, stderr }: World, result: CommandResult): void {
  for (const warning of result.warnings) stderr.print([toned('open', 'Warning'), `: ${warning}`])
  for (const line of result.lines) stdout.print(line)
  const isTold = result.lines.length > 0 || TOOK_NOTHING.includes(result.exitCode)
  if (result.errors.length > 0 && result.totals !== null && !isTold)
    for (const line of totalsLines(result.totals)) stdout.print(line)
  for (const error of result.errors) {
    stderr.print([toned('bad', 'Error'), `: ${error.message}`])
    stderr.print(`  To do: ${error.next}`)
  }
}

/**
 * The one place where text leaves for a terminal or whatever reads in its stead. Names of columns and files, references
 * and the service's words come from others: what a terminal would obey, and what reorders or hides, is taken out here.
 * Colours are put on afterwards, by what the program itself says about its words.
 */
const screen = (output: Output, hasColour: boolean): Screen => ({
  ...output,
  hasColour,
  write: (text) => output.write(plainLines(text)),
  print: (line) => output.write(`${writtenLine(line, hasColour)}\n`),
})

/** NO_COLOR, then the rules of Node's own `util.styleText`: FORCE_COLOR, else a terminal, NODE_DISABLE_COLORS and TERM. */
const showsColour = ({ isTerminal }: Output, env: World['env']): boolean =>
  (env['NO_COLOR'] ?? '') === '' &&
  (env['FORCE_COLOR'] !== undefined || isTerminal) &&
  WriteStream.prototype.getColorDepth.call(null, env) > 2

/** What the world works out on demand, it still does. */
export function boundedWorld(world: World<Output>, { noColor = false } = {}): World {
  const bounded = Object.defineProperties({}, Object.getOwnPropertyDescriptors(world)) as World
  const bound = (output: Output): PropertyDescriptor => ({
    value: screen(output, !noColor && showsColour(output, world.env)),
    enumerable: true,
  })
  return Object.defineProperties(bounded, { stdout: bound(world.stdout), stderr: bound(world.stderr) })
}
