import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { main, commands } from '../../../src/cli/main.js'
import { freshFolder } from '../../support/folder.js'
import { worldOf } from '../world.js'

/** What was typed or set, and a word of what does its work now. */
const GONE: readonly (readonly [typed: string, now: string])[] = [
  ['run export.csv --read-back --read-back-first', 'run --check-before-send'],
  ['probe --base-url https://test.example --customer 1', 'verify'],
  ['read-back --read-back', 'resolve --ask'],
  ['resolve --from-read-back', 'resolve --ask'],
  ['reconcile list.csv --apply', 'resolve --against'],
  ['explain IBAN_CHECKSUM', 'rules RULE'],
  ['verify --at-service', 'verify alone'],
  ['resolve --adopt-older-copy', 'ledger adopt'],
  ['show --customer 1', 'customer show N'],
  ['erase --customer 1', 'customer erase N'],
  ['customer show --customer 1', 'customer show N'],
  ['notices export.csv --first-debit 2027-02-01', 'registered.csv'],
  ['completion bash', '--help'],
  ['run --between 22:00-05:00', '--max-duration'],
  ['run --outside wait', '--max-duration'],
  ['run --until 05:00', '--max-duration'],
  ['SEPA_MIGRATE_BETWEEN=22:00-05:00 run', '--max-duration'],
  ['SEPA_MIGRATE_OUTSIDE=wait run', '--max-duration'],
  ['SEPA_MIGRATE_UNTIL=05:00 run', '--max-duration'],
  ['run --wave pilot', "run --only 'Column=value"],
  ['run --order first-debit-by', '--only'],
  ['SEPA_MIGRATE_ORDER=row run', '--only'],
]

async function refused(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const world = worldOf({ env })
  const status = await main(argv, commands, world)
  return { status, ...world.printed }
}

describe('what was taken away is refused by its name, with what to use now', () => {
  it.each(GONE)('%s', async (typed, now) => {
    const words = typed.split(' ')
    const argv = words.filter((word) => !word.startsWith('SEPA_'))
    const env: Record<string, string> = {}
    for (const [, name = '', value = ''] of typed.matchAll(/(SEPA_\w+)=(\S+)/g)) env[name] = value
    const { status, stdout, stderr } = await refused(argv, env)
    expect([status, stdout]).toEqual([2, ''])
    const name = [...argv, ...Object.keys(env)].find((text) =>
      stderr.includes(` ${text.replace(/=.*/, '')} any more`),
    )
    expect(name).toBeDefined()
    expect(stderr).toMatch(/^Error: there is no [^\n]+; nothing was sent\. [^\n]+\n$/)
    expect(stderr).toContain(now)
    const json = await refused([...argv, '--json'], env)
    expect(JSON.parse(json.stdout)).toMatchObject({ exitCode: 2, errors: [{ kind: 'usage' }] })
    expect(json.stderr).toBe('')
  })

  it.each([
    ["between: '22:00-05:00'", '--max-duration'],
    ['outside: wait', '--max-duration'],
    ['waves: [{ name: all, held: true }]', "run --only 'Column=value"],
    ['order: row', '--country'],
  ])('configuration: %s', async (line, now) => {
    const file = join(freshFolder(), 'settings.yaml')
    writeFileSync(file, `lang: en\n${line}\n`, { mode: 0o600 })
    const { status, stderr } = await refused(['check', 'export.csv', '--config', file])
    expect(status).toBe(2)
    expect(stderr).toContain(`line 2: there is no key "${line.replace(/:.*/, '')}" any more: `)
    expect(stderr).toContain(now)
    expect(stderr).toContain('nothing was sent')
  })

  it('a file of such a name is a file, and an empty variable is not set', async () => {
    for (const argv of [['check', 'probe'], ['rules']])
      expect((await refused(argv, { SEPA_MIGRATE_PROBE: '' })).stderr).not.toContain('any more')
  })
})
