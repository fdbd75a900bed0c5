import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { format, resolveConfig } from 'prettier'
import { describe, expect, it } from 'vitest'
import { configurationSchema } from '../../../src/cli/settings/configuration.js'
import { main, commands } from '../../../src/cli/main.js'
import {
  SETTING_NAMES,
  settingOf,
  type SettingName,
  environmentName,
  flagsOf,
  helpOf,
  isOption,
  EXIT_STATUSES,
  exitLines,
} from '../../../src/cli/settings/declared.js'
import { sourceSections } from '../../../src/source/options.js'
import { jsonKeys, readSurface } from '../surface.js'
import { worldOf } from '../world.js'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const SNAPSHOT = join(ROOT, 'test/cli/surface.json')
const README = join(ROOT, 'README.md')
const SETTINGS = join(ROOT, 'src/help/settings.md')

const surface = await readSurface(commands)
const style = (await resolveConfig(README)) ?? {}
const snapshotText = (): Promise<string> =>
  format(JSON.stringify({ commands: surface, environment: byEnvironment, exitStatuses: EXIT_STATUSES }), {
    ...style,
    parser: 'json',
  })

const table = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n')
/** What only the environment sets, without a flag. */
const byEnvironment = Object.fromEntries(
  SETTING_NAMES.flatMap((name) => {
    const variable = environmentName(name)
    return isOption(name) || variable === null ? [] : [[variable, helpOf(name)]]
  }),
)

/** Flags first, the address before all; then what only the environment sets, then what stands in the file alone. */
const rank = (name: SettingName): number =>
  name === 'baseUrl' ? 0 : isOption(name) ? 1 : environmentName(name) === null ? 3 : 2
const inOrder = SETTING_NAMES.toSorted((a, b) => rank(a) - rank(b))

/** One setting as a line of the manual: where it is set, what it means, what holds where nobody says otherwise. */
function settingLine(name: SettingName): string {
  const { configured } = settingOf(name)
  // The variable of a flag has its name.
  const places = [isOption(name) ? flagsOf(name) : environmentName(name), configured?.join('.')]
  return `- ${places.flatMap((place) => (place == null ? [] : [`\`${place}\``])).join(', ')}: ${helpOf(name).replace('(default ', '(default: ')}`
}

/** What is written into a page, by the page and the name of its marker. */
const MADE: readonly (readonly [page: string, marker: string, text: string])[] = [
  [README, 'exit-statuses', table([['code', 'meaning'], ['---', '---'], ...exitLines(EXIT_STATUSES)])],
  [SETTINGS, 'settings', inOrder.map(settingLine).join('\n')],
]

async function filled(page: string): Promise<string> {
  let text = readFileSync(page, 'utf8')
  for (const [path, name, made] of MADE)
    if (path === page)
      text = text.replace(
        new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- /${name} -->)`),
        (_found, open: string, close: string) => `${open}\n${made}\n\n${close}`,
      )
  return format(text, { ...style, parser: 'markdown' })
}

if (process.env['UPDATE_SAMPLES'] === '1') {
  writeFileSync(SNAPSHOT, await snapshotText())
  for (const page of [README, SETTINGS]) writeFileSync(page, await filled(page))
}

const textsIn = (folder: string, ending: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(join(ROOT, folder, name), 'utf8'))

describe('the command surface', () => {
  it('is the one of the snapshot; UPDATE_SAMPLES=1 takes a change over', async () => {
    expect(await snapshotText()).toBe(readFileSync(SNAPSHOT, 'utf8'))
  })

  it.each(MADE)('fills %s at the marker "%s"; UPDATE_SAMPLES=1 writes it anew', async (page, name) => {
    expect(readFileSync(page, 'utf8')).toContain(`<!-- ${name} -->`)
    expect(await filled(page)).toBe(readFileSync(page, 'utf8'))
  })

  it.each(surface)('is what the help of $name shows', async ({ name, flags, examples, exits }) => {
    const world = worldOf()
    expect(await main([name, '--help', 'all'], commands, world)).toBe(0)
    const help = world.printed.stdout
    expect(examples.length).toBeGreaterThanOrEqual(2)
    expect(examples.length).toBeLessThanOrEqual(3)
    expect(help.startsWith(['Examples:', ...examples.map((line) => `  ${line}`), ''].join('\n'))).toBe(true)
    const shown = [...help.matchAll(/^ {2}(?:-h, )?(--[a-z-]+)/gm)].map(([, flag]) => flag)
    expect(shown.toSorted()).toEqual([...flags.map((flag) => flag.name), '--help'].toSorted())
    const [, needed = ''] = /^Options:\n([^]*?)\n\n/m.exec(help) ?? []
    if (name === 'run') expect(needed.match(/^ {2}-/gm)).toHaveLength(9)
    const [, closing = ''] = help.split('Exit status:\n')
    const lists = [...closing.matchAll(/^ {2}([\d, ]+?) {2,}/gm)].flatMap(([, list = '']) => list.split(', '))
    expect(new Set(lists)).toEqual(new Set(Object.keys(exits)))
  })

  it('has each key of the configuration that is no section declared as a setting, and each setting in the schema', () => {
    const { service, readBack, campaign, ...others } = configurationSchema.shape
    const sections = [...Object.keys(sourceSections), 'rules', 'approvers', 'outcomes']
    const keys = [
      ...Object.keys(others).filter((key) => !sections.includes(key)),
      ...Object.keys(service.unwrap().shape).map((key) => `service.${key}`),
      ...Object.keys(campaign.unwrap().shape).map((key) => `campaign.${key}`),
      ...Object.keys(readBack.unwrap().shape).map((key) => `readBack.${key}`),
    ]
    const declared = SETTING_NAMES.flatMap((name) => settingOf(name).configured?.join('.') ?? [])
    expect(keys.toSorted()).toEqual(declared.toSorted())
    expect(keys).toContain('service.concurrency')
  })

  it('names each SEPA_MIGRATE_ variable that any source file speaks of', () => {
    const known = new Set(SETTING_NAMES.map(environmentName))
    const spoken = textsIn('src', '.ts').flatMap((text) => text.match(/SEPA_MIGRATE_[A-Z_]*[A-Z]/g) ?? [])
    expect([...new Set(spoken)].filter((name) => !known.has(name))).toEqual([])
    expect(spoken).toEqual(expect.arrayContaining(Object.keys(byEnvironment)))
  })

  it('has the JSON keys that the page of the room explains', () => {
    const page = readFileSync(join(ROOT, 'src/cli/README.md'), 'utf8')
    const [section = ''] = page.split('## The JSON document\n')[1]?.split('\n## ') ?? []
    expect([...section.matchAll(/^- `(\w+)`:/gm)].map(([, key]) => key)).toEqual(jsonKeys())
  })

  it('is named by the README and its topics, command by command', () => {
    const pages = [readFileSync(README, 'utf8'), ...textsIn('src/help', '.md')].join()
    const named = surface.map(({ name }) => name).filter((name) => name !== 'help' && name !== 'demo')
    expect(named.filter((name) => !pages.includes(`sepa-migrate ${name}`))).toEqual([])
    expect(pages).toContain('status --watch')
  })
})
