import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packProgram, type Packed } from '../support/packed.js'

let packed: Packed
// `npm run nodes` installs the packed file in earnest, on every Node and npm.
beforeAll(() => {
  packed = packProgram()
})
afterAll(() => packed.remove())

describe('the packed file', () => {
  it('10.2.1 holds the program, its samples and what explains them, and nothing of development', () => {
    const { files } = packed
    expect(files).toEqual(
      expect.arrayContaining([
        'package/dist/cli.js',
        'package/samples/clean.csv',
        'package/README.md',
        'package/src/domain/rulebook.md',
        'package/src/help/library.md',
        'package/src/CHANGELOG.md',
        'package/LICENSE',
      ]),
    )
    expect(
      files.filter(
        (name) => !/^package\/(dist|samples|package\.json|README|LICENSE|src\/.*\.md$)/.test(name),
      ),
    ).toEqual([])
  })

  it('12 holds the program in few files, with all of zod in one of them and its licence in front', () => {
    const { files, program } = packed
    expect(files.filter((name) => name.startsWith('package/dist/cli/'))).toEqual([])
    const parts = files.filter((name) => /^package\/dist\/(?:cli|reader|program-.*)\.js$/.test(name))
    const texts = parts.map((name) => readFileSync(join(program, name.replace('package/', '')), 'utf8'))
    expect(texts.filter((text) => /from ["']zod|import ["']zod/.test(text))).toEqual([])
    const licensed = texts.filter((text) => text.includes('class ZodError') || text.includes('$ZodType'))
    expect(licensed).toHaveLength(1)
    const licence = readFileSync('node_modules/zod/LICENSE', 'utf8').trim()
    expect(licensed[0]?.startsWith(`/*!\n${licence}`)).toBe(true)
  })

  it('10.2.1 runs the demo in an empty folder, without a checkout', () => {
    const empty = join(packed.folder, 'empty')
    mkdirSync(empty)
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(packed.program, 'dist/cli.js'), 'demo'],
      {
        cwd: empty,
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], HOME: empty },
      },
    )
    expect(stderr).not.toContain('Error')
    expect(stdout).toContain('report.html')
    expect(status).toBe(0)
  })

  it('10.2.3 gives a program that embeds the library types that need no other package', () => {
    const source = [
      "import { checkIban, migrate, startSandbox } from 'sepa-mandate-migrator'",
      'export const used = [checkIban, migrate, startSandbox]',
    ]
    writeFileSync(join(packed.folder, 'embed.ts'), source.join('\n'))
    expect(packed.compile('embed.ts')).toEqual({ status: 0, stdout: '' })
  })
})
