import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** What `npm install FILE` leaves, without the network: the packed file, and beside it no package of development. */
export interface Packed {
  /** Where it was installed; a program in it finds the package. */
  readonly folder: string
  /** Where the package itself is. */
  readonly program: string
  /** Names in the packed file. */
  readonly files: readonly string[]
  /** Compiles files of the folder against the types of the package, strictly. */
  readonly compile: (...files: readonly string[]) => { status: number | null; stdout: string }
  readonly remove: () => void
}

interface Locked {
  readonly dev?: boolean
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

export function packProgram(): Packed {
  const folder = mkdtempSync(join(tmpdir(), 'sepa package '))
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
    cwd: ROOT,
    stdio: 'ignore',
  })
  const packed = join(folder, 'sepa-mandate-migrator-0.1.0.tgz')
  const files = execFileSync('tar', ['tzf', packed], { encoding: 'utf8' }).trim().split('\n')
  const program = join(folder, 'node_modules/sepa-mandate-migrator')
  mkdirSync(program, { recursive: true })
  execFileSync('tar', ['xzf', packed, '-C', program, '--strip-components', '1'])
  for (const path of shippedPackages()) link(folder, path)
  return {
    folder,
    program,
    files,
    compile: (...names) => compile(folder, names),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function link(folder: string, path: string): void {
  const target = join(folder, path)
  mkdirSync(dirname(target), { recursive: true })
  if (!existsSync(target)) symlinkSync(join(ROOT, path), target)
}

/** The types of Node are the only ones that the package asks of whoever embeds it. */
const STRICT = '--strict --skipLibCheck false --module nodenext --target es2023 --types node'

function compile(folder: string, files: readonly string[]): { status: number | null; stdout: string } {
  link(folder, 'node_modules/@types/node')
  link(folder, 'node_modules/undici-types')
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  const { status, stdout } = spawnSync(process.execPath, [compiler, ...STRICT.split(' '), ...files], {
    cwd: folder,
    encoding: 'utf8',
  })
  return { status, stdout }
}
