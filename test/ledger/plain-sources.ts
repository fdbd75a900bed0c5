import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The ledger's room and the rooms below it. */
const FOLDERS = ['domain', 'trust', 'ledger']

/**
 * The ledger and what it stands on as plain JavaScript in a folder of its own, so that a real second process can run
 * it: vitest's own workers share one process with the test, and a lock or a kill must be seen from outside.
 * The types are only stripped; the type check of the whole project is another gate.
 */
export function plainSources(): string {
  const target = mkdtempSync(join(tmpdir(), 'ledger-sources-'))
  writeFileSync(join(target, 'package.json'), '{ "type": "module" }')
  symlinkSync(join(root, 'node_modules'), join(target, 'node_modules'))
  const source = join(root, 'src')
  const files = [
    'driver.ts',
    'errors.ts',
    ...FOLDERS.flatMap((folder) =>
      readdirSync(join(source, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(?:ts|json)$/.test(name))
        .map((name) => join(folder, name)),
    ),
  ]
  for (const file of files) {
    mkdirSync(dirname(join(target, file)), { recursive: true })
    if (file.endsWith('.json')) {
      cpSync(join(source, file), join(target, file))
      continue
    }
    const { outputText } = ts.transpileModule(readFileSync(join(source, file), 'utf8'), {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
    })
    writeFileSync(join(target, file.replace(/\.ts$/, '.js')), outputText)
  }
  const scripts = join(root, 'test', 'ledger', 'processes')
  cpSync(scripts, join(target, relative(join(root, 'test', 'ledger'), scripts)), { recursive: true })
  return target
}
