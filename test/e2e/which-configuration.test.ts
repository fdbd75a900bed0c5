import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { placeForEach } from '../support/place.js'
import { SAMPLES } from '../support/program.js'

const { path, write, program, programWith, json } = placeForEach()

// The configuration of a German export lies in the folder of a French one.
beforeEach(() => {
  copyFileSync(join(SAMPLES, 'french.csv'), path('french.csv'))
  write('sepa-migrate.yaml', 'source: { delimiter: ";", skipLines: 3 }\n')
  write('french.yaml', 'columns: { iban: IBAN }\n')
})

describe('10.2.2 which configuration a file was read with', () => {
  it('is said by init, which leaves out the one that merely lies there', async () => {
    const drafted = await program('init', 'french.csv', '--to', 'new.yaml')
    expect(drafted.status).toBe(0)
    expect(drafted.stdout).toMatch(
      /^Read without the configuration "sepa-migrate\.yaml" of this folder; --config sepa-migrate\.yaml applies it\.\n/,
    )
    expect(await json('init', 'french.csv', '--to', 'newer.yaml')).toMatchObject({ configuration: null })
  })

  it('is said by init where it was named, by flag or environment', async () => {
    for (const [args, env] of [
      [['--config', 'french.yaml'], {}],
      [[], { SEPA_MIGRATE_CONFIG: 'french.yaml' }],
    ] as const) {
      const target = `new-${args.length}`
      const drafted = await programWith(env, 'init', 'french.csv', '--to', `${target}.yaml`, ...args)
      expect(drafted.stdout).toMatch(/^Read with the configuration "french\.yaml"\.\n/)
    }
  })

  it('is said by inspect: the one of the folder is applied, and called so', async () => {
    write('sepa-migrate.yaml', 'columns: { iban: IBAN }\n')
    const shown = await program('inspect', 'french.csv')
    expect(shown.stdout).toMatch(
      /^Read with the configuration "sepa-migrate\.yaml", which is in this folder\n/,
    )
    const named = await program('inspect', 'french.csv', '--config', 'french.yaml')
    expect(named.stdout).toMatch(/^Read with the configuration "french\.yaml"\n/)
    expect(await json('inspect', 'french.csv')).toMatchObject({ configuration: 'sepa-migrate.yaml' })
  })

  it('is said by inspect where the file cannot be read with it', async () => {
    write('sepa-migrate.yaml', 'source: { skipLines: 9000 }\n')
    const refused = await program('inspect', 'french.csv')
    expect(refused.status).toBe(7)
    expect(refused.stderr).toContain(
      'It was read with the configuration "sepa-migrate.yaml", which is in this folder',
    )
  })
})
