import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { noConfiguration } from '../../../src/cli/settings/configuration.js'
import { readSettings } from '../../../src/cli/settings/settings.js'
import { worldOf } from '../world.js'
import { freshFolder } from '../../support/folder.js'
import { namedFiles } from '../../../src/cli/command.js'

function configured(): { folder: string; config: string } {
  const folder = freshFolder()
  const config = join(folder, 'campaign.yaml')
  writeFileSync(
    config,
    `ledger: campaign.db
service: { passwordFile: secret, ca: ca.pem, clientKey: key.pem, clientCertificate: cert.pem }
crosswalk: { file: keys.csv, from: old, key: old, customer_no: new }
`,
    { mode: 0o600 },
  )
  return { folder, config }
}

it('holds every file that a command reads or keeps, wherever it was named', () => {
  const { folder, config } = configured()
  const settings = readSettings({ config, logFile: 'run.log' }, worldOf())
  const named = namedFiles({ settings, args: ['export.csv'], own: { from: 'filled.csv', apply: true } }, null)
  const inFolder = ['campaign.yaml', 'secret', 'ca.pem', 'key.pem', 'cert.pem', 'keys.csv', 'campaign.db']
  for (const name of inFolder) expect(named, name).toContain(join(folder, name))
  expect(named).toEqual(expect.arrayContaining(['export.csv', 'filled.csv', 'run.log']))
  expect(named).toContain(join(folder, 'campaign.db-wal'))
})

it('leaves the output itself out, or it could never be written', () => {
  const { config } = configured()
  const settings = readSettings({ config, logFile: 'run.log' }, worldOf())
  expect(namedFiles({ settings, args: [], own: {} }, 'logFile')).not.toContain('run.log')
  expect(namedFiles({ settings, args: [], own: { data: 'x.db' } }, 'data')).not.toContain('x.db')
  expect(namedFiles({ settings, args: [], own: { data: 'x.db' } }, 'logFile')).toContain('x.db')
})

it('standard input is no file', () => {
  const settings = readSettings({}, worldOf(), noConfiguration)
  expect(namedFiles({ settings, args: ['-', ''], own: {} }, null)).not.toContain('-')
})
