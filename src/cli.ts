#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { homedir, hostname, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { commands } from './cli/commands.js'
import { main } from './cli/main.js'
import type { Output, Signals, World } from './cli/terminal/world.js'

/** Files of the program are for their owner alone. */
process.umask(0o077)

// Libraries that ask questions look at the environment alone.
if (process.argv.includes('--no-color') || process.env['SEPA_MIGRATE_NO_COLOR'] === '1') {
  process.env['NO_COLOR'] = '1'
  delete process.env['FORCE_COLOR']
}

// On a machine with much memory V8 lets garbage pile up; a check of 300,000 rows peaked at 228 MB, with these at 158 MB.
// Less growth saves little more memory and collects more often while rows are sent.
setFlagsFromString('--heap-growing-percent=60')
setFlagsFromString('--semi-space-growth-factor=1')

const SIGNAL_STATUS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143 } as const

/** First signal: drain. Second: give up what is under way. Third, or SIGQUIT: leave; the next start recovers. */
function listen(): Signals {
  const drain = new AbortController()
  const abort = new AbortController()
  let status: number | null = null
  const onSignal = (name: keyof typeof SIGNAL_STATUS): void => {
    status ??= SIGNAL_STATUS[name]
    if (abort.signal.aborted) process.exit(status)
    if (drain.signal.aborted) abort.abort()
    else drain.abort()
  }
  for (const name of Object.keys(SIGNAL_STATUS) as (keyof typeof SIGNAL_STATUS)[])
    process.on(name, () => onSignal(name))
  process.on('SIGQUIT', () => process.exit(131))
  return { drain: drain.signal, abort: abort.signal, exitStatus: () => status }
}

/** A reader that went away must not stop a run: from then on nothing is printed there. */
function output(stream: NodeJS.WriteStream): Output {
  let isOpen = true
  stream.on('error', () => (isOpen = false))
  return {
    isTerminal: stream.isTTY,
    stream,
    write: (text) => {
      try {
        if (isOpen) stream.write(text)
      } catch {
        isOpen = false // a full disk behind a redirection, on versions of Node that throw it
      }
    },
  }
}

function fatal(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : 'a value that is not an error'
  process.stderr.write(`Unexpected error, stopping: ${text}\nThe ledger is safe: run sepa-migrate status\n`)
  process.exit(1)
}
process.on('uncaughtException', fatal)
process.on('unhandledRejection', fatal)

/** A container may run under a number that has no name. */
function systemUser(): string | null {
  try {
    return userInfo().username
  } catch {
    return process.getuid === undefined ? null : `number ${process.getuid()}`
  }
}

/** An empty or relative XDG_STATE_HOME counts as none, so that every folder and terminal has the same register. */
const stateHome = (given: string): string => (isAbsolute(given) ? given : join(homedir(), '.local', 'state'))

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}

const world: World<Output> = {
  env: process.env,
  // Getters: each takes milliseconds, and most commands, `--version` first of all, need none of them.
  get stdin() {
    return process.stdin
  },
  stdout: output(process.stdout),
  stderr: output(process.stderr),
  clock: { now: () => Date.now(), monotonic: () => performance.now() },
  after: (delayMs, wake) => {
    const timer = setTimeout(wake, delayMs)
    return () => clearTimeout(timer)
  },
  random: () => Math.random(),
  get zone() {
    return Intl.DateTimeFormat().resolvedOptions().timeZone
  },
  host: hostname(),
  pid: process.pid,
  user: systemUser(),
  version,
  samples: fileURLToPath(new URL('../samples/', import.meta.url)),
  schema: fileURLToPath(new URL('../samples/sepa-migrate.schema.json', import.meta.url)),
  stateFolder: join(stateHome(process.env['XDG_STATE_HOME'] ?? ''), 'sepa-migrate'),
  signals: listen(),
}

process.exitCode = await main(process.argv.slice(2), commands, world)
