import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { main, commands } from '../../../src/cli/main.js'
import { worldOf } from '../world.js'
import { freshFolder } from '../../support/folder.js'
import { RULES } from '../../../src/domain/rule/verdict.js'

async function printed(...argv: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  const world = worldOf()
  const status = await main(argv, commands, world)
  return { status, ...world.printed }
}

function configuration(text: string): string {
  const file = join(freshFolder(), 'sepa-migrate.yaml')
  writeFileSync(file, text, { mode: 0o600 })
  return file
}

describe('the rulebook on the command line', () => {
  it('lists every rule with its severity', async () => {
    const { status, stdout } = await printed('rules')
    expect(status).toBe(0)
    for (const [id, { severity }] of Object.entries(RULES))
      expect(stdout).toMatch(new RegExp(`^${severity} +${id} `, 'm'))
  })

  it('explains one rule, however it is written', async () => {
    const { status, stdout } = await printed('rules', 'iban-checksum')
    expect(status).toBe(0)
    expect(stdout).toContain('IBAN_CHECKSUM (error)')
    expect(stdout).toContain('The IBAN has a typing error.')
    expect(stdout).toContain('the row is invalid: it is not sent')
    expect(stdout).toContain('Compare it with the source document.')
  })

  it('shows what the configuration made of it', async () => {
    const file = configuration('rules: { UMR_SPACE: error, IBAN_EMPTY: warning }\n')
    const { stdout } = await printed('rules', 'UMR_SPACE', '--config', file)
    expect(stdout).toContain('UMR_SPACE (error, by the configuration; warning by default)')
    const { stdout: empty } = await printed('rules', 'IBAN_EMPTY', '--config', file)
    expect(empty).toContain('the row is invalid: it is not sent') // no severity sends a row without an account
  })

  it('refuses a name that is no rule, and says where they stand', async () => {
    const { status, stderr } = await printed('rules', 'NONSENSE')
    expect(status).toBe(2)
    expect(stderr).toContain('There is no rule "NONSENSE"')
    expect(stderr).toContain('sepa-migrate rules')
  })
})
