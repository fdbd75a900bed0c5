import { Readable, Writable, PassThrough } from 'node:stream'
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

export type Answer = readonly [question: string, keys: string]

/** A terminal at which somebody answers one question after another. */
export function answering(answers: readonly Answer[]) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true as const, setRawMode: () => undefined })
  const left = [...answers]
  let shown = ''
  let since = 0
  const look = (): void => {
    const [next] = left
    if (next === undefined || !shown.slice(since).includes(next[0])) return
    left.shift()
    since = shown.length
    setImmediate(() => stdin.write(next[1]))
  }
  const write = (text: string): void => {
    shown += text
    look()
  }
  const stream = new Writable({
    write: (part, _, done) => {
      write(String(part))
      done()
    },
  })
  const { stderr } = worldOf()
  const world: World = { ...worldOf(), stdin, stderr: { ...stderr, write, isTerminal: true, stream } }
  return { world, shown: () => shown, left: () => left }
}
