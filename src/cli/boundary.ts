import { oneLine, plainLines } from '../domain/plain-text.js'
import type { Progress } from './progress.js'
import type { Output, World } from './world.js'

/**
 * The one place where text leaves for a terminal or whatever reads in its stead. Names of columns and files, references
 * and the service's words come from others: what a terminal would obey, and what reorders or hides, is taken out here.
 */
const plain = (output: Output): Output => ({ ...output, write: (text) => output.write(plainLines(text)) })

/** What the world works out on demand, it still does. */
export function boundedWorld(world: World): World {
  const bounded = Object.defineProperties({}, Object.getOwnPropertyDescriptors(world)) as World
  return Object.defineProperties(bounded, {
    stdout: { value: plain(world.stdout), enumerable: true },
    stderr: { value: plain(world.stderr), enumerable: true },
  })
}

/** Progress draws on the stream itself, and a line break in a name would begin a line of its own. */
export const boundedProgress = (progress: Progress): Progress => ({
  ...progress,
  reading: (source, records) => progress.reading(oneLine(source), records),
  note: (text) => progress.note(oneLine(text)),
  event: (text) => progress.event(oneLine(text)),
})
