import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

it('the commands are not loaded for the version: commander is all that it needs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sepa version '))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const part of ['cli.js', 'cli', 'errors.js', 'machine.js', 'domain/text/text.js'])
    cpSync(join(ROOT, 'dist', part), join(folder, 'dist', part), { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(ROOT, 'node_modules/commander'), join(folder, 'node_modules/commander'))
  const run = (argument: string) =>
    spawnSync(process.execPath, [join(folder, 'dist/cli.js'), argument], { encoding: 'utf8' })
  expect(run('--version')).toMatchObject({ status: 0, stderr: '' })
  expect(run('--help').stderr).toContain('ERR_MODULE_NOT_FOUND')
})
