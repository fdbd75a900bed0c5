import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { commands } from '../../../src/cli/commands.js'
import { main } from '../../../src/cli/main.js'
import type { World } from '../../../src/cli/terminal/world.js'
import type { Findings } from '../../../src/probe/findings.js'
import type { LeftBehind } from '../../../src/probe/left-behind.js'
import type { Proposal } from '../../../src/probe/proposal.js'
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.js'
import type { SandboxOptions } from '../../../src/sandbox/settings.js'
import { freshFolder } from '../../support/folder.js'
import { worldOf } from '../world.js'

const BEGIN = Date.parse('2026-11-22T04:26:54Z')

/** What waits costs no time: it moves the clock of probe and sandbox on. Requests take the time that they take. */
function startTime(): Pick<World, 'clock' | 'after'> {
  const begun = performance.now()
  let waitedMs = 0
  const monotonic = (): number => performance.now() - begun + waitedMs
  return {
    clock: { now: () => BEGIN + monotonic(), monotonic },
    after: (delayMs, wake) => {
      const timer = setImmediate(() => {
        waitedMs += delayMs
        wake()
      })
      return () => clearImmediate(timer)
    },
  }
}

export interface Document {
  readonly ok: boolean
  readonly exitCode: number
  readonly errors: readonly { readonly kind: string; readonly message: string; readonly next: string }[]
  readonly warnings: readonly string[]
  readonly files: Readonly<Record<string, string>>
  readonly findings: Findings
  readonly open: readonly string[]
  readonly proposal: Proposal
  readonly mandates: readonly LeftBehind[]
  readonly ended: string | null
}

export interface Probing {
  readonly sandbox: Sandbox
  readonly folder: string
  readonly world: World & { readonly printed: { stdout: string; stderr: string } }
  /** Runs the command line against the sandbox. */
  readonly run: (...argv: string[]) => Promise<number>
  /** The same with a JSON document. */
  readonly ask: (...argv: string[]) => Promise<Document>
}

interface Given extends SandboxOptions {
  readonly change?: (world: World) => Partial<World>
}

/** A sandbox, and a command line that probes it; both end with the test. */
export async function startProbing({ change = () => ({}), ...options }: Given = {}): Promise<Probing> {
  const time = startTime()
  const folder = freshFolder('sepa probe ')
  const sandbox = await startSandbox({
    seed: 1,
    password: 'of the test',
    now: () => new Date(time.clock.now()),
    ...options,
  })
  onTestFinished(() => sandbox.close())
  const env = {
    SEPA_MIGRATE_USERNAME: 'sandbox',
    SEPA_MIGRATE_PASSWORD: 'of the test',
    SEPA_MIGRATE_TIMEOUT: '20',
  }
  const plain = { ...worldOf({ env }), ...time, random: () => 0.4711, stateFolder: join(folder, 'state') }
  const world = { ...plain, ...change(plain) }
  const run = (...argv: string[]): Promise<number> =>
    main(['probe', '--base-url', sandbox.url, ...argv], commands, world)
  return {
    sandbox,
    folder,
    world,
    run,
    ask: async (...argv) => {
      world.printed.stdout = ''
      await run('--json', ...argv)
      return JSON.parse(world.printed.stdout) as Document
    },
  }
}
