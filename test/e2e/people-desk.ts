import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { commands, main } from '../../src/cli/main.js'
import type { World } from '../../src/cli/terminal/world.js'
import { worldOf } from '../cli/world.js'
import type { Chance } from '../support/chance.js'
import { offerConnections, withdrawConnections } from './people-connections.js'
import type { PeopleService } from './people-service.js'

export const HOST = 'service.example'
const STARTED_MS = Date.UTC(2026, 3, 1, 8)

/** What happens around one command line. */
export interface Circumstances {
  /** At the question for the host name: what is typed, after whatever else happens until then. Nobody is asked without. */
  readonly answer?: () => Promise<string>
  /** Killed when this request has left. */
  readonly killedAt?: number
  /** Stopped when this request has left, as by SIGSTOP; it goes on once that has happened. */
  readonly stoppedAt?: { readonly at: number; readonly until: () => Promise<void> }
  /** Another user of the machine, with a register of their own. */
  readonly isOtherUser?: boolean
  /** Something else on the machine, at the moment when this request has left. */
  readonly meanwhile?: { readonly at: number; readonly happens: () => void }
  readonly env?: Readonly<Record<string, string>>
}

export interface Ended {
  /** Null for a process that was killed. */
  readonly status: number | null
  readonly stdout: string
}

export type Desk = Omit<ReturnType<typeof openDesk>, 'plugIn'>

/** One machine with its folders and its clock, on which the real command line runs. */
export function openDesk(parts: { folder: string; chance: Chance; say: (text: string) => void }) {
  const { chance, say } = parts
  const root = mkdtempSync(join(parts.folder, 'desk-'))
  const grave = `${root}.dead`
  let elapsedMs = 0
  let service: PeopleService | null = null

  const nowMs = (): number => STARTED_MS + elapsedMs
  const pass = (ms: number): void => {
    elapsedMs += ms
    service?.settleUntil(nowMs())
  }

  /** Ends a program as a kill does: what is on disk at that moment stays, whatever it writes on its way out. */
  function startWorld(circumstances: Circumstances) {
    const { answer, killedAt, stoppedAt, meanwhile, isOtherUser = false, env = {} } = circumstances
    const drain = new AbortController()
    const abort = new AbortController()
    const state = { isKilled: false }
    const plain = worldOf({
      env: {
        SEPA_MIGRATE_USERNAME: 'user',
        SEPA_MIGRATE_PASSWORD: 'password',
        SEPA_MIGRATE_BASE_URL: `https://${HOST}`,
        SEPA_MIGRATE_QUIET: '1',
        SEPA_MIGRATE_NO_REPORT: '1',
        SEPA_MIGRATE_AS_OF: '2026-04-01',
        ...env,
      },
    })
    const stdin = new PassThrough()
    const asking: Partial<World> =
      answer === undefined
        ? {}
        : {
            stdin: Object.assign(stdin, { isTTY: true as const, setRawMode: () => undefined }),
            stderr: { ...plain.stderr, isTerminal: true, stream: listenFor('Type the', () => void type()) },
          }
    const type = async (): Promise<void> => {
      stdin.write(`${(await answer?.()) ?? ''}\r`)
    }
    const world: World = {
      ...plain,
      ...asking,
      clock: { now: nowMs, monotonic: () => elapsedMs },
      // The only timers that the program asks the world for are waits between requests.
      after: (delayMs, wake) => {
        let isCancelled = false
        const dueMs = elapsedMs + delayMs
        inSomeTurns(() => {
          if (isCancelled) return
          pass(Math.max(0, dueMs - elapsedMs))
          wake()
        })
        return () => void (isCancelled = true)
      },
      random: chance.next,
      stateFolder: join(root, isOtherUser ? 'state-of-another' : 'state'),
      signals: {
        drain: drain.signal,
        abort: abort.signal,
        exitStatus: () => (drain.signal.aborted ? 130 : null),
      },
    }
    const onRequest = (nth: number): 'goes_on' | 'dies' | Promise<void> => {
      if (nth === meanwhile?.at) meanwhile.happens()
      if (nth === stoppedAt?.at) return stoppedAt.until()
      if (nth !== killedAt) return 'goes_on'
      say(`    killed when request ${nth} has left`)
      mirror(root, grave)
      state.isKilled = true
      drain.abort()
      abort.abort()
      return 'dies'
    }
    return { world, state, onRequest, printed: () => plain.printed }
  }

  return {
    /** Path of a file on it. */
    at: (...names: string[]) => join(root, ...names),
    nowMs,
    pass,
    plugIn: (given: PeopleService) => (service = given),
    remove: (): void => {
      rmSync(root, { recursive: true, force: true })
      rmSync(grave, { recursive: true, force: true })
    },
    type: async (args: readonly string[], circumstances: Circumstances = {}): Promise<Ended> => {
      if (service === null) throw new Error('There is no service')
      const { world, state, onRequest, printed } = startWorld(circumstances)
      pass(chance.between(5, 60) * 1000)
      const line = ['sepa-migrate', ...args].join(' ').replaceAll(`${root}/`, '')
      say(`  $ ${line}`)
      const connections = service.connect({ onRequest, pass })
      offerConnections(connections)
      const exit = await main(args, commands, world)
      withdrawConnections(connections)
      if (state.isKilled) mirror(grave, root)
      const status = state.isKilled ? null : exit
      say(
        `    ${line.split(' ')[1] ?? ''} ends with ${status ?? 'a kill'}${hintOf(status, printed().stderr.replaceAll(`${root}/`, ''))}`,
      )
      return { status, stdout: printed().stdout }
    },
  }
}

/** After every answer that is under way, and always after as many: no timer, so that a seed gives the same again. */
function inSomeTurns(happen: () => void, turns = 5): void {
  setImmediate(() => (turns === 0 ? happen() : inSomeTurns(happen, turns - 1)))
}

/** Why a command was refused, for the history. */
const hintOf = (status: number | null, stderr: string): string =>
  status === null || [0, 3, 4, 5].includes(status)
    ? ''
    : `: ${stderr.trim().split('\n')[0]?.slice(0, 180) ?? ''}`

function listenFor(words: string, heard: () => void): Writable {
  let isHeard = false
  return new Writable({
    write: (part: Buffer, _encoding, done) => {
      done()
      if (isHeard || !part.toString().includes(words)) return
      isHeard = true
      setImmediate(heard)
    },
  })
}

/** Makes a folder what another one is, file by file: files that stay keep their place on the disk. */
function mirror(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(to))
    if (!existsSync(join(from, name))) rmSync(join(to, name), { recursive: true })
  for (const name of readdirSync(from)) {
    const isFolder = statSync(join(from, name)).isDirectory()
    if (isFolder) mirror(join(from, name), join(to, name))
    else copyFileSync(join(from, name), join(to, name))
  }
}

const PARTS = ['', '-wal', '-shm'] as const

/** A ledger with what stands beside it, but its lock; a missing one takes the other away. */
export function copyLedger(from: string, to: string, files: readonly (typeof PARTS)[number][] = PARTS): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  for (const ending of PARTS) {
    rmSync(to + ending, { force: true })
    if (files.includes(ending) && existsSync(from + ending)) copyFileSync(from + ending, to + ending)
  }
}

export const removeLedger = (ledger: string): void =>
  [...PARTS, '.lock'].forEach((ending) => rmSync(ledger + ending, { force: true }))
