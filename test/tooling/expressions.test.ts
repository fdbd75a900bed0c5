import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { worldOf } from '../cli/world.js'
import { SAMPLES } from '../support/program.js'

const SRC = fileURLToPath(new URL('../../src', import.meta.url))

/** An expression that is quadratic takes more than a tenth of a second over the last, a cubic one over the first. */
const LENGTHS = [1000, 16_000]
const SLOW_MS = 40

/** Every literal of the program. */
const literals = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .flatMap((path) => {
    const file = ts.createSourceFile(path, readFileSync(join(SRC, path), 'utf8'), ts.ScriptTarget.Latest)
    const found: { readonly name: string; readonly pattern: RegExp }[] = []
    const visit = (node: ts.Node): void => {
      if (node.kind === ts.SyntaxKind.RegularExpressionLiteral) {
        const text = (node as ts.RegularExpressionLiteral).text
        const end = text.lastIndexOf('/')
        const pattern = new RegExp(text.slice(1, end), `${text.slice(end + 1).replace('g', '')}g`)
        found.push({ name: `${path}: ${text}`, pattern })
      }
      ts.forEachChild(node, visit)
    }
    visit(file)
    return found
  })

/** Those that it puts together, while its modules load and while it reads each sample, by where it does. */
async function puttingTogether(): Promise<typeof literals> {
  const made = new Map<string, (typeof literals)[number]>()
  const usual = globalThis.RegExp
  globalThis.RegExp = new Proxy(usual, {
    construct: (target, args: ConstructorParameters<typeof RegExp>, maker) => {
      const pattern = Reflect.construct(target, args, maker) as RegExp
      const [, , from = ''] = (new Error().stack ?? '').split('\n')
      const [, place] = /\/src\/(.+?):\d+/.exec(from) ?? []
      const name = `${place ?? ''}: ${pattern.source}`
      if (place !== undefined)
        made.set(name, { name, pattern: new usual(pattern, `${pattern.flags.replace('g', '')}g`) })
      return pattern
    },
  })
  try {
    const { commands, main } = await import('../../src/cli/main.js')
    for (const name of ['clean.csv', 'demo.csv', 'german-messy.csv', 'french.csv']) {
      const world = worldOf()
      await main(['check', join(SAMPLES, name)], commands, world)
      expect(world.printed.stderr).not.toContain('Unexpected')
    }
  } finally {
    globalThis.RegExp = usual
  }
  return [...made.values()]
}

/** One of each class that an expression of ours can tell from another, and what the expression itself names. */
const COMMON = Array.from(' \t\n\r0aAé"\'=,;:./-+_([<>{\u200b\u0301!#')
const lettersOf = ({ source }: RegExp): string[] => Array.from(source.replaceAll(/\\[a-zA-Z]|\p{Cc}/gu, ''))

const unitsFor = (pattern: RegExp): string[] => [...new Set([...COMMON, ...lettersOf(pattern), ...PAIRS])]
const PAIRS = [' a', 'a ', '",', ' -', '0.', '\n ', 'aA', ';x']

/** A run at the beginning, in the middle, and behind a digit, each with an end that nothing expects. */
const textsOf = (unit: string, length: number): string[] => {
  const run = unit.repeat(length / unit.length)
  return [`${run}\u0001`, `a${run}b\u0001`, `0${run}!\n`, `${run}x`]
}

/** Milliseconds; the least of three where it is slow, for the machine may have been busy elsewhere. */
function measure(pattern: RegExp, text: string): number {
  const once = (): number => {
    const begun = performance.now()
    text.replaceAll(pattern, '')
    return performance.now() - begun
  }
  const first = once()
  return first > SLOW_MS ? Math.min(first, once(), once()) : first
}

/** What the expression is slow over; null where it is not. */
function slowOver(pattern: RegExp): string | null {
  for (const length of LENGTHS)
    for (const unit of unitsFor(pattern))
      for (const text of textsOf(unit, length))
        if (measure(pattern, text) > SLOW_MS) return JSON.stringify(text.slice(0, 4))
  return null
}

it('no expression backtracks over a long run of any class of characters', { timeout: 300_000 }, async () => {
  const made = await puttingTogether()
  expect(literals.length, 'literals').toBeGreaterThan(100)
  expect(made.length, 'put together').toBeGreaterThan(15)
  const expressions = [...literals, ...made]
  const slow = expressions.flatMap(({ name, pattern }) => {
    const over = slowOver(pattern)
    return over === null ? [] : [`${name} over ${over}…`]
  })
  expect(slow).toEqual([])
})
