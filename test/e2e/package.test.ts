import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

interface Locked {
  readonly dev?: boolean
  readonly peer?: boolean
}

/** The packages that the lock file counts as no part of development. */
function shippedPackages(): string[] {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>
  }
  return Object.entries(lock.packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true && path.lastIndexOf('node_modules/') === 0)
    .map(([path]) => path)
}

let folder = ''
let program = ''
let files: string[] = []

// What `npm install FILE` leaves, without the network: the packed file, and beside it no package of development.
// `npm run nodes` installs it in earnest, on every Node and npm.
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sepa package '))
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
    cwd: ROOT,
    stdio: 'ignore',
  })
  const packed = join(folder, 'sepa-mandate-migrator-0.1.0.tgz')
  files = execFileSync('tar', ['tzf', packed], { encoding: 'utf8' }).trim().split('\n')
  program = join(folder, 'node_modules/sepa-mandate-migrator')
  mkdirSync(program, { recursive: true })
  execFileSync('tar', ['xzf', packed, '-C', program, '--strip-components', '1'])
  for (const path of shippedPackages()) {
    const target = join(folder, path)
    mkdirSync(dirname(target), { recursive: true })
    symlinkSync(join(ROOT, path), target)
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the packed file', () => {
  it('10.2.1 holds the program, its samples and what explains them, and nothing of development', () => {
    expect(files).toEqual(
      expect.arrayContaining([
        'package/dist/cli.js',
        'package/samples/clean.csv',
        'package/README.md',
        'package/src/domain/rulebook.md',
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
    const empty = join(folder, 'empty')
    mkdirSync(empty)
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(program, 'dist/cli.js'), 'demo'], {
      cwd: empty,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: empty },
    })
    expect(stderr).not.toContain('Error')
    expect(stdout).toContain('report.html')
    expect(status).toBe(0)
  })

  it('10.2.3 gives a program that embeds the library types that need no other package', () => {
    mkdirSync(join(folder, 'node_modules/@types'))
    for (const name of ['@types/node', 'undici-types'])
      symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
    writeFileSync(
      join(folder, 'embed.ts'),
      "import { checkIban, openLedger, startSandbox } from 'sepa-mandate-migrator'\nexport const used = [checkIban, openLedger, startSandbox]\n",
    )
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
    const strict = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      'false',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--types',
      'node',
    ]
    const { status, stdout } = spawnSync(process.execPath, [compiler, ...strict, 'embed.ts'], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect(stdout).toBe('')
    expect(status).toBe(0)
  })
})
