import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { format, resolveConfig } from 'prettier'
import { describe, expect, it } from 'vitest'
import { commands } from '../../../src/cli/commands.js'
import { configurationSchema } from '../../../src/cli/settings/configuration.js'
import { EXIT_STATUSES, exitLines } from '../../../src/cli/settings/exit-statuses.js'
import { main } from '../../../src/cli/main.js'
import {
  ENVIRONMENT,
  environmentName,
  flagName,
  OPTIONS,
  type OptionName,
} from '../../../src/cli/settings/options.js'
import { JSON_KEYS } from '../../../src/cli/terminal/result.js'
import { readSurface } from '../../../src/cli/settings/surface.js'
import { worldOf } from '../world.js'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const SNAPSHOT = join(ROOT, 'test/cli/surface.json')
const README = join(ROOT, 'README.md')

const surface = await readSurface(commands)
const style = (await resolveConfig(README)) ?? {}
const snapshotText = (): Promise<string> =>
  format(JSON.stringify({ commands: surface, environment: ENVIRONMENT, exitStatuses: EXIT_STATUSES }), {
    ...style,
    parser: 'json',
  })

const row = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map(row).join('\n')
const code = (text: string | null | undefined): string =>
  text === null || text === undefined ? '' : `\`${text}\``

const { baseUrl: _baseUrl, ...otherOptions } = OPTIONS
const optionNames: OptionName[] = ['baseUrl', ...(Object.keys(otherOptions) as (keyof typeof otherOptions)[])]

/** The tables of the README by the name of their marker. */
const TABLES: Readonly<Record<string, string>> = {
  'exit-statuses': table(
    ['code', 'meaning'],
    exitLines(EXIT_STATUSES).map(([statuses, meaning]) => [statuses, meaning]),
  ),
  commands: table(
    ['command', 'what it does'],
    surface.map(({ name, argument, summary }) => [
      code(`${name}${argument === null ? '' : ` ${argument}`}`),
      summary,
    ]),
  ),
  settings: table(
    ['flag', 'environment', 'configuration', 'meaning', 'default'],
    [
      ...optionNames.map((name) => {
        const { flags, help, ...option } = OPTIONS[name]
        const configured = 'configured' in option ? option.configured.join('.') : null
        const usual = 'byDefault' in option ? option.byDefault : 'otherwise' in option ? option.otherwise : ''
        return [code(flags), code(environmentName(name)), code(configured), help, usual]
      }),
      ...Object.entries(ENVIRONMENT).map(([name, meaning]) => ['', code(name), '', meaning, '']),
    ],
  ),
}

async function withTables(readme: string): Promise<string> {
  const filled = Object.entries(TABLES).reduce(
    (text, [name, made]) =>
      text.replace(
        new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- /${name} -->)`),
        (_found, open: string, close: string) => `${open}\n${made}\n\n${close}`,
      ),
    readme,
  )
  return format(filled, { ...style, parser: 'markdown' })
}

if (process.env['UPDATE_SAMPLES'] === '1') {
  writeFileSync(SNAPSHOT, await snapshotText())
  writeFileSync(README, await withTables(readFileSync(README, 'utf8')))
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesIn(join(folder, entry.name)) : [join(folder, entry.name)],
  )
}

describe('10.3.6 the command surface', () => {
  it('is the one of the snapshot; UPDATE_SAMPLES=1 takes a change over', async () => {
    expect(await snapshotText()).toBe(readFileSync(SNAPSHOT, 'utf8'))
  })

  it.each(Object.keys(TABLES))(
    'fills the table "%s" of the README; UPDATE_SAMPLES=1 writes it anew',
    async (name) => {
      const readme = readFileSync(README, 'utf8')
      expect(readme).toContain(`<!-- ${name} -->`)
      expect(await withTables(readme)).toBe(readme)
    },
  )

  it.each(surface)(
    'is what the help of $name shows, beginning with examples',
    async ({ name, flags, examples, exits }) => {
      const world = worldOf()
      expect(await main([name, '--help'], commands, world)).toBe(0)
      const help = world.printed.stdout
      expect(examples.length).toBeGreaterThanOrEqual(2)
      expect(examples.length).toBeLessThanOrEqual(3)
      expect(help.startsWith(['Examples:', ...examples.map((line) => `  ${line}`), ''].join('\n'))).toBe(true)
      const shown = [...help.matchAll(/^ {2}(?:-h, )?(--[a-z-]+)/gm)].map(([, flag]) => flag)
      expect(shown).toEqual([...flags.map((flag) => flag.name), '--help'])
      const [, closing = ''] = help.split('Exit status:\n')
      const statuses = [...closing.matchAll(/^ {2}([\d, ]+?) {2,}/gm)].flatMap(([, list = '']) =>
        list.split(', '),
      )
      expect(statuses.map(Number).sort((a, b) => a - b)).toEqual(
        Object.keys(exits)
          .map(Number)
          .sort((a, b) => a - b),
      )
    },
  )

  it('has each setting of a flag in the schema of the configuration', () => {
    const { service, ...others } = configurationSchema.shape
    const keys = [
      ...Object.keys(others),
      ...Object.keys(service.unwrap().shape).map((key) => `service.${key}`),
    ]
    const configured = surface.flatMap(({ flags }) => flags.flatMap((flag) => flag.configured ?? []))
    expect(configured.filter((key) => !keys.includes(key))).toEqual([])
  })

  it('names each SEPA_MIGRATE_ variable that any source file speaks of', () => {
    const known = new Set<string>([...optionNames.map(environmentName), ...Object.keys(ENVIRONMENT)])
    const spoken = filesIn(join(ROOT, 'src'))
      .filter((file) => /\.ts$/.test(file))
      .flatMap((file) => readFileSync(file, 'utf8').match(/SEPA_MIGRATE_[A-Z_]*[A-Z]/g) ?? [])
    expect([...new Set(spoken)].filter((name) => !known.has(name))).toEqual([])
    expect(spoken).toEqual(expect.arrayContaining(Object.keys(ENVIRONMENT)))
  })

  it('has a default for a flag only where reading it gives that very default', () => {
    for (const name of optionNames) {
      const option = OPTIONS[name]
      if ('byDefault' in option) expect(() => option.read(option.byDefault, flagName(name))).not.toThrow()
    }
  })

  it('has the JSON keys and the exit statuses that the page of the room explains', () => {
    const page = readFileSync(join(ROOT, 'src/cli/README.md'), 'utf8')
    const firstCells = (heading: string): string[] => {
      const [section = ''] = page.split(`## ${heading}\n`)[1]?.split('\n## ') ?? []
      return [...section.matchAll(/^\| `?([A-Za-z\d, ]+?)`? +\|/gm)].slice(1).map(([, cell = '']) => cell)
    }
    expect(firstCells('The JSON document')).toEqual(JSON_KEYS)
    expect(firstCells('Exit status')).toEqual(exitLines(EXIT_STATUSES).map(([statuses]) => statuses))
  })

  it('is named by the README, command by command', () => {
    const readme = readFileSync(README, 'utf8')
    const text = readme.replace(/<!-- commands -->[^]*?<!-- \/commands -->/, '')
    for (const name of ['rules', 'explain', 'completion']) expect(text).toContain(`sepa-migrate ${name}`)
    expect(text).toContain('status --watch')
  })
})
