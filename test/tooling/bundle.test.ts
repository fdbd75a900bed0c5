import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

const SCRIPT = fileURLToPath(new URL('bundle.js', import.meta.url))
const DRIVER = 'better-sqlite3-node20'

/** Packages as small as can be, in the place of the driver and of what it needs. */
const MANIFESTS = {
  'better-sqlite3': {
    name: 'better-sqlite3',
    version: '12.11.1',
    main: 'lib/index.js',
    files: ['lib/**'],
    engines: { node: '20.x || 24.x' },
    dependencies: { bindings: '^1.5.0', 'prebuild-install': '^7.1.1' },
    scripts: { install: 'prebuild-install || node-gyp rebuild --release' },
  },
  bindings: { name: 'bindings', version: '1.5.0', dependencies: { 'file-uri-to-path': '1.0.0' } },
  'file-uri-to-path': { name: 'file-uri-to-path', version: '1.0.0' },
}

let folder = ''
let root = ''
let registry: Server
const made = new Map<string, { name: string; version: string; file: Buffer; integrity: string }>()

const registryUrl = (): string => `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`

async function run(command: string, ...args: string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], HOME: folder, npm_config_registry: registryUrl() }
  return (await promisify(execFile)(command, args, { cwd: root, env })).stdout
}

const bundle = (step: string): Promise<string> => run(process.execPath, SCRIPT, step, root)

function describePackage(asked: string): string {
  const { name, version, integrity } = made.get(asked)!
  const tarball = `${registryUrl()}${name}.tgz`
  const versions = { [version]: { name, version, dist: { tarball, integrity } } }
  return JSON.stringify({ name, 'dist-tags': { latest: version }, versions })
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bundle '))
  registry = createServer(({ url = '' }, answer) => {
    const found = made.get(url.slice(1).replace(/\.tgz$/, ''))
    if (found === undefined) answer.writeHead(404).end()
    else answer.end(url.endsWith('.tgz') ? found.file : describePackage(found.name))
  })
  await new Promise<void>((done) => registry.listen(0, '127.0.0.1', done))
  for (const manifest of Object.values(MANIFESTS)) {
    root = join(folder, manifest.name)
    mkdirSync(join(root, 'lib'), { recursive: true })
    writeFileSync(join(root, 'package.json'), JSON.stringify(manifest))
    writeFileSync(join(root, 'lib/index.js'), '')
    const packed = join(folder, `${manifest.name}-${manifest.version}.tgz`)
    await run('tar', 'czf', packed, '--transform', 's,^[.],package,', '.')
    const file = readFileSync(packed)
    const integrity = `sha512-${createHash('sha512').update(file).digest('base64')}`
    made.set(manifest.name, { name: manifest.name, version: manifest.version, file, integrity })
  }
})
afterAll(() => {
  registry.close()
  rmSync(folder, { recursive: true, force: true })
})

const locked = (name: string): object => {
  const { version, integrity } = made.get(name)!
  return { version, integrity }
}
const optionalDependencies = { [DRIVER]: 'npm:better-sqlite3@12.11.1' }
const programText = JSON.stringify({ name: 'program', version: '1.0.0', optionalDependencies })

function writeLock(change: object = {}): void {
  const driver = { name: 'better-sqlite3', engines: { node: '20.x' }, ...locked('better-sqlite3') }
  const packages = {
    [`node_modules/${DRIVER}`]: driver,
    'node_modules/bindings': locked('bindings'),
    'node_modules/file-uri-to-path': locked('file-uri-to-path'),
    ...change,
  }
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }))
}

beforeEach(() => {
  root = mkdtempSync(join(folder, 'program '))
  mkdirSync(join(root, 'node_modules'))
  writeFileSync(join(root, 'package.json'), programText)
  writeLock()
})

const read = (...names: string[]): string => readFileSync(join(root, ...names), 'utf8')

describe('the driver of Node 20 in the packed file', () => {
  it('is for Node 20 alone there, without what looks for binaries', async () => {
    await bundle('begin')
    await run('npm', 'pack', '--ignore-scripts')
    const inside = (await run('tar', 'tzf', 'program-1.0.0.tgz')).trim().split('\n')
    const needed = [`${DRIVER}/lib/index.js`, 'bindings/package.json', 'file-uri-to-path/package.json']
    expect(inside).toEqual(expect.arrayContaining(needed.map((path) => `package/node_modules/${path}`)))
    const manifest = `package/node_modules/${DRIVER}/package.json`
    const driver = JSON.parse(await run('tar', 'xzOf', 'program-1.0.0.tgz', manifest)) as object
    expect(driver).toMatchObject({
      engines: { node: '20.x' },
      dependencies: { bindings: '^1.5.0' },
      scripts: { install: expect.stringContaining('&& node-gyp rebuild') as string },
    })
    expect(JSON.stringify(driver)).not.toContain('prebuild-install')
  })

  it('leaves the checkout as it was, where npm had installed the driver and where not', async () => {
    // A packing that was killed, too.
    for (const step of ['begin', 'begin', 'end', 'end']) await bundle(step)
    expect(read('package.json')).toBe(programText)
    expect(existsSync(join(root, 'node_modules', DRIVER))).toBe(false)

    await bundle('begin')
    rmSync(join(root, 'node_modules/.bundle'), { recursive: true }) // from here on it counts as installed
    writeFileSync(join(root, 'package.json'), programText)
    const installed = read('node_modules', DRIVER, 'package.json')
    await bundle('begin')
    await bundle('end')
    expect(read('node_modules', DRIVER, 'package.json')).toBe(installed)
    expect(read('package.json')).toBe(programText)
  })

  it('packs nothing that has another hash than the lock file says', async () => {
    writeLock({ 'node_modules/bindings': { version: '1.5.0', integrity: 'sha512-another' } })
    await expect(bundle('begin')).rejects.toThrow('bindings@1.5.0 is not what package-lock.json says')
    await bundle('end')
    expect(read('package.json')).toBe(programText)
  })
})
