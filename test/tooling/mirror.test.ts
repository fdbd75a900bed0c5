import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/**
 * Source files without a test of their own, and the test that proves what they do. A test below e2e starts the program
 * as a user does; any other has the file among what it imports.
 */
const PROVED_BY: Readonly<Record<string, string>> = {
  'src/cli.ts': 'test/e2e/whole-run.test.ts',
  'src/index.ts': 'test/e2e/package.test.ts',
  'src/errors.ts': 'test/cli/result.test.ts',

  'src/cli/adopt.ts': 'test/e2e/last-used-ledger.test.ts',
  'src/cli/check.ts': 'test/e2e/check-list.test.ts',
  'src/cli/command.ts': 'test/e2e/decisions.test.ts',
  'src/cli/demo.ts': 'test/e2e/package.test.ts',
  'src/cli/erase.ts': 'test/e2e/purge.test.ts',
  'src/cli/execute.ts': 'test/cli/main.test.ts',
  'src/cli/existing-ledger.ts': 'test/e2e/decisions.test.ts',
  'src/cli/init.ts': 'test/e2e/first-export.test.ts',
  'src/cli/inspect.ts': 'test/e2e/first-export.test.ts',
  'src/cli/older.ts': 'test/e2e/last-used-ledger.test.ts',
  'src/cli/options.ts': 'test/cli/settings.test.ts',
  'src/cli/progress.ts': 'test/e2e/terminal-sizes.test.ts',
  'src/cli/purge.ts': 'test/e2e/purge.test.ts',
  'src/cli/reconcile.ts': 'test/e2e/decisions.test.ts',
  'src/cli/register.ts': 'test/cli/confirm.test.ts',
  'src/cli/report.ts': 'test/e2e/decisions.test.ts',
  'src/cli/resolve.ts': 'test/e2e/decisions.test.ts',
  'src/cli/run.ts': 'test/e2e/whole-run.test.ts',
  'src/cli/sandbox.ts': 'test/e2e/sandbox.test.ts',
  'src/cli/service.ts': 'test/e2e/bad-input.test.ts',
  'src/cli/show.ts': 'test/e2e/purge.test.ts',
  'src/cli/sources.ts': 'test/e2e/whole-run.test.ts',
  'src/cli/status.ts': 'test/e2e/whole-run.test.ts',
  'src/cli/todo.ts': 'test/e2e/check-list.test.ts',

  'src/contract/text-fields.ts': 'test/contract/offer.test.ts',
  'src/domain/late-request.ts': 'test/ledger/ready-rows.test.ts',
  'src/domain/outcome.ts': 'test/ledger/migration.test.ts',
  'src/domain/word-lists.ts': 'test/domain/words.test.ts',

  'src/ledger/campaign-rows.ts': 'test/ledger/open-ledger.test.ts',
  'src/ledger/claim-schema.ts': 'test/ledger/migration.test.ts',
  'src/ledger/stored-rows.ts': 'test/ledger/open-reader.test.ts',
  'src/ledger/row-columns.ts': 'test/ledger/guards.test.ts',
  'src/ledger/schema.ts': 'test/ledger/migration.test.ts',
  'src/ledger/standing.ts': 'test/ledger/claims.test.ts',
  'src/ledger/writer.ts': 'test/ledger/delivery.test.ts',

  'src/report/charts.ts': 'test/report/page.test.ts',
  'src/report/facts.ts': 'test/report/row-walk.test.ts',
  'src/report/page-open-points.ts': 'test/report/page.test.ts',
  'src/report/page-record.ts': 'test/report/page.test.ts',
  'src/report/page-runs.ts': 'test/report/page.test.ts',
  'src/report/page-style.ts': 'test/report/page.test.ts',
  'src/report/pages.ts': 'test/report/row-walk.test.ts',

  'src/sandbox/billogram-record.ts': 'test/sandbox/update-billogram.test.ts',
  'src/sandbox/choices.ts': 'test/sandbox/service.test.ts',
  'src/sandbox/page.ts': 'test/sandbox/sandbox.test.ts',
  'src/sandbox/refusal.ts': 'test/sandbox/wire-mutations.test.ts',
  'src/sandbox/request-body.ts': 'test/sandbox/service.test.ts',
  'src/sandbox/request-counts.ts': 'test/sandbox/sandbox.test.ts',
  'src/sandbox/settings.ts': 'test/sandbox/sandbox.test.ts',
  'src/sandbox/starting-billograms.ts': 'test/sandbox/update-billogram.test.ts',
  'src/sandbox/waits.ts': 'test/sandbox/sandbox.test.ts',

  'src/source/column-evidence.ts': 'test/source/inspect.test.ts',
  'src/source/column-guess.ts': 'test/source/inspect.test.ts',
  'src/source/forgotten-columns.ts': 'test/e2e/loop.test.ts',
  'src/source/init.ts': 'test/source/inspect.test.ts',
  'src/source/layout.ts': 'test/source/delimiter.test.ts',
  'src/source/recognised-source.ts': 'test/source/read-source.test.ts',
  'src/source/record-scanner.ts': 'test/source/records.test.ts',
  'src/source/table.ts': 'test/source/crosswalk.test.ts',
  'src/source/decoded-text.ts': 'test/source/encoding.test.ts',

  'src/trust/mount.ts': 'test/ledger/other-names.test.ts',
}

const SOURCES = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => join('src', path))
  .sort()

const testOf = (source: string): string => source.replace(/^src/, 'test').replace(/\.ts$/, '.test.ts')
const hasTest = (source: string): boolean => existsSync(join(ROOT, testOf(source)))

/** Nothing of it is left when the program runs. */
function isTypesOnly(source: string): boolean {
  const compilerOptions = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2023,
    removeComments: true,
  }
  return ts.transpileModule(textOf(source), { compilerOptions }).outputText.trim() === 'export {};'
}

const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)\.js'/g

/** Everything that a file imports, and what that imports. */
function importsOf(path: string, found = new Set<string>()): ReadonlySet<string> {
  for (const [, name = ''] of textOf(path).matchAll(IMPORT)) {
    const file = join(dirname(path), `${name}.ts`)
    if (found.has(file) || !existsSync(join(ROOT, file))) continue
    found.add(file)
    importsOf(file, found)
  }
  return found
}

describe('11.6 tests mirror the source', () => {
  it('11.6 every file that decides anything has a test of its own, or one that proves it', () => {
    expect(SOURCES.filter((path) => !hasTest(path) && !(path in PROVED_BY) && !isTypesOnly(path))).toEqual([])
  })

  it('11.6 the list names no file that has its own test, is gone, or holds types only', () => {
    const names = Object.keys(PROVED_BY)
    expect(names.filter((path) => !SOURCES.includes(path) || hasTest(path) || isTypesOnly(path))).toEqual([])
  })

  it.each(Object.entries(PROVED_BY))('11.6 %s is proved by %s', (source, test) => {
    expect(existsSync(join(ROOT, test)), 'the test exists').toBe(true)
    if (!test.startsWith('test/e2e/')) expect([...importsOf(test)]).toContain(source)
  })
})
