import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { LANGUAGES } from '../../src/report/text/language.js'
import { textsIn } from '../../src/report/text/texts.js'
import { filesBelow } from '../support/folder.js'
import { placeForAll } from '../support/place.js'

const { path, read, write, program, programWith, sandbox } = placeForAll({
  rows: 6,
  sandbox: {
    faults: [
      { match: { customer_no: 2 }, times: 1, fault: { kind: 'reset', applied: true } },
      { match: { customer_no: 3 }, times: 1, fault: { kind: 'refuse', status: 422 } },
    ],
  },
})
const bytes = (language: string, name: string): Buffer => readFileSync(path(join(language, name)))
/** In which language the page in a folder says that it is. */
const tagOf = (folder: string): string =>
  /<html lang="(\w+)">/.exec(read(`${folder}/report.html`))?.[1] ?? 'none'

beforeAll(async () => {
  write('german.yaml', 'lang: de\n')
  expect((await program('run', 'export.csv', '--config', 'german.yaml')).status).toBe(4)
})

describe('the language of a report', () => {
  it('is that of the configuration in whatever command writes one, and of the environment before it', async () => {
    expect(tagOf('sepa-migrate-report')).toBe('de')
    await program('report', '--config', 'german.yaml', '--out', 'configured')
    expect(tagOf('configured')).toBe('de')
    await programWith({ SEPA_MIGRATE_LANG: 'en' }, 'report', '--config', 'german.yaml', '--out', 'named')
    expect(tagOf('named')).toBe('en')
    await programWith({ SEPA_MIGRATE_LANG: 'en' }, 'report', '--lang', 'de', '--out', 'flagged')
    expect(tagOf('flagged')).toBe('de')
    await program('report', '--out', 'usual')
    expect(tagOf('usual')).toBe('en')
  })

  it('is refused where there is none of that name, with all that there are, before anything is sent', async () => {
    const flagged = await program('report', '--lang', 'it')
    expect([flagged.status, flagged.stderr]).toEqual([2, expect.stringContaining(LANGUAGES.join(', '))])
    const sent = sandbox().requests()
    const run = await programWith({ SEPA_MIGRATE_LANG: 'DE' }, 'run', 'export.csv')
    expect([run.status, run.stderr]).toEqual([2, expect.stringContaining('nothing was sent')])
    expect(sandbox().requests()).toEqual(sent)
  })

  it('changes no file that a program reads, and the pack holds in each', async () => {
    for (const language of LANGUAGES) {
      const { status } = await program('report', '--lang', language, '--out', language)
      expect(status).toBe(4)
      const verified = await program('report', 'verify', language, '--ledger', 'sepa-migrate.db')
      expect([verified.status, verified.stdout.split('\n')[0]], language).toEqual([
        0,
        expect.stringMatching(/^Holds: /),
      ])
    }
    const files = filesBelow(path('en')).filter((name) => /\.csv$|^summary\.json$/.test(name))
    expect(files.length).toBeGreaterThan(6)
    for (const language of LANGUAGES)
      for (const name of files) expect(bytes(language, name).equals(bytes('en', name)), name).toBe(true)
  })

  it.each(LANGUAGES)('has the title of %s', (language) => {
    const title = textsIn(language).say('page.title')
    expect(read(`${language}/report.html`)).toContain(`<h1>${title}</h1>`)
  })
})
