import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { resolveConfig } from 'prettier'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const { version, scripts } = JSON.parse(textOf('package.json')) as {
  version: string
  scripts: Readonly<Record<string, string>>
}

/** Whole programs, and what serves the tests themselves. */
const OF_THE_WHOLE = /^(bench|e2e|support|tooling|torture|viewers)(\/|$)/

describe('habits', () => {
  it('every folder of tests is named as the folder of src whose files it proves', () => {
    const folders = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.test.ts'))
      .map(dirname)
    const strange = [...new Set(folders)].filter(
      (folder) => !OF_THE_WHOLE.test(folder) && !existsSync(join(ROOT, 'src', folder)),
    )
    expect(strange).toEqual([])
  })

  it('one command writes anew whatever tests compare with files', () => {
    const asksForIt = /process\.env\[?\.?'?UPDATE_\w+/
    const tests = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => join('test', path))
      .filter((path) => asksForIt.test(textOf(path)))
    expect(tests.length).toBeGreaterThan(1)
    const named = (scripts['samples'] ?? '').split(' ').filter((word) => word.startsWith('test/'))
    expect(named.filter((path) => path.endsWith('.test.ts')).sort()).toEqual(tests.sort())
  })

  it('finds its own files in a folder of any name, in whose address a blank is %20', () => {
    const sources = ['src', 'test'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => /\.[cm]?[jt]s$/.test(path))
        .map((path) => join(folder, path)),
    )
    const strange = sources.filter((path) => {
      const text = textOf(path)
      const isByAddress = text.includes('import.meta.url') && /path[n]ame/.test(text)
      return isByAddress || /file:\/\/(?:\$[{]|['"`] *[+])/.test(text)
    })
    expect(sources.length).toBeGreaterThan(300)
    expect(strange).toEqual([])
  })

  it.each(['src/cli.ts', 'test/tooling/layers.cjs', 'README.md', 'package.json'])(
    'an editor and prettier agree on %s',
    async (path) => {
      const file = join(ROOT, path)
      const [own, both] = await Promise.all([
        resolveConfig(file, { editorconfig: false }),
        resolveConfig(file, { editorconfig: true }),
      ])
      expect(own).toMatchObject({ printWidth: 110 })
      // What prettier does where nothing is said.
      expect({ tabWidth: 2, useTabs: false, endOfLine: 'lf', ...own }).toEqual(both)
    },
  )

  it('the changelog begins with the version at hand, and every entry says of which kind it is', () => {
    const changelog = textOf('src/CHANGELOG.md')
    expect(/^## (\S+)/m.exec(changelog)?.[1]).toBe(version)
    const entries = changelog.split('\n').filter((line) => line.startsWith('- '))
    expect(entries.filter((line) => !/^- (?:Sec|Fix|Chg|Enh): \S.*\.$/.test(line))).toEqual([])
  })
})
