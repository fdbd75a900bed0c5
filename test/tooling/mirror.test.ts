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
  'src/errors.ts': 'test/cli/terminal/result.test.ts',
  'src/version.ts': 'test/report/files/manifest.test.ts',

  'src/domain/rule/source-reading.ts': 'test/e2e/unknown-words.test.ts',
  'src/domain/value/status-words.ts': 'test/domain/value/words.test.ts',
  'src/ledger/admit/hold-row.ts': 'test/ledger/correct/anothers-values.test.ts',
  'src/ledger/admit/held-rows.ts': 'test/run/take-up.test.ts',
  'src/source/guess/status-column.ts': 'test/source/watch/column-watch.test.ts',

  'src/audit/beside-ledger.ts': 'test/audit/audit-pack.test.ts',
  'src/audit/discrepancies.ts': 'test/audit/audit-pack.test.ts',
  'src/audit/pack-itself.ts': 'test/audit/audit-pack.test.ts',
  'src/audit/pack-lists.ts': 'test/audit/audit-pack.test.ts',
  'src/audit/pack-table.ts': 'test/audit/audit-pack.test.ts',
  'src/audit/pack.ts': 'test/audit/audit-pack.test.ts',

  'src/ledger/correct/former-row.ts': 'test/ledger/correct/record-corrections.test.ts',
  'src/cli/decide/adopt.ts': 'test/e2e/last-used-ledger.test.ts',
  'src/cli/commands/check.ts': 'test/e2e/check-list.test.ts',
  'src/cli/settings/configuration-mistakes.ts': 'test/cli/settings/configuration.test.ts',
  'src/cli/settings/exit-statuses.ts': 'test/cli/settings/surface.test.ts',
  'src/cli/command.ts': 'test/e2e/decisions.test.ts',
  'src/cli/commands/demo.ts': 'test/e2e/package.test.ts',
  'src/cli/privacy/erase.ts': 'test/e2e/purge.test.ts',
  'src/cli/execute.ts': 'test/cli/main.test.ts',
  'src/cli/existing-ledger.ts': 'test/e2e/decisions.test.ts',
  'src/cli/commands/init.ts': 'test/e2e/first-export.test.ts',
  'src/cli/commands/inspect.ts': 'test/e2e/first-export.test.ts',
  'src/cli/older.ts': 'test/e2e/last-used-ledger.test.ts',
  'src/cli/program.ts': 'test/cli/main.test.ts',
  'src/cli/settings/options.ts': 'test/cli/settings/settings.test.ts',
  'src/cli/terminal/progress.ts': 'test/e2e/terminal-sizes.test.ts',
  'src/cli/terminal/silent.ts': 'test/cli/confirm.test.ts',
  'src/cli/plan/approve.ts': 'test/e2e/plan.test.ts',
  'src/cli/plan/plan.ts': 'test/e2e/plan.test.ts',
  'src/cli/run-options.ts': 'test/e2e/plan.test.ts',
  'src/cli/privacy/purge.ts': 'test/e2e/purge.test.ts',
  'src/cli/decide/reconcile.ts': 'test/e2e/decisions.test.ts',
  'src/cli/commands/report.ts': 'test/e2e/decisions.test.ts',
  'src/cli/decide/read-back-decisions.ts': 'test/e2e/settled-by-read-back.test.ts',
  'src/cli/decide/resolve.ts': 'test/e2e/decisions.test.ts',
  'src/cli/prove/asking.ts': 'test/e2e/verify.test.ts',
  'src/cli/prove/read-back.ts': 'test/e2e/settled-by-read-back.test.ts',
  'src/cli/prove/verify.ts': 'test/e2e/verify.test.ts',
  'src/cli/prove/verify-pack.ts': 'test/e2e/proven-report.test.ts',
  'src/cli/commands/run.ts': 'test/e2e/whole-run.test.ts',
  'src/cli/commands/sandbox.ts': 'test/e2e/sandbox.test.ts',
  'src/cli/settings/service.ts': 'test/e2e/bad-input.test.ts',
  'src/cli/privacy/show.ts': 'test/e2e/purge.test.ts',
  'src/cli/settings/sources.ts': 'test/e2e/whole-run.test.ts',
  'src/cli/commands/status.ts': 'test/e2e/whole-run.test.ts',
  'src/cli/terminal/todo.ts': 'test/e2e/check-list.test.ts',

  'src/cli/watch-run.ts': 'test/e2e/whole-run.test.ts',

  'src/contract/text-fields.ts': 'test/contract/offer.test.ts',
  'src/domain/plan/plan.ts': 'test/migrate/plan/make-plan.test.ts',
  'src/domain/row/outcome.ts': 'test/ledger/schema/schema.test.ts',
  'src/domain/value/word-lists.ts': 'test/domain/value/words.test.ts',

  'src/ledger/admit/scope.ts': 'test/ledger/decide/computed-again.test.ts',
  'src/ledger/read/distinct-counts.ts': 'test/ledger/read/open-reader.test.ts',
  'src/ledger/admit/ready-row.ts': 'test/run/rows-alone.test.ts',
  'src/ledger/deliver/campaign-rows.ts': 'test/ledger/file/open-ledger.test.ts',
  'src/report/workbook/campaign-sheets.ts': 'test/report/workbook/workbook.test.ts',
  'src/report/workbook/finding-sheets.ts': 'test/report/workbook/workbook.test.ts',
  'src/report/workbook/plan-sheet.ts': 'test/report/workbook/workbook.test.ts',
  'src/report/workbook/row-sheets.ts': 'test/report/workbook/workbook.test.ts',
  'src/report/workbook/sheet-list.ts': 'test/report/workbook/workbook.test.ts',
  'src/report/workbook/styles.ts': 'test/report/workbook/parts.test.ts',
  'src/ledger/schema/sql-list.ts': 'test/ledger/schema/schema.test.ts',
  'src/ledger/plan/read-plans.ts': 'test/ledger/plan/plans.test.ts',
  'src/ledger/read/read-proofs.ts': 'test/ledger/prove/read-backs.test.ts',
  'src/ledger/read/stored-rows.ts': 'test/ledger/read/open-reader.test.ts',
  'src/ledger/schema/row-columns.ts': 'test/ledger/schema/guards.test.ts',
  'src/ledger/decide/standing.ts': 'test/ledger/deliver/claims.test.ts',
  'src/ledger/file/writer.ts': 'test/ledger/deliver/delivery.test.ts',

  'src/report/page/charts.ts': 'test/report/page/page.test.ts',
  'src/report/facts/facts.ts': 'test/report/facts/row-walk.test.ts',
  'src/report/page/page-open-points.ts': 'test/report/page/page.test.ts',
  'src/report/page/page-plans.ts': 'test/report/page/page.test.ts',
  'src/report/page/page-record.ts': 'test/report/page/page.test.ts',
  'src/report/page/page-runs.ts': 'test/report/page/page.test.ts',
  'src/report/page/page-style.ts': 'test/report/page/page.test.ts',
  'src/report/facts/pages.ts': 'test/report/facts/row-walk.test.ts',
  'src/report/page/parts.ts': 'test/report/page/page.test.ts',
  'src/report/text/language.ts': 'test/report/text/texts.test.ts',

  'src/migrate/plan/read-plan.ts': 'test/migrate/plan/make-plan.test.ts',
  'src/migrate/plan/settings.ts': 'test/migrate/plan/make-plan.test.ts',
  'src/run/pace/expected-time.ts': 'test/cli/confirm.test.ts',

  'src/sandbox/billogram/billogram-record.ts': 'test/sandbox/billogram/update-billogram.test.ts',
  'src/sandbox/choices.ts': 'test/sandbox/service.test.ts',
  'src/sandbox/refusal.ts': 'test/sandbox/wire-mutations.test.ts',
  'src/sandbox/request-body.ts': 'test/sandbox/service.test.ts',
  'src/sandbox/look/request-counts.ts': 'test/sandbox/sandbox.test.ts',
  'src/sandbox/settings.ts': 'test/sandbox/sandbox.test.ts',
  'src/sandbox/billogram/starting-billograms.ts': 'test/sandbox/billogram/update-billogram.test.ts',
  'src/sandbox/faults/waits.ts': 'test/sandbox/sandbox.test.ts',

  'src/source/guess/column-evidence.ts': 'test/source/guess/inspect.test.ts',
  'src/source/guess/column-guess.ts': 'test/source/guess/inspect.test.ts',
  'src/source/columns/forgotten-columns.ts': 'test/e2e/loop.test.ts',
  'src/source/guess/init.ts': 'test/source/guess/inspect.test.ts',
  'src/source/csv/layout.ts': 'test/source/csv/delimiter.test.ts',
  'src/source/recognised-source.ts': 'test/source/read-source.test.ts',
  'src/source/csv/csv.ts': 'test/source/formats.test.ts',
  'src/source/csv/preamble.ts': 'test/source/guess/inspect.test.ts',
  'src/source/table.ts': 'test/source/columns/crosswalk.test.ts',
  'src/source/bytes/byte-source.ts': 'test/source/bytes/input.test.ts',
  'src/source/bytes/decoded-text.ts': 'test/source/bytes/encoding.test.ts',

  'src/ledger/deliver/doubt-reasons.ts': 'test/ledger/deliver/claims.test.ts',
  'src/migrate/register-of.ts': 'test/migrate/migrate.test.ts',
  'src/register/other-ledgers.ts': 'test/register/campaign-register.test.ts',
  'src/register/run-register.ts': 'test/migrate/migrate.test.ts',
  'src/service/read-back/classify-sources.ts': 'test/service/read-back/source-reader.test.ts',
  'src/service/checked-service.ts': 'test/migrate/asked.test.ts',
  'src/service/usual-pace.ts': 'test/cli/settings/surface.test.ts',

  'src/trust/mount.ts': 'test/ledger/safety/holder.test.ts',
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
