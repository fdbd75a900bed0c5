/**
 * Puts the SQLite driver of Node 20 into the packed file, for `npm pack`: `begin` before it, `end` after it.
 *
 * Without a lock file npm goes by what the driver says of itself: that it runs on newer Nodes too. It would be
 * compiled there, and npm 11 and 12 would ask about its install script. In the packed file it is for Node 20 alone,
 * and prebuild-install, which looks for a binary that nobody vouches for, is left out. Where npm did not install the
 * driver, it is fetched and must have the hash of the lock file.
 *
 * What is changed for the length of the packing lies in node_modules/.bundle; a packing that was killed is undone by
 * the next one, or by `node test/tooling/bundle.js end`.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = process.argv[3] ?? fileURLToPath(new URL('../..', import.meta.url))
const at = (...names) => join(root, ...names)
const kept = at('node_modules/.bundle')

const DRIVER = 'better-sqlite3-node20'
const BUNDLED = [DRIVER, 'bindings', 'file-uri-to-path']
const CHANGED = ['package.json', `node_modules/${DRIVER}/package.json`]

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'))

/** By renaming: the old file may be one with those of other checkouts. */
function replace(path, text) {
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
}

function change(path, edit) {
  mkdirSync(dirname(join(kept, path)), { recursive: true })
  copyFileSync(at(path), join(kept, path))
  replace(at(path), `${JSON.stringify(edit(readJson(at(path))), null, 2)}\n`)
}

function fetchPackage(name, { name: original = name, version, integrity }) {
  const scratch = mkdtempSync(join(tmpdir(), 'bundle-'))
  try {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', scratch, `${original}@${version}`], {
      cwd: scratch,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    })
    const [file] = readdirSync(scratch)
    const packed = readFileSync(join(scratch, file))
    const hash = `sha512-${createHash('sha512').update(packed).digest('base64')}`
    if (hash !== integrity) throw new Error(`${original}@${version} is not what package-lock.json says`)
    const folder = at('node_modules', name)
    mkdirSync(folder)
    execFileSync('tar', ['-xzf', file, '-C', folder, '--strip-components', '1'], { cwd: scratch })
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function begin() {
  end()
  const { packages } = readJson(at('package-lock.json'))
  mkdirSync(kept)
  const missing = BUNDLED.filter((name) => !existsSync(at('node_modules', name)))
  writeFileSync(join(kept, 'added.json'), JSON.stringify(missing))
  for (const name of missing) fetchPackage(name, packages[`node_modules/${name}`])
  const [program, driver] = CHANGED
  change(
    driver,
    ({ name, version, description, license, author, repository, main, files, dependencies }) => ({
      name,
      version,
      description,
      license,
      author,
      repository,
      main,
      files,
      engines: packages[`node_modules/${DRIVER}`].engines,
      dependencies: { bindings: dependencies.bindings },
      scripts: {
        install: `node -e "process.exit(process.version.startsWith('v20.') ? 0 : 1)" && node-gyp rebuild --release`,
      },
    }),
  )
  change(program, (manifest) => ({ ...manifest, bundleDependencies: [DRIVER] }))
}

function end() {
  if (!existsSync(kept)) return
  for (const path of CHANGED)
    if (existsSync(join(kept, path))) replace(at(path), readFileSync(join(kept, path)))
  for (const name of readJson(join(kept, 'added.json')))
    rmSync(at('node_modules', name), { recursive: true, force: true })
  rmSync(kept, { recursive: true })
}

const step = { begin, end }[process.argv[2]]
if (step === undefined) throw new Error('Say begin or end')
step()
