import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { type Output, type Screen, type World, wordsOf } from '../../src/cli/terminal/world.js'

interface Given {
  readonly env?: Readonly<Record<string, string>>
  readonly now?: number
  readonly zone?: string
}

/** A world without a terminal that keeps what is printed. */
export function worldOf({ env = {}, now = 0, zone = 'Europe/Berlin' }: Given = {}): World & {
  readonly printed: { stdout: string; stderr: string }
} {
  const printed = { stdout: '', stderr: '' }
  const raw = (name: 'stdout' | 'stderr'): Output => ({
    write: (text) => void (printed[name] += text),
    isTerminal: false,
    stream: new Writable({ write: (_part, _encoding, done) => done() }),
  })
  const output = (name: 'stdout' | 'stderr'): Screen => ({
    ...raw(name),
    hasColour: false,
    print: (line) => void (printed[name] += `${wordsOf(line)}\n`),
  })
  return {
    env,
    printed,
    stdin: Readable.from([]),
    stdout: output('stdout'),
    stderr: output('stderr'),
    clock: { now: () => now, monotonic: () => performance.now() },
    after: (delayMs, wake) => {
      const timer = setTimeout(wake, delayMs)
      return () => clearTimeout(timer)
    },
    random: () => 0.5,
    zone,
    host: 'test',
    pid: 1,
    user: 'operator',
    version: '0.0.0',
    samples: '',
    manual: fileURLToPath(new URL('../../src/help/', import.meta.url)),
    schema: '',
    stateFolder: '',
    signals: {
      drain: new AbortController().signal,
      abort: new AbortController().signal,
      exitStatus: () => null,
    },
  }
}
