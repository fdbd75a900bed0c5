import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commands } from '../../../src/cli/commands.js'
import { main } from '../../../src/cli/main.js'
import { readSurface } from '../../../src/cli/settings/surface.js'
import { worldOf } from '../world.js'

const surface = await readSurface(commands)

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sepa completion '))
  for (const name of ['export.csv', 'second export.csv']) writeFileSync(join(folder, name), '')
  mkdirSync(join(folder, 'reports'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function scriptFor(shell: string): Promise<string> {
  const world = worldOf()
  expect(await main(['completion', shell], commands, world)).toBe(0)
  expect(world.printed.stderr).toBe('')
  return world.printed.stdout
}

const isHere = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0

function shell(name: string, flags: readonly string[], script: string): string {
  const { status, stdout, stderr } = spawnSync(name, [...flags, '-c', script], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: folder, TERM: 'dumb' },
  })
  expect(stderr).toBe('')
  expect(status).toBe(0)
  return stdout
}

const names = surface.map(({ name }) => name)
const flagsOf = (command: string): string[] => [
  ...(surface.find(({ name }) => name === command)?.flags.map(({ name }) => name) ?? []),
  '--help',
]

describe('10.3.6 completion', () => {
  it('of an unknown shell is refused with those that are known', async () => {
    const world = worldOf()
    expect(await main(['completion', 'tcsh'], commands, world)).toBe(2)
    expect(world.printed.stderr).toContain('Name one of bash, zsh, fish')
  })
})

describe.skipIf(!isHere('bash'))('10.3.6 completion in bash (skipped where it is not installed)', () => {
  /** What bash offers for the last word, as it would when somebody presses tab. */
  async function offered(...words: string[]): Promise<string[]> {
    const script = [
      await scriptFor('bash'),
      'complete -p sepa-migrate >/dev/null || exit 9',
      `COMP_WORDS=(sepa-migrate ${words.map((word) => `'${word}'`).join(' ')})`,
      `COMP_CWORD=${words.length}`,
      '_sepa_migrate',
      'printf "%s\\n" "${COMPREPLY[@]}"',
    ].join('\n')
    return shell('bash', ['--norc', '--noprofile'], script)
      .split('\n')
      .filter((line) => line !== '')
  }

  it('offers every command, and those that begin so', async () => {
    expect(await offered('')).toEqual([...names, 'help', '--help', '--version'])
    expect(await offered('re')).toEqual(names.filter((name) => name.startsWith('re')))
  })

  it.each(names)('offers the flags of %s', async (name) => {
    expect(await offered(name, '-')).toEqual(flagsOf(name))
  })

  it('offers files where files are meant, with their spaces, and folders where folders are', async () => {
    expect((await offered('run', 'export.csv', '')).sort()).toEqual([
      'export.csv',
      'reports',
      'second export.csv',
    ])
    expect(await offered('run', 'sec')).toEqual(['second export.csv'])
    expect(await offered('report', '--out', '')).toEqual(['reports'])
    expect((await offered('status', '--config', 'ex')).sort()).toEqual(['export.csv'])
  })

  it('offers words where a few are meant, and nothing where any text is', async () => {
    expect(await offered('resolve', '--as', 're')).toEqual(['registered', 'refused', 'resend'])
    expect(await offered('explain', 'IBAN_CHECKS')).toEqual(['IBAN_CHECKSUM'])
    expect(await offered('completion', '')).toEqual(['bash', 'zsh', 'fish'])
    expect(await offered('run', '--rate', '')).toEqual([])
    expect(await offered('status', '')).toEqual([])
  })
})

describe.skipIf(!isHere('zsh'))('10.3.6 completion in zsh (skipped where it is not installed)', () => {
  /** zsh completes only in its line editor, so what the script would hand to it is caught. */
  async function handed(...words: string[]): Promise<string> {
    const script = [
      '_describe() { print -rl -- "${(@P)2}"; }',
      '_arguments() { print -rl -- "$@"; }',
      'compdef() { :; }',
      await scriptFor('zsh'),
      `words=(sepa-migrate ${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length + 1}`,
      '_sepa_migrate',
    ].join('\n')
    return shell('zsh', ['-f'], script)
  }

  it('hands over every command, and the flags of each with their help', async () => {
    const described = (await handed('')).trim().split('\n')
    expect(described.map((line) => line.split(':')[0])).toEqual(names)
    for (const name of names) {
      const specs = await handed(name, '')
      expect([...specs.matchAll(/^\*(--[a-z-]+)\[/gm)].map(([, flag]) => flag)).toEqual(flagsOf(name))
    }
    expect(await handed('resolve', '')).toContain(':decision:(registered refused resend written-off)')
    expect(await handed('run', '')).toContain('*:file:_files')
  })
})

describe.skipIf(!isHere('fish'))('10.3.6 completion in fish (skipped where it is not installed)', () => {
  async function offered(line: string): Promise<string[]> {
    const script = `${await scriptFor('fish')}\ncomplete -C '${line}'`
    return shell('fish', ['--no-config'], script)
      .split('\n')
      .filter((text) => text !== '')
      .map((text) => text.split('\t')[0] ?? '')
  }

  it('offers every command, the flags of each, and words where a few are meant', async () => {
    expect((await offered('sepa-migrate ')).sort()).toEqual([...names].sort())
    for (const name of names) {
      const expected = flagsOf(name)
      expect(await offered(`sepa-migrate ${name} --`)).toEqual(expect.arrayContaining(expected))
    }
    expect((await offered('sepa-migrate resolve --as re')).sort()).toEqual([
      'refused',
      'registered',
      'resend',
    ])
    // Newer versions escape the space themselves.
    const [file = ''] = await offered('sepa-migrate run sec')
    expect(file.replaceAll('\\', '')).toBe('second export.csv')
  })
})
