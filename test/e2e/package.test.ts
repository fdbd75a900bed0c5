import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
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
        'package/src/library.md',
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
