import { WriteStream } from 'node:tty'
import { type Line, writtenLine } from './line.js'
import type { Progress } from './progress.js'
import type { Output, Screen, World } from './world.js'
import { oneLine, plainLines } from '../../domain/text/text.js'

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

/** The rules of Node's own `util.styleText`: FORCE_COLOR, else a terminal, NO_COLOR, NODE_DISABLE_COLORS and TERM. */
const showsColour = ({ isTerminal }: Output, env: World['env']): boolean =>
  (env['FORCE_COLOR'] !== undefined || isTerminal) && WriteStream.prototype.getColorDepth.call(null, env) > 2

/** What the world works out on demand, it still does. */
export function boundedWorld(world: World<Output>, { noColor = false } = {}): World {
  const bounded = Object.defineProperties({}, Object.getOwnPropertyDescriptors(world)) as World
  const bound = (output: Output): PropertyDescriptor => ({
    value: screen(output, !noColor && showsColour(output, world.env)),
    enumerable: true,
  })
  return Object.defineProperties(bounded, { stdout: bound(world.stdout), stderr: bound(world.stderr) })
}

const plainLine = (line: Line): Line =>
  typeof line === 'string'
    ? oneLine(line)
    : line.map((part) =>
        typeof part === 'string' ? oneLine(part) : { tone: part.tone, text: oneLine(part.text) },
      )

/** Progress draws on the stream itself, and a line break in a name would begin a line of its own. */
export const boundedProgress = (progress: Progress): Progress => ({
  ...progress,
  reading: (source, records) => progress.reading(oneLine(source), records),
  note: (line) => progress.note(plainLine(line)),
  event: (text) => progress.event(oneLine(text)),
})
