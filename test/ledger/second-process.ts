import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, onTestFinished } from 'vitest'
import { plainSources } from './plain-sources.js'

export interface SecondProcess {
  readonly child: ChildProcess
  /** The first line it writes. */
  readonly says: Promise<string>
  /** All lines so far, and to its end once `exitCode` is settled. */
  readonly lines: readonly string[]
  /** Settles when it has written so many lines. */
  readonly wrote: (count: number) => Promise<void>
  /** Ends it the hard way and waits until the system has buried it. */
  readonly kill: () => Promise<void>
  readonly exitCode: Promise<number | null>
}

/** Starts scripts of test/ledger/processes on plain sources, which are made once per test file. */
export function processes(): (script: string, args: readonly string[], shell?: string) => SecondProcess {
  let folder: string | null = null
  afterAll(() => {
    if (folder !== null) rmSync(folder, { recursive: true, force: true })
  })
  return (script, args, shell) => {
    folder ??= plainSources()
    const path = join(folder, 'processes', script)
    const child =
      shell === undefined
        ? spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
        : spawn('sh', ['-c', `${shell}; exec "$0" "$@"`, process.execPath, path, ...args], {
            stdio: ['ignore', 'pipe', 'inherit'],
          })
    const exitCode = once(child, 'close').then(([code]) => code as number | null)
    const lines: string[] = []
    const reader = createInterface({ input: child.stdout })
    reader.on('line', (line) => lines.push(line))
    const closed = once(reader, 'close')
    async function wrote(count: number): Promise<void> {
      while (lines.length < count) {
        const isOver = await Promise.race([once(reader, 'line').then(() => false), closed.then(() => true)])
        if (isOver && lines.length < count)
          throw new Error(`The process ended with ${lines.length} lines of ${count}`)
      }
    }
    const says = once(reader, 'line').then(([line]) => line as string)
    async function kill(): Promise<void> {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await exitCode
    }
    onTestFinished(kill)
    return { child, says, lines, wrote, kill, exitCode }
  }
}
