import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

interface Locked {
  readonly integrity?: string
  readonly engines?: { readonly node?: string }
  readonly dependencies?: object
}

const read = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
const manifest = JSON.parse(read('package.json')) as {
  engines: { node: string }
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string>
  allowScripts: Record<string, boolean>
  scripts: Record<string, string>
}
const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }
const installed = Object.entries(lock.packages).filter(([path]) => path !== '')

describe('what npm installs', () => {
  it('runs on the Nodes that a driver exists for', () => {
    expect(manifest.engines.node).toBe('^20.19.0 || ^22.14.0 || >=24')
    expect(lock.packages['']?.engines?.node).toBe(manifest.engines.node)
  })

  it('has both drivers as optional dependencies, pinned', () => {
    expect(manifest.optionalDependencies).toEqual({
      'better-sqlite3': expect.stringMatching(/^13\.\d+\.\d+$/) as string,
      'better-sqlite3-node20': expect.stringMatching(/^npm:better-sqlite3@12\.\d+\.\d+$/) as string,
    })
    expect(Object.keys(manifest.dependencies).filter((name) => name.includes('sqlite'))).toEqual([])
  })

  // better-sqlite3 12 says that it runs on 20 to 26. npm goes by the lock file, so that there it is said to be for 20
  // alone: no other Node downloads or compiles it. `npm update better-sqlite3-node20` takes the line back.
  it('installs the driver that is compiled on Node 20 alone', () => {
    expect(lock.packages['node_modules/better-sqlite3-node20']).toMatchObject({
      name: 'better-sqlite3',
      optional: true,
      engines: { node: '20.x' },
    })
    expect(lock.packages['node_modules/better-sqlite3']).toMatchObject({ optional: true })
  })

  it('answers the question about install scripts by name, for the alias too', () => {
    expect(manifest.allowScripts).toEqual({ 'better-sqlite3': true })
  })

  // npm would ask who installs the packed file about each of these; `dependencies` runs in a checkout alone.
  it('has no script that npm runs where the packed file is installed', () => {
    const asked = ['preinstall', 'install', 'postinstall', 'prepare']
    expect(Object.keys(manifest.scripts).filter((name) => asked.includes(name))).toEqual([])
    expect(manifest.scripts['dependencies']).toBe('npm run build')
  })

  it('reaches prebuild-install through the driver of Node 20 alone', () => {
    const reaching = installed.filter(([, { dependencies = {} }]) => 'prebuild-install' in dependencies)
    expect(reaching.map(([path]) => path)).toEqual(['node_modules/better-sqlite3-node20'])
    expect(lock.packages['node_modules/prebuild-install']).toMatchObject({ optional: true })
  })

  it('takes every package by its hash from whichever registry npm is set to', () => {
    const isRight = (locked: Locked): boolean => locked.integrity !== undefined && !('resolved' in locked)
    expect(installed.filter(([, locked]) => !isRight(locked)).map(([path]) => path)).toEqual([])
  })
})
