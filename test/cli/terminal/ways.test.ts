import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { SETTING_NAMES, environmentName } from '../../../src/cli/settings/declared.js'
import { readSurface } from '../surface.js'
import { resultOfError, nextText, WAYS, worded } from '../../../src/cli/terminal/result.js'
import { LedgerError } from '../../../src/errors.js'
import { commands } from '../../../src/cli/main.js'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const surface = await readSurface(commands)

describe('11.5 a way on', () => {
  it.each(Object.entries(WAYS))('%s is a command, flag or variable that there is: %s', (_way, words) => {
    const named = [...words.matchAll(/sepa-migrate (ledger adopt|[a-z]+)/g)].map(([, name]) => name)
    expect(surface.map(({ name }) => name)).toEqual(expect.arrayContaining(named))
    const flags = words.match(/--[a-z-]+/g) ?? []
    const ofThem = surface.filter(({ name }) => named.length === 0 || named.includes(name))
    expect(ofThem.flatMap((command) => command.flags.map((flag) => flag.name))).toEqual(
      expect.arrayContaining(flags),
    )
    const variables = words.match(/SEPA_MIGRATE_[A-Z_]+/g) ?? []
    expect(SETTING_NAMES.map(environmentName)).toEqual(expect.arrayContaining(variables))
    expect([...named, ...flags, ...variables]).not.toEqual([])
  })

  it('stands beside what the library says in words', () => {
    const error = new LedgerError('foreign', 'Cannot use it', 'Give another file', { ways: ['name_ledger'] })
    expect(resultOfError(error).errors).toEqual([
      { kind: 'ledger', message: 'Cannot use it', next: 'Give another file (--ledger FILE)' },
    ])
    expect(nextText({ next: 'Solve the cause.', ways: ['report_folder', 'report'] })).toBe(
      'Solve the cause (--out DIR; sepa-migrate report).',
    )
    expect(worded({ kind: 'limit', next: 'Run again' })).toEqual({ kind: 'limit', next: 'Run again' })
  })
})

/** What people read in files and tables of this program, whoever wrote them with it. */
const SPEAK_OF_COMMANDS: Readonly<Record<string, string>> = {
  'src/source/watch/column-watch.ts': 'a finding in problems.csv says what to write',
  'src/source/columns/resubmission.ts': 'a finding in problems.csv says where decisions go',
  'src/source/guess/inspect.ts': 'the comment of a drafted configuration',
  'src/report/facts/explanation.ts': 'the column of the result files that says what to do',
  'src/report/page/annex-rows.ts': 'the page says which file goes where',
  'src/migrate/migrate.ts': 'what was allowed, recorded with the run as ledgers have held it from the start',
  'src/ledger/decide/resolution.ts': 'the reason that is recorded for a repeated refusal',
}

describe('11.5 the rooms below the command line', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => `src/${file}`)
    .filter((file) => file.endsWith('.ts') && !/^src\/(cli\/|cli\.ts|driver\.ts)/.test(file))

  const textsOf = (file: string): string[] => {
    const texts: string[] = []
    const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest)
    const walk = (node: ts.Node): void => {
      if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
        texts.push(node.text)
      ts.forEachChild(node, walk)
    }
    walk(source)
    return texts
  }
  const NAMES_COMMAND = /(?<![\w-])--[a-z][a-z-]+(?![\w-]*:)|sepa-migrate [a-z]|SEPA_MIGRATE_/
  const isPageStyle = (file: string): boolean => file.endsWith('page/look.ts')

  it('name no flag, command or variable: a program that embeds them has none', () => {
    expect(files.length).toBeGreaterThan(100)
    const speaking = files.filter(
      (file) => !isPageStyle(file) && textsOf(file).some((text) => NAMES_COMMAND.test(text)),
    )
    expect(speaking.toSorted()).toEqual(Object.keys(SPEAK_OF_COMMANDS).toSorted())
  })
})
