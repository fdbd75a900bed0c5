import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeFolder, runProgram, SAMPLES, type Ended } from '../support/program.js'

let place: ReturnType<typeof makeFolder>

// The configuration of a German export lies in the folder of a French one.
beforeEach(() => {
  place = makeFolder()
  copyFileSync(join(SAMPLES, 'french.csv'), join(place.folder, 'french.csv'))
  writeFileSync(join(place.folder, 'sepa-migrate.yaml'), 'source: { delimiter: ";", skipLines: 3 }\n')
  writeFileSync(join(place.folder, 'french.yaml'), 'columns: { iban: IBAN }\n')
})
afterEach(() => place.remove())

const program = (args: readonly string[], env: Record<string, string> = {}): Promise<Ended> =>
  runProgram(args, { cwd: place.folder, env })
const configurationOf = ({ stdout }: Ended): unknown =>
  (JSON.parse(stdout) as { configuration?: unknown }).configuration

describe('10.2.2 which configuration a file was read with', () => {
  it('is said by init, which leaves out the one that merely lies there', async () => {
    const drafted = await program(['init', 'french.csv', '--to', 'new.yaml'])
    expect(drafted.status).toBe(0)
    expect(drafted.stdout).toMatch(
      /^Read without the configuration "sepa-migrate\.yaml" of this folder; --config sepa-migrate\.yaml applies it\.\n/,
    )
    const document = await program(['init', 'french.csv', '--to', 'newer.yaml', '--json'])
    expect(configurationOf(document)).toBeNull()
  })

  it('is said by init where it was named, by flag or environment', async () => {
    for (const [args, env] of [
      [['--config', 'french.yaml'], {}],
      [[], { SEPA_MIGRATE_CONFIG: 'french.yaml' }],
    ] as const) {
      const target = `new-${args.length}`
      const drafted = await program(['init', 'french.csv', '--to', `${target}.yaml`, ...args], env)
      expect(drafted.stdout).toMatch(/^Read with the configuration "french\.yaml"\.\n/)
      const document = await program(
        ['init', 'french.csv', '--to', `${target}-json.yaml`, '--json', ...args],
        env,
      )
      expect(configurationOf(document)).toBe('french.yaml')
    }
  })

  it('is said by inspect: the one of the folder is applied, and called so', async () => {
    writeFileSync(join(place.folder, 'sepa-migrate.yaml'), 'columns: { iban: IBAN }\n')
    const shown = await program(['inspect', 'french.csv'])
    expect(shown.stdout).toMatch(
      /^Read with the configuration "sepa-migrate\.yaml", which is in this folder\n/,
    )
    const named = await program(['inspect', 'french.csv', '--config', 'french.yaml'])
    expect(named.stdout).toMatch(/^Read with the configuration "french\.yaml"\n/)
    expect(configurationOf(await program(['inspect', 'french.csv', '--json']))).toBe('sepa-migrate.yaml')
  })

  it('is said by inspect where the file cannot be read with it', async () => {
    writeFileSync(join(place.folder, 'sepa-migrate.yaml'), 'source: { skipLines: 9000 }\n')
    const refused = await program(['inspect', 'french.csv'])
    expect(refused.status).toBe(7)
    expect(refused.stderr).toContain(
      'It was read with the configuration "sepa-migrate.yaml", which is in this folder',
    )
  })
})
