import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'

const SRC = fileURLToPath(new URL('../../src', import.meta.url))
const LONGEST_FUNCTION = 60
const LARGEST_FOLDER = 14
const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))

interface Body {
  readonly name: string
  readonly lines: number
}

/** Every function of a text with the lines of its body; one that stands inside of another counts in both. */
function bodiesIn(file: string, text: string): Body[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line
  const found: Body[] = []
  const visit = (node: ts.Node): void => {
    const body = ts.isFunctionLike(node) && 'body' in node ? (node.body as ts.Node | undefined) : undefined
    if (body !== undefined) {
      const name = `${file}:${lineOf(node.getStart()) + 1} ${nameOf(node)}`
      found.push({ name, lines: lineOf(body.end) - lineOf(body.getStart()) + 1 })
    }
    node.forEachChild(visit)
  }
  visit(source)
  return found
}

function nameOf(node: ts.Node): string {
  for (const at of [node, node.parent]) {
    const named = at as Partial<ts.NamedDeclaration>
    if (named.name !== undefined && ts.isIdentifier(named.name)) return named.name.text
  }
  return '(nameless)'
}

it(`11.3 no function of the program is longer than ${LONGEST_FUNCTION} lines`, () => {
  const bodies = FILES.flatMap((file) => bodiesIn(file, readFileSync(join(SRC, file), 'utf8')))
  expect(bodies.length).toBeGreaterThan(1_000)
  const long = bodies.filter(({ lines }) => lines > LONGEST_FUNCTION)
  expect(long.map(({ name, lines }) => `${name}: ${lines} lines`)).toEqual([])
})

it('11.3 the lines of a function are counted with the functions in it', () => {
  const text = ['const outer = () => {', '  function inner() {', '    return 1', '  }', '  return inner', '}']
  expect(bodiesIn('x.ts', text.join('\n'))).toEqual([
    { name: 'x.ts:1 outer', lines: 6 },
    { name: 'x.ts:2 inner', lines: 3 },
  ])
})

it(`11.3 no folder of the program holds more than ${LARGEST_FOLDER} files`, () => {
  const counts = new Map<string, number>()
  for (const file of FILES) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  const larger = [...counts].filter(([, count]) => count > LARGEST_FOLDER)
  expect(larger).toEqual([])
})
