import { PassThrough, Writable } from 'node:stream'
import type { World } from '../../src/cli/terminal/world.js'
import { worldOf } from './world.js'

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
