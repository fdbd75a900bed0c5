import type { EarlierRows } from '../domain/row/earlier-row.js'
import type { SourceSummary } from '../domain/rule/verdict.js'
import type { Crosswalk } from '../source/columns/crosswalk.js'
import type { SourceInput } from '../source/bytes/input.js'
import type { SourceOptions } from '../source/options.js'
import type { OpenedSource } from '../source/read-source.js'
import type { CheckedAgainst } from '../source/recognised-source.js'
import type { OpenNext } from './admit-sources.js'

/**
 * How to open each file of a command, in order. They share one crosswalk, whose unused lines are known once the last
 * file was read; they are reported with it, and only when no file was passed over as known and none holds corrections.
 */
export function sourceOpeners(
  inputs: readonly SourceInput[],
  options: SourceOptions,
  against: Omit<CheckedAgainst, 'crosswalk'>,
  signal: AbortSignal,
): OpenNext[] {
  let shared: Promise<Crosswalk> | null = null
  let readToEnd = 0
  let areExports = true
  const load = (): Promise<Crosswalk> | null => {
    const { crosswalk, limits } = options
    if (crosswalk === undefined) return null
    shared ??= import('../source/columns/crosswalk.js').then(({ loadCrosswalk }) =>
      loadCrosswalk(crosswalk.file, crosswalk, limits, signal),
    )
    return shared
  }

  const opener =
    (input: SourceInput, index: number) =>
    async (earlier?: EarlierRows): Promise<OpenedSource> => {
      const known = earlier === undefined ? against : { ...against, earlier }
      // A file that is in the ledger already is not opened, and the room takes a while to load.
      const { openSource } = await import('../source/read-source.js')
      const crosswalk = await load()
      if (crosswalk === null) return openSource(input, options, known, signal)
      const source = await openSource(input, options, { ...known, crosswalk }, signal)
      const summary = (): SourceSummary => {
        const own = source.summary()
        readToEnd += 1
        areExports &&= !source.isResultFile
        const isComplete = areExports && index === inputs.length - 1 && readToEnd === inputs.length
        return isComplete
          ? { ...own, findings: [...own.findings, ...crosswalk.findings(against.severities)] }
          : own
      }
      return { ...source, summary }
    }
  return inputs.map((input, index) =>
    Object.assign(opener(input, index), typeof input === 'string' ? { path: input } : {}),
  )
}
