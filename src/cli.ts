#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import type { Output, Signals, World } from './cli/terminal/world.js'
import type { Machine } from './machine.js'

/** Files of the program are for their owner alone. */
process.umask(0o077)

// Libraries that ask questions look at the environment alone.
if (process.argv.includes('--no-color') || process.env['SEPA_MIGRATE_NO_COLOR'] === '1') {
  process.env['NO_COLOR'] = '1'
  delete process.env['FORCE_COLOR']
}

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
  let fault: string | null = null
  stream.on('error', ({ code }: NodeJS.ErrnoException) => {
    isOpen = false
    if (code !== 'EPIPE') fault = code ?? 'no code'
  })
  return {
    isTerminal: stream.isTTY,
    stream,
    fault: () => fault,
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

/**
 * What every other command stands on takes longer to load than Node takes to start, so it is loaded here.
 * @returns the exit status
 */
async function start(): Promise<number> {
  const [{ commands, main }, { thisMachine }, { fileURLToPath }, { setFlagsFromString }] = await Promise.all([
    import('./cli/main.js'),
    import('./machine.js'),
    import('node:url'),
    import('node:v8'),
  ])
  // On a machine with much memory V8 lets garbage pile up. Less growth saves little more memory and collects more often
  // while rows are sent; a young generation that may not grow costs a sixth of a row.
  setFlagsFromString('--heap-growing-percent=60')
  const besides: Omit<World<Output>, keyof Machine> = {
    // A getter: it takes milliseconds, and most commands need none of it.
    get stdin() {
      return process.stdin
    },
    stdout: output(process.stdout),
    stderr: output(process.stderr),
    samples: fileURLToPath(new URL('../samples/', import.meta.url)),
    manual: fileURLToPath(new URL('../src/help/', import.meta.url)),
    schema: fileURLToPath(new URL('../samples/sepa-migrate.schema.json', import.meta.url)),
    signals: listen(),
  }
  const world = Object.defineProperties(thisMachine(), Object.getOwnPropertyDescriptors(besides))
  return main(process.argv.slice(2), commands, world as World<Output>)
}

const packageFile = new URL('../package.json', import.meta.url)
const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }
if (process.argv[2] === '--version' || process.argv[2] === '-V') process.stdout.write(`${version}\n`)
else process.exitCode = await start()
