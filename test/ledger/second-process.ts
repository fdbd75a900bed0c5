import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const SCRIPTS = fileURLToPath(new URL('processes', import.meta.url))

/**
 * Starts a script of test/ledger/processes on the built program, behind a line of shell: vitest's own workers share one
 * process with the test, and a lock or a kill must be seen from outside.
 */
export function startProcess(script: string, args: readonly string[], shell = ':') {
  const command = ['-c', `${shell}; exec "$0" "$@"`, process.execPath, join(SCRIPTS, script), ...args]
  const child = spawn('sh', command, { stdio: ['ignore', 'pipe', 'inherit'] })
  const exitCode = once(child, 'close').then(([code]) => code as number | null)
  const lines: string[] = []
  const reader = createInterface({ input: child.stdout })
  reader.on('line', (line) => lines.push(line))
  const closed = once(reader, 'close')
  /** Settles when it has written so many lines. */
  async function wrote(count: number): Promise<void> {
    while (lines.length < count) {
      const isOver = await Promise.race([once(reader, 'line').then(() => false), closed.then(() => true)])
      if (isOver && lines.length < count)
        throw new Error(`The process ended with ${lines.length} lines of ${count}`)
    }
  }
  const says = wrote(1).then(() => lines[0] ?? '')
  says.catch(() => undefined)
  /** Ends it the hard way and waits until the system has buried it. */
  async function kill(): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await exitCode
  }
  onTestFinished(kill)
  return { child, says, lines, wrote, kill, exitCode }
}
