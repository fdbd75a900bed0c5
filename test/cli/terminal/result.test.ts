import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { commands } from '../../../src/cli/main.js'
import { environmentName, SETTING_NAMES } from '../../../src/cli/settings/declared.js'
import {
  emptyResult,
  jsonOf,
  nextText,
  resultOfError,
  SUGGESTIONS,
  worded,
} from '../../../src/cli/terminal/result.js'
import { totalsOf } from '../../../src/domain/row/row-state.js'
import { LedgerError, UsageError } from '../../../src/errors.js'
import { readSurface } from '../surface.js'

describe('what a thrown error means for the caller', () => {
  it('anything else is a bug: status 1, accounts masked, and the ledger is said to be safe', () => {
    const result = resultOfError(new TypeError('Bad value DE89370400440532013000'))
    expect(result).toMatchObject({ exitCode: 1, errors: [{ kind: 'unexpected' }] })
    expect(result).not.toHaveProperty('totals')
    expect(result.errors[0]?.message).not.toContain('3704')
    expect(resultOfError('a word').errors[0]?.message).toContain('not an error')
  })

  it('an interruption is the status of its signal, and only where a signal came', () => {
    const aborted = new DOMException('The operation was aborted', 'AbortError')
    expect(resultOfError(aborted, 143)).toMatchObject({ exitCode: 143, errors: [{ kind: 'interrupted' }] })
    expect(resultOfError(aborted)).toMatchObject({ exitCode: 1 })
    expect(resultOfError(new UsageError('No', 'Do'), 130)).toMatchObject({ exitCode: 2 })
  })
})

it('the JSON document is one line, ok with exit status 0 alone, and tells totals that do not add up', () => {
  expect(jsonOf('status', emptyResult)).toMatch(/^\{.*\}\n$/)
  const totals = totalsOf(2, new Map([['ready', 1]]))
  const details = { customer: { customerNo: 17 } }
  const document = JSON.parse(jsonOf('run', { ...emptyResult, exitCode: 3, totals, details })) as object
  expect(document).toMatchObject({ ok: false, exitCode: 3, balanced: false, ...details })
})

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const surface = await readSurface(commands)

describe('11.5 a way on', () => {
  it.each(Object.entries(SUGGESTIONS))(
    '%s is a command, flag or variable that there is: %s',
    (_way, words) => {
      const named = [...words.matchAll(/sepa-migrate (ledger adopt|[a-z]+)/g)].map(([, name]) => name)
      const flags = words.match(/--[a-z-]+/g) ?? []
      const variables = words.match(/SEPA_MIGRATE_[A-Z_]+/g) ?? []
      const ofThem = surface.filter(({ name }) => named.length === 0 || named.includes(name))
      const known = ofThem.flatMap((command) => command.flags.map((flag) => flag.name))
      expect(surface.map(({ name }) => name)).toEqual(expect.arrayContaining(named))
      expect([...known, ...SETTING_NAMES.map(environmentName)]).toEqual(
        expect.arrayContaining([...flags, ...variables]),
      )
      expect([...named, ...flags, ...variables]).not.toEqual([])
    },
  )

  it('stands beside what the library says in words', () => {
    const error = new LedgerError('foreign', 'Cannot use it', 'Give another file', {
      suggestions: ['name_ledger'],
    })
    const next = 'Give another file (--ledger FILE)'
    expect(resultOfError(error).errors).toEqual([{ kind: 'ledger', message: 'Cannot use it', next }])
    expect(nextText({ next: 'Solve the cause.', suggestions: ['report_folder', 'report'] })).toBe(
      'Solve the cause (--out DIR; sepa-migrate report).',
    )
    expect(worded({ kind: 'limit', next: 'Run again' })).toEqual({ kind: 'limit', next: 'Run again' })
  })
})

/** What people read in files and tables of this program, whoever wrote them with it. */
const SPEAK_OF_COMMANDS: Readonly<Record<string, string>> = {
  'src/source/watch/column-watch.ts': 'a finding in problems.csv says what to write',
  'src/source/guess/inspect.ts': 'the comment of a drafted configuration',
  'src/report/facts/explanation.ts': 'the column of the result files that says what to do',
  'src/report/page/annex-rows.ts': 'the page says which file goes where',
  'src/report/workbook/workbook.ts': 'the first sheet of to-do.xlsx says how to give it back',
  'src/migrate/migrate.ts': 'what was allowed, recorded with the run as ledgers have held it from the start',
  'src/ledger/decide/resolution.ts': 'the reason that is recorded for a repeated refusal',
}

it('11.5 the rooms below the command line name no flag, command or variable: a program that embeds them has none', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => `src/${file}`)
    .filter((file) => file.endsWith('.ts') && !/^src\/(cli\/|cli\.ts|driver\.ts)|page\/look\.ts$/.test(file))
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
  expect(files.length).toBeGreaterThan(100)
  const speaking = files.filter((file) => textsOf(file).some((text) => NAMES_COMMAND.test(text)))
  expect(speaking.toSorted()).toEqual(Object.keys(SPEAK_OF_COMMANDS).toSorted())
})
