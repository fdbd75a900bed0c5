import type { Log } from './log.js'
import type { Progress } from './progress.js'

/** What stands in where nobody looks on; libraries for a terminal or a log are loaded for those who do. */

export const noLog: Log = {
  delivery: () => undefined,
  missing: () => null,
  close: () => undefined,
}

export const silentProgress: Progress = {
  reading: () => undefined,
  sending: () => undefined,
  outcome: () => undefined,
  note: () => undefined,
  event: () => undefined,
  end: () => undefined,
}
