import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { plainName } from '../../src/report/pack/earlier-pack.js'
import { PACK_NAMES } from '../../src/report/pack/pack.js'

/** The built program, as a user starts it. `npm test` builds it first. */
export const PROGRAM = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
export const SAMPLES = fileURLToPath(new URL('../../samples/', import.meta.url))

/** Where a file of a report is, from the folder of the ledger; any other name as it is. */
export const inReport = (name: string): string =>
  PACK_NAMES.some((other) => other === plainName(name)) ? join('sepa-migrate-report', name) : name

export const CREDENTIALS = { SEPA_MIGRATE_USERNAME: 'sandbox', SEPA_MIGRATE_PASSWORD: 'sandbox' }

export interface Ended {
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Started {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
}

export interface StartOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string | Buffer
  /** Another user of the system, which root alone can act as. */
  readonly uid?: number
}

/** The register of the tests: nothing is noted for the user who runs them. */
const STATE = mkdtempSync(join(tmpdir(), 'sepa-migrate-state-'))
process.once('exit', () => rmSync(STATE, { recursive: true, force: true }))

/** Starts the program with nothing of this process's environment but the path. */
export const start = (args: readonly string[], options: StartOptions): Started =>
  startCommand([process.execPath, PROGRAM, ...args], options)

/** Runs a line of shell that sees mounts of its own (root on Linux only); `$NODE "$PROGRAM"` is the program. */
export const runShell = (line: string, { env = {}, ...options }: StartOptions): Promise<Ended> =>
  startCommand(['unshare', '-m', '--propagation', 'private', 'sh', '-c', line], {
    ...options,
    env: { ...env, NODE: process.execPath, PROGRAM },
  }).ended

/** Runs one line of shell as a user would paste it. */
export const startShell = (line: string, options: StartOptions): Promise<Ended> =>
  startCommand(['sh', '-c', line], options).ended

/** Starts any command, with nothing of this process's environment but the path. */
export function startCommand(
  [command = '', ...args]: readonly string[],
  { cwd, env = {}, input, uid }: StartOptions,
): Started {
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', TZ: 'Europe/Berlin', XDG_STATE_HOME: STATE, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(input ?? '')
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  child.stdout.on('data', (part: Buffer) => stdout.push(part))
  child.stderr.on('data', (part: Buffer) => stderr.push(part))
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (status, signal) =>
      resolve({
        status,
        signal,
        stdout: Buffer.concat(stdout).toString(),
        stderr: Buffer.concat(stderr).toString(),
      }),
    )
  })
  return { child, ended }
}

export const runProgram = (args: readonly string[], options: StartOptions): Promise<Ended> =>
  start(args, options).ended

/** A private folder under a name with a space, as users have them, and how to remove it. */
export function makeFolder(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'sepa migrate '))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
