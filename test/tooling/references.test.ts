import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, extname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SRC = join(ROOT, 'src')

/** Papers that a reader of the repository does not have; taken apart, so that a search for them finds nothing here. */
const OUTSIDE = 'product|md sepa|rules engineering|facts models|md service|interface speed|facts'

const FILES = ['src', 'test'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
)
const find = (...endings: string[]): string[] =>
  FILES.filter((path) => endings.includes(extname(path).slice(1))).sort()
const CODE = find('ts', 'js', 'cjs')
const PAGES = ['README.md', ...find('md')]
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** The anchors of a page as GitHub makes them: lower case, blanks as hyphens, no other punctuation. */
function anchorsOf(page: string): ReadonlySet<string> {
  const anchors = new Set<string>()
  const outsideBlocks = page.replace(/^```[^]*?^```/gm, '')
  for (const [, heading = ''] of outsideBlocks.matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const words = heading.toLowerCase().replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    const anchor = words.replaceAll(' ', '-')
    let name = anchor
    for (let n = 1; anchors.has(name); n += 1) name = `${anchor}-${n}`
    anchors.add(name)
  }
  return anchors
}

const COMMENT = /^\s*(?:\/\*|\*|\/\/)|\s\/\/\s|\/\*\*/
const PAGE = /(?:[\w.-]+\/)*[\w.-]+\.(md|txt)\b(?:#([\w%-]+))?/g

/**
 * The references of a text that lead nowhere. In code a page is named by its path from `src`, or from the repository
 * for pages of the tests; a string may also hold the path from its own folder.
 */
function brokenIn(path: string, text: string, isCode = true): string[] {
  return text.split('\n').flatMap((line, index) => {
    const isComment = isCode && COMMENT.test(line)
    const bases = isComment ? [SRC, ROOT] : [SRC, ROOT, dirname(join(ROOT, path))]
    return [...line.matchAll(PAGE)].flatMap(([mention, ending, anchor]) => {
      // A text file named in a string or on a page is one that a user or a test has; so is a bare name in a string.
      if (ending === 'txt' && !isComment) return []
      if (isCode && !isComment && anchor === undefined && !mention.includes('/')) return []
      // npm packs the repository below a folder of this name.
      const [place = ''] = mention.replace(/^package\//, '').split('#')
      const file = bases
        .map((base) => join(base, place))
        .find((at) => existsSync(at) && statSync(at).isFile())
      const where = `${path}:${index + 1}: ${mention}`
      if (file === undefined) return [`${where}: no such page`]
      const isThere = anchor === undefined || anchorsOf(readFileSync(file, 'utf8')).has(anchor)
      return isThere ? [] : [`${where}: no such heading in ${relative(ROOT, file)}`]
    })
  })
}

/** Links of a page to its own headings. */
const brokenAnchors = (path: string, text: string): string[] =>
  [...text.matchAll(/\]\(#([^)]+)\)/g)].flatMap(([link, anchor = '']) =>
    anchorsOf(text).has(anchor) ? [] : [`${path}: ${link}`],
  )

describe('a reference', () => {
  it('leads to a page and a heading of this repository, in the code and in a page', () => {
    expect(CODE.length).toBeGreaterThan(300)
    expect(CODE.flatMap((path) => brokenIn(path, textOf(path)))).toEqual([])
    expect(PAGES.length).toBeGreaterThan(8)
    expect(PAGES.flatMap((path) => brokenIn(path, textOf(path), false))).toEqual([])
    expect(PAGES.flatMap((path) => brokenAnchors(path, textOf(path)))).toEqual([])
  })

  it('names no paper that is not in the repository', () => {
    const names = new RegExp(OUTSIDE.replaceAll('|', '[.-]').replaceAll(' ', '|'))
    const texts = [...CODE, ...PAGES, ...find('json')]
    expect(texts.filter((path) => names.test(textOf(path)))).toEqual([])
  })

  it('to a fault by its number leads to a line of test/faults.md', () => {
    const page = textOf('test/faults.md')
    const lines = [...page.matchAll(/^(\d+)\. /gm)].map(([, n]) => Number(n))
    expect(lines).toEqual(lines.map((_, index) => index + 1))
    const cited = CODE.flatMap((path) =>
      [...textOf(path).matchAll(/\bscenarios? ((?:\d+(?:, | and | to )?)+)/g)].flatMap(([, numbers = '']) =>
        [...numbers.matchAll(/\d+/g)].map(([n]) => ({ path, n: Number(n) })),
      ),
    )
    expect(cited.length).toBeGreaterThan(30)
    expect(cited.filter(({ n }) => !lines.includes(n))).toEqual([])
  })

  it('by a bare number of a section is none', () => {
    const bare = CODE.filter((path) => /\b[Ss]ections? \d/.test(textOf(path)))
    expect(bare).toEqual([])
  })

  // Put together, so that this file holds no broken reference itself.
  const named = (name: string, ending = 'md'): string => `${name}.${ending}`
  it.each([
    ['a page that does not exist', `/** See ${named('service/READNE')}. */`, 'no such page'],
    [
      'a heading that does not exist',
      `/** (${named('README')}#layerz) */`,
      'no such heading in src/README.md',
    ],
    ['a text file that does not exist', `// after ${named('interface', 'txt')} 4`, 'no such page'],
    ['a path from its own folder in a comment', `// see ${named('../faults')}`, 'no such page'],
    ['a page that a string names', `const help = 'see ${named('src/service/READNE')}'`, 'no such page'],
  ])('is found broken: %s', (_what, line, problem) => {
    expect(brokenIn('test/tooling/x.ts', `${line}\n`)).toEqual([expect.stringContaining(problem)])
  })
})

describe('a file that a page names', () => {
  const sources = CODE.filter((path) => path.endsWith('.ts'))
  const isThere = (page: string, name: string): boolean =>
    sources.some(
      (path) =>
        [`src/${name}`, `test/${name}`, name].includes(path) ||
        (path.endsWith(`/${name}`) && path.startsWith(dirname(page))),
    )

  it('is in the room of that page, or where its path says', () => {
    const missing = PAGES.flatMap((page) => {
      const names = [...textOf(page).matchAll(/`((?:[\w-]+\/)*[\w.-]+\.ts)`/g)].map(([, name = '']) => name)
      return names.filter((name) => !isThere(page, name)).map((name) => `${page}: ${name}`)
    })
    expect(missing).toEqual([])
  })
})

describe('the page of a room', () => {
  const rooms = readdirSync(SRC, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'help')
    .map(({ name }) => `src/${name}`)

  it.each(rooms)('%s is there, and at most two pages long', (room) => {
    expect(textOf(join(room, 'README.md')).split('\n').length).toBeLessThanOrEqual(121)
  })
})
