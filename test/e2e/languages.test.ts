import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { LANGUAGES } from '../../src/report/facts/facts.js'
import { textsIn } from '../../src/report/text/texts.js'
import { filesBelow } from '../support/folder.js'
import { placeForAll } from '../support/place.js'

const { path, read, write, program } = placeForAll({
  rows: 6,
  sandbox: {
    faults: [
      { match: { customer_no: 2 }, times: 1, fault: { kind: 'reset', applied: true } },
      { match: { customer_no: 3 }, times: 1, fault: { kind: 'refuse', status: 422 } },
    ],
  },
})

it('a language is that of the configuration, changes no file that a program reads, and the pack holds in each', async () => {
  write('german.yaml', 'lang: de\n')
  expect((await program('run', 'export.csv', '--config', 'german.yaml')).status).toBe(4)
  expect(read('sepa-migrate-report/report.html')).toContain('<html lang="de">')
  for (const language of LANGUAGES) {
    expect((await program('report', '--lang', language, '--out', language)).status).toBe(4)
    const title = textsIn(language).say('page.title')
    expect(read(`${language}/report.html`)).toContain(`<h1>${title}</h1>`)
    const { status, stdout } = await program('report', 'verify', language, '--ledger', 'sepa-migrate.db')
    expect([status, stdout], language).toEqual([0, expect.stringMatching(/^Holds: /)])
  }
  const files = filesBelow(path('en')).filter((name) => /\.csv$|^summary\.json$/.test(name))
  expect(files.length).toBeGreaterThan(6)
  const bytes = (language: string, name: string): Buffer => readFileSync(path(join(language, name)))
  for (const language of LANGUAGES)
    for (const name of files) expect(bytes(language, name).equals(bytes('en', name)), name).toBe(true)
})
