import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LANGUAGES } from '../../src/report/text/language.js'
import { textsIn } from '../../src/report/text/texts.js'
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.js'
import { validExport } from '../support/export.js'
import { filesBelow } from '../support/folder.js'
import { CREDENTIALS, makeFolder, runProgram, type Ended } from '../support/program.js'

const place = makeFolder()
let sandbox: Sandbox

const at = (...names: string[]): string => join(place.folder, ...names)
const program = (args: string[], env: Record<string, string> = {}): Promise<Ended> =>
  runProgram(args, { cwd: place.folder, env: { ...CREDENTIALS, ...env } })
/** In which language the page in a folder says that it is. */
const tagOf = (folder: string): string =>
  /<html lang="(\w+)">/.exec(readFileSync(at(folder, 'report.html'), 'utf8'))?.[1] ?? 'none'

beforeAll(async () => {
  sandbox = await startSandbox({
    seed: 1,
    faults: [
      { match: { customer_no: 2 }, times: 1, fault: { kind: 'reset', applied: true } },
      { match: { customer_no: 3 }, times: 1, fault: { kind: 'refuse', status: 422 } },
    ],
  })
  writeFileSync(at('export.csv'), validExport(6))
  writeFileSync(at('german.yaml'), 'lang: de\n')
  const { status } = await program([
    'run',
    'export.csv',
    '--base-url',
    sandbox.url,
    '--config',
    'german.yaml',
  ])
  expect(status).toBe(4)
})
afterAll(async () => {
  await sandbox.close()
  place.remove()
})

describe('the language of a report', () => {
  it('is that of the configuration in whatever command writes one, and of the environment before it', async () => {
    expect(tagOf('sepa-migrate-report')).toBe('de')
    await program(['report', '--config', 'german.yaml', '--out', 'configured'])
    expect(tagOf('configured')).toBe('de')
    await program(['report', '--config', 'german.yaml', '--out', 'named'], { SEPA_MIGRATE_LANG: 'en' })
    expect(tagOf('named')).toBe('en')
    await program(['report', '--lang', 'de', '--out', 'flagged'], { SEPA_MIGRATE_LANG: 'en' })
    expect(tagOf('flagged')).toBe('de')
    await program(['report', '--out', 'usual'])
    expect(tagOf('usual')).toBe('en')
  })

  it('is refused where there is none of that name, with all that there are, before anything is sent', async () => {
    const flagged = await program(['report', '--lang', 'it'])
    expect([flagged.status, flagged.stderr]).toEqual([2, expect.stringContaining(LANGUAGES.join(', '))])
    const sent = sandbox.requests()
    const run = await program(['run', 'export.csv', '--base-url', sandbox.url], { SEPA_MIGRATE_LANG: 'DE' })
    expect([run.status, run.stderr]).toEqual([2, expect.stringContaining('nothing was sent')])
    expect(sandbox.requests()).toEqual(sent)
  })

  it('changes no file that a program reads, and the pack holds in each', async () => {
    for (const language of LANGUAGES) {
      const { status } = await program(['report', '--lang', language, '--out', language])
      expect(status).toBe(4)
      const verified = await program(['verify', language, '--ledger', 'sepa-migrate.db'])
      expect([verified.status, verified.stdout.split('\n')[0]], language).toEqual([
        0,
        expect.stringMatching(/^Holds: /),
      ])
    }
    const files = filesBelow(at('en')).filter((name) => /\.csv$|^summary\.json$/.test(name))
    expect(files.length).toBeGreaterThan(6)
    for (const language of LANGUAGES)
      for (const name of files)
        expect(readFileSync(at(language, name)).equals(readFileSync(at('en', name))), name).toBe(true)
  })

  it.each(LANGUAGES)('gives the same bytes twice in %s, and the title of that language', async (language) => {
    await program(['report', '--lang', language, '--out', `${language}-again`])
    for (const name of filesBelow(at(language)))
      expect(readFileSync(at(`${language}-again`, name)).equals(readFileSync(at(language, name))), name).toBe(
        true,
      )
    const title = textsIn(language).say('page.title')
    expect(readFileSync(at(language, 'report.html'), 'utf8')).toContain(`<h1>${title}</h1>`)
  })
})
