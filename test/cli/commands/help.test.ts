import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { main, commands } from '../../../src/cli/main.js'
import { RULES } from '../../../src/domain/rule/verdict.js'
import { freshFolder } from '../../support/folder.js'
import { worldOf } from '../world.js'
import { linesOfPage } from '../../../src/cli/commands/help.js'

async function typed(...argv: string[]) {
  const world = worldOf()
  return { status: await main(argv, commands, world), ...world.printed }
}
const names = readdirSync(worldOf().manual).map((name) => name.replace('.md', ''))

describe('help', () => {
  it('lists the topics below the commands, each by the first line of its page', async () => {
    const { status, stdout } = await typed('help')
    expect([status, stdout]).toEqual([0, (await typed('--help')).stdout])
    for (const name of names) expect(stdout).toMatch(new RegExp(`^  ${name} +\\S.{10,}$`, 'm'))
    expect(stdout.indexOf('Topics')).toBeGreaterThan(stdout.indexOf('Commands:'))
  })

  it.each(names)('prints the topic %s in lines of 79 characters, code as it stands', async (name) => {
    const page = readFileSync(`${worldOf().manual}${name}.md`, 'utf8')
    const { status, stdout } = await typed('help', name)
    expect(status).toBe(0)
    expect(stdout).not.toMatch(/^(#|```|<!--)|\*\*/m)
    const prose = stdout.split('\n').filter((line) => !line.startsWith('    '))
    expect(prose.filter((line) => line.length > 79 && line.trim().split(' ').length > 2)).toEqual([])
    for (const [, code = ''] of page.matchAll(/^```\w+\n([^]*?)^```/gm))
      for (const line of code.trim().split('\n')) expect(stdout).toContain(line.trimEnd())
    expect((JSON.parse((await typed('help', name, '--json')).stdout) as { text: string }).text).toBe(page)
  })

  it('of a command is its own help, unless a topic has its name', async () => {
    expect((await typed('help', 'run')).stdout).toBe((await typed('run', '--help')).stdout)
    expect((await typed('run', '--help')).stdout.split('\n').length).toBeLessThan(60)
    expect((await typed('run', '--help')).stdout).toContain('sepa-migrate run --help all')
    expect((await typed('help', 'run', 'all')).stdout).toContain('--max-refused')
    expect((await typed('help', 'report')).stdout).toContain('Flags: sepa-migrate report --help')
  })

  it('names the nearest of a topic that is not there', async () => {
    expect(await typed('help', 'dobuts')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('no topic "dobuts"; the nearest is "doubts"') as string,
    })
    expect((await typed('help', 'xyzzy')).stderr).toContain('See all of them with "sepa-migrate --help"')
  })

  it('wraps a list under its words', () => {
    const words = Array.from({ length: 20 }, () => 'words').join(' ')
    const [first = '', second = '', ...rest] = linesOfPage(`- **Bold** ${words}`, 79)
    expect([first.slice(0, 6), second.slice(0, 7), rest]).toEqual(['- Bold', '  words', []])
  })
})

describe('the rulebook on the command line', () => {
  it('lists every rule with its severity', async () => {
    const { status, stdout } = await typed('rules')
    expect(status).toBe(0)
    for (const [id, { severity }] of Object.entries(RULES))
      expect(stdout).toMatch(new RegExp(`^${severity} +${id} `, 'm'))
  })

  it('explains one rule, however it is written', async () => {
    const { status, stdout } = await typed('rules', 'iban-checksum')
    expect(status).toBe(0)
    expect(stdout).toMatch(/IBAN_CHECKSUM \(error\)[^]*The IBAN has a typing error\./)
    expect(stdout).toMatch(/the row is invalid: it is not sent[^]*Compare it with the source document\./)
  })

  it('shows what the configuration made of it', async () => {
    const file = join(freshFolder(), 'sepa-migrate.yaml')
    writeFileSync(file, 'rules: { UMR_SPACE: error, IBAN_EMPTY: warning }\n', { mode: 0o600 })
    const { stdout } = await typed('rules', 'UMR_SPACE', '--config', file)
    expect(stdout).toContain('UMR_SPACE (error, by the configuration; warning by default)')
    const { stdout: empty } = await typed('rules', 'IBAN_EMPTY', '--config', file)
    expect(empty).toContain('the row is invalid: it is not sent') // no severity sends a row without an account
  })

  it('refuses a name that is no rule, and says where they stand', async () => {
    const { status, stderr } = await typed('rules', 'NONSENSE')
    expect(status).toBe(2)
    expect(stderr).toContain('There is no rule "NONSENSE"')
    expect(stderr).toContain('sepa-migrate rules')
  })
})
